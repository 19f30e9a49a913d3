//! Reading the file from start to end: header, trees, names of threads and streams, and damage.
//!
//! Must not know the contents of a node.

use prost::Message;
use rustc_hash::FxHashMap;

use crate::import::build::{EventBuilder, TraceBuilder};
use crate::import::bytes::source::{self, Again, Kept, Source};
use crate::import::bytes::stream::Stream;
use crate::import::error::{ImportError, show};
use crate::import::progress::Progress;
use crate::model::nodetree::{DevicePropertyProto, ExtraInfoMap, StreamProto, UnifiedMemoryProto};
use crate::model::{Device, Warning};
use proftui_base::heap::NoMemory;
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;

use super::events::Translator;
use super::fields::Fields;
use super::node::{Located, NodeReader, Tree};
use super::wire::{Fault, Kind, Tag};

/// Number of host nodes and events of unified memory after which a batch is closed.
const BATCH: u64 = 1000;
/// Longest host node that is read, bytes; longer nodes are left out and counted.
const LONGEST_NODE: u64 = 64 << 20;
/// Longest header entry, and longest event of unified memory, that is read, bytes.
const ENTRY: u64 = 1 << 20;
/// Most header entries that are read; further entries are left out.
const ENTRIES: usize = 1 << 16;

/// Reads a Paddle protobuf into `builder` as file number `file`, and calls `after_batch` after each batch.
/// Returns what is kept for reading events again.
pub(in crate::import) fn read(
    source: Source<'_>,
    file: u16,
    builder: &mut TraceBuilder,
    after_batch: &mut dyn FnMut(&TraceBuilder),
    progress: &Progress,
) -> Result<Kept, ImportError> {
    let Source { path, feed, again, .. } = source;
    builder.set_exact();
    let events = EventBuilder::new(0, file, builder.spares.clone(), builder.bound.range.clone());
    let nodes =
        NodeReader { translator: Translator::new(events), file, builder, events: 0, has_memory: Ok(()) };
    let stream = Stream::new(feed, again == Again::Keep);
    let mut reader =
        Reader { stream, nodes, after_batch, progress, entries: 0, read: 0, reported: 0, names: Vec::new() };
    let end = reader.run();
    if end == Err(Fault::Memory) || reader.stream.lacks_memory() || reader.finish(end).is_err() {
        return Err(ImportError::no_memory(show(&path)));
    }
    if progress.is_cancelled() {
        return Err(ImportError::Cancelled);
    }
    let (is_empty, offset) = (reader.nodes.events == 0, reader.stream.offset());
    let (text, checkpoints) = reader.stream.into_parts();
    if is_empty && end.is_err() {
        let what = format!("it begins as Paddle's protobuf does, and cannot be read beyond byte {offset}");
        return Err(ImportError::NotTrace { path: show(&path), what });
    }
    Ok(Kept { text, checkpoints, rows: None })
}

struct Reader<'a, 'p> {
    stream: Stream<'p>,
    nodes: NodeReader<'a>,
    after_batch: &'a mut dyn FnMut(&TraceBuilder),
    progress: &'a Progress,
    /// Number of header entries so far, also of entries that were left out.
    entries: usize,
    /// Number of host nodes and events of unified memory read so far.
    read: u64,
    /// Number of events reported to `progress` so far.
    reported: u64,
    /// Ids and names of threads from the header; the threads get their names when reading ends.
    names: Vec<(u64, Vec<u8>)>,
}

impl Reader<'_, '_> {
    fn run(&mut self) -> Result<(), Fault> {
        loop {
            let at = self.stream.offset();
            let Some(tag) = self.stream.tag()? else { return Ok(()) };
            match (tag.number, tag.kind) {
                (1, Kind::Bytes) => {
                    if let Some(version) = self.entry()? {
                        self.header_entry(b"schemaVersion", &version);
                    }
                }
                (2, Kind::Varint) => {
                    let number = self.stream.value()?.to_string();
                    self.entries += 1;
                    if self.entries <= ENTRIES {
                        self.header_entry(b"span_index", number.as_bytes());
                    }
                }
                (3, Kind::Bytes) => {
                    let len = self.stream.value()?;
                    self.tree(len)?;
                }
                (4, Kind::Bytes) => {
                    if let Some(bytes) = self.entry()? {
                        self.extra(&bytes);
                    }
                }
                (5, Kind::Bytes) => {
                    if let Some(bytes) = self.entry()? {
                        self.device(&bytes);
                    }
                }
                (1000, Kind::Bytes) => {
                    if let Some(bytes) = self.entry()? {
                        self.lane(&bytes);
                    }
                }
                (1001, Kind::Bytes) => self.unified(at)?,
                (_, kind) => self.stream.skip_value(kind)?,
            }
            if self.progress.is_cancelled() {
                return Ok(());
            }
        }
    }

