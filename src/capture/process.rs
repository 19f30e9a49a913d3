//! One captured process, as the files in its folder describe it: identity, cycles, clocks, names, messages.
//!
//! Each look reads only the bytes added since the last look. Must not know how cycles are written.

pub mod cpu_usage;
mod cycle;
pub(super) mod ended;
pub(super) mod ends;
pub(crate) mod left;
pub(super) mod name_table;
pub mod own_profilers;
pub(super) mod states;
mod tail;
pub(super) mod titles;
pub mod tree;

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::OnceLock;

use proftui_wire::device::reason;
use proftui_wire::live::{Cut, Live, Word};
use proftui_wire::log::{self, Entry, Event, NoteKind};
use proftui_wire::names;
use proftui_wire::process_key::{self, ProcessKey};
use proftui_wire::schedule::State;

use crate::capture::process::own_profilers::OwnProfilers;
use crate::capture::system::clock::monotonic;
use tail::Tail;

pub use cycle::{Cycle, CycleEnd, SlowStep, Stop};

/// Keys of facts with a process's rank, as various launchers name it, the preferred key first.
const RANKS: [&str; 5] = ["RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

/// Keys of facts with other numbers of a training job: local rank and numbers of ranks.
const SIZES: [&str; 4] = ["LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "PADDLE_TRAINERS_NUM"];

/// A captured process, as far as its files were read.
#[derive(Debug)]
pub struct Process {
    /// Path of the process's folder in the run folder.
    pub folder: PathBuf,
    /// Process id.
    pub pid: u32,
    /// Identity of the process, unique even if its process id is used again.
    pub key: ProcessKey,
    /// Process id of the parent, as the process reports it; `None` before the report was read.
    pub parent: Option<u32>,
    /// The process that this process followed, or descends from by a fork, when its folder was made; it stays
    /// if the process becomes a leader later. `None` if it was a leader then, and before the report was read.
    pub leader: Option<ProcessKey>,
    /// The cycles of which this process is the leader, in order.
    pub cycles: Vec<Cycle>,
    /// Cycles that the process began for its leader, and numbers and ends of cycles that it ended, until they
    /// are moved to the leader.
    pub of_leader: (Vec<Cycle>, Vec<(u64, CycleEnd)>),
    /// Readings of both clocks, in order: monotonic (ns), wall (ns since 1970).
    pub clocks: Vec<(u64, u64)>,
    /// The process's list of texts (names and messages); number n, from 1, is at index n - 1.
    pub names: Vec<Vec<u8>>,
    /// By thread id, the number of the thread's latest name in the list of texts, from 1.
    pub threads: HashMap<u64, u32>,
    /// The facts, warnings and other notes that the process reports, in order: kind, and number of the text
    /// in the list of texts.
    pub notes: Vec<(NoteKind, u32)>,
    /// When the process closed its recorder, ns of the monotonic clock; `None` if it has not reported that.
    pub ended: Option<u64>,
    /// Cycles for which the process got no further chunk: number of the cycle, step, and number of the cause
    /// in the list of texts.
    full: Vec<(u64, u64, u32)>,
    /// The runs of the script's own GPU profilers in this process.
    pub own_profilers: OwnProfilers,
    /// The slow steps that the process reports, in order.
    pub slow: Vec<SlowStep>,
    /// Number of steps that have ended in this process or, if more, in its followers, as far as was read; may
    /// begin at 0 again.
    pub steps: u64,
    /// By cycle number, how many lost ranges the process's log reports.
    lost: HashMap<u64, u64>,
    /// By cycle number (0 outside cycles), when the step began at which steps were last numbered from 0
    /// again, ns of the monotonic clock.
    pub restarts: HashMap<u64, u64>,
    /// By cycle number, the counts of device records that the process's log reports.
    devices: HashMap<u64, log::DeviceCounts>,
    /// When a look first found that the process had ended, ns of the monotonic clock; `None` before, and if
    /// no look found it alive.
    pub gone: Option<u64>,
    /// When a look first found that the process had ended, ns of the monotonic clock, also if no look found
    /// it alive; `None` before.
    pub found_ended: Option<u64>,
    /// True if the process was alive at the last look, as far as known; `None` before the first look.
    was_alive: Option<bool>,
    /// Inode of the process's PID namespace, 0 if not known; `None` before its first log entry was read.
    namespace: Option<u64>,
    /// Copy of the process's live page, as of the last look.
    live: Live,
    /// Reader of the process's log file.
    log: Tail,
    /// Reader of the process's file of texts.
    list: Tail,
}

impl Process {
    /// Makes a process from its folder, without reading the folder; `None` if the folder's name is no
    /// [`ProcessKey`].
    pub fn of(folder: &Path) -> Option<Self> {
        let key: ProcessKey = folder.file_name()?.to_str()?.parse().ok()?;
        Some(Self {
            folder: folder.to_owned(),
            pid: key.pid,
            key,
            parent: None,
            leader: None,
            cycles: Vec::new(),
            of_leader: (Vec::new(), Vec::new()),
            clocks: Vec::new(),
            names: Vec::new(),
            threads: HashMap::new(),
            notes: Vec::new(),
            ended: None,
            full: Vec::new(),
            own_profilers: OwnProfilers::default(),
            slow: Vec::new(),
            steps: 0,
            lost: HashMap::new(),
            restarts: HashMap::new(),
            devices: HashMap::new(),
            gone: None,
            found_ended: None,
            was_alive: None,
            namespace: None,
            live: Live::default(),
            log: Tail::default(),
            list: Tail::default(),
        })
    }

    /// Reads what is new in the process's files, and checks whether the process is alive; usually does
    /// nothing once a look found that it had ended.
    ///
    /// # Errors
    /// When a file that is there cannot be read; what could be read counts.
    pub fn look(&mut self) -> io::Result<()> {
        // Checked before reading: if the process has ended by now, all that it wrote is read below.
        let is_alive = start_of(self.pid) == Some(self.key.start);
        if self.was_alive == Some(false) && self.namespace.is_some() {
            return Ok(());
        }
        // The log is read before the texts: a text is written before the log entry that refers to it.
        let entries = self.log.read(&self.folder.join(process_key::LOG), log::entries);
        let names = self.list.read(&self.folder.join(process_key::NAMES), names::read);
        let page = std::fs::read(self.folder.join(process_key::LIVE));
        let (entries, names, page) = (there(entries), there(names), there(page));
        self.names.extend(names.as_deref().unwrap_or_default().iter().cloned());
        entries.as_deref().unwrap_or_default().iter().for_each(|&entry| self.take(entry));
        self.live = page.as_deref().map_or_else(|_| self.live, Live::read);
        self.steps = self.steps.max(self.live.steps());
        // It cannot be checked whether a process in another PID namespace is alive: it counts as alive until
        // it reports its end.
        let is_alive = if self.is_foreign() { self.ended.is_none() } else { is_alive };
        if !is_alive {
            self.found_ended = self.found_ended.or_else(|| Some(monotonic()));
        }
        if self.was_alive.replace(is_alive) == Some(true) {
            self.gone = self.found_ended;
        }
        entries.map(drop).and(names.map(drop)).and(page.map(drop))
    }

    /// Updates the fields by one entry of the process's log.
    fn take(&mut self, Entry { time, event }: Entry) {
        match event {
            Event::Hello { ppid, leader, namespace } => {
                (self.leader, self.namespace) = (leader, Some(namespace));
                self.parent = u32::try_from(ppid).ok();
            }
            Event::Clock { wall } => self.clocks.push((time, wall)),
            Event::Step { step, .. } => self.steps = self.steps.max(step + 1),
            Event::Begin { cycle, step } => self.cycles.push(Cycle::begun(cycle, time, step)),
            Event::BeginFor { cycle, step } => self.of_leader.0.push(Cycle::begun(cycle, time, step)),
            Event::EndFor { cycle, step, is_whole } => {
                self.of_leader.1.push((cycle, CycleEnd { time, last_step: step, is_whole }));
            }
            Event::End { cycle, step, is_whole } => {
                if let Some(known) = self.cycles.iter_mut().find(|known| known.number == cycle) {
                    known.end = Some(CycleEnd { time, last_step: step, is_whole });
                }
            }
            Event::Thread { tid, name } => {
                self.threads.insert(tid, name);
            }
            Event::Note { kind, text } => {
                self.notes.push((kind, text));
                if let Some(report) =
                    self.text(text).strip_prefix(reason::RUN).and_then(|rest| rest.strip_prefix('='))
                {
                    self.own_profilers.take(report, time);
                }
            }
            Event::Bye => self.ended = Some(time),
            Event::Lost { cycle, ranges } => *self.lost.entry(cycle).or_default() += ranges,
            Event::Restart { began, cycle, is_dropped } => {
                self.steps = 0;
                self.restarts.insert(cycle, began);
                let known = self.cycles.iter_mut().find(|known| known.number == cycle);
                known.into_iter().for_each(|known| known.is_dropped = is_dropped);
            }
            Event::Full { cycle, step, why } => self.full.push((cycle, step, why)),
            Event::Slow { step, batch: length, median, since } => {
                self.slow.push(SlowStep { step, end: time, length, median, since });
            }
            Event::Device(counts) => drop(self.devices.insert(counts.cycle, counts)),
        }
    }

    /// The text with this number, from 1, in the process's list; empty for an unknown number.
    pub fn text(&self, number: u32) -> String {
        let name = (number as usize).checked_sub(1).and_then(|at| self.names.get(at));
        name.map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned())
    }

    /// The texts of all notes of a kind, in the order of the log.
    pub fn notes_of(&self, kind: NoteKind) -> impl Iterator<Item = String> {
        self.notes.iter().filter(move |note| note.0 == kind).map(|note| self.text(note.1))
    }

    /// The cycles for which the process got no further chunk, in the order of the log.
    pub fn stops(&self) -> impl Iterator<Item = Stop> {
        self.full.iter().map(|&(cycle, step, why)| Stop { cycle, step, why: self.text(why) })
    }

    /// Reads the process's live page now; if that fails, returns the copy of the last look.
    pub fn live_now(&self) -> Live {
        let page = std::fs::read(self.folder.join(process_key::LIVE));
        page.as_deref().map_or_else(|_| self.live, Live::read)
    }

    /// The value of the last fact `key=value` that the process reported; `None` if it reported none.
    pub fn fact(&self, key: &str) -> Option<String> {
        let value = |note: String| Some(note.strip_prefix(key)?.strip_prefix('=')?.to_owned());
        self.notes_of(NoteKind::Fact).filter_map(value).last()
    }

    /// True if the script's profiler asked for no GPU in the process's cycle with this number.
    pub fn leaves_out_gpu(&self, cycle: u64) -> bool {
        let off = format!("{}=cycle {cycle}", reason::OFF);
        self.notes_of(NoteKind::Fact).any(|fact| fact == off)
    }

    /// True if the process records, or recorded, the work of GPUs, as far as known.
    pub fn has_devices(&self) -> bool {
        self.live().get(Word::Device) != 0 || self.fact(reason::LIBRARY).is_some()
    }

    /// When the process closed its recorder, or else the time [`Process::gone`], ns of the monotonic clock;
    /// `None` if neither is known.
    pub fn end(&self) -> Option<u64> {
        self.ended.or(self.gone)
    }

    /// The process's rank in its training job, from 0, as text of at most nine digits; `None` if no plausible
    /// rank was reported.
    pub fn rank(&self) -> Option<String> {
        RANKS.into_iter().find_map(|key| self.fact(key).filter(|value| is_plausible(key, value)))
    }

    /// The copy of the process's live page, as of the last look.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// Which change of root folder or user kept the process from writing its files, or a child from making
    /// its own; `None` if none did.
    pub fn cut(&self) -> Option<String> {
        Some(match Cut::from_word(self.live.get(Word::Cut))? {
            Cut::Root => "a process changed its root folder (chroot)".to_owned(),
            Cut::User(user) => format!("a process changed its user (to {user})"),
        })
    }

    /// How many ranges of an ended cycle were lost that no chunk counts; `is_last` is true for the last
    /// cycle.
    pub fn lost(&self, cycle: u64, is_last: bool) -> u64 {
        let logged: u64 = self.lost.values().sum();
        let unlogged = if is_last { self.live.get(Word::Lost).saturating_sub(logged) } else { 0 };
        self.lost.get(&cycle).copied().unwrap_or_default() + unlogged + self.live.unfinished(cycle)
    }

    /// The counts of device records that the process reported for the cycle with this number, if any.
    pub fn device(&self, cycle: u64) -> Option<&log::DeviceCounts> {
        self.devices.get(&cycle)
    }

    /// True while the process is alive and may still write device records of the ended cycle with this
    /// number.
    pub fn may_write_device_records(&self, cycle: u64) -> bool {
        self.is_alive() && self.live.get(Word::Device) != 0 && self.live.get(Word::Flushed) < cycle
    }

    /// Clock offset (wall less monotonic, ns) by the last reading up to `time`, ns of the monotonic clock, or
    /// else by the first reading; 0 without readings.
    pub fn clock_offset(&self, time: u64) -> i64 {
        let before = self.clocks.iter().rev().find(|clock| clock.0 <= time).or(self.clocks.first());
        before.map_or(0, |&(mono, wall)| wall.cast_signed() - mono.cast_signed())
    }

    /// True if the process was alive at the last look, as far as known; false before the first.
    pub fn is_alive(&self) -> bool {
        self.was_alive.unwrap_or_default()
    }

    /// True if the process was alive at the last look, with a cycle open or its scheduler in another state
    /// than [`State::Closed`].
    pub fn is_recording(&self) -> bool {
        let is_open = self.cycles.last().is_some_and(|cycle| cycle.end.is_none());
        self.is_alive() && (is_open || self.live.get(Word::State) != State::Closed as u64)
    }

    /// True if the process is known to be in another PID namespace than proftui, as in a container.
    pub fn is_foreign(&self) -> bool {
        let theirs = self.namespace.filter(|&theirs| theirs != 0);
        theirs.is_some_and(|theirs| namespace().is_some_and(|ours| ours != theirs))
    }
}

/// False for a rank or a training job's size that is no number of at most nine digits; true for any other
/// fact.
pub fn is_plausible(key: &str, value: &str) -> bool {
    let is_number = !value.is_empty() && value.len() <= 9 && value.bytes().all(|byte| byte.is_ascii_digit());
    is_number || !RANKS.iter().chain(&SIZES).any(|known| *known == key)
}

/// Replaces the error that a file does not exist by an empty result.
fn there<T: Default>(read: io::Result<T>) -> io::Result<T> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        other => other,
    }
}

