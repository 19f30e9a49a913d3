//! The warm-up of a recording: the first steps, as long as they take clearly longer than the steps after
//! them.
//!
//! Must not know tables.

use proftui_base::fmt;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Serving, Step, Trace};

use super::per_worker;
use super::scope::Scope;
use crate::analysis::thresholds::DEVIATIONS;

/// The fewest later steps with which a step is compared; with fewer, it is not judged.
const LATER: usize = 3;
/// The most steps of a worker that count as warm-up; later steps are not judged.
const MOST_STEPS: usize = 100;

/// A scope without the steps of the warm-up, and how many these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steady {
    /// The given scope with its time replaced by the time after the warm-up of all workers, until the end of
    /// the last step.
    pub scope: Scope,
    /// The number of steps of the warm-up; of several workers, that of the worker with the most.
    pub left_out: usize,
    /// The number of all steps of the worker that `left_out` is about.
    pub steps: usize,
}

/// Sets the time of a scope to the time after the warm-up of all its workers, until the end of their last
/// step. `None` if the workers have no step.
pub fn steady(trace: &Trace, scope: Scope) -> Option<Steady> {
    let mut steps: Vec<&Step> = per_worker::steps(trace, &scope.workers(trace)).collect();
    steps.sort_by_key(|step| step.worker);
    let mut kept: Option<Span> = None;
    let (mut left_out, mut count) = (0, 0);
    for steps in steps.chunk_by(|one, other| one.worker == other.worker) {
        let first = warm_up(steps);
        let span = steps[first..].iter().map(|step| step.span).reduce(Span::union).unwrap_or_default();
        // The kept time begins after the warm-up of every worker.
        kept = Some(
            kept.map_or(span, |all| Span { start: all.start.max(span.start), end: all.end.max(span.end) }),
        );
        if count == 0 || first > left_out {
            (left_out, count) = (first, steps.len());
        }
    }
    let span = kept?;
    Some(Steady { scope: Scope { span: Some(span), ..scope }, left_out, steps: count })
}

/// How many of a worker's first steps are left out as the warm-up; `steps` must be in order of time.
pub(crate) fn warm_up(steps: &[&Step]) -> usize {
    let mut first = 0;
    for (at, step) in steps.iter().enumerate().take(MOST_STEPS) {
        let later = steps[at + 1..].iter().filter(|later| kind(later) == kind(step));
        let later: Vec<Ns> = later.map(|later| later.span.len()).collect();
        match longest(later) {
            Some(longest) if step.span.len() > longest => first = at + 1,
            Some(_) => break,
            None => {}
        }
    }
    first
}

/// The kind, batch size and resolution that a step must have in common with the steps that it is compared
/// with; `None` for a step of no serving engine.
fn kind(step: &Step) -> Option<Serving> {
    step.serving.map(|serving| Serving { requests: serving.batch(), padded: None, tokens: None, ..serving })
}

/// The length up to which a step is no warm-up, ns: the median of the later `lengths`, plus the larger of
/// [`DEVIATIONS`] times their median absolute deviation and a twentieth of the median. `None` for fewer than
/// [`LATER`] lengths.
fn longest(mut lengths: Vec<Ns>) -> Option<Ns> {
    if lengths.len() < LATER {
        return None;
    }
    let middle = lengths.len() / 2;
    let median = *lengths.select_nth_unstable(middle).1;
    for length in &mut lengths {
        *length = length.saturating_sub(median).saturating_abs();
    }
    let deviation = *lengths.select_nth_unstable(middle).1;
    Some(median.saturating_add(deviation.saturating_mul(DEVIATIONS).max(median / 20)))
}

impl Steady {
    /// A sentence that states how many steps are left out, and by which rule.
    pub fn note(&self) -> String {
        let Self { left_out, steps, .. } = *self;
        let rule = "the median of the comparable later steps by more than 3 MAD and 5 %";
        let all = fmt::counted(steps as u64, "step");
        match left_out {
            0 => format!(
                "--steady found no warm-up: the first step is not longer than {rule}, or fewer than 3 \
                 comparable steps follow."
            ),
            1 => format!("--steady left out the first of {all}, the warm-up: it is longer than {rule}."),
            _ => format!(
                "--steady left out the first {left_out} of {all}, the warm-up: each is longer than {rule}, \
                 or fewer than 3 comparable steps follow it."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::model::ServingKind;

    /// The number of steps left out of those with these lengths and kinds.
    fn left_out(steps: &[(Ns, Option<ServingKind>)]) -> usize {
        let mut trace = Trace::default();
        trace.meta.workers.push("one".into());
        let mut start = 0;
        for &(length, kind) in steps {
            let serving = kind.map(|kind| Serving {
                kind,
                requests: 1,
                padded: None,
                tokens: Some(start as u64),
                resolution: None,
            });
            trace.steps.push(Step { span: Span { start, end: start + length }, serving, ..Step::default() });
            start += length;
        }
        let steady = steady(&trace, Scope::default()).expect("steps");
        let first = steady.left_out;
        assert_eq!(
            steady.scope.span.expect("a span"),
            Span { start: trace.steps[first].span.start, end: start }
        );
        assert_eq!(steady.steps, steps.len());
        first
    }

    #[test]
    fn first_steps_that_take_longer_are_warm_up() {
        let of = |lengths: &[Ns]| left_out(&lengths.iter().map(|&length| (length, None)).collect::<Vec<_>>());
        assert_eq!(of(&[900, 400, 100, 101, 99, 100, 102]), 2);
        assert_eq!(of(&[100, 101, 99, 900, 100]), 0, "a long step in between is none");
        assert_eq!(of(&[900, 100, 100, 100, 100]), 1, "equal steps have no deviation");
        assert_eq!(of(&[104, 100, 100, 100, 100]), 0, "by less than a twentieth");
        assert_eq!(of(&[900, 100, 100]), 0, "too few");
        assert_eq!(of(&[130, 100, 120, 80, 110, 90, 100]), 0, "within the deviation");
        assert!(steady(&Trace::default(), Scope::default()).is_none());
    }

    #[test]
    fn steps_are_judged_by_those_of_their_kind() {
        let (prefill, decode) = (Some(ServingKind::Prefill), Some(ServingKind::Decode));
        let after = [(10, decode), (900, prefill), (10, decode), (11, decode), (900, prefill)];
        assert_eq!(
            left_out(&[&[(901, prefill), (50, decode)], &after[..]].concat()),
            2,
            "the first one is not judged"
        );
        assert_eq!(left_out(&[&[(901, prefill), (10, decode)], &after[..]].concat()), 0);
        assert_eq!(left_out(&[&[(9000, prefill), (901, prefill), (10, decode)], &after[..]].concat()), 1);
    }
}
