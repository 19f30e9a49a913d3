//! Operators that get little of what the device can achieve.
//!
//! Must not know other rules.

use crate::analysis::arguments::efficiency::judge::{Group, Unjudged};
use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::thresholds::ROOF;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};

use super::beyond::{self, Draft};

pub(super) const RULE: Rule = Rule {
    id: "under_the_roof",
    definition: "Some of the operators mm, addmm, bmm, baddbmm, conv2d, add and mul of aten get less than \
        half of what the device can achieve, and their time beyond the least possible is 5 % of the time \
        and more. Each kernel is granted 5 µs to start and end; operators whose kernels take less than 10 µs \
        are not judged.",
    source: "The roofline model: the least time is the larger one of operations / rate and bytes / \
        bandwidth, from the shapes of inputs; the achievable rates are those of assets/peaks.toml. Where \
        operators of the same name, shapes and type together got more than 110 % of the peak, other than \
        from the cache, the rule abstains.",
    caveats: &[
        "matrix products with few rows or sizes that are no multiples of 8 often stay far from the peaks",
        "work of other streams or processes on the device takes its share",
        "rates are measured or estimated for a kind of device; clocks and power limits differ",
    ],
    advice: "Make batches or sizes larger (multiples of 64), use contiguous tensors, fuse what only moves \
        memory (torch.compile).",
    look: Look::Work(find),
};

/// The groups of operators that get less than half of what the device can achieve, those that lose the most
/// time first. An error says why nothing can be judged.
pub(super) fn far_below<'a>(context: &'a Context<'_>) -> Result<Vec<&'a Group>, &'a Unjudged> {
    let mut groups: Vec<&Group> =
        context.judged().as_ref()?.iter().filter(|group| group.attained() < ROOF).collect();
    groups.sort_by(|a, b| beyond_roof(b).total_cmp(&beyond_roof(a)));
    Ok(groups)
}

/// The time of the kernels of a group beyond the least time that the device needs for them, ns.
fn beyond_roof(group: &Group) -> f64 {
    group.time as f64 - group.least
}

/// The time that the kernels of `groups` take beyond the least that the device needs, ns. Time in which
/// several run on a device counts once.
pub(super) fn lost(context: &Context<'_>, groups: &[&Group]) -> Ns {
    let time = sum(groups.iter().map(|group| group.time));
    let least: f64 = groups.iter().map(|group| group.least).sum();
    let kernels: Vec<_> = groups.iter().flat_map(|group| group.kernels.iter().copied()).collect();
    let alone = beyond::covered(context, &kernels);
    saturate::<Ns>(alone as f64 * (1.0 - least / time.max(1) as f64))
}

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let kernels = sum(beyond::kernels(context).map(|(_, work)| work.dur()));
    if Context::severity(context.share(kernels)).is_none() {
        return Outcome::Nothing;
    }
    let groups = match far_below(context) {
        Ok(groups) => groups,
        Err(Unjudged::Nothing) => return Outcome::Nothing,
        Err(Unjudged::Unknown(why)) => return Outcome::Abstained(why.clone()),
    };
    let time = sum(groups.iter().map(|group| group.time));
    let least: f64 = groups.iter().map(|group| group.least).sum();
    let of_groups: Vec<_> = groups.iter().flat_map(|group| group.kernels.iter().copied()).collect();
    let attained = least / time.max(1) as f64;
    let lost = lost(context, &groups);
    let share = context.share(lost);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let name =
        |group: &&Group| format!("{} {}", context.trace.string_or(group.name, "(unnamed)"), group.shapes);
    let seen = groups.iter().take(4).map(|group| {
        let name = format!(
            "{}, {}: {:.0} % of the peak",
            name(group),
            group.element.title(),
            group.attained() * 100.0
        );
        (name, group.time as f64 / time.max(1) as f64)
    });
    let judged = sum(context.judged().iter().flatten().map(|group| group.time));
    Draft {
        severity,
        title: title(
            &format!("X at {:.0} % of the peak", attained * 100.0),
            groups
                .first()
                .map_or(String::new(), |group| context.trace.string_or(group.name, "(unnamed)").to_string())
                .as_str(),
        ),
        time: Some(lost),
        what: "is what slow operators take beyond the least that the device needs".into(),
        detail: format!(": they get {:.0} % of what it can achieve", attained * 100.0),
        saves: lost,
        basis: "kernel time beyond 5 µs per kernel plus the larger of operations / achievable rate and \
                bytes / achievable bandwidth; none of it is idle time",
        share,
        numbers: vec![
            Number::ns("kernels", time),
            Number::ns("least", saturate::<Ns>(least)),
            Number::ratio("attained", attained),
            Number::count("launched", of_groups.len() as u64),
            Number::ratio("judged", judged as f64 / kernels.max(1) as f64),
        ],
        seen: seen.collect(),
        of: of_groups,
        view: "operator",
        ..Draft::default()
    }
    .of(context, rule)
}
