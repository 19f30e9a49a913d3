//! Tests of flames: against a plain look at every microsecond, and of what hangs below which frame.

use crate::analysis::Scope;
use proftui_trace::model::Trace;
use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use proftui_base::time::{Ns, Span};
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::{LaneKind, SliceId};

fn load(events: &[String]) -> Trace {
    let text = format!("[{}]", events.join(","));
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

fn event(cat: &str, name: &str, tid: u32, (ts, dur): (u32, u32), args: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts}.0,"dur":{dur},"args":{{{args}}}}}"#
    )
}

/// Each frame by the names on its path: total, own, calls. Times are in µs.
fn paths(trace: &Trace, scope: &Scope, choice: Choice) -> BTreeMap<String, (i64, i64, u64)> {
    let flame = Flame::of(trace, scope, choice);
    let is_time = matches!(flame.weight, Weight::Host | Weight::Device);
    let scale = if is_time { 1000 } else { 1 };
    let path = |at: u32| {
        let names: Vec<String> = flame
            .path(at)
            .into_iter()
            .map(|at| flame.title(trace, &flame.frames[at as usize]).to_string())
            .collect();
        names.join(" > ")
    };
    let all = (0..).zip(&flame.frames);
    all.map(|(at, frame)| (path(at), (frame.total / scale, frame.own / scale, frame.calls))).collect()
}

fn whole(trace: &Trace, choice: Choice) -> Vec<(String, (i64, i64, u64))> {
    paths(trace, &Scope::default(), choice).into_iter().collect()
}

fn named(rows: &[(&str, (i64, i64, u64))]) -> Vec<(String, (i64, i64, u64))> {
    rows.iter().map(|(name, sums)| ((*name).to_owned(), *sums)).collect()
}

