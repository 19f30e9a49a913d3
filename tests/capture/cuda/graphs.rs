//! CUDA graphs: what launched work is named after, and graphs that are made between cycles.

use proftui_insight::analysis::graph_names::add_recorded;
use proftui_trace::import::Loaded;
use proftui_trace::model::{Category, GraphLevel};

use super::rig::{Captured, GENERATIONS, Setting, fakes};
use crate::run::python;

/// Names of the range in which the nodes of graphs were created, of each piece of graph work.
fn ranges(captured: &Captured) -> Vec<String> {
    let events = captured.events();
    let of_graphs = events.iter().filter(|event| event["args"]["graph node id"].is_u64());
    of_graphs.map(|event| event["args"]["graph range"].as_str().unwrap_or("none").to_owned()).collect()
}

/// A graph of four nodes, captured before anything is recorded, instantiated twice, and launched ten times.
#[test]
fn work_of_a_captured_graph_has_the_ranges_of_its_capture() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        let arguments = ["--nvtx", "--capture", "--instances", "2", "--graphs", "10", "--nodes", "4"];
        let mut captured = setting.capture(fakes, "program", &arguments);
        let said = captured.said();
        assert!(captured.output.status.success(), "{said}");
        assert_eq!(captured.count(Category::Kernel), 40, "{generation}: {said}");
        let Loaded { trace, texts } = &mut captured.traces[0];
        add_recorded(trace, texts).unwrap();
        let counts: Vec<(GraphLevel, u64)> = trace.graph_names.counts().into_iter().collect();
        assert_eq!(counts, [(GraphLevel::Recorded, 40)], "{generation}: the views know the ranges");
        let ranges = ranges(&captured);
        for layer in 0..4 {
            let count = ranges.iter().filter(|range| **range == format!("layer {layer}")).count();
            assert_eq!(count, 10, "{generation}, layer {layer}: {ranges:?}");
        }
        assert_eq!(captured.fact("proftui.gpu.graph_work_named").as_deref(), Some("40"), "{said}");
        assert_eq!(captured.fact("proftui.gpu.graph_nodes_unnamed"), None, "{said}");
    }
}

#[test]
fn work_of_graphs_that_were_built_by_hand_has_no_names() {
    let Some(fakes) = fakes() else { return };
    let captured = Setting::default().capture(fakes, "program", &["--graphs", "3", "--nodes", "4"]);
    assert_eq!(ranges(&captured), vec!["none"; 12], "{}", captured.said());
    assert_eq!(captured.fact("proftui.gpu.graph_work_named"), None);
}

#[test]
fn a_reset_of_the_device_loses_no_record() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        let captured = setting.capture(fakes, "program", &["--launches", "500", "--no-sync", "--reset"]);
        assert!(captured.output.status.success(), "{}", captured.said());
        assert_eq!(captured.count(Category::Kernel), 500, "{generation}: {}", captured.said());
    }
}

/// Steps 3, 4, 7 and 8 are recorded. A graph is captured before the first of them, another one between, while
/// no records are made.
#[test]
fn graphs_that_are_captured_between_cycles_are_recorded_with_their_ranges() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/capture/cuda/graph_steps.py");
    let schedule =
        ["--step-on", "__main__:step", "--closed", "2", "--ready", "1", "--record", "1", "--repeat", "2"];
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), options: &schedule, ..Setting::default() };
        let captured = setting.capture(fakes, python, &[script, "0", "5"]);
        let said = captured.said();
        assert!(captured.output.status.success(), "{said}");
        assert_eq!(captured.traces.len(), 2, "{said}");
        // Four kernels in step 3, eight in step 7.
        assert_eq!(captured.count(Category::Kernel), 12, "{generation}: {said}");
        let mut ranges = ranges(&captured);
        ranges.sort();
        let expected: Vec<_> = (0..4).flat_map(|layer| vec![format!("layer {layer}"); 3]).collect();
        assert_eq!(ranges, expected, "{generation}");
        let stays_on = captured.fact("proftui.gpu.cupti_stays_on");
        assert_eq!(stays_on.as_deref(), (generation == "13.0").then_some("1"), "{generation}");
    }
}
