//! Batches: the events that an event builder took from one part of a file. String, lane and id numbers in a
//! batch are valid only in the tables of its event builder.
//!
//! Plain data, handed from the thread that reads to the one that builds the trace. Must not know how either
//! works.

use std::sync::{Arc, Mutex, PoisonError};

use crate::model::Quality;
use proftui_base::time::Ns;

use super::clock::ClockBounds;
use super::input::{
    Allocation, AsyncPoint, BeginEnd, CopiedBytes, CounterSample, Flow, Instant, LaneKey, Slice, ThreadMeta,
};

/// One lane's slices in a batch, in order of start; of slices that start together the longer comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct BatchLane {
    pub lane: u32,
    /// Index in the batch's `slices` just past this lane's last slice.
    pub end: usize,
    /// True when some of this lane's slices are steps.
    pub has_steps: bool,
}

/// How often each event type occurred, indexed by its letter (one byte).
#[derive(Clone, Debug)]
pub(super) struct EventTypeCounts(pub [u64; 256]);

impl Default for EventTypeCounts {
    fn default() -> Self {
        Self([0; 256])
    }
}

/// Strings back to back in one buffer, in the order in which the event builder's table numbered them.
#[derive(Debug, Default)]
pub(super) struct Strings {
    pub bytes: Vec<u8>,
    /// For each string the index in `bytes` just past its last byte.
    pub ends: Vec<usize>,
}

impl Strings {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(from, &to)| &self.bytes[from..to])
    }
}

/// The events of one part of a file as builder inputs, and the entries added to the event builder's tables
/// since the batch before.
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Default)]
pub(in crate::import) struct Batch {
    /// Number of the event builder that made the batch.
    pub(super) builder: usize,
    /// Index of the batch among all of its event builder's batches, from 0.
    pub(super) number: u64,
    /// True for an event builder's first batch since its tables were empty: it refers to no entry of an
    /// earlier batch.
    pub(super) is_first: bool,
    pub(super) strings: Strings,
    pub(super) ids: Strings,
    pub(super) lanes: Vec<LaneKey>,
    /// New correlation numbers beyond 31 bits, which stand in slices as `FIRST_WIDE` + their index in the
    /// event builder's table.
    pub(super) wide_correlations: Vec<u64>,

    pub(super) slices: Vec<Slice>,
    pub(super) lane_slices: Vec<BatchLane>,
    pub(super) copied: Vec<CopiedBytes>,
    pub(super) begin_ends: Vec<BeginEnd>,
    pub(super) async_points: Vec<AsyncPoint>,
    pub(super) instants: Vec<Instant>,
    pub(super) samples: Vec<CounterSample>,
    pub(super) allocations: Vec<Allocation>,
    pub(super) flows: Vec<Flow>,
    pub(super) thread_metas: Vec<ThreadMeta>,

    pub(super) quality: Quality,
    pub(super) event_types: EventTypeCounts,
    /// First and last time of the events, loaded or not, ns; `None` when no event has a time.
    pub(super) extent: Option<(Ns, Ns)>,
    /// First start and last end, ns, of the events that have a valid length or bound a slice, loaded or not;
    /// `None` without any. The profiler's own span does not count.
    pub(super) length: Option<(Ns, Ns)>,
    /// True when the event builder, since its tables were empty, has found a time with digits below a
    /// microsecond.
    pub(super) is_fine: bool,
    /// True when the event builder, since its tables were empty, has found device work with correlation
    /// numbers.
    pub(super) has_correlations: bool,
    /// Bounds on the start of Paddle's trace, from this batch's events; `None` where they give none.
    pub(super) clock: Option<ClockBounds>,
    /// Number of events left out because they lie outside the loaded time range.
    pub(super) outside: u64,
    /// True when there was no memory for some of the events or table entries: the batch must not be absorbed.
    pub(super) is_incomplete: bool,
}

impl Batch {
    /// Empties the batch but keeps the memory of its event vectors.
    pub(super) fn emptied(mut self) -> Self {
        // Freeing and allocating it for every chunk would cost more than filling it.
        fn empty<T>(vec: &mut Vec<T>) -> Vec<T> {
            vec.clear();
            std::mem::take(vec)
        }
        Self {
            slices: empty(&mut self.slices),
            lane_slices: empty(&mut self.lane_slices),
            copied: empty(&mut self.copied),
            begin_ends: empty(&mut self.begin_ends),
            async_points: empty(&mut self.async_points),
            instants: empty(&mut self.instants),
            samples: empty(&mut self.samples),
            allocations: empty(&mut self.allocations),
            flows: empty(&mut self.flows),
            ..Self::default()
        }
    }
}

/// Emptied batches to be filled again, shared by all event builders.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Spares(Arc<Mutex<Vec<Batch>>>);

impl Spares {
    /// Empties a batch and keeps it for [`take`](Self::take).
    pub(super) fn put(&self, batch: Batch) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(batch.emptied());
    }

    /// Returns an empty batch: one that was put back, or else a new one.
    pub(super) fn take(&self) -> Batch {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}
