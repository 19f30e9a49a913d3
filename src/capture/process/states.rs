//! How the processes of a run, or of a trace, ended, in one line: `300 processes, 300 complete`.
//!
//! A process is complete if it ended and all that it recorded is on disk: also one that exited without its
//! exit handlers, and a child that was asked to end (SIGTERM), as pools and data loaders end their workers.

use std::collections::BTreeMap;

use proftui_wire::live::Word;

use crate::capture::process::Process;
use crate::capture::process::ended::ProcessEnd;
use crate::capture::process::tree::ProcessTree;
use crate::capture::system::child;

/// The signal by which pools end their workers.
const TERM: i32 = signal_hook::consts::SIGTERM;

/// How many processes ended in which way.
#[derive(Clone, Debug, Default)]
pub(crate) struct States {
    /// The number of processes by state and signal, as `state` returns them.
    counts: BTreeMap<(u8, i32), u64>,
}

impl States {
    /// Counts a process by its state now.
    pub(crate) fn add(&mut self, tree: &ProcessTree, process: &Process) {
        *self.counts.entry(state(tree, process)).or_default() += 1;
    }

    /// Describes how the counted processes ended: `300 processes, 299 complete, 1 still running`; `None` for
    /// fewer than two.
    pub(crate) fn describe(&self) -> Option<String> {
        let states = self.counts.iter().map(|(&(kind, signal), count)| match kind {
            COMPLETE => format!("{count} complete"),
            LOSSY => format!("{count} with losses"),
            KILLED => format!("{count} {}", child::killed_by(signal)),
            RUNNING => format!("{count} still running"),
            _ => format!("{count} ended in an unknown way"),
        });
        let count: u64 = self.counts.values().sum();
        (count > 1).then(|| format!("{count} processes, {}", states.collect::<Vec<_>>().join(", ")))
    }
}

/// Describes how the first of `processes`, the leader, and the others that lived between `start` and `end`,
/// ns of the monotonic clock, ended or that they run; `None` for fewer than two.
pub(crate) fn describe_between(
    tree: &ProcessTree,
    processes: &[&Process],
    (start, end): (u64, u64),
) -> Option<String> {
    let mut states = States::default();
    let was_there = |process: &Process| {
        let is_over = process.ended.or(process.found_ended).is_some_and(|ended| ended < start);
        let is_later = process.clocks.first().is_some_and(|&(began, _)| began > end);
        !is_over && !is_later
    };
    let (leader, others) = processes.split_first()?;
    let others = others.iter().filter(|process| was_there(process));
    std::iter::once(leader).chain(others).for_each(|process| states.add(tree, process));
    states.describe()
}

/// True if the process ended without its exit handlers before all its device records of the cycle were known
/// to be written.
pub(crate) fn has_lost_device_records(process: &Process, cycle: u64) -> bool {
    let live = process.live();
    let is_flushed = live.get(Word::Device) == 0 || live.get(Word::Flushed) >= cycle;
    !is_flushed && process.ended.is_none() && !process.is_alive()
}

/// True for a process that is alive and has not closed its recorder: it may still record.
pub(crate) fn is_running(tree: &ProcessTree, process: &Process) -> bool {
    state(tree, process).0 == RUNNING
}

const COMPLETE: u8 = 0;
const LOSSY: u8 = 1;
const KILLED: u8 = 2;
const RUNNING: u8 = 3;
const UNKNOWN: u8 = 4;

/// The state of a process, [`COMPLETE`] or a constant after it, and the signal for [`KILLED`], else 0.
fn state(tree: &ProcessTree, process: &Process) -> (u8, i32) {
    let live = process.live();
    let has_losses =
        live.get(Word::Lost) > 0 || live.get(Word::Full) > 0 || has_lost_device_records(process, 1);
    match tree.end_of(process) {
        ProcessEnd::Running if process.ended.is_none() => (RUNNING, 0),
        ProcessEnd::Killed(signal) if signal != TERM || process.leader.is_none() => (KILLED, signal),
        _ if has_losses => (LOSSY, 0),
        ProcessEnd::Unknown => (UNKNOWN, 0),
        // A process that is still there after it has closed its recorder records nothing more.
        ProcessEnd::Running | ProcessEnd::Exited | ProcessEnd::Replaced | ProcessEnd::Killed(_) => {
            (COMPLETE, 0)
        }
    }
}
