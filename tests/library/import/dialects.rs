//! Producers' dialects: Kineto of every age, Paddle, DeepLink, VizTracer. The events are written for these
//! tests.

use proftui_trace::model::{Category, GroupKind, LaneId, LaneKind, SliceId, Warning};

use super::{events, load_files, named, trace, warned};

#[test]
fn lanes_follow_the_category_not_the_pid() {
    let trace = events(&[
        r#"{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1.0,"dur":1,"args":{"stream":7}}"#,
        r#"{"ph":"X","cat":"gpu_user_annotation","name":"r","pid":0,"tid":7,"ts":1.0,"dur":1}"#,
        r#"{"ph":"X","cat":"python_function","name":"f","pid":0,"tid":0,"ts":1.0,"dur":1}"#,
        r#"{"ph":"X","cat":"cpu_op","name":"op","pid":0,"tid":0,"ts":1.0,"dur":1}"#,
    ]);
    let lane = |name: &str| {
        let lane = &trace.lanes[trace.lane_of(named(&trace, name))];
        (lane.kind, trace.groups[lane.group].kind)
    };
    assert_eq!(lane("k"), (LaneKind::Stream, GroupKind::Device));
    assert_eq!(lane("r"), (LaneKind::StreamRanges, GroupKind::Device));
    assert_eq!(lane("f"), (LaneKind::Python, GroupKind::Process));
    assert_eq!(lane("op"), (LaneKind::Thread, GroupKind::Process));
}

#[test]
fn names_mark_steps_and_phases() {
    let x = |cat: &str, name: &str| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":1.0,"dur":1}}"#)
    };
    for (cat, name, want) in [
        ("user_annotation", "ProfilerStep#12", Category::ProfileStep),
        ("Operator", "ProfilerStep#12", Category::ProfileStep),
        ("user_annotation", "Optimizer.step#SGD.step", Category::Optimization),
        ("user_annotation", "enumerate(DataLoader)#_SingleProcess.__next__", Category::Dataloader),
        ("user_annotation", "mine", Category::UserDefined),
        ("cpu_op", "record_param_comms", Category::Communication),
        ("Runtime", "cudaLaunchKernel", Category::CudaRuntime),
        ("xpu_driver", "zeInit", Category::CudaDriver),
        ("MluRuntime", "cnrtLaunch", Category::CudaRuntime),
        ("Memcpy", "Memcpy HtoD", Category::Memcpy),
        ("cuda_sync", "Stream Sync", Category::Synchronization),
        ("overhead", "Activity Buffer Request", Category::Overhead),
        ("GarbageCollection", "gc: generation 2", Category::GarbageCollection),
        ("Compile", "compile: kernel", Category::Compile),
        ("Checkpoint", "torch.save", Category::Checkpoint),
        ("Import", "import json", Category::Import),
        ("anything", "else", Category::Other),
    ] {
        let trace = events(&[&x(cat, name)]);
        assert_eq!(trace.slices.category(SliceId::new(0)), want, "{cat} {name}");
    }
    let stepped =
        events(&[&x("user_annotation", "ProfilerStep#12"), &x("gpu_user_annotation", "ProfilerStep#12")]);
    assert_eq!(stepped.steps.len(), 1, "a stream's copy is no step");
    assert_eq!(stepped.steps[0].number, 12);
}

#[test]
fn steps_that_only_streams_have_are_steps() {
    let on_stream = |cat: &str, name: &str, tid: u32, ts: u32, dur: u32| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":0,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
    };
    let all = [
        on_stream("gpu_user_annotation", "ProfilerStep#3", 7, 0, 90),
        on_stream("gpu_user_annotation", "ProfilerStep#4", 7, 100, 90),
        on_stream("gpu_user_annotation", "ProfilerStep#4", 20, 110, 70),
        on_stream("gpu_user_annotation", "forward", 7, 110, 30),
        on_stream("kernel", "k", 7, 110, 10),
    ];
    let trace = events(&all.each_ref().map(String::as_str));
    let steps: Vec<_> =
        trace.steps.iter().map(|step| (step.number, step.span.start, step.span.end)).collect();
    assert_eq!(steps, [(3, 0, 90_000), (4, 100_000, 190_000)], "of the stream that has most of them");
}

