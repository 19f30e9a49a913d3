//! Facts about real traces of public projects, where a collection of them stands beside the checkout, and the
//! list of all traces, for the tests of other modules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proftui_base::intern::StrId;
use proftui_insight::analysis::vocabulary::short_names::ShortNames;
use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::{Category, LaneKind, SliceFlags, SliceId, Trace, Warning};

/// Larger files take too long in a build for tests, bytes.
const LARGEST: u64 = 2_500_000;

/// The files with these endings: the demo traces and, where it is there, those of the collection. `what` is
/// the check that is listed as skipped without it.
pub(crate) fn all(what: &str, endings: &[&str]) -> Vec<PathBuf> {
    of_sizes(what, endings, 0..LARGEST)
}

/// Those that [`all`] leaves out, since they are large.
pub(crate) fn large(what: &str, endings: &[&str]) -> Vec<PathBuf> {
    of_sizes(what, endings, LARGEST..u64::MAX)
}

fn of_sizes(what: &str, endings: &[&str], sizes: std::ops::Range<u64>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-traces")];
    folders.extend(crate::skip::shared("traces", what));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            let name = entry.to_string_lossy().into_owned();
            if entry.is_dir() {
                folders.push(entry);
            } else if endings.iter().any(|end| name.ends_with(end))
                && std::fs::metadata(&entry).is_ok_and(|file| sizes.contains(&file.len()))
            {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// The trace at `path` in the collection; `None` if there is no collection.
fn real(path: &str) -> Option<Trace> {
    let shared = crate::skip::shared("traces", "facts of real traces")?;
    let request = Request::new([shared.join(path)]);
    Some(load(&request, &Progress::default()).expect("a real trace loads").trace)
}

#[test]
fn overlapping_kernels_are_all_there() {
    let Some(trace) = real("tracelens/tests/traces/b200/eager_trace.json.gz") else { return };
    assert_eq!(trace.slices.len() as u64, trace.meta.event_types["X"], "no slice is lost");
    // By thread there are 81; 7 of them lie between a Python function and an operator, which stand on lanes
    // of their own.
    assert_eq!(trace.quality.count(Warning::Overlap), 74);
    let overflow = trace.slices.flags.iter().filter(|flags| flags.has(SliceFlags::OVERFLOW)).count();
    let rows = trace.lanes.iter().map(|lane| lane.rows.len() as u32 - lane.depth).sum::<u32>();
    assert!(overflow > 0 && rows > 0, "{overflow} slices on {rows} overflow rows");
    assert_eq!(trace.quality.dropped, 0);
}

#[test]
fn kernels_have_distinct_short_names() {
    for path in all("short names of kernels", &[".json", ".json.gz"]) {
        let Ok(loaded) = load(&Request::new([path.clone()]), &Progress::default()) else { continue };
        let trace = loaded.trace;
        let short = ShortNames::of(&trace);
        let is_kernel = |&id: &SliceId| trace.slices.category(id) == Category::Kernel;
        let names: BTreeSet<_> =
            trace.slices.ids().iter().filter(is_kernel).map(|id| trace.slices.name[id]).collect();
        let shown =
            |&name: &StrId| short.get(name).cloned().unwrap_or_else(|| trace.strings.text(name).into_owned());
        let distinct: BTreeSet<_> = names.iter().map(shown).collect();
        assert_eq!(distinct.len(), names.len(), "{}", path.display());
    }
}

#[test]
fn one_graph_launch_starts_hundreds_of_kernels() {
    let Some(trace) = real("tracelens/tests/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz")
    else {
        return;
    };
    let work = trace.slices.ids().iter().filter(|&id| trace.slices.category(id).is_device_work()).count();
    assert_eq!(work, 558);
    assert_eq!((trace.links.len(), trace.links.orphan_work), (558, 0));
    let most = trace.slices.ids().iter().map(|id| trace.links.work_of(id).count()).max();
    assert_eq!(most, Some(544));
}

/// The outermost annotations of an engine's steps on each thread, by kind, as another reading of the file
/// finds them.
fn annotated(path: &std::path::Path) -> std::collections::BTreeMap<&'static str, usize> {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a file");
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut text).expect("text");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let kind = |name: &str| match name {
        _ if name.starts_with("execute_diffusion_") => Some("diffusion"),
        _ if name.starts_with("step[DECODE ")
            || name.contains("_context_0(") && name.contains(")_generation_") =>
        {
            Some("decode")
        }
        _ => None,
    };
    let mut threads = std::collections::BTreeMap::<(String, String), Vec<(f64, f64, &str)>>::new();
    for event in json["traceEvents"].as_array().expect("events") {
        if event["cat"] == "user_annotation"
            && let Some(kind) = event["name"].as_str().and_then(kind)
        {
            let start = event["ts"].as_f64().expect("a time");
            let end = start + event["dur"].as_f64().expect("a duration");
            let thread = (event["pid"].to_string(), event["tid"].to_string());
            threads.entry(thread).or_default().push((start, end, kind));
        }
    }
    let mut kinds = std::collections::BTreeMap::new();
    for annotations in threads.values() {
        for one in annotations {
            let is_inside = |other: &(f64, f64, &str)| other != one && other.0 <= one.0 && one.1 <= other.1;
            if !annotations.iter().any(is_inside) {
                *kinds.entry(one.2).or_default() += 1;
            }
        }
    }
    kinds
}

