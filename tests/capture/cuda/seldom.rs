//! What few programs have a device do: unified memory that migrates, memory pools, kernels and graphs that
//! the device launches, functions of graphs on the host. Each is in the trace where CUPTI has it, and changes
//! nothing else where it has not.

use proftui_trace::model::{Category, SliceId, Warning};
use serde_json::Value;

use super::rig::{Captured, GENERATIONS, Setting, fakes};

/// CUPTI's numbers of kinds.
const NESTED_KERNEL: u32 = 18;
const UNIFIED: u32 = 25;
const POOL: u32 = 50;
const NESTED_GRAPH: u32 = 53;
const HOST_NODE: u32 = 56;
const CONFIGURE: &str = "cuptiActivityConfigureUnifiedMemoryCounter";

/// The events of a category.
fn events(captured: &Captured, category: &str) -> Vec<Value> {
    captured.events().into_iter().filter(|event| event["cat"] == category).collect()
}

/// The events that have a name.
fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["name"] == name).collect()
}

fn capture(generation: &str, script: &str, options: &[&str], arguments: &[&str]) -> Option<Captured> {
    let captured =
        Setting { generation: Some(generation), script, options }.capture(fakes()?, "program", arguments);
    assert!(captured.output.status.success(), "{generation}, {script}: {}", captured.said());
    Some(captured)
}

#[test]
fn unified_memory_is_on_a_lane_of_its_device() {
    for generation in GENERATIONS {
        for (which, kinds) in [("faults", 8), ("migrations", 6), ("off", 0)] {
            let options = ["--unified-memory", which];
            let arguments = ["--launches", "20", "--allocs", "3"];
            let Some(captured) = capture(generation, "managed 2", &options, &arguments) else { return };
            // Three allocations, of each of which there are two events of each kind.
            let count = 3 * 2 * kinds;
            let events = events(&captured, "UnifiedMemory");
            let context = format!("{generation}, {which}: {}", captured.said());
            assert_eq!((captured.delivered(UNIFIED), events.len() as u64), (count, count), "{context}");
            assert_eq!(captured.count(Category::UnifiedMemory), count, "{context}");
            assert_eq!(
                (captured.count(Category::Kernel), captured.count(Category::Memcpy)),
                (20, 0),
                "{context}"
            );
            assert_eq!(captured.fact("proftui.gpu.work").as_deref(), Some("20"), "it is no device work");
            assert_eq!(captured.fact("proftui.gpu.work_without_launch").as_deref(), Some("0"), "{context}");
            let configured: u64 =
                captured.ledgers.iter().filter_map(|ledger| ledger.calls.get(CONFIGURE)).sum();
            let kinds_fact = captured.fact("proftui.gpu.cupti_kinds").unwrap_or_default();
            if which == "off" {
                assert_eq!((configured, captured.fact("proftui.gpu.unified_memory")), (0, None), "{context}");
                continue;
            }
            assert!(kinds_fact.ends_with(&format!("{CONFIGURE}: 0, kind 25: 0")), "{kinds_fact}");
            assert_eq!(captured.fact("proftui.gpu.unified_memory"), Some(count.to_string()));
            // Migrations to the device, to the host, and to another device.
            let moved = 3 * 6 * (1 << 20);
            assert_eq!(captured.fact("proftui.gpu.unified_memory_bytes"), Some(moved.to_string()));
            assert!(
                events.iter().all(|event| event["pid"] == 0 && event["tid"] == "unified memory"),
                "{context}"
            );
            let moved = named(&events, "Migration HtoD");
            assert_eq!(moved.len(), 6, "{context}");
            let of = |key: &str| moved[0]["args"][key].clone();
            assert_eq!(
                (of("bytes"), of("cause"), of("device")),
                (1_048_576.into(), "Prefetch".into(), 0.into())
            );
            assert_eq!(moved[0]["dur"], 2.0);
            assert_eq!(named(&events, "Remote map")[0]["dur"], 0.0, "it has no end");
            let faults = named(&events, "GPU page fault");
            assert_eq!(faults.len(), if which == "faults" { 6 } else { 0 }, "{context}");
            if let Some(fault) = faults.first() {
                assert_eq!(
                    (&fault["args"]["faults"], &fault["args"]["access"]),
                    (&3.into(), &"Write".into())
                );
                let on_host = &named(&events, "CPU page fault")[0]["args"];
                assert!(on_host["device"].is_null() && on_host["bytes"].is_null(), "{on_host}");
            }
        }
    }
}

