//! Laying out a lane: the row of each slice, and its parent.
//!
//! Slices that nest share a layer, which has one row per depth. A slice that overlaps another without nesting
//! is put unclipped into an overflow layer below, and so is what lies in it. The parent of a slice is the
//! innermost one that contains it, in whichever layer. A slice that ends later than its parent by no more
//! than the file's time resolution counts as nested.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proftui_base::heap::{self, NoMemory};
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::input::Slice;

/// Most layers of a lane. Slices that fit into none of so many layers get further rows, in which nothing
/// nests.
const LINEAR: usize = 32;

/// The index that stands for no parent.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// The layout of one lane: the rows and the parents of its slices.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Row of each slice, counted from 0 at the top; indexed by the slice's index in the lane.
    pub row: Vec<u32>,
    /// Index in the lane of each slice's parent, the innermost slice in which it nests; [`NO_PARENT`] without
    /// one.
    pub parent: Vec<u32>,
    /// Number of rows of the lane.
    pub rows: u32,
    /// Number of rows of the first layer, which are the topmost.
    pub depth: u32,
    /// Indices in the lane of the slices that outlast the innermost slice around their start, by the
    /// [`Rules`] for overlaps.
    pub overlaps: Vec<u32>,
}

/// An open slice of a layer: a later slice may still nest in it.
struct Open {
    end: Ns,
    slice: u32,
    group: u32,
}

#[derive(Default)]
struct Layer {
    open: Vec<Open>,
    /// The layer's row at each depth, numbered by first use among the rows of all layers.
    rows: Vec<u32>,
}

impl Layer {
    /// Closes the layer's open slices that end by the start of `slice`, and returns the depth at which
    /// `slice` fits into the layer; `None` if it does not fit.
    #[inline]
    fn fits(&mut self, slice: &Slice, group: u32, tolerance: Ns) -> Option<usize> {
        let end = slice.start + slice.dur;
        while self.open.last().is_some_and(|top| top.end <= slice.start) {
            self.open.pop();
        }
        let contains = |open: &Open| end.saturating_sub(open.end) <= tolerance;
        let Some(top) = self.open.last() else { return Some(0) };
        if top.group != group {
            return None;
        }
        if contains(top) {
            return Some(self.open.len());
        }
        // The slice begins a rounding error before some of the others end: it follows these and does not nest
        // in them. Open slices end in the reverse of the order in which they begin, and are all of one group.
        let overlaps = |open: &Open| open.end - slice.start > tolerance;
        let depth = self.open.partition_point(contains);
        (self.open.partition_point(overlaps) <= depth).then_some(depth)
    }

    /// The innermost open slice of the layer in which `slice` nests; `None` without one.
    fn around(&self, slice: &Slice, group: u32, tolerance: Ns) -> Option<u32> {
        let end = slice.start + slice.dur;
        let contains = |open: &Open| open.end > slice.start && end.saturating_sub(open.end) <= tolerance;
        // Open slices end in the reverse of the order in which they begin, and are all of one group.
        let at = self.open.partition_point(contains).checked_sub(1)?;
        (self.open[at].group == group).then_some(self.open[at].slice)
    }

    /// Opens the slice with index `slice` inside the first `depth` open slices, and closes the others. `end`
    /// is cut to the parent's end.
    fn push(&mut self, depth: usize, slice: u32, group: u32, end: Ns) -> Result<(), NoMemory> {
        self.open.truncate(depth);
        // The end is cut to the parent's, or the overhang would push the parent's next sibling out of the
        // layer.
        let end = self.open.last().map_or(end, |parent| end.min(parent.end));
        heap::try_push(&mut self.open, Open { end, slice, group })
    }
}

/// The rules of a lane's layout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// True when slices nest only in slices with the same `async_group`.
    pub has_groups: bool,
    /// Longest overhang beyond the enclosing slice, ns, with which a slice still nests in it.
    pub tolerance: Ns,
    /// Shortest time, ns, that two slices must share, and by which the one that starts later must outlast the
    /// other, to count as an overlap.
    pub notes_from: Ns,
    /// True when steps may overlap, as requests that are served at the same time do: steps are then left out
    /// when overlaps are counted.
    pub steps_may_overlap: bool,
}

