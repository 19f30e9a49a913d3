//! A function event: the fields of torch's `FunctionEvent` that the tables need.
//!
//! Must not know where it was read.

use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::SliceId;

/// Index value for "no event".
pub(super) const NO_EVENT: u32 = u32::MAX;

/// The kind of an event, which decides how it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operator, to which calls and device work are linked.
    Operator,
    /// A range on the host that the user's code names (`record_function`).
    Annotation,
    /// A Python function: part of the tree, but no row by torch's rules; by DeepLink's it has one.
    Python,
    /// A call of the device's runtime or driver.
    Call,
    /// Overhead of the profiler.
    Overhead,
    /// Anything else on the host.
    #[default]
    Host,
    /// Work on a device, waits included.
    Device,
    /// A user's range as Kineto projects it onto a device's stream.
    DeviceRange,
}

impl Kind {
    /// True for events of devices, whose time is device time.
    pub(super) fn is_device(self) -> bool {
        matches!(self, Self::Device | Self::DeviceRange)
    }

    /// True for the kinds that torch flags as user annotations.
    pub(super) fn is_annotation(self) -> bool {
        matches!(self, Self::Annotation | Self::DeviceRange)
    }
}

/// One function event of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub kind: Kind,
    /// Start, ns on the file's clock.
    pub start: Ns,
    /// End, ns on the file's clock.
    pub end: Ns,
    /// The name shown in the table.
    pub name: StrId,
    /// The index of its thread.
    pub thread: u32,
    /// True for a training step.
    pub is_step: bool,
    /// True for a backward function.
    pub is_backward: bool,
    /// The External id: an operator's own id; for calls and device work that of their operator; 0 for none.
    pub id: i64,
    /// The correlation of a call and its device work; 0 for none.
    pub correlation: i64,
    /// The order in which torch lists the event (`Ev Idx`); `u32::MAX` for events without it, which come
    /// last.
    pub order: u32,
    /// The sequence number that an operator shares with its backward function; -1 for none.
    pub sequence: i64,
    /// The thread of a backward function's forward operator, as torch numbers threads; 0 for none.
    pub forward_thread: i64,
    /// Input shapes as text; 0 for none.
    pub shapes: StrId,
    /// The innermost stack frames, one per line; 0 for none.
    pub stack: StrId,
    /// Floating point operations; 0 if unknown.
    pub flops: u64,
    /// The operator to which a call or device work belongs, an index into the events before they are sorted;
    /// or [`NO_EVENT`].
    pub operator: u32,
    /// For an operator, the device time of the work that it launched, without nested operators, µs.
    pub work: f64,
    /// Bytes allocated minus bytes released while the event ran: of the host, of the device.
    pub memory: [i64; 2],
    /// The event's slice in the trace; [`NONE`](SliceId::NONE) if it has none.
    pub slice: SliceId,
}

impl Default for Event {
    fn default() -> Self {
        Self {
            kind: Kind::Host,
            start: 0,
            end: 0,
            name: StrId::EMPTY,
            thread: 0,
            is_step: false,
            is_backward: false,
            id: 0,
            correlation: 0,
            order: u32::MAX,
            sequence: -1,
            forward_thread: 0,
            shapes: StrId::EMPTY,
            stack: StrId::EMPTY,
            flops: 0,
            operator: NO_EVENT,
            work: 0.0,
            memory: [0; 2],
            slice: SliceId::NONE,
        }
    }
}

/// A memory event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Time, ns on the file's clock.
    pub ts: Ns,
    /// The index of its thread.
    pub thread: u32,
    /// Bytes allocated, of the host and of the device; negative for a release.
    pub bytes: [i64; 2],
}

/// The events and memory events of one file.
#[derive(Debug, Default)]
pub(super) struct FileEvents {
    pub events: Vec<Event>,
    pub records: Vec<Record>,
    /// Start of the span in which torch's profiler ran, ns; None if the file does not state it.
    pub span_start: Option<Ns>,
    /// True if the file's times have digits below a microsecond.
    pub has_decimals: bool,
}

impl FileEvents {
    /// The time from which torch counts, ns: the start of its profiler's span, else of the first event.
    pub(super) fn zero(&self) -> Ns {
        let first = || self.events.iter().map(|event| event.start).min();
        self.span_start.or_else(first).unwrap_or_default()
    }
}

/// The time from `zero` to `ns` in µs, computed as torch does.
pub(super) fn micros(ns: Ns, zero: Ns) -> f64 {
    ns.saturating_sub(zero) as f64 / 1000.0
}

/// The length of an event in µs, computed as torch does: as the difference of two doubles.
pub(super) fn elapsed(event: &Event, zero: Ns) -> f64 {
    micros(event.end, zero) - micros(event.start, zero)
}