#[test]
fn unified_memory_is_in_protobuf_too() {
    let options = ["--unified-memory", "faults", "--format", "pb"];
    let Some(captured) =
        capture("13.5", "managed 1\ndevices 2", &options, &["--launches", "5", "--allocs", "4"])
    else {
        return;
    };
    assert_eq!((captured.count(Category::UnifiedMemory), captured.count(Category::Kernel)), (32, 5));
    let trace = &captured.traces[0].trace;
    let is_unified = |id: &SliceId| trace.slices.category(*id) == Category::UnifiedMemory;
    let lane = trace.lanes.iter().find(|lane| lane.slices.iter().any(|id| is_unified(&id))).unwrap();
    assert_eq!(trace.lane_title(lane), "unified memory");
    assert_eq!(captured.traces[0].trace.quality.count(Warning::Protobuf), 0);
}

#[test]
fn what_refuses_unified_memory_is_noted_once_and_changes_nothing_else() {
    for generation in GENERATIONS {
        for (script, code) in [
            (format!("answer {CONFIGURE} 28"), "28 (CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED)"),
            ("refuse-kind 25 31".to_owned(), "31 ("),
        ] {
            let script = format!("managed 1\n{script}");
            let arguments = ["--launches", "20", "--allocs", "2"];
            let Some(captured) = capture(generation, &script, &["--unified-memory", "faults"], &arguments)
            else {
                return;
            };
            let context = format!("{generation}, {script}: {}", captured.said());
            assert_eq!(
                (captured.delivered(UNIFIED), captured.count(Category::UnifiedMemory)),
                (0, 0),
                "{context}"
            );
            assert_eq!((captured.count(Category::Kernel), captured.links()), (20, 20), "{context}");
            assert_eq!(captured.fact("proftui.gpu.reason"), None, "{context}");
            let notes: Vec<String> =
                (1..9).filter_map(|at| captured.fact(&format!("proftui.note.{at}"))).collect();
            let wanted = format!("CUPTI does not record unified memory (error {code}");
            assert_eq!(notes.iter().filter(|note| note.contains(&wanted)).count(), 1, "{notes:?}, {context}");
        }
    }
}

#[test]
fn pools_are_memory_that_a_device_holds_and_uses() {
    for generation in GENERATIONS {
        let arguments = ["--allocs", "2", "--threads", "2"];
        for (script, count) in [("pools", 2), ("pools\nrefuse-kind 50 21", 0)] {
            let Some(captured) = capture(generation, script, &["--profile-memory"], &arguments) else {
                return;
            };
            let context = format!("{generation}, {script}: {}", captured.said());
            assert_eq!(captured.delivered(POOL), 3 * count, "{context}");
            let is_whole = |event: &&Value| event["args"]["increase_bytes"] == 1 << 20;
            assert_eq!(events(&captured, "Allocate").iter().filter(is_whole).count(), 2, "{context}");
            let of = |category: &str, operation: &str| -> Vec<Value> {
                let all = events(&captured, category).into_iter().map(|mut event| event["args"].take());
                all.filter(|args| args["pool operation"] == operation).collect()
            };
            let (created, trimmed) = (of("ReservedAllocate", "created"), of("ReservedFree", "trimmed"));
            let destroyed = of("ReservedFree", "destroyed");
            assert_eq!([created.len(), trimmed.len(), destroyed.len()], [count as usize; 3], "{context}");
            if count == 0 {
                assert!(captured.fact("proftui.gpu.cupti_kinds").unwrap_or_default().contains("kind 50: 21"));
                continue;
            }
            let sizes = |of: &Value| {
                let keys = ["increase_bytes", "current_reserved", "pool size", "pool used"];
                keys.map(|key| of[key].as_i64().unwrap() >> 20)
            };
            assert_eq!(sizes(&created[0]), [2, 2, 2, 1], "{context}");
            assert_eq!(sizes(&trimmed[0]), [-1, 1, 1, 0], "{context}");
            assert_eq!(sizes(&destroyed[0]), [-1, 0, 1, 0], "{context}");
            assert_eq!(
                (&created[0]["place"], &trimmed[0]["bytes to keep"]),
                (&"Place(gpu_pool:0)".into(), &(1 << 20).into())
            );
        }
        let Some(captured) = capture(generation, "pools", &[], &arguments) else { return };
        assert_eq!(captured.delivered(POOL), 0, "{generation}: only with --profile-memory");
    }
}

