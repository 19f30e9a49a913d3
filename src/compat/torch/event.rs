//! One function event: what torch's `FunctionEvent` holds, as far as a table needs it.
//!
//! Must not know where it was read.

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::SliceId;

/// No event.
pub(super) const NO_EVENT: u32 = u32::MAX;

/// What kind of event it is: what it takes part in hangs on that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// An operator: device work and calls are linked to it.
    Operator,
    /// A range that the user's code opened on the host.
    Annotation,
    /// A Python function: takes part in the tree, is no row.
    Python,
    /// A call of the device's runtime or driver.
    Call,
    /// Time that the profiler took.
    Overhead,
    /// Anything else on the host.
    #[default]
    Host,
    /// Work on a device, waits included.
    Device,
    /// A range as a device's stream saw it.
    DeviceRange,
}

impl Kind {
    /// True for what has device time of its own.
    pub(super) fn is_device(self) -> bool {
        matches!(self, Self::Device | Self::DeviceRange)
    }

    /// True for what torch flags as a user's annotation.
    pub(super) fn is_annotation(self) -> bool {
        matches!(self, Self::Annotation | Self::DeviceRange)
    }
}

/// One event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub kind: Kind,
    /// Start and end, ns on the file's clock.
    pub start: Ns,
    pub end: Ns,
    /// As in the table.
    pub name: StrId,
    pub thread: u32,
    /// True for a training step.
    pub is_step: bool,
    /// True for a backward function.
    pub is_backward: bool,
    /// External id: an operator's own; of calls and device work that of their operator. 0 for none.
    pub id: i64,
    /// 0 for none.
    pub correlation: i64,
    /// torch's own number of the event; those without one come after.
    pub order: u32,
    /// Number that joins an operator to its backward; -1 for none.
    pub sequence: i64,
    /// The thread (as torch counts threads) of the forward operator; 0 for none.
    pub forward_thread: i64,
    /// Input shapes as text; 0 for none.
    pub shapes: StrId,
    /// The innermost stack frames, one a line; 0 for none.
    pub stack: StrId,
    pub flops: u64,
    /// The operator that it belongs to, a place in the list before sorting.
    pub operator: u32,
    /// Time of its own device work, µs.
    pub work: f64,
    /// Bytes, host and device.
    pub memory: [i64; 2],
    /// Where the event is on the timeline.
    pub slice: SliceId,
}

impl Default for Event {
    fn default() -> Self {
        Self {
            kind: Kind::Host,
            start: 0,
            end: 0,
            name: 0,
            thread: 0,
            is_step: false,
            is_backward: false,
            id: 0,
            correlation: 0,
            order: u32::MAX,
            sequence: -1,
            forward_thread: 0,
            shapes: 0,
            stack: 0,
            flops: 0,
            operator: NO_EVENT,
            work: 0.0,
            memory: [0; 2],
            slice: crate::model::NONE,
        }
    }
}

/// A memory record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub ts: Ns,
    pub thread: u32,
    /// Bytes, host and device; negative for a release.
    pub bytes: [i64; 2],
}

/// What one file holds.
#[derive(Debug, Default)]
pub(super) struct FileEvents {
    pub events: Vec<Event>,
    pub records: Vec<Record>,
    /// Start of torch's own span of the capture, ns.
    pub span_start: Option<Ns>,
    /// True when times have digits below a microsecond.
    pub has_decimals: bool,
}

impl FileEvents {
    /// The instant that torch counts from, ns.
    pub(super) fn zero(&self) -> Ns {
        let first = || self.events.iter().map(|event| event.start).min();
        self.span_start.or_else(first).unwrap_or_default()
    }
}

/// Microseconds from `zero` to `ns`, as torch divides them.
pub(super) fn micros(ns: Ns, zero: Ns) -> f64 {
    ns.saturating_sub(zero) as f64 / 1000.0
}

/// Length in µs, as torch subtracts two doubles.
pub(super) fn elapsed(event: &Event, zero: Ns) -> f64 {
    micros(event.end, zero) - micros(event.start, zero)
}
