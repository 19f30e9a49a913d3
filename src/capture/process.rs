//! One captured process, as its folder tells it: who it is, its cycles, what it wants to be told.
//!
//! Reads what was added since the last look; a process that was killed has said all that it will. Must not know what becomes of a
//! cycle.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proftui_wire::live::{Live, Word};
use proftui_wire::log::{self, Entry, Event, NoteKind};
use proftui_wire::names;
use proftui_wire::process_key::{self, ProcessKey};
use proftui_wire::schedule::State;

use super::monotonic;

/// What tells a process's rank, by whoever started it; the first that is there counts.
const RANKS: [&str; 5] = ["RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

/// A cycle of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its number, from 1.
    pub number: u64,
    /// When it began, ns of the monotonic clock.
    pub start: u64,
    /// The first step recorded.
    pub first_step: u64,
    /// How it ended; none while it is open.
    pub end: Option<CycleEnd>,
}

/// The end of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleEnd {
    /// When, ns of the monotonic clock.
    pub time: u64,
    /// The last step recorded.
    pub last_step: u64,
    /// False when it was cut short.
    pub is_whole: bool,
}

/// A file that grows: what was read of it.
#[derive(Debug, Default)]
struct Tail {
    at: u64,
    rest: Vec<u8>,
}

impl Tail {
    /// What was added since, after what was left over; `parse` says how much of it it took.
    fn read<T>(&mut self, path: &Path, parse: impl FnOnce(&[u8]) -> (T, usize)) -> io::Result<T> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(self.at))?;
        self.at += file.read_to_end(&mut self.rest)? as u64;
        let (parsed, used) = parse(&self.rest);
        self.rest.drain(..used);
        Ok(parsed)
    }
}

/// A captured process.
#[derive(Debug)]
pub struct Process {
    /// Its folder.
    pub folder: PathBuf,
    /// Its number.
    pub pid: u32,
    /// Tells it from a later one of the same number.
    pub key: ProcessKey,
    /// The process that started it, where it said so.
    pub parent: Option<u32>,
    /// The process whose cycles it follows; none for its own.
    pub leader: Option<ProcessKey>,
    /// Its cycles.
    pub cycles: Vec<Cycle>,
    /// The wall clock (ns since 1970) at times of the monotonic one.
    pub clocks: Vec<(u64, u64)>,
    /// Texts, by number less 1.
    pub names: Vec<Vec<u8>>,
    /// Names of threads, by number of the text.
    pub threads: HashMap<u64, u32>,
    /// What it had to say.
    pub notes: Vec<(NoteKind, u32)>,
    /// True once it ended in order.
    pub has_ended: bool,
    /// Steps that it went through.
    pub steps: u64,
    /// Ranges that cycles lost where there was no chunk to count them, by cycle; as far as the process told.
    lost: HashMap<u64, u64>,
    /// What became of records of devices, by cycle; as far as the process told.
    devices: HashMap<u64, log::DeviceCounts>,
    /// When it was found gone, ns of the monotonic clock; none where it was never seen alive.
    pub gone: Option<u64>,
    /// Whether it was there at the last look, before anything was read.
    was_alive: Option<bool>,
    /// The process numbers that its own is one of, 0 when not known; none before it said anything.
    namespace: Option<u64>,
    live: Live,
    log: Tail,
    list: Tail,
}

impl Process {
    /// The process of a folder; none where the folder's name is none of a process.
    pub fn of(folder: &Path) -> Option<Self> {
        let key: ProcessKey = folder.file_name()?.to_str()?.parse().ok()?;
        Some(Self {
            folder: folder.to_owned(),
            pid: key.pid,
            key,
            parent: None,
            leader: None,
            cycles: Vec::new(),
            clocks: Vec::new(),
            names: Vec::new(),
            threads: HashMap::new(),
            notes: Vec::new(),
            has_ended: false,
            steps: 0,
            lost: HashMap::new(),
            devices: HashMap::new(),
            gone: None,
            was_alive: None,
            namespace: None,
            live: Live::default(),
            log: Tail::default(),
            list: Tail::default(),
        })
    }

    /// Reads what was added.
    ///
    /// # Errors
    /// When a file that is there cannot be read.
    pub fn look(&mut self) -> io::Result<()> {
        // Asked first: of a process that is gone by now everything is read below, and never again.
        let is_alive = start_of(self.pid) == Some(self.key.start);
        if self.was_alive == Some(false) && self.namespace.is_some() {
            return Ok(());
        }
        // The log before the names: what it names stands in the list by then.
        let entries = self.log.read(&self.folder.join(process_key::LOG), log::entries);
        let names = self.list.read(&self.folder.join(process_key::NAMES), names::read);
        let page = std::fs::read(self.folder.join(process_key::LIVE));
        let (entries, names, page) = (there(entries), there(names), there(page));
        self.names.extend(names.as_deref().unwrap_or_default().iter().cloned());
        entries.as_deref().unwrap_or_default().iter().for_each(|&entry| self.take(entry));
        self.live = page.as_deref().map_or_else(|_| self.live, Live::read);
        self.steps = self.steps.max(self.live.get(Word::Step));
        // Of a foreign one nobody knows; it is there until it says that it ends.
        let is_alive = if self.is_foreign() { !self.has_ended } else { is_alive };
        if self.was_alive.replace(is_alive) == Some(true) && !is_alive {
            self.gone = Some(monotonic());
        }
        entries.map(drop).and(names.map(drop)).and(page.map(drop))
    }

