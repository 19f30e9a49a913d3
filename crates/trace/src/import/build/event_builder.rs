//! The event builder of one thread: a reader gives it events as the structs of `input`, and takes batches
//! from it.
//!
//! An event builder has its own tables and handles one event at a time, so any thread may read any part of a
//! file; `absorb` joins the batches in the file's order. Must not know any format, order or nesting.

use rustc_hash::FxHashMap;

use crate::model::{Category, GroupKind, LaneKind, Origin, Quality, Warning};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::batch::{Batch, BatchLane, Spares, Strings};
use super::clock::{ClockBounds, FLOAT_LIMIT};
use super::input::{
    Allocation, AsyncPoint, BeginEnd, CopiedBytes, CounterSample, FIRST_WIDE, Flow, FlowId, FlowRole,
    Instant, LaneKey, Slice, ThreadMeta,
};
use crate::import::build::limit::time_range::TimeRange;

/// Bytes of interned strings and ids beyond which the tables are emptied when a batch is closed.
const TABLE_LIMIT: usize = 8 << 20;

/// A reading thread's tables of strings, ids and lanes, and the batch being filled.
///
/// A reader may add an event that has a time only where [`admits`](Self::admits) or
/// [`is_in_range`](Self::is_in_range) is true.
#[derive(Debug)]
pub(in crate::import) struct EventBuilder {
    file: u16,
    batch: Batch,
    strings: Interner,
    /// Ids of flows and asynchronous events that [`FlowId::number`] does not read as numbers.
    ids: Interner,
    lanes: Vec<LaneKey>,
    lane_ids: FxHashMap<LaneKey, u32>,
    /// The lane looked up last, and its number.
    last_lane: Option<(LaneKey, u32)>,
    /// The batch's slices, indexed by the lane's number.
    slices: Vec<LaneSlices>,
    /// Lanes with slices in this batch.
    touched: Vec<u32>,
    wide_correlations: FxHashMap<u64, u32>,
    sent: Sent,
    spares: Spares,
    range: TimeRange,
}

/// How many entries of each table are in earlier batches already.
#[derive(Debug, Default)]
struct Sent {
    strings: usize,
    ids: usize,
    lanes: usize,
}

/// The slices of one lane in the batch being filled.
#[derive(Debug, Default)]
struct LaneSlices {
    slices: Vec<Slice>,
    has_steps: bool,
}

impl EventBuilder {
    /// A builder for one file's events; `number` distinguishes its batches from those of the file's other
    /// builders.
    pub(in crate::import) fn new(number: usize, file: u16, spares: Spares, range: TimeRange) -> Self {
        Self {
            file,
            batch: Batch { builder: number, is_first: true, ..Batch::default() },
            strings: Interner::default(),
            ids: Interner::default(),
            lanes: Vec::new(),
            lane_ids: FxHashMap::default(),
            last_lane: None,
            slices: Vec::new(),
            touched: Vec::new(),
            wide_correlations: FxHashMap::default(),
            sent: Sent::default(),
            spares,
            range,
        }
    }

