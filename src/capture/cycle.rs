//! From the chunks of a cycle to a recording: whose they are, in order, in the wall clock's time.
//!
//! Must not know files of results.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use proftui_wire::chunk::{Chunk, Range as Spooled, Unreadable, stack_version};
use proftui_wire::live::Word;

use crate::export::recording::{Range, Recording, Thread};

use super::device::{self, facts::Counts};
use super::naming::Names;
use super::operators;
use super::process::Process;

/// Paddle's numbers for steps and for ranges that a script named.
const STEP: u16 = 2;
const USER: u16 = 14;

/// What came of a cycle.
#[derive(Debug, Default)]
pub struct Gathered {
    /// What was recorded.
    pub recording: Recording,
    /// Ranges in it.
    pub ranges: u64,
    /// What devices did in it, and what the host had to do with that.
    pub events: u64,
    /// What became of the records of devices.
    pub counts: Counts,
    /// What frameworks' own profilers were asked for.
    pub asked: BTreeSet<&'static str>,
    /// True where operators were to be told and are not.
    pub lacks_operators: bool,
    /// Ranges that were lost, by the count of those who lost them.
    pub lost: u64,
    /// When the last thing in it happened, ns of the monotonic clock.
    pub last: u64,
    /// What could not be read, in words.
    pub faults: Vec<String>,
    /// The files it was made of.
    pub files: Vec<PathBuf>,
}

impl Gathered {
    /// The first and the last step of a process in it.
    pub fn steps(&self, pid: u32) -> Option<(u64, u64)> {
        let names = &self.recording.names;
        let number = |range: &Range| -> Option<u64> {
            let name = names.get(range.name as usize)?;
            std::str::from_utf8(name).ok()?.strip_prefix("ProfileStep#")?.parse().ok()
        };
        let threads = self.recording.threads.iter().filter(|thread| thread.pid == pid);
        let steps = threads.flat_map(|thread| &thread.ranges).filter(|range| range.kind == STEP);
        let widened = |found: Option<(u64, u64)>, step| {
            Some(found.map_or((step, step), |(first, last)| (first.min(step), last.max(step))))
        };
        steps.filter_map(number).fold(None, widened)
    }

    /// Adds the step that was under way when the process died, on its main thread. Steps are written when they end; of one
    /// that does not only the process's page knows.
    pub fn add_cut_step(&mut self, leader: &Process, cycle_start: u64) {
        let live = leader.live();
        let (began, step) = (live.get(Word::Began), live.get(Word::Step));
        if began < cycle_start {
            return;
        }
        self.last = self.last.max(began);
        let lead = leader.lead(self.last);
        let wall = |time: u64| time.checked_add_signed(lead).unwrap_or(time);
        let recording = &mut self.recording;
        let name = recording.names.len() as u32;
        recording.names.push(format!("ProfileStep#{step}").into_bytes());
        let range = Range { start: wall(began), end: wall(self.last), kind: STEP, name, is_cut: true };
        let is_main = |thread: &&mut Thread| (thread.pid, thread.tid) == (leader.pid, leader.pid);
        if let Some(thread) = recording.threads.iter_mut().find(is_main) {
            thread.ranges.push(range);
            thread.sort();
        } else {
            let (pid, tid) = (leader.pid, leader.pid);
            recording.threads.push(Thread { pid, tid, ranges: vec![range], ..Thread::default() });
        }
        self.ranges += 1;
    }
}

/// A thread's part of a cycle.
#[derive(Default)]
struct Part {
    ended: Vec<Spooled>,
    /// Its last chunk: what that says of open and lost ranges holds.
    last: u32,
    open: Vec<Spooled>,
    lost: u64,
}

/// Most times that a chunk is read until nothing was written meanwhile; the last reading holds then.
const READINGS: usize = 4;

/// A chunk, be it still written to.
fn read(file: &Path) -> io::Result<Result<Chunk, Unreadable>> {
    let mut bytes = std::fs::read(file)?;
    for _ in 1..READINGS {
        let again = std::fs::read(file)?;
        let is_settled = stack_version(&again) == stack_version(&bytes);
        bytes = again;
        if is_settled {
            break;
        }
    }
    Ok(Chunk::read(&bytes))
}