    fn take(&mut self, Entry { time, event }: Entry) {
        match event {
            Event::Hello { ppid, leader, namespace } => {
                (self.leader, self.namespace) = (leader, Some(namespace));
                self.parent = u32::try_from(ppid).ok();
            }
            Event::Clock { wall } => self.clocks.push((time, wall)),
            Event::Step { step, .. } => self.steps = self.steps.max(step + 1),
            Event::Begin { cycle, step } => {
                self.cycles.push(Cycle { number: cycle, start: time, first_step: step, end: None });
            }
            Event::End { cycle, step, is_whole } => {
                if let Some(known) = self.cycles.iter_mut().find(|known| known.number == cycle) {
                    known.end = Some(CycleEnd { time, last_step: step, is_whole });
                }
            }
            Event::Thread { tid, name } => {
                self.threads.insert(tid, name);
            }
            Event::Note { kind, text } => self.notes.push((kind, text)),
            Event::Bye => self.has_ended = true,
            Event::Lost { cycle, ranges } => *self.lost.entry(cycle).or_default() += ranges,
            Event::Device(counts) => drop(self.devices.insert(counts.cycle, counts)),
        }
    }

    /// A text of the list.
    pub fn text(&self, number: u32) -> String {
        let name = (number as usize).checked_sub(1).and_then(|at| self.names.get(at));
        name.map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned())
    }

    /// The notes of a kind, as texts.
    pub fn notes_of(&self, kind: NoteKind) -> impl Iterator<Item = String> {
        self.notes.iter().filter(move |note| note.0 == kind).map(|note| self.text(note.1))
    }

    /// A fact that it told, `key=value`.
    pub fn fact(&self, key: &str) -> Option<String> {
        let value = |note: String| Some(note.strip_prefix(key)?.strip_prefix('=')?.to_owned());
        self.notes_of(NoteKind::Fact).filter_map(value).last()
    }

    /// Its place among the processes of its job, from 0.
    pub fn rank(&self) -> Option<String> {
        RANKS.into_iter().find_map(|key| self.fact(key))
    }

    /// Its live page, as of the last look.
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// Ranges that a cycle, which is over, lost where there was no chunk to count them: those that were told, those that have not
    /// ended. Of the last one only the page knows yet.
    pub fn lost(&self, cycle: u64, is_last: bool) -> u64 {
        let told: u64 = self.lost.values().sum();
        let rest = if is_last { self.live.get(Word::Lost).saturating_sub(told) } else { 0 };
        self.lost.get(&cycle).copied().unwrap_or_default() + rest + self.live.unfinished(cycle)
    }

    /// What became of a cycle's records of devices; none where it did not say, or records none.
    pub fn device(&self, cycle: u64) -> Option<&log::DeviceCounts> {
        self.devices.get(&cycle)
    }

    /// True while records of devices of a cycle that is over may still come.
    pub fn owes_device(&self, cycle: u64) -> bool {
        self.is_alive() && self.live.get(Word::Device) != 0 && self.live.get(Word::Flushed) < cycle
    }

    /// The wall clock's lead over the monotonic one, ns; from the reading nearest before `time`.
    pub fn lead(&self, time: u64) -> i64 {
        let before = self.clocks.iter().rev().find(|clock| clock.0 <= time).or(self.clocks.first());
        before.map_or(0, |&(mono, wall)| wall.cast_signed() - mono.cast_signed())
    }

    /// True while the process was there at the last look.
    pub fn is_alive(&self) -> bool {
        self.was_alive.unwrap_or_default()
    }

    /// True while a cycle is recorded, or is about to be.
    pub fn is_recording(&self) -> bool {
        let is_open = self.cycles.last().is_some_and(|cycle| cycle.end.is_none());
        self.is_alive() && (is_open || self.live.get(Word::State) != State::Closed as u64)
    }

    /// True for one whose number is none of ours: one of a container, say.
    pub fn is_foreign(&self) -> bool {
        let theirs = self.namespace.filter(|&theirs| theirs != 0);
        theirs.is_some_and(|theirs| namespace().is_some_and(|ours| ours != theirs))
    }
}

/// What was read; nothing of a file that is not there.
fn there<T: Default>(read: io::Result<T>) -> io::Result<T> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        other => other,
    }
}

/// The process numbers that ours is one of.
fn namespace() -> Option<u64> {
    static OURS: OnceLock<Option<u64>> = OnceLock::new();
    *OURS.get_or_init(|| Some(std::fs::metadata("/proc/self/ns/pid").ok()?.ino()))
}

/// When a process that is there started, in the system's ticks. One that has ended and that nobody has asked about is not there.
pub fn start_of(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let has_ended = stat.rsplit_once(')')?.1.trim_start().starts_with(['Z', 'X']);
    stat_field(&stat, 22).filter(|_| !has_ended)
}

/// A field of `/proc/PID/stat`, counted from 1 as its manual does; its second one may hold anything, in parentheses.
pub(super) fn stat_field(stat: &str, number: usize) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(number - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_whatever_the_program_is_called() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20";
        assert_eq!(stat_field(stat, 22), Some(777));
        assert_eq!(stat_field("no process", 22), None);
        assert!(start_of(std::process::id()).is_some_and(|start| start > 0));
    }
}
