//! Sums of events by name, which the tables of kernels, copies and named ranges have in common.
//!
//! Must not know columns beyond those that every such table has.

use std::hash::Hash;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneId, SliceId};

use super::tally::{SPREAD, Tally};
use crate::analysis::part::Part;
use crate::analysis::part::nesting::Repeats;
use crate::analysis::table::{Column, ColumnKind, TableRow, Value};

/// Sums up, by name, the events of `part` in the categories for which `is_wanted` is true. Lanes that repeat
/// events of other lanes are left out.
pub(crate) fn tallies(
    part: &Part<'_>,
    is_wanted: impl Fn(Category) -> bool + Sync,
) -> FxHashMap<StrId, Tally> {
    tallies_by(part, is_wanted, |id| part.trace().slices.name[id])
}

/// Sums up, by `key`, the events of `part` in the categories for which `is_wanted` is true; events with equal
/// keys must have equal names. Lanes that repeat events of other lanes are left out.
pub(crate) fn tallies_by<K: Eq + Hash + Send>(
    part: &Part<'_>,
    is_wanted: impl Fn(Category) -> bool + Sync,
    key: impl Fn(SliceId) -> K + Sync,
) -> FxHashMap<K, Tally> {
    let wanted: Vec<bool> = (0..=u8::MAX).map(|number| is_wanted(Category::from_u8(number))).collect();
    let trace = part.trace();
    let slices = &trace.slices;
    let name = |id: SliceId| slices.name[id];
    let is_of_wanted = |id: SliceId| wanted[slices.category[id] as usize];
    let repeats = Repeats::of(part, |_, id| is_of_wanted(id).then(|| name(id)));
    let of_lane = |lane: LaneId| {
        let mut found: FxHashMap<K, Tally> = FxHashMap::default();
        if trace.lanes[lane].kind.repeats() {
            return found;
        }
        for piece in part.pieces(lane) {
            if is_of_wanted(piece.id) {
                let is_outer = !repeats.has(lane, piece.id);
                found.entry(key(piece.id)).or_default().add(piece, is_outer);
            }
        }
        found
    };
    part.par_lanes().map(of_lane).reduce(FxHashMap::default, |mut all: FxHashMap<K, Tally>, one| {
        for (key, tally) in one {
            all.entry(key).or_default().merge(tally);
        }
        all
    })
}

/// Index of the number of events in [`columns`].
pub(crate) const CALLS: usize = 1;
/// Index of the total time in [`columns`].
pub(crate) const TOTAL: usize = 2;
/// Index of the share in [`columns`].
pub(crate) const SHARE: usize = 3;

/// The columns of [`rows`]; `what` is the title of the name column, `of` the explanation of the share column.
pub(crate) fn columns(what: &'static str, of: &'static str) -> Vec<Column> {
    let first = [
        Column::new(
            "name",
            what,
            ColumnKind::Text,
            "What the events in this row have in common, such as their name",
        ),
        Column::new(
            "calls",
            "Calls",
            ColumnKind::Count,
            "Number of events in this row that begin in the summarized part",
        ),
        Column::new(
            "total",
            "Total",
            ColumnKind::Duration,
            "Summed time of the events within the summarized part; an event nested in one of the same name \
             is not added again",
        ),
        Column::new("share", "Share", ColumnKind::Ratio, of),
    ];
    first.into_iter().chain(SPREAD).collect()
}

/// Makes a row for each key, the largest total first. Shares are relative to `whole` (ns), or to the sum of
/// all totals if `whole` is `None`.
pub(crate) fn rows<'a, K: Copy>(
    tallies: FxHashMap<K, Tally>,
    whole: Option<Ns>,
    title: impl Fn(K) -> SafeText<'a>,
) -> Vec<(K, TableRow)> {
    let mut tallies: Vec<(K, Tally)> = tallies.into_iter().collect();
    tallies.sort_by(|(a, one), (b, other)| {
        let by_title = || title(*a).as_str().cmp(title(*b).as_str());
        other.total.cmp(&one.total).then_with(by_title)
    });
    let all = tallies.iter().fold(0, |sum: Ns, (_, tally)| sum.saturating_add(tally.total));
    let whole = whole.unwrap_or(all);
    let named = |(key, tally): (K, Tally)| (key, row(Value::Text(title(key).into_owned()), tally, whole));
    tallies.into_iter().map(named).collect()
}

/// Makes the row of one tally, with the cells of [`columns`] and `name` as the first; the share is relative
/// to `whole`, ns.
pub(crate) fn row(name: Value, mut tally: Tally, whole: Ns) -> TableRow {
    let first =
        [name, Value::Count(tally.count()), Value::Duration(tally.total), Value::share(tally.total, whole)];
    let longest = tally.longest();
    let cells = first.into_iter().chain(tally.spread()).collect();
    TableRow { cells, children: Vec::new(), longest }
}
