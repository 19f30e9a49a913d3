//! What a trace says of the records of devices that it was made of.

use proftui_wire::live::Word;

use super::super::process::Process;
use super::chunks::Read;
use crate::export::recording::Recording;
use crate::export::recording::launches::Launches;

/// What became of a cycle's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// True where some process recorded devices.
    pub is_there: bool,
    /// Records for which there was no room, or that were not to be read.
    pub lost: u64,
    /// Records that the device's tracing dropped.
    pub dropped: u64,
    /// Work that came with the cycle's and was not of it.
    pub outside: u64,
    /// Records of kinds that are not known.
    pub unknown: u64,
    /// Times that the device's tracing was refused memory.
    pub refused: u64,
    /// Work that had not ended when the recording did.
    pub unfinished: u64,
    /// Processes that did not say that all their records had come.
    pub unflushed: u64,
}

impl Counts {
    /// Adds those of a process.
    pub fn add(&mut self, read: &Read, process: &Process, cycle: u64) {
        add(&mut self.unknown, read.unknown);
        let has_recorder = process.live().get(Word::Device) != 0;
        self.is_there |= has_recorder || read.records > 0;
        let Some(told) = process.device(cycle) else {
            add(&mut self.lost, read.lost);
            self.unflushed += u64::from(read.records > 0);
            return;
        };
        self.is_there = true;
        add(&mut self.lost, told.lost.max(read.lost));
        add(&mut self.lost, told.kept.saturating_sub(read.records));
        add(&mut self.dropped, told.dropped);
        add(&mut self.outside, told.outside);
        add(&mut self.unknown, told.unknown);
        self.refused += u64::from(told.refused);
    }

    /// The facts, for a recording that has devices; `docs/formats.md` says what each is.
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
        let seldom = [
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

/// Adds a count that stands in a file, which damage may have made any number.
fn add(to: &mut u64, count: u64) {
    *to = to.saturating_add(count);
}
