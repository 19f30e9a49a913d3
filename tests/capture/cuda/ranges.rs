//! Ranges recorded by NVTX, with Python and without.

use proftui_trace::model::{Category, Lane, Warning};

use super::rig::{Captured, GENERATIONS, Setting, fakes};
use crate::run::{named, python};

/// Ranges by name, in all traces.
fn ranges(captured: &Captured, name: &str) -> usize {
    let kinds = [Category::UserDefined, Category::PythonUserDefined];
    let all =
        captured.traces.iter().flat_map(|loaded| kinds.into_iter().flat_map(|kind| named(loaded, kind)));
    all.filter(|range| range == name).count()
}

#[test]
fn a_program_without_python_has_its_ranges() {
    let Some(fakes) = fakes() else { return };
    let captured = Setting::default().capture(fakes, "nvtx", &["--ranges", "50", "--threads", "3"]);
    assert!(captured.output.status.success(), "{}", captured.said());
    let count = |name| ranges(&captured, name);
    println!("NVTX: step 7 {}, inner {}, {}", count("step 7"), count("inner"), captured.said().trim());
    assert_eq!((count("step 7"), count("inner"), count("across threads")), (3, 150, 1));
    assert_eq!(
        (count("NCCL: ncclAllReduce"), count("default domain, within"), count("pushed wide")),
        (1, 1, 1)
    );
    assert_eq!(captured.traces.len(), 1);
    let trace = &captured.traces[0].trace;
    let name = |lane: &Lane| String::from_utf8_lossy(trace.strings.bytes(lane.name)).into_owned();
    let lanes: Vec<_> = trace.lanes.iter().map(name).collect();
    assert!(lanes.iter().any(|name| name.contains("main of nvtx")), "{lanes:?}");
}

#[test]
fn a_range_by_number_that_a_kill_cuts_is_counted_as_lost() {
    let Some(fakes) = fakes() else { return };
    let captured = Setting::default().capture(fakes, "nvtx", &["--ranges", "5", "--kill"]);
    assert_eq!((ranges(&captured, "inner"), ranges(&captured, "across threads")), (5, 0));
    assert_eq!(captured.traces[0].trace.quality.count(Warning::Lost), 1, "{}", captured.said());
}

#[test]
fn streams_go_by_their_names() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), script: "devices 2", options: &[] };
        let arguments = ["--launches", "30", "--streams", "3", "--nvtx"];
        let captured = setting.capture(fakes, "program", &arguments);
        assert!(captured.output.status.success(), "{}", captured.said());
        let trace = &captured.traces[0].trace;
        let name = |lane: &Lane| String::from_utf8_lossy(trace.strings.bytes(lane.name)).into_owned();
        let mut streams: Vec<String> = trace.lanes.iter().map(name).collect();
        streams.retain(|name| name.starts_with("stream "));
        streams.sort();
        println!("CUPTI {generation}: {streams:?}");
        // The second one is of the second device, which is not the thread's own.
        assert_eq!(streams, ["stream 13, copies", "stream 14, compute", "stream 7"]);
    }
}

#[test]
fn launches_lie_in_the_ranges_around_them() {
    let Some(fakes) = fakes() else { return };
    let arguments = ["--launches", "300", "--threads", "3", "--streams", "3", "--rounds", "2", "--nvtx"];
    let captured = Setting::default().capture(fakes, "program", &arguments);
    assert!(captured.output.status.success(), "{}", captured.said());
    assert_eq!(captured.count(Category::Kernel), 600);
    let rounds = captured.count(Category::UserDefined);
    println!(
        "NVTX and CUDA: {rounds} ranges, {} kernels, {} links",
        captured.count(Category::Kernel),
        captured.links()
    );
    assert!(rounds >= 6, "{}", captured.said());
    let trace = &captured.traces[0].trace;
    let launches = trace.links.all();
    let in_range = launches.iter().filter(|&&(launch, _)| {
        let mut around = trace.slices.ancestors(launch);
        around.any(|id| trace.slices.category(id) == Category::UserDefined)
    });
    assert_eq!(in_range.count(), 600);
}

#[test]
fn python_with_a_client_of_nvtx_has_each_range_once() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/capture/cuda/nvtx_client.py");
    let options = ["--step-on", "__main__:step"];
    let captured = Setting { options: &options, ..Setting::default() }.capture(fakes, python, &[script]);
    assert!(captured.output.status.success(), "{}", captured.said());
    let count = |name| ranges(&captured, name);
    println!("Python with NVTX: {} of 20 steps, {}", count("round"), captured.said().trim());
    assert_eq!((count("round"), count("within"), count("across")), (20, 20, 1), "{}", captured.said());
    let trace = &captured.traces[0].trace;
    assert_eq!(trace.steps.len(), 20);
    let inside = trace.slices.ids().iter().filter(|&id| {
        let around = trace.slices.ancestors(id).next();
        trace.name(id).to_string() == "within"
            && around.is_some_and(|id| trace.name(id).to_string() == "round")
    });
    assert_eq!(inside.count(), 20, "each in its own");
}
