//! Collects one cycle into a recording: the chunks of its processes, on the wall clock, sorted, with device
//! work, operators, and the GPU work in the files of the script's own profilers.
//!
//! Must not know the formats and files of traces.

mod collectives;
pub mod device;
pub mod newest_cycles;
pub mod operators;
mod profiler_files;
mod ring;
mod threads;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use proftui_wire::chunk::{Chunk, Range as Spooled, STEP_KIND, STEP_NAME, Unreadable, stack_version};
use proftui_wire::kinds;
use proftui_wire::live::{Live, Word};
use proftui_wire::outside::{START_UP, TEARDOWN};

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_trace::export::recording::operator_details::OperatorDetails;
use proftui_trace::export::recording::{Range, Recording, Thread};

use super::process::Process;
use crate::capture::files::chunk_file;
use crate::capture::process::name_table::NameTable;
use crate::capture::process::titles::titles;
use crate::capture::system::clock::to_wall;
use device::DeviceCollector;
use device::facts::Counts;
use ring::Bounds;

/// Paddle's number of the kind `ProfileStep`.
const STEP: u16 = STEP_KIND as u16;
/// Paddle's number of the kind `PythonUserDefined`.
const USER: u16 = 14;

/// A cycle as it was collected from the files of its processes.
#[derive(Debug, Default)]
pub struct CollectedCycle {
    /// The recording made from the files, without facts.
    pub recording: Recording,
    /// Number of ranges in the recording, operators included, but not those that are there by chance: garbage
    /// collections and imports. A cycle with these alone has nothing of the program.
    pub ranges: u64,
    /// Number of events in the device and operator files: device work, calls, synchronizations, overheads,
    /// memory events, and operators, which count as ranges, too.
    pub events: u64,
    /// Counts of device records that were lost, dropped, unknown or incomplete.
    pub counts: Counts,
    /// What frameworks' own profilers were asked to record: `shapes`, `stack`, `memory`, `flops`.
    pub asked: BTreeSet<&'static str>,
    /// True if a framework's profiler was to record operators, and the cycle's leader left no complete file
    /// of them.
    pub lacks_operators: bool,
    /// Number of ranges that were lost, as chunks and processes report.
    pub lost: u64,
    /// Where the recording begins later than the cycle, since a ring did not keep what was before: the time
    /// at which the recording begins, ns of the monotonic clock; `None` elsewhere.
    pub kept_since: Option<u64>,
    /// Number of ranges and device records that a ring did not keep, or that were left out of the recording
    /// since they are not within its times; 0 where `kept_since` is `None`.
    pub gone: u64,
    /// End of the cycle, or the time of its last event if the end is not known; ns of the monotonic clock.
    pub last: u64,
    /// How the cycle's processes ended, in words; `None` if there is only one.
    pub processes: Option<String>,
    /// Number of the cycle's processes that ended without writing their last device records.
    pub without_device_records: usize,
    /// Files of the script's own profilers from which GPU work was added, each with the profiler and the
    /// number of events.
    pub profiler_files: Vec<String>,
    /// Messages about files that could not be read, or are damaged.
    pub faults: Vec<String>,
    /// Paths of all files that belong to the cycle, unreadable ones included.
    pub files: Vec<PathBuf>,
}

impl CollectedCycle {
    /// Numbers of the first and the last step of the recording, by its `ProfileStep` ranges; `None` if it has
    /// no such range.
    pub fn steps(&self) -> Option<(u64, u64)> {
        let names = &self.recording.names;
        let number = |range: &Range| -> Option<u64> {
            let name = names.get(range.name as usize)?;
            std::str::from_utf8(name).ok()?.strip_prefix(STEP_NAME)?.parse().ok()
        };
        let steps = self.recording.threads.iter().flat_map(|thread| &thread.ranges);
        let steps = steps.filter(|range| range.kind == STEP);
        let widened = |found: Option<(u64, u64)>, step| {
            Some(found.map_or((step, step), |(first, last)| (first.min(step), last.max(step))))
        };
        steps.filter_map(number).fold(None, widened)
    }

    /// Makes plain ranges (`PythonUserDefined`) of the steps of all processes but the leader, since the
    /// leader's steps are those of the run. Changes nothing if the leader has no step in the recording: then
    /// the steps of the others are those of the run.
    pub fn choose_steps(&mut self, leader: &Process) {
        let is_step = |range: &Range| range.kind == STEP;
        let threads = &mut self.recording.threads;
        if !threads.iter().any(|thread| thread.pid == leader.pid && thread.ranges.iter().any(is_step)) {
            return;
        }
        let others = threads.iter_mut().filter(|thread| thread.pid != leader.pid);
        for range in others.flat_map(|thread| &mut thread.ranges).filter(|range| is_step(range)) {
            range.kind = USER;
        }
    }

