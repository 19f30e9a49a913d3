//! The partners of a launch's device work among the nodes of a captured graph: in the same order, in all
//! longest alignments, or the same one of a name on its stream.
//!
//! Must not know what is taken from a partner, nor how a capture was chosen.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::align::{self, Agreement};
use super::key::{Key, UNKNOWN};
use super::replays::Sequence;

/// The percentage of the longer sequence that must agree at least for a launch to be a replay of a capture,
/// where all keys are known.
const LEAST_AGREEMENT: usize = 95;

/// The most possible partners in an alignment that are kept of a piece of work; of more, none is kept.
const MOST_PARTNERS: usize = 1_000;

/// How the work of a launch and the nodes of a capture agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The launch, on one stream, has exactly the keys of the capture, all known, in the same order.
    Equal,
    /// The launch, on one stream, agrees in order with most of the capture: how many pairs agree, and the
    /// length of the longer sequence.
    Aligned(Agreement, usize),
    /// The launch, usually on several streams, has most keys of the capture in any order: how many keys occur
    /// in both, and the length of the longer sequence.
    Counted(usize, usize),
    /// Some keys of the capture are [`UNKNOWN`]; the launch, on one stream, has as many keys, and agrees with
    /// all known ones.
    InOrder,
    /// The launch cannot be taken for a replay of the capture.
    None,
}

impl Fit {
    /// Compares the work of a launch with a capture whose nodes have the keys `capture`.
    pub(super) fn of(sequence: &Sequence, capture: &[Key]) -> Self {
        let (replay, longer) = (&sequence.keys, sequence.keys.len().max(capture.len()));
        let is_one_stream = sequence.streams.is_empty();
        if capture.contains(&UNKNOWN) {
            let agrees = |(one, other): (&Key, &Key)| *other == UNKNOWN || one == other;
            let is_like = replay.len() == capture.len() && replay.iter().zip(capture).all(agrees);
            return if is_one_stream && is_like { Self::InOrder } else { Self::None };
        }
        if is_one_stream && replay == capture {
            return Self::Equal;
        }
        let least = (longer * LEAST_AGREEMENT).div_ceil(100);
        let common = common(replay, capture);
        if common < least {
            return Self::None;
        }
        if !is_one_stream || (common == longer && replay.len() == capture.len()) {
            return Self::Counted(common, longer);
        }
        let most = replay.len() + capture.len() - 2 * least;
        align::agreement(replay, capture, most)
            .map_or(Self::None, |agreement| Self::Aligned(agreement, longer))
    }

    /// The share of the longer sequence that agrees, as a numerator and a denominator; `None` for
    /// [`InOrder`](Self::InOrder) and [`None`](Self::None).
    pub(super) fn share(self) -> Option<(usize, usize)> {
        match self {
            Self::Equal => Some((1, 1)),
            Self::Aligned(Agreement { pairs }, longer) => Some((pairs, longer)),
            Self::Counted(common, longer) => Some((common, longer)),
            Self::InOrder | Self::None => None,
        }
    }
}

/// How many keys two sequences have in common as multisets: order does not count, repetition does.
fn common(one: &[Key], other: &[Key]) -> usize {
    let mut counts: FxHashMap<Key, usize> = FxHashMap::default();
    one.iter().for_each(|&key| *counts.entry(key).or_default() += 1);
    let mut common = 0;
    for key in other {
        if let Some(left) = counts.get_mut(key).filter(|left| **left > 0) {
            *left -= 1;
            common += 1;
        }
    }
    common
}

/// The node of a capture that a piece of device work stands for, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Partner {
    /// The node with this index in the capture.
    Certain(usize),
    /// One of the nodes with these indices, or none; empty if the longest alignments pair the work with
    /// more than [`MOST_PARTNERS`] nodes.
    Possible(Arc<[usize]>),
    /// No node of the capture.
    #[default]
    None,
}

