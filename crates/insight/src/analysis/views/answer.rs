//! The few numbers that say where the time of a recording went: what a capture prints at its end.
//!
//! `answer/apart.rs` finds the steps that say nothing of the loop, such as a long first one: sums and shares
//! of steps are of the others. `answer/slowest.rs` compares a step with the median one,
//! `answer/unrecorded.rs` finds time in which a step does nothing that is recorded, `answer/memory.rs` the
//! most memory, and `answer/start_up.rs` of what the start-up consists. Must not know how the numbers are
//! printed.

mod apart;
mod memory;
mod slowest;
mod start_up;
mod unrecorded;

use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{OutsideKind, Step, Trace, Warning};

use super::{operator, outside};
use crate::analysis::part::phase::{PHASES, Phases};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, processor};
use crate::analysis::table::{Table, TableRow, Value};

pub use crate::analysis::part::processor::{Processor, State};
pub use apart::Apart;
pub use memory::{Allocated, Device, Host, Memory};
pub use slowest::{Excess, Slowest, What};
pub use start_up::StartUp;
pub use unrecorded::Unrecorded;

/// At most this many names of operators are in the answer.
const OPERATORS: usize = 3;
/// Waiting for data and unrecorded time are each left out if they have a smaller share of the steps' time.
const SHARE: f64 = 0.05;

/// Where the time of a recording went.
#[derive(Debug)]
pub struct Answer {
    /// Where the time of the steps went; `None` without steps that take time.
    pub steps: Option<Steps>,
    /// At most three operators, from the top of the view `operator`.
    pub operators: Vec<Operator>,
}

/// Where the time of the steps went.
#[derive(Debug)]
pub struct Steps {
    /// What the recorder took as the end of a step, such as `optimizer: torch.optim.SGD`; `None` if the trace
    /// does not state it.
    pub ended_by: Option<SafeText<'static>>,
    /// Number of steps, without empty ones and usually without a last one that was cut off.
    pub count: u64,
    /// The first steps, if they take much longer than the others. They are in no duration, sum and share
    /// below.
    pub warm_up: Option<Apart>,
    /// A few later steps that take much longer than most. They are in no sum and no share.
    pub outliers: Option<Apart>,
    /// Median duration of the steps (nearest rank), ns.
    pub p50: Ns,
    /// 99th percentile of the steps' durations (nearest rank), ns; with outliers.
    pub p99: Ns,
    /// Summed duration of the steps, ns.
    pub total: Ns,
    /// Titles of the phases that have host time within the steps, each with this time, ns, and last `Other`
    /// with the time in no phase; empty if no phase has time.
    pub phases: Vec<(&'static str, Ns)>,
    /// The longest step of the warm-up, compared with the median one.
    pub first: Option<Slowest>,
    /// The slowest step, which may be an outlier; `None` if it takes no longer than the median step.
    pub slowest: Option<Slowest>,
    /// The time that the steps waited for data; `None` if it is less than a twentieth of the steps' time.
    pub loading: Option<Loading>,
    /// The long stretches of the steps in which no thread of the process is in a recorded event that counts,
    /// such as an operator; `None` if they are less than a twentieth of the steps' time.
    pub unrecorded: Option<Unrecorded>,
    /// Where the thread that runs the steps was; `None` if that was not measured.
    pub processor: Option<Processor>,
    /// The most memory of the host and of devices.
    pub memory: Memory,
    /// What the start-up consists of, as far as it is recorded.
    pub start_up: StartUp,
    /// Time of start-up and of teardown that summaries of time leave out, ns; 0 where they leave out none.
    pub left_out: (Ns, Ns),
    /// Number of validation passes, and their summed duration, ns; without the times in `left_out`.
    pub validations: (u64, Ns),
    /// How long the recorder took for itself between steps, summed, ns; without the times in `left_out`.
    pub recorder: Ns,
}

/// The time that steps waited for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loading {
    /// The waiting time summed over all steps, ns.
    pub total: Ns,
    /// The longest time that one step waited, ns.
    pub longest: Ns,
    /// Number of the step that waited longest.
    pub step: u64,
}

/// The operators of one name, with the larger of their own host time and own device time.
#[derive(Debug)]
pub struct Operator {
    /// Name of the operators.
    pub name: SafeText<'static>,
    /// The operators' own host time or own device time, ns, whichever is larger.
    pub time: Ns,
    /// The share that the view `operator` has for `time`, 1 for the whole.
    pub share: f64,
    /// True if `time` is device time, false if it is host time.
    pub is_device: bool,
}

/// Finds where the time of a trace went, usually without start-up and teardown.
pub fn answer(trace: &Trace) -> Answer {
    let all = Scope::default();
    let scope = outside::without_start_up(trace, &all);
    let operators = largest_operators(&operator::operators(trace, &scope));
    Answer { steps: steps(trace, &all, &scope), operators }
}