#[test]
fn a_step_within_itself_is_one_step() {
    let step = |name: &str, ts: u32, dur: u32| {
        format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":{dur}}}"#
        )
    };
    let all = [
        step("ProfilerStep#3", 0, 90),
        step("ProfilerStep#3", 1, 80),
        step("ProfilerStep#4", 100, 90),
        step("ProfilerStep#5", 110, 10),
    ];
    let trace = events(&all.each_ref().map(String::as_str));
    let numbers: Vec<_> = trace.steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, [3, 4, 5], "one of another number stays");
}

#[test]
fn memory_events_become_curves() {
    let kineto = r#"{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":2.0,
        "args":{"Bytes":512,"Addr":64,"Device Type":1,"Device Id":0,"Total Allocated":1024,"Total Reserved":4096}}"#;
    let paddle = r#"{"ph":"i","cat":"Allocate","name":"[memory]","pid":1,"tid":"1(C++)","ts":3,
        "args":{"place":"Place(gpu:0)","addr":"64","increase_bytes":-512,"current_allocated":512,"current_reserved":4096}}"#;
    for (event, bytes, total) in [(kineto, 512, 1024.0), (paddle, -512, 512.0)] {
        let trace = events(&[event]);
        assert_eq!((trace.memory[0].bytes, trace.memory[0].address), (bytes, 64));
        let values: Vec<f64> = trace.counters.iter().flat_map(|c| c.value.clone()).collect();
        assert_eq!(values, [total, 4096.0]);
        assert!(trace.groups.iter().any(|group| group.kind == GroupKind::Device));
    }
}

/// A Paddle event as its writer makes it: floored `ts`, rounded offset, the duration in the name.
fn paddle(cat: &str, layer: &str, name: &str, start: i64, dur: i64) -> String {
    let zero = 1_700_000_000_000_000_123_i64;
    format!(
        r#"{{"name":"{name}[{:.3} us]","pid":9,"tid":"9({layer})","ts":{},"dur":{:.3},"ph":"X","cat":"{cat}","args":{{"start_time":"{:.3} us","end_time":"{:.3} us"}}}}"#,
        dur as f64 / 1e3,
        (zero + start) / 1000,
        dur as f64 / 1e3,
        start as f64 / 1e3,
        (start + dur) as f64 / 1e3,
    )
}

#[test]
fn paddle_regains_its_nanoseconds() {
    let list = [
        paddle("ProfileStep", "Python", "ProfileStep#3", 0, 9_000),
        paddle("Forward", "Python", "Forward", 1, 4_998),
        paddle("Operator", "C++", "conv2d", 901, 1_234),
        paddle("OperatorInner", "C++", "conv2d compute", 2_134, 1),
    ];
    let trace = trace(&format!(
        r#"{{"schemaVersion":"1.0.2","span_indx":"0","traceEvents":[{},{{}}]}}"#,
        list.join(",")
    ));
    assert_eq!(trace.meta.producer, "paddle 1.0.2");
    let start = |name: &str| trace.slices.start[named(&trace, name)];
    assert_eq!(
        start("conv2d") - start("ProfileStep#3"),
        901,
        "to the nanosecond, though ts is floored to microseconds"
    );
    assert_eq!(start("conv2d compute") - start("conv2d"), 1_233);
    assert!(warned(&trace).is_empty(), "no false overlap");
    assert_eq!((trace.steps.len(), trace.steps[0].number), (1, 3));
    let kinds: Vec<LaneKind> = trace.lanes.iter().map(|lane| lane.kind).collect();
    assert_eq!(kinds, [LaneKind::Python, LaneKind::Thread]);
}

