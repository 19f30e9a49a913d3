//! One file, event by event: a file of any size and with any damage, as traces are read.
//!
//! Must not know what else is known of its process.

use std::path::Path;

use crate::export::recording::Range;
use crate::export::recording::device::Allocation;
use crate::export::recording::operator_details::OperatorDetails;
use crate::import::{Progress, RawEvent, RawValue, Request, load, push_text};
use crate::model::{GroupKind, LaneId, Origin, SliceId, Trace};

use super::super::naming::Names;
use super::links::{self, Tie};
use super::memory::Balance;
use super::producer::{Producer, STEP, step};

/// What a file tells.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Ranges with their threads, those around others first.
    pub ranges: Vec<(u32, Range)>,
    /// Memory events with their threads.
    pub allocations: Vec<(u32, Allocation)>,
    /// What the profiler was asked for.
    pub asked: Vec<&'static str>,
    /// What could not be read, in words.
    pub faults: Vec<String>,
}

impl Told {
    /// How many events there are.
    pub(super) fn len(&self) -> u64 {
        (self.ranges.len() + self.allocations.len()) as u64
    }

    /// The thread of a fork, which frameworks know by the number of the parent's thread that forked: mostly its first.
    pub(super) fn renumber(&mut self, parent: Option<u32>, pid: u32) {
        let ranges = self.ranges.iter_mut().map(|(tid, _)| tid);
        for tid in ranges.chain(self.allocations.iter_mut().map(|(tid, _)| tid)) {
            if Some(*tid) == parent {
                *tid = pid;
            }
        }
    }
}

/// Kineto's words for what it was asked for, and ours.
const ASKED: [(&str, &str); 4] = [
    ("record_shapes", "shapes"),
    ("with_stack", "stack"),
    ("profile_memory", "memory"),
    ("with_flops", "flops"),
];

/// What a place in the file holds.
#[derive(Clone, Copy)]
enum Item {
    Slice(SliceId),
    Memory(u32),
}

/// Reads a file.
///
/// # Errors
/// In words, when nothing of it can be read.
pub(super) fn read(
    file: &Path,
    producer: Producer,
    names: &mut Names,
    details: &mut OperatorDetails,
) -> Result<Told, String> {
    let loaded = load(&Request::new([file]), &Progress::default()).map_err(|error| error.to_string())?;
    let trace = &loaded.trace;
    let items = items(trace);
    let origins: Vec<Origin> = items.iter().map(|item| item.0).collect();
    let told = Told::default();
    let (text, balance) = (String::new(), Balance::default());
    let mut reader = Reader { producer, trace, names, details, told, ties: Vec::new(), text, balance };
    let visited = loaded.texts.visit(&origins, |at, event| {
        let (_, tid, item) = items[at];
        match item {
            Item::Slice(slice) => reader.range(tid, slice, event),
            Item::Memory(number) => reader.memory(tid, number, event),
        };
    });
    let Reader { mut told, ties, .. } = reader;
    match visited {
        Ok(0) => {}
        Ok(missing) => told.faults.push(format!("{missing} events could not be read again")),
        Err(error) => told.faults.push(error.to_string()),
    }
    told.faults.extend(damage(trace));
    let is_on = |key: &str| trace.meta.header.iter().any(|(name, value)| name == key && value != "0");
    told.asked = ASKED.into_iter().filter(|(key, _)| is_on(key)).map(|(_, ours)| ours).collect();
    links::draw(ties, details);
    Ok(told)
}

/// What is to be read again, in the file's order, with its thread.
fn items(trace: &Trace) -> Vec<(Origin, u32, Item)> {
    let thread = |lane: LaneId| {
        let lane = &trace.lanes[lane as usize];
        let is_host = trace.groups[lane.group as usize].kind == GroupKind::Process;
        let number = std::str::from_utf8(trace.strings.bytes(lane.tid)).ok()?.parse::<u32>().ok()?;
        is_host.then_some(number)
    };
    let mut items = Vec::with_capacity(trace.slices.len() + trace.memory.len());
    for lane in 0..trace.lanes.len() as LaneId {
        let Some(tid) = thread(lane) else { continue };
        let slices = trace.lanes[lane as usize].slices.clone();
        items.extend(slices.map(|id| (trace.slices.origin[id as usize], tid, Item::Slice(id))));
    }
    for (number, memory) in (0..).zip(&trace.memory) {
        items.extend(thread(memory.lane).map(|tid| (memory.origin, tid, Item::Memory(number))));
    }
    items.sort_unstable_by_key(|item| item.0);
    items
}