/// Takes the operators at the top of the table of operators: at most three, each with own time above 0.
fn largest_operators(table: &Table) -> Vec<Operator> {
    let [own, own_share, device, device_share] =
        ["own", "own_share", "device_own", "device_share"].map(|id| table.column(id));
    let cell = |row: &TableRow, at: Option<usize>| {
        at.and_then(|at| row.cells.get(at)).cloned().unwrap_or(Value::Empty)
    };
    let operator = |row: &TableRow| {
        let Some(Value::Text(name)) = row.cells.first() else { return None };
        let (host, work) = (cell(row, own).duration_or_zero(), cell(row, device).duration_or_zero());
        let is_device = work > host;
        let share = cell(row, if is_device { device_share } else { own_share }).ratio_or_zero();
        let is_named = name.as_str() != operator::NO_OPERATOR;
        (is_named && host.max(work) > 0).then(|| Operator {
            name: name.clone(),
            time: host.max(work),
            share,
            is_device,
        })
    };
    table.rows.iter().filter_map(operator).take(OPERATORS).collect()
}

/// Sums up the steps in `scope`; `all` is the scope with start-up and teardown. `None` if no step in `scope`
/// takes time.
fn steps(trace: &Trace, all: &Scope, scope: &Scope) -> Option<Steps> {
    let part = Part::new(trace, scope);
    let mut steps: Vec<&Step> = part.steps().filter(|step| !step.span.is_empty()).collect();
    // The recording ended within the last step of the trace, which may be empty.
    let is_cut = trace.quality.count(Warning::Incomplete) > 0 && steps.len() > 1;
    if is_cut && steps.last().map(|step| step.slice) == trace.steps.last().map(|step| step.slice) {
        steps.pop();
    }
    let count = steps.len() as u64;
    let apart::Divided { warm_up, outliers, others } = apart::divide(&steps);
    let of_number = |apart: &Apart| steps.iter().copied().find(|step| step.number == apart.step);
    let first = warm_up.as_ref().and_then(of_number);
    let warm_ups = warm_up.map_or(0, |apart| saturate::<usize>(apart.count));
    let mut by_length: Vec<&Step> = steps.iter().skip(warm_ups).copied().collect();
    by_length.sort_by_key(|step| step.span.len());
    let at =
        |percent: usize| (by_length.len() * percent).div_ceil(100).checked_sub(1).map(|rank| by_length[rank]);
    let (median, late, slowest) = (at(50)?, at(99)?, at(100)?);
    let all_steps = std::mem::replace(&mut steps, others);
    let total = sum(steps.iter().map(|step| step.span.len()));
    let is_share = |time: Ns| time as f64 >= SHARE * total as f64;

    let phases = Phases::of(trace, scope);
    let whole: Vec<_> = steps.iter().map(|&step| (step, step.span)).collect();
    let mut of_phases = [0; PHASES.len()];
    let mut loading = Loading { total: 0, longest: 0, step: 0 };
    for (step, times) in steps.iter().zip(phases.amounts(&whole, |_, time| time)) {
        of_phases
            .iter_mut()
            .zip(times)
            .for_each(|(all, time): (&mut Ns, Ns)| *all = all.saturating_add(time));
        if times[0] > loading.longest {
            (loading.longest, loading.step) = (times[0], step.number);
        }
    }
    loading.total = of_phases[0];
    let other = total.saturating_sub(sum(of_phases)).max(0);
    let named = PHASES.iter().zip(of_phases).filter(|(_, time)| *time > 0);
    let mut phases: Vec<(&str, Ns)> = named.map(|((_, title), time)| (*title, time)).collect();
    if !phases.is_empty() {
        phases.push(("Other", other));
    }
    let pieces = outside::validations(trace, scope).filter_map(|pass| part.piece(pass.slice));
    let validations = pieces.fold((0, 0), |(count, time): (u64, Ns), piece| {
        (count + u64::from(piece.begins), time.saturating_add(piece.dur()))
    });
    let its_own =
        outside::of_kind(trace, scope, OutsideKind::Recorder).filter_map(|own| part.piece(own.slice));
    let ended_by = trace.meta.header.iter().find(|(key, _)| key == "proftui.step_on");
    Some(Steps {
        ended_by: ended_by.map(|(_, value)| SafeText::new(value).into_owned()),
        count,
        warm_up,
        outliers,
        p50: median.span.len(),
        p99: late.span.len(),
        total,
        phases,
        first: first.and_then(|first| slowest::compare(trace, first, median)),
        slowest: slowest::compare(trace, slowest, median),
        loading: Some(loading).filter(|loading| loading.total > 0 && is_share(loading.total)),
        unrecorded: unrecorded::find(trace, &steps, median.span.len()).filter(|found| is_share(found.total)),
        processor: processor::find(trace, &steps),
        memory: memory::find(trace, &all_steps),
        start_up: start_up::find(trace),
        left_out: outside::left_out(trace, all).unwrap_or_default(),
        validations,
        recorder: sum(its_own.map(|piece| piece.dur())),
    })
}

#[cfg(test)]
mod tests;
