//! Device work without a category of its own, or on the threads of the host: XLA, rocprof, ONNX Runtime,
//! Gaudi.

use proftui_trace::model::{Category, LaneKind, SliceFlags, Trace};

use super::{events, named};

/// The titles of the lanes of devices, with the kinds of the lanes.
fn lanes(trace: &Trace) -> Vec<(String, LaneKind)> {
    let is_device = |title: &str| !title.starts_with("python") && !title.starts_with('/');
    let title = |lane| {
        let lane: &proftui_trace::model::Lane = lane;
        (trace.group_title(&trace.groups[lane.group]), trace.lane_title(lane), lane.kind)
    };
    let all = trace.lanes.iter().map(title).filter(|(group, ..)| is_device(group));
    all.map(|(group, lane, kind)| (format!("{group}, {lane}"), kind)).collect()
}

fn meta(what: &str, pid: u32, tid: u32, name: &str) -> String {
    format!(r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"args":{{"name":"{name}"}}}}"#)
}

fn x(name: &str, pid: u32, tid: u32, ts: u32, dur: u32, args: &str) -> String {
    format!(r#"{{"ph":"X","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#)
}

fn load(all: &[String]) -> Trace {
    events(&all.iter().map(String::as_str).collect::<Vec<_>>())
}

fn categories(trace: &Trace) -> Vec<(Category, u64)> {
    trace.category_counts().into_iter().collect()
}

#[test]
fn a_gpu_of_xla_has_streams_and_what_repeats_them() {
    let trace = load(&[
        meta("process_name", 701, 0, "/host:CPU"),
        meta("process_name", 1, 0, "/device:GPU:0"),
        meta("thread_name", 1, 13, "Stream #13(Compute)"),
        meta("thread_name", 1, 20, "Stream #20(NCCL)"),
        meta("thread_name", 1, 900, "XLA Ops"),
        meta("thread_name", 1, 901, "Steps"),
        x("train", 701, 1, 0, 100, r#""step_num":"7""#),
        x("train", 701, 1, 100, 100, r#""step_num":"8""#),
        x("gemm_fusion_dot_0", 1, 13, 10, 40, ""),
        x("MemcpyD2D", 1, 13, 60, 5, ""),
        x("ncclDevKernel_AllReduce_Sum_f32_RING_LL()", 1, 20, 70, 20, ""),
        x("dot.0", 1, 900, 10, 40, ""),
        x("7", 1, 901, 10, 90, ""),
    ]);
    let steps: Vec<_> = trace.steps.iter().map(|step| (step.number, step.span.start)).collect();
    assert_eq!(steps, [(7, 10_000), (8, 100_000)], "those of the host, as long as on the device");
    assert_eq!(trace.name(trace.steps[0].slice).as_str(), "train#7");
    let expected = [
        (Category::Kernel, 2),
        (Category::Memcpy, 1),
        (Category::UserDefined, 1),
        (Category::ProfileStep, 3),
    ];
    assert_eq!(categories(&trace), expected);
    let all_reduce = named(&trace, "ncclDevKernel_AllReduce_Sum_f32_RING_LL()");
    assert!(trace.slices.flags[all_reduce].has(SliceFlags::COMMUNICATION));
    let expected = [
        ("GPU 0, Stream #13(Compute)", LaneKind::Stream),
        ("GPU 0, Stream #20(NCCL)", LaneKind::Stream),
        ("GPU 0, XLA Ops", LaneKind::StreamRanges),
        ("GPU 0, XLA Steps", LaneKind::StreamRanges),
    ];
    assert_eq!(lanes(&trace), expected.map(|(title, kind)| (title.to_owned(), kind)));
}

#[test]
fn a_tpu_of_xla_has_its_operations_as_work() {
    let trace = load(&[
        meta("process_name", 3, 0, "/device:TPU:1"),
        meta("thread_name", 3, 1, "Steps"),
        meta("thread_name", 3, 3, "XLA Ops"),
        x("0", 3, 1, 0, 90, ""),
        x("1", 3, 1, 100, 90, ""),
        x("fusion.0", 3, 3, 0, 50, ""),
        x("all-reduce.1", 3, 3, 50, 40, ""),
    ]);
    let steps: Vec<_> = trace.steps.iter().map(|step| (step.number, step.span.end)).collect();
    assert_eq!(steps, [(0, 90_000), (1, 190_000)]);
    assert!(trace.slices.flags[named(&trace, "all-reduce.1")].has(SliceFlags::COMMUNICATION));
    let expected = [("TPU 1, XLA Ops", LaneKind::Stream), ("TPU 1, XLA Steps", LaneKind::StreamRanges)];
    assert_eq!(lanes(&trace), expected.map(|(title, kind)| (title.to_owned(), kind)));
}

#[test]
fn rocprof_links_calls_to_kernels_by_flows_that_end_with_t() {
    let trace = load(&[
        meta("process_name", 2, 0, "0 CPU HIP API"),
        meta("process_name", 6, 0, "1 GPU0"),
        x("hipLaunchKernel", 2, 77, 0, 7, ""),
        x("gemm_kernel.kd", 6, 0, 50, 200, ""),
        r#"{"ts":0,"ph":"s","cat":"DataFlow","id":0,"pid":2,"tid":77,"name":"dep"}"#.to_owned(),
        r#"{"ts":50,"ph":"t","cat":"DataFlow","id":0,"pid":6,"tid":0,"name":"dep"}"#.to_owned(),
    ]);
    let (call, kernel) = (named(&trace, "hipLaunchKernel"), named(&trace, "gemm_kernel.kd"));
    assert_eq!(categories(&trace), [(Category::CudaRuntime, 1), (Category::Kernel, 1)]);
    assert_eq!(trace.links.launch_of(kernel), Some(call));
}

#[test]
fn onnx_runtime_states_the_stream_among_the_arguments() {
    let trace = load(&[
        r#"{"cat":"Node","pid":55,"tid":55,"dur":120,"ts":10,"ph":"X","name":"node","args":{}}"#.to_owned(),
        r#"{"cat":"Kernel","pid":55,"tid":55,"dur":90,"ts":60,"ph":"X","name":"k","args":{"stream":"7"}}"#
            .to_owned(),
    ]);
    let device: Vec<_> = lanes(&trace).into_iter().filter(|(_, kind)| *kind == LaneKind::Stream).collect();
    assert_eq!(device, [("GPU ?, stream 7".to_owned(), LaneKind::Stream)]);
}

#[test]
fn devices_that_are_no_gpus_are_named_by_their_kind() {
    let trace = load(&[
        meta("process_name", 0, 0, "HPU 0"),
        meta("process_name", 1, 0, "python"),
        r#"{"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"XPU 1"}}"#.to_owned(),
        r#"{"ph":"M","name":"process_labels","pid":2,"tid":0,"args":{"labels":"GPU 2"}}"#.to_owned(),
        r#"{"ph":"X","cat":"hpu_op","name":"gemm","pid":0,"tid":3,"ts":0,"dur":5}"#.to_owned(),
        r#"{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":3,"ts":0,"dur":5}"#.to_owned(),
        r#"{"ph":"X","cat":"kernel","name":"k","pid":2,"tid":3,"ts":0,"dur":5}"#.to_owned(),
    ]);
    let titles: Vec<_> = trace.groups.iter().map(|group| trace.group_title(group)).collect();
    assert_eq!(titles, ["HPU 0", "XPU 1", "GPU 2"]);
    assert_eq!(categories(&trace), [(Category::Kernel, 3)]);
}
