//! Which files of a directory are one trace, and which are traces of their own.
//!
//! Files whose times lie hours apart are unrelated, unless they are of one process (its cycles) or of several
//! ranks of one job, whose machines' clocks may differ. Must not know how files are read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use rustc_hash::FxHashSet;

use proftui_base::time::{Ns, Span};

/// Files may be unrelated if the time between them is longer than this, ns: an hour.
const APART: Ns = 3_600_000_000_000;
/// Files are unrelated only if the time between them is also longer than this many times the length of the
/// longest file.
const TIMES: Ns = 10;

/// The facts of a file that decide which trace it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Member {
    /// The time of the file's events, ns; on the wall clock where the file states one.
    pub span: Span,
    /// A name for the process that wrote the file, equal in all its files; `None` if not known for certain.
    pub process: Option<String>,
    /// The process's rank, and the number of ranks of its job if that is stated; `None` without a rank.
    pub rank: Option<(i64, Option<i64>)>,
}

/// Divides `members` into traces, the earliest first; each lists the indices of its members, ascending.
pub(super) fn divide(members: &[Member]) -> Vec<Vec<usize>> {
    let mut traces = by_time(members);
    join_processes(members, &mut traces);
    join_ranks(members, &mut traces);
    for trace in &mut traces {
        trace.sort_unstable();
    }
    traces
}

/// Divides members wherever the time between them is longer than [`APART`] and than [`TIMES`] times the
/// longest member.
fn by_time(members: &[Member]) -> Vec<Vec<usize>> {
    let longest = members.iter().map(|member| member.span.len()).max().unwrap_or_default();
    let least = longest.saturating_mul(TIMES).max(APART);
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|&at| (members[at].span.start, at));
    let mut traces: Vec<Vec<usize>> = Vec::new();
    let mut end = Ns::MIN;
    for at in order {
        let span = members[at].span;
        match traces.last_mut().filter(|_| span.start.saturating_sub(end) <= least) {
            Some(trace) => trace.push(at),
            None => traces.push(vec![at]),
        }
        end = end.max(span.end);
    }
    traces
}

/// Joins traces that have files of the same process, into the earliest of them.
fn join_processes(members: &[Member], traces: &mut Vec<Vec<usize>>) {
    // For each trace the one that it is joined to: itself, or an earlier one.
    let mut joined: Vec<usize> = (0..traces.len()).collect();
    let root = |joined: &[usize], mut at: usize| {
        while joined[at] != at {
            at = joined[at];
        }
        at
    };
    let mut traces_of: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, trace) in traces.iter().enumerate() {
        for process in trace.iter().filter_map(|&member| members[member].process.as_deref()) {
            let first = *traces_of.entry(process).or_insert(at);
            let (one, other) = (root(&joined, first), root(&joined, at));
            joined[one.max(other)] = one.min(other);
        }
    }
    for at in (0..traces.len()).rev() {
        if joined[at] != at {
            let other = std::mem::take(&mut traces[at]);
            traces[joined[at]].extend(other);
        }
    }
    traces.retain(|trace| !trace.is_empty());
}

/// A trace while traces are joined by rank; it has no members once it was joined to another.
struct Ranked {
    members: Vec<usize>,
    start: Ns,
    end: Ns,
    /// The ranks of the trace's members; `None` if a member has none.
    ranks: Option<FxHashSet<i64>>,
    /// The different numbers of ranks that the trace's members state for their job.
    sizes: BTreeSet<i64>,
    /// Index of the nearest earlier trace that was not joined to another; `None` for the first.
    before: Option<usize>,
    after: Option<usize>,
    /// How often the trace changed: a [`Pair`] with an older version counts no more.
    version: usize,
}

/// Two neighbouring traces: the time between them (ns), their indices, and the versions that they had when
/// the pair was made.
type Pair = Reverse<(Ns, usize, usize, usize, usize)>;

