//! Collects the operators of a cycle from the files of the frameworks' own profilers, and merges them with
//! the ranges of our hooks.
//!
//! The files are complete before the cycle's end is in the log. They are read like any trace, with the same
//! tolerance and limits. An operator's details are kept as text. Equal texts are stored once. A range points
//! to its details through its name, so it needs no extra field. A range recorded by both the hooks and the
//! framework's profiler is kept once. Must not know how those profilers are controlled, nor output formats
//! and files.
//!
//! - `read` reads one file: `producer` maps its categories to kinds, `memory` computes its memory events,
//!   `stack` finds the stacks of operators
//! - `merge` removes ranges that hooks and profilers both recorded; `links` links operators to their backward

mod links;
mod memory;
mod merge;
mod producer;
mod read;
mod stack;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proftui_wire::log::NoteKind;

use proftui_trace::export::recording::operator_details::OperatorDetails;

use super::threads::Threads;
use crate::capture::process::Process;
use crate::capture::process::name_table::NameTable;
use merge::Merge;
use producer::Producer;

/// What is known of a cycle's operator files apart from their ranges and memory events.
#[derive(Debug, Default)]
pub struct Operators {
    /// Arguments of ranges and memory events, and links from operators to their backward.
    pub details: OperatorDetails,
    /// Number of ranges and memory events that were read from the files.
    pub events: u64,
    /// What the frameworks' profilers were asked to record, as far as their files state it: any of `shapes`,
    /// `stack`, `memory`, `flops`.
    pub asked: BTreeSet<&'static str>,
    /// Paths of the cycle's operator files, incomplete ones included.
    pub files: Vec<PathBuf>,
    /// Messages about faults of the files, such as damage.
    pub faults: Vec<String>,
    /// True if the leader reports the fact `ops=… full`, and left no complete operator file.
    pub are_missing: bool,
}

/// Reads the operator files of cycle number `cycle`; merges ranges and memory events into `threads`, whose
/// times must be on the wall clock, and other details into `details`, which the result has.
pub fn collect(
    processes: &[&Process],
    cycle: u64,
    names: &mut NameTable,
    details: OperatorDetails,
    threads: &mut Threads,
) -> Operators {
    let mut all = Operators { details, ..Operators::default() };
    for (index, process) in processes.iter().enumerate() {
        let (mut complete, partial) = files(&process.folder, cycle);
        complete.sort();
        all.are_missing |= index == 0 && complete.is_empty() && is_full(process);
        for (file, producer) in &complete {
            match read::read(file, *producer, names, &mut all.details) {
                Ok(mut content) => {
                    content.renumber(process.parent, process.pid);
                    all.events += content.len();
                    all.asked.extend(&content.asked);
                    let faults = content.faults.iter().map(|fault| format!("{}: {fault}", file.display()));
                    all.faults.extend(faults);
                    let mut merge = Merge { names, details: &all.details, threads };
                    merge.add(index, *producer, content);
                }
                // A ring has removed it meanwhile.
                Err(_) if !file.exists() => {}
                Err(why) => all.faults.push(format!("{}: {why}", file.display())),
            }
        }
        all.files.extend(complete.into_iter().map(|(file, _)| file).chain(partial));
    }
    all
}

/// True for a process that reports that its framework's profiler records operators into files (the fact
/// `ops=… full`).
fn is_full(process: &Process) -> bool {
    let is_full = |fact: &str| fact.strip_prefix("ops=").is_some_and(|ops| ops.ends_with(" full"));
    process.notes_of(NoteKind::Fact).any(|fact| is_full(&fact))
}

/// The operator files of cycle number `cycle` in a process's folder: the complete ones, with their producers,
/// and the incomplete ones (`.partial`).
fn files(folder: &Path, cycle: u64) -> (Vec<(PathBuf, Producer)>, Vec<PathBuf>) {
    let prefix = format!("c{cycle}.");
    let (mut complete, mut partial) = (Vec::new(), Vec::new());
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(suffix) = name.strip_prefix(&prefix) else { continue };
        if let Some(producer) = Producer::of(suffix) {
            complete.push((file, producer));
        } else if suffix.strip_suffix(".partial").is_some_and(|suffix| Producer::of(suffix).is_some()) {
            partial.push(file);
        }
    }
    (complete, partial)
}
