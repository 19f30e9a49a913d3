//! From the history to the builder's inputs: what allocates and releases as memory events, each with the
//! totals after it, the rest as instants.
//!
//! Must not know pickles, nor rows.

use std::sync::Arc;

use crate::import::build::{Allocation, EventBuilder, Instant, TraceBuilder};
use crate::import::bytes::source::{self, Kept, Source};
use crate::import::bytes::stream::Stream;
use crate::import::error::{ImportError, show};
use crate::import::progress::Progress;
use crate::model::{GroupKind, LaneKind, MemoryKind, StackId, Warning};
use proftui_base::fmt;
use proftui_base::heap::NoMemory;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::again::EventRows;
use super::history::{History, histories};
use super::opcodes::{Fault, Unpickler};
use super::parts::{Action, Block, Event};

/// Number of events after which a batch is closed.
const BATCH: usize = 4096;

/// What [`EventBuilder::count`] counts: the actions in the order of [`Action`], then blocks that were
/// allocated before the first event.
const KINDS: [&str; 12] = [
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "oom",
    "snapshot",
    "annotate",
    "(other action)",
    "(block from before)",
];

/// The index in [`KINDS`] of blocks that were allocated before the first event.
const BEFORE: u8 = 11;

/// Reads a memory snapshot into `builder` as file number `file`, and calls `after_batch` after each batch.
/// Returns what is kept for reading events again.
pub(in crate::import) fn read(
    source: Source<'_>,
    file: u16,
    builder: &mut TraceBuilder,
    after_batch: &mut dyn FnMut(&TraceBuilder),
    progress: &Progress,
) -> Result<Kept, ImportError> {
    let path = show(&source.path);
    // Events are kept as they are read, so the text need not be.
    let stream = Stream::new(source.feed, false);
    let mut pickle = Unpickler::new(stream, builder.bound.limit);
    let mut reported = 0;
    let end = pickle.run(|events| {
        progress.add_events((events - reported) as u64);
        reported = events;
        !progress.is_cancelled()
    });
    pickle.end();
    let no_memory = || ImportError::no_memory(path.clone());
    if pickle.stream.lacks_memory() {
        return Err(no_memory());
    }
    match &end {
        Err(Fault::Memory) => return Err(no_memory()),
        Err(Fault::Limit) => {
            let what = "reading it takes more than the memory limit: raise the limit with --max-memory";
            return Err(ImportError::Memory { path, what: what.into() });
        }
        Err(Fault::Cancelled) => return Err(ImportError::Cancelled),
        _ => {}
    }
    let histories = histories(&pickle, end.is_ok());
    if histories.is_empty() {
        let what = match &end {
            Ok(()) => "it has no memory snapshot of PyTorch (torch.cuda.memory._dump_snapshot)".into(),
            Err(Fault::Refused(what)) => format!(
                "{what}, which is not done: of pickles only memory \
                snapshots of PyTorch are read, and nothing in them is run"
            ),
            Err(Fault::Bad(what)) => format!("byte {} has {what}", pickle.at),
            _ => "it is cut off before the first event of a memory snapshot of PyTorch".into(),
        };
        return Err(ImportError::Format { path, what: format!("this is a Python pickle: {what}") });
    }
    let stop = source::loss(pickle.stream.stop());
    let (at, objects) = (pickle.at, pickle.objects);
    let events = EventBuilder::new(0, file, builder.spares.clone(), builder.bound.range.clone());
    let blocks: usize = histories.iter().map(|history| history.before.len()).sum();
    let kept = EventRows { blocks: blocks as u64, events: objects.events, texts: objects.texts };
    let mut writer = Writer { events, builder, after_batch, kept: &kept, blocks: 0, unsent: 0 };
    writer.builder.name_kinds(|kind| KINDS.get(usize::from(kind)).copied().unwrap_or_default().into());
    writer.damage(&end, at, stop);
    let set_aside = objects.stacks.size() + size_of_val(kept.events.as_slice()) as u64;
    writer.builder.bound.inflating = writer.builder.bound.inflating.max(set_aside);
    let written = writer.builder.add_stacks(objects.stacks).and_then(|before| {
        let start = start(&kept.events);
        writer.header(start);
        histories.iter().try_for_each(|history| writer.history(history, (start, before)))?;
        writer.hand_over()
    });
    written.map_err(|NoMemory| no_memory())?;
    Ok(Kept { text: None, checkpoints: None, rows: Some(Arc::new(kept)) })
}

