//! The captured processes of a run: the leader that each one follows, and the cycles that have ended.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::clock::monotonic;
use super::process::{Cycle, CycleEnd, Process};
use super::run_folder::RunFolder;

/// How long after its end a cycle waits at most for device records, ns.
const FLUSH_LIMIT: u64 = 2_000_000_000;

/// The captured processes of a run.
#[derive(Debug, Default)]
pub struct ProcessTree {
    /// The processes, by their folders.
    processes: BTreeMap<PathBuf, Process>,
    /// Cycles that [`ProcessTree::take_ended`] has returned, by folder and number.
    taken: HashSet<(PathBuf, u64)>,
    /// Messages about files of processes that could not be read.
    pub faults: Vec<String>,
}

/// A cycle that has ended, ready to be written.
#[derive(Clone, Debug)]
pub struct EndedCycle {
    /// Folder of the process whose cycle it is.
    pub folder: PathBuf,
    /// The cycle's number, times and steps.
    pub cycle: Cycle,
    /// Why the cycle is incomplete; none for a complete one.
    pub cause: Option<String>,
}

impl ProcessTree {
    /// Finds new processes in the run folder, and reads the bytes that all processes have written since the last look.
    pub fn look(&mut self, run: &RunFolder) {
        for folder in run.processes() {
            if !self.processes.contains_key(&folder)
                && let Some(process) = Process::of(&folder)
            {
                self.processes.insert(folder, process);
            }
        }
        for process in self.processes.values_mut() {
            if let Err(error) = process.look() {
                let name = process.folder.file_name().unwrap_or_default();
                let fault = format!("{}: {error}", run.path().join(name).display());
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
            }
        }
    }

    /// All processes.
    pub fn all(&self) -> impl Iterator<Item = &Process> {
        self.processes.values()
    }

    /// All processes, mutable.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.processes.values_mut()
    }

    /// The processes that have cycles of their own.
    pub fn with_cycles(&self) -> impl Iterator<Item = &Process> {
        self.all().filter(|process| !process.cycles.is_empty())
    }

    /// A process and those that follow its cycles, itself first; empty for an unknown folder.
    pub fn with_followers(&self, folder: &PathBuf) -> Vec<&Process> {
        let Some(leader) = self.processes.get(folder) else { return Vec::new() };
        let followers = self.all().filter(|process| self.follows(process, leader));
        std::iter::once(leader).chain(followers).collect()
    }

    /// True if `leader` is the first process with cycles on the chain of leaders from `process` upwards.
    fn follows(&self, process: &Process, leader: &Process) -> bool {
        let mut at = process;
        // A chain of forks has no loop, but damaged logs could state one.
        for _ in 0..64 {
            let Some(next) = at.leader.filter(|_| at.cycles.is_empty()) else { return false };
            if next == leader.key {
                return true;
            }
            let Some(known) = self.all().find(|process| process.key == next) else { return false };
            at = known;
        }
        false
    }

    /// True while an ended cycle has to wait for device records: a process that records it may still write some, and [`FLUSH_LIMIT`] is not
    /// over.
    fn is_awaited(&self, leader: &Process, cycle: &Cycle) -> bool {
        let is_late = |end: CycleEnd| monotonic() >= end.time.saturating_add(FLUSH_LIMIT);
        cycle.end.is_some_and(|end| !is_late(end))
            && self
                .with_followers(&leader.folder)
                .iter()
                .any(|process| process.may_write_device_records(cycle.number))
    }

    /// True while an ended cycle that was not taken waits for device records.
    pub fn awaits_device_records(&self) -> bool {
        let is_new =
            |process: &Process, cycle: &Cycle| !self.taken.contains(&(process.folder.clone(), cycle.number));
        self.processes.values().any(|process| {
            let mut cycles = process.cycles.iter();
            cycles.any(|cycle| is_new(process, cycle) && self.is_awaited(process, cycle))
        })
    }

    /// Returns the cycles that have ended, each once. With `is_final`, open cycles count as ended, and none waits for device records.
    /// `cause_of` describes the end of a process that did not report it itself.
    pub fn take_ended(&mut self, is_final: bool, cause_of: impl Fn(&Process) -> String) -> Vec<EndedCycle> {
        let mut all_ended = Vec::new();
        for process in self.processes.values() {
            let is_gone = is_final || !process.is_alive();
            for &cycle in &process.cycles {
                let key = (process.folder.clone(), cycle.number);
                if self.taken.contains(&key) || !is_final && self.is_awaited(process, &cycle) {
                    continue;
                }
                let cause = match cycle.end {
                    Some(CycleEnd { is_whole: true, .. }) => None,
                    Some(CycleEnd { last_step, .. }) if process.has_ended => {
                        Some(format!("the program ended after step {last_step}"))
                    }
                    Some(CycleEnd { last_step, .. }) => {
                        Some(format!("recording stopped after step {last_step}"))
                    }
                    // A cycle of a time window ends with its program, and is complete.
                    None if process.has_ended => None,
                    None if is_gone => Some(process.cut().unwrap_or_else(|| cause_of(process))),
                    None => continue,
                };
                if self.taken.insert(key) {
                    all_ended.push(EndedCycle { folder: process.folder.clone(), cycle, cause });
                }
            }
        }
        all_ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::process::start_of;
    use proftui_wire::live::{BYTES, Word};
    use proftui_wire::log::{Entry, Event};

    /// Makes a process with the test's own process id, with a cycle that ended `ago` ns before now, and these values on its live page.
    fn process(folder: &std::path::Path, ago: u64, values: &[(Word, u64)]) -> Process {
        let pid = std::process::id();
        let own = folder.join(format!("{pid}-{}", start_of(pid).expect("it is there")));
        std::fs::create_dir_all(&own).expect("a folder");
        let now = monotonic();
        let log = [
            (0, Event::Hello { ppid: 1, leader: None, namespace: 0 }),
            (now - ago - 1, Event::Begin { cycle: 1, step: 0 }),
            (now - ago, Event::End { cycle: 1, step: 5, is_whole: true }),
        ];
        let log: Vec<u8> = log.iter().flat_map(|&(time, event)| Entry { time, event }.bytes()).collect();
        std::fs::write(own.join("log"), log).expect("written");
        let mut page = [0; BYTES];
        for &(word, number) in values {
            page[word as usize * 8..][..8].copy_from_slice(&number.to_le_bytes());
        }
        std::fs::write(own.join("live"), page).expect("written");
        let mut process = Process::of(&own).expect("a process's folder");
        process.look().expect("read");
        process
    }

    #[test]
    fn an_ended_cycle_waits_for_device_records_up_to_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        // Both times are far from the limit.
        let (fresh, old) = (0, 2 * FLUSH_LIMIT);
        for (values, ago, is_awaited) in [
            (&[(Word::Device, 1)][..], fresh, true),
            (&[(Word::Device, 1)], old, false),
            (&[(Word::Device, 1), (Word::Flushed, 1)], fresh, false),
            (&[], fresh, false),
        ] {
            let process = process(folder.path(), ago, values);
            let processes = BTreeMap::from([(process.folder.clone(), process)]);
            let mut tree = ProcessTree { processes, ..ProcessTree::default() };
            assert_eq!(tree.awaits_device_records(), is_awaited, "{values:?}");
            assert_eq!(
                tree.take_ended(false, |_| String::new()).len(),
                usize::from(!is_awaited),
                "{values:?}"
            );
            assert_eq!(tree.take_ended(true, |_| String::new()).len(), usize::from(is_awaited), "each once");
            assert!(!tree.awaits_device_records());
        }
    }
}
