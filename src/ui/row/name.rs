//! The names of slices as they stand in their cells: kernels by their short names, and what is too wide cut
//! such that the slices of a stack stay distinct.
//!
//! Must not know colours.

use std::ops::Range;

use proftui_base::text::SafeText;
use proftui_trace::index::Cell;
use proftui_trace::model::{RowId, SliceId};

use crate::app::State;

/// The words before names that say nothing beside names with the same words.
const KINDS: [&str; 1] = ["nn.Module: "];

/// The name of a slice as cells show it: a kernel's short name.
pub(super) fn of(state: &State, id: SliceId) -> SafeText<'_> {
    let session = &state.session;
    let short = session.short_names.get(session.trace.slices.name[id]);
    short.map_or_else(|| session.trace.name(id), SafeText::borrowed)
}

/// Where a slice's name is to be written.
pub(super) struct Label<'a> {
    /// The rows of the slice's line.
    pub(super) rows: &'a [RowId],
    /// The columns of the slice, from 0.
    pub(super) at: Range<usize>,
    /// How many columns the line has.
    pub(super) columns: u16,
    /// The columns of the screen that are free for names.
    pub(super) within: Range<u16>,
}

impl Label<'_> {
    /// The slice's `name` in at most `room` columns. A name that does not fit loses first the words that it
    /// may share with the slices around it and in it, then its middle. `None` if it would look like the name
    /// of the slice in it, which is another one.
    pub(super) fn cut<'b>(&self, state: &State, name: &'b SafeText<'_>, room: usize) -> Option<SafeText<'b>> {
        if name.width() <= room {
            return Some(name.borrowed());
        }
        let [above, below] = [-1, 1].map(|by| self.neighbour(state, by).map(|id| of(state, id)));
        let own = own_words(name, &[above.as_ref(), below.as_ref()]);
        let cut = SafeText::new(own).elide_middle(room).into_owned();
        let is_alike = below.as_ref().is_some_and(|below| {
            let of_below = SafeText::new(own_words(below, &[Some(name)])).elide_middle(room).into_owned();
            below.as_str() != name.as_str() && of_below == cut
        });
        (!is_alike).then_some(cut)
    }

    /// The slice in the row above (`by` -1) or below (1), in the middle of the slice's columns, if that row
    /// is of the same lane.
    fn neighbour(&self, state: &State, by: isize) -> Option<SliceId> {
        let &[row] = self.rows else { return None };
        let trace = &state.session.trace;
        let lane = &trace.lanes[trace.rows[row].lane];
        let other = RowId::from_index(row.index().checked_add_signed(by)?);
        if !lane.rows.contains(other) {
            return None;
        }
        let cells = state.timeline.cells(&state.session, other, self.columns);
        let middle: &Cell = cells.get(usize::midpoint(self.at.start, self.at.end))?;
        Some(middle.dominant).filter(|id| *id != SliceId::NONE)
    }
}

/// A name without the words before it, such as a path or namespaces; the whole name where another name ends
/// in the same words.
fn own_words<'a>(name: &'a SafeText<'_>, others: &[Option<&SafeText<'_>>]) -> &'a str {
    let own = without_scope(name.as_str());
    let ends_alike =
        |other: &SafeText<'_>| other.as_str() != name.as_str() && without_scope(other.as_str()) == own;
    if others.iter().flatten().any(|other| ends_alike(other)) { name.as_str() } else { own }
}

/// A name without a path, namespaces or a kind before it: `conv2d` of `aten::conv2d`.
fn without_scope(name: &str) -> &str {
    if let Some(own) = KINDS.iter().find_map(|kind| name.strip_prefix(kind)) {
        return own;
    }
    let plain = name.find(['<', '(', ' ', '#']).map_or(name, |end| &name[..end]);
    let after = |separator: &str| plain.rfind(separator).map_or(0, |at| at + separator.len());
    let own = &name[after("::").max(after("/"))..];
    if own.starts_with(char::is_alphanumeric) || own.starts_with('_') { own } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_namespaces_leave_first() {
        for (name, own) in [
            ("aten::conv2d", "conv2d"),
            ("aten::_convolution", "_convolution"),
            ("torch/nn/modules/conv.py(456): forward", "conv.py(456): forward"),
            ("nn.Module: Conv2d_0", "Conv2d_0"),
            ("autograd::engine::evaluate_function: MulBackward0", "evaluate_function: MulBackward0"),
            ("f(a::b)", "f(a::b)"),
            ("Optimizer.step#SGD.step", "Optimizer.step#SGD.step"),
            ("a/", "a/"),
            ("", ""),
        ] {
            assert_eq!(without_scope(name), own, "{name}");
        }
    }

    #[test]
    fn names_of_a_stack_that_end_alike_keep_what_parts_them() {
        let [a, b] = [SafeText::new("torch::add"), SafeText::new("aten::add")];
        assert_eq!(own_words(&a, &[None, Some(&b)]), "torch::add");
        assert_eq!(own_words(&a, &[Some(&a), None]), "add");
    }
}
