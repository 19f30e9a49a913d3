//! Answers of small traces whose numbers are known.

use super::*;
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::OutsideKind::{StartUp, Teardown, Validation};

/// An event: category, name, thread, start and duration in ms.
type Event<'a> = (&'a str, &'a str, u32, i64, i64);

fn load(events: &[Event<'_>], facts: &str) -> Trace {
    let event = |(cat, name, tid, ts, dur): &Event<'_>| {
        let (ts, dur) = (ts * 1000, dur * 1000);
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":"{tid}","ts":{ts},"dur":{dur}}}"#)
    };
    let events = events.iter().map(event).collect::<Vec<_>>().join(",");
    let text = format!(r#"{{"schemaVersion":"1.0.2","ExtraInfo":{{{facts}}},"traceEvents":[{events}]}}"#);
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace
}

/// Steps of 10 ms: 2 ms of data loading, 5 ms of forward with an operator of 4 ms, 3 ms of optimizer; step 3
/// sleeps 30 ms before its end, and loads for 5 ms more.
fn training() -> Trace {
    let names: Vec<String> = (0..5).map(|n| format!("ProfileStep#{n}")).collect();
    let mut events: Vec<Event<'_>> = vec![("PythonUserDefined", StartUp.name(), 1, 0, 1000)];
    let mut at = 1000;
    for (n, name) in names.iter().enumerate() {
        let (more, sleep) = if n == 3 { (5, 30) } else { (0, 0) };
        let inner = at + 2 + more;
        events.extend([
            ("ProfileStep", name.as_str(), 1, at, 10 + more + sleep),
            ("Dataloader", "next", 1, at, 2 + more),
            ("PythonUserDefined", "enumerate(DataLoader)#next", 1, at, 1 + more),
            ("Forward", "Net", 1, inner, 5),
            ("Operator", "aten::mm", 1, inner, 4),
            ("Optimization", "SGD.step", 1, inner + 5, 3),
            ("Operator", "aten::add_", 1, inner + 5, 3),
        ]);
        at += 10 + more + sleep;
        if n == 1 {
            events.push(("PythonUserDefined", Validation.name(), 1, at, 200));
            events.push(("Operator", "aten::mm", 1, at, 100));
            at += 200;
        }
    }
    events.push(("PythonUserDefined", Teardown.name(), 1, at, 500));
    load(&events, r#""proftui.step_on":"optimizer: torch.optim.SGD""#)
}

const MS: Ns = 1_000_000;

#[test]
fn the_steps_are_summed_up_without_what_is_outside() {
    let found = answer(&training()).steps.expect("steps");
    assert_eq!((found.count, found.p50, found.p99, found.total), (5, 10 * MS, 45 * MS, 85 * MS));
    assert_eq!(found.ended_by.as_ref().map(SafeText::as_str), Some("optimizer: torch.optim.SGD"));
    assert_eq!((found.left_out, found.validations), ((1000 * MS, 500 * MS), (1, 200 * MS)));
    let phases =
        [("Data loading", 15 * MS), ("Forward", 25 * MS), ("Optimizer", 15 * MS), ("Other", 30 * MS)];
    assert_eq!(found.phases, phases);
    assert_eq!(found.loading, Some(Loading { total: 15 * MS, longest: 7 * MS, step: 3 }));
    // The forward's own millisecond is unrecorded time, too: no operator runs, and it is a tenth of a step.
    let unrecorded = Unrecorded { total: 35 * MS, count: 6, longest: 30 * MS, step: 3 };
    assert_eq!(found.unrecorded, Some(unrecorded));
}

#[test]
fn what_the_slowest_step_held_adds_up() {
    let slowest = answer(&training()).steps.and_then(|steps| steps.slowest).expect("one is slower");
    assert_eq!((slowest.number, slowest.time, slowest.beyond), (3, 45 * MS, 35 * MS));
    let held: Vec<(What, Ns)> = slowest.held.into_iter().map(|excess| (excess.what, excess.time)).collect();
    assert_eq!(held, [(What::Nothing, 30 * MS), (What::Loading, 5 * MS)]);
}

#[test]
fn python_between_the_operators_of_short_steps_is_not_unrecorded_time() {
    let with_gap = |ms: i64| {
        let events = [("ProfileStep", "ProfileStep#0", 1, 0, ms + 1), ("Operator", "aten::mm", 1, 0, 1)];
        answer(&load(&events, "")).steps.and_then(|steps| steps.unrecorded).map(|found| found.longest)
    };
    assert_eq!(with_gap(1), Some(MS));
    // A microsecond less.
    let short = r#"{"schemaVersion":"1.0.2","traceEvents":[
        {"ph":"X","cat":"ProfileStep","name":"ProfileStep#0","pid":1,"tid":"1","ts":0,"dur":1000},
        {"ph":"X","cat":"Operator","name":"aten::mm","pid":1,"tid":"1","ts":0,"dur":1}]}"#;
    let trace =
        load_bytes(short.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
    assert_eq!(answer(&trace).steps.and_then(|steps| steps.unrecorded), None);
}

#[test]
fn operators_of_start_up_do_not_count() {
    let mut events: Vec<Event<'_>> = vec![
        ("PythonUserDefined", StartUp.name(), 1, 0, 100),
        ("Operator", "aten::uniform_", 1, 10, 90),
        ("ProfileStep", "ProfileStep#0", 1, 100, 10),
    ];
    let names = ["aten::a", "aten::b", "aten::c", "aten::d"];
    events.extend((0..).zip(names).map(|(n, name)| ("Operator", name, 1, 100 + n, 1)));
    events.push(("Operator", "aten::d", 1, 105, 3));
    let found = answer(&load(&events, ""));
    let names: Vec<&str> = found.operators.iter().map(|operator| operator.name.as_str()).collect();
    assert_eq!(names, ["aten::d", "aten::a", "aten::b"]);
    assert!((found.operators[0].share - 4.0 / 7.0).abs() < 1e-9 && !found.operators[0].is_device);
    assert!(found.steps.is_some_and(|steps| steps.slowest.is_none()), "one step is no slower than itself");
}

