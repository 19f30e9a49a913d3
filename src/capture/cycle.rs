//! Collects one cycle into a recording: the chunks of its processes, on the wall clock, sorted, with device
//! work, operators, and the GPU work in the files of the script's own profilers.
//!
//! Must not know the formats and files of traces.

mod collectives;
pub mod device;
pub mod newest_cycles;
pub mod operators;
mod processor;
mod profiler_files;
mod ring;
mod threads;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use proftui_wire::chunk::{Chunk, Range as Spooled, STEP_KIND, STEP_NAME, Unreadable, stack_version};
use proftui_wire::kinds;
use proftui_wire::live::{Live, Word};
use proftui_wire::outside::{START_UP, TEARDOWN};
use proftui_wire::processor::ProcessorTime;

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_trace::export::recording::operator_details::OperatorDetails;
use proftui_trace::export::recording::{Range, Recording, Thread};
use proftui_trace::model::nodetree::PYTHON_FUNCTION;

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
    /// The recording made from the files, without facts, which the trace writer adds.
    pub recording: Recording,
    /// Number of ranges in the recording, without garbage collections and imports.
    pub ranges: u64,
    /// Number of events in device and profiler files, such as device work and calls, and of ranges and memory
    /// events in operator files. Events left out by their times do not count, except ranges.
    pub events: u64,
    /// Counts of what the cycle's device records lack, by cause.
    pub counts: Counts,
    /// What frameworks' own profilers were asked to record, as far as their files state it: any of `shapes`,
    /// `stack`, `memory`, `flops`.
    pub asked: BTreeSet<&'static str>,
    /// True if the framework's profiler of the cycle's leader was to record operators by `--ops full`, and
    /// left no complete file of them.
    pub lacks_operators: bool,
    /// Processor time of steps, in order of threads and then of the steps' numbers, each with the process's
    /// id.
    pub processor: Vec<(u32, ProcessorTime)>,
    /// Number of ranges that were lost, as far as known.
    pub lost: u64,
    /// When the recording begins, ns of the monotonic clock, if it begins later than the cycle; `None` if it
    /// begins with the cycle.
    pub kept_since: Option<u64>,
    /// Number of ranges and events that the recording lacks since they lie outside its times; 0 where
    /// `kept_since` is `None`.
    pub gone: u64,
    /// Time up to which the cycle is collected, usually its end; ns of the monotonic clock.
    pub last: u64,
    /// How many processes there were and how they ended, such as `3 processes, 2 complete, 1 still running`;
    /// set by the trace writer, `None` for a single process.
    pub processes: Option<String>,
    /// Number of the cycle's processes that may have ended without writing their last device records; set by
    /// the trace writer.
    pub without_device_records: usize,
    /// Files of the script's own profilers from which events were added, each with the profiler and their
    /// number: `torch.profiler (/home/a/t.json), 12 events`.
    pub profiler_files: Vec<String>,
    /// Messages about what is missing, damaged or unreadable.
    pub faults: Vec<String>,
    /// Paths of the cycle's files of ranges, device records and operators, also of those that could not be
    /// read.
    pub files: Vec<PathBuf>,
}

impl CollectedCycle {
    /// The lowest and the highest number of a step in the recording; `None` if it has no numbered step.
    pub fn steps(&self) -> Option<(u64, u64)> {
        self.numbered().fold(None, |found, (_, step)| {
            Some(found.map_or((step, step), |(first, last): (u64, u64)| (first.min(step), last.max(step))))
        })
    }

    /// Processor time of the steps in the recording, in order of their numbers. Steps with one number, of
    /// several processes, have none.
    pub fn processor_times(&self) -> Vec<ProcessorTime> {
        let steps: HashSet<(u32, u64)> = self.numbered().collect();
        let is_there = |(pid, time): &&(u32, ProcessorTime)| steps.contains(&(*pid, time.first));
        let mut times: Vec<ProcessorTime> =
            self.processor.iter().filter(is_there).map(|(_, time)| *time).collect();
        times.sort_by_key(|time| time.first);
        let of_number = times.chunk_by(|one, next| one.first == next.first);
        of_number.filter(|same| same.len() == 1).flatten().copied().collect()
    }