/// How the device work of a launch and the nodes of a capture are paired.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// The partner of each piece of work, in order of time.
    pub partners: Vec<Partner>,
    /// How many nodes of the capture have no work in the launch; 0 with [`Fit::None`].
    pub left_over: usize,
    /// The indices, ascending, of the pieces of work directly after which nodes of the capture certainly have
    /// no work. Empty except with [`Fit::Aligned`].
    pub lost_after: Vec<usize>,
}

impl Pairs {
    /// Pairs a launch with a capture whose nodes have the keys `capture`; `fit` states how both agree. With
    /// [`Fit::None`] there are no partners.
    pub(super) fn of(sequence: &Sequence, capture: &[Key], fit: Fit) -> Self {
        match fit {
            Fit::Equal | Fit::InOrder => {
                let partners = (0..sequence.keys.len()).map(Partner::Certain).collect();
                Self { partners, ..Self::default() }
            }
            Fit::Aligned(agreement, _) => Self::aligned(&sequence.keys, capture, agreement),
            Fit::Counted(common, _) => {
                let partners = by_name(sequence, capture);
                Self { partners, left_over: capture.len() - common, lost_after: Vec::new() }
            }
            Fit::None => Self::default(),
        }
    }

    fn aligned(replay: &[Key], capture: &[Key], agreement: Agreement) -> Self {
        let mut partners = vec![Partner::None; replay.len()];
        align::partners(replay, capture, agreement, |found| {
            partners[found.at] = match found.possible {
                [] => Partner::None,
                &[only] if found.is_certain => Partner::Certain(only),
                several if several.len() > MOST_PARTNERS => Partner::Possible(Arc::default()),
                several => Partner::Possible(several.into()),
            };
        });
        let next = |at: usize| match partners.get(at) {
            Some(Partner::Certain(node)) => Some(*node),
            Some(_) => None,
            None => Some(capture.len()),
        };
        let is_lost = |(at, partner): (usize, &Partner)| match partner {
            Partner::Certain(node) => next(at + 1).is_some_and(|next| next > node + 1).then_some(at),
            _ => None,
        };
        let lost_after = partners.iter().enumerate().filter_map(is_lost).collect();
        Self { left_over: capture.len() - agreement.pairs, lost_after, partners }
    }
}

/// For each key, the indices at which `keys` has it, ascending.
fn indices(keys: &[Key]) -> FxHashMap<Key, Vec<usize>> {
    let mut found: FxHashMap<Key, Vec<usize>> = FxHashMap::default();
    keys.iter().enumerate().for_each(|(at, &key)| found.entry(key).or_default().push(at));
    found
}

