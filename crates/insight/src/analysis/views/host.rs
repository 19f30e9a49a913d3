//! The summary of threads: what each did in the time of the steps, or, in a trace without steps, in the
//! recorded time. Each instant of a thread is a waiting call, another call, an operator, data loading, a
//! range, or nothing of these.
//!
//! `host/threads.rs` finds threads and divides their time. Must not know what makes a call a wait.

#[cfg(test)]
mod tests;
mod threads;

use rayon::prelude::*;

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{Category, Step, Trace, WorkerId};

use crate::analysis::part::scope::Scope;
use crate::analysis::part::time::{length, union, within};
use crate::analysis::part::{Part, by_worker};
use crate::analysis::table::ColumnKind::{Count, Duration, Ratio, Text};
use crate::analysis::table::chart::{Chart, Tint};
use crate::analysis::table::{Column, Table, TableRow, Value};
use crate::analysis::vocabulary::waits::Waits;
use threads::{ACTIVITIES, Thread, Timeline};

/// Name of the view for `--view`.
pub const VIEW: &str = "host";

/// The time that the rows of a worker's threads are about.
struct Steps<'a> {
    /// The worker's steps that have some time in the part, in order of time; `None` for a worker without
    /// steps.
    steps: Option<Vec<&'a Step>>,
    /// The times of these steps within the part, or, without steps, the recorded times; sorted and disjoint.
    spans: Vec<Span>,
}

impl<'a> Steps<'a> {
    /// The times of each worker of the trace.
    fn of_workers(part: &Part<'a>) -> Vec<Self> {
        let all = by_worker(part.trace(), part.trace().steps.iter());
        let of_worker = |((worker, all), steps): ((WorkerId, Vec<&Step>), Vec<&'a Step>)| {
            if all.is_empty() {
                return Self { steps: None, spans: part.run(worker).to_vec() };
            }
            let spans = union(steps.iter().map(|step| part.clip(step.span)).collect());
            Self { steps: Some(steps), spans: within(&spans, part.span()) }
        };
        part.trace().workers().iter().zip(all).zip(part.steps_by_worker()).map(of_worker).collect()
    }
}

/// Builds the table of host threads. A thread has a row if it runs steps, or has calls, operators, data
/// loading or ranges within the steps (in a trace without steps: within the recorded time). Below it is a row
/// per step; for a thread that runs no steps, only those in which it did something. Order: by worker, threads
/// that run steps first, then by the time in any activity, the longest first. If the scope has any lane of a
/// thread, all lanes of the thread count.
pub fn threads(trace: &Trace, scope: &Scope) -> Table {
    let scope = &threads::with_whole_threads(trace, scope);
    let part = Part::new(trace, scope);
    let waits = Waits::of(trace);
    let steps = Steps::of_workers(&part);
    let of_thread = |thread: Thread| {
        let steps = &steps[thread.worker.index()];
        let timeline = thread.timeline(&part, waits);
        let times = add(steps.spans.iter().map(|&span| timeline.times(span)));
        let is_shown = thread.steps > 0 && !steps.spans.is_empty() || times != [0; ACTIVITIES];
        is_shown.then_some((thread, timeline, times))
    };
    let shown: Vec<_> = Thread::all(&part).into_par_iter().filter_map(of_thread).collect();
    let has_processes = shown.windows(2).any(|pair| pair[0].0.group != pair[1].0.group);
    let to_row = |(thread, timeline, times): &(Thread, Timeline, [Ns; ACTIVITIES])| {
        let title = thread.title(trace, has_processes);
        let row = row(&part, (thread, &title), &steps[thread.worker.index()], timeline, *times);
        ((thread.worker, thread.steps == 0, std::cmp::Reverse(sum(*times))), row)
    };
    let mut rows: Vec<_> = shown.iter().map(to_row).collect();
    rows.sort_by_key(|row| row.0);
    let rows: Vec<TableRow> = rows.into_iter().map(|(_, row)| row).collect();
    let has_steps = steps.iter().any(|steps| steps.steps.is_some());
    let notes = if rows.is_empty() { Vec::new() } else { notes(has_steps) };
    let title = "Host time: waits, calls, operators, data loading, ranges, nothing";
    let table = Table { view: VIEW, title, columns: columns(), rows, notes, ..Table::default() };
    let chart = chart(&table);
    table.with_charts([chart])
}

