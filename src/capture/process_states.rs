//! How the processes of a run, or of a trace, ended, in one line: `300 processes, 300 complete`.
//!
//! A process is complete if it ended and all that it recorded is on disk: also one that exited without its exit handlers, and a child
//! that was asked to end (SIGTERM), as pools and data loaders end their workers.

use std::collections::BTreeMap;

use proftui_wire::live::Word;

use super::child;
use super::process::Process;
use super::process_tree::{ProcessEnd, ProcessTree};

/// The signal by which pools end their workers.
const TERM: i32 = signal_hook::consts::SIGTERM;

/// Describes how these processes ended: `300 processes, 299 complete, 1 still running`; none if there is only one.
pub fn describe<'a>(tree: &ProcessTree, processes: impl Iterator<Item = &'a Process>) -> Option<String> {
    let mut count = 0_u64;
    // In the order in which they are printed.
    let mut states: BTreeMap<(u8, i32), u64> = BTreeMap::new();
    for process in processes {
        count += 1;
        *states.entry(state(tree, process)).or_default() += 1;
    }
    let states = states.iter().map(|(&(kind, signal), count)| match kind {
        COMPLETE => format!("{count} complete"),
        LOSSY => format!("{count} with losses"),
        KILLED => format!("{count} {}", child::killed_by(signal)),
        RUNNING => format!("{count} still running"),
        _ => format!("{count} ended in an unknown way"),
    });
    (count > 1).then(|| format!("{count} processes, {}", states.collect::<Vec<_>>().join(", ")))
}

/// True if device records that the process had in memory are lost: it ended without its exit handlers.
pub fn has_lost_device_records(process: &Process, cycle: u64) -> bool {
    let live = process.live();
    let is_flushed = live.get(Word::Device) == 0 || live.get(Word::Flushed) >= cycle;
    !is_flushed && process.ended.is_none() && !process.is_alive()
}

const COMPLETE: u8 = 0;
const LOSSY: u8 = 1;
const KILLED: u8 = 2;
const RUNNING: u8 = 3;
const UNKNOWN: u8 = 4;

/// The state of a process, with the signal that killed it.
fn state(tree: &ProcessTree, process: &Process) -> (u8, i32) {
    let live = process.live();
    let has_losses =
        live.get(Word::Lost) > 0 || live.get(Word::Full) > 0 || has_lost_device_records(process, 1);
    match tree.end_of(process) {
        ProcessEnd::Running => (RUNNING, 0),
        ProcessEnd::Killed(signal) if signal != TERM || process.leader.is_none() => (KILLED, signal),
        _ if has_losses => (LOSSY, 0),
        ProcessEnd::Unknown => (UNKNOWN, 0),
        ProcessEnd::Exited | ProcessEnd::Replaced | ProcessEnd::Killed(_) => (COMPLETE, 0),
    }
}