    /// Reads an event of unified memory, whose tag at offset `at` is already read. Leaves the event out, with
    /// a warning, if it is too long or cannot be decoded.
    fn unified(&mut self, at: u64) -> Result<(), Fault> {
        let len = self.stream.value()?;
        if len > ENTRY {
            let what = || "an event of unified memory larger than 1 MiB was left out".into();
            self.nodes.translator.events.drop_event(Warning::Limit, at, what);
            return Ok(self.stream.skip(len)?);
        }
        let Ok(event) = UnifiedMemoryProto::decode(self.stream.take(saturate::<usize>(len))?) else {
            self.note(Warning::Protobuf, at, "an event of unified memory cannot be decoded");
            return Ok(());
        };
        self.nodes.events += 1;
        self.nodes.translator.unified(&event, at);
        self.read += 1;
        if self.read.is_multiple_of(BATCH) {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Reads the length and the bytes of a header entry; `None`, with a warning, if the entry was left out.
    fn entry(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let (at, len) = (self.stream.offset(), self.stream.value()?);
        self.entries += 1;
        if len > ENTRY || self.entries > ENTRIES {
            self.note(
                Warning::Limit,
                at,
                "a header entry larger than 1 MiB, or behind the first 65536, was left out",
            );
            self.stream.skip(len)?;
            return Ok(None);
        }
        Ok(Some(self.stream.take(saturate::<usize>(len))?.to_vec()))
    }

    fn note(&mut self, warning: Warning, at: u64, what: &str) {
        self.nodes.translator.events.quality().note(warning, Some(at), || what.into());
    }

    /// Reads the tree of one thread, which is the next `len` bytes.
    fn tree(&mut self, len: u64) -> Result<(), Fault> {
        let end = self.stream.offset().saturating_add(len);
        let mut tree = Tree { number: None, thread: None, nodes: FxHashMap::default(), has_gaps: false };
        let outcome = self.tree_fields(&mut tree, end);
        if let (Some(number), Some(thread)) = (tree.number, tree.thread) {
            self.nodes.builder.set_tree_thread(number, thread);
        }
        outcome
    }

    /// Reads the fields of a tree up to offset `end`. Skips the rest of the tree, with a warning, where its
    /// bytes are no protobuf.
    fn tree_fields(&mut self, tree: &mut Tree, end: u64) -> Result<(), Fault> {
        while self.stream.offset() < end && !self.progress.is_cancelled() {
            let at = self.stream.offset();
            match self.tree_field(tree, at, end) {
                Ok(()) => {}
                Err(fault @ (Fault::End | Fault::Memory)) => return Err(fault),
                Err(Fault::Bad) => {
                    self.note(Warning::Protobuf, at, "the rest of a thread's tree cannot be read");
                    return Ok(self.stream.skip(end.saturating_sub(self.stream.offset()))?);
                }
            }
        }
        Ok(())
    }

    fn tree_field(&mut self, tree: &mut Tree, at: u64, end: u64) -> Result<(), Fault> {
        let Some(tag) = self.stream.tag()? else { return Err(Fault::End) };
        match tag {
            Tag { number: 1, kind: Kind::Varint } => {
                tree.thread = Some(self.stream.value()?);
            }
            Tag { number: 2, kind: Kind::Bytes } => {
                let len = self.stream.value()?;
                let base = self.stream.offset();
                if base.saturating_add(len) > end {
                    return Err(Fault::Bad);
                }
                if len > LONGEST_NODE {
                    let what = || "a node of the event tree larger than 64 MiB was left out".into();
                    self.nodes.translator.events.drop_event(Warning::Limit, at, what);
                    return Ok(self.stream.skip(len)?);
                }
                let bytes = self.stream.take(saturate::<usize>(len))?;
                self.nodes.node(Located { bytes, at, base }, tree)?;
                self.read += 1;
                if self.read.is_multiple_of(BATCH) {
                    self.hand_over()?;
                }
            }
            Tag { kind, .. } => self.stream.skip_value(kind)?,
        }
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), NoMemory> {
        let batch = self.nodes.translator.close();
        self.nodes.builder.absorb(batch)?;
        self.progress.add_events(self.nodes.events - self.reported);
        self.reported = self.nodes.events;
        (self.after_batch)(self.nodes.builder);
        Ok(())
    }

    fn header_entry(&mut self, key: &[u8], value: &[u8]) {
        if let Some(header) = self.nodes.builder.header() {
            header.add(key, value);
        }
    }

    /// Reads an entry of the header field `extra_info`: the name of the thread whose id is the key, or else a
    /// header entry.
    fn extra(&mut self, bytes: &[u8]) {
        let Ok(entry) = ExtraInfoMap::decode(bytes) else {
            self.note(
                Warning::Protobuf,
                self.stream.offset(),
                "an entry of the header field extra_info cannot be decoded",
            );
            return;
        };
        let thread = std::str::from_utf8(entry.key()).ok().and_then(|key| key.parse().ok());
        if let Some(thread) = thread {
            self.names.push((thread, entry.value().to_vec()));
            return;
        }
        self.header_entry(entry.key(), entry.value());
        if let Some(header) = self.nodes.builder.header() {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            header.extra.push((text(entry.key()), text(entry.value())));
        }
    }

    fn device(&mut self, bytes: &[u8]) {
        let Ok(device) = DevicePropertyProto::decode(bytes) else {
            self.note(
                Warning::Protobuf,
                self.stream.offset(),
                "an entry of the header field device_property cannot be decoded",
            );
            return;
        };
        let device = Device {
            id: i64::from(device.id()),
            name: SafeText::from_bytes(device.name()).to_string(),
            memory: device.total_global_memory(),
            multiprocessors: u64::from(device.sm_count()),
            capability: format!("{}.{}", device.compute_major(), device.compute_minor()),
        };
        if let Some(header) = self.nodes.builder.header() {
            header.devices.push(device);
        }
    }

    /// Reads a field that names a stream of a device, and names the stream's lane.
    fn lane(&mut self, bytes: &[u8]) {
        let Ok(stream) = StreamProto::decode(bytes) else {
            self.note(
                Warning::Protobuf,
                self.stream.offset(),
                "an entry of the header field streams cannot be decoded",
            );
            return;
        };
        let (device, lane) = (u64::from(stream.device()), u64::from(stream.lane()));
        self.nodes.translator.name_stream(device, lane, stream.title());
    }

    /// Names the threads, counts warnings about how reading ended, and hands the last batch to the trace
    /// builder.
    fn finish(&mut self, end: Result<(), Fault>) -> Result<(), NoMemory> {
        for (thread, name) in std::mem::take(&mut self.names) {
            let mut processes: Vec<u64> =
                self.nodes.translator.processes.get(&thread).into_iter().flatten().copied().collect();
            processes.sort_unstable();
            processes.into_iter().for_each(|pid| self.nodes.translator.name_thread(pid, thread, &name));
        }
        let offset = self.stream.offset();
        if let Some((warning, what)) = source::loss(self.stream.stop()) {
            self.note(warning, offset, &what);
        }
        match end {
            Ok(()) | Err(Fault::Memory) => {}
            Err(Fault::End) => {
                self.note(Warning::Truncated, offset, "the readable data ends inside a protobuf field");
            }
            Err(Fault::Bad) => self.note(Warning::Protobuf, offset, "the rest of the file cannot be read"),
        }
        if self.nodes.events == 0 {
            self.note(Warning::Empty, offset, "no event was read from the file");
        }
        self.hand_over()
    }
}
