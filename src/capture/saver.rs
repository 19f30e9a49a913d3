//! Writes cycles that are over as traces, with what is known beside their events.
//!
//! Must not know when a cycle is over.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use proftui_wire::device::reason::KEY as REASON;
use proftui_wire::log::NoteKind;

use crate::base::fmt;
use crate::export::recording::Recording;

use super::cycle::{Gathered, gather};
use super::family::{Family, Over};
use super::gpu::{Gpu, sampler};
use super::hooks::Hooks;
use super::monotonic;
use super::output::{self, Form, Output};
use super::process::Process;
use super::reason::{self, Told, why};
use super::status::Status;
use super::usage::{Sample, Usage};

/// Samples of processor use that are kept of a process: ten minutes of them.
const SAMPLES: usize = 3000;

/// Paddle's numbers of what frameworks do in a step: loading, forward, backward, optimizer.
const PHASES: [u16; 4] = [1, 9, 10, 11];

/// Why there is none of them.
const LOST_OPERATORS: &str =
    "its operators are lost: a process keeps them until a cycle ends, and this one was gone before";

/// What writes traces.
#[derive(Debug)]
pub struct Saver {
    /// Where they go.
    pub output: Output,
    /// The command line, as it may be written down.
    pub command: String,
    /// What is run with each.
    pub hooks: Hooks,
    /// Where is said what was written.
    pub status: Status,
    /// What was written.
    pub traces: Vec<PathBuf>,
    /// True once a trace had a phase of a framework in it.
    pub has_phases: bool,
    /// True once a trace could not be written: what it was made of must stay.
    pub has_failed: bool,
    /// What is known of GPUs from outside; none where nothing of them is wanted, or it is too late to ask.
    pub gpu: Option<Gpu>,
    /// True once it was said that operators of a cycle are lost.
    pub has_told_operators: bool,
    /// Processor use of processes, by time.
    pub samples: HashMap<u32, Vec<(u64, Sample)>>,
}

impl Saver {
    /// One that has written nothing.
    pub fn new(output: Output, command: String, on_trace_ready: Option<String>, status: Status) -> Self {
        let hooks = Hooks::new(on_trace_ready);
        let (traces, samples) = (Vec::new(), HashMap::new());
        let gpu = None;
        let (has_phases, has_failed, has_told_operators) = (false, false, false);
        Self {
            output,
            command,
            hooks,
            status,
            traces,
            has_phases,
            has_failed,
            gpu,
            has_told_operators,
            samples,
        }
    }

    /// Takes a sample of a process's use of processors, at `now` (ns of the monotonic clock).
    pub fn sample(&mut self, pid: u32, now: u64) {
        if let Some(sample) = Sample::of(pid) {
            let samples = self.samples.entry(pid).or_default();
            if samples.len() >= SAMPLES {
                samples.drain(..SAMPLES / 2);
            }
            samples.push((now, sample));
        }
    }

    /// Goes on with the person's command; how many traces it is not done with.
    pub fn turn_hooks(&mut self) -> usize {
        if let Some(complaint) = self.hooks.turn() {
            self.status.say(&complaint);
        }
        self.hooks.left()
    }

    /// Writes a cycle that is over, and lets go of what it was made of where that went well, unless `is_kept`. True where nothing
    /// that was recorded is missing.
    pub fn save(&mut self, family: &Family, over: &Over, is_kept: bool) -> bool {
        let Some((processes, mut gathered)) = gathered(family, over) else { return true };
        let is_empty = gathered.ranges + gathered.events == 0;
        if is_empty && let Some(words) = all_lost(&gathered) {
            self.status.say(&format!("cycle {}: no trace: {words}", over.cycle.number));
        }
        // A launcher, a helper: nothing happened in it that was to be recorded.
        let is_done = is_empty || self.write_cycle(&processes, over, &mut gathered);
        if is_done && !is_kept {
            gathered.files.iter().for_each(|file| drop(std::fs::remove_file(file)));
        }
        is_done
    }

    /// Writes a cycle that is over to this very path.
    ///
    /// # Errors
    /// When it cannot be written, in words.
    pub fn put(&mut self, family: &Family, over: &Over, form: Form, path: &Path) -> Result<(), String> {
        let (processes, mut gathered) = gathered(family, over).ok_or("its process is not known")?;
        self.describe(&processes, over, &mut gathered);
        output::write_to(path, form, &gathered.recording).map_err(|why| format!("{}: {why}", path.display()))
    }

