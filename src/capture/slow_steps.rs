//! Writes a trace of the ring for each step that took far longer than those before it (`--slow-step`), as far as the end of that step.
//!
//! Must not know how a step is found to be slow.

use std::collections::HashMap;
use std::path::PathBuf;

use proftui_wire::live::Word;

use crate::base::fmt;

use super::process::{Process, SlowStep};
use super::process_tree::{EndedCycle, ProcessTree};
use super::trace_writer::TraceWriter;

/// Most traces of slow steps of one process.
const MOST: usize = 10;

/// How many slow steps of each process were handled, by the process's folder.
#[derive(Debug, Default)]
pub struct SlowSteps {
    handled: HashMap<PathBuf, usize>,
}

impl SlowSteps {
    /// Writes a trace for each slow step that processes have reported since the last call and that ended before `until`, ns of the
    /// monotonic clock; up to a limit for each process.
    pub fn write(&mut self, writer: &mut TraceWriter, tree: &ProcessTree, until: u64) {
        for process in tree.with_cycles().filter(|process| !process.slow.is_empty()) {
            let handled = self.handled.entry(process.folder.clone()).or_default();
            let due = process.slow.iter().take_while(|step| step.end < until).count();
            for (number, step) in process.slow.iter().enumerate().take(due).skip(*handled) {
                if number < MOST {
                    write_one(writer, tree, process, *step);
                } else if number == MOST {
                    writer.status.print_unless_quiet(&format!(
                        "{}; there are {MOST} traces of slow steps, and no further ones are written",
                        describe(*step)
                    ));
                }
            }
            *handled = due.max(*handled);
        }
    }
}

fn write_one(writer: &mut TraceWriter, tree: &ProcessTree, process: &Process, step: SlowStep) {
    let text = describe(step);
    let Some(cycle) = tree.newest_until(process, step.end) else { return };
    let cycle = EndedCycle { since: Some(step.since), ..cycle };
    if process.live_now().get(Word::Since) > step.end.saturating_sub(step.length) {
        let advice = "the ring does not go back to its beginning: keep more by --keep-last";
        return writer.status.print_unless_quiet(&format!("{text}; {advice}"));
    }
    match writer.write_open(tree, &cycle) {
        Ok(path) => writer.status.print_unless_quiet(&format!("{text}: {}", path.display())),
        Err(why) => writer.status.print(&format!("{text}: {why}")),
    }
}

fn describe(SlowStep { step, length, median, .. }: SlowStep) -> String {
    let [length, median] = [length, median].map(|ns| fmt::duration(ns.cast_signed()));
    format!("step {} took {length}, {median} being the median before it", fmt::count(step))
}
