//! Reads function events from a trace: times and threads from the model, arguments from the files.
//!
//! Must not know the averages made of them.

use rayon::slice::ParallelSliceMut;
use rustc_hash::FxHashMap;

use crate::analysis::Scope;
use crate::analysis::arguments::flops::{self, Formula, Inputs};
use crate::analysis::vocabulary::hook_frames::HookFrames;
use crate::compat::bounds::TEXT_WIDTH;
use proftui_base::ids::Column;
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{Category, LaneId, LaneKind, Origin, SliceId, Trace, WorkerId};

use super::event::{Ending, Event, FileEvents, Kind, Record};
use super::names;
use super::options::{Grouping, Python, Rules};
use super::version::Version;

/// The events in a scope as torch's averages need them, file by file, and what else the averages depend on.
#[derive(Debug)]
pub(super) struct Read {
    pub files: Vec<FileEvents>,
    /// The interned names, shapes and stacks of the events.
    pub strings: Interner,
    /// The name of the row for memory events that occurred during no host event.
    pub memory_name: StrId,
    /// For each thread true if its number is that of its process, as for a main thread.
    pub own_threads: Vec<bool>,
    /// A lane of each thread.
    pub thread_lanes: Vec<LaneId>,
    /// The device's name in headings, in upper case; None if there are neither events nor memory of a device.
    pub device: Option<&'static str>,
    /// True if memory events count in the averages or the recording was asked for memory (`profile_memory`).
    pub has_memory: bool,
    /// True if the recording was asked to count floating point operations (`with_flops`).
    pub has_flops: bool,
    /// Number of events that could not be read again.
    pub unread: u64,
}

/// An event whose arguments are read again from its file: a slice, a memory event or a report
/// (`[OutOfMemory]` instant).
#[derive(Clone, Copy, Debug)]
enum Item {
    Slice(SliceId),
    Memory(u32),
    Report(u32),
}

/// Reads the events in `scope`, where it has no streams also the device work launched from it, and the
/// arguments of each from the files. Shapes and stacks are kept only if `grouping` groups by them.
///
/// With them come the rules, which Python functions may show to be of an older version.
///
/// # Errors
/// When a file has changed or cannot be read again.
pub(super) fn read(
    trace: &Trace,
    texts: &Texts,
    scope: &Scope,
    (rules, grouping): (Rules, Grouping),
) -> Result<(Read, Rules), VisitError> {
    let (lane_threads, own_threads, thread_lanes) = threads(trace);
    let items = items(trace, scope, &lane_threads);
    let origins: Vec<Origin> = items.iter().map(|item| item.0).collect();
    let header = &trace.meta.header;
    // Whether an option was on: Kineto's entry in the header, or the one of our own recordings.
    let has_flag = |name: &str, own_name: &str| {
        let is_asked = |value: &str| value.split(',').any(|option| option == own_name);
        header.iter().any(|(key, value)| match key.as_str() {
            "proftui.ops.asked" => is_asked(value),
            _ => key == name && value != "0",
        })
    };
    let mut strings = Interner::default();
    let mut reader = Reader {
        trace,
        grouping,
        rules,
        window_end: window_end(trace),
        has_origins: false,
        hooks: HookFrames::of(trace),
        has_flops: has_flag("with_flops", "flops"),
        memory_name: strings.intern(b"[memory]"),
        report_name: strings.intern(b"[OutOfMemory]"),
        strings,
        names: FxHashMap::default(),
        files: Vec::new(),
        device: None,
        has_device: false,
        text: Vec::new(),
    };
    let unread = texts.visit(&origins, |at, raw| {
        let (origin, thread, item) = items[at];
        reader.add(origin.file(), thread, item, raw);
    })?;
    let has_records = reader.files.iter().any(|file| !file.records.is_empty());
    let device = reader.device.filter(|_| reader.has_device).or(reader.has_device.then_some("CUDA"));
    let rules = match rules {
        Rules::Recognized(version) => Rules::Torch(version.by_python(trace, reader.has_origins)),
        Rules::Torch(_) | Rules::DeepLink => rules,
    };
    let read = Read {
        files: reader.files,
        strings: reader.strings,
        memory_name: reader.memory_name,
        own_threads,
        thread_lanes,
        device,
        has_memory: has_records || has_flag("profile_memory", "memory"),
        has_flops: reader.has_flops,
        unread,
    };
    Ok((read, rules))
}

