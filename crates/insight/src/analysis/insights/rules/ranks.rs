//! Rules about several ranks: who comes late to collectives, on clocks that collectives align.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{SliceId, WorkerId};

use super::beyond::Draft;
use crate::analysis::clocks;
use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::time::covered;
use crate::analysis::part::work::WorkKind;
use crate::analysis::thresholds::{LATE_SHARE, LEAST_LATE};

/// The most locations that a finding lists.
const LOCATIONS: usize = 5;

/// The rule on a rank that comes late to collectives.
pub(super) const LATE_RANK: Rule = Rule {
    id: "late_rank",
    definition: "One rank comes last to half of the collectives and more, and the others wait for it for 5 % \
        of the time and more.",
    source: "Clocks are aligned by the ends of collectives that no rank leaves before all have come; a \
        rank's start on the common clock is its arrival.",
    caveats: &[
        "the first collective of each process group in a recording is not judged: recordings begin at \
         different times",
    ],
    advice: "Look at what the late rank does before its collectives: its data loading, garbage collection, \
        more work or lower clocks.",
    look: Look::Work(late),
};

/// The rule on a rank that is slow in every step. It makes no finding, since it needs the dependencies of
/// steps.
pub(super) const STRAGGLER: Rule = Rule {
    id: "straggler",
    definition: "One rank is slow in every step.",
    source: "Needs a model of what each step waits for; proftui has none, so nothing is reported.",
    caveats: &[],
    advice: "Compare the ranks with proftui summary RANK0 RANK1.",
    look: Look::Work(straggler),
};

/// Why ranks cannot be compared; `None` if they may be.
fn abstained(context: &Context<'_>) -> Option<Outcome> {
    let communicates = |device: &crate::analysis::part::work::Device| {
        device.work.iter().any(|work| work.kind == Some(WorkKind::Communication))
    };
    let one_of_several = context.trace.meta.workers.len() > 1;
    match context.part.scope().workers(context.trace).len() {
        _ if !context.work().iter().any(communicates) => Some(Outcome::Nothing),
        0 | 1 => Some(Outcome::Abstained(format!(
            "the {} has one rank: who came late to a collective is not known",
            if one_of_several { "part" } else { "trace" }
        ))),
        _ => None,
    }
}

fn straggler(context: &Context<'_>, _: &Rule) -> Outcome {
    let why =
        "proftui has no model of what each step waits for: whether a rank slows every step is not known";
    abstained(context).unwrap_or_else(|| Outcome::Abstained(why.into()))
}

/// A collective to which one rank came last.
struct Late {
    worker: WorkerId,
    kernel: SliceId,
    /// When it came, on the common clock, ns.
    at: Ns,
    /// How long after the second to last, ns.
    by: Ns,
    /// The ranks that waited.
    others: Vec<WorkerId>,
}

impl Late {
    /// The time from the second to last arrival to the last one, on the common clock.
    fn span(&self) -> Span {
        Span { start: self.at.saturating_sub(self.by), end: self.at }
    }
}

/// How long other ranks waited, summed over them, ns. A rank that waits in several collectives at once waits
/// once.
fn waited(all: &[&Late]) -> Ns {
    let mut of_ranks: FxHashMap<WorkerId, Vec<Span>> = FxHashMap::default();
    for late in all {
        for &worker in &late.others {
            of_ranks.entry(worker).or_default().push(late.span());
        }
    }
    sum(of_ranks.into_values().map(covered))
}

