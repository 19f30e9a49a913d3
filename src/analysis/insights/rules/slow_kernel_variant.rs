//! Kernels for which libraries have a faster variant.
//!
//! Source: names of kernels (assets/kernels.toml).
//! Known false positives: shapes or types that the faster variant does not support.
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome};
use crate::base::time::{Ns, sum};

use super::beyond::{self, Draft};
use super::kernel_names::KERNELS;
use crate::analysis::insights::rule::Rule;

/// The rule.
pub(super) const RULE: Rule = Rule {
    id: "slow_kernel_variant",
    definition: "Kernels of a slow variant, for which libraries have a faster one, run for 5 % of the time and more.",
    source: "Names of kernels (assets/kernels.toml).",
    caveats: &["the faster variant may not support the shapes or types"],
    advice: "See the finding's own words.",
    find,
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let name = |id: u32| context.trace.strings.bytes(context.trace.slices.name[id as usize]);
    let mut best: Option<(Ns, &str, Vec<(u32, u32)>)> = None;
    for slow in &KERNELS.slow {
        let found: Vec<_> = beyond::kernels(context)
            .filter(|(_, work)| slow.has(name(work.id)))
            .map(|(device, work)| (device.group, work.id))
            .collect();
        let ns = sum(found.iter().map(|&(_, id)| context.trace.slices.dur[id as usize]));
        if best.as_ref().is_none_or(|best| ns > best.0) {
            best = Some((ns, &slow.instead, found));
        }
    }
    let Some((ns, instead, found)) = best else { return Outcome::Nothing };
    let share = context.share(ns);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    Outcome::Found(
        Draft {
            severity,
            time: Some(ns),
            what: format!("runs in kernels of a slow variant; faster: {instead}"),
            headroom: 0,
            basis: "how much faster the other variant is is not known from the trace",
            share,
            numbers: vec![Number::ns("time", ns), Number::count("kernels", found.len() as u64)],
            seen: beyond::names(context, &found, 4),
            at: beyond::longest(context, found),
            view: "kernel",
        }
        .of(rule),
    )
}
