//! Many small kernels, where the device waits for launches.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::ledger::Cause;
use crate::analysis::thresholds::{SMALL, SMALL_LEAST};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{GroupId, SliceId};

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "small_kernels",
    definition: "There are 100 kernels and more, the mean length of all kernels is less than 10 µs, and the \
        device waits for dispatch for 5 % of the time and more.",
    source: "Definition of this program; the rule launch_bound counts what is saved.",
    caveats: &["small kernels in a full queue cost less"],
    advice: "Replay the kernels as a CUDA graph, or fuse them (torch.compile, fused operators).",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let waited = context.idle(Cause::LaunchBound).0;
    let share = context.share(waited);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let kernels: Vec<_> = beyond::kernels(context).map(|(device, work)| (device.group, work.id)).collect();
    let total = sum(kernels.iter().map(|&(_, id)| context.trace.slices.dur[id]));
    let mean = total as f64 / kernels.len().max(1) as f64;
    if (kernels.len() as f64) < SMALL_LEAST || mean >= SMALL {
        return Outcome::Nothing;
    }
    let is_small = |&&(_, id): &&(GroupId, SliceId)| (context.trace.slices.dur[id] as f64) < SMALL;
    let small: Vec<(GroupId, SliceId)> = kernels.iter().filter(is_small).copied().collect();
    let pieces = context.pieces(Cause::LaunchBound, 5, |_, _| true);
    Draft {
        severity,
        title: title("X kernels under 10 µs", &fmt::count(small.len() as u64)),
        time: Some(waited),
        what: format!("the {} waits for the dispatch of small kernels", context.kind()),
        detail: format!(
            ": {} of {} on average",
            fmt::count(kernels.len() as u64),
            fmt::duration(saturate::<Ns>(mean))
        ),
        saves: 0,
        basis: "the rule launch_bound counts the time",
        share,
        numbers: vec![
            Number::count("kernels", kernels.len() as u64),
            Number::ns("mean", saturate::<Ns>(mean)),
        ],
        seen: beyond::names(context, &kernels, 4),
        at: pieces.iter().map(|&(device, span)| context.location(device, span)).collect(),
        of: small,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}