/// Two steps with an operator that copies and launches, a Python function around all of it, and a kernel
/// without a launch.
fn training() -> Trace {
    let mut events = vec![event("python_function", "train.py(3): <object at 0x7f12> main", 1, (0, 100), "")];
    events.push(event("python_function", "nn.Module: Net_0", 1, (12, 26), ""));
    for (step, at) in [(1, 10), (2, 60)] {
        let correlation = format!(r#""correlation":{step}"#);
        events.push(event("user_annotation", &format!("ProfilerStep#{step}"), 1, (at, 30), ""));
        events.push(event("cpu_op", "aten::to", 1, (at + 5, 20), ""));
        events.push(event("cuda_runtime", "cudaMemcpyAsync", 1, (at + 10, 5), &correlation));
        let args = format!(r#""device":0,"stream":7,{correlation},"bytes":{}"#, 1000 * step);
        events.push(event("gpu_memcpy", "Memcpy HtoD", 7, (at + 20, 8), &args));
    }
    events.push(event("kernel", "gemm", 7, (5, 4), r#""device":0,"stream":7,"correlation":99"#));
    load(&events)
}

#[test]
fn device_work_hangs_below_its_launch_and_steps_are_one_frame() {
    let trace = training();
    let choice = |weight| Choice { weight: Some(weight), ..Choice::default() };
    let (step, to) = ("ProfilerStep#", "ProfilerStep# > aten::to");
    let call = "ProfilerStep# > aten::to > cudaMemcpyAsync";
    let copy = "ProfilerStep# > aten::to > cudaMemcpyAsync > Memcpy HtoD";
    let host = named(&[(step, (60, 20, 2)), (to, (40, 30, 2)), (call, (10, 10, 2))]);
    assert_eq!(whole(&trace, Choice::default()), host);
    let device = [
        ("(launch not recorded)", (4, 0, 0)),
        ("(launch not recorded) > gemm", (4, 4, 1)),
        (step, (16, 0, 2)),
        (to, (16, 0, 2)),
        (call, (16, 0, 2)),
        (copy, (16, 16, 2)),
    ];
    assert_eq!(whole(&trace, choice(Weight::Device)), named(&device));
    let bytes = [(step, (3000, 0, 2)), (to, (3000, 0, 2)), (call, (3000, 0, 2)), (copy, (3000, 3000, 2))];
    assert_eq!(whole(&trace, choice(Weight::Bytes)), named(&bytes));
    let count = whole(&trace, choice(Weight::Count));
    assert!(count.contains(&named(&[(step, (8, 2, 2))])[0]), "{count:?}");
}

#[test]
fn functions_and_modules_are_frames_where_they_are_wanted() {
    let trace = training();
    let names = |stacking| {
        let rows = whole(&trace, Choice { stacking, ..Choice::default() });
        rows.into_iter().map(|(name, sums)| (name, sums.0)).collect::<Vec<_>>()
    };
    let main = "train.py(3): <object> main";
    let want = [
        (String::new(), 100),
        (" > ProfilerStep#".into(), 60),
        (" > ProfilerStep# > aten::to".into(), 20),
        (" > ProfilerStep# > aten::to > cudaMemcpyAsync".into(), 5),
        (" > ProfilerStep# > nn.Module: Net_0".into(), 26),
        (" > ProfilerStep# > nn.Module: Net_0 > aten::to".into(), 20),
        (" > ProfilerStep# > nn.Module: Net_0 > aten::to > cudaMemcpyAsync".into(), 5),
    ];
    assert_eq!(
        names(Stacking::Stack),
        want.map(|(path, time): (String, i64)| (format!("{main}{path}"), time))
    );
    let want = [("aten::to", 20), ("nn.Module: Net_0", 26), ("nn.Module: Net_0 > aten::to", 20)];
    assert_eq!(names(Stacking::Modules), want.map(|(path, time)| (path.to_owned(), time)));
}

#[test]
fn work_of_a_thread_without_frames_is_at_the_top() {
    let call = event("cuda_runtime", "cudaLaunchKernel", 1, (0, 5), r#""correlation":1"#);
    let kernel = event("kernel", "gemm", 7, (5, 4), r#""device":0,"stream":7,"correlation":1"#);
    let choice = Choice { stacking: Stacking::Modules, ..Choice::default() };
    assert_eq!(
        whole(&load(&[call, kernel]), choice),
        named(&[("gemm", (4, 4, 1))]),
        "without host time, by device time"
    );
}

#[test]
fn a_part_has_the_time_and_the_calls_within_it() {
    let trace = training();
    let scope = Scope { span: Some(Span { start: 12_000, end: 24_000 }), lanes: None };
    let rows: Vec<_> = paths(&trace, &scope, Choice::default()).into_iter().collect();
    let want = [
        ("ProfilerStep#", (12, 3, 0)),
        ("ProfilerStep# > aten::to", (9, 5, 1)),
        ("ProfilerStep# > aten::to > cudaMemcpyAsync", (4, 4, 1)),
    ];
    assert_eq!(rows, named(&want));
    // Of the streams alone, the frames of the launches are still there; they have no calls.
    let streams = Scope::of_lanes(&trace, |lane| trace.lanes[lane].kind == LaneKind::Stream);
    let rows = paths(&trace, &streams, Choice::default());
    assert_eq!(rows.get("ProfilerStep# > aten::to"), Some(&(16, 0, 0)), "{rows:?}");
    let threads = Scope::of_lanes(&trace, |lane| trace.lanes[lane].kind != LaneKind::Stream);
    let choice = Choice { weight: Some(Weight::Device), ..Choice::default() };
    let rows = paths(&trace, &threads, choice);
    assert_eq!(rows.get("ProfilerStep# > aten::to"), Some(&(16, 0, 2)));
    assert!(!rows.contains_key("(launch not recorded)"));
}

#[test]
fn bottom_up_frames_have_their_callers_below_them() {
    let trace = training();
    let choice = Choice { direction: Direction::BottomUp, ..Choice::default() };
    let want = [
        ("ProfilerStep#", (20, 20, 2)),
        ("aten::to", (30, 0, 2)),
        ("aten::to > ProfilerStep#", (30, 30, 2)),
        ("cudaMemcpyAsync", (10, 0, 2)),
        ("cudaMemcpyAsync > aten::to", (10, 0, 2)),
        ("cudaMemcpyAsync > aten::to > ProfilerStep#", (10, 10, 2)),
    ];
    assert_eq!(whole(&trace, choice), named(&want));
}

/// The time of each path of names, µs, by looking at every µs of each thread.
fn by_instants(trace: &Trace, scope: &Scope) -> BTreeMap<String, i64> {
    let slices = &trace.slices;
    let is_native = |id: SliceId| trace.lanes[trace.lane_of(id)].kind == LaneKind::Thread;
    let rank = |id: SliceId| (slices.start[id], -slices.end(id), is_native(id), id);
    let thread = |id: SliceId| trace.lanes[trace.lane_of(id)].tid;
    let around = |id: SliceId| {
        let other = |&other: &SliceId| {
            thread(other) == thread(id)
                && is_native(other) != is_native(id)
                && rank(other) < rank(id)
                && slices.end(other) > slices.start[id]
        };
        let others = slices.ids().iter().filter(other);
        others.chain(slices.parent(id)).max_by_key(|&id| rank(id))
    };
    let path = |id: SliceId| {
        let mut names: Vec<String> =
            std::iter::successors(Some(id), |&id| around(id)).map(|id| trace.name(id).to_string()).collect();
        names.reverse();
        names.join(" > ")
    };
    let mut found = BTreeMap::new();
    let threads: std::collections::BTreeSet<_> = slices.ids().iter().map(thread).collect();
    for one in threads {
        for time in (0..200).map(|at: Ns| at * 1000).filter(|&time| scope.has_time(time)) {
            let open = |&id: &SliceId| thread(id) == one && slices.span(id).contains(time);
            if let Some(id) = slices.ids().iter().filter(open).max_by_key(|&id| rank(id)) {
                *found.entry(path(id)).or_default() += 1;
            }
        }
    }
    found
}

proptest! {
    #[test]
    fn each_instant_has_one_frame(
        slices in proptest::collection::vec((0_u32..100, 0_u32..60, 0_u32..3, 0_u32..4), 1..24),
        part in (0_i64..100, 1_i64..100),
    ) {
        let of = |&(ts, dur, name, lane): &(u32, u32, u32, u32)| {
            let cat = if lane.is_multiple_of(2) { "cpu_op" } else { "python_function" };
            event(cat, ["a", "b", "c"][name as usize], 1 + lane / 2, (ts, dur), "")
        };
        let trace = load(&slices.iter().map(of).collect::<Vec<_>>());
        let start = trace.main_span.start / 1000;
        let scope = Scope { span: Some(Span { start: part.0 * 1000, end: (part.0 + part.1) * 1000 }), lanes: None };
        for scope in [Scope::default(), scope] {
            let choice = Choice { stacking: Stacking::Stack, weight: Some(Weight::Host), ..Choice::default() };
            let rows = paths(&trace, &scope, choice);
            let own: BTreeMap<String, i64> =
                rows.iter().filter(|(_, sums)| sums.1 > 0).map(|(path, sums)| (path.clone(), sums.1)).collect();
            prop_assert_eq!(&own, &by_instants(&trace, &scope), "from {}", start);
            let calls: u64 = paths(&trace, &scope, Choice { weight: Some(Weight::Count), ..choice }).values().map(|sums| sums.2).sum();
            let begun = trace.slices.start.iter().filter(|&&start| scope.has_time(start)).count();
            prop_assert_eq!(calls, begun as u64);
        }
    }
}
