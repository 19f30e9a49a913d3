//! The repeating pattern of launches of a trace without steps: launches that recur in the same order, and
//! from when to when they do.
//!
//! A pattern may be a step of a program, or a part of a step that recurs: it is offered, and becomes steps
//! only where the user asks for it. Among patterns within each other the outermost counts, whose launches
//! recur least often. Must not know what launches are called.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};

use super::{LaneId, LaneKind, SliceId, Step, Trace, WorkerId};

/// The fewest repetitions that a pattern must have.
const REPETITIONS: usize = 3;
/// The least share of the thread's launches that must be in repetitions, in percent.
const LEAST_SHARE: usize = 80;
/// The least number of pieces of device work that a repetition must have.
const WORK: usize = 4;
/// How many times as long as its usual pause the longest pause of a pattern of several launches has to be.
const STANDS_OUT: Ns = 10;
/// The median pause counts as at least this long, ns.
const SHORTEST_PAUSE: Ns = 1_000;
/// The most patterns whose repetitions are counted over the whole thread.
const TRIES: usize = 16;

/// The repeating launches of a worker, all on one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeating {
    /// The worker, an index into `Meta::workers`.
    pub worker: WorkerId,
    /// The lane of the thread whose launches repeat.
    pub lane: LaneId,
    /// The number of launches in each repetition.
    pub launches: usize,
    /// The number of all launches of the thread that have device work in the trace, repeating or not.
    pub of: usize,
    /// The first launch and the time of each repetition, in order of time.
    pub repetitions: Vec<(SliceId, Span)>,
}

impl Repeating {
    /// A text for people, such as
    /// `12 repetitions of 345 launches on main 4242 (98 % of its launches with work)`.
    pub fn title(&self, trace: &Trace) -> String {
        let Self { worker, lane, launches, of, repetitions } = self;
        let count = repetitions.len();
        let share = (count * launches * 100).checked_div(*of).unwrap_or_default();
        let plural = if *launches == 1 { "" } else { "es" };
        let worker = match trace.meta.workers.as_slice() {
            [] | [_] => String::new(),
            _ => format!("{} · ", trace.meta.workers[*worker]),
        };
        let (launches, thread) = (fmt::count(*launches as u64), trace.lane_title(&trace.lanes[*lane]));
        format!(
            "{count} repetitions of {launches} launch{plural} on {worker}{thread} ({share} % of its launches \
             with work)"
        )
    }
}

/// The clearly repeating launches of each worker without steps, on the thread that launches the most device
/// work. Ordered by worker.
pub fn repeating(trace: &Trace) -> Vec<Repeating> {
    let mut busiest: FxHashMap<WorkerId, (usize, LaneId)> = FxHashMap::default();
    for (lane, of_trace) in trace.lanes.iter_with_ids().filter(|(_, lane)| lane.kind == LaneKind::Thread) {
        let worker = trace.groups[of_trace.group].worker;
        let launches = trace.links.within(of_trace.slices).len();
        let most = busiest.entry(worker).or_insert((launches, lane));
        if launches > most.0 {
            *most = (launches, lane);
        }
    }
    for step in &trace.steps {
        busiest.remove(&step.worker);
    }
    let mut found: Vec<Repeating> =
        busiest.into_iter().filter_map(|(worker, (_, lane))| of_lane(trace, worker, lane)).collect();
    found.sort_by_key(|repeating| repeating.worker);
    found
}

/// One step for each repetition, numbered from 0 in each worker, in order of time.
pub fn steps(repeating: &[Repeating]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for Repeating { worker, repetitions, .. } in repeating {
        let of_worker = (0..).zip(repetitions);
        steps.extend(of_worker.map(|(number, &(slice, span))| Step {
            number,
            worker: *worker,
            slice,
            span,
            serving: None,
        }));
    }
    steps.sort_by_key(|step| (step.span.start, step.slice));
    steps
}

/// A launch that has device work in the trace.
struct Launch {
    id: SliceId,
    span: Span,
    /// A hash of the names of the call and of its device work, whatever the order of the work.
    names: u64,
    /// The number of pieces of device work that the call started.
    work: usize,
}

