//! Writing the slices into the columns of the model, lane by lane and row by row.
//!
//! Each lane is sorted, laid out and written by itself, into its own range of the columns, so lanes are done
//! in parallel.

use std::cmp::Reverse;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::model::{
    Category, LaneId, LaneKind, Origin, Row, SliceFlags, SliceId, Slices, Trace, Warning, WorkerId,
};
use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::{Column, Ids};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};

use super::builder::TraceBuilder;
use super::input::Slice;
use super::layout::{Layout, NO_PARENT, Rules, layout};

/// Facts about all slices, found while they are written.
#[derive(Debug, Default)]
pub(super) struct SliceFacts {
    /// First start to last end of all slices, ns; `None` without slices.
    pub span: Option<Span>,
    /// By file number and worker, the first start and last end, ns, of the slices longer than 0 that the file
    /// has of the worker, except the profiler's own span and slices with a bad duration.
    pub lengths: FxHashMap<(usize, WorkerId), Span>,
    pub has_operators: bool,
}

/// One lane's slices and the columns to write them to.
struct Job<'a> {
    lane: LaneId,
    slices: Vec<Slice>,
    is_sorted: bool,
    rules: Rules,
    /// Id in the trace of the lane's first slice.
    first: SliceId,
    columns: LaneColumns<'a>,
}

/// One lane's range of each column.
struct LaneColumns<'a> {
    start: &'a mut [Ns],
    dur: &'a mut [Ns],
    name: &'a mut [StrId],
    category: &'a mut [u8],
    flags: &'a mut [SliceFlags],
    parent: &'a mut [SliceId],
    correlation: &'a mut [u32],
    origin: &'a mut [Origin],
}

/// The result of a [`Job`]: facts about one lane.
struct Done {
    lane: LaneId,
    rows: Vec<Row>,
    depth: u32,
    span: Span,
    /// First start and last end of each file's slices on this lane, as in [`SliceFacts::lengths`].
    lengths: Vec<(usize, Span)>,
    has_operators: bool,
    /// Number of the lane's slices that count as overlapping; `overlap` has the name and origin of the first.
    overlaps: u64,
    overlap: Option<(StrId, Origin)>,
    ends: Vec<(SliceId, Origin)>,
}

/// Moves the slices of `builder` into the columns, rows and lanes of `trace`, and counts unexpected
/// overlaps as warnings. `trace_lanes` maps the builder's lanes to those of the trace.
///
/// # Errors
/// When memory runs out.
pub(super) fn write_slices(
    builder: &mut TraceBuilder,
    trace_lanes: &[LaneId],
    trace: &mut Trace,
) -> Result<SliceFacts, NoMemory> {
    let inputs = gather(builder, trace_lanes, trace.lanes.len())?;
    let total = inputs.iter().map(|input| input.slices.len()).sum();
    let mut columns = Slices {
        start: heap::try_filled(0, total)?.into(),
        dur: heap::try_filled(0, total)?.into(),
        name: heap::try_filled(StrId::EMPTY, total)?.into(),
        category: heap::try_filled(0, total)?.into(),
        flags: heap::try_filled(SliceFlags::default(), total)?.into(),
        parent: heap::try_filled(SliceId::NONE, total)?.into(),
        correlation: heap::try_filled(0, total)?.into(),
        origin: heap::try_filled(Origin::NONE, total)?.into(),
    };
    let mut jobs = jobs(inputs, &mut columns, trace);
    // Longest first: otherwise one thread may still write the longest lane when all others are done.
    jobs.sort_by_key(|job| Reverse(job.slices.len()));
    let ends = &builder.ends;
    let end_of = |origin: Origin| if ends.is_empty() { None } else { ends.get(&origin).copied() };
    // One job at a time per thread: short lanes do not wait behind a long one.
    let mut done: Vec<_> =
        jobs.into_par_iter().with_max_len(1).map(|job| (job.lane, job.run(&end_of))).collect();
    done.sort_by_key(|&(lane, _)| lane);
    let mut facts = SliceFacts::default();
    for (_, done) in done {
        let done = done?;
        let first_row = trace.rows.ids().end;
        let worker = trace.groups[trace.lanes[done.lane].group].worker;
        let lane = &mut trace.lanes[done.lane];
        let (Some(from), Some(to)) = (done.rows.first(), done.rows.last()) else { continue };
        lane.slices = Ids::from(from.first..to.first + to.len);
        lane.rows = Ids::from(first_row..first_row + saturate::<u32>(done.rows.len()));
        lane.depth = done.depth;
        heap::try_grow(trace.rows.as_mut_vec(), done.rows.len())?;
        trace.rows.as_mut_vec().extend(done.rows);
        heap::try_grow(&mut trace.ends, done.ends.len())?;
        trace.ends.extend(done.ends);
        facts.has_operators |= done.has_operators;
        for (file, span) in done.lengths {
            facts
                .lengths
                .entry((file, worker))
                .and_modify(|known| *known = known.union(span))
                .or_insert(span);
        }
        facts.span = Some(facts.span.map_or(done.span, |span| span.union(done.span)));
        if let Some((name, origin)) = done.overlap {
            let example = || builder.strings.text(name).to_string();
            builder.quality.note_many(Warning::Overlap, done.overlaps, Some(origin.offset()), example);
        }
    }
    trace.slices = columns;
    Ok(facts)
}

