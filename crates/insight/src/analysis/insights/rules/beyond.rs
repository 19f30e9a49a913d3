//! What the rules have in common that look by a function of their own.
//!
//! Must not know any one rule.

use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Finding, Number, Severity};
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::time::{intersection, length, union};
use crate::analysis::part::work::{Device, Work};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{Category, GroupId, SliceId};

use crate::analysis::insights::rule::Rule;

/// The most locations that [`longest`] returns.
const LOCATIONS: usize = 5;

/// The fields of a [`Finding`] that a rule states; [`Draft::of`] adds the others.
pub(super) struct Draft {
    pub(super) severity: Severity,
    pub(super) time: Option<Ns>,
    pub(super) what: String,
    pub(super) headroom: Ns,
    pub(super) basis: &'static str,
    pub(super) share: f64,
    pub(super) numbers: Vec<Number>,
    pub(super) seen: Vec<(String, f64)>,
    pub(super) at: Vec<Location>,
    pub(super) view: &'static str,
}

impl Draft {
    /// Makes the finding, with the id, the advice and the caveats of the rule.
    pub(super) fn of(self, rule: &Rule) -> Box<Finding> {
        let Self { severity, time, what, headroom, basis, share, numbers, seen, at, view } = self;
        let caveats = rule.caveats.iter().map(|&text| text.to_owned()).collect();
        Box::new(Finding {
            rule: rule.id,
            advice: rule.advice,
            severity,
            time,
            what,
            because: String::new(),
            headroom,
            basis,
            share,
            numbers,
            seen,
            at,
            view,
            caveats,
        })
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