/// The launches of a lane that have device work in the trace, in order of time.
fn launches(trace: &Trace, lane: LaneId) -> Vec<Launch> {
    let names = &trace.slices.name;
    let mut launches: Vec<Launch> = Vec::new();
    for &(id, work) in trace.links.within(trace.lanes[lane].slices) {
        // The pieces of a graph may come in any order.
        let name = hash(names[work]);
        if let Some(last) = launches.last_mut().filter(|last| last.id == id) {
            (last.names, last.work) = (last.names.wrapping_add(name), last.work + 1);
        } else {
            let names = hash(names[id]).wrapping_add(name);
            launches.push(Launch { id, span: trace.slices.span(id), names, work: 1 });
        }
    }
    launches.sort_by_key(|launch| (launch.span.start, launch.id));
    launches
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

fn of_lane(trace: &Trace, worker: WorkerId, lane: LaneId) -> Option<Repeating> {
    let launches = launches(trace, lane);
    let sums = Sums::of(&launches);
    let (first, length) = pattern(&launches, &sums)?;
    let shift = longest_pause(&launches, &sums, first, length)?;
    let starts = [first + shift, first]
        .into_iter()
        .map(|first| sums.occurrences(first, length))
        .find(|starts| is_clear(starts.len(), length, launches.len()))?;
    let work: usize = launches[starts[0]..starts[0] + length].iter().map(|launch| launch.work).sum();
    if work < WORK {
        return None;
    }
    let repetition = |at: usize| {
        let (start, next) = (starts[at], starts[at] + length);
        let end = match launches.get(next) {
            Some(launch) if starts.get(at + 1) == Some(&next) => launch.span.start,
            _ => launches[next - 1].span.end,
        };
        (launches[start].id, Span { start: launches[start].span.start, end })
    };
    let repetitions = (0..starts.len()).map(repetition).collect();
    Some(Repeating { worker, lane, launches: length, of: launches.len(), repetitions })
}

/// True if at least [`REPETITIONS`] repetitions have at least [`LEAST_SHARE`] percent of the thread's
/// launches.
fn is_clear(repetitions: usize, length: usize, all: usize) -> bool {
    repetitions >= REPETITIONS && repetitions * length * 100 >= all * LEAST_SHARE
}

/// The outermost clear pattern, as the index of its first launch and its length in launches; `None` if none
/// is found.
fn pattern(launches: &[Launch], sums: &Sums) -> Option<(usize, usize)> {
    let mut of_names: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (at, launch) in launches.iter().enumerate() {
        of_names.entry(launch.names).or_default().push(at);
    }
    let mut recurring: Vec<Vec<usize>> =
        of_names.into_values().filter(|found| found.len() >= REPETITIONS).collect();
    recurring.sort_by_key(|found| (found.len(), found[0]));
    let mut tries = TRIES;
    recurring.iter().find_map(|found| {
        // The launches from one of them to before the next, as their number and sum: how often they occur,
        // and the index of the first of them where they occur first.
        let mut between: FxHashMap<(usize, u64), (usize, usize)> = FxHashMap::default();
        for pair in found.windows(2) {
            let length = pair[1] - pair[0];
            between.entry((length, sums.sum(pair[0], length))).or_insert((0, pair[0])).0 += 1;
        }
        let most = between.into_iter().max_by_key(|(_, (count, first))| (*count, std::cmp::Reverse(*first)));
        let ((length, _), (count, first)) = most?;
        if tries == 0 || !is_clear(count + 1, length, launches.len()) {
            return None;
        }
        tries -= 1;
        is_clear(sums.occurrences(first, length).len(), length, launches.len()).then_some((first, length))
    })
}

/// By how many launches a pattern has to be moved to begin behind its longest pause; `None` if the pattern is
/// refused for want of a long pause.
fn longest_pause(launches: &[Launch], sums: &Sums, first: usize, length: usize) -> Option<usize> {
    let starts = sums.occurrences(first, length);
    let pause = |shift: usize| {
        let before = starts.iter().map(|start| start + shift).filter(|&at| at > 0);
        let pause = |at: usize| launches[at].span.start.saturating_sub(launches[at - 1].span.end);
        middle(&mut before.map(pause).collect::<Vec<Ns>>())
    };
    let pauses: Vec<Ns> = (0..length).map(pause).collect();
    let longest = (0..length).max_by_key(|&shift| (pauses[shift], std::cmp::Reverse(shift)))?;
    let usual = middle(&mut pauses.clone()).max(SHORTEST_PAUSE);
    (length == 1 || pauses[longest] >= usual.saturating_mul(STANDS_OUT)).then_some(longest)
}

/// The lower median of `times`; 0 if empty. Reorders `times`.
fn middle(times: &mut [Ns]) -> Ns {
    match times.len() {
        0 => 0,
        count => *times.select_nth_unstable((count - 1) / 2).1,
    }
}

/// Hashes with which sequences of launches are compared in constant time.
struct Sums {
    /// The hash of the names of the first `i` launches, for each `i` up to their number.
    before: Vec<u64>,
    powers: Vec<u64>,
}

impl Sums {
    fn of(launches: &[Launch]) -> Self {
        /// The base of the powers: 2^64 divided by the golden ratio, as an odd integer.
        const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
        let (mut before, mut powers) = (vec![0_u64], vec![1_u64]);
        let (mut sum, mut power) = (0_u64, 1_u64);
        for launch in launches {
            sum = sum.wrapping_mul(BASE).wrapping_add(hash(launch.names));
            power = power.wrapping_mul(BASE);
            before.push(sum);
            powers.push(power);
        }
        Self { before, powers }
    }

    /// A hash of the names of `length` launches from index `start` on; equal for equal sequences.
    fn sum(&self, start: usize, length: usize) -> u64 {
        self.before[start + length].wrapping_sub(self.before[start].wrapping_mul(self.powers[length]))
    }

    /// The indices, ascending and without overlaps, at which the sequence of `length` launches from index
    /// `first` on occurs.
    fn occurrences(&self, first: usize, length: usize) -> Vec<usize> {
        let count = self.before.len() - 1;
        let mut found = Vec::new();
        if length == 0 || first + length > count {
            return found;
        }
        let (wanted, mut at) = (self.sum(first, length), 0);
        while at + length <= count {
            if self.sum(at, length) == wanted {
                found.push(at);
                at += length;
            } else {
                at += 1;
            }
        }
        found
    }
}
