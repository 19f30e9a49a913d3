//! The clocks of ranks, aligned by the ends of collectives that no rank leaves before all have come.
//!
//! A trace keeps the times that its files state; only what compares ranks adds the offsets. Must not know
//! findings.

use std::collections::VecDeque;
use std::fmt;

use rustc_hash::FxHashMap;

use proftui_base::fmt as show;
use proftui_base::time::Ns;
use proftui_trace::model::{Trace, WorkerId};

use super::arguments::collectives::{Collective, Collectives};
use super::thresholds::{CLOCK_SPREAD, SHARED_COLLECTIVES};

/// How often offsets and the common ends of collectives are computed from each other.
const ROUNDS: usize = 12;

/// The offset of each rank's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offsets {
    of_worker: FxHashMap<WorkerId, Ns>,
    /// How far ends of one collective lie from each other, ns: 1.4826 times the median distance from their
    /// common end, which is a standard deviation if they are normally distributed.
    pub spread: Ns,
}

/// Why the clocks cannot be aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unaligned {
    /// No collective has kernels on several ranks, as far as the arguments of events say.
    NoCollectives,
    /// A rank shares too few collectives with the others.
    Few,
    /// Some ranks share no collective with the others, directly or by others.
    Apart,
    /// The ends of collectives lie too far from each other, ns.
    Spread(Ns),
}

impl fmt::Display for Unaligned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCollectives => {
                out.write_str("no collective of several ranks is known by process group and number (Seq)")
            }
            Self::Few => {
                write!(out, "a rank shares fewer than {SHARED_COLLECTIVES} collectives with the others")
            }
            Self::Apart => out.write_str("some ranks share no collective with the others"),
            Self::Spread(spread) => write!(
                out,
                "the ends of collectives lie {} apart, more than {}",
                show::duration(*spread),
                show::duration(CLOCK_SPREAD)
            ),
        }
    }
}

impl Offsets {
    /// A time of a rank on the common clock, which is that of the first rank; the time itself for a rank
    /// without collectives.
    pub(crate) fn common(&self, worker: WorkerId, ts: Ns) -> Ns {
        ts.saturating_add(self.of_worker.get(&worker).copied().unwrap_or_default())
    }
}

/// Aligns the clocks of ranks by the ends of their collectives, as medians (the offset of a rank does not
/// change with time). The first of the ranks with collectives keeps its clock.
pub(crate) fn align(trace: &Trace, collectives: &Collectives) -> Result<Offsets, Unaligned> {
    let ends: Vec<Vec<(WorkerId, Ns)>> = collectives.all.iter().map(|one| ends(trace, one)).collect();
    let mut counts: FxHashMap<WorkerId, usize> = FxHashMap::default();
    ends.iter().flatten().for_each(|&(worker, _)| *counts.entry(worker).or_default() += 1);
    let first = counts.keys().min().copied().ok_or(Unaligned::NoCollectives)?;
    if counts.values().any(|&count| count < SHARED_COLLECTIVES) {
        return Err(Unaligned::Few);
    }
    let mut offsets = estimated(&ends, first);
    if offsets.len() < counts.len() {
        return Err(Unaligned::Apart);
    }
    let mut distances = Vec::new();
    for _ in 0..ROUNDS {
        let mut wanted: FxHashMap<WorkerId, Vec<Ns>> = FxHashMap::default();
        distances.clear();
        for members in &ends {
            let of = |&(worker, end): &(WorkerId, Ns)| end.saturating_add(offsets[&worker]);
            let common = median(members.iter().map(of).collect());
            for &(worker, end) in members {
                wanted.entry(worker).or_default().push(common.saturating_sub(end));
                distances.push(common.saturating_sub(end.saturating_add(offsets[&worker])).abs());
            }
        }
        offsets = wanted.into_iter().map(|(worker, all)| (worker, median(all))).collect();
    }
    let spread = median(distances).saturating_mul(14_826) / 10_000;
    if spread > CLOCK_SPREAD {
        return Err(Unaligned::Spread(spread));
    }
    let reference = offsets[&first];
    offsets.values_mut().for_each(|offset| *offset = offset.saturating_sub(reference));
    Ok(Offsets { of_worker: offsets, spread })
}

/// The end of a collective's kernel on each rank, ns.
fn ends(trace: &Trace, collective: &Collective) -> Vec<(WorkerId, Ns)> {
    collective.members.iter().map(|member| (member.worker, trace.slices.end(member.kernel))).collect()
}

/// First offsets: from rank to rank the median difference of the ends of collectives that both have, with the
/// fewest ranks between a rank and `first`. Lacks the ranks that share nothing with these.
fn estimated(ends: &[Vec<(WorkerId, Ns)>], first: WorkerId) -> FxHashMap<WorkerId, Ns> {
    let mut found: FxHashMap<WorkerId, Ns> = FxHashMap::from_iter([(first, 0)]);
    let mut queue = VecDeque::from([first]);
    while let Some(known) = queue.pop_front() {
        let mut differences: FxHashMap<WorkerId, Vec<Ns>> = FxHashMap::default();
        for members in ends {
            let Some(&(_, own)) = members.iter().find(|(worker, _)| *worker == known) else { continue };
            for &(worker, end) in members.iter().filter(|(worker, _)| !found.contains_key(worker)) {
                differences.entry(worker).or_default().push(own.saturating_sub(end));
            }
        }
        let mut next: Vec<(WorkerId, Ns)> =
            differences.into_iter().map(|(worker, all)| (worker, median(all))).collect();
        next.sort_unstable();
        for (worker, difference) in next {
            found.insert(worker, found[&known].saturating_add(difference));
            queue.push_back(worker);
        }
    }
    found
}

/// The median, of two middle values their mean; 0 without values.
fn median(mut values: Vec<Ns>) -> Ns {
    if values.is_empty() {
        return 0;
    }
    let is_even = values.len().is_multiple_of(2);
    let middle = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable(middle);
    let lower = below.iter().max().copied().filter(|_| is_even).unwrap_or(upper);
    lower.midpoint(upper)
}