/// The slices that all files have on one lane of the trace, joined but not yet laid out.
#[derive(Default)]
struct LaneInput {
    slices: Vec<Slice>,
    is_sorted: bool,
    /// The rules of the lane's layout; `None` for a lane without slices.
    rules: Option<Rules>,
}

/// Moves the slices of all files' lanes into one list per lane of the trace. `lanes` is the number of the
/// trace's lanes.
fn gather(
    builder: &mut TraceBuilder,
    trace_lanes: &[LaneId],
    lanes: usize,
) -> Result<Column<LaneId, LaneInput>, NoMemory> {
    let mut inputs: Column<LaneId, LaneInput> =
        std::iter::repeat_with(LaneInput::default).take(lanes).collect();
    for (of_file, &lane) in builder.lanes.iter_mut().zip(trace_lanes).filter(|(l, _)| !l.slices.is_empty()) {
        let file = &builder.files[of_file.key.file as usize];
        let (tolerance, notes_from) = resolution(file.is_fine, file.header.is_rounded());
        let input = &mut inputs[lane];
        let known = input.rules.map_or((0, 0), |rules| (rules.tolerance, rules.notes_from));
        let (tolerance, notes_from) = known.max((tolerance, notes_from));
        // The recorder's steps are the requests of a server, where these are asked for.
        let steps_may_overlap =
            file.header.is_recorded() && input.rules.is_none_or(|rules| rules.steps_may_overlap);
        let has_groups = of_file.key.kind == LaneKind::Async;
        input.rules = Some(Rules { has_groups, tolerance, notes_from, steps_may_overlap });
        if input.slices.is_empty() {
            (input.slices, input.is_sorted) = (std::mem::take(&mut of_file.slices), of_file.is_sorted);
        } else {
            heap::try_grow(&mut input.slices, of_file.slices.len())?;
            input.slices.append(&mut of_file.slices);
            input.is_sorted = false;
        }
    }
    Ok(inputs)
}

/// A file's time resolution, and the shortest overhang beyond a neighbour that is counted as an overlap, both
/// ns.
fn resolution(is_fine: bool, is_rounded: bool) -> (Ns, Ns) {
    match (is_fine, is_rounded) {
        (_, true) => (1_000, 1_001),
        (true, false) => (1, 1),
        (false, false) => (1_000, 1),
    }
}

/// Makes a job for each lane that has slices, in the order of the lanes.
fn jobs<'a>(inputs: Column<LaneId, LaneInput>, columns: &'a mut Slices, trace: &Trace) -> Vec<Job<'a>> {
    debug_assert_eq!(inputs.len(), trace.lanes.len());
    let mut rest = LaneColumns {
        start: &mut columns.start,
        dur: &mut columns.dur,
        name: &mut columns.name,
        category: &mut columns.category,
        flags: &mut columns.flags,
        parent: &mut columns.parent,
        correlation: &mut columns.correlation,
        origin: &mut columns.origin,
    };
    let mut first = SliceId::default();
    let mut jobs = Vec::new();
    for (lane, LaneInput { slices, is_sorted, rules }) in inputs.ids().iter().zip(inputs) {
        let Some(rules) = rules else { continue };
        let len = slices.len();
        let (columns, others) = rest.split(len);
        rest = others;
        jobs.push(Job { lane, slices, is_sorted, rules, first, columns });
        first = first + saturate::<u32>(len);
    }
    jobs
}