    /// Closes the batch being filled and returns it; begins the next one. May empty the tables, after which
    /// [`is_new`](Self::is_new) is true.
    pub(in crate::import) fn close(&mut self) -> Batch {
        let (builder, number) = (self.batch.builder, self.batch.number + 1);
        let mut batch = std::mem::replace(&mut self.batch, Batch { builder, number, ..self.spares.take() });
        // Both facts are about the whole file, so later batches keep them until the tables are emptied.
        self.batch.has_correlations = batch.has_correlations;
        self.batch.is_fine = batch.is_fine;
        let count = self.touched.iter().map(|&touched| self.slices[touched as usize].slices.len()).sum();
        batch.is_incomplete |= heap::try_reserve(&mut batch.slices, count).is_err();
        if batch.is_incomplete {
            return batch;
        }
        for lane in self.touched.drain(..) {
            let LaneSlices { slices, has_steps } = &mut self.slices[lane as usize];
            if !slices.is_sorted_by_key(Slice::order) {
                // Stable: of two equal slices the first in the file encloses the other.
                slices.sort_by_key(Slice::order);
            }
            batch.slices.append(slices);
            batch.lane_slices.push(BatchLane { lane, end: batch.slices.len(), has_steps: *has_steps });
            *has_steps = false;
        }
        let tables = tail(&self.strings, self.sent.strings).and_then(|strings| {
            let lanes = heap::try_collect(self.lanes[self.sent.lanes..].iter().copied())?;
            Ok((strings, tail(&self.ids, self.sent.ids)?, lanes))
        });
        match tables {
            Ok(tables) => (batch.strings, batch.ids, batch.lanes) = tables,
            Err(NoMemory) => batch.is_incomplete = true,
        }
        self.sent = Sent { strings: self.strings.len(), ids: self.ids.len(), lanes: self.lanes.len() };
        if self.strings.size() + self.ids.size() > TABLE_LIMIT {
            self.begin_anew();
        }
        batch
    }

    /// Empties the tables and the batch. The next batch refers to no earlier one, so it can be absorbed even
    /// if earlier ones are discarded.
    pub(in crate::import) fn begin_anew(&mut self) {
        // Earlier batches may not be absorbed yet, so batch numbers continue: no number occurs twice.
        let number = self.batch.number;
        *self = Self::new(self.batch.builder, self.file, self.spares.clone(), self.range.clone());
        self.batch.number = number;
    }

    /// True until the first batch since the tables were made or emptied is closed. Numbers returned before
    /// the tables were emptied are invalid.
    pub(in crate::import) fn is_new(&self) -> bool {
        self.batch.is_first
    }

    /// Counts of lost, repaired and odd data in the batch being filled.
    #[inline]
    pub(in crate::import) fn quality(&mut self) -> &mut Quality {
        &mut self.batch.quality
    }

    /// Counts an unusable event as dropped; notes `warning` with the event's byte `offset` and an `example`.
    pub(in crate::import) fn drop_event(
        &mut self,
        warning: Warning,
        offset: u64,
        example: impl FnOnce() -> String,
    ) {
        self.batch.quality.dropped += 1;
        self.batch.quality.unread += u64::from(warning != Warning::UnknownEventType);
        self.batch.quality.note(warning, Some(offset), example);
    }

    /// Counts an event by its type: a number that [`name_kinds`](super::TraceBuilder::name_kinds) gives a
    /// name, without that a letter of Chrome's format.
    #[inline]
    pub(in crate::import) fn count(&mut self, kind: u8) {
        self.batch.event_types.0[usize::from(kind)] += 1;
    }

    /// True when an event from `start` to `end` touches the loaded time range; else counts the event as left
    /// out. Grows the batch's extent to hold the event.
    #[inline]
    pub(in crate::import) fn admits(&mut self, start: Ns, end: Ns) -> bool {
        let is_inside = self.is_in_range(start, end);
        self.batch.outside += u64::from(!is_inside);
        is_inside
    }

    /// Like [`admits`](Self::admits), but counts nothing as left out.
    #[inline]
    pub(in crate::import) fn is_in_range(&mut self, start: Ns, end: Ns) -> bool {
        extend(&mut self.batch.extent, start, end);
        start <= self.range.last() && end >= self.range.first()
    }

    /// Grows the batch's `length` to hold `start` and `end`.
    #[inline]
    pub(in crate::import) fn lengthen(&mut self, start: Ns, end: Ns) {
        extend(&mut self.batch.length, start, end);
    }

    /// The origin of the event with this key of the file's reader.
    #[inline]
    pub(in crate::import) fn origin(&self, key: u64) -> Origin {
        Origin::new(self.file, key)
    }

