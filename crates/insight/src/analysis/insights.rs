//! Why it was slow: a verdict on a part of a trace, and findings ranked by what they would save.
//!
//! Findings about idle time divide it as the ledger does, so their headrooms never add up to more than the
//! idle time. A rule abstains where what it needs is not known, and says why. Must not know how findings are
//! shown.

pub mod context;
pub mod evidence;
pub mod finding;
mod found;
mod reason;
pub mod rule;
pub mod rules;
pub mod unused;
pub mod verdict;
pub mod when;

use std::collections::BTreeMap;
use std::sync::Arc;

use proftui_base::time::sum;
use proftui_trace::model::Trace;

use super::ledger::Ledger;
use super::ledger::hosts::Hosts;
use crate::analysis::arguments::Arguments;
use crate::analysis::part::scope::Scope;
use crate::analysis::vocabulary::jax;

pub use finding::{Abstained, Finding, Number, Outcome, Severity, Unit};
pub use found::Insights;
pub use rule::Rule;
pub use unused::Unused;

use context::Context;

/// Applies all rules to the part of `trace` that `scope` selects. `read` is what was read of the arguments
/// of events, which some rules need.
pub fn insights(trace: &Trace, scope: &Scope, read: &Arguments) -> Insights {
    let ledger = Ledger::of(trace);
    let has_device = ledger.in_scope(trace, scope).next().is_some();
    let hosts = if has_device { Arc::default() } else { Hosts::of(trace) };
    let context = Context::new(trace, &ledger, &hosts, scope, read);
    let (mut findings, mut abstained) = (Vec::new(), Vec::new());
    for rule in rules::all() {
        context.part.check();
        match rules::look(&context, rule) {
            Outcome::Nothing => {}
            Outcome::Found(found) => findings.extend(found),
            Outcome::Abstained(why) => abstained.push(Abstained { rule: rule.id, why }),
        }
    }
    if jax::is_jax(trace) {
        for finding in &mut findings {
            if let Some(advice) = jax::advice(finding.rule) {
                finding.advice = advice.to_owned();
            }
        }
    }
    findings.sort_by(|a, b| {
        let rank = |finding: &Finding| (finding.rule != "not_recorded", finding.once);
        rank(a).cmp(&rank(b)).then(b.saves.cmp(&a.saves)).then(b.share.total_cmp(&a.share))
    });
    let mut serving: BTreeMap<&'static str, [u64; 3]> = BTreeMap::new();
    for of in context.part.steps().filter_map(|step| step.serving) {
        let sums = serving.entry(of.kind.name()).or_default();
        let more = [1, of.requests, of.tokens.unwrap_or_default()];
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    let devices: Vec<_> = context.devices.iter().map(|(device, sums)| (device.group, sums.clone())).collect();
    let only = verdict::only(trace, &devices, !context.unused.is_empty());
    let outside = sum(context.part.workers().iter().map(|&worker| context.part.outside(worker)));
    Insights {
        kind: context.kind(),
        is_host: context.is_host,
        span: context.part.span(),
        run: verdict::run(&context.part),
        denominator: verdict::denominator(&context),
        has_steps: !context.periods.is_empty(),
        outside_text: verdict::outside(&context),
        processor_text: verdict::processor(&context),
        outside,
        subjects: context.devices.iter().map(|(device, _)| Context::subject_of(device)).collect(),
        devices,
        unused: context.unused,
        only,
        serving,
        findings,
        abstained,
        incomplete: trace.missing(),
    }
}