impl LaneColumns<'_> {
    /// The first `at` entries of each column, and the others.
    fn split(self, at: usize) -> (Self, Self) {
        let (start, start_rest) = self.start.split_at_mut(at);
        let (dur, dur_rest) = self.dur.split_at_mut(at);
        let (name, name_rest) = self.name.split_at_mut(at);
        let (category, category_rest) = self.category.split_at_mut(at);
        let (flags, flags_rest) = self.flags.split_at_mut(at);
        let (parent, parent_rest) = self.parent.split_at_mut(at);
        let (correlation, correlation_rest) = self.correlation.split_at_mut(at);
        let (origin, origin_rest) = self.origin.split_at_mut(at);
        let rest = Self {
            start: start_rest,
            dur: dur_rest,
            name: name_rest,
            category: category_rest,
            flags: flags_rest,
            parent: parent_rest,
            correlation: correlation_rest,
            origin: origin_rest,
        };
        (Self { start, dur, name, category, flags, parent, correlation, origin }, rest)
    }
}

/// Grows the span of file number `file` in `lengths` so that it holds `span`; adds the file if it is new.
fn lengthen(lengths: &mut Vec<(usize, Span)>, file: usize, span: Span) {
    match lengths.iter_mut().rev().find(|(known, _)| *known == file) {
        Some((_, length)) => *length = length.union(span),
        None => lengths.push((file, span)),
    }
}

impl Job<'_> {
    /// Sorts, lays out and writes the lane. `end_of` returns the origin of the end event with arguments for
    /// the origin of its begin event.
    fn run(mut self, end_of: &impl Fn(Origin) -> Option<Origin>) -> Result<Done, NoMemory> {
        if !self.is_sorted {
            // Stable: of two equal slices the first in the file encloses the other.
            heap::try_sort_by_key(&mut self.slices, Slice::order)?;
        }
        let layout = layout(&self.slices, self.rules)?;
        let rows = self.rows(&layout)?;
        let mut ends = Vec::new();
        // For each row the index of its next slice, counted from the lane's first; then the index of each
        // slice.
        let mut next: Vec<u32> = heap::try_collect(rows.iter().map(|row| row.first - self.first))?;
        let mut index = layout.row;
        for index in &mut index {
            let at = &mut next[*index as usize];
            *index = *at;
            *at += 1;
        }
        let (mut to, mut has_operators) = (Ns::MIN, false);
        let mut lengths: Vec<(usize, Span)> = Vec::new();
        let out = &mut self.columns;
        let has_groups = self.rules.has_groups;
        let overflow_from = match rows.get(layout.depth as usize) {
            Some(row) if !has_groups => row.first - self.first,
            _ => u32::MAX,
        };
        for ((slice, &number), &parent) in self.slices.iter().zip(&index).zip(&layout.parent) {
            let at = number as usize;
            out.start[at] = slice.start;
            out.dur[at] = slice.dur;
            out.name[at] = slice.name;
            out.category[at] = slice.category as u8;
            let is_overflow = number >= overflow_from;
            out.flags[at] = if is_overflow { slice.flags.with(SliceFlags::OVERFLOW) } else { slice.flags };
            out.correlation[at] = slice.correlation;
            out.origin[at] = slice.origin;
            if parent != NO_PARENT {
                out.parent[at] = self.first + index[parent as usize];
            }
            let span = Span { start: slice.start, end: slice.start + slice.dur };
            to = to.max(span.end);
            let has_length =
                !slice.flags.has(SliceFlags::PROFILER) && !slice.flags.has(SliceFlags::BAD_DURATION);
            if slice.dur > 0 && has_length {
                lengthen(&mut lengths, slice.origin.file(), span);
            }
            has_operators |= slice.category == Category::Operator;
            if let Some(end) = end_of(slice.origin) {
                heap::try_push(&mut ends, (self.first + number, end))?;
            }
        }
        ends.sort_unstable();
        let overlaps = if has_groups { &[] } else { layout.overlaps.as_slice() };
        let overlap = overlaps.first().map(|&i| &self.slices[i as usize]);
        Ok(Done {
            lane: self.lane,
            depth: if has_groups { layout.rows } else { layout.depth },
            span: Span { start: self.slices.first().map_or(0, |slice| slice.start), end: to },
            lengths,
            has_operators,
            overlaps: overlaps.len() as u64,
            overlap: overlap.map(|slice| (slice.name, slice.origin)),
            ends,
            rows,
        })
    }

    /// The lane's rows, whose slices lie in the columns row after row.
    fn rows(&self, layout: &Layout) -> Result<Vec<Row>, NoMemory> {
        let mut lens = heap::try_filled(0_u32, layout.rows as usize)?;
        layout.row.iter().for_each(|&row| lens[row as usize] += 1);
        let mut first = self.first;
        let row = |len| {
            let row = Row { lane: self.lane, first, len };
            first = first + len;
            row
        };
        heap::try_collect(lens.into_iter().map(row))
    }
}