    /// Returns the number of a string, which is added to the table when it is new. Where there is no memory
    /// for it, returns 0, and the batch is incomplete.
    #[inline]
    pub(in crate::import) fn intern(&mut self, text: &[u8]) -> StrId {
        intern(&mut self.strings, text, &mut self.batch)
    }

    /// The table of the strings interned since it was last emptied.
    #[inline]
    pub(in crate::import) fn strings(&self) -> &Interner {
        &self.strings
    }

    /// The id that the file writes as `text`, of a flow or an asynchronous slice.
    #[inline]
    pub(in crate::import) fn flow_id(&mut self, text: &[u8]) -> FlowId {
        FlowId::number(text).unwrap_or_else(|| FlowId::text(intern(&mut self.ids, text, &mut self.batch)))
    }

    /// Returns the number of a lane of this file, which is added to the table when it is new.
    #[inline]
    pub(in crate::import) fn lane(
        &mut self,
        pid: StrId,
        tid: StrId,
        group: GroupKind,
        kind: LaneKind,
    ) -> u32 {
        let key = LaneKey { file: self.file, pid, tid, group, kind };
        if let Some((last, number)) = self.last_lane
            && last == key
        {
            return number;
        }
        let next = saturate::<u32>(self.lanes.len());
        let number = *self.lane_ids.entry(key).or_insert(next);
        if number == next {
            self.batch.is_incomplete |= heap::try_push(&mut self.lanes, key).is_err();
        }
        self.last_lane = Some((key, number));
        number
    }

    /// Converts a correlation number of the file to the 32-bit number that slices hold.
    #[inline]
    pub(in crate::import) fn correlation(&mut self, number: u64) -> u32 {
        if number < FIRST_WIDE {
            return saturate::<u32>(number);
        }
        let next = saturate::<u32>(FIRST_WIDE) + saturate::<u32>(self.wide_correlations.len());
        let renumbered = *self.wide_correlations.entry(number).or_insert(next);
        if renumbered == next {
            add(&mut self.batch.wide_correlations, number, &mut self.batch.is_incomplete);
        }
        renumbered
    }

    /// Notes, if `is_fine`, that some time of the file has digits below a microsecond.
    #[inline]
    pub(in crate::import) fn set_fine(&mut self, is_fine: bool) {
        self.batch.is_fine |= is_fine;
    }

    /// True once this event builder has seen device work with a correlation number since its tables were
    /// emptied.
    #[inline]
    pub(in crate::import) fn has_correlations(&self) -> bool {
        self.batch.has_correlations
    }

    /// Notes that the file has correlation numbers, if an event of `category` is device work and
    /// `correlation` is not 0.
    #[inline]
    pub(in crate::import) fn note_correlation(&mut self, correlation: u32, category: Category) {
        self.batch.has_correlations |= correlation != 0 && category.is_device_work();
    }

    /// Adds a slice on `lane` to the batch.
    #[allow(clippy::inline_always, reason = "called for every event; measured")]
    #[inline(always)]
    pub(in crate::import) fn slice(&mut self, lane: u32, slice: Slice) {
        self.note_correlation(slice.correlation, slice.category);
        if lane as usize >= self.slices.len() {
            if heap::try_grow(&mut self.slices, self.lanes.len()).is_err() {
                self.batch.is_incomplete = true;
                return;
            }
            self.slices.resize_with(self.lanes.len(), LaneSlices::default);
        }
        let Some(of_lane) = self.slices.get_mut(lane as usize) else {
            // There was no memory for the lane itself.
            self.batch.is_incomplete = true;
            return;
        };
        if of_lane.slices.is_empty() {
            self.touched.push(lane);
        }
        of_lane.has_steps |= slice.category == Category::ProfileStep;
        add(&mut of_lane.slices, slice, &mut self.batch.is_incomplete);
    }

