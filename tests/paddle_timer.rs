//! Paddle's benchmark timer, imitated to the letter, where its recorded runs stand beside the checkout.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

use std::path::PathBuf;

use proftui::analysis::paddle_timer::Timer;
use proftui::report::paddle_timer as report;
use serde_json::Value;

#[test]
fn every_recorded_run_reads_the_same() {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if !shared.is_dir() {
        eprintln!("skipped: no ../shared");
        return;
    }
    let text = std::fs::read(shared.join("oracles/paddle/timer/benchmark.json")).expect("the recorded runs");
    let runs: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    let mut lines = 0;
    for (number, run) in runs.iter().enumerate() {
        let mut timer = Timer::default();
        let mut infos = run["step_info"].as_array().expect("lines").iter();
        for op in run["ops"].as_array().expect("operations") {
            match op[0].as_str().expect("a name") {
                "reader" => timer.reader(op[1].as_f64().expect("seconds")),
                "batch" => timer.batch(op[1].as_f64().expect("seconds"), op[2].as_u64()),
                _ => {
                    let info = timer.step_info(op[1].as_str().expect("a unit"));
                    assert_eq!(report::step_info(&info), infos.next().expect("a line")[1], "run {number}");
                    lines += 1;
                }
            }
        }
        assert!(infos.next().is_none());
        let summary = timer.summary().map(|summary| report::summary(&summary)).unwrap_or_default();
        assert_eq!(summary, run["summary_text"], "run {number}");
    }
    println!("Paddle's timer: {} runs, {lines} lines, 0 differ", runs.len());
}