    fn write_cycle(&mut self, processes: &[&Process], over: &Over, gathered: &mut Gathered) -> bool {
        let Some(&leader) = processes.first() else { return false };
        let what = self.describe(processes, over, gathered);
        let mut ranges = gathered.recording.threads.iter().flat_map(|thread| &thread.ranges);
        self.has_phases = self.has_phases || ranges.any(|range| PHASES.contains(&range.kind));
        self.write(&output::worker(leader.pid, leader.rank().as_deref()), &gathered.recording, &what)
    }

    /// Puts what is known beside the events; what there is, in words.
    fn describe(&mut self, processes: &[&Process], over: &Over, gathered: &mut Gathered) -> String {
        let Some(&leader) = processes.first() else { return String::new() };
        let steps = gathered.steps(leader.pid);
        let shown = steps
            .map_or_else(|| "all that was recorded".into(), |(first, last)| format!("steps {first}..{last}"));
        let work = gathered.recording.devices.work.len() as u64;
        let told = Told::by(leader.pid, processes, over.cycle.number, work, shown);
        gathered.recording.facts = self.facts(leader, over, gathered, steps);
        gathered.recording.facts.extend(self.reason(&told));
        gathered.recording.facts.extend(self.lost_operators(over, gathered));
        let of_devices = gathered.counts.lost.saturating_add(gathered.counts.dropped);
        let lost = match gathered.lost.saturating_add(of_devices) {
            0 => "none lost".to_owned(),
            lost => format!("{} lost", fmt::count(lost)),
        };
        let cause = over.cause.as_ref().map_or_else(String::new, |cause| format!("; incomplete: {cause}"));
        let work = match gathered.recording.devices.work.len() {
            0 => String::new(),
            1 => "1 piece of GPU work, ".to_owned(),
            work => format!("{} pieces of GPU work, ", fmt::count(work as u64)),
        };
        format!("{}, {work}{lost}{cause}", fmt::counted(gathered.ranges, "range"))
    }

    /// Writes a trace of `worker`, says `what` it is, and hands it on; true when it is there.
    pub fn write(&mut self, worker: &str, recording: &Recording, what: &str) -> bool {
        match self.output.write(worker, recording) {
            Ok(path) => {
                self.status.tell(&format!("{}: {what}", path.display()));
                self.hooks.add(path.clone());
                self.traces.push(path);
                true
            }
            Err(why) => {
                let folder = self.output.folder.display();
                self.has_failed = true;
                self.status.say(&format!("{folder}: no trace of {what}: {why}"));
                false
            }
        }
    }

    /// What stands beside the events of a trace.
    fn facts(
        &self,
        leader: &Process,
        over: &Over,
        gathered: &Gathered,
        steps: Option<(u64, u64)>,
    ) -> Vec<(String, String)> {
        // Of a cycle in which none ended, those that it was for.
        let meant = || (over.cycle.first_step, over.cycle.end.map_or(leader.steps, |end| end.last_step));
        let (first, last) = steps.unwrap_or_else(meant);
        let mut facts = Vec::new();
        let mut add = |key: &str, value: String| facts.push((key.to_owned(), value));
        if let Some(usage) = self.usage(leader.pid, over.cycle.start, gathered.last) {
            add("System Cpu Utilization", format!("{:.6}", usage.system));
            add("Process Cpu Utilization", format!("{:.6}", usage.process));
        }
        add("proftui.version", env!("CARGO_PKG_VERSION").into());
        add("proftui.command", self.command.clone());
        add("proftui.cycle", over.cycle.number.to_string());
        add("proftui.steps", format!("{first}..{last}"));
        add("proftui.lost", gathered.lost.to_string());
        for (key, value) in gathered.counts.facts(&gathered.recording) {
            add(&key, value);
        }
        if let Some(cause) = &over.cause {
            add("proftui.incomplete", cause.clone());
        }
        if !gathered.asked.is_empty() {
            add("proftui.ops.asked", gathered.asked.iter().copied().collect::<Vec<_>>().join(","));
        }
        for fact in leader.notes_of(NoteKind::Fact) {
            // The one reason comes of what all processes told.
            if let Some((key, value)) = fact.split_once('=').filter(|(key, _)| *key != REASON) {
                add(&format!("proftui.{key}"), value.to_owned());
            }
        }
        // Readers know one name for it.
        if let Some(rank) = leader.rank().filter(|_| leader.fact("RANK").is_none()) {
            add("proftui.RANK", rank);
        }
        let sampler = self.gpu.as_ref().and_then(Gpu::sampler);
        let uses =
            sampler.map(|sampler| sampler.between(over.cycle.start, gathered.last)).unwrap_or_default();
        uses.iter().flat_map(sampler::facts).for_each(|(key, value)| add(&key, value));
        let oddities = [NoteKind::Warning, NoteKind::Failure, NoteKind::NoStep]
            .map(|kind| leader.notes_of(kind))
            .into_iter()
            .flatten();
        for (number, text) in (1..).zip(oddities.chain(gathered.faults.iter().cloned())) {
            add(&format!("proftui.note.{number}"), text);
        }
        facts
    }

