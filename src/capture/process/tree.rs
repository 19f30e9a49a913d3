//! The captured processes of a run: the leader that each one follows, how each one ended, and the cycles that
//! have ended.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use proftui_wire::device::DELIVERY;
use proftui_wire::live::Word;
use proftui_wire::process_key::ProcessKey;

use super::ended::{EndedCycle, ProcessEnd};
use super::ends::Ends;
use super::own_profilers::File;
use crate::capture::files::run_folder::RunFolder;
use crate::capture::process::{Cycle, CycleEnd, Process};
use crate::capture::system::child;
use crate::capture::system::clock::monotonic;

/// Most ended cycles of a run that wait for the file of a script's own profiler; of more, the earliest are
/// written without the file.
const MOST_WAITING: usize = 8;
/// How long after its end a cycle waits at most for device records, ns.
const FLUSH_LIMIT: u64 = 2_000_000_000;
/// Time after which finished device work is taken to be in the processes' files, ns: `DELIVERY` and half a
/// second.
const DELIVERY_LIMIT: u64 = 1_000_000_000 * DELIVERY.as_secs() + DELIVERY.subsec_nanos() as u64 + 500_000_000;
/// Most processes visited on the way from a process to its leader or rank, in case damaged logs state a loop.
const LONGEST_CHAIN: usize = 64;

/// The captured processes of a run.
#[derive(Debug, Default)]
pub struct ProcessTree {
    /// The processes, by their folders.
    processes: BTreeMap<PathBuf, Process>,
    /// The folder of each process, by the process's key.
    folders: HashMap<ProcessKey, PathBuf>,
    /// Cycles that [`ProcessTree::take_ended`] has returned, by the leader's folder and the cycle's number.
    taken: HashSet<(PathBuf, u64)>,
    /// How the processes ended, as the system reports it, or as the supervisor adds it.
    pub ends: Ends,
    /// True if a cycle that is open when its process exits counts as complete.
    pub is_open_ended: bool,
    /// True if ended cycles are to wait for the files of a script's own profilers.
    pub waits_for_files: bool,
    /// Messages about files of processes that could not be read, each once.
    pub faults: Vec<String>,
}

impl ProcessTree {
    /// Makes the tree of a run, without processes yet; the arguments are the fields of the same names.
    pub fn new(ends: Ends, is_open_ended: bool) -> Self {
        Self { ends, is_open_ended, ..Self::default() }
    }