#[test]
fn a_trace_without_steps_has_operators_alone() {
    let found = answer(&load(&[("Operator", "aten::a", 1, 0, 1)], ""));
    assert!(found.steps.is_none() && found.operators.len() == 1);
    let none = answer(&load(&[("PythonUserDefined", "mine", 1, 0, 1)], ""));
    assert!(none.steps.is_none() && none.operators.is_empty());
}

#[test]
fn the_step_in_which_the_recording_ended_does_not_count() {
    let count = |cut: i64, facts: &str| {
        let steps = [
            ("PythonUserDefined", StartUp.name(), 1, 0, 5),
            ("ProfileStep", "ProfileStep#0", 1, 5, 10),
            ("ProfileStep", "ProfileStep#1", 1, 15, 10),
            ("ProfileStep", "ProfileStep#2", 1, 25, cut),
        ];
        answer(&load(&steps, facts)).steps.map(|steps| steps.count)
    };
    let killed = r#""proftui.incomplete":"the process was killed""#;
    assert_eq!((count(1, ""), count(1, killed)), (Some(3), Some(2)));
    assert_eq!(count(0, killed), Some(2), "it may be empty");
}

#[test]
fn the_thread_of_the_steps_is_on_a_processor_or_ready_or_waits() {
    let facts = r#""proftui.processor":"0:2000000,1000000,500000,9 1:9000000,-,0,9 2:3000000,2000000,0,9 7:1,1,1,9",
        "proftui.running":"3.4","proftui.processors":"2""#;
    let of = |facts: &str, numbers: &[u64]| {
        let names: Vec<String> = numbers.iter().map(|n| format!("ProfileStep#{n}")).collect();
        let steps =
            names.iter().enumerate().map(|(at, name)| ("ProfileStep", name.as_str(), 1, 10 * at as i64, 10));
        answer(&load(&steps.collect::<Vec<_>>(), facts)).steps.expect("steps").processor
    };
    let both =
        Processor { total: 20 * MS, on: 5 * MS, ready: Some(3 * MS), others: 500_000, load: Some((3.4, 2)) };
    assert_eq!(of(facts, &[0, 2]), Some(both));
    assert_eq!(both.waiting(), 12 * MS);
    let unknown = of(facts, &[0, 1, 2]).expect("measured");
    assert_eq!((unknown.total, unknown.on, unknown.ready), (30 * MS, 14 * MS, None));
    assert_eq!(unknown.waiting(), 16 * MS, "some of it perhaps ready to run");
    assert_eq!(of(facts, &[3, 4]), None);
    assert_eq!(of("\"proftui.processor\":\"0-18446744073709551615:1,1,1,9\"", &[0, 1]), None);
    let together =
        of("\"proftui.processor\":\"0-1:4000000,0,0,9 2-3:1,1,1,9\"", &[0, 1, 2]).expect("measured");
    assert_eq!((together.total, together.on), (20 * MS, 4 * MS), "only elements of whole steps");
}

