//! The matrix of events and phases: the time of each category's events in data loading, forward, backward,
//! optimizer and the remainder of the steps, as VisualDL's overview has it, by the rules of our own views.
//!
//! The time of an event on the host is divided by the phases of its process in which it lies. Device work
//! belongs to the phase in which it was launched, as in `model`. As in `overview`, an event inside another of
//! its category adds nothing, so the time of a category in the phases and outside of the steps is its time in
//! the overview. Must not know how phases are found.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, SliceFlags, SliceId, Trace, WorkerId};

use super::outside;
use crate::analysis::part::nesting::Repeats;
use crate::analysis::part::owner::{Launched, Owners};
use crate::analysis::part::phase::times::{PHASES_AND_OTHER, PhaseTimes, Times, total};
use crate::analysis::part::phase::{PHASES, Phases, worker};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::union;
use crate::analysis::part::{Part, Piece};
use crate::analysis::table::ColumnKind::{Count, Duration, Text};
use crate::analysis::table::chart::{Chart, ChartKind, Segment, Stack, Tint};
use crate::analysis::table::tally::longer;
use crate::analysis::table::{Column, Table, TableRow, Value};

const TIMES: &str = "The time of host events is divided by the phases of the same file in which they lie; \
    device work counts for the phase that launched it. A row adds up to In steps; with Outside it is the \
    category's time in the whole summary. Categories lie in each other (calls in operators, operators in \
    Python functions), so a column does not add up.";

/// The ids of the columns of the phases and of the time of steps in no phase, in the order of [`Times`].
const IDS: [&str; PHASES_AND_OTHER] = ["dataloader", "forward", "backward", "optimization", "other"];

/// The sums of the events of one category in a part of a trace.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Number of events that begin in the part and in a step; for device work, its launch must begin in a
    /// step.
    count: u64,
    times: Times,
    /// Time of the events outside of their worker's steps, ns; device work counts where it was launched, and
    /// here if that is unknown.
    outside: Ns,
    /// Time of the events in validation passes, ns; device work counts where it was launched.
    validation: Ns,
    /// The longest event that counts for steps, even in part, as its time within the part (ns) and its slice;
    /// `None` if there is none.
    longest: Option<(Ns, SliceId)>,
    is_seen: bool,
}

impl Row {
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.times = std::array::from_fn(|phase| self.times[phase].saturating_add(other.times[phase]));
        self.outside = self.outside.saturating_add(other.outside);
        self.validation = self.validation.saturating_add(other.validation);
        self.longest = longer(self.longest, other.longest);
        self.is_seen |= other.is_seen;
    }

    /// Adds an event; `begins` is true if it, or the launch of device work, begins in a step. If `is_inner`,
    /// an event of its category is around it, and its times do not count.
    fn add(&mut self, piece: Piece, (times, validation): (Times, Ns), begins: bool, is_inner: bool) {
        self.is_seen = true;
        self.count += u64::from(piece.begins && begins);
        if begins || total(&times) > 0 {
            self.longest = longer(self.longest, Some((piece.dur(), piece.id)));
        }
        if !is_inner {
            let outside = piece.dur().saturating_sub(total(&times));
            self.merge(&Self { times, outside, validation, ..Self::default() });
        }
    }
}

type Rows = [Row; Category::ALL.len()];

/// The validation passes of each of a part's workers, also outside of the part's time.
struct Validations(FxHashMap<WorkerId, Lengths>);

impl Validations {
    fn of(part: &Part<'_>) -> Self {
        let mut spans: FxHashMap<WorkerId, Vec<Span>> = FxHashMap::default();
        for pass in outside::validations(part.trace(), part.scope()) {
            spans.entry(pass.worker).or_default().push(pass.span);
        }
        Self(spans.into_iter().map(|(worker, spans)| (worker, Lengths::of(union(spans)))).collect())
    }

    /// How much of `span` lies in validation passes of the worker, ns; 0 if it has none.
    fn within(&self, worker: WorkerId, span: Span) -> Ns {
        self.0.get(&worker).map_or(0, |passes| passes.within(span))
    }
}