#[test]
fn kernels_of_kernels_are_marked_and_counted() {
    for generation in GENERATIONS {
        let Some(captured) = capture(generation, "nested 2", &[], &["--launches", "5"]) else { return };
        let kernels = events(&captured, "Kernel");
        let is_nested = |kernel: &&Value| kernel["args"]["launch"] == "by a kernel";
        assert_eq!((kernels.len(), kernels.iter().filter(is_nested).count()), (15, 10), "{generation}");
        assert_eq!(
            (captured.delivered(NESTED_KERNEL), named(&kernels, "nested").len()),
            (10, 10),
            "{generation}"
        );
        let facts = ["work", "launched_by_device", "work_without_launch"];
        let facts = facts.map(|key| captured.fact(&format!("proftui.gpu.{key}")).unwrap_or_default());
        assert_eq!(facts, ["15", "10", "0"], "{generation}");
        assert_eq!((captured.links(), captured.fact("proftui.gpu.unknown")), (5, None), "{generation}");
    }
}

/// Whatever is lost, each kernel is kept or counted, also those of kernels.
#[test]
fn kernels_of_kernels_that_come_late_are_counted_as_lost() {
    let Some(captured) = capture("13.5", "nested 1\ndeliver-late 1500", &[], &["--launches", "30000"]) else {
        return;
    };
    let kept = captured.count(Category::Kernel) + captured.count(Category::CudaRuntime);
    let lost: u64 = captured.traces.iter().map(|loaded| loaded.trace.quality.count(Warning::Lost)).sum();
    assert!(lost > 0, "{}", captured.said());
    assert!((90_000..90_005).contains(&(kept + lost)), "{kept} + {lost}: {}", captured.said());
}

#[test]
fn graphs_of_graphs_are_marked_where_graphs_are_whole() {
    for generation in GENERATIONS {
        let has_them = !matches!(generation, "11.8" | "12.4");
        let options = ["--cuda-graph", "graph"];
        let Some(captured) = capture(generation, "nested-graphs 3", &options, &["--graphs", "2"]) else {
            return;
        };
        let graphs = events(&captured, "Kernel");
        let count = if has_them { 6 } else { 0 };
        assert_eq!(
            (graphs.len(), captured.delivered(NESTED_GRAPH)),
            (2 + count, count as u64),
            "{generation}"
        );
        let answers = captured.fact("proftui.gpu.cupti_answers").unwrap_or_default();
        let answer = if generation == "11.8" { "none" } else { "0" };
        assert!(answers.ends_with(&format!("cuptiActivityEnableDeviceGraph: {answer}")), "{answers}");
        assert_eq!(captured.fact("proftui.gpu.work_without_launch").as_deref(), Some("0"), "{generation}");
        if !has_them {
            assert_eq!(captured.fact("proftui.gpu.launched_by_device"), None, "{generation}");
            continue;
        }
        assert_eq!(captured.fact("proftui.gpu.launched_by_device").as_deref(), Some("6"), "{generation}");
        let graph = graphs.iter().find(|graph| graph["args"]["graph id"] == 1001).unwrap();
        let launcher =
            graphs.iter().find(|graph| graph["args"]["launch"].is_null()).unwrap()["args"]["graph id"]
                .clone();
        assert_eq!(graph["args"]["launch"], format!("by CUDA graph {launcher}, tail"), "{generation}");
        assert_eq!(graph["name"], "CUDA graph 1001");
    }
}

#[test]
fn functions_of_graphs_are_ranges_of_the_host() {
    for generation in GENERATIONS {
        let arguments = ["--graphs", "3", "--nodes", "4"];
        let Some(captured) = capture(generation, "host-nodes 2", &[], &arguments) else { return };
        let count = if generation == "13.5" { 6 } else { 0 };
        let ranges = events(&captured, "UserDefined");
        let functions = named(&ranges, "CUDA graph host function");
        assert_eq!((functions.len() as u64, captured.delivered(HOST_NODE)), (count, count), "{generation}");
        assert_eq!(captured.count(Category::Kernel), 12, "{generation}: they are no work of the device");
        assert_eq!(captured.fact("proftui.gpu.work").as_deref(), Some("12"), "{generation}");
        let kinds = captured.fact("proftui.gpu.cupti_kinds").unwrap_or_default();
        assert_eq!(kinds.contains("kind 56: 0"), count > 0, "{generation}: {kinds}");
        assert_eq!(captured.fact("proftui.note.1"), None, "{generation}: {}", captured.said());
        for function in functions {
            assert_eq!(function["tid"], 5_000_000, "{function}");
            let args = &function["args"];
            assert!(args["graph id"].is_u64() && args["graph node id"].is_u64(), "{args}");
            assert_eq!((&args["device"], &args["stream"]), (&0.into(), &7.into()), "{args}");
        }
    }
}
