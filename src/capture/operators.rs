//! Operators of a cycle: what frameworks' own profilers wrote into the folders of their processes, put among what ours told.
//!
//! Must not know how those profilers are driven, nor files of results.
//!
//! - `read`: one file; `producer` what its words mean, `memory` its memory events
//! - `merge`: what both sides told stands once; `links` leads from operators to their backward

mod links;
mod memory;
mod merge;
mod producer;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proftui_wire::log::NoteKind;

use crate::export::recording::Thread;
use crate::export::recording::operator_details::OperatorDetails;

use super::naming::Names;
use super::process::Process;
use merge::Merge;
use producer::Producer;

/// Threads, by the place of their process in a list and their number.
pub type Threads = BTreeMap<(usize, u32), Thread>;

/// What came of the files.
#[derive(Debug, Default)]
pub struct Operators {
    /// What is told of them beyond names and times.
    pub details: OperatorDetails,
    /// How many events there are, memory included.
    pub events: u64,
    /// What the profilers were asked for: `shapes`, `stack`, `memory`, `flops`.
    pub asked: BTreeSet<&'static str>,
    /// The files, those that are not whole too.
    pub files: Vec<PathBuf>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
    /// True where the first process was to leave a file, and left no whole one.
    pub are_missing: bool,
}

/// Reads the files of a cycle, and puts what they tell among what is on the threads, which is in the wall clock's time by now.
pub fn gather(processes: &[&Process], cycle: u64, names: &mut Names, threads: &mut Threads) -> Operators {
    let mut all = Operators::default();
    for (of, process) in processes.iter().enumerate() {
        let (mut whole, partial) = files(&process.folder, cycle);
        whole.sort();
        all.are_missing |= of == 0 && whole.is_empty() && is_full(process);
        for (file, producer) in &whole {
            match read::read(file, *producer, names, &mut all.details) {
                Ok(mut told) => {
                    told.renumber(process.parent, process.pid);
                    all.events += told.len();
                    all.asked.extend(&told.asked);
                    let said = told.faults.iter().map(|fault| format!("{}: {fault}", file.display()));
                    all.faults.extend(said);
                    let mut merge = Merge { names, details: &all.details, threads };
                    merge.put(of, *producer, told);
                }
                Err(why) => all.faults.push(format!("{}: {why}", file.display())),
            }
        }
        all.files.extend(whole.into_iter().map(|(file, _)| file).chain(partial));
    }
    all
}

/// True for a process that said that it writes files of operators.
fn is_full(process: &Process) -> bool {
    let is_full = |fact: &str| fact.strip_prefix("ops=").is_some_and(|ops| ops.ends_with(" full"));
    process.notes_of(NoteKind::Fact).any(|fact| is_full(&fact))
}

/// The files of a cycle in a process's folder: whole ones, and others.
fn files(folder: &Path, cycle: u64) -> (Vec<(PathBuf, Producer)>, Vec<PathBuf>) {
    let prefix = format!("c{cycle}.");
    let (mut whole, mut partial) = (Vec::new(), Vec::new());
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(rest) = name.strip_prefix(&prefix) else { continue };
        if let Some(producer) = Producer::of(rest) {
            whole.push((file, producer));
        } else if rest.strip_suffix(".partial").is_some_and(|rest| Producer::of(rest).is_some()) {
            partial.push(file);
        }
    }
    (whole, partial)
}