/// The time at which the recording of the first file stopped, ns; `None` where it is not stated.
fn window_end(trace: &Trace) -> Option<Ns> {
    let name = trace.strings.find(b"Record Window End")?;
    trace.instants.iter().find(|instant| instant.name == name).map(|instant| instant.ts)
}

/// For each lane the index of its thread; for each thread true if its number is that of its process, and one
/// of its lanes.
fn threads(trace: &Trace) -> (Column<LaneId, u32>, Vec<bool>, Vec<LaneId>) {
    let mut known: FxHashMap<(WorkerId, StrId, StrId), u32> = FxHashMap::default();
    let (mut own, mut first) = (Vec::new(), Vec::new());
    let lanes = trace.lanes.iter_with_ids().map(|(id, lane)| {
        let group = &trace.groups[lane.group];
        *known.entry((group.worker, group.pid, lane.tid)).or_insert_with(|| {
            own.push(lane.tid == group.pid);
            first.push(id);
            saturate::<u32>(own.len()) - 1
        })
    });
    (lanes.collect(), own, first)
}

/// The events in `scope` that are read again, or where it has no streams also the device work launched from
/// it, as (origin, index of the thread, event) in the order of the files.
fn items(trace: &Trace, scope: &Scope, lane_threads: &Column<LaneId, u32>) -> Vec<(Origin, u32, Item)> {
    let mut items = Vec::with_capacity(trace.slices.len() + trace.memory.len());
    for (lane, &thread) in trace.lanes.ids().iter().zip(lane_threads) {
        if trace.lanes[lane].kind != LaneKind::Counter {
            let is_shown = |id: &SliceId| trace.slices.category(*id) != Category::UnifiedMemory;
            let ids = scope.starting(trace, lane).filter(is_shown);
            items.extend(ids.map(|id| (trace.slices.origin[id], thread, Item::Slice(id))));
        }
    }
    if !scope.has_kind(trace, |kind| kind == LaneKind::Stream) {
        items.extend(launched(trace, scope, lane_threads));
    }
    for (i, memory) in (0..).zip(&trace.memory) {
        if scope.has_time(memory.ts) && scope.has_lane(memory.lane) {
            items.push((memory.origin, lane_threads[memory.lane], Item::Memory(i)));
        }
    }
    for (i, instant) in (0..).zip(&trace.instants) {
        let is_report = trace.strings.bytes(instant.name) == b"[OutOfMemory]";
        if is_report && scope.has_time(instant.ts) && scope.has_lane(instant.lane) {
            items.push((instant.origin, lane_threads[instant.lane], Item::Report(i)));
        }
    }
    items.retain(|item| item.0 != Origin::NONE);
    items.par_sort_unstable_by_key(|item| item.0);
    items
}

/// Device work that starts in the time of `scope` and was launched on the scope's lanes, as (origin, index
/// of the thread, event).
fn launched<'a>(
    trace: &'a Trace,
    scope: &'a Scope,
    lane_threads: &'a Column<LaneId, u32>,
) -> impl Iterator<Item = (Origin, u32, Item)> + 'a {
    let is_kept = scope.work_filter(trace);
    let streams = trace.lanes.iter_with_ids().filter(|(_, lane)| lane.kind == LaneKind::Stream);
    let work = streams.flat_map(|(lane, of)| of.slices.iter().map(move |id| (lane, id)));
    let kept = work.filter(move |&(_, id)| {
        let is_work = trace.slices.category(id).is_device_work();
        is_work && scope.has_time(trace.slices.start[id]) && is_kept(id)
    });
    kept.map(|(lane, id)| (trace.slices.origin[id], lane_threads[lane], Item::Slice(id)))
}

/// What the name of an event decides, found once per name: the name in the table, whether the event is left
/// out or a step, and how its floating point operations are counted.
#[derive(Clone, Copy, Debug)]
struct Named {
    /// The name shown in the table.
    id: StrId,
    is_left_out: bool,
    is_step: bool,
    /// True for a range of communication whose end another thread sees.
    is_async: bool,
    formula: Option<Formula>,
}