#[test]
fn the_outermost_annotations_of_an_engine_are_its_steps() {
    for (path, count) in [
        ("sglang_decode/sglang_Qwen3-8B_decode.json.gz", 1),
        ("vllm_decode_full/graph_execution.json.gz", 1),
        ("xdit_flux.1_aiter_sage/profile_trace_rank_0.json.gz", 1),
        ("sglang_decode/capture_traces/bs_32_rank0.json.gz", 0),
        ("xdit_flux.1_aiter_sage/capture_traces/capture_trace_rank_0.json.gz", 0),
    ] {
        let path = format!("tracelens/tests/traces/inference/{path}");
        let Some(trace) = real(&path) else { return };
        let mut kinds = std::collections::BTreeMap::new();
        for serving in trace.steps.iter().filter_map(|step| step.serving) {
            *kinds.entry(serving.kind.name()).or_default() += 1;
        }
        let shared = crate::skip::shared("traces", "facts of real traces").expect("a collection");
        assert_eq!(kinds, annotated(&shared.join(&path)), "{path}");
        assert_eq!(kinds.values().sum::<usize>(), count, "{path}");
    }
}

#[test]
fn launches_repeat_once_a_step_and_layers_of_one_step_are_no_steps() {
    for (path, steps) in [
        ("kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz", 6),
        ("kineto/resnet50_num_workers_0/worker0.pt.trace.json.gz", 6),
        ("hta/tests/data/trace_diff/test/test.json.gz", 6),
        ("hta/tests/data/trace_diff/control/control.json.gz", 6),
        ("hta/tests/data/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 5),
        ("tracelens/tests/traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 1),
        ("tracelens/tests/traces/b200/eager_trace.json.gz", 1),
    ] {
        let Some(mut trace) = real(path) else { return };
        assert_eq!(trace.steps.len(), steps, "{path}");
        // As if no step were marked.
        let marked = std::mem::take(&mut trace.steps);
        let found = proftui_trace::model::repeating::repeating(&trace);
        let Some(found) = found.first().filter(|_| steps > 1) else {
            assert!(steps < 2 && found.is_empty(), "{path}: {found:?}");
            continue;
        };
        assert_eq!(found.repetitions.len(), steps, "{path}");
        assert!(
            marked.iter().zip(&found.repetitions).all(|(step, (_, span))| step.span.overlaps(*span)),
            "{path}"
        );
    }
}

#[test]
fn starts_one_nanosecond_apart_stay_apart() {
    let name = "hta/tests/data/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz";
    let Some(trace) = real(name) else { return };
    // Counted by (pid, tid) from the decimal text by another program: 15 neighbours 1 ns apart. A float of
    // microseconds at this epoch knows only every 250th nanosecond.
    let mut threads = std::collections::BTreeMap::<_, Vec<i64>>::new();
    for lane in &trace.lanes {
        let starts = &trace.slices.start[lane.slices];
        threads.entry((lane.group, lane.tid)).or_default().extend(starts);
    }
    threads.values_mut().for_each(|starts| starts.sort_unstable());
    let gaps = threads.values().flat_map(|starts| starts.windows(2).map(|pair| pair[1] - pair[0]));
    assert_eq!(gaps.filter(|&gap| gap == 1).count(), 15);
}

#[test]
fn kernels_launched_before_the_capture_have_no_launch() {
    for (path, orphans) in [
        ("tracelens/tests/traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", 509),
        ("kineto/resnet50_num_workers_0/worker0.pt.trace.json.gz", 765),
    ] {
        let Some(trace) = real(path) else { return };
        assert_eq!(trace.links.orphan_work, orphans, "{path}");
    }
}

#[test]
fn every_kernel_finds_its_operator_by_its_launch() {
    let Some(trace) = real("hta/tests/data/df_index_resolver/df_index_resolver.json.gz") else { return };
    let streams = trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream);
    let work: Vec<SliceId> = streams
        .flat_map(|lane| lane.slices)
        .filter(|&id| trace.slices.category(id).is_device_work())
        .collect();
    assert!(work.len() > 20_000);
    assert!(work.iter().all(|&id| trace.links.launch_of(id).is_some()));
    let owned = work
        .iter()
        .filter_map(|&id| trace.links.launch_of(id))
        .filter(|&launch| trace.operator_of(launch).is_some())
        .count();
    assert!(owned * 10 > work.len() * 9, "{owned} of {}", work.len());
}