    /// For a leader that did not report its end: adds the time after its last step, as a range on its main
    /// thread. If the process exited (`is_exit`), that is its teardown, else the step in which it died, with
    /// the start-up before it if that is the first step. Adds nothing if the time began before `cycle_start`
    /// (ns of the monotonic clock), if the recording has the step already, or in step 0 if the process exited
    /// or others end the steps for it. The log has only steps that ended; the unfinished one is known from
    /// the live page.
    pub fn add_last_step(&mut self, leader: &Process, cycle_start: u64, is_exit: bool) {
        let live = leader.live();
        let (began, step) = (live.get(Word::Began), live.get(Word::Step));
        let has_others = live.get(Word::Followed) > 0;
        let is_there = !is_exit && self.steps().is_some_and(|(_, last)| last >= step);
        if began < cycle_start || is_there || step == 0 && (is_exit || has_others) {
            return;
        }
        self.last = self.last.max(began);
        if is_exit {
            return self.add(leader, (began, self.last), USER, TEARDOWN, false);
        }
        if step == 0 {
            self.add(leader, (cycle_start, began), USER, START_UP, false);
        }
        self.add(leader, (began, self.last), STEP, &format!("{STEP_NAME}{step}"), true);
    }

    /// Adds a range on the leader's main thread; `times` are its start and end, ns of the monotonic clock;
    /// `is_cut` is true for a range that had not ended.
    fn add(&mut self, leader: &Process, times: (u64, u64), kind: u16, name: &str, is_cut: bool) {
        let offset = leader.clock_offset(self.last);
        let recording = &mut self.recording;
        let number = saturate::<u32>(recording.names.len());
        recording.names.push(name.as_bytes().to_vec());
        let (start, end) = (to_wall(times.0, offset), to_wall(times.1, offset));
        let range = Range { start, end, kind, name: number, is_cut, has_begun_before: false };
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

/// Ranges of one thread, from all of its chunks.
#[derive(Default)]
struct ThreadRanges {
    /// Ranges of the thread that have ended, from all chunks.
    ended: Vec<Spooled>,
    /// Index of the last chunk, whose open and lost ranges are those of the thread.
    last: u32,
    /// Ranges that were still open, from the last chunk.
    open: Vec<Spooled>,
    /// Number of ranges that the thread lost in the cycle, from the last chunk.
    lost: u64,
}

/// Most readings of one chunk. A chunk is read again until two readings have the same stack; after this many,
/// the last reading is used.
const READINGS: usize = 4;

/// Reads a chunk's file; its process may still be writing to it.
///
/// # Errors
/// The outer error is that of reading the file, the inner one that of decoding the chunk.
fn read(file: &Path) -> io::Result<Result<Chunk, Unreadable>> {
    let mut bytes = chunk_file::read(file)?;
    for _ in 1..READINGS {
        let again = chunk_file::read(file)?;
        let is_settled = stack_version(&again) == stack_version(&bytes);
        bytes = again;
        if is_settled {
            break;
        }
    }
    Ok(Chunk::read(&bytes))
}

/// True for a range of the time before the count of steps began anew, with a step that began at `first` (ns
/// of the monotonic clock): a step that ended at `first` or before, and a start-up that ended before `first`.
/// The start-up that ends at `first` belongs to the new count.
fn is_uncounted(process: &Process, range: &Spooled, first: u64) -> bool {
    let Some(end) = range.end else { return false };
    let is_step = u16::from(range.tag.kind()) == STEP;
    is_step && end <= first || end < first && process.text(range.tag.name()) == START_UP
}

/// The time that a cycle is collected of, ns of the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// When the cycle began.
    pub start: u64,
    /// When the cycle ended; `None`: with its last event.
    pub end: Option<u64>,
    /// The time before which nothing is wanted; `None`: the start of the last steps that a ring of steps is
    /// to keep, and without such a ring no time.
    pub since: Option<u64>,
    /// True if the cycle goes on after the end: what is later is left out.
    pub is_open: bool,
}

impl Extent {
    /// A whole cycle that began at 0 and has this end; `None`: it ends with its last event.
    pub fn whole(end: Option<u64>) -> Self {
        Self { start: 0, end, since: None, is_open: false }
    }
}

/// The ranges of each thread in cycle number `cycle`, by the index of its process in `processes` and the
/// thread's id. Adds the files and faults to `collected`.
fn read_ranges(
    processes: &[&Process],
    cycle: u64,
    collected: &mut CollectedCycle,
) -> BTreeMap<(usize, u32), ThreadRanges> {
    let mut by_thread: BTreeMap<(usize, u32), ThreadRanges> = BTreeMap::new();
    for (index, process) in processes.iter().enumerate() {
        let prefix = format!("c{cycle}.t");
        let files = std::fs::read_dir(&process.folder).into_iter().flatten().flatten();
        let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&prefix));
        for file in own.map(|file| file.path()) {
            match read(&file) {
                Ok(Ok(chunk)) => {
                    let ranges = by_thread.entry((index, chunk.header.tid)).or_default();
                    ranges.ended.extend(chunk.ended);
                    if chunk.header.index >= ranges.last {
                        (ranges.last, ranges.open, ranges.lost) =
                            (chunk.header.index, chunk.open, chunk.lost);
                    }
                }
                // A process that was killed while it created a chunk leaves a file without a header.
                Ok(Err(Unreadable::Short | Unreadable::Foreign)) => {}
                Ok(Err(why)) => collected.faults.push(format!("{}: {why}", file.display())),
                // A ring has removed it meanwhile, which is known below.
                Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
                Err(why) => collected.faults.push(format!("{}: {why}", file.display())),
            }
            collected.files.push(file);
        }
    }
    by_thread
}