/// The time of the first event, µs since the Unix epoch; `None` if no event states its time.
fn start(events: &[Event]) -> Option<i64> {
    events.iter().filter_map(|event| event.time).min()
}

struct Writer<'a> {
    events: EventBuilder,
    builder: &'a mut TraceBuilder,
    after_batch: &'a mut dyn FnMut(&TraceBuilder),
    kept: &'a EventRows,
    /// The number of blocks written so far.
    blocks: u64,
    /// The number of events in the batch that is being filled.
    unsent: usize,
}

/// The lane and the names of a device.
struct Device {
    lane: u32,
    title: StrId,
    number: StrId,
}

/// What is in use, and the most that was, in bytes; `None` where the file does not say what was before.
#[derive(Clone, Copy)]
struct Totals {
    allocated: Option<i64>,
    reserved: Option<i64>,
    peaks: [Option<i64>; 2],
}

impl Totals {
    fn add(&mut self, kind: MemoryKind, bytes: i64) {
        let total = if kind.is_reserved() { &mut self.reserved } else { &mut self.allocated };
        *total = total.map(|total| total.saturating_add(bytes));
        let raise =
            |peak: Option<i64>, total: Option<i64>| peak.zip(total).map(|(peak, total)| peak.max(total));
        self.peaks = [raise(self.peaks[0], self.allocated), raise(self.peaks[1], self.reserved)];
    }
}

