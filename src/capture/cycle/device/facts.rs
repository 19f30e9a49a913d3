//! Counts of a cycle's device records, and the facts about them in a trace.

use proftui_wire::live::Word;

use super::chunks::Read;
use crate::capture::process::Process;
use proftui_trace::export::recording::Recording;
use proftui_trace::export::recording::device::{DeviceWork, Devices, GraphName};
use proftui_trace::export::recording::launches::Launches;

/// Counts of what the device records of a cycle lack, over all its processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// True if a process had a device recorder, or if device work or CUDA calls are known otherwise.
    pub is_there: bool,
    /// Number of records that were lost, as far as known.
    pub lost: u64,
    /// Number of records that CUPTI reports as dropped.
    pub dropped: u64,
    /// Number of records of device work that the recorder left out, since the work began before or after the
    /// cycle.
    pub outside: u64,
    /// Number of records that could not be decoded, usually of unknown kinds.
    pub unknown: u64,
    /// How often CUPTI asked for a buffer for records and got none.
    pub refused: u64,
    /// Number of pieces of device work for which CUPTI reported no end.
    pub unfinished: u64,
    /// Number of processes that left device records of the cycle, but no report about them.
    pub unflushed: u64,
}

impl Counts {
    /// Adds a process's counts in cycle number `cycle`, from its files (`read`) and its own report.
    pub fn add(&mut self, read: &Read, process: &Process, cycle: u64) {
        add(&mut self.unknown, read.unknown);
        let has_recorder = process.live().get(Word::Device) != 0;
        self.is_there |= has_recorder || read.records > 0;
        let Some(reported) = process.device(cycle) else {
            add(&mut self.lost, read.lost);
            self.unflushed += u64::from(read.records > 0);
            return;
        };
        self.is_there = true;
        add(&mut self.lost, reported.lost.max(read.lost));
        // A ring has removed records that were kept.
        if process.live().get(Word::Since) == 0 {
            add(&mut self.lost, reported.kept.saturating_sub(read.records));
        }
        add(&mut self.dropped, reported.dropped);
        add(&mut self.outside, reported.outside);
        add(&mut self.unknown, reported.unknown);
        self.refused += u64::from(reported.refused);
    }

    /// Facts (keys and values) about the device records of `recording`, explained in `docs/formats.md`; empty
    /// if `is_there` is false.
    pub fn facts(&self, recording: &Recording) -> Vec<(String, String)> {
        if !self.is_there {
            return Vec::new();
        }
        let joined = Launches::of(recording).counts(recording);
        let always = [
            ("work", joined.work),
            ("calls", joined.calls),
            ("launches_without_work", joined.idle_launches),
            ("work_without_launch", joined.orphans),
            ("graph_launches", joined.graph_launches),
            ("graph_work", joined.graph_work),
            ("lost", self.lost),
            ("dropped", self.dropped),
        ];
        let unified = &recording.devices.unified;
        let moved = unified.iter().filter(|event| event.is_migration()).filter_map(|event| event.bytes);
        let seldom = [
            ("graph_work_named", named(&recording.devices)),
            ("launched_by_device", joined.launched_there),
            ("unified_memory", unified.len() as u64),
            ("unified_memory_bytes", moved.fold(0, u64::saturating_add)),
            ("outside", self.outside),
            ("unknown", self.unknown),
            ("refused", self.refused),
            ("unfinished", self.unfinished),
            ("unflushed", self.unflushed),
        ];
        let seldom = seldom.into_iter().filter(|fact| fact.1 > 0);
        let facts = always.into_iter().chain(seldom);
        facts.map(|(key, count)| (format!("proftui.gpu.{key}"), count.to_string())).collect()
    }
}

/// How many pieces of device work that CUDA graphs launched have a known operator or range.
fn named(devices: &Devices) -> u64 {
    let is_named = |work: &&DeviceWork| devices.graph_name(work) != GraphName::default();
    if devices.graph_names.is_empty() { 0 } else { devices.work.iter().filter(is_named).count() as u64 }
}

/// Adds `count` to `to`, and saturates.
fn add(to: &mut u64, count: u64) {
    *to = to.saturating_add(count);
}
