//! Converting decoded messages to the builder's inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::build::{
    Allocation, Batch, CopiedBytes, EventBuilder, Flow, FlowEnd, FlowRole, MetaValue, Slice, ThreadMeta,
};
use crate::import::dialect::{self, NameCache};
use crate::model::nodetree::{
    CudaRuntimeTraceEventProto, DeviceTraceEventProto, HostTraceEventProto, MemTraceEventProto,
    UNIFIED_MEMORY_LANE, UnifiedMemoryProto,
};
use crate::model::{Category, GroupKind, LaneKind, Origin, SliceFlags, StackId, Warning};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::kinds;

/// Converts decoded messages of Paddle's protobuf to the event builder's inputs.
pub(super) struct Translator {
    pub events: EventBuilder,
    names: NameCache,
    /// For each thread id, the ids of the processes in which it occurred.
    pub processes: FxHashMap<u64, FxHashSet<u64>>,
}

/// The properties of an event from which a slice is made.
struct Timed<'a> {
    name: &'a [u8],
    category: Category,
    flags: SliceFlags,
    lane: Lane,
    /// Start in ns, as the message states it; `None` when missing.
    start: Option<u64>,
    end: Option<u64>,
    /// Correlation number; 0 without one.
    correlation: u32,
    /// Offset in the file's text from which the event is read again.
    offset: u64,
}

/// The number of a thread or stream, or the name of another lane.
#[derive(Clone, Copy)]
enum Tid {
    Number(u64),
    Text(&'static str),
}

/// What identifies the lane of an event: the process or device, the thread or stream, and their kinds.
#[derive(Clone, Copy)]
struct Lane {
    pid: u64,
    tid: Tid,
    group: GroupKind,
    kind: LaneKind,
}

/// Converts a time or size to `i64`; `None` if it is missing or too large.
fn signed(number: Option<u64>) -> Option<i64> {
    number.and_then(|number| i64::try_from(number).ok())
}

/// The first 60 bytes of a name as a text, for the example of a warning.
fn show(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(60)]).into_owned()
}

impl Translator {
    pub(super) fn new(events: EventBuilder) -> Self {
        Self { events, names: NameCache::default(), processes: FxHashMap::default() }
    }

    /// Closes the event builder's batch and returns it; forgets the facts of names when the builder's tables
    /// were emptied.
    pub(super) fn close(&mut self) -> Batch {
        let batch = self.events.close();
        if self.events.is_new() {
            self.names = NameCache::default();
        }
        batch
    }

