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

/// Most slow steps of one process that have a trace.
const MOST_TRACES: usize = 10;

/// How many slow steps of each process were handled, and which have a trace, by the process's folder.
#[derive(Debug, Default)]
pub(super) struct SlowSteps {
    processes: HashMap<PathBuf, OfProcess>,
}

/// How many slow steps of one process were handled, and which of them have a trace.
#[derive(Debug, Default)]
struct OfProcess {
    /// For how many of the process's slow steps, from the first on, it was decided whether to write a trace.
    handled: usize,
    /// The slow steps that have a trace, without replaced ones, each with the path of the trace.
    traced: Vec<(SlowStep, PathBuf)>,
    /// True once the message that only [`MOST_TRACES`] steps have a trace was printed, or left out by
    /// `--quiet`.
    is_said: bool,
}

impl SlowSteps {
    /// Writes traces of the slow steps that ended before `until`, ns of the monotonic clock, and were not
    /// handled before, as far as [`MOST_TRACES`] and the records kept allow.
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
    /// Writes a trace for a slow step if its records were kept, unless [`MOST_TRACES`] others with a trace
    /// exceed their median at least as much; may replace the trace of another step.
    fn write(&mut self, writer: &mut TraceWriter, tree: &ProcessTree, process: &Process, step: SlowStep) {
        let replaced = self.replaced();
        if replaced.is_some_and(|at| beyond(self.traced[at].0) >= beyond(step)) {
            if !std::mem::replace(&mut self.is_said, true) {
                let text = describe(step);
                writer.status.print_unless_quiet(&format!(
                    "{text}; no trace, as {MOST_TRACES} steps at least as far above the median before \
                     them have one"
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
                "{shown} (instead of {}, the trace of step {number}, which was less far above the median \
                 before it)",
                old.display()
            )
        } else {
            shown
        };
        writer.status.print_unless_quiet(&text);
    }

    /// The index in `traced` of the step that exceeds its median the least; `None` while there are fewer than
    /// [`MOST_TRACES`] traces.
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

/// Writes the trace of a slow step and returns its path; `None` if no trace was written.
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
        let advice = "no trace, as the records kept begin after the step began: keep more by \
            --keep-last SIZE";
        writer.status.print_unless_quiet(&format!("{text}; {advice}"));
        return None;
    }
    let written = writer.write_open(tree, &cycle, Some(step.step));
    written.inspect_err(|why| writer.status.print(&format!("{text}: {why}"))).ok()
}

fn describe(SlowStep { step, length, median, .. }: SlowStep) -> String {
    let [length, median] = [length, median].map(|ns| fmt::duration(ns.cast_signed()));
    format!("step {} took {length}, {median} being the median of recent steps before it", fmt::count(step))
}