#[test]
fn both_span_keys_and_any_version_are_paddle() {
    for header in
        [r#""schemaVersion":"1.0.0","span_indx":"0""#, r#""schemaVersion":"1.0.2","span_index":"0""#]
    {
        let trace =
            trace(&format!(r#"{{{header},"traceEvents":[{}]}}"#, paddle("Operator", "C++", "relu", 0, 10)));
        assert!(trace.meta.producer.starts_with("paddle 1.0."), "{}", trace.meta.producer);
    }
}

#[test]
fn layers_of_one_thread_stand_together_under_its_name() {
    let list = [
        paddle("Forward", "Python", "Forward", 0, 10),
        paddle("Operator", "C++", "relu", 1, 5),
        r#"{"ph":"M","name":"thread_name","pid":9,"tid":"9(Python)","args":{"name":"thread 9:main(Python)"}}"#.into(),
        r#"{"ph":"M","name":"thread_name","pid":9,"tid":"9(C++)","args":{"name":"thread 9:main(C++)"}}"#.into(),
    ];
    let trace = trace(&format!("[{}]", list.join(",")));
    let titles: Vec<String> = trace.lanes.iter().map(|lane| trace.lane_title(lane)).collect();
    assert_eq!(titles, ["main 9 · Python", "main 9"]);
}

#[test]
fn deeplink_nests_its_kernels_on_the_stream() {
    let trace = events(&[
        r#"{"ph":"X","cat":"cuda_runtime","name":"LaunchKernel_dipu_add","pid":1,"tid":1,"ts":1,"dur":2}"#,
        r#"{"ph":"X","cat":"kernel","name":"dipu_add","pid":0,"tid":7,"ts":5,"dur":9}"#,
        r#"{"ph":"X","cat":"kernel","name":"diopiAdd","pid":0,"tid":7,"ts":6,"dur":5}"#,
    ]);
    assert_eq!(trace.meta.producer, "deeplink");
    assert_eq!(trace.slices.parent(named(&trace, "diopiAdd")), Some(named(&trace, "dipu_add")));
}

#[test]
fn other_producers_are_named() {
    let x = r#"{"ph":"X","cat":"FEE","name":"f","ts":1.0,"dur":1,"pid":1,"tid":1}"#;
    assert_eq!(
        trace(&format!(r#"{{"traceEvents":[{x}],"viztracer_metadata":{{"version":"1.1"}}}}"#)).meta.producer,
        "viztracer 1.1"
    );
    assert_eq!(trace(&format!("[{x}]")).meta.producer, "chrome");
}

#[test]
fn ranks_share_one_clock_and_cycles_share_lanes() {
    let file = |rank: u32, base: i64, ts: f64| {
        format!(
            r#"{{"schemaVersion":1,"distributedInfo":{{"rank":{rank}}},"baseTimeNanoseconds":{base},
                "traceEvents":[{{"ph":"X","cat":"cpu_op","name":"op","ts":{ts:.3},"dur":1,"pid":5,"tid":5}}]}}"#
        )
    };
    let trace = load_files(&[
        ("w.1.pt.trace.json", &file(0, 1_000_000, 10.0)),
        ("w.2.pt.trace.json", &file(0, 1_000_000, 90.0)),
        ("v.1.pt.trace.json", &file(1, 1_500_000, 10.0)),
    ]);
    assert_eq!(trace.meta.workers.as_slice(), ["rank 0", "rank 1"]);
    assert_eq!(trace.lanes.len(), 2);
    let cycles: Vec<_> = trace.cycles.iter().map(|cycle| (cycle.worker.get(), cycle.number)).collect();
    assert_eq!(cycles, [(0, 0), (0, 1), (1, 0)]);
    let other = trace.lanes[LaneId::new(1)].slices.start;
    assert_eq!(trace.slices.start[other], 510_000, "half a millisecond after the other rank's");
    assert_eq!(trace.meta.epoch, Some(1_000_000));
}

#[test]
fn a_file_of_microseconds_nests_with_tolerance() {
    let trace = events(&[
        r#"{"ph":"X","cat":"Operator","name":"parent","ts":0,"dur":10,"pid":1,"tid":1}"#,
        r#"{"ph":"X","cat":"Operator","name":"child","ts":5,"dur":6,"pid":1,"tid":1}"#,
        r#"{"ph":"X","cat":"Operator","name":"next","ts":10,"dur":6,"pid":1,"tid":1}"#,
    ]);
    assert_eq!(trace.slices.parent(named(&trace, "child")), Some(named(&trace, "parent")));
    assert_eq!(trace.slices.parent(named(&trace, "next")), None);
    assert_eq!(trace.lanes[LaneId::new(0)].rows.len(), 2, "no overflow row for a rounding error");
    assert_eq!(
        trace.quality.count(Warning::Overlap),
        2,
        "the child overlaps both neighbours, and that is noted"
    );
}
