//! Reads one operator file of a framework's profiler with the import of all traces, which bounds its memory
//! and accepts damaged files.
//!
//! Must not know anything else about the process that wrote the file.

use std::path::Path;

use proftui_base::fmt;
use proftui_trace::export::recording::Range;
use proftui_trace::export::recording::device::Allocation;
use proftui_trace::export::recording::operator_details::OperatorDetails;
use proftui_trace::import::{ImportError, Progress, RawEvent, RawValue, Request, load, push_text};
use proftui_trace::model::{Category, GroupKind, LaneId, Origin, SliceId, Trace};

use super::links::{self, Sequenced};
use super::memory::Balance;
use super::producer::{Producer, STEP, step};
use super::stack::Stacks;
use crate::capture::process::name_table::NameTable;

/// The host events of one operator file.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Ranges with their thread ids, in the order of the file.
    pub ranges: Vec<(u32, Range)>,
    /// Memory events with their thread ids, in the order of the file.
    pub allocations: Vec<(u32, Allocation)>,
    /// What the profiler was asked to record, as far as the file states it: any of `shapes`, `stack`,
    /// `memory`, `flops`.
    pub asked: Vec<&'static str>,
    /// Messages about damage of the file and about missing events.
    pub faults: Vec<String>,
}

impl Content {
    /// Number of ranges and memory events.
    pub(super) fn len(&self) -> u64 {
        (self.ranges.len() + self.allocations.len()) as u64
    }

    /// Replaces the thread id `parent` by `pid`, since frameworks in a forked process may still report the
    /// parent's thread.
    pub(super) fn renumber(&mut self, parent: Option<u32>, pid: u32) {
        let ranges = self.ranges.iter_mut().map(|(tid, _)| tid);
        for tid in ranges.chain(self.allocations.iter_mut().map(|(tid, _)| tid)) {
            if Some(*tid) == parent {
                *tid = pid;
            }
        }
    }
}

/// Keys in the header of Kineto's file that state what the profiler was asked to record, with our names.
const ASKED: [(&str, &str); 4] = [
    ("record_shapes", "shapes"),
    ("with_stack", "stack"),
    ("profile_memory", "memory"),
    ("with_flops", "flops"),
];

/// A slice or memory event of the loaded trace.
#[derive(Clone, Copy)]
enum Item {
    /// A slice, by its number in the trace.
    Slice(SliceId),
    /// A memory event, by its index in the trace's list.
    Memory(u32),
}

/// Reads an operator file, and adds its names, details and links of operators to `names` and `details`.
///
/// # Errors
/// When the file cannot be loaded as a trace.
pub(super) fn read(
    file: &Path,
    producer: Producer,
    names: &mut NameTable,
    details: &mut OperatorDetails,
) -> Result<Content, ImportError> {
    let loaded = load(&Request::new([file]), &Progress::default())?;
    let trace = &loaded.trace;
    let items = items(trace);
    let origins: Vec<Origin> = items.iter().map(|item| item.0).collect();
    let content = Content::default();
    let (text, balance) = (String::new(), Balance::default());
    let stacks = Stacks::of(trace);
    let mut reader =
        Reader { producer, trace, names, details, content, sequenced: Vec::new(), text, stacks, balance };
    let visited = loaded.texts.visit(&origins, |at, event| {
        let (_, tid, item) = items[at];
        match item {
            Item::Slice(slice) => reader.range(tid, slice, event),
            Item::Memory(number) => reader.memory(tid, number, event),
        };
    });
    let Reader { mut content, sequenced, .. } = reader;
    match visited {
        Ok(0) => {}
        Ok(missing) => content
            .faults
            .push(format!("{} left out: could not be read again", fmt::counted(missing, "event"))),
        Err(error) => content.faults.push(error.to_string()),
    }
    content.faults.extend(damage(trace));
    let is_on = |key: &str| trace.meta.header.iter().any(|(name, value)| name == key && value != "0");
    content.asked = ASKED.into_iter().filter(|(key, _)| is_on(key)).map(|(_, ours)| ours).collect();
    links::add_links(sequenced, details);
    Ok(content)
}