/// Joins neighbouring traces of different ranks of one job, the nearest first.
fn join_ranks(members: &[Member], traces: &mut Vec<Vec<usize>>) {
    let count = traces.len();
    let mut all: Vec<Ranked> = std::mem::take(traces)
        .into_iter()
        .enumerate()
        .map(|(at, trace)| {
            Ranked::new(members, trace, at.checked_sub(1), Some(at + 1).filter(|&at| at < count))
        })
        .collect();
    let mut pairs = BinaryHeap::new();
    let add = |pairs: &mut BinaryHeap<Pair>, all: &[Ranked], at: usize| {
        let Some(after) = all[at].after else { return };
        if all[at].is_one_job_with(&all[after]) {
            let gap = all[after].start.saturating_sub(all[at].end);
            pairs.push(Reverse((gap, at, after, all[at].version, all[after].version)));
        }
    };
    (0..count).for_each(|at| add(&mut pairs, &all, at));
    while let Some(Reverse((_, at, after, version, version_after))) = pairs.pop() {
        if all[at].version != version || all[after].version != version_after {
            continue;
        }
        all[after].version += 1;
        let other = std::mem::take(&mut all[after].members);
        let (other_ranks, other_sizes) = (all[after].ranks.take(), std::mem::take(&mut all[after].sizes));
        let (start, end, next) = (all[after].start, all[after].end, all[after].after);
        let joined = &mut all[at];
        joined.members.extend(other);
        joined.add_ranks(other_ranks);
        joined.sizes.extend(other_sizes);
        (joined.start, joined.end) = (joined.start.min(start), joined.end.max(end));
        joined.after = next;
        joined.version += 1;
        let before = joined.before;
        if let Some(next) = next {
            all[next].before = Some(at);
        }
        add(&mut pairs, &all, at);
        if let Some(before) = before {
            add(&mut pairs, &all, before);
        }
    }
    traces.extend(all.into_iter().map(|trace| trace.members).filter(|members| !members.is_empty()));
}

impl Ranked {
    fn new(members: &[Member], trace: Vec<usize>, before: Option<usize>, after: Option<usize>) -> Self {
        let spans = || trace.iter().map(|&at| members[at].span);
        Self {
            start: spans().map(|span| span.start).min().unwrap_or_default(),
            end: spans().map(|span| span.end).max().unwrap_or_default(),
            ranks: trace.iter().map(|&at| members[at].rank.map(|(rank, _)| rank)).collect(),
            sizes: trace.iter().filter_map(|&at| members[at].rank?.1).collect(),
            members: trace,
            before,
            after,
            version: 0,
        }
    }

    /// True if two traces can be of one job: all ranks are known, none is in both, and no two different sizes
    /// of the job are stated.
    fn is_one_job_with(&self, other: &Self) -> bool {
        let (Some(ranks), Some(others)) = (&self.ranks, &other.ranks) else { return false };
        let (few, many) = if ranks.len() < others.len() { (ranks, others) } else { (others, ranks) };
        self.sizes.union(&other.sizes).take(2).count() <= 1 && few.iter().all(|rank| !many.contains(rank))
    }

