//! GPU work that never ends, and records that come late or never: the program goes on, and what is missing is
//! counted.

use std::time::{Duration, Instant};

use proftui_trace::model::{Category, Warning};

use super::counts::row;
use super::rig::{Captured, GENERATIONS, Setting, fakes};
use crate::run::python;

/// The longest wait in these tests. A fifth of it is kept for the flush, which needs some time on a loaded
/// machine.
const WAIT: [&str; 2] = ["--gpu-wait", "3s"];
/// What a capture may take; what it is not to wait for takes longer, or for ever.
const MOST: Duration = Duration::from_mins(1);

/// Captures a program of the fakes, and how long that took.
fn timed(setting: Setting<'_>, program: &str, arguments: &[&str]) -> Option<(Captured, Duration)> {
    let fakes = fakes()?;
    let begun = Instant::now();
    let captured = setting.capture(fakes, program, arguments);
    Some((captured, begun.elapsed()))
}

/// Records of work and calls in the first trace, and those that are counted as lost.
fn kept_and_lost(captured: &Captured) -> (u64, u64) {
    let kinds = [Category::Kernel, Category::Memset, Category::CudaRuntime];
    let kept = kinds.into_iter().map(|kind| captured.count(kind)).sum();
    (kept, captured.traces.iter().map(|loaded| loaded.trace.quality.count(Warning::Lost)).sum())
}

#[test]
fn a_kernel_that_never_ends_does_not_hold_the_exit() {
    for (generation, end) in
        GENERATIONS.iter().flat_map(|generation| [(*generation, "return"), (*generation, "exit")])
    {
        let setting =
            Setting { generation: Some(generation), script: "sync forever\nunfinished 1", options: &WAIT };
        let arguments = ["--launches", "1500", "--no-sync", "--end", end];
        let Some((captured, time)) = timed(setting, "program", &arguments) else { return };
        row(&format!("CUPTI {generation}, a stuck kernel, {time:.1?}"), &captured);
        assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
        assert!(time < MOST, "{time:?}");
        assert_eq!(captured.count(Category::Kernel), 1500, "{}", captured.said());
        assert_eq!(captured.fact("proftui.gpu.unfinished").as_deref(), Some("1"), "{}", captured.said());
        let waited = captured.fact("proftui.gpu_wait").unwrap_or_default();
        assert!(waited.starts_with("cycle 1: GPU work had not ended after "), "{waited}");
        assert!(captured.said().contains("--gpu-wait sets how long to wait"), "{}", captured.said());
    }
}

#[test]
fn a_flush_that_takes_long_does_not_hold_the_exit() {
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), script: "flush-ms 120000", options: &WAIT };
        let arguments = ["--launches", "1500", "--no-sync"];
        let Some((captured, time)) = timed(setting, "program", &arguments) else { return };
        println!("CUPTI {generation}, a flush of two minutes: {time:.1?}");
        assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
        assert!(time < MOST, "{time:?}");
        // Each launch has a call and a kernel, and making the context is an overhead.
        let lost = "recorded cycle 1: no trace was written: all records were lost: 3,001 GPU records";
        assert!(captured.said().contains(lost), "{}", captured.said());
        assert_eq!(captured.fact("proftui.gpu.reason").as_deref(), Some("nothing_delivered"));
        let waited = captured.fact("proftui.gpu_wait").unwrap_or_default();
        assert!(waited.contains("CUPTI had not delivered its records"), "{waited}");
    }
}

#[test]
fn what_comes_after_a_cycles_end_is_counted_as_lost() {
    // By the first, what comes soon is waited for.
    for (script, is_late) in [("deliver-late 20", false), ("deliver-late 1500", true)] {
        for generation in GENERATIONS {
            let setting = Setting { generation: Some(generation), script, options: &[] };
            let Some((captured, time)) = timed(setting, "program", &["--launches", "60000"]) else { return };
            let (kept, lost) = kept_and_lost(&captured);
            println!("CUPTI {generation}, {script}: {kept} kept, {lost} lost, {time:.1?}");
            assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
            assert_eq!(lost > 0, is_late, "{}", captured.said());
            assert!((120_000..120_005).contains(&(kept + lost)), "{kept} + {lost}: {}", captured.said());
            let reason = captured.fact("proftui.gpu.reason");
            // A fast machine makes all calls before the first delivery.
            let expected: &[_] =
                if is_late { &[Some("dropped"), Some("nothing_delivered")] } else { &[None] };
            assert!(expected.contains(&reason.as_deref()), "{reason:?}: {}", captured.said());
        }
    }
}

#[test]
fn later_cycles_do_not_wait_again() {
    let Some(python) = python() else { return };
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/capture/cuda/steps.py");
    let schedule = ["--step-on", "__main__:step", "--closed", "1", "--record", "2"];
    let options = [&schedule[..], &WAIT].concat();
    // A device that never answers, a CUPTI that never answers, both, and a CUPTI that is slow.
    for script in ["sync forever", "flush-ms 120000", "sync forever\nflush-ms 120000", "flush-ms 50"] {
        let setting = Setting { script, options: &options, ..Setting::default() };
        let Some((captured, time)) = timed(setting, python, &[program]) else { return };
        let (kept, lost) = kept_and_lost(&captured);
        let printed = String::from_utf8_lossy(&captured.output.stdout).trim().to_owned();
        println!(
            "{script:?}: {} traces, {kept} kept, {lost} lost, {time:.1?}, {printed}",
            captured.traces.len()
        );
        assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
        assert!(time < MOST, "{time:?}: {}", captured.said());
        assert_eq!(captured.traces.len(), 4, "{}", captured.said());
        // Four cycles of two steps of ten fills and calls.
        assert_eq!(kept + lost, 160, "{kept} + {lost}: {}", captured.said());
        assert_eq!(lost > 0, script.contains("120000"), "{}", captured.said());
        // Of the last trace: earlier ones may be written before the last cycle ends.
        let waited = captured.fact_of(3, "proftui.gpu_wait");
        if script == "flush-ms 50" {
            assert_eq!(waited, None);
        } else {
            // The fact is of the last cycle, and the one wait is nearly all of the time.
            assert!(
                waited.is_some_and(|text| text.ends_with("was not waited for again")),
                "{}",
                captured.said()
            );
            let [longest, all] = gaps(&printed);
            assert!(all < 1.5 * longest, "{printed}");
        }
    }
}

/// The longest gap between two steps, and the sum of all, as the program prints them, s.
fn gaps(printed: &str) -> [f64; 2] {
    let words: Vec<&str> = printed.split(' ').collect();
    [words[1], words[3]].map(|word| word.parse().unwrap())
}
