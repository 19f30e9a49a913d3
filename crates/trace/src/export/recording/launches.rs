//! Matches device work with the call that launched it, by correlation number: one call to many pieces of
//! device work.
//!
//! A driver call inside a runtime call has the same number: the outer one is taken as the launch.

use std::ops::Range;

use super::content::{Recording, Thread};
use super::device::{Call, DeviceWork};
use proftui_base::saturate::saturate;

/// How many calls around a call are searched for one with the same correlation number, the innermost first.
// Enough: a runtime call contains one or two driver calls, which contain no calls.
const MOST_ENCLOSING: usize = 8;

/// Which device work each CUDA call of a recording launched, matched by correlation number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launches {
    /// Indices of all device work of the recording, sorted by correlation number, then start.
    work: Vec<u32>,
    /// By thread and call, the half-open range in `work` of the device work that the call launched; empty if
    /// none.
    calls: Vec<Vec<(u32, u32)>>,
    /// Indices of the device work that no call matches, in ascending order.
    pub orphans: Vec<u32>,
}

/// Counts of CUDA calls and pieces of device work, with and without a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of pieces of device work in the recording.
    pub work: u64,
    /// Number of CUDA calls in the recording.
    pub calls: u64,
    /// Number of outermost calls whose names say that they launch device work, but that have none in the
    /// recording.
    pub idle_launches: u64,
    /// Number of pieces of device work that the host launched, but whose launching call is not in the
    /// recording.
    pub orphans: u64,
    /// Number of pieces of device work that a kernel or a graph launched on the device.
    pub launched_there: u64,
    /// Number of calls that launched a CUDA graph and have device work in the recording.
    pub graph_launches: u64,
    /// Number of pieces of device work that the calls counted in `graph_launches` have.
    pub graph_work: u64,
}

impl Launches {
    /// Matches device work with the calls of the same correlation number; of several such calls the earliest
    /// is taken. Work without a call becomes an orphan.
    pub fn of(recording: &Recording) -> Self {
        let all = &recording.devices.work;
        let correlation = |at: u32| all[at as usize].correlation;
        let mut work: Vec<u32> = (0..saturate::<u32>(all.len())).collect();
        work.sort_unstable_by_key(|&at| (correlation(at), all[at as usize].start, at));
        let mut by_number: Vec<(u32, u64, u32, u32)> = Vec::new();
        for (number, thread) in (0..).zip(&recording.threads) {
            let numbered = (0..).zip(&thread.calls).filter(|(_, call)| call.correlation != 0);
            by_number.extend(numbered.map(|(at, call)| (call.correlation, call.start, number, at)));
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
            let to = from + saturate::<u32>(same.len());
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

    /// Indices of the device work that was matched with a call, by start. `thread` and `call` are indices
    /// into the recording's threads and the thread's calls.
    pub fn work_of(&self, thread: usize, call: usize) -> &[u32] {
        let Some(&(from, to)) = self.calls.get(thread).and_then(|calls| calls.get(call)) else { return &[] };
        &self.work[Range { start: from as usize, end: to as usize }]
    }

    /// Counts calls and device work, matched and not. `recording` must be the one that was given to
    /// [`Launches::of`].
    pub fn counts(&self, recording: &Recording) -> Counts {
        let kinds: Vec<Kind> = recording.names.iter().map(|name| Kind::of(name)).collect();
        let devices = &recording.devices;
        let is_there = |work: &&DeviceWork| devices.is_launched_there(work);
        let orphans = self.orphans.iter().filter_map(|&at| devices.work.get(at as usize));
        let mut counts = Counts {
            work: devices.work.len() as u64,
            orphans: orphans.filter(|work| !is_there(work)).count() as u64,
            launched_there: devices.work.iter().filter(is_there).count() as u64,
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

/// Indices of a thread's calls except those found inside another call of the same correlation number.
fn outermost(thread: &Thread) -> impl Iterator<Item = usize> {
    let mut around: Vec<(u64, u32)> = Vec::new();
    (0..thread.calls.len()).filter(move |&at| {
        let Call { start, end, correlation, .. } = thread.calls[at];
        while around.last().is_some_and(|outer| outer.0 <= start) {
            around.pop();
        }
        let is_same = |outer: &(u64, u32)| outer.1 == correlation && correlation != 0 && end <= outer.0;
        let is_outermost = !around.iter().rev().take(MOST_ENCLOSING).any(is_same);
        around.push((end, correlation));
        is_outermost
    })
}

/// What a CUDA call launches on a device, judged by the function's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Graph,
    /// A kernel, a copy or a memset.
    Work,
    /// Nothing on a device.
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
            // The launched function runs on the host.
            _ if is(b"LaunchHostFunc") => Self::Other,
            _ if is(b"Launch") || is(b"Memcpy") || is(b"Memset") => Self::Work,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests;