/// True for the categories that mark phases: each of them has a column, and no row.
fn is_phase(category: Category) -> bool {
    PHASES.iter().any(|(phase, _)| *phase == category)
}

/// The entry for a slice's worker in `workers`, by the worker's index; `None` if there is no entry.
fn of_worker<'a>(trace: &Trace, workers: &'a [PhaseTimes], id: SliceId) -> Option<&'a PhaseTimes> {
    workers.get(worker(trace, trace.lane_of(id)).index())
}

/// Sums up the part's events by category and phase; device work counts for the phase that launched it.
/// `workers` has the phases of each worker.
fn rows(part: &Part<'_>, workers: &[PhaseTimes]) -> Rows {
    let trace = part.trace();
    let slices = &trace.slices;
    // The time of an event in another of its category is part of the outer one's time.
    let repeats = Repeats::of(part, |_, id| Some(slices.category[id]));
    let validations = Validations::of(part);
    let of_lane = |lane: LaneId| {
        let mut rows = [Row::default(); Category::ALL.len()];
        let is_counted = |piece: &Piece| {
            let is_work = slices.category(piece.id).is_device_work();
            !is_work && !slices.flags[piece.id].has(SliceFlags::PROFILER)
        };
        let pieces = part.pieces(lane).filter(is_counted);
        let Some(of_worker) = workers.get(worker(trace, lane).index()) else { return rows };
        if !trace.lanes[lane].kind.repeats() {
            for piece in pieces {
                let begins = of_worker.at(slices.start[piece.id]).is_some();
                let row = &mut rows[slices.category(piece.id) as usize];
                let validation = validations.within(worker(trace, lane), piece.span);
                let times = (of_worker.within(piece.span), validation);
                row.add(piece, times, begins, repeats.has(lane, piece.id));
            }
        }
        rows
    };
    let merge = |mut all: Rows, one: Rows| {
        all.iter_mut().zip(&one).for_each(|(all, one)| all.merge(one));
        all
    };
    let none = || [Row::default(); Category::ALL.len()];
    let mut rows = part.par_lanes().map(of_lane).reduce(none, merge);
    for Launched { piece, launch, .. } in Owners::of(part).work() {
        let at = |launch: SliceId| of_worker(trace, workers, launch)?.at(slices.start[launch]);
        let launched = launch.and_then(at);
        let mut times = Times::default();
        if let Some(phase) = launched {
            times[phase] = piece.dur();
        }
        let is_validation = launch.is_some_and(|launch| {
            let start = slices.start[launch];
            let of = worker(trace, trace.lane_of(launch));
            validations.within(of, Span { start, end: start.saturating_add(1) }) > 0
        });
        let validation = if is_validation { piece.dur() } else { 0 };
        let is_inner = repeats.has(trace.lane_of(piece.id), piece.id);
        let row = &mut rows[slices.category(piece.id) as usize];
        row.add(piece, (times, validation), launched.is_some(), is_inner);
    }
    rows
}

/// Builds the table of the time that events of each category, other than those of phases, have in each phase.
/// Without a step in the part it has no rows.
pub fn matrix(trace: &Trace, scope: &Scope) -> Table {
    let part = Part::new(trace, scope);
    let mut found: Vec<(Category, Row)> = Vec::new();
    let mut notes = Vec::new();
    if part.steps().next().is_some() {
        // The scope chooses the events, not the phases that divide them.
        let phases = Phases::of(trace, &Scope::default());
        let rows = rows(&part, PhaseTimes::of_workers(trace));
        found = Category::ALL.iter().copied().zip(rows).collect();
        found.retain(|(category, row)| row.is_seen && !is_phase(*category));
        let is_step = |category: Category| category == Category::ProfileStep;
        found.sort_by_key(|(category, row)| {
            (!is_step(*category), std::cmp::Reverse(total(&row.times)), *category)
        });
        notes.push(TIMES.to_owned());
        notes.extend(phases.note());
    }
    let has_validation = found.iter().any(|(_, row)| row.validation > 0);
    let table = Table {
        view: "stages",
        title: "Event time by category and phase",
        columns: columns(has_validation),
        rows: found.iter().map(|(category, sums)| row(*category, sums, has_validation)).collect(),
        notes,
        ..Table::default()
    };
    let charts = [distribution(&table), breakdown(&found)];
    table.with_charts(charts)
}