/// Inode of proftui's own PID namespace; `None` if the system does not show it.
fn namespace() -> Option<u64> {
    static OURS: OnceLock<Option<u64>> = OnceLock::new();
    *OURS.get_or_init(|| Some(std::fs::metadata("/proc/self/ns/pid").ok()?.ino()))
}

/// Start time of a process, in clock ticks since the system's start; `None` if there is no such process, or
/// only a zombie.
pub fn start_of(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let has_ended = stat.rsplit_once(')')?.1.trim_start().starts_with(['Z', 'X']);
    stat_field(&stat, 22).filter(|_| !has_ended)
}

/// The exit status of a zombie process; `None` if it is no zombie, or its status is not known.
pub(super) fn status_of_zombie(key: &ProcessKey) -> Option<ExitStatus> {
    let path = format!("/proc/{}", key.pid);
    let stat = std::fs::read_to_string(format!("{path}/stat")).ok()?;
    let is_zombie = stat.rsplit_once(')')?.1.trim_start().starts_with('Z');
    let is_own = std::fs::metadata(path).ok()?.uid() == rustix::process::geteuid().as_raw();
    let is_known = is_zombie && is_own && stat_field(&stat, 22) == Some(key.start);
    let status = stat_field(&stat, 52).filter(|_| is_known)?;
    Some(ExitStatus::from_raw(i32::try_from(status).ok()?))
}

/// Field `number` of `stat`, the text of `/proc/PID/stat`, counted from 1 as in proc(5); `None` if it is no
/// unsigned number. `number` must be at least 3.
pub(super) fn stat_field(stat: &str, number: usize) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(number - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_a_short_number() {
        for value in ["", "../../x", "-1", "1e3", "0000000001", "\u{663}", "3\n"] {
            assert!(!is_plausible("RANK", value) && !is_plausible("WORLD_SIZE", value), "{value:?}");
        }
        assert!(is_plausible("SLURM_PROCID", "007") && is_plausible("LOCAL_RANK", "999999999"));
        assert!(is_plausible("argv", "../../x"));
    }

    #[test]
    fn a_field_is_found_whatever_the_program_is_called() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(stat_field(stat, 22), Some(777));
        assert_eq!(stat_field("no process", 22), None);
        assert!(start_of(std::process::id()).is_some_and(|start| start > 0));
    }
}
