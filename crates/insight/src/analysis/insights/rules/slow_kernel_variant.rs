//! Kernels for which libraries have a faster variant.
//!
//! Must not know other rules.

use rustc_hash::FxHashMap;

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::{GroupId, SliceId};

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::vocabulary::kernel_names::KERNELS;

pub(super) const RULE: Rule = Rule {
    id: "slow_kernel_variant",
    definition: "Kernels whose names suggest slow variants, for all of which libraries have the same faster \
        one, run for 5 % of the time and more.",
    source: "Names of kernels (assets/kernels.toml).",
    caveats: &["the faster variant may not support the shapes or types"],
    advice: "Try the faster variant that the finding names.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    // Each name is looked at once.
    let mut variants: FxHashMap<StrId, Option<usize>> = FxHashMap::default();
    let mut found: Vec<(Ns, Vec<(GroupId, SliceId)>)> = vec![(0, Vec::new()); KERNELS.slow.len()];
    for (device, work) in beyond::kernels(context) {
        let name = context.trace.slices.name[work.id];
        let of_name = || KERNELS.slow.iter().position(|slow| slow.has(context.trace.strings.bytes(name)));
        if let Some(at) = *variants.entry(name).or_insert_with(of_name) {
            found[at].0 = found[at].0.saturating_add(work.dur());
            found[at].1.push((device.group, work.id));
        }
    }
    let Some((at, (ns, found))) = found.into_iter().enumerate().max_by_key(|(_, (ns, _))| *ns) else {
        return Outcome::Nothing;
    };
    let instead = &KERNELS.slow[at].instead;
    let covered = beyond::covered(context, &found);
    let share = context.share(covered);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let names = beyond::names(context, &found, 4);
    Draft {
        severity,
        title: title("X: a faster variant exists", beyond::main(&names)),
        time: Some(covered),
        what: "runs in kernels whose names suggest a slow variant".into(),
        detail: format!("; often faster: {instead}"),
        saves: 0,
        basis: "how much faster the other variant is is not known from the trace",
        share,
        numbers: vec![Number::ns("time", ns), Number::count("kernels", found.len() as u64)],
        seen: names,
        of: found,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}