/// Collects cycle number `cycle` of `processes`: the leader, then the processes that follow it. Left out are
/// what a ring has only in part, and followers that have nothing but garbage collections and imports.
pub fn collect(processes: &[&Process], cycle: u64, extent: Extent) -> CollectedCycle {
    let mut collected = CollectedCycle::default();
    let mut names = NameTable::default();
    let mut devices = device::collect(processes, cycle, &mut names);
    collected.events = devices.events();
    collected.files.append(&mut devices.files);
    collected.faults.append(&mut devices.faults);
    let by_thread = read_ranges(processes, cycle, &mut collected);
    let last_of = |ranges: &ThreadRanges| {
        let ended = ranges.ended.iter().filter_map(|range| range.end);
        ended.chain(ranges.open.iter().map(|range| range.start)).max()
    };
    let last = || by_thread.values().filter_map(last_of).max().unwrap_or_default().max(devices.last);
    collected.last = extent.end.unwrap_or_else(last);
    devices.finish(processes, collected.last);
    let (mut nameless, mut details) = (0, OperatorDetails::default());
    for ((index, tid), mut found) in by_thread {
        let process = processes[index];
        if let Some(&first) = process.restarts.get(&cycle) {
            found.ended.retain(|range| !is_uncounted(process, range, first));
        }
        collected.lost += found.lost;
        let offset = process.clock_offset(collected.last);
        let last_of_thread = last_of(&found);
        // What is open in a process that ended before the cycle is cut there.
        let cut =
            if index == 0 { None } else { process.end().or(last_of_thread.filter(|_| !process.is_alive())) };
        let end = cut.map_or(collected.last, |cut| cut.min(collected.last));
        let open = found.open.into_iter().filter(|range| range.start <= collected.last);
        let ranges: Vec<Range> = (found.ended.into_iter().chain(open))
            .map(|range| {
                nameless += u64::from(range.tag.name() == 0);
                Range {
                    start: to_wall(range.start, offset),
                    end: to_wall(range.end.unwrap_or(end).max(range.start), offset),
                    kind: if range.tag.name() == 0 { USER } else { range.tag.kind().into() },
                    name: match range.tag.kind() {
                        STEP_KIND if process.text(range.tag.name()) == STEP_NAME => {
                            names.text(&format!("{STEP_NAME}{}", range.number))
                        }
                        kinds::COMMUNICATION => collectives::name(
                            &process.text(range.tag.name()),
                            range.number,
                            &mut names,
                            &mut details,
                        ),
                        _ => names.number(index, process, range.tag.name()),
                    },
                    is_cut: range.end.is_none(),
                    has_begun_before: false,
                }
            })
            .collect();
        devices.threads.entry((index, tid)).or_default().ranges = ranges;
    }
    if nameless > 0 {
        let ranges = fmt::counted(nameless, "range");
        collected.faults.push(format!(
            "{ranges} without a name: a process keeps at most {} names, and {} MiB of them",
            fmt::count(proftui_wire::names::MOST_NAMES as u64),
            proftui_wire::names::MOST_BYTES >> 20
        ));
    }
    let operators = operators::collect(processes, cycle, &mut names, details, &mut devices.threads);
    collected.events += operators.events;
    collected.files.extend(operators.files);
    collected.faults.extend(operators.faults);
    (collected.asked, collected.lacks_operators) = (operators.asked, operators.are_missing);
    collected.recording.details = operators.details;
    devices.attach(processes, &mut names, &mut collected.recording.details);
    add_profiler_files(&mut collected, processes, extent.start, &mut names, &mut devices);
    // A child with nothing but garbage collections and imports is in no trace.
    let active: BTreeSet<usize> = devices
        .threads
        .iter()
        .filter(|(_, thread)| is_active(thread))
        .map(|(&(index, _), _)| index)
        .collect();
    for ((index, tid), thread) in devices.threads {
        if index != 0 && !active.contains(&index) {
            continue;
        }
        let process = processes[index];
        let name = process.threads.get(&u64::from(tid)).map_or_else(String::new, |&name| process.text(name));
        let mut thread = Thread { pid: process.pid, tid, name, ..thread };
        thread.sort();
        collected.recording.threads.push(thread);
    }
    collected.recording.titles = titles(processes);
    collected.recording.devices = devices.devices;
    collected.counts = devices.counts;
    collected.recording.names = names.all;
    collected.recording.index = saturate::<u32>(cycle.saturating_sub(1));
    trim(&mut collected, processes, extent);
    let ranges = collected.recording.threads.iter().flat_map(|thread| &thread.ranges);
    collected.ranges = ranges.filter(|range| !kinds::is_by_chance(range.kind)).count() as u64;
    collected
}

