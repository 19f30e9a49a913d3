//! Which call launched which work: by their correlation numbers, one to many.
//!
//! A call of the driver within one of the runtime has the same number: the outer one is the launch.

use std::ops::Range;

use super::device::Call;
use super::{Recording, Thread};

/// Most calls around a call that are looked at: a call of the runtime has one or two of the driver in it, and they none.
const DEEPEST: usize = 8;

/// Calls and their work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// Places of work in the recording, in order of correlation number and start.
    work: Vec<u32>,
    /// For each thread and call the stretch of `work` that it launched.
    calls: Vec<Vec<(u32, u32)>>,
    /// Places of work that no call of the recording launched.
    pub orphans: Vec<u32>,
}

/// What joining showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pieces of work.
    pub work: u64,
    /// Calls.
    pub calls: u64,
    /// Calls that are made to launch something, and nothing came of it in the recording: captured into a graph, or outside of it.
    pub idle_launches: u64,
    /// Work without the call that launched it.
    pub orphans: u64,
    /// Launches of graphs that have work.
    pub graph_launches: u64,
    /// Their work.
    pub graph_work: u64,
}

impl Joined {
    /// Joins them.
    pub fn of(recording: &Recording) -> Self {
        let all = &recording.devices.work;
        let correlation = |at: u32| all[at as usize].correlation;
        let mut work: Vec<u32> = (0..all.len() as u32).collect();
        work.sort_unstable_by_key(|&at| (correlation(at), all[at as usize].start, at));
        let mut by_number: Vec<(u32, u64, u32, u32)> = Vec::new();
        for (number, thread) in (0..).zip(&recording.threads) {
            let tied = (0..).zip(&thread.calls).filter(|(_, call)| call.correlation != 0);
            by_number.extend(tied.map(|(at, call)| (call.correlation, call.start, number, at)));
        }
        by_number.sort_unstable();
        by_number.dedup_by_key(|call| call.0);
        let mut calls: Vec<Vec<(u32, u32)>> =
            recording.threads.iter().map(|thread| vec![(0, 0); thread.calls.len()]).collect();
        let (mut orphans, mut launches) = (Vec::new(), by_number.into_iter().peekable());
        let mut from = 0;
        for same in work.chunk_by(|&a, &b| correlation(a) == correlation(b)) {
            let number = correlation(same[0]);
            while launches.next_if(|launch| launch.0 < number).is_some() {}
            let to = from + same.len() as u32;
            match launches.peek() {
                Some(&(found, _, thread, call)) if found == number => {
                    calls[thread as usize][call as usize] = (from, to);
                }
                _ => orphans.extend(same),
            }
            from = to;
        }
        orphans.sort_unstable();
        Self { work, calls, orphans }
    }

    /// The work that a call of a thread launched, by places.
    pub fn work_of(&self, thread: usize, call: usize) -> &[u32] {
        let Some(&(from, to)) = self.calls.get(thread).and_then(|calls| calls.get(call)) else { return &[] };
        &self.work[Range { start: from as usize, end: to as usize }]
    }

    /// What it showed.
    pub fn counts(&self, recording: &Recording) -> Counts {
        let kinds: Vec<Kind> = recording.names.iter().map(|name| Kind::of(name)).collect();
        let mut counts = Counts {
            work: recording.devices.work.len() as u64,
            orphans: self.orphans.len() as u64,
            ..Counts::default()
        };
        for (number, thread) in recording.threads.iter().enumerate() {
            counts.calls += thread.calls.len() as u64;
            for at in outermost(thread) {
                let work = self.work_of(number, at).len() as u64;
                let kind = kinds.get(thread.calls[at].name as usize).copied().unwrap_or(Kind::Other);
                counts.idle_launches += u64::from(kind != Kind::Other && work == 0);
                if kind == Kind::Graph && work > 0 {
                    counts.graph_launches += 1;
                    counts.graph_work += work;
                }
            }
        }
        counts
    }
}

/// The calls of a thread that are not within another one of the same number.
fn outermost(thread: &Thread) -> impl Iterator<Item = usize> {
    let mut around: Vec<(u64, u32)> = Vec::new();
    (0..thread.calls.len()).filter(move |&at| {
        let Call { start, end, correlation, .. } = thread.calls[at];
        while around.last().is_some_and(|outer| outer.0 <= start) {
            around.pop();
        }
        let is_same = |outer: &(u64, u32)| outer.1 == correlation && correlation != 0 && end <= outer.0;
        let is_outermost = !around.iter().rev().take(DEEPEST).any(is_same);
        around.push((end, correlation));
        is_outermost
    })
}

/// What a call is made for, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It launches a graph.
    Graph,
    /// It launches a kernel, a copy or a fill.
    Work,
    /// Anything else.
    Other,
}

impl Kind {
    fn of(name: &[u8]) -> Self {
        let Some(name) = name.strip_prefix(b"cuda").or_else(|| name.strip_prefix(b"cu")) else {
            return Self::Other;
        };
        let is = |word: &[u8]| name.starts_with(word);
        match name {
            _ if is(b"GraphLaunch") => Self::Graph,
            // It runs on the host.
            _ if is(b"LaunchHostFunc") => Self::Other,
            _ if is(b"Launch") || is(b"Memcpy") || is(b"Memset") => Self::Work,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests;
