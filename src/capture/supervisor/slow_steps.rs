//! Writes a trace of the ring for each step that took far longer than those before it (`--slow-step`), as far
//! as the end of that step; at most ten for each process.
//!
//! Must not know how a step is found to be slow.

use std::collections::HashMap;
use std::path::PathBuf;

use proftui_wire::live::Word;

use proftui_base::fmt;

use crate::capture::process::ended::EndedCycle;
use crate::capture::process::tree::ProcessTree;
use crate::capture::process::{Process, SlowStep};
use crate::capture::trace_writer::TraceWriter;

/// Most slow steps of one process that have a trace: those that exceed their median the most.
const MOST_TRACES: usize = 10;

/// What was done about the slow steps of each process, by the process's folder.
#[derive(Debug, Default)]
pub(super) struct SlowSteps {
    processes: HashMap<PathBuf, OfProcess>,
}

/// What was done about the slow steps of one process.
#[derive(Debug, Default)]
struct OfProcess {
    /// How many of the process's slow steps, from the first on, were handled: got a trace, or were passed
    /// over.
    handled: usize,
    /// The slow steps that have a trace, without those whose trace was replaced; each with the path of its
    /// trace.
    traced: Vec<(SlowStep, PathBuf)>,
    /// True once a slow step got no trace since [`MOST_TRACES`] slower ones have one; a message says so only
    /// once.
    is_said: bool,
}

impl SlowSteps {
    /// Writes a trace for each slow step that ended before `until` (ns of the monotonic clock) and that no
    /// earlier call handled, if the ring still has the whole step; prints its path. Of more than
    /// [`MOST_TRACES`] in a process, those that exceed their median the most have one: for a slower step, a
    /// trace is removed, unless the command of `--on-trace-ready` still needs it.
    pub(super) fn write(&mut self, writer: &mut TraceWriter, tree: &ProcessTree, until: u64) {
        for process in tree.with_cycles().filter(|process| !process.slow.is_empty()) {
            let known = self.processes.entry(process.folder.clone()).or_default();
            let due = process.slow.iter().take_while(|step| step.end < until).count();
            for step in process.slow.iter().take(due).skip(known.handled) {
                known.write(writer, tree, process, *step);
            }
            known.handled = due.max(known.handled);
        }
    }
}

impl OfProcess {
    /// Writes a trace for a slow step and prints its path, unless [`MOST_TRACES`] steps with a trace exceed
    /// their median by as much or more. With that many, the trace replaces that of the step that exceeds its
    /// median the least.
    fn write(&mut self, writer: &mut TraceWriter, tree: &ProcessTree, process: &Process, step: SlowStep) {
        let replaced = self.replaced();
        if replaced.is_some_and(|at| beyond(self.traced[at].0) >= beyond(step)) {
            if !std::mem::replace(&mut self.is_said, true) {
                let text = describe(step);
                writer.status.print_unless_quiet(&format!(
                    "{text}; only the {MOST_TRACES} steps furthest above their median have a trace"
                ));
            }
            return;
        }
        let Some(path) = write_one(writer, tree, process, step) else { return };
        let shown = format!("{}: {}", describe(step), path.display());
        let Some(at) = replaced else {
            writer.status.print_unless_quiet(&shown);
            return self.traced.push((step, path));
        };
        let (faster, old) = std::mem::replace(&mut self.traced[at], (step, path));
        let text = if writer.discard(&old) {
            let number = fmt::count(faster.step);
            format!(
                "{shown} (instead of {}, the trace of step {number}: the {MOST_TRACES} furthest above \
                 their median have one)",
                old.display()
            )
        } else {
            shown
        };
        writer.status.print_unless_quiet(&text);
    }

    /// The index in `traced` of the step whose trace the next one replaces: that which exceeds its median the
    /// least, if there are [`MOST_TRACES`] traces; `None` if there are fewer.
    fn replaced(&self) -> Option<usize> {
        if self.traced.len() < MOST_TRACES {
            return None;
        }
        (0..self.traced.len()).min_by_key(|&at| beyond(self.traced[at].0))
    }
}

/// By how much a step took longer than the median of the steps before it, ns; 0 if it did not.
fn beyond(step: SlowStep) -> u64 {
    step.length.saturating_sub(step.median)
}

/// Writes the trace of a slow step; returns its path. Prints why, and returns `None`, if the ring does not go
/// back to the step's beginning or writing fails; `None` without a message if the process has no cycle to
/// write.
fn write_one(
    writer: &mut TraceWriter,
    tree: &ProcessTree,
    process: &Process,
    step: SlowStep,
) -> Option<PathBuf> {
    let text = describe(step);
    let cycle = tree.newest_until(process, step.end)?;
    let cycle = EndedCycle { since: Some(step.since), ..cycle };
    if process.live_now().get(Word::Since) > step.end.saturating_sub(step.length) {
        let advice = "no trace, as the records kept begin later than the step: keep more by --keep-last";
        writer.status.print_unless_quiet(&format!("{text}; {advice}"));
        return None;
    }
    let written = writer.write_open(tree, &cycle);
    written.inspect_err(|why| writer.status.print(&format!("{text}: {why}"))).ok()
}

fn describe(SlowStep { step, length, median, .. }: SlowStep) -> String {
    let [length, median] = [length, median].map(|ns| fmt::duration(ns.cast_signed()));
    format!("step {} took {length}, {median} being the median before it", fmt::count(step))
}
