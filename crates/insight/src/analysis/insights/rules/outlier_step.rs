//! Steps that take much longer than the others, because the device has more to do in them.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::part::location::Location;
use crate::analysis::thresholds::{DEVIATIONS, OUTLIER_STEPS};
use proftui_base::fmt;
use proftui_base::time::Ns;
use proftui_trace::model::{Step, WorkerId};

use super::beyond::Draft;
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "outlier_step",
    definition: "Steps longer than the median by more than three median absolute deviations: their device \
        work beyond the median, at most what they are longer by, is 5 % of the time and more. A rank's first \
        step in the part does not count, nor does a rank with fewer than five other steps.",
    source: "Robust statistics; only device work counts, since other findings count idle time.",
    caveats: &["a longer sequence or a validation pass makes a step longer rightly"],
    advice: "Look at the slowest step beside a usual one; clocks that were lowered make most of its kernels \
        slower.",
    look: Look::Work(find),
};

fn median(sorted: &[Ns]) -> Ns {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// For each of `steps`, the total length in the part of the device work launched in it, ns. The steps must be
/// of one worker and in order of time.
fn launched(context: &Context<'_>, steps: &[&Step]) -> Vec<Ns> {
    let mut sums = vec![0; steps.len()];
    let worker = steps.first().map_or(WorkerId::default(), |step| step.worker);
    for work in context.work().iter().filter(|device| device.worker == worker).flat_map(|device| &device.work)
    {
        let Some(launch) = work.launch else { continue };
        let at = steps.partition_point(|step| step.span.start <= launch.span.start);
        if let Some(at) = at.checked_sub(1).filter(|&at| steps[at].span.contains(launch.span.start)) {
            sums[at] = Ns::saturating_add(sums[at], work.dur());
        }
    }
    sums
}

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let (mut excess, mut slow, mut count): (Ns, Vec<(Ns, Location, u64)>, usize) = (0, Vec::new(), 0);
    for steps in context.part.steps_by_worker() {
        let steps = steps.get(1..).unwrap_or(&[]);
        if (steps.len() as f64) < OUTLIER_STEPS {
            continue;
        }
        count += steps.len();
        let mut lengths: Vec<Ns> = steps.iter().map(|step| step.span.len()).collect();
        lengths.sort_unstable();
        let middle = median(&lengths);
        let mut deviations: Vec<Ns> = lengths.iter().map(|length| (length - middle).abs()).collect();
        deviations.sort_unstable();
        let limit = middle.saturating_add(median(&deviations).saturating_mul(DEVIATIONS));
        let work = launched(context, steps);
        let mut sorted = work.clone();
        sorted.sort_unstable();
        let usual = median(&sorted);
        for (step, work) in steps.iter().zip(work).filter(|(step, _)| step.span.len() > limit) {
            let more = work.saturating_sub(usual).clamp(0, step.span.len() - middle);
            excess = excess.saturating_add(more);
            slow.push((more, Location { span: step.span, at: None }, step.number));
        }
    }
    let share = context.share(excess);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    slow.sort_by_key(|(more, _, number)| (std::cmp::Reverse(*more), *number));
    let (slowest, number) = slow.first().map_or((0, 0), |(more, _, number)| (*more, *number));
    Draft {
        severity,
        title: title("step X", &format!("{number} is much longer")),
        time: Some(excess),
        what: "is device work of slow steps beyond the median".into(),
        detail: format!(
            ": {} of {count} compared steps are unusually long; {} of it in step {number}",
            slow.len(),
            fmt::duration(slowest)
        ),
        saves: excess,
        basis: "device work of the slow steps beyond the median, at most what they are longer by; none \
                of it is idle time",
        share,
        numbers: vec![
            Number::count("slow_steps", slow.len() as u64),
            Number::count("steps", count as u64),
            Number::ns("excess", excess),
        ],
        seen: Vec::new(),
        at: slow.iter().take(5).map(|(_, at, _)| *at).collect(),
        view: "steps",
        ..Draft::default()
    }
    .of(context, rule)
}
