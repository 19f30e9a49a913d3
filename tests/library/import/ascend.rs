//! Ascend's `trace_view.json`. The file is synthetic: written from the sources of Ascend's tools, since no
//! real trace was at hand.

use proftui_insight::analysis::{Scope, Table, View};
use proftui_trace::model::{Category, GroupKind, LaneId, LaneKind, SliceFlags, Trace};

use super::{named, trace, warned};

/// Ids as msprof makes them: the host's process, a layer, and a device, here 3 (31 on the host).
const fn pid(layer: u64, device: u64) -> u64 {
    (4321 << 10) | (layer << 5) | device
}

const CANN: u64 = pid(10, 31);
const NPU: u64 = pid(20, 3);
const COMMUNICATION: u64 = pid(21, 3);
const OVERLAP: u64 = pid(22, 3);

fn x(name: &str, pid: u64, tid: u64, ts: f64, dur: f64, more: &str) -> String {
    format!(
        r#"{{"ph":"X","name":"{name}","pid":{pid},"tid":{tid},"ts":"{:.3}","dur":{dur}{more}}}"#,
        1_789_000_000_000_000.0 + ts
    )
}

fn meta(what: &str, pid: u64, tid: u64, name: &str) -> String {
    format!(r#"{{"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"args":{{"name":"{name}"}}}}"#)
}

/// Both ends of a flow.
fn flow(cat: &str, name: &str, id: u64, from: (u64, u64, f64), to: (u64, u64, f64)) -> [String; 2] {
    [("s", from), ("f", to)].map(|(ph, (pid, tid, ts))| {
        let ts = 1_789_000_000_000_000.0 + ts;
        format!(r#"{{"ph":"{ph}","bp":"e","name":"{name}","cat":"{cat}","id":"{id}","pid":{pid},"tid":{tid},"ts":"{ts:.3}"}}"#)
    })
}

/// One step of a process with a matrix product, a copy, and a collective; metadata first or last.
fn trace_view(metadata_first: bool, with_torch: bool) -> Trace {
    let metadata = [
        meta("process_name", 4321, 0, "Python"),
        meta("process_name", CANN, 0, "CANN"),
        meta("process_name", NPU, 0, "Ascend Hardware"),
        meta("thread_name", NPU, 2, "Stream 2"),
        meta("process_name", COMMUNICATION, 0, "Communication"),
        meta("thread_name", COMMUNICATION, 0, "Group 0 Communication"),
        meta("thread_name", COMMUNICATION, 1, "Plane 0"),
        meta("thread_name", COMMUNICATION, 2, "Plane 0"),
        meta("process_name", OVERLAP, 0, "Overlap Analysis"),
        meta("thread_name", OVERLAP, 0, "Computing"),
        meta("thread_name", OVERLAP, 1, "Communication"),
        meta("thread_name", OVERLAP, 4, "Free"),
    ];
    let task = |kind: &str| format!(r#","args":{{"Task Type":"{kind}","Stream Id":2,"connection_id":7}}"#);
    let mut events = vec![
        x("Node@launch", CANN, 4400, 30.0, 5.0, r#","args":{"level":"node","connection_id":7}"#),
        x("Node@launch", CANN, 4400, 40.0, 5.0, r#","args":{"level":"node","connection_id":8}"#),
        x("aclnnMatmul_MatMulV3Common_MatMulV3", NPU, 2, 50.0, 20.0, &task("AI_CORE")),
        x("EVENT_WAIT", NPU, 2, 70.0, 5.0, &task("EVENT_WAIT")),
        x("MEMCPY_ASYNC", NPU, 2, 75.0, 5.0, &task("MEMCPY_ASYNC")),
        x("NOTIFY_WAIT_SQE", NPU, 5, 80.0, 9.0, &task("NOTIFY_WAIT_SQE")),
        x("hcom_allReduce__123_0_1", COMMUNICATION, 0, 80.0, 15.0, r#","args":{"connection_id":9}"#),
        x("Notify_Wait", COMMUNICATION, 1, 80.0, 9.0, r#","args":{"task type":"Notify Wait"}"#),
        x("Memcpy", COMMUNICATION, 2, 89.0, 6.0, r#","args":{"task type":"SDMA"}"#),
        x("Computing", OVERLAP, 0, 50.0, 20.0, ""),
        x("Communication", OVERLAP, 1, 80.0, 15.0, ""),
        x("Free", OVERLAP, 4, 70.0, 10.0, ""),
        r#"{"ph":"C","name":"AI Core Freq","pid":77,"tid":0,"ts":"1789000000000050.000","args":{"MHz":1800}}"#.into(),
    ];
    events.extend(flow("HostToDevice", "HostToDevice7", 7, (CANN, 4400, 30.0), (NPU, 2, 50.0)));
    events.extend(flow("HostToDevice", "HostToDevice8", 8, (CANN, 4400, 40.0), (NPU, 2, 75.0)));
    if with_torch {
        events.extend([
            x("ProfilerStep#3", 4321, 4321, 0.0, 100.0, r#","cat":"cpu_op""#),
            x("aten::mm", 4321, 4321, 10.0, 15.0, r#","cat":"cpu_op""#),
            x("c10d::allreduce_", 4321, 4321, 26.0, 4.0, r#","cat":"cpu_op""#),
            x("Enqueue@aclnnMatmul", 4321, 4321, 15.0, 1.0, r#","cat":"enqueue""#),
            x("Dequeue@aclnnMatmul", 4321, 4400, 28.0, 9.0, r#","cat":"dequeue""#),
        ]);
        events.extend(flow("async_npu", "torch_to_npu", 50, (4321, 4321, 10.0), (NPU, 2, 50.0)));
        events.extend(flow("async_npu", "torch_to_npu", 80, (4321, 4321, 26.0), (COMMUNICATION, 0, 80.0)));
        events.extend(flow(
            "async_task_queue",
            "enqueue_to_dequeue",
            1,
            (4321, 4321, 15.0),
            (4321, 4400, 28.0),
        ));
    }
    let list: Vec<String> = if metadata_first {
        metadata.into_iter().chain(events).collect()
    } else {
        events.into_iter().chain(metadata).collect()
    };
    trace(&format!("[{}]", list.join(",")))
}

#[test]
fn tasks_are_kernels_on_streams_of_a_device() {
    for metadata_first in [true, false] {
        let trace = trace_view(metadata_first, true);
        assert_eq!(trace.meta.producer, "ascend (experimental)");
        assert!(warned(&trace).is_empty(), "{:?}", warned(&trace));
        let category = |name| trace.slices.category(named(&trace, name));
        assert_eq!(category("aclnnMatmul_MatMulV3Common_MatMulV3"), Category::Kernel);
        assert_eq!(category("EVENT_WAIT"), Category::Synchronization);
        assert_eq!(category("MEMCPY_ASYNC"), Category::Memcpy);
        let collective = named(&trace, "hcom_allReduce__123_0_1");
        assert_eq!(trace.slices.category(collective), Category::Kernel);
        assert!(trace.slices.flags[collective].has(SliceFlags::COMMUNICATION));
        for repeated in ["Notify_Wait", "Memcpy", "Computing", "Free"] {
            let id = named(&trace, repeated);
            assert_eq!(trace.slices.category(id), Category::Other, "{repeated}");
            assert!(trace.lanes[trace.lane_of(id)].kind.repeats(), "{repeated}");
        }
        let devices: Vec<_> = trace.groups.iter().filter(|group| group.kind == GroupKind::Device).collect();
        assert_eq!(devices.len(), 1);
        assert_eq!(trace.group_title(devices[0]), "NPU 3");
        let lanes = &trace.lanes[devices[0].lanes];
        let titles: Vec<String> = lanes.iter().map(|lane| trace.lane_title(lane)).collect();
        let want = [
            "stream 2",
            "stream 5",
            "Group 0 Communication",
            "Communication: Plane 0",
            "Communication: Plane 0 (2)",
            "Overlap Analysis: Communication",
            "Overlap Analysis: Computing",
            "Overlap Analysis: Free",
        ];
        assert_eq!(titles, want);
        let others = trace.lanes.iter_with_ids().filter(|(lane, _)| !devices[0].lanes.contains(*lane));
        let threads = others.filter(|(_, lane)| lane.kind == LaneKind::Thread).count();
        assert_eq!(threads, 3, "two of Python, one of CANN");
    }
}

#[test]
fn work_is_linked_to_operators_first() {
    let trace = trace_view(true, true);
    let launch = |name| trace.links.launch_of(named(&trace, name)).map(|id| trace.name(id).to_string());
    assert_eq!(launch("aclnnMatmul_MatMulV3Common_MatMulV3").as_deref(), Some("aten::mm"));
    assert_eq!(launch("hcom_allReduce__123_0_1").as_deref(), Some("c10d::allreduce_"));
    assert_eq!(launch("MEMCPY_ASYNC").as_deref(), Some("Node@launch"), "no operator launched it");
    assert_eq!((trace.links.len(), trace.links.orphan_work), (3, 0));
    assert_eq!(trace.flows.len(), 2, "from the queue, and from the runtime to what an operator launched");
    assert_eq!(trace.steps.len(), 1);

    let runtime_only = trace_view(false, false);
    let launch = |name| runtime_only.links.launch_of(named(&runtime_only, name));
    assert!(launch("aclnnMatmul_MatMulV3Common_MatMulV3").is_some() && launch("MEMCPY_ASYNC").is_some());
    assert_eq!((runtime_only.links.len(), runtime_only.links.orphan_work), (2, 1));
}

/// The first cells of the rows of a view, as text.
fn names(trace: &Trace, name: &str) -> Vec<String> {
    let table: Table = View::named(name).expect("a view").table(trace, &Scope::default());
    let mut names: Vec<String> = table.rows.iter().map(|row| format!("{:?}", row.cells[0])).collect();
    names.sort();
    names
}

#[test]
fn tables_have_kernels_and_leave_out_what_repeats() {
    let trace = trace_view(true, true);
    let kernels = names(&trace, "kernel").join(" ");
    assert!(kernels.contains("aclnnMatmul") && kernels.contains("hcom_allReduce"), "{kernels}");
    assert!(!kernels.contains("Computing") && !kernels.contains("EVENT_WAIT"), "{kernels}");
    let operators = names(&trace, "operator").join(" ");
    assert!(operators.contains("aten::mm") && operators.contains("c10d::allreduce_"), "{operators}");
    assert_eq!(names(&trace, "busy").len(), 1, "one device");
}

#[test]
fn other_traces_with_such_names_are_as_they_were() {
    let text =
        format!("[{},{}]", meta("process_name", 5, 0, "Communication"), x("hcom_x", 5, 1, 0.0, 3.0, ""));
    let trace = trace(&text);
    assert_eq!(trace.meta.producer, "chrome");
    assert_eq!(trace.lanes[LaneId::new(0)].kind, LaneKind::Thread);
}