fn late(context: &Context<'_>, rule: &Rule) -> Outcome {
    if let Some(outcome) = abstained(context) {
        return outcome;
    }
    let Some(collectives) = context.collectives() else {
        return Outcome::Abstained("collectives were not read for this table".into());
    };
    if !collectives.failure.is_empty() {
        return Outcome::Abstained(format!("collectives could not be read: {}", collectives.failure));
    }
    let trace = context.trace;
    let offsets = match clocks::align(trace, collectives) {
        Ok(offsets) => offsets,
        Err(why) => return Outcome::Abstained(format!("the clocks of ranks cannot be aligned: {why}")),
    };
    let arrival = |worker, kernel: SliceId| offsets.common(worker, trace.slices.start[kernel]);
    let mut by_group: FxHashMap<StrId, Vec<Late>> = FxHashMap::default();
    for of in &collectives.all {
        let mut arrivals: Vec<(Ns, WorkerId, SliceId)> =
            of.members.iter().map(|m| (arrival(m.worker, m.kernel), m.worker, m.kernel)).collect();
        arrivals.sort_unstable();
        if let [.., before, (at, worker, kernel)] = arrivals[..] {
            let by = at.saturating_sub(before.0);
            let others = arrivals.iter().map(|arrival| arrival.1).filter(|&other| other != worker).collect();
            by_group.entry(of.group).or_default().push(Late { worker, kernel, at, by, others });
        }
    }
    let has_start = context.part.span().start <= trace.main_span.start;
    for of_group in by_group.values_mut().filter(|_| has_start) {
        of_group.sort_unstable_by_key(|late| (late.at, late.kernel));
        of_group.remove(0);
    }
    let judged: Vec<Late> = by_group.into_values().flatten().collect();
    let least = LEAST_LATE.max(offsets.spread.saturating_mul(3));
    let mut of_ranks: FxHashMap<WorkerId, Vec<&Late>> = FxHashMap::default();
    for late in judged.iter().filter(|late| late.by >= least) {
        of_ranks.entry(late.worker).or_default().push(late);
    }
    let of_ranks = of_ranks.into_iter().map(|(worker, all)| (waited(&all), std::cmp::Reverse(worker), all));
    let Some((time, std::cmp::Reverse(worker), mut all)) = of_ranks.max_by_key(|of| (of.0, of.1)) else {
        return Outcome::Nothing;
    };
    let share = context.share(time);
    let is_usual = all.len() as f64 >= judged.len() as f64 * LATE_SHARE;
    let Some(severity) = Context::severity(share).filter(|_| is_usual) else { return Outcome::Nothing };
    let steps = context.part.steps().filter(|step| step.worker == worker).count();
    let by = covered(all.iter().map(|late| late.span()).collect());
    // As many of the steps as collectives were judged.
    let (whole, judged_steps) = (collectives.all.len(), steps * judged.len());
    let per_step = by.saturating_mul(saturate(whole)).checked_div(saturate(judged_steps));
    let each = per_step.map_or(String::new(), |ns| format!(", by {} a step", fmt::duration(ns)));
    all.sort_unstable_by_key(|late| (std::cmp::Reverse(late.by), late.kernel));
    let at = |late: &&Late| {
        let start = trace.slices.start[late.kernel];
        let group = trace.lanes[trace.lane_of(late.kernel)].group;
        let span = Span { start: start.saturating_sub(late.by), end: start };
        Location { span, at: Some(Subject::Device(group)) }
    };
    Draft {
        severity,
        title: title("X comes last to collectives", trace.meta.workers[worker].as_str()),
        time: Some(time),
        what: format!(
            "the other ranks wait for {}, which comes last to {} of {} collectives{each}",
            trace.meta.workers[worker],
            all.len(),
            judged.len(),
        ),
        saves: time,
        basis: "time in collectives in which the other ranks wait for this one; communication counts it, \
                too",
        share,
        numbers: [Some(Number::ns("late", by)), per_step.map(|ns| Number::ns("late_per_step", ns))]
            .into_iter()
            .flatten()
            .chain([
                Number::count("late_collectives", all.len() as u64),
                Number::count("collectives", judged.len() as u64),
                Number::ns("clock_spread", offsets.spread),
            ])
            .collect(),
        seen: Vec::new(),
        at: all.iter().take(LOCATIONS).map(at).collect(),
        view: "distributed",
        ..Draft::default()
    }
    .of(context, rule)
}