    /// Adds the bytes of a copy or memset to the batch; its slice is added separately.
    pub(in crate::import) fn copied(&mut self, copied: CopiedBytes) {
        add(&mut self.batch.copied, copied, &mut self.batch.is_incomplete);
    }

    /// Narrows the bounds on the start of Paddle's trace by an event's `ts` and `offset`, ns, if the offset
    /// is precise enough. True if so: the slice must then have the offset as its `start`, with `is_relative`.
    #[inline]
    pub(in crate::import) fn clock_sample(&mut self, ts: Ns, offset: Ns) -> bool {
        ClockBounds::narrow(&mut self.batch.clock, ts, offset);
        offset < FLOAT_LIMIT
    }

    /// Adds the begin or the end of a slice of a thread to the batch.
    pub(in crate::import) fn begin_end(&mut self, point: BeginEnd) {
        add(&mut self.batch.begin_ends, point, &mut self.batch.is_incomplete);
    }

    /// Adds the begin, the end or an instant of an asynchronous slice to the batch.
    pub(in crate::import) fn async_point(&mut self, point: AsyncPoint) {
        add(&mut self.batch.async_points, point, &mut self.batch.is_incomplete);
    }

    /// Adds an instant to the batch.
    pub(in crate::import) fn instant(&mut self, instant: Instant) {
        add(&mut self.batch.instants, instant, &mut self.batch.is_incomplete);
    }

    /// Adds one value of a counter to the batch.
    pub(in crate::import) fn counter(&mut self, sample: CounterSample) {
        add(&mut self.batch.samples, sample, &mut self.batch.is_incomplete);
    }

    /// Adds an allocation or a release of memory to the batch.
    pub(in crate::import) fn allocation(&mut self, allocation: Allocation) {
        add(&mut self.batch.allocations, allocation, &mut self.batch.is_incomplete);
    }

    /// Whether flows of this role are needed: correlation numbers replace flows to device work.
    #[inline]
    pub(in crate::import) fn wants_flow(&self, role: FlowRole) -> bool {
        !role.is_launch() || !self.batch.has_correlations
    }

    /// Adds one end of a flow to the batch.
    #[inline]
    pub(in crate::import) fn flow(&mut self, flow: Flow) {
        add(&mut self.batch.flows, flow, &mut self.batch.is_incomplete);
    }

    /// Adds a name or a sort order of a process or a thread to the batch.
    pub(in crate::import) fn thread_meta(&mut self, meta: ThreadMeta) {
        add(&mut self.batch.thread_metas, meta, &mut self.batch.is_incomplete);
    }
}

/// Grows `extent` to hold `from` and `to`; `None` becomes the extent of these two.
#[inline]
fn extend(extent: &mut Option<(Ns, Ns)>, from: Ns, to: Ns) {
    let extent = extent.get_or_insert((from, to));
    *extent = (extent.0.min(from), extent.1.max(to));
}

/// Adds a record to a list of the batch; where there is no memory for it, sets `is_incomplete`.
#[inline]
fn add<T>(records: &mut Vec<T>, record: T, is_incomplete: &mut bool) {
    *is_incomplete |= heap::try_push(records, record).is_err();
}

/// Returns the number of a string in `table`, to which new strings are added; marks the batch incomplete
/// where memory runs out.
#[inline]
fn intern(table: &mut Interner, text: &[u8], batch: &mut Batch) -> StrId {
    table.try_intern(text).unwrap_or_else(|NoMemory| {
        batch.is_incomplete = true;
        StrId::EMPTY
    })
}

/// The strings of `table` from number `from` on.
fn tail(table: &Interner, from: usize) -> Result<Strings, NoMemory> {
    let mut out = Strings::default();
    for id in table.ids().part(from..table.len()) {
        heap::try_grow(&mut out.bytes, table.bytes(id).len())?;
        out.bytes.extend_from_slice(table.bytes(id));
        heap::try_push(&mut out.ends, out.bytes.len())?;
    }
    Ok(out)
}