    /// The numbers of the steps in the recording, each with the id of its process.
    fn numbered(&self) -> impl Iterator<Item = (u32, u64)> {
        let names = &self.recording.names;
        let number = |range: &Range| -> Option<u64> {
            let name = names.get(range.name as usize)?;
            std::str::from_utf8(name).ok()?.strip_prefix(STEP_NAME)?.parse().ok()
        };
        let of_thread = move |thread: &'_ Thread| {
            let steps = thread.ranges.iter().filter(|range| range.kind == STEP);
            steps.filter_map(|range| Some((thread.pid, number(range)?))).collect::<Vec<_>>()
        };
        self.recording.threads.iter().flat_map(of_thread)
    }

    /// Makes steps of processes other than the leader plain ranges (`PythonUserDefined`), if the leader has
    /// steps in the recording.
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

    /// Adds what followed the leader's last ended step: usually a step that had not ended or, after an exit
    /// (`is_exit`), the teardown. `cycle_start` is ns of the monotonic clock.
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

    /// Adds a range on the leader's main thread; `times` are its start and end, ns of the monotonic clock,
    /// and `is_cut` is true if it had not ended.
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

/// Ranges of one thread in one cycle, from all of its chunks.
#[derive(Default)]
struct ThreadRanges {
    /// Ranges of the thread that have ended, from all chunks.
    ended: Vec<Spooled>,
    /// Highest index of a chunk read so far; `open` and `lost` are from this chunk.
    last: u32,
    /// Ranges that had not ended, from the chunk with the highest index.
    open: Vec<Spooled>,
    /// Number of ranges that the thread lost in the cycle, from the chunk with the highest index.
    lost: u64,
}

/// Most readings of one chunk, which is read again until its open ranges have settled.
const READINGS: usize = 4;

/// Reads a chunk's file at least twice, until its [`stack_version`] is the same in two successive readings,
/// at most [`READINGS`] times.
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

/// True for a step, what was measured of it, or a start-up, that ended before the process began to count its
/// steps anew at `first`, ns of the monotonic clock.
fn is_uncounted(process: &Process, range: &Spooled, first: u64) -> bool {
    let Some(end) = range.end else { return false };
    let is_step = u16::from(range.tag.kind()) == STEP || processor::is_of(range.tag.kind());
    is_step && end <= first || end < first && process.text(range.tag.name()) == START_UP
}

/// The time range of a cycle that is to be collected, ns of the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// When the cycle began.
    pub start: u64,
    /// End of the time range; `None` for the latest time that the cycle's ranges and device records state.
    pub end: Option<u64>,
    /// The time before which the recording is not wanted; `None` if everything that rings are to keep is
    /// wanted.
    pub since: Option<u64>,
    /// True if the cycle goes on after `end`: what is later is left out.
    pub is_open: bool,
}

impl Extent {
    /// The extent of a cycle of which nothing is left out: it ended at `end`, or for `None` with its last
    /// event.
    pub fn whole(end: Option<u64>) -> Self {
        Self { start: 0, end, since: None, is_open: false }
    }
}

/// Reads the ranges of each thread in cycle number `cycle`, by the index of its process in `processes` and
/// the thread's id. Adds the files and faults to `collected`.
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

/// Collects what `extent` covers of cycle number `cycle` of `processes`, the leader first. The threads of a
/// follower with nothing but garbage collections and imports are left out.
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
        let times = processor::take(&mut found.ended);
        collected.processor.extend(times.into_iter().map(|time| (process.pid, time)));
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
                    kind: match range.tag.kind() {
                        _ if range.tag.name() == 0 => USER,
                        kinds::FUNCTION => saturate(PYTHON_FUNCTION),
                        kind => kind.into(),
                    },
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
            "{ranges} recorded without a name: the name is empty, or the process has more names than are kept"
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

/// True if a thread has anything but garbage collections and imports.
fn is_active(thread: &Thread) -> bool {
    let Thread { ranges, calls, syncs, overheads, allocations, .. } = thread;
    ranges.iter().any(|range| !kinds::is_by_chance(range.kind))
        || !(calls.is_empty() && syncs.is_empty() && overheads.is_empty() && allocations.is_empty())
}

/// Adds the cycle's GPU work and CUDA calls that scripts' own profilers wrote to files. The cycle began at
/// `start`, ns of the monotonic clock.
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

/// Leaves out what a ring has only in part and what `extent` excludes; sets `kept_since` and `gone` if the
/// recording's beginning is left out.
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
