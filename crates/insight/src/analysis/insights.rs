//! Why it was slow: a verdict on a part of a trace, and findings ranked by what they would save.
//!
//! Findings about idle time divide it as the ledger does, so their headrooms never add up to more than the
//! idle time. A rule abstains where what it needs is not known, and says why. Must not know how findings are
//! shown.

pub mod context;
pub mod evidence;
pub mod finding;
pub mod rule;
pub mod rules;
pub mod unused;

use std::collections::BTreeMap;

use proftui_base::fmt;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{GroupId, Trace};

use super::ledger::{Cause, DeviceSums, Ledger, Whole};
use super::thresholds::SECOND_CAUSE;
use crate::analysis::arguments::Arguments;
use crate::analysis::part::scope::Scope;
use crate::analysis::vocabulary::jax;

pub use finding::{Abstained, Finding, Number, Outcome, Severity, Unit};
pub use rule::Rule;
pub use unused::Unused;

use context::Context;

/// What the rules report about a part of a trace, with the sums behind it.
#[derive(Clone, Debug)]
pub struct Insights {
    /// The kind of the devices, such as `GPU` or `TPU`.
    pub kind: &'static str,
    /// The time range of the part.
    pub span: Span,
    /// The devices that the scope selects, as groups, each with its recorded time in the part: that with
    /// work, and the rest divided by cause. Without those of `unused`.
    pub devices: Vec<(GroupId, DeviceSums)>,
    /// The devices with next to no work in the part, which are in no sum.
    pub unused: Vec<Unused>,
    /// The title of the only used device beside unused ones, without its model.
    only: Option<String>,
    /// By the name of a kind of serving step, such as `decode`: the number of the part's steps, and the sums
    /// of their requests and of their tokens, as far as known.
    pub serving: BTreeMap<&'static str, [u64; 3]>,
    /// The findings: `not_recorded` first, then by headroom, the largest first.
    pub findings: Vec<Finding>,
    /// The rules that could not judge the part, each with the reason.
    pub abstained: Vec<Abstained>,
    /// Texts on data that the trace lacks, such as lost records; empty if none is known to be missing.
    pub incomplete: Vec<String>,
}

/// Applies all rules to the part of `trace` that `scope` selects. `read` is what was read of the arguments
/// of events, which some rules need.
pub fn insights(trace: &Trace, scope: &Scope, read: &Arguments) -> Insights {
    let ledger = Ledger::of(trace);
    let context = Context::new(trace, &ledger, scope, read);
    let (mut findings, mut abstained) = (Vec::new(), Vec::new());
    for rule in rules::all() {
        context.part.check();
        match rules::look(&context, rule) {
            Outcome::Nothing => {}
            Outcome::Found(finding) => findings.push(*finding),
            Outcome::Abstained(why) => abstained.push(Abstained { rule: rule.id, why }),
        }
    }
    if jax::is_jax(trace) {
        for finding in &mut findings {
            finding.advice = jax::advice(finding.rule).unwrap_or(finding.advice);
        }
    }
    findings.sort_by(|a, b| {
        let first = |finding: &Finding| finding.rule != "not_recorded";
        first(a).cmp(&first(b)).then(b.headroom.cmp(&a.headroom)).then(b.share.total_cmp(&a.share))
    });
    let mut serving: BTreeMap<&'static str, [u64; 3]> = BTreeMap::new();
    for of in context.part.steps().filter_map(|step| step.serving) {
        let sums = serving.entry(of.kind.name()).or_default();
        let more = [1, of.requests, of.tokens.unwrap_or_default()];
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    let devices: Vec<_> = context.devices.iter().map(|(device, sums)| (device.group, sums.clone())).collect();
    let only = match devices.as_slice() {
        [(group, _)] if !context.unused.is_empty() => Some(unused::title(trace, *group)),
        _ => None,
    };
    let incomplete = trace.missing();
    let kind = context.kind();
    let span = context.part.span();
    let unused = context.unused;
    Insights { kind, span, devices, unused, only, serving, findings, abstained, incomplete }
}

impl Insights {
    /// The time of all devices in the part that is charged to a cause, added up, ns.
    pub fn idle(&self, cause: Cause) -> Ns {
        sum(self.devices.iter().map(|(_, sums)| sums.of(cause).ns))
    }

    /// The sums of all devices' times, from which shares are computed.
    pub fn whole(&self) -> Whole {
        Whole::sum(self.devices.iter().map(|(_, sums)| sums.whole()))
    }

    /// The verdict in one or two sentences: how busy the devices were, which are not used, and the largest
    /// causes of their idle time, as far as known.
    pub fn verdict(&self) -> String {
        let whole = self.whole();
        if self.devices.is_empty() {
            return "No device work in this part: why a device was idle is not known.".into();
        }
        if whole.is_empty() {
            return "No recorded time of this part lies between a device's first and last work in a cycle."
                .into();
        }
        let busy = whole.share(whole.busy);
        let idle = whole.without_work();
        if idle == 0 {
            let who = format!(
                "Every {} busy from its first to its last work in each cycle of this part.",
                self.kind
            );
            return self.with_unused(who);
        }
        let who = if self.devices.len() > 1 {
            format!("{} {}s {:.0} % busy on average.", self.devices.len(), self.kind, busy * 100.0)
        } else {
            format!("{} {:.0} % busy.", self.only.as_deref().unwrap_or(self.kind), busy * 100.0)
        };
        let who = self.with_unused(who);
        let mut causes: Vec<(Cause, Ns)> = Cause::ALL
            .iter()
            .filter(|&&cause| cause != Cause::Edge)
            .map(|&cause| (cause, self.idle(cause)))
            .filter(|&(_, ns)| ns >= idle / 100)
            .collect();
        causes.sort_by_key(|&(cause, ns)| (std::cmp::Reverse(ns), cause));
        let Some(&(first, ns)) = causes.first() else { return who };
        let share = |ns: Ns| format!("{:.0} %", ns as f64 / idle.max(1) as f64 * 100.0);
        let idle_text = fmt::duration(idle);
        if first == Cause::NotRecorded {
            return format!(
                "{who} Of the other {idle_text}, {} is missing records: not known to be idle.",
                share(ns)
            );
        }
        let second = causes.get(1).filter(|&&(_, more)| more as f64 >= idle as f64 * SECOND_CAUSE);
        let second =
            second.map_or(String::new(), |&(cause, ns)| format!(", {} is {}", share(ns), cause.title()));
        let rest = if self.idle(Cause::NotRecorded) > 0 { "other" } else { "idle" };
        format!("{who} Of the {rest} {idle_text}, {} is {}{second}.", share(ns), first.title())
    }

    /// A sentence on the used devices, with one on those that are not.
    fn with_unused(&self, who: String) -> String {
        match unused::sentence(&self.unused) {
            Some(unused) => format!("{who} {unused}"),
            None => who,
        }
    }
}