/// The ranges of a cycle, of its process and of those that follow it. `end` is where it ended (ns of the monotonic clock); none where
/// nobody saw that: then the last thing that happened ends it.
pub fn gather(processes: &[&Process], cycle: u64, end: Option<u64>) -> Gathered {
    let mut gathered = Gathered::default();
    // By process and thread; a process is its place in the list: one that put another program in its place has two.
    let mut parts: BTreeMap<(usize, u32), Part> = BTreeMap::new();
    let mut names = Names::default();
    let mut devices = device::gather(processes, cycle, &mut names);
    gathered.events = devices.events();
    gathered.files.append(&mut devices.files);
    gathered.faults.append(&mut devices.faults);
    for (of, process) in processes.iter().enumerate() {
        let prefix = format!("c{cycle}.t");
        let files = std::fs::read_dir(&process.folder).into_iter().flatten().flatten();
        let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&prefix));
        for file in own.map(|file| file.path()) {
            match read(&file) {
                Ok(Ok(chunk)) => {
                    let part = parts.entry((of, chunk.header.tid)).or_default();
                    part.ended.extend(chunk.ended);
                    if chunk.header.index >= part.last {
                        (part.last, part.open, part.lost) = (chunk.header.index, chunk.open, chunk.lost);
                    }
                }
                // A process that is killed while it makes a chunk leaves one without a beginning.
                Ok(Err(Unreadable::Short | Unreadable::Foreign)) => {}
                Ok(Err(why)) => gathered.faults.push(format!("{}: {why:?}", file.display())),
                Err(why) => gathered.faults.push(format!("{}: {why}", file.display())),
            }
            gathered.files.push(file);
        }
    }
    let times = |part: &Part| {
        let ended = part.ended.iter().filter_map(|range| range.end);
        ended.chain(part.open.iter().map(|range| range.start)).max()
    };
    let last = || parts.values().filter_map(times).max().unwrap_or_default().max(devices.last);
    gathered.last = end.unwrap_or_else(last);
    devices.finish(processes, gathered.last);
    for ((of, tid), part) in parts {
        let process = processes[of];
        gathered.lost += part.lost;
        let lead = process.lead(gathered.last);
        let wall = |time: u64| time.checked_add_signed(lead).unwrap_or(time);
        let open = part.open.into_iter().filter(|range| range.start <= gathered.last);
        let ranges: Vec<Range> = (part.ended.into_iter().chain(open))
            .map(|range| Range {
                start: wall(range.start),
                end: wall(range.end.unwrap_or(gathered.last).max(range.start)),
                kind: if range.tag.name() == 0 { USER } else { range.tag.kind().into() },
                name: names.number(of, process, range.tag.name()),
                is_cut: range.end.is_none(),
            })
            .collect();
        devices.threads.entry((of, tid)).or_default().ranges = ranges;
    }
    let operators = operators::gather(processes, cycle, &mut names, &mut devices.threads);
    gathered.events += operators.events;
    gathered.files.extend(operators.files);
    gathered.faults.extend(operators.faults);
    (gathered.asked, gathered.lacks_operators) = (operators.asked, operators.are_missing);
    gathered.recording.details = operators.details;
    for ((of, tid), thread) in devices.threads {
        gathered.ranges += thread.ranges.len() as u64;
        let process = processes[of];
        let name = process.threads.get(&u64::from(tid)).map_or_else(String::new, |&name| process.text(name));
        let mut thread = Thread { pid: process.pid, tid, name, ..thread };
        thread.sort();
        gathered.recording.threads.push(thread);
    }
    gathered.recording.devices = devices.devices;
    gathered.counts = devices.counts;
    gathered.recording.names = names.all;
    gathered.recording.index = cycle.saturating_sub(1) as u32;
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_wire::chunk::{COUNTS, FRAME, Header, LOST, RECORD, RECORDS, RangeCounts, STACK, Tag};
    use proftui_wire::{log, names};

    /// A chunk as an agent leaves it.
    fn chunk(header: Header, ended: &[(u64, u64, Tag)], open: &[(u64, Tag)], lost: u64) -> Vec<u8> {
        let mut bytes = vec![0; RECORDS + (ended.len() + 4) * RECORD];
        bytes[..COUNTS].copy_from_slice(&header.bytes());
        let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        put(COUNTS, RangeCounts { records: ended.len() as u64, open: open.len() as u16 }.to_word());
        put(LOST, lost);
        for (at, (start, tag)) in open.iter().enumerate() {
            put(STACK + at * FRAME, *start);
            put(STACK + at * FRAME + 8, u64::from(tag.0));
        }
        for (at, (start, end, tag)) in ended.iter().enumerate() {
            put(RECORDS + at * RECORD, *start);
            put(RECORDS + at * RECORD + 8, *end);
            put(RECORDS + at * RECORD + 16, u64::from(tag.0));
        }
        bytes
    }

    fn process(place: &Path, name: &str, entries: &[(u64, log::Event)], list: &[&[u8]]) -> Process {
        let folder = place.join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let log = entries.iter().flat_map(|&(time, event)| log::Entry { time, event }.bytes());
        std::fs::write(folder.join("log"), log.collect::<Vec<u8>>()).expect("written");
        let list: Vec<u8> = list.iter().flat_map(|name| names::bytes(name)).collect();
        std::fs::write(folder.join("names"), list).expect("written");
        let mut process = Process::of(&folder).expect("a process's folder");
        process.look().expect("read");
        process
    }

    #[test]
    fn ranges_of_a_process_and_its_followers_become_one_recording() {
        let place = tempfile::tempdir().expect("a folder");
        let clock = (0, log::Event::Clock { wall: 1_000_000 });
        let named = (1, log::Event::Thread { tid: 11, name: 2 });
        let leader = process(place.path(), "10-5", &[clock, named], &[b"step", b"main"]);
        let child = process(
            place.path(),
            "20-6",
            &[clock, (2, log::Event::Hello { ppid: 10, leader: Some(leader.key), namespace: 0 })],
            &[b"load"],
        );
        let put = |process: &Process, name: &str, bytes: Vec<u8>| {
            std::fs::write(process.folder.join(name), bytes).expect("written");
        };
        let header = |pid, tid, index| Header { pid, tid, cycle: 2, index };
        let (outer, inner) = (Tag::new(2, 1), Tag::new(9, 1));
        put(&leader, "c2.t11.0", chunk(header(10, 11, 0), &[(120, 130, inner)], &[(100, outer)], 3));
        put(&leader, "c2.t11.1", chunk(header(10, 11, 1), &[(100, 150, outer)], &[(160, inner)], 3));
        put(&leader, "c2.t11.2", Vec::new());
        put(&leader, "c1.t11.0", chunk(header(10, 11, 0), &[(1, 2, outer)], &[], 0));
        put(&child, "c2.t21.0", chunk(header(20, 21, 0), &[(90, 95, Tag::new(1, 1))], &[], 0));

        let gathered = gather(&[&leader, &child], 2, Some(200));
        assert_eq!((gathered.ranges, gathered.lost, gathered.last), (4, 3, 200));
        assert_eq!((gathered.files.len(), gathered.faults.len()), (4, 0));
        let recording = &gathered.recording;
        let of = |thread: &Thread| -> Vec<(u64, u64, String, bool)> {
            let name =
                |range: &Range| String::from_utf8_lossy(&recording.names[range.name as usize]).into_owned();
            thread.ranges.iter().map(|r| (r.start, r.end, name(r), r.is_cut)).collect()
        };
        let step =
            |start: u64, end: u64, is_cut| (1_000_000 + start, 1_000_000 + end, "step".to_owned(), is_cut);
        assert_eq!(
            of(&recording.threads[0]),
            [step(100, 150, false), step(120, 130, false), step(160, 200, true)],
            "by start; what is open ends with the cycle"
        );
        assert_eq!(recording.threads[0].name, "main");
        assert_eq!(of(&recording.threads[1])[0].2, "load", "numbers of names are each process's own");

        let gathered = gather(&[&leader, &child], 2, None);
        assert_eq!(gathered.last, 160, "of a process that died, the last thing that happened");
    }
}