fn row(category: Category, row: &Row, has_validation: bool) -> TableRow {
    let all = total(&row.times);
    let first = [Value::text(category.name()), Value::Count(row.count), Value::Duration(all)];
    let times = row.times.map(Value::Duration);
    let validation = has_validation.then_some(Value::Duration(row.validation));
    TableRow {
        cells: first
            .into_iter()
            .chain(times)
            .chain(validation)
            .chain([Value::Duration(row.outside)])
            .collect(),
        children: Vec::new(),
        longest: row.longest.map(|(_, id)| id),
    }
}

/// The colour of the phase with this index; the index after the last phase stands for the time in no phase.
fn tint(phase: usize) -> Tint {
    PHASES.get(phase).map_or(Tint::Remainder, |(phase, _)| Tint::Category(*phase))
}

/// Makes the chart with a bar per category, divided by phase; `None` if all bars are empty.
fn distribution(table: &Table) -> Option<Chart> {
    let parts: Vec<(&str, Tint)> = (0..PHASES_AND_OTHER).map(|phase| (IDS[phase], tint(phase))).collect();
    table.share_bars("Distribution of each category over the phases", &parts)
}

/// Makes the chart with a bar per phase and one for the steps' time in no phase, divided by category without
/// `ProfileStep`; `None` if all bars are empty.
fn breakdown(found: &[(Category, Row)]) -> Option<Chart> {
    let of_phase = |phase: usize| {
        let segment = |(category, row): &(Category, Row)| {
            Segment::new(category.name(), row.times[phase], Tint::Category(*category))
        };
        let inner = found.iter().filter(|(category, _)| *category != Category::ProfileStep);
        Stack::new(title(phase), inner.map(segment).collect())
    };
    let stacks: Vec<Stack> = (0..PHASES_AND_OTHER).map(of_phase).collect();
    let is_any = stacks.iter().any(|stack| stack.time() > 0);
    is_any.then_some(Chart {
        title: "Event time in each phase by category",
        order: None,
        kind: ChartKind::Stacks(stacks),
    })
}

/// The title of the phase with this index; `Other` for the index after the last phase.
fn title(phase: usize) -> &'static str {
    PHASES.get(phase).map_or("Other", |(_, title)| title)
}

/// The columns of the table; the column of validation passes only if `has_validation`.
fn columns(has_validation: bool) -> Vec<Column> {
    let validation = Column::new(
        "validation",
        "Validation",
        Duration,
        "Time of the events in validation passes (device work: launched there), also in other columns",
    );
    let mut columns = vec![
        Column::new(
            "category",
            "Category",
            Text,
            "Category of the events; the row ProfileStep is the steps themselves",
        ),
        Column::new(
            "count",
            "Count",
            Count,
            "Number of events that begin in the summarized part, in a step (device work: launched in a step)",
        ),
        Column::new(
            "total",
            "In steps",
            Duration,
            "Time of the events in the steps (device work: launched there): the sum of Data loading to Other",
        ),
        Column::new(
            "dataloader",
            "Data loading",
            Duration,
            "Time of the events in the steps' data loading (device work: launched there)",
        ),
        Column::new(
            "forward",
            "Forward",
            Duration,
            "Time of the events in the steps' forward pass, not in data loading (device work: launched \
             there)",
        ),
        Column::new(
            "backward",
            "Backward",
            Duration,
            "Time of the events in the steps' backward pass, in no phase left of it (device work: launched \
             there)",
        ),
        Column::new(
            "optimization",
            "Optimizer",
            Duration,
            "Time of the events in the steps' optimizer, in no phase left of it (device work: launched \
             there)",
        ),
        Column::new(
            "other",
            "Other",
            Duration,
            "Time of the events in steps, but in no phase; for device work, of that launched there",
        ),
        Column::extra(
            "outside",
            "Outside",
            Duration,
            "Time of the events in no step of the same file; for device work, of that which no step launched \
             or whose launch is unknown",
        ),
    ];
    if has_validation {
        columns.insert(columns.len() - 1, validation);
    }
    columns
}