    /// Adds the ranks of another trace of the same job; the result is `None` if either is `None`.
    fn add_ranks(&mut self, others: Option<FxHashSet<i64>>) {
        self.ranks = self.ranks.take().zip(others).map(|(ranks, others)| {
            let (few, mut many) = if ranks.len() < others.len() { (ranks, others) } else { (others, ranks) };
            many.extend(few);
            many
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Ns = APART;
    const SECOND: Ns = HOUR / 3600;

    /// A file of one second that begins at `start`.
    fn file(start: Ns) -> Member {
        Member { span: Span::new(start, start + SECOND), ..Member::default() }
    }

    fn rank(start: Ns, rank: i64, size: i64) -> Member {
        Member { rank: Some((rank, Some(size))), ..file(start) }
    }

    fn of_process(start: Ns, process: &str) -> Member {
        Member { process: Some(process.into()), ..file(start) }
    }

    #[test]
    fn files_hours_apart_are_traces_of_their_own() {
        assert_eq!(divide(&[file(5 * HOUR), file(0), file(5 * HOUR + SECOND)]), [vec![1], vec![0, 2]]);
        assert_eq!(
            divide(&[file(0), file(HOUR / 2), file(HOUR)]),
            [vec![0, 1, 2]],
            "each is near the one before"
        );
        assert_eq!(divide(&[file(0), file(HOUR + SECOND)]).len(), 1, "not more than an hour");
        assert_eq!(divide(&[file(0), file(HOUR + SECOND + 1)]).len(), 2);
        let long = Member { span: Span::new(3 * HOUR, 4 * HOUR), ..Member::default() };
        assert_eq!(divide(&[file(0), long.clone()]).len(), 1, "not far, compared with its length");
        assert_eq!(divide(&[long, file(15 * HOUR)]).len(), 2);
        assert_eq!(divide(&[]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn cycles_of_one_process_stay_together() {
        let cycles = [of_process(0, "a"), of_process(5 * HOUR, "a"), of_process(9 * HOUR, "b")];
        assert_eq!(divide(&cycles), [vec![0, 1], vec![2]]);
        let chain = [
            of_process(0, "a"),
            of_process(5 * HOUR, "b"),
            of_process(9 * HOUR, "a"),
            of_process(9 * HOUR, "b"),
        ];
        assert_eq!(divide(&chain), [vec![0, 1, 2, 3]], "two processes, recorded twice at the end");
    }

    #[test]
    fn ranks_of_one_job_stay_together_whatever_their_clocks_say() {
        assert_eq!(divide(&[rank(0, 0, 2), rank(4 * HOUR, 1, 2)]), [vec![0, 1]]);
        let twice = [rank(0, 0, 2), rank(4 * HOUR, 1, 2), rank(50 * HOUR, 0, 2), rank(54 * HOUR, 1, 2)];
        assert_eq!(divide(&twice), [vec![0, 1], vec![2, 3]], "two runs");
        assert_eq!(divide(&[rank(0, 0, 2), rank(4 * HOUR, 0, 2)]).len(), 2, "one rank of two runs");
        assert_eq!(divide(&[rank(0, 3, 8), rank(4 * HOUR, 1, 2)]).len(), 2, "jobs of different sizes");
        assert_eq!(divide(&[rank(0, 0, 2), file(4 * HOUR)]).len(), 2, "one of them has no rank");
    }

    proptest::proptest! {
        /// Divides up to twelve files of random times, processes and ranks.
        #[test]
        fn every_file_is_in_one_trace_in_whatever_order_they_are_listed(
            files in proptest::collection::vec((0..40_i64, 1..3600_i64, 0..6_usize, 0..6_i64), 0..12)
        ) {
            let members: Vec<Member> = files.iter().map(|&(hour, seconds, process, rank)| Member {
                span: Span::new(hour * HOUR, hour * HOUR + seconds * SECOND / 12),
                process: (process < 3).then(|| process.to_string()),
                rank: (rank < 3).then_some((rank, None)),
            }).collect();
            let traces = divide(&members);
            let mut listed: Vec<usize> = traces.concat();
            listed.sort_unstable();
            proptest::prop_assert_eq!(listed, (0..members.len()).collect::<Vec<_>>());
            let trace_of = |at: usize| traces.iter().position(|trace| trace.contains(&at));
            for (one, other) in (0..members.len()).flat_map(|one| (0..one).map(move |other| (one, other))) {
                let are_near = (members[one].span.start - members[other].span.start).abs() <= HOUR;
                let are_same = members[one].process.is_some() && members[one].process == members[other].process;
                if are_near || are_same {
                    proptest::prop_assert_eq!(trace_of(one), trace_of(other));
                }
            }
            let backwards: Vec<Member> = members.iter().rev().cloned().collect();
            let mut mirrored: Vec<Vec<usize>> = divide(&backwards);
            for trace in &mut mirrored {
                trace.iter_mut().for_each(|at| *at = members.len() - 1 - *at);
                trace.sort_unstable();
            }
            mirrored.sort();
            let mut traces = traces;
            traces.sort();
            proptest::prop_assert_eq!(mirrored, traces);
        }
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        let ends =
            [Ns::MIN, Ns::MAX].map(|at| Member { span: Span { start: at, end: at }, ..Member::default() });
        assert_eq!(divide(&ends).len(), 2);
    }
}
