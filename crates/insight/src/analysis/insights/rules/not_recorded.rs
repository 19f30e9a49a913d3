//! Device work is missing from the trace: the host waited for the device while nothing is recorded.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Finding, Number, Outcome, Severity, title};
use crate::analysis::ledger::Cause;
use proftui_base::fmt;

use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "not_recorded",
    definition: "The host waits for the device for 200 µs and more while no work is recorded, or a graph's \
        capture proves that records are missing: the device seems busy with work that is missing in \
        the trace, for 5 % of the time and more.",
    source: "A call that waits for the device returns at once if the device is idle.",
    caveats: &["a device that another process uses makes the host wait, too"],
    advice: "Record again with larger buffers, or with graphs node by node; do not read this time as idle.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let (ns, gaps) = context.idle(Cause::NotRecorded);
    let share = context.share(ns);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let pieces = context.pieces(Cause::NotRecorded, 5, |_, _| true);
    Outcome::Found(vec![Finding {
        rule: rule.id,
        advice: rule.advice.to_owned(),
        severity: severity.max(Severity::Warning),
        title: title("GPU work not recorded for X", &fmt::duration(ns)),
        time: Some(ns),
        what: "device work seems to be missing in the trace".into(),
        detail: ": the host waited for the device, or a graph ran, and no work is recorded".into(),
        because: String::new(),
        saves: 0,
        likely: None,
        when: Some(context.when(Cause::NotRecorded, false)),
        once: false,
        device: context.only_device(|at| context.devices[at].1.of(Cause::NotRecorded).ns),
        basis: "whether the device was idle in this time is not known",
        share,
        numbers: vec![
            Number::ns("not_recorded", ns),
            Number::count("gaps", gaps),
            Number::ns("longest", pieces.first().map_or(0, |(_, span)| span.len())),
        ],
        seen: Vec::new(),
        at: pieces.iter().map(|&(device, span)| context.location(device, span)).collect(),
        view: "idle",
        caveats: rule.caveats.iter().map(|&text| text.to_owned()).collect(),
    }])
}