    /// Adds the host event of the node at `offset` as a slice, with its ends of flows. Returns the slice's
    /// origin; `None` if no slice was added.
    pub(super) fn host(&mut self, event: &HostTraceEventProto, offset: u64) -> Option<Origin> {
        let (class, flags) = kinds::host(event.true_type.unwrap_or(event.r#type()));
        let lane = self.thread(event.process_id(), event.thread_id(), class.lane);
        for (event_type, end, link) in
            [(b's', FlowEnd::Start, event.forward_link), (b'f', FlowEnd::Finish, event.backward_link)]
        {
            if let (Some(link), Some(start)) = (link, event.start_ns) {
                self.events.count(event_type);
                self.backward_flow(end, link, lane, start, offset);
            }
        }
        self.slice(&Timed {
            name: event.name(),
            category: dialect::refined_operator(class, event.name()),
            flags,
            lane,
            start: event.start_ns,
            end: event.end_ns,
            correlation: event.correlation_id(),
            offset,
        })
    }

    /// Adds the runtime call of the node at `offset` as a slice. Returns the slice's origin; `None` if no
    /// slice was added.
    pub(super) fn runtime(&mut self, event: &CudaRuntimeTraceEventProto, offset: u64) -> Option<Origin> {
        let lane = self.thread(event.process_id(), event.thread_id(), LaneKind::Thread);
        self.slice(&Timed {
            name: event.name(),
            category: Category::CudaRuntime,
            flags: SliceFlags::default(),
            lane,
            start: event.start_ns,
            end: event.end_ns,
            correlation: event.correlation_id(),
            offset,
        })
    }

    /// Adds the device work of the node at `offset` as a slice, with the bytes that it copied or set. Returns
    /// the slice's origin; `None` if no slice was added.
    pub(super) fn device(&mut self, event: &DeviceTraceEventProto, offset: u64) -> Option<Origin> {
        let (pid, tid) = (event.device_id(), event.stream_id());
        let category = kinds::device(event);
        let slice = self.slice(&Timed {
            name: event.name(),
            category,
            flags: SliceFlags::default(),
            lane: Lane { pid, tid: Tid::Number(tid), group: GroupKind::Device, kind: LaneKind::Stream },
            start: event.start_ns,
            end: event.end_ns,
            correlation: event.correlation_id(),
            offset,
        });
        if let (Some(origin), Some(bytes), Some(ts)) = (slice, kinds::bytes(event), signed(event.start_ns)) {
            self.events.copied(CopiedBytes { ts, origin, bytes });
        }
        slice
    }

    /// Adds the event of unified memory at `offset` as a slice. Returns the slice's origin; `None` if no
    /// slice was added.
    pub(super) fn unified(&mut self, event: &UnifiedMemoryProto, offset: u64) -> Option<Origin> {
        let lane = Lane {
            pid: event.device().into(),
            tid: Tid::Text(UNIFIED_MEMORY_LANE),
            group: GroupKind::Device,
            kind: LaneKind::Stream,
        };
        self.slice(&Timed {
            name: event.name(),
            category: Category::UnifiedMemory,
            flags: SliceFlags::default(),
            lane,
            start: event.start_ns,
            end: event.end_ns,
            correlation: 0,
            offset,
        })
    }

    /// Adds the memory event of the node at `offset`. Returns its origin; `None` if the event was left out.
    pub(super) fn memory(&mut self, event: &MemTraceEventProto, offset: u64) -> Option<Origin> {
        let lane = self.thread(event.process_id(), event.thread_id(), LaneKind::Thread);
        self.events.count(b'i');
        let Some(ts) = signed(event.timestamp_ns) else {
            self.events.drop_event(Warning::BadTs, offset, || show(b"[memory]"));
            return None;
        };
        if !self.events.admits(ts, ts) {
            return None;
        }
        let device = dialect::place_device(event.place());
        let origin = self.events.origin(offset);
        let allocation = Allocation {
            ts,
            kind: kinds::memory(event.r#type(), event.increase_bytes()),
            bytes: event.increase_bytes(),
            address: event.addr(),
            allocated: signed(event.current_allocated).into(),
            reserved: signed(event.current_reserved).into(),
            peak_allocated: signed(event.peak_allocated).into(),
            peak_reserved: signed(event.peak_reserved).into(),
            origin,
            lane: self.lane(lane),
            place: self.events.intern(event.place()),
            device: device.map(|n| self.events.intern(n.to_string().as_bytes())),
            stack: StackId::NONE,
        };
        self.events.allocation(allocation);
        Some(origin)
    }

    /// Names the thread `tid` of the process `pid`, without what Paddle writes around a name.
    pub(super) fn name_thread(&mut self, pid: u64, tid: u64, name: &[u8]) {
        let name = dialect::paddle_thread_name(name, tid.to_string().as_bytes());
        self.name_lane(pid, tid, None, name);
    }

    /// Names a stream of a device.
    pub(super) fn name_stream(&mut self, device: u64, stream: u64, name: &[u8]) {
        self.name_lane(device, stream, Some(LaneKind::Stream), name);
    }

    fn name_lane(&mut self, pid: u64, tid: u64, layer: Option<LaneKind>, name: &[u8]) {
        let (pid, tid) = (self.number(pid), self.number(tid));
        let value = MetaValue::Name(self.events.intern(name));
        self.events.thread_meta(ThreadMeta { pid, thread: Some((tid, layer)), value });
    }

    fn thread(&mut self, pid: u64, tid: u64, kind: LaneKind) -> Lane {
        self.processes.entry(tid).or_default().insert(pid);
        Lane { pid, tid: Tid::Number(tid), group: GroupKind::Process, kind }
    }

    /// A number's decimal digits, interned.
    fn number(&mut self, number: u64) -> StrId {
        self.events.intern(number.to_string().as_bytes())
    }

    fn tid(&mut self, tid: Tid) -> StrId {
        match tid {
            Tid::Number(number) => self.number(number),
            Tid::Text(text) => self.events.intern(text.as_bytes()),
        }
    }

    fn lane(&mut self, lane: Lane) -> u32 {
        let (pid, tid) = (self.number(lane.pid), self.tid(lane.tid));
        self.events.lane(pid, tid, lane.group, lane.kind)
    }

    fn slice(&mut self, event: &Timed<'_>) -> Option<Origin> {
        let &Timed { name, category, mut flags, offset, .. } = event;
        self.events.count(b'X');
        let Some(start) = signed(event.start) else {
            self.events.drop_event(Warning::BadTs, offset, || show(name));
            return None;
        };
        let dur = match event.end {
            Some(end) if end >= saturate::<u64>(start) && end <= Ns::MAX as u64 => {
                saturate::<Ns>(end) - start
            }
            unusable => {
                flags = flags.with(SliceFlags::BAD_DURATION);
                self.events.quality().note(Warning::BadDur, Some(offset), || show(name));
                if unusable.is_some_and(|end| end > Ns::MAX as u64) { Ns::MAX - start } else { 0 }
            }
        };
        if dur > 0 && !flags.has(SliceFlags::BAD_DURATION) {
            self.events.lengthen(start, start + dur);
        }
        if !self.events.admits(start, start + dur) {
            return None;
        }
        let lane = self.lane(event.lane);
        let name = self.events.intern(name);
        let correlation = self.events.correlation(u64::from(event.correlation));
        if category == Category::Kernel && self.names.facts(name, self.events.strings()).communicates {
            flags = flags.with(SliceFlags::COMMUNICATION);
        }
        let origin = self.events.origin(offset);
        let (async_group, is_relative) = (0, false);
        self.events.slice(
            lane,
            Slice { start, dur, origin, name, correlation, async_group, category, flags, is_relative },
        );
        Some(origin)
    }

    /// Adds one end of the flow `link` from an operator to its backward operator, at the time `start` (ns) if
    /// that fits into [`Ns`]. An end outside the loaded time range is only counted as left out. The slice at
    /// `offset` on `lane` has it.
    fn backward_flow(&mut self, end: FlowEnd, link: u32, lane: Lane, start: u64, offset: u64) {
        let Some(ts) = signed(Some(start)) else { return };
        if !self.events.admits(ts, ts) {
            return;
        }
        let category = self.events.intern(b"fwdbwd");
        let (pid, tid) = (self.number(lane.pid), self.tid(lane.tid));
        let id = self.events.flow_id(link.to_string().as_bytes());
        let (name, origin, role) = (category, self.events.origin(offset), FlowRole::ForwardBackward);
        let (encloses, is_carried) = (true, true);
        let flow = Flow { ts, id, category, name, pid, tid, origin, end, encloses, is_carried, role };
        self.events.flow(flow);
    }
}
