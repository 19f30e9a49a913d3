//! Copies run while no kernel does.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use proftui_base::fmt;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, SliceId};

use super::beyond::{self, Draft};
use crate::analysis::insights::rule::{Look, Rule};

pub(super) const RULE: Rule = Rule {
    id: "exposed_copy",
    definition: "Copies run on the device while no kernel runs, for 5 % of the time and more.",
    source: "Definition of this program: time in which a copy runs and no kernel does.",
    caveats: &["copies that bring a model to the device usually belong to the start of a run"],
    advice: "Copy on a stream of its own with pinned memory (non_blocking=True), input a batch ahead; copy \
        less.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let (mut exposed, mut all) = (0, 0);
    let mut copies = Vec::new();
    for device in context.work() {
        let is = |category: Category| move |id: SliceId| context.trace.slices.category(id) == category;
        let of = |category| device.spans(|work| is(category)(work.id));
        let (alone, total) = beyond::alone(of(Category::Memcpy), of(Category::Kernel));
        (exposed, all) = (Ns::saturating_add(exposed, alone), Ns::saturating_add(all, total));
        copies.extend(
            device
                .work
                .iter()
                .filter(|work| is(Category::Memcpy)(work.id))
                .map(|work| (device.group, work.id)),
        );
    }
    let share = context.share(exposed);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let names = beyond::names(context, &copies, 4);
    let pageable: f64 =
        names.iter().filter(|(name, _)| name.contains("Pageable")).map(|(_, share)| share).sum();
    let bytes = copies.iter().filter_map(|&(_, id)| context.trace.copied(id)).sum::<u64>();
    let direction = match names.first().map_or("", |(name, _)| name.as_str()) {
        name if name.contains("HtoD") || name.contains("Host2Device") => " to GPU",
        name if name.contains("DtoH") || name.contains("Device2Host") => " to host",
        _ => "",
    };
    let what = if bytes > 0 {
        format!("{}{direction}", fmt::bytes(i64::try_from(bytes).unwrap_or(i64::MAX)))
    } else {
        direction.trim().to_owned()
    };
    let kind =
        if pageable > 0.5 { "; most of the time of all copies is from or to pageable memory" } else { "" };
    Draft {
        severity,
        title: title("copies run alone: X", &what),
        time: Some(exposed),
        what: "copies run alone".into(),
        detail: kind.into(),
        saves: exposed,
        basis: "time in which a device runs copies and no kernel; none of it is idle time",
        share,
        numbers: vec![
            Number::ns("exposed", exposed),
            Number::ns("copies_total", all),
            Number::count("copies", copies.len() as u64),
            Number::ratio("pageable", pageable),
        ],
        seen: names,
        of: copies,
        view: "memcpy",
        ..Draft::default()
    }
    .of(context, rule)
}
