//! Copies run while no kernel does.
//!
//! Must not know other rules.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::time::amounts::Lengths;
use crate::analysis::part::time::union;
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{Category, GroupId, SliceId};
use std::collections::BTreeMap;

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

/// What the names of copies within the device have.
const WITHIN: &str = "DtoD";

/// What helps where the copies are within the device.
const INNER: &str = "Most of the time is of copies within the device: avoid clone, contiguous and copy_ of \
    large tensors, or let compiled code fuse them.";

/// The directions of copies, as their names have them, and in words.
const DIRECTIONS: [(&str, &str); 5] = [
    ("HtoD", " to GPU"),
    ("Host2Device", " to GPU"),
    ("DtoH", " to host"),
    ("Device2Host", " to host"),
    (WITHIN, " on the GPU"),
];

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let trace = context.trace;
    let is = |category: Category| move |id: SliceId| trace.slices.category(id) == category;
    let (mut exposed, mut all) = (0, 0);
    // The copies with the time in which each runs alone.
    let mut copies: Vec<(Ns, GroupId, SliceId)> = Vec::new();
    for device in context.work() {
        let of = |category| device.spans(|work| is(category)(work.id));
        let (alone, total) = beyond::alone(of(Category::Memcpy), of(Category::Kernel));
        (exposed, all) = (Ns::saturating_add(exposed, alone), Ns::saturating_add(all, total));
        if alone == 0 {
            continue;
        }
        let kernels = Lengths::of(union(of(Category::Kernel)));
        let of_device = device.work.iter().filter(|work| is(Category::Memcpy)(work.id));
        copies.extend(of_device.map(|work| (work.dur() - kernels.within(work.span), device.group, work.id)));
    }
    let share = context.share(exposed);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    copies.retain(|(alone, ..)| *alone > 0);
    copies.sort_by_key(|&(alone, _, id)| (std::cmp::Reverse(alone), id));
    let has = |id: SliceId, part: &str| {
        let name = trace.strings.bytes(trace.slices.name[id]);
        memchr::memmem::find(name, part.as_bytes()).is_some()
    };
    let sum_of =
        |part: &str| sum(copies.iter().filter(|&&(.., id)| has(id, part)).map(|(alone, ..)| *alone)) as f64;
    let pageable = sum_of("Pageable") / exposed.max(1) as f64;
    // Of a copy that runs alone for a part of its time, that part of its bytes.
    let bytes: f64 = copies
        .iter()
        .filter_map(|&(alone, _, id)| {
            Some(trace.copied(id)? as f64 * alone as f64 / trace.slices.dur[id].max(1) as f64)
        })
        .sum();
    let most = DIRECTIONS.into_iter().find(|(part, _)| sum_of(part) * 2.0 > exposed as f64);
    let (part, direction) = most.unwrap_or_default();
    let what = if bytes > 0.0 {
        format!("{}{direction}", fmt::bytes(saturate::<i64>(bytes)))
    } else {
        direction.trim().to_owned()
    };
    let kind = if pageable > 0.5 { "; most of that time is from or to pageable memory" } else { "" };
    let mut names: BTreeMap<String, Ns> = BTreeMap::new();
    for &(alone, _, id) in &copies {
        *names.entry(trace.name(id).to_string()).or_default() += alone;
    }
    let mut names: Vec<(String, f64)> =
        names.into_iter().map(|(name, ns)| (name, ns as f64 / exposed.max(1) as f64)).collect();
    names.sort_by(|one, other| other.1.total_cmp(&one.1));
    names.truncate(4);
    let location = |&(_, group, id): &(Ns, GroupId, SliceId)| Location {
        span: trace.slices.span(id),
        at: Some(Subject::Device(group)),
    };
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
        at: copies.iter().filter(|&&(.., id)| has(id, part)).take(5).map(location).collect(),
        advice: (part == WITHIN).then_some(INNER),
        of: copies.iter().map(|&(_, group, id)| (group, id)).collect(),
        view: "memcpy",
        ..Draft::default()
    }
    .of(context, rule)
}