/// True if a thread has more than what is there by chance.
fn is_active(thread: &Thread) -> bool {
    let Thread { ranges, calls, syncs, overheads, allocations, .. } = thread;
    ranges.iter().any(|range| !kinds::is_by_chance(range.kind))
        || !(calls.is_empty() && syncs.is_empty() && overheads.is_empty() && allocations.is_empty())
}

/// Adds the GPU work that scripts' own profilers wrote to files, of a cycle that began at `start` (ns of the
/// monotonic clock).
fn add_profiler_files(
    collected: &mut CollectedCycle,
    processes: &[&Process],
    start: u64,
    names: &mut NameTable,
    devices: &mut DeviceCollector,
) {
    let times = (start, collected.last);
    let numbers = std::mem::take(&mut devices.numbers);
    let number = |of, id| numbers.get(&(of, id)).copied().unwrap_or(id);
    let added =
        profiler_files::add(processes, times, &number, names, &mut devices.devices, &mut devices.threads);
    collected.events += added.events;
    devices.counts.is_there |= added.events > 0;
    collected.faults.extend(added.faults);
    collected.profiler_files = added.from;
}

/// Leaves out what a ring has only in part, and what happened after the end of a cycle that goes on.
fn trim(collected: &mut CollectedCycle, processes: &[&Process], extent: Extent) {
    let Some(&leader) = processes.first() else { return };
    // Read now: what the rings have removed while the files were read was removed before this.
    let pages: Vec<Live> = processes.iter().map(|process| process.live_now()).collect();
    let removed = pages.iter().map(|page| page.get(Word::Since)).max().unwrap_or_default();
    let of_leader = pages.first().map_or(0, |page| page.get(Word::Kept));
    // Where its children end the steps, the last ones are theirs.
    let of_any = pages.iter().map(|page| page.get(Word::Kept)).max().unwrap_or_default();
    let kept = extent.since.unwrap_or(if of_leader > 0 { of_leader } else { of_any });
    let gone = pages.iter().fold(0_u64, |sum, page| sum.saturating_add(page.get(Word::Gone)));
    let since = removed.max(kept);
    let offset = leader.clock_offset(collected.last);
    let wall = |time| to_wall(time, offset);
    let since = Some(since).filter(|&since| since > extent.start);
    let bounds = Bounds { since: since.map(wall), until: extent.is_open.then(|| wall(collected.last)) };
    if bounds == (Bounds { since: None, until: None }) {
        return;
    }
    let trimmed = ring::trim(&mut collected.recording, leader.pid, bounds, |range| range.kind == STEP);
    collected.events = collected.events.saturating_sub(trimmed.events);
    if let Some((since, begin)) = since.zip(trimmed.begin) {
        collected.kept_since = Some(since + begin.saturating_sub(wall(since)));
        collected.gone = gone.saturating_add(trimmed.ranges).saturating_add(trimmed.events);
    }
}

#[cfg(test)]
mod tests;