/// What is wrong with the file, in words.
fn damage(trace: &Trace) -> Vec<String> {
    let damage = trace.quality.entries().filter(|(warning, _)| warning.is_damage());
    let mut faults: Vec<String> = damage
        .map(|(warning, entry)| format!("{} ({}, first: {})", warning.title(), entry.count, entry.first))
        .collect();
    if let Some(partial) = &trace.meta.partial {
        faults.push(format!("{} events left out for want of memory", partial.outside));
    }
    faults
}

struct Reader<'a> {
    producer: Producer,
    trace: &'a Trace,
    names: &'a mut Names,
    details: &'a mut OperatorDetails,
    told: Told,
    ties: Vec<Tie>,
    /// Members of the event at hand.
    text: String,
    balance: Balance,
}

impl Reader<'_> {
    fn range(&mut self, tid: u32, slice: SliceId, event: &RawEvent<'_, '_>) -> Option<()> {
        let slices = &self.trace.slices;
        let name = self.trace.strings.bytes(slices.name[slice as usize]);
        let kind = self.producer.kind(&event.field(b"cat")?.text(), name)?;
        let span = slices.span(slice);
        let (start, end) = (self.wall(span.start)?, self.wall(span.end)?);
        let is_cut = event.argument(b"finished").is_some_and(|value| value.text().as_ref() == b"false");
        let range = |name| Range { start, end, kind, name, is_cut };
        if let Some(number) = step(name).filter(|_| kind == STEP) {
            // As ours are called.
            let name = self.names.bytes(&[b"ProfileStep#", number].concat());
            self.told.ranges.push((tid, range(name)));
            return Some(());
        }
        self.members(event);
        // The engine's own range around a backward has its numbers, too.
        let is_tied = !name.starts_with(b"autograd::engine::");
        let mut name = self.names.bytes(name);
        if !self.text.is_empty() {
            name = self.details.add(name, &self.text);
        }
        let number = |key: &[u8]| event.argument(key).and_then(RawValue::integer);
        if let Some(sequence) = number(b"Sequence number").filter(|_| is_tied) {
            let forward_thread = number(b"Fwd thread id").unwrap_or_default();
            self.ties.push(Tie { start, sequence, forward_thread, tid, name });
        }
        self.told.ranges.push((tid, range(name)));
        Some(())
    }

    fn memory(&mut self, tid: u32, number: u32, event: &RawEvent<'_, '_>) -> Option<()> {
        let memory = &self.trace.memory[number as usize];
        let time = self.wall(memory.ts)?;
        let allocation = match self.producer {
            Producer::Kineto => {
                self.members(event);
                let text = self.details.keep(&self.text);
                Allocation { time, text, ..self.balance.kineto(memory, event) }
            }
            Producer::Paddle => {
                let place = self.trace.string_or(memory.place, "").to_string();
                Allocation { time, place, ..Balance::paddle(memory) }
            }
        };
        self.told.allocations.push((tid, allocation));
        Some(())
    }

    /// Notes what is told of an event, but for what Paddle writes of those of which it knows nothing.
    fn members(&mut self, event: &RawEvent<'_, '_>) {
        self.text.clear();
        for &(key, value) in event.arguments {
            let is_empty = self.producer == Producer::Paddle && matches!(value.text().as_ref(), b"" | b"{}");
            if is_empty {
                continue;
            }
            if !self.text.is_empty() {
                self.text.push(',');
            }
            push_text(key, &mut self.text);
            self.text.push(':');
            value.push_json(&mut self.text);
        }
    }

    /// A time of the file's, ns since 1970.
    fn wall(&self, ns: i64) -> Option<u64> {
        let epoch = self.trace.meta.epoch.unwrap_or_default();
        u64::try_from(ns.saturating_add(epoch)).ok()
    }
}
