//! The longest waits of a part, in words: when each began, what made it, and from which line.
//!
//! Must not know the table.

use std::cmp::Reverse;

use crate::analysis::part::nesting::Repeats;
use crate::analysis::part::owner::NO_OPERATOR;
use crate::analysis::part::threads::Threads;
use crate::analysis::part::{Part, Piece};
use crate::analysis::vocabulary::waits::Waits;
use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_trace::model::{LaneId, SliceId};

use super::around::Around;
use crate::analysis::arguments::call_stacks::StackLines;

/// The most waiting calls that the note names.
const NAMED: usize = 3;

/// The sentence that names the longest waits of calls in the part; `None` if no call waits there.
pub(super) fn note(part: &Part<'_>, waits: &Waits, stacks: &StackLines) -> Option<String> {
    let trace = part.trace();
    let is_wait = |id: SliceId| waits.has(trace, id);
    let repeats = Repeats::of(part, |_, id| is_wait(id).then_some(()));
    let mut longest: Vec<Piece> = Vec::new();
    let is_repeat = |&lane: &LaneId| trace.lanes[lane].kind.repeats();
    for lane in part.lanes().iter().copied().filter(|lane| !is_repeat(lane)) {
        longest.extend(part.pieces(lane).filter(|piece| is_wait(piece.id) && !repeats.has(lane, piece.id)));
        longest.sort_by_key(|piece| (Reverse(piece.dur()), piece.id));
        longest.truncate(NAMED);
    }
    let threads = Threads::of(trace);
    let text = |piece: &Piece| {
        let id = piece.id;
        let mut around = Around::of(trace, threads, stacks, trace.lane_of(id));
        let named = |name: StrId| trace.string_or(name, "(unnamed)").to_string();
        let maker = around.maker(id).map_or_else(|| NO_OPERATOR.to_owned(), named);
        let line = around.line(id).map_or_else(String::new, |line| format!(", {}", line.text(trace, stacks)));
        let at = trace.slices.start[id].saturating_sub(trace.main_span.start);
        format!("{} {} at {} in {maker}{line}", trace.name(id), fmt::duration(piece.dur()), fmt::duration(at))
    };
    let texts: Vec<String> = longest.iter().map(text).collect();
    let what = if texts.len() == 1 { "The longest wait" } else { "The longest waits" };
    (!texts.is_empty()).then(|| format!("{what}: {}.", texts.join("; ")))
}
