//! Facts about a run and a cycle in the header of its trace.

use proftui_base::fmt;
use proftui_wire::device::reason::{FILE, KEY as REASON, OFF, RUN, WAIT};
use proftui_wire::log::NoteKind;
use proftui_wire::processor;

use super::TraceWriter;
use super::losses::stopped;
use crate::capture::cycle::CollectedCycle;
use crate::capture::gpu::{Gpu, sampler};
use crate::capture::process::cpu_usage::CpuUsage;
use crate::capture::process::ended::EndedCycle;
use crate::capture::process::{Process, is_plausible};

/// Key of the fact by which a process reports what ended its steps.
const STEP_ON: &str = "step_on";

impl TraceWriter {
    /// Facts about the run and a cycle for the header of its trace. The first of `processes` is the leader;
    /// `steps` are the first and last step in the recording.
    pub(super) fn run_facts(
        &self,
        processes: &[&Process],
        ended: &EndedCycle,
        collected: &CollectedCycle,
        steps: Option<(u64, u64)>,
    ) -> Vec<(String, String)> {
        let Some(&leader) = processes.first() else { return Vec::new() };
        // If no step ended in the cycle: the steps that it was to record.
        let planned = || (ended.cycle.first_step, ended.cycle.end.map_or(leader.steps, |end| end.last_step));
        let (first, last) = steps.unwrap_or_else(planned);
        let mut facts = Vec::new();
        let mut add = |key: &str, value: String| facts.push((key.to_owned(), value));
        let start = collected.kept_since.unwrap_or(ended.cycle.start);
        if let Some(usage) = self.usage(leader.pid, start, collected.last) {
            add("System Cpu Utilization", format!("{:.6}", usage.system));
            add("Process Cpu Utilization", format!("{:.6}", usage.process));
        }
        if let Some((running, processors)) = self.running(leader.pid, start, collected.last) {
            add("proftui.running", format!("{running:.1}"));
            add("proftui.processors", processors.to_string());
        }
        add("proftui.version", env!("CARGO_PKG_VERSION").into());
        add("proftui.command", self.command.clone());
        add("proftui.cycle", ended.cycle.number.to_string());
        add("proftui.steps", format!("{first}..{last}"));
        let processor = collected.processor_times();
        if !processor.is_empty() {
            add(processor::KEY, processor::text(&processor));
        }
        add("proftui.lost", collected.lost.to_string());
        for (key, value) in collected.counts.facts(&collected.recording) {
            add(&key, value);
        }
        if !collected.profiler_files.is_empty() {
            add("proftui.gpu.from", collected.profiler_files.join("; "));
        }
        if collected.kept_since.is_some() {
            let what =
                steps.map_or_else(|| "no step is whole".into(), |(first, _)| format!("from step {first} on"));
            let events = fmt::counted(collected.gone, "event");
            add("proftui.kept", format!("{what}; {events} outside the trace's time left out"));
        }
        if let Some(stop) = stopped(processes, ended.cycle.number) {
            add("proftui.stopped", stop);
        }
        if let Some(processes) = &collected.processes {
            add("proftui.processes", processes.clone());
        }
        if !collected.asked.is_empty() {
            add("proftui.ops.asked", collected.asked.iter().copied().collect::<Vec<_>>().join(","));
        }
        for fact in leader.notes_of(NoteKind::Fact) {
            // The reason for missing GPU records is added once, from the reports of all processes.
            let is_added = |(key, value): &(&str, &str)| {
                ![REASON, WAIT, FILE, RUN, OFF].contains(key) && is_plausible(key, value)
            };
            // A fact whose last value is empty no longer holds.
            let holds = |(key, _): &(&str, &str)| leader.fact(key).is_some_and(|last| !last.is_empty());
            if let Some((key, value)) = fact.split_once('=').filter(is_added).filter(holds) {
                add(&format!("proftui.{key}"), value.to_owned());
            }
        }
        if let Some(wait) = leader.fact(WAIT) {
            add(&format!("proftui.{WAIT}"), wait);
        }
        // Without steps of the leader, those of its children are the run's.
        let of_steps = || processes.iter().find_map(|process| process.fact(STEP_ON));
        if leader.fact(STEP_ON).is_none()
            && let Some(what) = of_steps()
        {
            add(&format!("proftui.{STEP_ON}"), what);
        }
        // Readers of traces know the rank by this key only.
        let is_stated = leader.fact("RANK").is_some_and(|rank| is_plausible("RANK", &rank));
        if let Some(rank) = leader.rank().filter(|_| !is_stated) {
            add("proftui.RANK", rank);
        }
        let gpu = self.gpu.as_ref().filter(|_| !leader.leaves_out_gpu(ended.cycle.number));
        let sampler = gpu.and_then(Gpu::sampler);
        let uses = sampler.map(|sampler| sampler.between(start, collected.last)).unwrap_or_default();
        uses.iter().flat_map(sampler::facts).for_each(|(key, value)| add(&key, value));
        let oddities = [NoteKind::Warning, NoteKind::Failure, NoteKind::NoStep]
            .into_iter()
            // The leader misses steps that its children ended.
            .filter(|kind| *kind != NoteKind::NoStep || steps.is_none())
            .flat_map(|kind| leader.notes_of(kind));
        let oddities = oddities.chain(leader.cut()).chain(collected.faults.iter().cloned());
        for (number, text) in (1..).zip(oddities) {
            add(&format!("proftui.note.{number}"), text);
        }
        facts
    }

    /// Processor use of process `pid` from about `start` to about `end` (ns of the monotonic clock), by the
    /// samples next to these times; `None` if these are not two.
    fn usage(&self, pid: u32, start: u64, end: u64) -> Option<CpuUsage> {
        let samples = self.samples.get(&pid)?;
        let before = samples.iter().rev().find(|sample| sample.0 <= start).or(samples.first())?;
        let after = samples.iter().find(|sample| sample.0 >= end).or(samples.last())?;
        (before.0 < after.0).then(|| after.1.since(&before.1))
    }

    /// How many threads of the whole system ran or were ready to run from `start` to `end` (ns of the
    /// monotonic clock), on average of the samples of process `pid` in that time, and how many processors the
    /// system has; `None` if there is no such sample.
    fn running(&self, pid: u32, start: u64, end: u64) -> Option<(f64, u64)> {
        let samples = self.samples.get(&pid)?.iter();
        let within = samples.filter(|(time, _)| (start..=end).contains(time)).map(|(_, sample)| sample);
        let (mut sum, mut count, mut processors) = (0, 0_u32, 0);
        for (running, sample) in within.filter_map(|sample| Some((sample.running?, sample))) {
            (sum, count, processors) = (sum + running, count + 1, sample.processors);
        }
        (count > 0).then(|| (sum as f64 / f64::from(count), processors))
    }
}
