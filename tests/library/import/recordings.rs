//! Several recordings in one trace: what is of each recording, and not of all together.

use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::{Trace, Warning};

use super::{events, named};

/// The trace of files with these names and events.
fn files(files: &[(&str, String)], cycle: Option<u32>) -> Trace {
    let folder = tempfile::tempdir().expect("a folder");
    let paths: Vec<_> = files
        .iter()
        .map(|(name, events)| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, format!("[{events}]")).expect("written");
            path
        })
        .collect();
    let request = Request { cycle, is_regular: true, ..Request::new(paths) };
    load(&request, &Progress::default()).expect("a trace").trace
}

fn x(cat: &str, name: &str, (pid, tid): (&str, u32), (ts, dur): (u32, u32), number: u32) -> String {
    format!(
        r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":"{pid}","tid":{tid},"ts":{ts},"dur":{dur},"args":{{"correlation":{number}}}}}"#
    )
}

#[test]
fn work_of_one_file_damages_no_other() {
    let kernels = |name: &str, dur: u32| -> String {
        let all: Vec<String> = (1..=40).map(|at| x("kernel", name, ("0", 7), (at * 100, dur), at)).collect();
        all.join(",")
    };
    let long = x("kernel", "long", ("0", 7), (100, 3_900), 1);
    let two = [("a/trace.json", kernels("k", 90)), ("b/trace.json", long)];
    assert_eq!(files(&two, None).quality.count(Warning::Impossible), 0, "no stream ran both");
    let alike = [("a/trace.json", kernels("k", 90)), ("b/trace.json", kernels("k", 90))];
    assert_eq!(files(&alike, None).quality.count(Warning::Impossible), 0, "recorded once in each");
}

#[test]
fn steps_with_one_number_are_of_their_recordings() {
    let recording = |start: u32| {
        format!(
            r#"{{"ph":"M","pid":1,"name":"process_name","args":{{"name":"/device:GPU:0"}}}},
            {{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{{"name":"Steps"}}}},
            {{"ph":"X","pid":1,"tid":1,"name":"0","ts":{start},"dur":900}}"#
        )
    };
    let trace = files(&[("w.1.trace.json", recording(0)), ("w.2.trace.json", recording(100_000))], None);
    let lengths: Vec<i64> = trace.steps.iter().map(|step| step.span.len()).collect();
    assert_eq!(lengths, [900_000; 2]);
}

#[test]
fn a_short_recording_is_no_stray() {
    let operators = |from: u32, count: u32| -> String {
        let all: Vec<String> =
            (0..count).map(|at| x("cpu_op", "add", ("1", 1), (from + at * 20, 15), 0)).collect();
        all.join(",")
    };
    let two = [("w.1.pt.trace.json", operators(0, 3_000)), ("w.2.pt.trace.json", operators(60_000_000, 30))];
    let trace = files(&two, None);
    assert_eq!(trace.quality.count(Warning::Outlier), 0);
    assert!(trace.main_span.len() > 60_000_000_000);
}

#[test]
fn a_cycle_of_merged_ranks_has_no_other_rank() {
    let of = |rank: &str, ts: u32| {
        [
            x("cuda_runtime", "cudaLaunchKernel", (&format!("[{rank}] 1"), 1), (ts, 5), 3),
            x("kernel", &format!("{rank} at {ts}"), (&format!("[{rank}] 0"), 7), (ts + 10, 5), 3),
        ]
        .join(",")
    };
    let both = |ts: u32| format!("{},{}", of("TP00", ts), of("TP01", ts));
    // The second file has the second cycle of one rank only.
    let merged = [("a.json", both(0)), ("b.json", of("TP00", 1_000))];
    let trace = files(&merged, Some(1));
    assert_eq!((trace.slices.len(), trace.links.len()), (2, 1));
    assert_eq!(trace.links.launch_of(named(&trace, "TP00 at 1000")), Some(named(&trace, "cudaLaunchKernel")));
}

#[test]
fn a_driver_call_without_a_length_is_part_of_the_runtime_call() {
    let all = [
        x("cuda_runtime", "cudaLaunchKernel", ("1", 1), (10, 1), 3),
        x("cuda_driver", "cuLaunchKernel", ("1", 1), (10, 0), 3),
        x("kernel", "k", ("0", 7), (20, 5), 3),
    ];
    let trace = events(&all.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(trace.links.launch_of(named(&trace, "k")), Some(named(&trace, "cudaLaunchKernel")));
}

#[test]
fn launches_that_overlap_have_no_order() {
    let mut all = Vec::new();
    for at in 0..40 {
        let (ts, number) = (at * 100, 2 * at + 1);
        all.push(x("cuda_runtime", "cudaLaunchKernel", ("1", 1), (ts, 50), number));
        all.push(x("cuda_runtime", "cudaLaunchKernel", ("1", 2), (ts + 10, 5), number + 1));
        let order = if at % 20 == 0 { [number + 1, number] } else { [number, number + 1] };
        all.push(x("kernel", "k", ("0", 7), (ts + 60, 5), order[0]));
        all.push(x("kernel", "k", ("0", 7), (ts + 70, 5), order[1]));
    }
    let trace = events(&all.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(trace.quality.count(Warning::Order), 0);
}