/// Pairs each piece of work with the nodes of its key: with one where that is certain, else with all.
fn by_name(sequence: &Sequence, capture: &[Key]) -> Vec<Partner> {
    let nodes = indices(capture);
    let mut partners = vec![Partner::None; sequence.keys.len()];
    for (key, work) in indices(&sequence.keys) {
        let Some(nodes) = nodes.get(&key) else { continue };
        let all: Arc<[usize]> = nodes.as_slice().into();
        let stream = |at: &usize| sequence.streams.get(*at);
        let is_on_one = work.iter().all(|at| stream(at) == stream(&work[0]));
        for (nth, &at) in work.iter().enumerate() {
            partners[at] = if is_on_one && nodes.len() == work.len() {
                Partner::Certain(nodes[nth])
            } else {
                Partner::Possible(Arc::clone(&all))
            };
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_one(keys: &[Key]) -> Sequence {
        Sequence { keys: keys.to_vec(), streams: Vec::new(), names: Vec::new() }
    }

    fn possible(nodes: &[usize]) -> Partner {
        Partner::Possible(nodes.into())
    }

    fn pairs(sequence: &Sequence, capture: &[Key]) -> Pairs {
        Pairs::of(sequence, capture, Fit::of(sequence, capture))
    }

    #[test]
    fn less_than_95_percent_of_the_longer_sequence_is_refused() {
        let capture: Vec<Key> = (1..=100).collect();
        assert_eq!(Fit::of(&on_one(&capture), &capture), Fit::Equal);
        assert!(matches!(Fit::of(&on_one(&capture[..95]), &capture), Fit::Aligned(_, 100)));
        assert_eq!(Fit::of(&on_one(&capture[..94]), &capture), Fit::None);
        let longer: Vec<Key> = (1..=106).collect();
        assert_eq!(Fit::of(&on_one(&longer), &capture), Fit::None, "more work than the capture");
        let reversed: Vec<Key> = (1..=90).chain([96, 95, 94, 93, 92, 91, 97, 98, 99]).collect();
        assert_eq!(Fit::of(&on_one(&reversed), &capture), Fit::None, "the order counts");
        assert_eq!(Fit::of(&on_one(&[]), &capture), Fit::None);
    }

    #[test]
    fn work_after_which_records_are_lost_is_known() {
        let capture: Vec<Key> = (1..=60).collect();
        let replay: Vec<Key> = (1..=58).filter(|key| *key != 7).collect();
        let found = pairs(&on_one(&replay), &capture);
        assert_eq!((found.lost_after, found.left_over), (vec![5, 56], 3));
        assert_eq!(found.partners[6], Partner::Certain(7));
        // Of two equal neighbours it is not known which is missing, so not after which work either.
        let twice: Vec<Key> = (1..=30).chain([30]).chain(31..=60).collect();
        let once: Vec<Key> = (1..=60).collect();
        let found = pairs(&on_one(&once), &twice);
        assert_eq!((found.lost_after, found.left_over), (vec![], 1));
        assert_eq!(found.partners[29], possible(&[29, 30]));
    }

    #[test]
    fn on_several_streams_the_same_one_of_a_name_is_the_partner() {
        let capture = [1, 2, 3, 2, 1, 4];
        let sequence =
            Sequence { keys: vec![2, 1, 3, 2, 1, 4], streams: vec![1, 0, 0, 1, 0, 1], names: Vec::new() };
        let certain: Vec<Partner> = [1, 0, 2, 3, 4, 5].map(Partner::Certain).to_vec();
        assert_eq!(pairs(&sequence, &capture).partners, certain);
        let crossed = Sequence { streams: vec![1, 0, 0, 0, 0, 1], ..sequence };
        let found = pairs(&crossed, &capture).partners;
        assert_eq!(found[0], possible(&[1, 3]), "a name on both streams");
        assert_eq!(found[1], Partner::Certain(0));
    }

    #[test]
    fn on_several_streams_names_that_lost_work_have_no_certain_partner() {
        let capture: Vec<Key> = (0..40).map(|at| 1 + at % 20).collect();
        let streams: Vec<u32> = (0..39).map(|at| at % 2).collect();
        let sequence = Sequence { keys: capture[..39].to_vec(), streams, names: Vec::new() };
        let found = pairs(&sequence, &capture);
        assert_eq!(found.partners[19], possible(&[19, 39]));
        assert_eq!(found.left_over, 1);
        assert!(found.partners.iter().filter(|partner| matches!(partner, Partner::Certain(_))).count() == 38);
    }

    #[test]
    fn a_capture_without_names_needs_the_same_number_and_one_stream() {
        let capture = [UNKNOWN, 5, UNKNOWN];
        assert_eq!(Fit::of(&on_one(&[8, 5, 9]), &capture), Fit::InOrder);
        assert_eq!(Fit::of(&on_one(&[8, 6, 9]), &capture), Fit::None, "another known key");
        assert_eq!(Fit::of(&on_one(&[8, 5]), &capture), Fit::None);
        let streams = Sequence { streams: vec![0, 1, 0], ..on_one(&[8, 5, 9]) };
        assert_eq!(Fit::of(&streams, &capture), Fit::None);
    }
}