/// Lays out the slices of one lane, which must be sorted by (start, longer first).
///
/// # Errors
/// When there is no memory for the layout.
pub(super) fn layout(slices: &[Slice], rules: Rules) -> Result<Layout, NoMemory> {
    let Rules { has_groups, tolerance, .. } = rules;
    let mut layers = vec![Layer::default()];
    let mut flat: BinaryHeap<Reverse<(Ns, u32)>> = BinaryHeap::new();
    let mut out = Layout { parent: heap::try_filled(NO_PARENT, slices.len())?, ..Layout::default() };
    // Rows are numbered on first use; their order is known at the end.
    let mut rows: Vec<u32> = Vec::new();
    heap::try_reserve(&mut rows, slices.len())?;
    let mut flat_rows = Vec::new();
    let mut new_row = || {
        out.rows += 1;
        out.rows - 1
    };
    for (i, slice) in slices.iter().enumerate() {
        let end = slice.start + slice.dur;
        let group = if has_groups { slice.async_group } else { 0 };
        let (found, parent) = choose(&mut layers, slice, group, tolerance);
        out.parent[i] = parent;
        let (at, depth) = match found {
            Some(found) => found,
            None if layers.len() < LINEAR => {
                layers.push(Layer::default());
                (layers.len() - 1, 0)
            }
            None => {
                let free = flat.peek().is_some_and(|Reverse((end, _))| *end <= slice.start);
                let row = match flat.pop() {
                    Some(Reverse((_, row))) if free => row,
                    taken => {
                        flat.extend(taken);
                        heap::try_push(&mut flat_rows, new_row())?;
                        flat_rows[flat_rows.len() - 1]
                    }
                };
                heap::fallible(|| flat.try_reserve(1))?;
                flat.push(Reverse((end, row)));
                rows.push(row);
                continue;
            }
        };
        let layer = &mut layers[at];
        layer.push(depth, saturate::<u32>(i), group, end)?;
        if depth == layer.rows.len() {
            heap::try_push(&mut layer.rows, new_row())?;
        }
        rows.push(layer.rows[depth]);
    }
    out.depth = saturate::<u32>(layers[0].rows.len());
    // Rows of each layer lie below those of the layers before it.
    let ordered = layers.iter().flat_map(|layer| &layer.rows).chain(&flat_rows);
    let mut order = heap::try_filled(0, out.rows as usize)?;
    for (to, &row) in (0..).zip(ordered) {
        order[row as usize] = to;
    }
    rows.iter_mut().for_each(|row| *row = order[*row as usize]);
    out.row = rows;
    out.overlaps = overlaps(slices, rules)?;
    Ok(out)
}

/// Finds the layer and the depth for a slice, `None` where it fits no layer, and the index of its parent or
/// [`NO_PARENT`]. May close open slices that have ended.
fn choose(layers: &mut [Layer], slice: &Slice, group: u32, tolerance: Ns) -> (Option<(usize, usize)>, u32) {
    // In most lanes nothing overlaps: what fits lies in the innermost slice that is open.
    if let [layer] = layers
        && let Some(depth) = layer.fits(slice, group, tolerance)
    {
        let parent = depth.checked_sub(1).map_or(NO_PARENT, |at| layer.open[at].slice);
        return (Some((0, depth)), parent);
    }
    let containers = layers.iter().enumerate();
    let around =
        containers.filter_map(|(at, layer)| Some((layer.around(slice, group, tolerance)?, at))).max();
    let (parent, from) = around.unwrap_or((NO_PARENT, 0));
    let mut below = layers.iter_mut().enumerate().skip(from);
    let found = below.find_map(|(at, layer)| Some((at, layer.fits(slice, group, tolerance)?)));
    (found, parent)
}