    /// Finds new processes in the run folder, and reads what all processes have written since the last look
    /// and how they ended.
    pub fn look(&mut self, run: &RunFolder) {
        for folder in run.processes() {
            if !self.processes.contains_key(&folder)
                && let Some(process) = Process::of(&folder)
            {
                self.folders.insert(process.key, folder.clone());
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
        self.ends.look();
        self.take_over_cycles();
    }

    /// Hands the beginnings and ends of cycles that processes reported for their leader to the leader, which
    /// [`ProcessTree::rank_of`] returns; ends of cycles that are not known yet wait.
    fn take_over_cycles(&mut self) {
        let is_waiting =
            |process: &&Process| !process.of_leader.0.is_empty() || !process.of_leader.1.is_empty();
        let waiting: Vec<(PathBuf, PathBuf)> = self
            .all()
            .filter(is_waiting)
            .map(|process| (process.folder.clone(), self.rank_of(process).folder.clone()))
            .collect();
        let mut all_ends = Vec::new();
        for (folder, leader) in waiting {
            let (begun, ended) = self
                .processes
                .get_mut(&folder)
                .map(|process| std::mem::take(&mut process.of_leader))
                .unwrap_or_default();
            if let Some(leader) = self.processes.get_mut(&leader) {
                leader.cycles.extend(begun);
                leader.cycles.sort_by_key(|cycle| cycle.number);
            }
            all_ends.extend(ended.into_iter().map(|end| (folder.clone(), leader.clone(), end)));
        }
        for (folder, leader, (number, end)) in all_ends {
            let leader = self.processes.get_mut(&leader);
            let cycle =
                leader.and_then(|leader| leader.cycles.iter_mut().find(|cycle| cycle.number == number));
            if let Some(cycle) = cycle {
                cycle.end = cycle.end.or(Some(end));
            } else if let Some(process) = self.processes.get_mut(&folder) {
                process.of_leader.1.push((number, end));
            }
        }
    }

    /// All known processes, in the order of their folders.
    pub fn all(&self) -> impl Iterator<Item = &Process> {
        self.processes.values()
    }

    /// All known processes, in the order of their folders, to be changed.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.processes.values_mut()
    }

    /// The processes that have cycles of their own.
    pub fn with_cycles(&self) -> impl Iterator<Item = &Process> {
        self.all().filter(|process| !process.cycles.is_empty())
    }

    /// The process with this folder, then the processes that follow its cycles; empty for an unknown folder.
    pub fn with_followers(&self, folder: &PathBuf) -> Vec<&Process> {
        let Some(leader) = self.processes.get(folder) else { return Vec::new() };
        let follows =
            |process: &&Process| self.leader_of(process).is_some_and(|found| found.key == leader.key);
        std::iter::once(leader).chain(self.all().filter(follows)).collect()
    }

    /// The last cycle of `process`, as an open cycle up to `time`, ns of the monotonic clock; `None` if there
    /// is none, or it is dropped or did not begin before `time`.
    pub fn newest_until(&self, process: &Process, time: u64) -> Option<EndedCycle> {
        let newest = process.cycles.last().filter(|cycle| cycle.start < time && !cycle.is_dropped)?;
        let end = Some(CycleEnd { time, last_step: process.steps, is_whole: true });
        let cycle = Cycle { end, ..*newest };
        Some(EndedCycle {
            folder: process.folder.clone(),
            cycle,
            cause: None,
            end: ProcessEnd::Running,
            is_open: true,
            since: None,
        })
    }

    /// The process that `process` follows; `None` if it follows none, or a process that is not known.
    pub fn parent_of(&self, process: &Process) -> Option<&Process> {
        self.processes.get(self.folders.get(&process.leader?)?)
    }

    /// True for a process that follows no process, or whose rank is known and is not that of the process that
    /// it follows.
    pub fn is_rank(&self, process: &Process) -> bool {
        let rank = process.rank();
        process.leader.is_none() || rank.is_some() && rank != self.parent_of(process).and_then(Process::rank)
    }

    /// The nearest rank on the way from a process up through the processes followed, itself included; without
    /// one, the process itself.
    pub fn rank_of<'a>(&'a self, process: &'a Process) -> &'a Process {
        let mut chain = std::iter::successors(Some(process), |at| self.parent_of(at)).take(LONGEST_CHAIN);
        chain.find(|at| self.is_rank(at)).unwrap_or(process)
    }

    /// The leader that a process without cycles follows: the nearest process above it that has cycles. `None`
    /// if there is none, or `process` has cycles.
    fn leader_of(&self, process: &Process) -> Option<&Process> {
        if !process.cycles.is_empty() {
            return None;
        }
        let mut chain = std::iter::successors(self.parent_of(process), |at| self.parent_of(at));
        chain.by_ref().take(LONGEST_CHAIN).find(|at| !at.cycles.is_empty())
    }

    /// How a process ended, as far as known, or that it still runs.
    pub fn end_of(&self, process: &Process) -> ProcessEnd {
        let key = process.key;
        if self.folders.contains_key(&ProcessKey { programs: key.programs + 1, ..key }) {
            return ProcessEnd::Replaced;
        }
        match self.ends.of(&key) {
            Some(status) => status.signal().map_or(ProcessEnd::Exited, ProcessEnd::Killed),
            None if process.is_alive() => ProcessEnd::Running,
            None if process.ended.is_some() => ProcessEnd::Exited,
            None => ProcessEnd::Unknown,
        }
    }

    /// Forgets each ended process that has neither cycles nor followers, and whose records its leader's ring
    /// no longer needs, if its folder can be removed; calls `part_with` with each of them.
    pub fn forget_past(&mut self, mut part_with: impl FnMut(&Self, &Process)) {
        let is_leader = |process: &Process| self.all().any(|other| other.leader == Some(process.key));
        let is_past = |process: &Process| {
            let Some(ended) = process.found_ended else { return false };
            self.leader_of(process).is_some_and(|leader| ended < leader.live().get(Word::Since))
        };
        let past =
            self.all().filter(|process| process.cycles.is_empty() && is_past(process) && !is_leader(process));
        let past: Vec<PathBuf> = past.map(|process| process.folder.clone()).collect();
        for folder in past {
            // A folder that stays is found again, and is removed with the run folder.
            if std::fs::remove_dir_all(&folder).is_ok()
                && let Some(process) = self.processes.remove(&folder)
            {
                part_with(self, &process);
                self.folders.retain(|_, known| *known != folder);
                self.ends.forget(&process.key);
            }
        }
    }

    /// True while an ended cycle of `leader` has to wait for device records, at most until [`FLUSH_LIMIT`]
    /// after its end.
    fn is_awaited(&self, leader: &Process, cycle: &Cycle) -> bool {
        let is_late = |end: CycleEnd| monotonic() >= end.time.saturating_add(FLUSH_LIMIT);
        cycle.end.is_some_and(|end| !is_late(end))
            && self
                .with_followers(&leader.folder)
                .iter()
                .any(|process| process.may_write_device_records(cycle.number))
    }

    /// True while an ended cycle that [`ProcessTree::take_ended`] has not returned waits for device records.
    pub fn awaits_device_records(&self) -> bool {
        let is_new =
            |process: &Process, cycle: &Cycle| !self.taken.contains(&(process.folder.clone(), cycle.number));
        self.processes.values().any(|process| {
            let mut cycles = process.cycles.iter();
            cycles.any(|cycle| is_new(process, cycle) && self.is_awaited(process, cycle))
        })
    }

    /// The ended cycles, by folder and number, that wait for the file of a script's own profiler: at most the
    /// [`MOST_WAITING`] that ended last.
    fn waiting_for_files(&self) -> HashSet<(PathBuf, u64)> {
        let mut waiting = Vec::new();
        for leader in self.with_cycles().filter(|_| self.waits_for_files) {
            let awaits = |process: &&Process, cycle: &Cycle, end: u64| {
                let mut runs = process.own_profilers.between(cycle.start, end);
                process.is_alive() && runs.any(|(_, file)| file == File::Awaited)
            };
            let followers = self.with_followers(&leader.folder);
            for cycle in &leader.cycles {
                let key = (leader.folder.clone(), cycle.number);
                if let Some(CycleEnd { time, .. }) = cycle.end
                    && !self.taken.contains(&key)
                    && followers.iter().any(|process| awaits(process, cycle, time))
                {
                    waiting.push((time, key));
                }
            }
        }
        waiting.sort();
        let excess = waiting.len().saturating_sub(MOST_WAITING);
        waiting.into_iter().skip(excess).map(|(_, key)| key).collect()
    }

    /// The moment, ns of the monotonic clock like `now`, up to which finished device work should be in the
    /// files of the processes.
    pub fn delivered(&self, now: u64) -> u64 {
        let is_recorded = self.processes.values().any(|process| process.is_alive() && process.has_devices());
        if is_recorded { now.saturating_sub(DELIVERY_LIMIT) } else { now }
    }

    /// Returns the ended cycles that were not returned before and wait for nothing more; with `is_final` also
    /// those that wait or are open. `unknown` describes an unknown end.
    pub fn take_ended(&mut self, is_final: bool, unknown: &str) -> Vec<EndedCycle> {
        let mut all_ended = Vec::new();
        let waiting = if is_final { HashSet::new() } else { self.waiting_for_files() };
        for process in self.processes.values() {
            let end = self.end_of(process);
            for &cycle in &process.cycles {
                let key = (process.folder.clone(), cycle.number);
                let is_waiting = || waiting.contains(&key) || self.is_awaited(process, &cycle);
                if self.taken.contains(&key) || !is_final && is_waiting() {
                    continue;
                }
                let cause = match cycle.end {
                    Some(CycleEnd { is_whole: true, .. }) => None,
                    Some(CycleEnd { last_step, .. }) if process.ended.is_some() => {
                        Some(format!("the process ended or stopped recording after step {last_step}"))
                    }
                    Some(CycleEnd { last_step, .. }) => {
                        Some(format!("recording stopped in mid-cycle, after step {last_step}"))
                    }
                    None if is_final || self.has_ended_for_good(process, end) => {
                        self.cause(process, end, unknown)
                    }
                    None => continue,
                };
                if self.taken.insert(key) {
                    all_ended.push(EndedCycle {
                        folder: process.folder.clone(),
                        cycle,
                        cause,
                        end,
                        is_open: false,
                        since: None,
                    });
                }
            }
        }
        all_ended
    }

    /// True unless, by `end`, the process still runs, or how it ended is unknown but still awaited.
    fn has_ended_for_good(&self, process: &Process, end: ProcessEnd) -> bool {
        match end {
            ProcessEnd::Running => false,
            ProcessEnd::Unknown => !self.ends.is_awaited(&process.key),
            _ => true,
        }
    }

    /// Why a cycle that was open when its process or the capture ended is incomplete; `None` if it is
    /// complete. `unknown` is the cause for an unknown end.
    fn cause(&self, process: &Process, end: ProcessEnd, unknown: &str) -> Option<String> {
        // It could not report its end.
        if let Some(cut) = process.cut().filter(|_| process.ended.is_none()) {
            return Some(cut);
        }
        match end {
            // A cycle of a time window, or of a schedule without an end, ends with its program, and is
            // complete.
            ProcessEnd::Exited | ProcessEnd::Replaced if self.is_open_ended => None,
            ProcessEnd::Exited | ProcessEnd::Replaced => {
                let step = process.steps;
                Some(format!("the process ended or ran another program before step {step} ended"))
            }
            ProcessEnd::Killed(signal) => Some(child::killed_by(signal)),
            ProcessEnd::Running if process.is_foreign() => {
                let why = "the process was in another PID namespace, as in a container: whether and how it \
                    ended is not known";
                Some(why.into())
            }
            ProcessEnd::Running => Some("the process was still running when the capture ended".into()),
            ProcessEnd::Unknown => Some(unknown.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::process::start_of;
    use proftui_wire::live::BYTES;
    use proftui_wire::log::{Entry, Event};

    /// Makes a process with the test's own process id, with a cycle that ended `ago` ns before now, and these
    /// values on its live page.
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
            assert_eq!(tree.take_ended(false, "").len(), usize::from(!is_awaited), "{values:?}");
            assert_eq!(tree.take_ended(true, "").len(), usize::from(is_awaited), "each once");
            assert!(!tree.awaits_device_records());
        }
    }

    #[test]
    fn few_cycles_wait_for_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = process(folder.path(), 0, &[]);
        let (begin, first) = (process.cycles[0].start, process.cycles[0]);
        process.cycles.extend((2..=MOST_WAITING as u64 + 2).map(|number| Cycle { number, ..first }));
        process.own_profilers.take("1 began x", begin);
        let key = process.folder.clone();
        let processes = BTreeMap::from([(key.clone(), process)]);
        let mut tree = ProcessTree { processes, waits_for_files: true, ..ProcessTree::default() };
        let numbers =
            |ended: Vec<EndedCycle>| ended.iter().map(|ended| ended.cycle.number).collect::<Vec<_>>();
        assert_eq!(numbers(tree.take_ended(false, "")), [1, 2], "the earliest do not");
        let written = |process: &mut Process| process.own_profilers.take("1 written", begin);
        assert_eq!(tree.processes.get_mut(&key).map(written), Some(()));
        assert_eq!(tree.take_ended(false, "").len(), MOST_WAITING);
    }
}