#[test]
fn a_long_step_says_in_which_state_its_thread_was() {
    let names: Vec<String> = (0..4).map(|n| format!("ProfileStep#{n}")).collect();
    let mut at = 0;
    let mut events: Vec<Event<'_>> = Vec::new();
    for (name, length) in names.iter().zip([10, 11, 50, 10]) {
        events.push(("ProfileStep", name, 1, at, length));
        at += length;
    }
    let state = |of_second: &str| {
        let facts = format!(
            r#""proftui.processor":"0:9000000,0,0,9 1:9000000,0,0,9 2:{of_second},0,9 3:9000000,0,0,9""#
        );
        answer(&load(&events, &facts)).steps.and_then(|steps| steps.slowest).expect("one is slower").state
    };
    assert_eq!(state("9000000,0"), Some((State::Waiting, 40 * MS)));
    assert_eq!(state("49000000,0"), Some((State::Running, 40 * MS)));
    assert_eq!(state("10000000,39000000"), Some((State::Ready, 39 * MS)));
    assert_eq!(state("22000000,14000000"), None, "no state has half of it");
    assert_eq!(state("9000000,-"), None);
}

#[test]
fn a_start_up_consists_of_imports_compilations_and_collections() {
    let events: Vec<Event<'_>> = vec![
        ("PythonUserDefined", StartUp.name(), 1, 0, 1000),
        ("Import", "import torch", 1, 100, 500),
        ("Import", "import numpy.linalg", 1, 200, 150),
        ("Import", "import numpy", 1, 210, 20),
        ("GarbageCollection", "gc", 1, 300, 10),
        ("Compile", "torch.compile", 1, 700, 100),
        ("ProfileStep", "ProfileStep#0", 1, 1000, 10),
        // After the start-up, and on another thread.
        ("Import", "import late", 1, 1000, 5),
        ("Import", "import other", 2, 100, 700),
    ];
    let found = answer(&load(&events, "")).steps.expect("steps").start_up;
    let packages: Vec<(&str, Ns)> =
        found.packages.iter().map(|(name, time)| (name.as_str(), *time)).collect();
    assert_eq!(packages, [("torch", 350 * MS), ("numpy", 140 * MS)]);
    assert_eq!((found.imports, found.compiling, found.collecting), (490 * MS, 100 * MS, 10 * MS));
}

#[test]
fn the_most_memory_has_its_step_and_its_phase() {
    let of = |peaks: &[u64], facts: &str| {
        let names: Vec<String> = (0..peaks.len()).map(|n| format!("ProfileStep#{n}")).collect();
        let steps =
            names.iter().enumerate().map(|(at, name)| ("ProfileStep", name.as_str(), 1, 10 * at as i64, 10));
        let times: Vec<String> =
            peaks.iter().enumerate().map(|(at, peak)| format!("{at}:1,1,1,{peak}")).collect();
        let facts = format!(r#""proftui.processor":"{}"{facts}"#, times.join(" "));
        answer(&load(&steps.collect::<Vec<_>>(), &facts)).steps.expect("steps").memory
    };
    let host = |peak: u64, step, growth| Some(Host { peak: peak * 1024, step, growth });
    assert_eq!(of(&[5, 7, 7], "").host, host(7, Some(1), None));
    assert_eq!(of(&[7, 7, 7], "").host, host(7, None, None), "perhaps before");
    assert_eq!(of(&[0, 0], "").host, None);
    let growing: Vec<u64> = (0..40).map(|step| 1000 + 10 * step).collect();
    assert_eq!(of(&growing, "").host, host(1390, Some(39), Some(10 * 1024)));
    let steps: Vec<u64> = (0..40).map(|step| 1000 + 100 * (step / 10)).collect();
    assert_eq!(of(&steps, "").host, host(1300, Some(30), None), "in few steps");
    let facts = r#","proftui.gpu.1.memory_used_max":"70","proftui.gpu.1.memory_total":"80""#;
    assert_eq!(of(&[5], facts).devices, [Device { number: 1, most: 70, total: 80 }]);
    let text = r#"{"schemaVersion":1,"traceEvents":[
        {"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":0,"dur":100},
        {"ph":"X","cat":"forward","name":"Net","pid":1,"tid":1,"ts":10,"dur":50},
        {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":5,"s":"t",
         "args":{"Total Allocated":100,"Bytes":100,"Device Type":1,"Device Id":0,"Addr":1}},
        {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":20,"s":"t",
         "args":{"Total Allocated":300,"Bytes":200,"Device Type":1,"Device Id":0,"Addr":2}},
        {"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":90,"s":"t",
         "args":{"Total Allocated":100,"Bytes":-200,"Device Type":1,"Device Id":0,"Addr":2}}]}"#;
    let trace =
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
    let found = answer(&trace).steps.expect("a step").memory.allocated;
    let found: Vec<_> = found.iter().map(|of| (of.most, of.step, of.phase)).collect();
    assert_eq!(found, [(300, Some(4), Some("Forward"))]);
}
