//! Rules about several ranks, which need clocks that are aligned. No clocks are, so these rules abstain where
//! there is communication, and else report nothing.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::Outcome;

use crate::analysis::insights::rule::{Look, Rule};

/// The rule on a rank that comes late to collectives. It makes no finding, since the clocks of ranks are not
/// aligned.
pub(super) const LATE_RANK: Rule = Rule {
    id: "late_rank",
    definition: "One rank comes late to collectives, and the others wait for it.",
    source: "Needs several ranks on one clock; proftui aligns no clocks, so nothing is reported.",
    caveats: &[],
    advice: "Compare the ranks with proftui summary RANK0 RANK1.",
    look: Look::Work(abstain),
};

/// The rule on a rank that is slow in every step. It makes no finding, since the clocks of ranks are not
/// aligned.
pub(super) const STRAGGLER: Rule = Rule {
    id: "straggler",
    definition: "One rank is slow in every step.",
    source: "Needs the steps of several ranks on one clock; proftui aligns no clocks, so nothing is \
        reported.",
    caveats: &[],
    advice: "Compare the ranks with proftui summary RANK0 RANK1.",
    look: Look::Work(abstain),
};

fn abstain(context: &Context<'_>, _: &Rule) -> Outcome {
    let has_communication = context.work().iter().any(|device| {
        device.work.iter().any(|work| work.kind == Some(crate::analysis::part::work::WorkKind::Communication))
    });
    match context.trace.meta.workers.len() {
        _ if !has_communication => Outcome::Nothing,
        0 | 1 => {
            Outcome::Abstained("the trace has one rank: who came late to a collective is not known".into())
        }
        _ => Outcome::Abstained(
            "proftui does not align the clocks of ranks: who came late to a collective is not known".into(),
        ),
    }
}
