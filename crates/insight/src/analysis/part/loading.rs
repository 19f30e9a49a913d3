//! The time of data loading within steps, on the steps' own threads.
//!
//! Must not know what the times are for.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, GroupId, Step, Trace};

use super::scope::Scope;
use crate::analysis::part::time::later::Later;

/// A thread: the index of its process's group in `Trace::groups`, and its id in the file.
type Thread = (GroupId, StrId);

/// The spans of each thread's data loading, sorted by start.
pub(crate) struct Loading(FxHashMap<Thread, Vec<Span>>);

impl Loading {
    /// Finds the data loading on the lanes of `scope`, whatever the time of the scope.
    pub(crate) fn of(trace: &Trace, scope: &Scope) -> Self {
        let slices = &trace.slices;
        let mut found: FxHashMap<Thread, Vec<Span>> = FxHashMap::default();
        for (_, lane) in trace.lanes.iter_with_ids().filter(|(id, _)| scope.has_lane(*id)) {
            let ids = lane.slices.iter().filter(|&id| slices.category(id) == Category::Dataloader);
            let mut spans = ids.map(|id| slices.span(id)).filter(|span| !span.is_empty()).peekable();
            if spans.peek().is_some() {
                found.entry((lane.group, lane.tid)).or_default().extend(spans);
            }
        }
        found.values_mut().for_each(|spans| spans.sort_unstable_by_key(|span| span.start));
        Self(found)
    }

    /// For each step, the time in it of the data loading that begins in it, on the step's own thread, ns.
    pub(crate) fn in_steps(&self, trace: &Trace, steps: &[&Step]) -> Vec<Ns> {
        let mut of_thread: FxHashMap<Thread, Vec<usize>> = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            let lane = &trace.lanes[trace.lane_of(step.slice)];
            of_thread.entry((lane.group, lane.tid)).or_default().push(at);
        }
        let mut times = vec![0; steps.len()];
        for (thread, mut of_steps) in of_thread {
            let Some(spans) = self.0.get(&thread) else { continue };
            of_steps.sort_unstable_by_key(|&at| std::cmp::Reverse(steps[at].span.start));
            let mut later = spans.iter().rev().peekable();
            let mut union = Later::new();
            for at in of_steps {
                let step = steps[at].span;
                while let Some(span) = later.next_if(|span| span.start >= step.start) {
                    union.add(*span, |time| [time]);
                }
                [times[at]] = union.within(step, |time| [time]);
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::part::time::covered;
    use proftui_trace::import::{Progress, Request, load_bytes};

    proptest! {
        #[test]
        fn each_step_has_what_begins_in_it(
            loads in proptest::collection::vec((0_i64..60, 0_i64..9), 0..12),
            steps in proptest::collection::vec((0_i64..60, 1_i64..40), 1..6),
        ) {
            let event = |name: &str, (ts, dur): &(i64, i64)| {
                format!(r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#)
            };
            let loader = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
            let loaders = loads.iter().map(|load| event(loader, load));
            let named = steps.iter().zip(0..).map(|(step, at)| event(&format!("ProfilerStep#{at}"), step));
            let text = format!("[{}]", loaders.chain(named).collect::<Vec<_>>().join(","));
            let trace = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
            let steps: Vec<&Step> = trace.steps.iter().collect();
            let slices = &trace.slices;
            let want: Vec<Ns> = steps.iter().map(|step| {
                let ids = slices.ids().iter().filter(|&id| slices.category(id) == Category::Dataloader);
                let inside = ids.map(|id| slices.span(id)).filter(|span| step.span.contains(span.start));
                covered(inside.map(|span| Span { end: span.end.min(step.span.end), ..span }).collect())
            }).collect();
            prop_assert_eq!(Loading::of(&trace, &Scope::default()).in_steps(&trace, &steps), want);
        }
    }
}