/// The value of [`Layout::overlaps`] for `slices`.
fn overlaps(slices: &[Slice], rules: Rules) -> Result<Vec<u32>, NoMemory> {
    let from = rules.notes_from;
    let mut open: Vec<Ns> = Vec::new();
    let mut out = Vec::new();
    for (i, slice) in (0..).zip(slices).filter(|(_, slice)| !(rules.steps_may_overlap && slice.is_step())) {
        while open.last().is_some_and(|&end| end.saturating_sub(slice.start) < from) {
            open.pop();
        }
        let end = slice.start + slice.dur;
        if open.last().is_some_and(|&top| end.saturating_sub(top) >= from) {
            heap::try_push(&mut out, i)?;
        }
        heap::try_push(&mut open, end)?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Category, Origin, SliceFlags};
    use proftui_base::intern::StrId;
    use proptest::prelude::*;

    const RULES: Rules = Rules { has_groups: false, tolerance: 0, notes_from: 1, steps_may_overlap: false };

    fn slice(start: Ns, dur: Ns) -> Slice {
        let category = Category::Other;
        let (flags, origin) = (SliceFlags::default(), Origin::new(0, 0));
        Slice {
            start,
            dur,
            origin,
            name: StrId::EMPTY,
            correlation: 0,
            async_group: 0,
            category,
            flags,
            is_relative: false,
        }
    }

    fn rows(spans: &[(Ns, Ns)], tolerance: Ns) -> Layout {
        let slices: Vec<_> = spans.iter().map(|&(start, end)| slice(start, end - start)).collect();
        layout(&slices, Rules { tolerance, ..RULES }).expect("memory")
    }

    #[test]
    fn nesting_takes_one_row_per_depth() {
        let out = rows(&[(0, 10), (0, 5), (1, 2), (5, 10)], 0);
        assert_eq!(out.row, [0, 1, 2, 1]);
        assert_eq!(out.parent, [NO_PARENT, 0, 1, 0]);
        assert_eq!((out.depth, out.rows), (3, 3));
    }

    #[test]
    fn overlap_goes_below_and_stays_whole() {
        let out = rows(&[(0, 10), (5, 15), (12, 20)], 0);
        assert_eq!(out.row, [0, 1, 0]);
        assert_eq!((out.depth, out.rows), (1, 2));
        let chain: Vec<_> = (0..1000).map(|i| (i * 10, i * 10 + 15)).collect();
        assert_eq!(rows(&chain, 0).rows, 2, "a chain needs two rows");
        let all: Vec<_> = (0..1000).map(|i| (i, 5000 + i)).collect();
        assert_eq!(rows(&all, 0).rows, 1000, "all at once need a row each");
    }

    #[test]
    fn the_parent_is_the_innermost_container_in_any_layer() {
        // The third overlaps the second, and lies in the first; the fourth lies in the first and in the
        // third.
        let out = rows(&[(0, 100), (10, 50), (40, 90), (60, 70)], 0);
        assert_eq!(out.parent, [NO_PARENT, 0, 0, 2]);
        assert_eq!(out.row, [0, 1, 2, 3], "what lies in an overflow slice is drawn below it");
    }

    #[test]
    fn steps_may_overlap_and_other_slices_may_not() {
        // Two steps that overlap, a slice that overlaps both, and one that overlaps the slice.
        let mut slices: Vec<_> = [(0, 10), (5, 20), (8, 22), (12, 30)]
            .into_iter()
            .map(|(start, end)| slice(start, end - start))
            .collect();
        slices[..2].iter_mut().for_each(|step| step.category = Category::ProfileStep);
        let of = |steps_may_overlap| layout(&slices, Rules { steps_may_overlap, ..RULES }).expect("memory");
        assert_eq!(of(true).overlaps, [3]);
        assert_eq!(of(false).overlaps, [1, 2, 3]);
        assert_eq!(of(true).row, of(false).row, "all are drawn whole");
    }

    #[test]
    fn rounding_is_nesting() {
        let out = rows(&[(0, 10), (5, 11), (11, 12)], 1);
        assert_eq!(out.row, [0, 1, 0]);
        assert_eq!(out.overlaps, [1], "nested, and still noted");
        let beside = rows(&[(0, 10), (9, 20)], 1);
        assert_eq!(beside.row, [0, 0]);
        assert_eq!(beside.parent, [NO_PARENT, NO_PARENT]);
    }

    #[test]
    fn zero_lengths_do_not_pile_up() {
        let zeros = vec![(5, 5); 2000];
        assert_eq!(rows(&zeros, 0).rows, 1);
    }

    #[test]
    fn groups_never_nest_in_each_other() {
        let mut slices = vec![slice(0, 10), slice(1, 5)];
        slices[0].async_group = 1;
        slices[1].async_group = 2;
        let rules = Rules { has_groups: true, ..RULES };
        let out = layout(&slices, rules).expect("memory");
        assert_eq!((out.row, out.parent), (vec![0, 1], vec![NO_PARENT, NO_PARENT]));
    }

    proptest! {
        #[test]
        fn rows_never_overlap_and_parents_enclose(spans in proptest::collection::vec((0_i64..200, 0_i64..60), 0..120)) {
            let mut spans: Vec<_> = spans.into_iter().map(|(start, dur)| (start, start + dur)).collect();
            spans.sort_by_key(|&(start, end)| (start, Reverse(end)));
            let out = rows(&spans, 0);
            prop_assert_eq!(out.overlaps.is_empty(), out.rows == out.depth);
            for (i, &(start, end)) in spans.iter().enumerate() {
                for (j, &(other_start, other_end)) in spans.iter().enumerate().skip(i + 1) {
                    if out.row[i] == out.row[j] {
                        prop_assert!(other_start >= end || end == start || other_start == other_end, "{i} {j}");
                    }
                }
                // Before it in the order, with its start and end inside: the last such slice is the
                // innermost.
                let mut containers = (0..i).filter(|&j| start < spans[j].1 && end <= spans[j].1);
                let innermost = containers.next_back();
                prop_assert_eq!(out.parent[i], innermost.map_or(NO_PARENT, |j| j as u32));
                if let Some(parent) = innermost {
                    let (row, of_parent) = (out.row[i], out.row[parent]);
                    prop_assert!(row > of_parent && (row == of_parent + 1 || !out.overlaps.is_empty()), "{i} in {parent}");
                }
            }
        }
    }
}