    /// Why there is nothing of GPUs, for a trace; said, too, if it was not said before.
    pub fn reason(&mut self, told: &Told) -> Vec<(String, String)> {
        let Some(why) = why(told, || self.gpu.as_ref().map(Gpu::here)) else { return Vec::new() };
        if let Some(news) = self.gpu.as_mut().and_then(|gpu| gpu.news(&why)) {
            self.status.tell(&news);
        }
        vec![(reason::CODE.into(), why.reason.code().into()), (reason::WORDS.into(), why.to_string())]
    }

    /// That the operators of a cycle are lost, for its trace; said, too, the first time. They are written when a cycle ends, by the
    /// process itself.
    fn lost_operators(&mut self, over: &Over, gathered: &Gathered) -> Option<(String, String)> {
        if over.cycle.end.is_some() || !gathered.lacks_operators {
            return None;
        }
        if !std::mem::replace(&mut self.has_told_operators, true) {
            self.status.say(&format!("cycle {}: {LOST_OPERATORS}", over.cycle.number));
        }
        Some(("proftui.ops.lost".to_owned(), LOST_OPERATORS.to_owned()))
    }

    /// Processor use between two times, from the samples around them.
    fn usage(&self, pid: u32, start: u64, end: u64) -> Option<Usage> {
        let samples = self.samples.get(&pid)?;
        let before = samples.iter().rev().find(|sample| sample.0 <= start).or(samples.first())?;
        let after = samples.iter().find(|sample| sample.0 >= end).or(samples.last())?;
        (before.0 < after.0).then(|| after.1.since(&before.1))
    }
}

/// A cycle that is over, and the processes that have a part in it, its own first; none where its process is not known.
fn gathered<'a>(family: &'a Family, over: &Over) -> Option<(Vec<&'a Process>, Gathered)> {
    let processes = family.with_followers(&over.folder);
    let leader = *processes.first()?;
    // What was still open when the process was gone ended then; of one that goes on, its time is up.
    let cut = leader.gone.or_else(|| leader.is_alive().then(monotonic));
    let end = over.cycle.end.map(|end| end.time).or(cut);
    let mut gathered = gather(&processes, over.cycle.number, end);
    let is_last = leader.cycles.last().is_some_and(|last| last.number == over.cycle.number);
    let elsewhere = processes.iter().map(|process| process.lost(over.cycle.number, is_last));
    gathered.lost += elsewhere.sum::<u64>();
    if over.cycle.end.is_none() && over.cause.is_some() {
        gathered.add_cut_step(leader, over.cycle.start);
    }
    Some((processes, gathered))
}

/// What was lost of a cycle of which there is nothing else; none where nothing was.
fn all_lost(gathered: &Gathered) -> Option<String> {
    let of_devices = gathered.counts.lost.saturating_add(gathered.counts.dropped);
    let counts = [(gathered.lost, "range"), (of_devices, "GPU record")];
    let lost = counts.into_iter().filter(|count| count.0 > 0).map(|(count, what)| fmt::counted(count, what));
    let lost = lost.collect::<Vec<_>>().join(" and ");
    let lost = (!lost.is_empty()).then(|| format!("{lost} lost, which is all"));
    let words: Vec<String> = lost.into_iter().chain(gathered.faults.iter().cloned()).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::device::facts::Counts;

    #[test]
    fn a_cycle_of_which_all_was_lost_is_told() {
        assert_eq!(all_lost(&Gathered::default()), None);
        let counts = Counts { lost: 1, dropped: 2, ..Counts::default() };
        let faults = vec!["/x/c1.g0: damaged, 9 bytes not read".to_owned()];
        let all = Gathered { lost: 1, counts, faults, ..Gathered::default() };
        assert_eq!(
            all_lost(&all).as_deref(),
            Some("1 range and 3 GPU records lost, which is all; /x/c1.g0: damaged, 9 bytes not read")
        );
    }
}