impl Writer<'_> {
    /// Counts warnings about how reading ended; `at` is the offset of the last opcode.
    fn damage(&mut self, end: &Result<(), Fault>, at: u64, stop: Option<(Warning, String)>) {
        if let Some((warning, what)) = stop {
            self.events.quality().note(warning, Some(at), || what);
        }
        let quality = self.events.quality();
        match end {
            Err(Fault::Ended) => {
                quality.note(Warning::Truncated, Some(at), || "the pickle is cut off".into());
            }
            Err(Fault::Bad(what)) => {
                let what = || format!("the rest of the pickle cannot be read: {what}");
                quality.note(Warning::Truncated, Some(at), what);
            }
            Err(Fault::Refused(what)) => {
                let what = || format!("the rest of the pickle is not read: {what}");
                quality.note(Warning::Truncated, Some(at), what);
            }
            _ => {}
        }
    }

    /// Writes facts about the file; `start` is the time of its first event, µs.
    fn header(&mut self, start: Option<i64>) {
        let EventRows { blocks, ref events, .. } = *self.kept;
        let Some(header) = self.builder.header() else { return };
        header.is_memory_history = true;
        header.base = start.map(|start| start.saturating_mul(1_000));
        if start.is_none() && !events.is_empty() {
            header.add(b"times", b"none are stated: each event has 1 \xc2\xb5s");
        }
        if blocks > 0 {
            let text = format!("{} from before the first event, at its time", fmt::counted(blocks, "block"));
            header.add(b"allocated before", text.as_bytes());
        }
    }

    /// Writes the history of a device; `start` is the time of the first event of all, µs, and stacks have
    /// their numbers behind `before` others.
    fn history(&mut self, history: &History, (start, before): (Option<i64>, u32)) -> Result<(), NoMemory> {
        let (blocks, events) = (self.kept.blocks, &self.kept.events);
        let number = self.events.intern(history.device.to_string().as_bytes());
        let title = self.events.intern(format!("device {}", history.device).as_bytes());
        let tid = self.events.intern(b"allocator events");
        let lane = self.events.lane(number, tid, GroupKind::Device, LaneKind::Stream);
        let device = Device { lane, title, number };
        let time = |at: usize, event: &Event| match (start, event.time) {
            (Some(start), Some(time)) => time.saturating_sub(start).saturating_mul(1_000),
            (Some(_), None) => 0,
            (None, _) => saturate::<Ns>(at).saturating_mul(1_000),
        };
        let (allocated, reserved) = (history.allocated, history.reserved);
        let mut totals = Totals { allocated, reserved, peaks: [allocated, reserved] };
        let first = history.events.first().map_or(0, |&at| time(0, &events[at as usize]));
        for block in &history.before {
            self.block(&device, block, (first, before), totals)?;
        }
        for (at, &index) in history.events.iter().enumerate() {
            let event = &events[index as usize];
            self.event(&device, event, (time(at, event), blocks + u64::from(index), before), &mut totals)?;
        }
        Ok(())
    }

    /// Writes a block that was allocated before the first event; `totals` already has it.
    fn block(
        &mut self,
        device: &Device,
        block: &Block,
        (ts, before): (Ns, u32),
        totals: Totals,
    ) -> Result<(), NoMemory> {
        self.events.count(BEFORE);
        let address = block.address.unwrap_or_default();
        let key = self.blocks;
        self.blocks += 1;
        let stack = block.stack.behind(before);
        self.memory(device, (ts, key), (MemoryKind::Allocate, block.requested, address), (stack, totals))
    }

    fn event(
        &mut self,
        device: &Device,
        event: &Event,
        (ts, key, before): (Ns, u64, u32),
        totals: &mut Totals,
    ) -> Result<(), NoMemory> {
        self.events.count(event.action as u8);
        let bytes = event.bytes;
        let (kind, bytes) = match event.action {
            Action::Alloc => (MemoryKind::Allocate, bytes),
            Action::FreeRequested => (MemoryKind::Free, bytes.saturating_neg()),
            Action::SegmentAlloc | Action::SegmentMap => (MemoryKind::ReservedAllocate, bytes),
            Action::SegmentFree | Action::SegmentUnmap => (MemoryKind::ReservedFree, bytes.saturating_neg()),
            // The memory is released when that is requested, as torch.cuda.memory_allocated counts.
            Action::FreeCompleted => return Ok(()),
            Action::Oom | Action::Snapshot | Action::Annotate | Action::Unknown => {
                return self.mark(device, event, (ts, key));
            }
        };
        totals.add(kind, bytes);
        let stack = event.stack.behind(before);
        self.memory(device, (ts, key), (kind, bytes, event.address), (stack, *totals))
    }

    fn memory(
        &mut self,
        device: &Device,
        (ts, key): (Ns, u64),
        (kind, bytes, address): (MemoryKind, i64, u64),
        (stack, totals): (StackId, Totals),
    ) -> Result<(), NoMemory> {
        if self.events.admits(ts, ts) {
            let origin = self.events.origin(key);
            self.events.allocation(Allocation {
                ts,
                kind,
                bytes,
                address,
                allocated: totals.allocated.into(),
                reserved: totals.reserved.into(),
                peak_allocated: totals.peaks[0].into(),
                peak_reserved: totals.peaks[1].into(),
                origin,
                lane: device.lane,
                place: device.title,
                device: Some(device.number),
                stack,
            });
        }
        self.sent()
    }

    /// Writes an event that changes no memory as an instant.
    fn mark(&mut self, device: &Device, event: &Event, (ts, key): (Ns, u64)) -> Result<(), NoMemory> {
        if self.events.admits(ts, ts) {
            let metadata = self.kept.texts.text(event.metadata).to_string();
            let name = match event.action {
                Action::Oom => {
                    let free = event
                        .device_free
                        .map_or(String::new(), |free| format!(", {} free on the device", fmt::bytes(free)));
                    format!("out of memory: {} wanted{free}", fmt::bytes(event.bytes))
                }
                Action::Annotate if !metadata.is_empty() => metadata,
                _ => self.kept.texts.text(event.name).to_string(),
            };
            let (name, origin) = (self.events.intern(name.as_bytes()), self.events.origin(key));
            self.events.instant(Instant { ts, lane: device.lane, name, origin });
        }
        self.sent()
    }

    /// Hands the batch over once it is full.
    fn sent(&mut self) -> Result<(), NoMemory> {
        self.unsent += 1;
        if self.unsent < BATCH { Ok(()) } else { self.hand_over() }
    }

    fn hand_over(&mut self) -> Result<(), NoMemory> {
        self.unsent = 0;
        let batch = self.events.close();
        self.builder.absorb(batch)?;
        (self.after_batch)(self.builder);
        Ok(())
    }
}
