//! What joins events: correlation, flows of both binding rules, flows carried by slices.

use proftui_trace::model::{Category, FlowKind, Trace, Warning};

use super::{events, named};

fn x(cat: &str, name: &str, tid: u32, ts: u32, dur: u32, args: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
    )
}

fn list(events_text: &[String]) -> Vec<&str> {
    events_text.iter().map(String::as_str).collect()
}

#[test]
fn one_launch_may_start_many_and_loose_ends_are_counted() {
    let all = [
        x("cpu_op", "aten::mm", 1, 0, 20, ""),
        x("cuda_runtime", "cudaGraphLaunch", 1, 2, 3, r#""correlation":9"#),
        x("cuda_runtime", "cudaStreamSynchronize", 1, 8, 3, r#""correlation":10"#),
        x("kernel", "k1", 7, 10, 2, r#""correlation":9"#),
        x("gpu_memcpy", "k2", 7, 13, 2, r#""correlation":9"#),
        x("kernel", "before the window", 7, 1, 2, r#""correlation":4"#),
    ];
    let trace = events(&list(&all));
    let launch = named(&trace, "cudaGraphLaunch");
    let work: Vec<_> = trace.links.work_of(launch).map(|id| trace.name(id).to_string()).collect();
    assert_eq!(work, ["k1", "k2"]);
    assert_eq!(trace.links.launch_of(named(&trace, "k2")), Some(launch));
    assert_eq!(trace.operator_of(launch), Some(named(&trace, "aten::mm")));
    assert_eq!((trace.links.len(), trace.links.orphan_work, trace.links.idle_calls), (2, 1, 1));
    assert!(trace.quality.entries().next().is_none(), "loose ends of launches are normal");
}

#[test]
fn arrows_stand_in_where_no_correlation_is_given() {
    let all = [
        x("cuda_runtime", "LaunchKernel_add", 1, 2, 3, ""),
        x("kernel", "dipu_add", 7, 10, 5, ""),
        r#"{"ph":"s","id":3,"name":"ac2g","cat":"ac2g","pid":1,"tid":1,"ts":2}"#.into(),
        r#"{"ph":"f","id":3,"name":"ac2g","cat":"ac2g","pid":1,"tid":7,"ts":10,"bp":"e"}"#.into(),
    ];
    let trace = events(&list(&all));
    assert_eq!(trace.links.launch_of(named(&trace, "dipu_add")), Some(named(&trace, "LaunchKernel_add")));
    assert!(trace.flows.is_empty());
}

#[test]
fn ends_bind_to_the_next_slice_unless_stated_otherwise() {
    let all = [
        x("a", "from", 1, 0, 10, ""),
        x("a", "around", 2, 0, 100, ""),
        x("a", "next", 2, 60, 10, ""),
        r#"{"ph":"s","id":1,"name":"n","cat":"c","pid":1,"tid":1,"ts":5}"#.into(),
        r#"{"ph":"f","id":1,"name":"n","cat":"c","pid":1,"tid":2,"ts":50}"#.into(),
        r#"{"ph":"s","id":2,"name":"n","cat":"c","pid":1,"tid":1,"ts":5}"#.into(),
        r#"{"ph":"f","id":2,"name":"n","cat":"c","pid":1,"tid":2,"ts":50,"bp":"e"}"#.into(),
    ];
    let trace = events(&list(&all));
    let mut ends: Vec<_> =
        trace.flows_from(named(&trace, "from")).map(|flow| trace.name(flow.to).to_string()).collect();
    ends.sort();
    assert_eq!(ends, ["around", "next"]);
    assert_eq!(trace.flows_to(named(&trace, "next")).count(), 1);
}

#[test]
fn chains_ids_and_backward_arrows() {
    let all = [
        x("a", "one", 1, 0, 10, ""),
        x("a", "two", 2, 20, 10, ""),
        x("a", "three", 3, 40, 10, ""),
        r#"{"ph":"s","id":"0x1","name":"n","cat":"c","pid":1,"tid":1,"ts":5}"#.into(),
        r#"{"ph":"t","id":"0x1","name":"n","cat":"c","pid":1,"tid":2,"ts":25}"#.into(),
        r#"{"ph":"f","id":"0x1","name":"n","cat":"c","pid":1,"tid":3,"ts":45,"bp":"e"}"#.into(),
        r#"{"ph":"s","id":7,"name":"fwdbwd","cat":"fwdbwd","pid":1,"tid":1,"ts":5}"#.into(),
        r#"{"ph":"f","id":7,"name":"fwdbwd","cat":"fwdbwd","pid":1,"tid":3,"ts":41,"bp":"e"}"#.into(),
        r#"{"ph":"s","id":8,"name":"lonely","cat":"c","pid":1,"tid":1,"ts":5}"#.into(),
    ];
    let trace = events(&list(&all));
    let [one, two, three] = ["one", "two", "three"].map(|name| named(&trace, name));
    let pairs: Vec<_> = trace.flows.iter().map(|flow| (flow.from, flow.to, flow.kind)).collect();
    assert!(
        pairs.contains(&(one, two, FlowKind::Generic)) && pairs.contains(&(two, three, FlowKind::Generic))
    );
    assert!(pairs.contains(&(one, three, FlowKind::ForwardBackward)));
    assert_eq!(pairs.len(), 3);
    assert_eq!(trace.quality.count(Warning::Flow), 1);
}

#[test]
fn slices_may_carry_their_flow() {
    let all = [
        r#"{"ph":"X","name":"out","pid":1,"tid":1,"ts":0,"dur":5,"bind_id":"0x5","flow_out":true}"#
            .to_owned(),
        r#"{"ph":"X","name":"in","pid":1,"tid":2,"ts":9,"dur":5,"bind_id":"0x5","flow_in":true}"#.to_owned(),
    ];
    let trace = events(&list(&all));
    assert_eq!(
        trace.flows_from(named(&trace, "out")).map(|flow| flow.to).collect::<Vec<_>>(),
        [named(&trace, "in")]
    );
}

#[test]
fn a_flow_belongs_to_the_slice_that_carries_it_not_to_its_child() {
    let all = [
        r#"{"ph":"X","name":"out","pid":1,"tid":1,"ts":0,"dur":100,"bind_id":"0x5","flow_out":true}"#
            .to_owned(),
        x("a", "first child", 1, 0, 50, ""),
        r#"{"ph":"X","name":"in","pid":1,"tid":1,"ts":200,"dur":100,"bind_id":"0x5","flow_in":true}"#
            .to_owned(),
        x("a", "second child", 1, 200, 50, ""),
    ];
    let trace = events(&list(&all));
    let pairs: Vec<_> = trace.flows.iter().map(|flow| (flow.from, flow.to)).collect();
    assert_eq!(pairs, [(named(&trace, "out"), named(&trace, "in"))]);
}

#[test]
fn correlations_of_two_files_do_not_meet() {
    let file = |kernel: &str| {
        format!(
            "[{},{}]",
            x("cuda_runtime", "launch", 1, 0, 1, r#""correlation":1"#),
            x("kernel", kernel, 7, 2, 1, r#""correlation":1"#)
        )
    };
    let trace = super::load_files(&[("a.pt.trace.json", &file("ka")), ("b.pt.trace.json", &file("kb"))]);
    let launch = |kernel: &str| trace.links.launch_of(named(&trace, kernel)).expect("a launch");
    assert_ne!(launch("ka"), launch("kb"));
}

/// An event of a process: `at` is its start, µs.
fn of(pid: &str, cat: &str, name: &str, tid: u32, at: u32, dur: u32, number: u32) -> String {
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{at},"dur":{dur},"args":{{"correlation":{number}}}}}"#
    )
}

/// Launches of the process `pid` from `at` on, 1000 µs apart, each with a kernel on `device`; the numbers
/// begin with 1. The names say which process it is.
fn process(pid: &str, device: &str, who: &str, at: u32, delay: u32) -> Vec<String> {
    let piece = |number: u32| {
        let start = at + 1000 * number;
        let launch = format!("cudaLaunchKernel {who}{number}");
        let kernel = format!("{who}{number}");
        [
            of(pid, "cuda_runtime", &launch, 1, start, 5, number),
            of(device, "kernel", &kernel, 7, start + delay, 100, number),
        ]
    };
    (1..=40).flat_map(piece).collect()
}

/// Asserts that each kernel has the launch of its process and its number.
fn each_has_its_own_launch(trace: &Trace) {
    let kernels = trace.slices.ids().iter().filter(|&id| trace.slices.category(id) == Category::Kernel);
    let mut count = 0;
    for kernel in kernels {
        let launch = trace.links.launch_of(kernel).expect("a launch");
        let wanted = format!("cudaLaunchKernel {}", trace.name(kernel));
        assert_eq!(trace.name(launch).as_str(), wanted);
        count += 1;
    }
    assert_eq!(count, 80);
    assert_eq!(trace.quality.count(Warning::Link), 0);
}

fn start_of(event: &str) -> u32 {
    let at = event.find(r#""ts":"#).expect("a start") + 5;
    let end = event[at..].find(',').expect("its end");
    event[at..at + end].parse().expect("a number")
}

#[test]
fn numbers_of_processes_one_after_the_other_in_a_file_do_not_meet() {
    // The launches of one process lie between those of the other and their kernels; one device's number is
    // used twice.
    let all = [process("10", "0", "a", 0, 300), process("20", "0", "b", 150, 300)].concat();
    each_has_its_own_launch(&events(&list(&all)));
}

#[test]
fn numbers_of_processes_with_own_devices_do_not_meet_in_a_sorted_file() {
    let mut all = [process("10", "0", "a", 0, 300), process("20", "1", "b", 150, 300)].concat();
    // Without the launch of some kernels, and with a copy, the devices still differ.
    all.retain(|event| !event.contains("cudaLaunchKernel b40"));
    all.retain(|event| !event.contains(r#""b40""#));
    all.push(of("20", "cuda_runtime", "cudaMemcpyAsync", 1, 40_100, 5, 40));
    all.push(of("1", "gpu_memcpy", "copy", 7, 40_400, 5, 40));
    all.sort_by_key(|event| start_of(event));
    let trace = events(&list(&all));
    assert_eq!(
        trace.name(trace.links.launch_of(named(&trace, "a7")).expect("a launch")).as_str(),
        "cudaLaunchKernel a7"
    );
    let copy = trace.links.launch_of(named(&trace, "copy")).expect("a launch");
    assert_eq!(trace.name(copy).as_str(), "cudaMemcpyAsync");
}

#[test]
fn what_several_processes_could_have_launched_is_counted() {
    let mut all = [process("10", "0", "a", 0, 300), process("20", "0", "b", 150, 300)].concat();
    all.sort_by_key(|event| start_of(event));
    let trace = events(&list(&all));
    assert_eq!((trace.links.len(), trace.quality.count(Warning::Link)), (80, 80));
}

#[test]
fn ranks_in_process_ids_are_ranks() {
    let (a, b) = (r#""[TP00-DP00] "#, r#""[TP01-DP00] "#);
    let rank = |of: &str, pid: u32| format!("{of}{pid}\"");
    let mut all =
        [process(&rank(a, 10), &rank(a, 0), "a", 0, 300), process(&rank(b, 20), &rank(b, 0), "b", 150, 300)]
            .concat();
    all.sort_by_key(|event| start_of(event));
    let trace = events(&list(&all));
    each_has_its_own_launch(&trace);
    assert_eq!(trace.meta.workers.as_slice(), ["TP00-DP00", "TP01-DP00"]);
    let pids: Vec<_> = trace.groups.iter().map(|group| trace.strings.text(group.pid).to_string()).collect();
    assert_eq!(pids, ["10", "0", "20", "0"], "without the ranks");
    assert_eq!(trace.cycles.len(), 2);
}

#[test]
fn two_recordings_of_a_process_in_one_file_do_not_meet() {
    let all = [process("10", "0", "a", 0, 300), process("10", "0", "b", 5_000_000, 300)].concat();
    each_has_its_own_launch(&events(&list(&all)));
}

#[test]
fn a_call_that_asks_or_waits_launches_nothing() {
    let all = [
        x("cuda_runtime", "cudaEventQuery", 1, 0, 2, r#""correlation":9"#),
        x("cuda_runtime", "cudaLaunchKernel", 1, 5, 3, r#""correlation":9"#),
        x("cuda_driver", "cuLaunchKernel", 1, 6, 1, r#""correlation":9"#),
        x("cuda_runtime", "cudaEventQuery", 1, 9, 2, r#""correlation":10"#),
        x("kernel", "k1", 7, 10, 2, r#""correlation":9"#),
        x("kernel", "k2", 7, 13, 2, r#""correlation":10"#),
    ];
    let trace = events(&list(&all));
    assert_eq!(trace.links.launch_of(named(&trace, "k1")), Some(named(&trace, "cudaLaunchKernel")));
    assert_eq!(trace.links.launch_of(named(&trace, "k2")), None);
    assert_eq!((trace.links.len(), trace.links.orphan_work, trace.links.idle_calls), (1, 1, 1));
}

#[test]
fn work_of_mtia_without_a_correlation_has_no_launch() {
    let trace = events(&[
        r#"{"ph":"X","cat":"mtia_runtime","name":"runFunction","pid":5,"tid":5,"ts":2,"dur":3,"args":{"correlation":7,"device":0,"stream_id":"1"}}"#,
        r#"{"ph":"X","cat":"mtia_ccp_events","name":"mm","pid":0,"tid":1,"ts":6,"dur":4,"args":{"correlation":7,"stream":1,"sqid":3}}"#,
        r#"{"ph":"X","cat":"mtia_ccp_events","name":"wait","pid":0,"tid":1,"ts":12,"dur":1,"args":{"stream":1,"wait_on_stream":2,"sqid":3}}"#,
        r#"{"ph":"X","cat":"mtia_ccp_events","name":"dma","pid":0,"tid":2,"ts":14,"dur":2,"args":{"stream":2,"correlation":0}}"#,
    ]);
    assert_eq!((trace.links.len(), trace.links.orphan_work), (1, 2));
    assert_eq!(trace.links.launch_of(named(&trace, "mm")), Some(named(&trace, "runFunction")));
    assert!(["wait", "dma"].iter().all(|name| trace.links.launch_of(named(&trace, name)).is_none()));
}
