//! Sums over events of one kind: their number, time, and the distribution of their durations.
//!
//! Must not know how events are grouped into kinds.

use proftui_base::time::Ns;
use proftui_trace::model::SliceId;

use crate::analysis::part::Piece;
use crate::analysis::table::{Column, ColumnKind, Value};

/// The sums over the events of one kind, such as one name, in a part of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// The summed time within the part, ns, of the events that were added with `is_outer` true.
    pub total: Ns,
    /// Usually the whole length of each event that begins in the part, ns.
    durs: Vec<Ns>,
    /// The greatest length (ns) of an event that begins in the part, and its slice; `None` without such
    /// events.
    longest: Option<(Ns, SliceId)>,
    /// The longest time within the part (ns) of an event that began earlier, and its slice; `None` without
    /// such events.
    earlier: Option<(Ns, SliceId)>,
}

impl Tally {
    /// Adds what the part has of an event; `total` grows only if `is_outer` is true.
    pub(crate) fn add(&mut self, piece: Piece, is_outer: bool) {
        if is_outer {
            self.total = self.total.saturating_add(piece.dur());
        }
        if piece.begins {
            self.durs.push(piece.whole);
            self.longest = longer(self.longest, Some((piece.whole, piece.id)));
        } else {
            self.earlier = longer(self.earlier, Some((piece.dur(), piece.id)));
        }
    }

    /// Adds all events of another tally.
    pub(crate) fn merge(&mut self, other: Self) {
        self.total = self.total.saturating_add(other.total);
        self.durs.extend(other.durs);
        self.longest = longer(self.longest, other.longest);
        self.earlier = longer(self.earlier, other.earlier);
    }

    /// The number of events that begin in the part.
    pub(crate) fn count(&self) -> u64 {
        self.durs.len() as u64
    }

    /// The longest of the events that begin in the part; without such the one with the longest time in it.
    /// `None` without events.
    pub(crate) fn longest(&self) -> Option<SliceId> {
        self.longest.or(self.earlier).map(|(_, id)| id)
    }

    /// The cells of the columns [`SPREAD`], computed from the events that begin in the part; empty cells if
    /// none does.
    pub(crate) fn spread(&mut self) -> [Value; 5] {
        let sum: i128 = self.durs.iter().map(|&dur| i128::from(dur)).sum();
        let average = match self.durs.len() {
            0 => Value::Empty,
            count => Value::Duration(Ns::try_from(sum / count as i128).unwrap_or(Ns::MAX)),
        };
        let least = self.durs.iter().min().map_or(Value::Empty, |&dur| Value::Duration(dur));
        let most = self.longest.map_or(Value::Empty, |(dur, _)| Value::Duration(dur));
        [average, least, self.percentile(50), self.percentile(99), most]
    }

    /// A percentile, by nearest rank, of the lengths of the events that begin in the part; empty without such
    /// events.
    fn percentile(&mut self, percent: usize) -> Value {
        let count = self.durs.len();
        let Some(at) = (count * percent).div_ceil(100).checked_sub(1) else { return Value::Empty };
        Value::Duration(*self.durs.select_nth_unstable(at).1)
    }
}

/// The columns of [`Tally::spread`]: average, shortest, median, 99th percentile, longest.
pub(crate) const SPREAD: [Column; 5] = [
    Column::new(
        "average",
        "Average",
        ColumnKind::Duration,
        "Average length of the events that begin in the summarized part",
    ),
    Column::extra(
        "min",
        "Shortest",
        ColumnKind::Duration,
        "Length of the shortest event that begins in the summarized part",
    ),
    Column::extra(
        "p50",
        "p50",
        ColumnKind::Duration,
        "Median length of the events that begin in the summarized part; nearest rank",
    ),
    Column::extra(
        "p99",
        "p99",
        ColumnKind::Duration,
        "99th percentile of the lengths of the events that begin in the summarized part; nearest rank",
    ),
    Column::new(
        "max",
        "Longest",
        ColumnKind::Duration,
        "Length of the longest event that begins in the summarized part; in the explorer, Enter goes to this \
         event",
    ),
];

/// The longer of two events, given by duration (ns) and slice; of equally long ones that with the smaller id.
/// `None` stands for no event.
pub(crate) fn longer(one: Option<(Ns, SliceId)>, other: Option<(Ns, SliceId)>) -> Option<(Ns, SliceId)> {
    match (one, other) {
        (Some(one), Some(other)) if other.0 > one.0 || other.0 == one.0 && other.1 < one.1 => Some(other),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_base::time::Span;

    fn piece(id: u32, dur: Ns, begins: bool) -> Piece {
        Piece { id: SliceId::new(id), span: Span { start: 0, end: dur }, begins, whole: dur }
    }

    #[test]
    fn spread_is_by_nearest_rank() {
        let mut tally = Tally::default();
        (1..=100).for_each(|dur| tally.add(piece(dur as u32, dur, true), true));
        let want = [50, 1, 50, 99, 100].map(Value::Duration);
        assert_eq!(tally.spread(), want);
        assert_eq!((tally.total, tally.longest()), (5050, Some(SliceId::new(100))));
        assert_eq!(Tally::default().spread(), [const { Value::Empty }; 5]);
    }

    #[test]
    fn of_equally_long_ones_the_first_is_the_longest() {
        let mut tally = Tally::default();
        [7, 3, 9].into_iter().for_each(|id| tally.add(piece(id, 5, true), true));
        assert_eq!(tally.longest(), Some(SliceId::new(3)));
    }

    #[test]
    fn an_event_from_before_adds_time_and_no_call() {
        let mut tally = Tally::default();
        tally.add(piece(7, 5, false), true);
        assert_eq!((tally.total, tally.count(), tally.longest()), (5, 0, Some(SliceId::new(7))));
        assert_eq!(tally.spread(), [const { Value::Empty }; 5]);
        tally.add(piece(8, 2, true), true);
        assert_eq!((tally.total, tally.count(), tally.longest()), (7, 1, Some(SliceId::new(8))));
    }
}
