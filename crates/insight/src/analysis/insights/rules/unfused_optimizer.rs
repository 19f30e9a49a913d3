//! An optimizer that launches hundreds of small kernels a step.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, Unit, title};
use crate::analysis::thresholds::{OPTIMIZER_LAUNCHES, SMALL};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{Category, SliceId};

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "unfused_optimizer",
    definition: "On average, the optimizer launches 200 kernels and more per step, which take less than \
        10 µs each; they run for 5 % of the time and more.",
    source: "Definition of this program.",
    caveats: &[],
    advice: "Use a fused or foreach optimizer: AdamW(..., fused=True), apex.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    let is_optimizer = |id: SliceId| {
        trace.slices.ancestors(id).any(|around| trace.slices.category(around) == Category::Optimization)
    };
    let steps = context.part.steps().count();
    if steps == 0 {
        let has = trace.slices.category.contains(&(Category::Optimization as u8));
        return if has {
            Outcome::Abstained("no steps in this part: kernels per step are not known".into())
        } else {
            Outcome::Nothing
        };
    }
    let found: Vec<_> = beyond::kernels(context)
        .filter(|(_, work)| work.launch.is_some_and(|launch| is_optimizer(launch.id)))
        .map(|(device, work)| (device.group, work.id))
        .collect();
    let total = sum(found.iter().map(|&(_, id)| trace.slices.dur[id]));
    let (mean, each) = (total as f64 / found.len().max(1) as f64, found.len() as f64 / steps as f64);
    let time = beyond::covered(context, &found);
    let share = context.share(time);
    let Some(severity) = Context::severity(share).filter(|_| each >= OPTIMIZER_LAUNCHES && mean < SMALL)
    else {
        return Outcome::Nothing;
    };
    Draft {
        severity,
        title: title("optimizer: X kernels a step", &format!("{each:.0}")),
        time: Some(time),
        what: "is the optimizer in many small kernels".into(),
        detail: format!(": {each:.0} a step, of {} on average", fmt::duration(saturate::<Ns>(mean))),
        saves: 0,
        basis: "how much faster a fused optimizer is is not known from the trace",
        share,
        numbers: vec![
            Number { name: "kernels_per_step", value: each, unit: Unit::Count },
            Number::ns("mean", saturate::<Ns>(mean)),
            Number::ns("time", total),
        ],
        seen: beyond::names(context, &found, 4),
        of: found,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}