/// Slices and memory events on host threads, with origin in the file and thread id, in the order of the file.
fn items(trace: &Trace) -> Vec<(Origin, u32, Item)> {
    let thread = |lane: LaneId| {
        let lane = &trace.lanes[lane];
        let is_host = trace.groups[lane.group].kind == GroupKind::Process;
        let number = std::str::from_utf8(trace.strings.bytes(lane.tid)).ok()?.parse::<u32>().ok()?;
        is_host.then_some(number)
    };
    let mut items = Vec::with_capacity(trace.slices.len() + trace.memory.len());
    for lane in trace.lanes.ids() {
        let Some(tid) = thread(lane) else { continue };
        let slices = trace.lanes[lane].slices;
        items.extend(slices.iter().map(|id| (trace.slices.origin[id], tid, Item::Slice(id))));
    }
    for (number, memory) in (0..).zip(&trace.memory) {
        items.extend(thread(memory.lane).map(|tid| (memory.origin, tid, Item::Memory(number))));
    }
    items.sort_unstable_by_key(|item| item.0);
    items
}

/// Messages about the file's damage and about events left out for lack of memory.
fn damage(trace: &Trace) -> Vec<String> {
    let damage = trace.quality.entries().filter(|(warning, _)| warning.is_damage());
    let mut faults: Vec<String> = damage
        .map(|(warning, entry)| format!("{} ({}, first: {})", warning.title(), entry.count, entry.first))
        .collect();
    if let Some(partial) = &trace.meta.partial {
        let outside = fmt::counted(partial.outside, "event");
        faults.push(format!("{outside} left out by the memory limit for loading"));
    }
    faults
}

/// Converts the events of a file.
struct Reader<'a> {
    producer: Producer,
    trace: &'a Trace,
    names: &'a mut NameTable,
    details: &'a mut OperatorDetails,
    content: Content,
    /// Operators with a sequence number, for their links.
    sequenced: Vec<Sequenced>,
    /// Buffer for the arguments of an event, as members of a JSON object.
    text: String,
    /// The Python stacks of operators.
    stacks: Stacks<'a>,
    /// Memory in use after the events so far.
    balance: Balance,
}

impl Reader<'_> {
    /// Adds a slice to the content as a range; returns `None` if the slice is left out.
    fn range(&mut self, tid: u32, slice: SliceId, event: &RawEvent<'_, '_>) -> Option<()> {
        let slices = &self.trace.slices;
        let name = self.trace.strings.bytes(slices.name[slice]);
        let kind = self.producer.kind(&event.field(b"cat")?.text(), name)?;
        let span = slices.span(slice);
        let (start, end) = (self.wall(span.start)?, self.wall(span.end)?);
        let is_cut = event.argument(b"finished").is_some_and(|value| value.text().as_ref() == b"false");
        let range = |name| Range { start, end, kind, name, is_cut, has_begun_before: false };
        if let Some(number) = step(name).filter(|_| kind == STEP) {
            // Steps get the names that our hooks give them.
            let name = self.names.bytes(&[b"ProfileStep#", number].concat());
            self.content.ranges.push((tid, range(name)));
            return Some(());
        }
        self.members(event);
        if self.trace.slices.category(slice) == Category::Operator {
            self.stacks.add(slice, event, &mut self.text);
        }
        // The engine's own range around a backward has the same number, but is not the operator.
        let is_operator = !name.starts_with(b"autograd::engine::");
        let mut name = self.names.bytes(name);
        if !self.text.is_empty() {
            name = self.details.add(name, &self.text);
        }
        let number = |key: &[u8]| event.argument(key).and_then(RawValue::integer);
        if let Some(sequence) = number(b"Sequence number").filter(|_| is_operator) {
            let forward_thread = number(b"Fwd thread id").unwrap_or_default();
            self.sequenced.push(Sequenced { start, sequence, forward_thread, tid, name });
        }
        self.content.ranges.push((tid, range(name)));
        Some(())
    }

    /// Adds a memory event to the content; does nothing, and returns `None`, for a time before 1970.
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
        self.content.allocations.push((tid, allocation));
        Some(())
    }

    /// Collects the arguments of an event in `text`, as members of a JSON object, without those that Paddle
    /// writes empty.
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

    /// Converts a time of the loaded trace to ns since 1970; `None` for a time before 1970.
    fn wall(&self, ns: i64) -> Option<u64> {
        let epoch = self.trace.meta.epoch.unwrap_or_default();
        u64::try_from(ns.saturating_add(epoch)).ok()
    }
}