/// Collects the events while the files are read again.
struct Reader<'t> {
    trace: &'t Trace,
    grouping: Grouping,
    rules: Rules,
    /// When the recording of the first file stopped.
    window_end: Option<Ns>,
    /// True if a Python function states from where it was called.
    has_origins: bool,
    hooks: HookFrames,
    has_flops: bool,
    strings: Interner,
    memory_name: StrId,
    report_name: StrId,
    /// The properties of the names met so far, by the id that the name has in the trace.
    names: FxHashMap<StrId, Named>,
    files: Vec<FileEvents>,
    device: Option<&'static str>,
    has_device: bool,
    /// A buffer for composing texts.
    text: Vec<u8>,
}

impl Reader<'_> {
    /// Adds `item`, with its arguments in `raw`, to the file with the index `file`. What torch's averages
    /// leave out adds at most the start of profiling.
    fn add(&mut self, file: usize, thread: u32, item: Item, raw: &RawEvent<'_, '_>) {
        if self.files.len() <= file {
            self.files.resize_with(file + 1, FileEvents::default);
        }
        match item {
            Item::Slice(slice) => self.add_slice(file, thread, slice, raw),
            Item::Memory(i) => self.add_record(file, thread, self.trace.memory[i as usize].ts, false, raw),
            Item::Report(i) => self.add_record(file, thread, self.trace.instants[i as usize].ts, true, raw),
        }
    }

    fn add_record(&mut self, file: usize, thread: u32, ts: i64, is_report: bool, raw: &RawEvent<'_, '_>) {
        let number = |name: &[u8]| raw.argument(name).and_then(RawValue::integer);
        let place = raw.argument(b"place").map(RawValue::text);
        let bytes = match (number(b"Device Type"), place) {
            // torch counts its own allocator; memory of the driver below it, and memory reserved by Paddle's,
            // do not count.
            _ if raw.argument(b"memory kind").is_some() => return,
            _ if raw.field(b"cat").is_some_and(|cat| cat.text().starts_with(b"Reserved")) => return,
            (None, Some(place)) => {
                names::bytes_by_place(&place, number(b"increase_bytes").unwrap_or_default())
            }
            (device_type, _) => {
                names::bytes_by_side(device_type.unwrap_or_default(), number(b"Bytes").unwrap_or_default())
            }
        };
        self.has_device |= bytes[1] != 0;
        let file = &mut self.files[file];
        if is_report {
            let name = self.report_name;
            let event = Event { start: ts, end: ts, name, thread, memory: bytes, ..Event::default() };
            file.events.push(event);
        } else {
            file.records.push(Record { ts, thread, bytes });
        }
    }

    fn add_slice(&mut self, file: usize, thread: u32, slice: SliceId, raw: &RawEvent<'_, '_>) {
        let category = raw.field(b"cat").map(RawValue::text).unwrap_or_default();
        let slices = &self.trace.slices;
        let span = slices.span(slice);
        let Some(kind) = names::kind(&category) else {
            let name = self.trace.strings.bytes(slices.name[slice]);
            if name.starts_with(b"PyTorch Profiler") {
                let of_file = &mut self.files[file];
                of_file.span_start.get_or_insert(span.start);
                of_file.span_end.get_or_insert(span.end);
            }
            return;
        };
        let is_complete = raw.field(b"ph").is_some_and(|event_type| event_type.text().as_ref() == b"X");
        let named = self.named(slices.name[slice]);
        let is_absent = kind == Kind::Python && self.rules.python() == Python::Absent;
        if !is_complete || named.is_left_out || is_absent {
            return;
        }
        self.has_device |= kind.is_device();
        self.device = self.device.or_else(|| names::device(&category));
        let mut event = Event {
            kind,
            start: span.start,
            end: span.end,
            name: named.id,
            thread,
            slice,
            ..Event::default()
        };
        event.is_step = named.is_step && !kind.is_device();
        event.ending = match kind {
            Kind::Annotation if named.is_async => Ending::Elsewhere,
            Kind::Operator | Kind::Annotation if self.is_open(&event, raw) => Ending::Open,
            _ => Ending::Usual,
        };
        let is_operator = kind == Kind::Operator;
        self.set_arguments(&mut event, named.formula.filter(|_| self.has_flops && is_operator), raw);
        if self.grouping.by_stack > 0 && is_operator {
            let name = self.trace.strings.bytes(slices.name[slice]);
            event.is_backward = names::is_backward(name, event.forward_thread > 0);
        }
        let file = &mut self.files[file];
        file.has_decimals |= span.start % 1000 != 0 || span.end % 1000 != 0;
        file.events.push(event);
    }

    /// Sets the fields of an event that come from its arguments in `raw`. `formula` counts floating point
    /// operations; with None they stay 0.
    fn set_arguments(&mut self, event: &mut Event, formula: Option<Formula>, raw: &RawEvent<'_, '_>) {
        let mut inputs = Inputs::default();
        for &(key, value) in raw.arguments {
            let number = || value.integer().unwrap_or_default();
            match key {
                b"External id" | b"external id" => event.id = number(),
                b"correlation" | b"correlation id" => event.correlation = number(),
                b"Ev Idx" => event.order = u32::try_from(number()).unwrap_or(u32::MAX),
                b"Sequence number" => event.sequence = number(),
                b"Fwd thread id" => event.forward_thread = number(),
                b"Input Dims" | b"Input dims" => inputs.dims = Some(value),
                b"Input type" => inputs.types = Some(value),
                b"Concrete Inputs" => inputs.concrete = Some(value),
                b"CallFrom" => self.has_origins = true,
                b"Call stack" if self.grouping.by_stack > 0 => event.stack = self.stack(value),
                _ => {}
            }
        }
        if let (true, Some(dims)) = (self.grouping.by_shape, inputs.dims) {
            event.shapes = self.shapes(dims);
        }
        if let Some(formula) = formula {
            event.flops = flops::flops(formula, &inputs);
        }
    }

    /// True if an operator or range states that it had not ended when the recording stopped, or its times
    /// show it in a file of a version that does not state it.
    fn is_open(&self, event: &Event, raw: &RawEvent<'_, '_>) -> bool {
        if let Some(finished) = raw.argument(b"finished") {
            return finished.text().as_ref() == b"false";
        }
        let states_nothing = |version| (Version::new(4)..=Version::new(7)).contains(&version);
        self.rules.version().is_some_and(states_nothing)
            && (event.start == event.end || Some(event.end) == self.window_end)
    }

    /// What the name with this id in the trace decides; found the first time, then kept in `names`.
    fn named(&mut self, name: StrId) -> Named {
        let (trace, strings) = (self.trace, &mut self.strings);
        *self.names.entry(name).or_insert_with(|| {
            let bytes = trace.strings.bytes(name);
            Named {
                id: strings.intern(names::rewritten(bytes)),
                is_left_out: names::is_left_out(bytes),
                is_step: names::is_step(bytes),
                is_async: names::is_async(bytes),
                formula: Formula::of(bytes),
            }
        })
    }

    /// Interns input shapes as Python prints a list of lists; returns the id of the text, which is empty
    /// without inputs.
    fn shapes(&mut self, dims: RawValue<'_>) -> StrId {
        self.text.clear();
        for (i, dim) in dims.elements().enumerate() {
            self.text.extend_from_slice(if i == 0 { b"[[" } else { b", [" });
            let start = self.text.len();
            for (j, size) in dim.elements().enumerate() {
                if size.is_array() {
                    self.text.truncate(start);
                    break;
                }
                if j > 0 {
                    self.text.extend_from_slice(b", ");
                }
                self.text.extend_from_slice(&size.text());
            }
            self.text.push(b']');
        }
        if self.text.is_empty() {
            return StrId::EMPTY;
        }
        self.text.push(b']');
        self.strings.intern(&self.text)
    }

    /// Interns the stack frames that distinguish rows, innermost first and one per line, and returns the id.
    fn stack(&mut self, value: RawValue<'_>) -> StrId {
        self.text.clear();
        let text = value.text();
        let frames = text.split(|&byte| byte == b';').filter(|frame| !frame.is_empty());
        let frames = self.hooks.without(frames).filter(|frame| !names::is_frame_left_out(frame));
        for frame in frames.take(self.grouping.by_stack) {
            if !self.text.is_empty() {
                self.text.push(b'\n');
            }
            match frame.len() {
                0..=TEXT_WIDTH => self.text.extend_from_slice(frame),
                _ => self.text.extend_from_slice(
                    SafeText::from_bytes(frame).elide_middle(TEXT_WIDTH).as_str().as_bytes(),
                ),
            }
        }
        self.strings.intern(&self.text)
    }
}