/// Adds up times by activity.
fn add(times: impl Iterator<Item = [Ns; ACTIVITIES]>) -> [Ns; ACTIVITIES] {
    times.fold([0; ACTIVITIES], |mut all, times| {
        all.iter_mut().zip(times).for_each(|(all, time)| *all = all.saturating_add(time));
        all
    })
}

/// Makes the row of a thread, given with its title, with a row below for each step in which it did something;
/// below a thread that runs steps, for each.
fn row(
    part: &Part<'_>,
    (thread, title): (&Thread, &str),
    steps: &Steps<'_>,
    timeline: &Timeline,
    times: [Ns; ACTIVITIES],
) -> TableRow {
    let of_step = |step: &&Step| {
        let inside = part.clip(step.span);
        let times = timeline.times(inside);
        let is_shown = thread.steps > 0 || times != [0; ACTIVITIES];
        is_shown.then(|| TableRow {
            cells: cells(&format!("step {}", step.number), Value::Empty, inside.len(), times),
            children: Vec::new(),
            longest: Some(step.slice),
        })
    };
    let count = if steps.steps.is_some() { Value::Count(thread.steps) } else { Value::Empty };
    TableRow {
        cells: cells(title, count, length(&steps.spans), times),
        children: steps.steps.iter().flatten().filter_map(of_step).collect(),
        longest: timeline.longest,
    }
}

/// The cells of a row: its title, `time` (ns), the time in no activity, the times by activity (ns), and
/// `steps`, the cell with the number of steps.
fn cells(title: &str, steps: Value, time: Ns, times: [Ns; ACTIVITIES]) -> Vec<Value> {
    let nothing = time.saturating_sub(sum(times));
    let first = [Value::text(title), Value::Duration(time), Value::Duration(nothing)];
    first.into_iter().chain(times.map(Value::Duration)).chain([Value::share(nothing, time), steps]).collect()
}

fn notes(has_steps: bool) -> Vec<String> {
    let time = if has_steps {
        "the time of the process's steps"
    } else {
        "the recorded time: the trace has no steps"
    };
    let nothing = if has_steps {
        "Nothing on the thread that runs the steps (the first of its process) is the framework's overhead: \
         Python and framework code between operators. On other threads it is mostly time in which they had \
         nothing to do."
    } else {
        "Nothing on a thread that runs operators is Python and framework code between them, and time in \
         which the thread was idle; only steps would separate the two."
    };
    vec![
        format!(
            "Time is {time}. Each instant of it counts for the first column that applies: Waiting, Calls, \
             Operators, Loading, Ranges, Nothing; so these columns add up to Time. What operators and ranges \
             call counts as calls; a call inside a call is part of that one."
        ),
        nothing.to_owned(),
    ]
}

fn chart(table: &Table) -> Option<Chart> {
    let parts = [
        ("waiting", Tint::Category(Category::Synchronization)),
        ("calls", Tint::Category(Category::CudaRuntime)),
        ("operators", Tint::Category(Category::Operator)),
        ("loading", Tint::Category(Category::Dataloader)),
        ("ranges", Tint::Category(Category::UserDefined)),
        ("nothing", Tint::Idle),
    ];
    table.column_chart("Host time of each thread by activity", &parts)
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("thread", "Thread", Text, "Thread of the host; the rows below are the steps"),
        Column::new(
            "time",
            "Time",
            Duration,
            "Time of all steps of the process; without steps the recorded time",
        ),
        Column::new(
            "nothing",
            "Nothing",
            Duration,
            "Time in nothing that other columns count: on the thread of the steps, Python and framework code",
        ),
        Column::new(
            "waiting",
            "Waiting",
            Duration,
            "Time in calls that usually wait for the device: synchronizations, waiting copies",
        ),
        Column::new("calls", "Calls", Duration, "Time in other calls of the runtime or driver"),
        Column::new("operators", "Operators", Duration, "Time in operators, without calls"),
        Column::new("loading", "Loading", Duration, "Time in data loading, without operators and calls"),
        Column::new(
            "ranges",
            "Ranges",
            Duration,
            "Time in ranges (user-defined, communication, compilation and others), without loading, \
             operators and calls",
        ),
        Column::extra("nothing_share", "Nothing %", Ratio, "Nothing as a share of Time"),
        Column::extra(
            "steps",
            "Steps",
            Count,
            "Number of steps that the thread itself runs, in the summarized part",
        ),
    ]
}
