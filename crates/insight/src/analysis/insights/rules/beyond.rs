//! What the rules have in common that look by a function of their own.
//!
//! Must not know any one rule.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Finding, Number, Outcome, Severity};
use crate::analysis::insights::when::When;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::time::{intersection, length, union};
use crate::analysis::part::work::{Device, Work};
use crate::analysis::thresholds::NAMED;
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{Category, GroupId, SliceId};

use crate::analysis::insights::rule::Rule;

/// The most locations that [`longest`] returns.
const LOCATIONS: usize = 5;

/// The fields of a [`Finding`] that a rule states; [`Draft::of`] adds the others.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) severity: Severity,
    pub(super) title: String,
    pub(super) time: Option<Ns>,
    pub(super) what: String,
    pub(super) detail: String,
    pub(super) because: String,
    pub(super) saves: Ns,
    pub(super) basis: &'static str,
    pub(super) share: f64,
    pub(super) numbers: Vec<Number>,
    pub(super) seen: Vec<(String, f64)>,
    /// The device work that the finding is about, each piece with its device: it says when the finding shows,
    /// on which device, and where.
    pub(super) of: Vec<(GroupId, SliceId)>,
    /// When the finding shows, of one that is about no device work.
    pub(super) when: Option<When>,
    /// Where the finding shows; empty for the longest of `of`.
    pub(super) at: Vec<Location>,
    /// What helps, where the rule's own advice does not fit.
    pub(super) advice: Option<&'static str>,
    pub(super) view: &'static str,
}

impl Draft {
    /// Makes the finding, with the id, the advice and the caveats of the rule.
    pub(super) fn of(self, context: &Context<'_>, rule: &Rule) -> Outcome {
        let slices = &context.trace.slices;
        let Self { severity, title, time, what, detail, saves, basis, share, numbers, seen, .. } = self;
        let (when, device, at) = if self.of.is_empty() {
            (self.when, None, self.at)
        } else {
            let launched = self.of.iter().map(|&(group, id)| {
                let span = slices.span(id);
                let start =
                    context.trace.links.launch_of(id).map_or(span.start, |launch| slices.start[launch]);
                (context.trace.groups[group].worker, Span { start, end: start.saturating_add(span.len()) })
            });
            let when = if context.periods.is_empty() {
                When::NoSteps(self.of.len() as u64)
            } else {
                context.periods.when_of(launched)
            };
            let time = |at: usize| {
                let group = context.devices[at].0.group;
                sum(self.of.iter().filter(|(of, _)| *of == group).map(|&(_, id)| slices.dur[id]))
            };
            let device = context.only_device(time);
            (Some(when), device, if self.at.is_empty() { longest(context, self.of) } else { self.at })
        };
        Outcome::Found(vec![Finding {
            rule: rule.id,
            advice: self.advice.unwrap_or(rule.advice).to_owned(),
            severity,
            title,
            time,
            what,
            detail,
            because: self.because,
            saves,
            basis,
            likely: None,
            share,
            when,
            once: false,
            device,
            numbers,
            seen,
            at,
            view: self.view,
            caveats: rule.caveats.iter().map(|&text| text.to_owned()).collect(),
        }])
    }
}

/// The kernels in the part, each with its device.
pub(super) fn kernels<'a>(context: &'a Context<'_>) -> impl Iterator<Item = (&'a Device, &'a Work)> {
    let is_kernel = |work: &Work| context.trace.slices.category(work.id) == Category::Kernel;
    context.work().iter().flat_map(move |device| {
        device.work.iter().filter(move |work| is_kernel(work)).map(move |work| (device, work))
    })
}

/// The time that spans of `one` cover and spans of `other` do not, and all time that spans of `one` cover,
/// ns.
pub(super) fn alone(one: Vec<Span>, other: Vec<Span>) -> (Ns, Ns) {
    let (one, other) = (union(one), union(other));
    let all = length(&one);
    (all - length(&intersection(&one, &other)), all)
}

/// The first of these names, if it has most of the time; else an empty text.
pub(super) fn main(names: &[(String, f64)]) -> &str {
    names.first().filter(|(_, share)| *share >= NAMED).map_or("", |(name, _)| name)
}

/// The time of the run in which some of these slices run on their devices, added up over devices, ns. Each
/// slice comes with the group of its device.
pub(super) fn covered(context: &Context<'_>, slices: &[(GroupId, SliceId)]) -> Ns {
    let of_device = |device: &Device| {
        let own = slices.iter().filter(|(group, _)| *group == device.group);
        let spans = own.map(|&(_, id)| context.trace.slices.span(id)).collect();
        length(&intersection(&union(spans), context.part.run(device.worker)))
    };
    sum(context.work().iter().map(of_device))
}

/// The locations of the five longest slices, the longest first. Each slice comes with the group of its
/// device.
pub(super) fn longest(context: &Context<'_>, mut slices: Vec<(GroupId, SliceId)>) -> Vec<Location> {
    slices.sort_by_key(|&(_, id)| (std::cmp::Reverse(context.trace.slices.dur[id]), id));
    let at = |&(group, id): &(GroupId, SliceId)| Location {
        span: context.trace.slices.span(id),
        at: Some(Subject::Device(group)),
    };
    slices.iter().take(LOCATIONS).map(at).collect()
}

/// The `most` names that take the largest shares (0 to 1) of the slices' total length, the largest first.
pub(super) fn names(context: &Context<'_>, slices: &[(GroupId, SliceId)], most: usize) -> Vec<(String, f64)> {
    let mut sums: rustc_hash::FxHashMap<StrId, Ns> = rustc_hash::FxHashMap::default();
    for &(_, id) in slices {
        let time = sums.entry(context.trace.slices.name[id]).or_default();
        *time = time.saturating_add(context.trace.slices.dur[id]);
    }
    let all = sum(sums.values().copied());
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|&(name, ns)| (std::cmp::Reverse(ns), name));
    let text = |name| context.trace.string_or(name, "(unnamed)").to_string();
    sums.into_iter().take(most).map(|(name, ns)| (text(name), ns as f64 / all.max(1) as f64)).collect()
}
