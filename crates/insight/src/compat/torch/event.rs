//! A function event: the fields of torch's `FunctionEvent` that the tables need.
//!
//! Must not know where it was read.

use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::SliceId;

/// The index that stands for "no event".
pub(super) const NO_EVENT: u32 = u32::MAX;

/// The kind of an event, which decides how the event counts in the averages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operator, to which calls and device work are linked.
    Operator,
    /// A user annotation on the host, such as a `record_function` range or a training step.
    Annotation,
    /// A Python function; the rules decide how it counts.
    Python,
    /// A call of the device's runtime or driver.
    Call,
    /// Overhead of the profiler.
    Overhead,
    /// Anything else: other host events, and events of unknown categories.
    #[default]
    Host,
    /// An event on a device, such as a kernel, a copy or a wait, but no user's range.
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

/// How an event ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ending {
    #[default]
    Usual,
    /// On another thread, as far as known: the event is in no tree and has no time of its own.
    Elsewhere,
    /// Not before the recording stopped, which torch takes for an end on another thread.
    Open,
}

/// One event of a file, with the fields that torch's averages need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub kind: Kind,
    /// Start of the event, ns.
    pub start: Ns,
    /// End of the event, ns.
    pub end: Ns,
    /// The name shown in the table.
    pub name: StrId,
    /// The index of the event's thread; `move_calls` may change it for calls and overhead.
    pub thread: u32,
    /// True for the range of a training step on the host.
    pub is_step: bool,
    pub ending: Ending,
    /// True for an operator that is a backward function; always false if rows are not grouped by stack.
    pub is_backward: bool,
    /// The External id that the file states, which usually names an operator; 0 for none.
    pub id: i64,
    /// The correlation number that a call and its device work share; 0 for none.
    pub correlation: i64,
    /// The event's number in torch's order (`Ev Idx`), by which events with equal times are sorted;
    /// `u32::MAX` for none.
    pub order: u32,
    /// The sequence number that an operator shares with its backward function; -1 for none.
    pub sequence: i64,
    /// For a backward function, the thread of its forward operator, as torch numbers threads; 0 for none.
    pub forward_thread: i64,
    /// Input shapes as text; the empty text if there are none or rows are not grouped by shape.
    pub shapes: StrId,
    /// The stack frames that distinguish rows, innermost first and one per line; the empty text for none.
    pub stack: StrId,
    /// Floating point operations of an operator; 0 if unknown or not asked for.
    pub flops: u64,
    /// The operator of a call or of device work, as an index into the unsorted events; [`NO_EVENT`] for none.
    pub operator: u32,
    /// The summed time of the device work that counts as the operator's own, µs.
    pub work: f64,
    /// Bytes allocated minus bytes released on any thread during the host event, as [host, device].
    pub memory: [i64; 2],
    /// The event's slice in the trace; [`NONE`](SliceId::NONE) if the event was not made of a slice.
    pub slice: SliceId,
}

impl Event {
    /// True for an event that is in no tree and has no time of its own.
    pub(super) fn is_async(&self) -> bool {
        self.ending != Ending::Usual
    }
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
            ending: Ending::Usual,
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

/// A memory event: an allocation or a release.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Time of the memory event, ns.
    pub ts: Ns,
    /// The index of the thread on which the memory event occurred.
    pub thread: u32,
    /// Bytes allocated, as [host, device]; negative for a release.
    pub bytes: [i64; 2],
}

/// The events and memory events of one file.
#[derive(Debug, Default)]
pub(super) struct FileEvents {
    pub events: Vec<Event>,
    pub records: Vec<Record>,
    /// Start of the span in which torch's profiler ran, ns; None if unknown.
    pub span_start: Option<Ns>,
    /// End of that span, ns; None if unknown.
    pub span_end: Option<Ns>,
    /// True if some times of the events made of slices have digits below a microsecond.
    pub has_decimals: bool,
}

impl FileEvents {
    /// Gives the events that had not ended when the recording stopped the end of the profiler's span. In a
    /// file of whole µs, an event without a length has ended within a µs.
    pub(super) fn close_open(&mut self) {
        let (end, is_coarse) = (self.span_end, !self.has_decimals);
        let is_short = |event: &&mut Event| {
            is_coarse && event.ending == Ending::Open && event.start == event.end && Some(event.end) != end
        };
        self.events.iter_mut().filter(is_short).for_each(|event| event.ending = Ending::Usual);
        for event in self.events.iter_mut().filter(|event| event.ending == Ending::Open) {
            event.end = end.unwrap_or(event.end).max(event.start);
        }
    }

    /// The time from which torch counts, ns: the start of its profiler's span if that is known, else of the
    /// file's earliest event; 0 if there is neither.
    pub(super) fn zero(&self) -> Ns {
        let first = || self.events.iter().map(|event| event.start).min();
        self.span_start.or_else(first).unwrap_or_default()
    }
}

/// The time from `zero` to the time `ns`, in µs, computed as torch does.
pub(super) fn micros(ns: Ns, zero: Ns) -> f64 {
    ns.saturating_sub(zero) as f64 / 1000.0
}

/// The length of an event in µs, computed as torch does: as the difference of two doubles.
pub(super) fn elapsed(event: &Event, zero: Ns) -> f64 {
    micros(event.end, zero) - micros(event.start, zero)
}
