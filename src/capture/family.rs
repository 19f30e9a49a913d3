//! All captured processes of a run: which there are, who follows whom, and which cycles are over.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use super::folder::RunFolder;
use super::monotonic;
use super::process::{Cycle, CycleEnd, Process};

/// How long a cycle that has ended is waited with for what devices still have to tell of it, ns.
const FLUSH: u64 = 2_000_000_000;

/// The processes, by their folders.
#[derive(Debug, Default)]
pub struct Family {
    processes: BTreeMap<PathBuf, Process>,
    done: HashSet<(PathBuf, u64)>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
}

/// A cycle that is over.
#[derive(Clone, Debug)]
pub struct Over {
    /// The folder of its process.
    pub folder: PathBuf,
    /// The cycle.
    pub cycle: Cycle,
    /// Why it is not whole; none for one that is.
    pub cause: Option<String>,
}

impl Family {
    /// Looks at what was added.
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
                let fault = format!("{}: {error}", process.folder.display());
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

    /// All processes, to be changed.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.processes.values_mut()
    }

    /// Those that have cycles of their own.
    pub fn leaders(&self) -> impl Iterator<Item = &Process> {
        self.all().filter(|process| !process.cycles.is_empty())
    }

    /// A process and those that follow it, itself first.
    pub fn with_followers(&self, folder: &PathBuf) -> Vec<&Process> {
        let Some(leader) = self.processes.get(folder) else { return Vec::new() };
        let followers = self.all().filter(|process| self.follows(process, leader));
        std::iter::once(leader).chain(followers).collect()
    }

    /// True for a process of which another is the next that leads, upwards.
    fn follows(&self, process: &Process, leader: &Process) -> bool {
        let mut at = process;
        // A chain of forks; a folder that says nonsense may go round.
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

    /// True while records of devices of a cycle that has ended may still come, and it is not too late for them.
    fn is_owed(&self, leader: &Process, cycle: &Cycle) -> bool {
        let is_late = |end: CycleEnd| monotonic() >= end.time.saturating_add(FLUSH);
        cycle.end.is_some_and(|end| !is_late(end))
            && self.with_followers(&leader.folder).iter().any(|process| process.owes_device(cycle.number))
    }

    /// True while some cycle that has ended waits for its records of devices.
    pub fn is_waiting(&self) -> bool {
        let is_new =
            |process: &Process, cycle: &Cycle| !self.done.contains(&(process.folder.clone(), cycle.number));
        self.processes.values().any(|process| {
            let mut cycles = process.cycles.iter();
            cycles.any(|cycle| is_new(process, cycle) && self.is_owed(process, cycle))
        })
    }

    /// The cycles that are over and were not told before. With `is_final`, those too that are still open: their time is up.
    /// `end` says how a process ended that did not say so itself.
    pub fn over(&mut self, is_final: bool, end: impl Fn(&Process) -> String) -> Vec<Over> {
        let mut over = Vec::new();
        for process in self.processes.values() {
            let is_gone = is_final || !process.is_alive();
            for &cycle in &process.cycles {
                let key = (process.folder.clone(), cycle.number);
                if self.done.contains(&key) || !is_final && self.is_owed(process, &cycle) {
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
                    // Where time opens and closes it, the end of the program is one, too.
                    None if process.has_ended => None,
                    None if is_gone => Some(end(process)),
                    None => continue,
                };
                if self.done.insert(key) {
                    over.push(Over { folder: process.folder.clone(), cycle, cause });
                }
            }
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::process::start_of;
    use proftui_wire::live::{BYTES, Word};
    use proftui_wire::log::{Entry, Event};

    /// This process, in a cycle that ended so long ago, with these words on its page.
    fn process(place: &std::path::Path, ago: u64, words: &[(Word, u64)]) -> Process {
        let pid = std::process::id();
        let folder = place.join(format!("{pid}-{}", start_of(pid).expect("it is there")));
        std::fs::create_dir_all(&folder).expect("a folder");
        let now = monotonic();
        let log = [
            (0, Event::Hello { ppid: 1, leader: None, namespace: 0 }),
            (now - ago - 1, Event::Begin { cycle: 1, step: 0 }),
            (now - ago, Event::End { cycle: 1, step: 5, is_whole: true }),
        ];
        let log: Vec<u8> = log.iter().flat_map(|&(time, event)| Entry { time, event }.bytes()).collect();
        std::fs::write(folder.join("log"), log).expect("written");
        let mut page = [0; BYTES];
        for &(word, number) in words {
            page[word as usize * 8..][..8].copy_from_slice(&number.to_le_bytes());
        }
        std::fs::write(folder.join("live"), page).expect("written");
        let mut process = Process::of(&folder).expect("a process's folder");
        process.look().expect("read");
        process
    }

    #[test]
    fn a_cycle_waits_for_what_devices_still_owe_while_that_may_come() {
        let place = tempfile::tempdir().expect("a folder");
        // Far from the limit, either way.
        let (fresh, old) = (0, 2 * FLUSH);
        for (words, ago, is_owed) in [
            (&[(Word::Device, 1)][..], fresh, true),
            (&[(Word::Device, 1)], old, false),
            (&[(Word::Device, 1), (Word::Flushed, 1)], fresh, false),
            (&[], fresh, false),
        ] {
            let process = process(place.path(), ago, words);
            let processes = BTreeMap::from([(process.folder.clone(), process)]);
            let mut family = Family { processes, ..Family::default() };
            assert_eq!(family.is_waiting(), is_owed, "{words:?}");
            assert_eq!(family.over(false, |_| String::new()).len(), usize::from(!is_owed), "{words:?}");
            assert_eq!(family.over(true, |_| String::new()).len(), usize::from(is_owed), "each once");
            assert!(!family.is_waiting());
        }
    }
}
