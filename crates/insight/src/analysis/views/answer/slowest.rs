//! The slowest step beside the median one: in what the thread that runs the steps spent more time.
//!
//! The time of a step is divided by what the thread is in, innermost: data loading, an operator, a range, a
//! phase, or nothing that is recorded. So the differences of two steps add up to the difference of their
//! durations. Must not know how the median is found.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::analysis::part::Part;
use crate::analysis::part::phase::PHASES;
use crate::analysis::part::processor::{State, state_of_excess};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::threads::Threads;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, Step, Trace};

/// The least share of the slowest step's extra duration that an entry of [`Slowest::held`] has.
const LEAST_SHARE: f64 = 0.05;
/// The most entries of [`Slowest::held`].
const NAMED: usize = 3;

/// The slowest step, compared with the median step.
#[derive(Debug)]
pub struct Slowest {
    /// Number of the slowest step.
    pub number: u64,
    /// Duration of the slowest step, ns.
    pub time: Ns,
    /// By how much the slowest step is longer than the median step, ns; always more than 0.
    pub beyond: Ns,
    /// What took at least a twentieth of `beyond` more time in the slowest step than in the median step: at
    /// most three entries, the largest extra time first.
    pub held: Vec<Excess>,
    /// The state in which the thread spent at least half of `beyond`, and how much, ns; `None` if not known.
    pub state: Option<(State, Ns)>,
}

/// Something that took more time in the slowest step than in the median step.
#[derive(Debug)]
pub struct Excess {
    /// What the thread that runs the slowest step was in.
    pub what: What,
    /// By how much more time `what` took in the slowest step than in the median step, ns; more than 0.
    pub time: Ns,
}

/// What a thread is in at a time: data loading, or usually the innermost recorded event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Data loading, with all recorded events inside it.
    Loading,
    /// A phase other than data loading, by its title, such as `Forward`.
    Phase(&'static str),
    /// An operator, a call, a range or another event of this name; `(unnamed)` for an event without a name.
    Named(SafeText<'static>),
    /// No recorded event other than steps and Python functions.
    Nothing,
}

/// What a thread is in at a time, as [`What`], but with phases by index and names by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// A phase, an index into [`PHASES`].
    Phase(usize),
    Name(StrId),
    Nothing,
}

/// The key of data loading, which is the first of [`PHASES`].
const LOADING: Key = Key::Phase(0);

/// Compares the slowest step with the median step; `None` if the slowest step is no longer than the median
/// step.
pub(super) fn compare(trace: &Trace, slowest: &Step, median: &Step) -> Option<Slowest> {
    let beyond = slowest.span.len().saturating_sub(median.span.len());
    if beyond <= 0 {
        return None;
    }
    let threads = Threads::of(trace);
    let (times, usual) = (contents(trace, threads, slowest), contents(trace, threads, median));
    let more =
        times.into_iter().map(|(key, time)| (key, time - usual.get(&key).copied().unwrap_or_default()));
    let mut held: Vec<(Key, Ns)> =
        more.filter(|(_, time)| *time > 0 && *time as f64 >= LEAST_SHARE * beyond as f64).collect();
    let name = |key: Key| if let Key::Name(name) = key { trace.strings.bytes(name) } else { b"" };
    held.sort_by(|(a, one), (b, other)| other.cmp(one).then_with(|| name(*a).cmp(name(*b))));
    held.truncate(NAMED);
    let what = |key: Key| match key {
        LOADING => What::Loading,
        Key::Phase(phase) => What::Phase(PHASES[phase].1),
        Key::Name(name) => What::Named(trace.string_or(name, "(unnamed)").into_owned()),
        Key::Nothing => What::Nothing,
    };
    let held = held.into_iter().map(|(key, time)| Excess { what: what(key), time }).collect();
    let state = state_of_excess(trace, slowest, median);
    Some(Slowest { number: slowest.number, time: slowest.span.len(), beyond, held, state })
}

/// Divides the time of a step, ns, by what the thread that runs the step is in.
fn contents(trace: &Trace, threads: &Threads, step: &Step) -> FxHashMap<Key, Ns> {
    let lane = trace.lane_of(step.slice);
    let lanes = threads.index(lane).map_or_else(|| vec![lane], |at| threads.all()[at].clone());
    let scope = Scope { span: Some(step.span), lanes: Some(lanes.clone()) };
    let part = Part::new(trace, &scope);
    let mut inside: Vec<(Span, Key)> = Vec::new();
    for lane in lanes {
        for piece in part.pieces(lane).filter(|piece| !piece.span.is_empty()) {
            let category = trace.slices.category(piece.id);
            if matches!(category, Category::ProfileStep | Category::PythonFunction) {
                continue;
            }
            let phase = PHASES.iter().position(|(phase, _)| *phase == category);
            inside.push((piece.span, phase.map_or(Key::Name(trace.slices.name[piece.id]), Key::Phase)));
        }
    }
    // What data loading calls is part of the wait for data.
    divide(step.span, Key::Nothing, Some(LOADING), inside)
}

/// Divides the time of `whole`, ns, among the keys of `inside`, by the innermost span at each instant;
/// `nothing` is the key of the rest. What is within a span of the key `entire` counts as that.
pub(super) fn divide<K: Copy + Eq + Hash>(
    whole: Span,
    nothing: K,
    entire: Option<K>,
    mut inside: Vec<(Span, K)>,
) -> FxHashMap<K, Ns> {
    inside.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut times: FxHashMap<K, Ns> = FxHashMap::default();
    let mut around: Vec<(Ns, K)> = vec![(whole.end, nothing)];
    let mut at = whole.start;
    let end = (Span { start: whole.end, end: whole.end }, nothing);
    for (span, key) in inside.into_iter().chain([end]) {
        while let Some(&(until, innermost)) = around.last() {
            let until = until.min(span.start);
            *times.entry(innermost).or_default() += until.saturating_sub(at).max(0);
            at = at.max(until);
            if around.last().is_none_or(|(end, _)| *end > span.start) || around.len() == 1 {
                break;
            }
            around.pop();
        }
        let outer = around.last().map(|(_, key)| *key);
        let key = outer.filter(|&outer| Some(outer) == entire).unwrap_or(key);
        around.push((span.end, key));
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_divided_by_what_is_innermost() {
        let span = |start, end| Span { start, end };
        let (mm, add) = (Key::Name(StrId::new(1)), Key::Name(StrId::new(2)));
        let inside = vec![
            (span(30, 40), mm),
            (span(0, 20), LOADING),
            (span(5, 10), add),
            (span(25, 60), Key::Phase(1)),
            (span(35, 38), add),
            // Overlaps the phase without lying in it.
            (span(50, 70), add),
        ];
        let times = divide(span(0, 100), Key::Nothing, Some(LOADING), inside);
        let of = |key| times.get(&key).copied().unwrap_or_default();
        assert_eq!([of(LOADING), of(Key::Phase(1)), of(mm), of(add), of(Key::Nothing)], [20, 15, 7, 23, 35]);
        assert_eq!(times.values().sum::<Ns>(), 100);
    }
}
