//! Paddle's benchmark timer, imitated to the letter, where its recorded runs stand beside the checkout.

use proftui_insight::compat::paddle::timer::Timer;
use proftui_wire::timer::{Timer as Ours, WARM_UP_STEPS};
use serde_json::Value;

use crate::binary::{proftui, text};
use crate::scratch::Scratch;

/// The real binary on twelve steps of 10, 11, ... ms, each beginning with 2 ms of loading.
fn of_steps(options: &[&str]) -> (bool, String, String) {
    let mut events = Vec::new();
    let mut start = 0;
    for step in 0..12 {
        let dur = 10_000 + step * 1_000;
        let event = |name: &str, cat: &str, dur: i64| {
            format!(r#"{{"ph":"X","name":"{name}","cat":"{cat}","ts":{start},"dur":{dur},"pid":1,"tid":1}}"#)
        };
        events.push(event(&format!("ProfilerStep#{step}"), "user_annotation", dur));
        events.push(event("enumerate(DataLoader)#x", "user_annotation", 2_000));
        start += dur;
    }
    let scratch = Scratch::new("timer");
    let path = scratch.file("a.json", format!("[{}]", events.join(",")));
    let out = proftui(&[&["summary", "--layout", "paddle", "--view", "perf", &path], options].concat());
    (out.status.success(), text(&out.stdout), text(&out.stderr))
}

#[test]
fn the_perf_summary_of_a_trace() {
    let (_, steps, _) = of_steps(&[]);
    let (info, summary) = steps.split_once('\n').expect("two parts");
    assert_eq!(info, " reader_cost: 0.00200 s batch_cost: 0.01550 s ips: 64.516 steps/s");
    // The 10th to 12th step took 19, 20 and 21 ms; two steps divide them, and none of them became the least.
    let lines: Vec<&str> = summary.lines().collect();
    assert_eq!(lines[1..3], ["Reader Ratio: 6.667%", "Time Unit: s, IPS Unit: steps/s"]);
    assert_eq!(lines[5], "|    batch_cost   |     0.03000     |     0.02100     |       inf       |");
    let (_, samples, _) = of_steps(&["--batch-size", "32"]);
    assert!(
        samples.contains("IPS Unit: samples/s") && samples.contains("ips: 2064.516 samples/s"),
        "{samples}"
    );
    let (ok, few, why) = of_steps(&["--steps", "0:5"]);
    assert!(
        ok && few.lines().count() == 1
            && why.contains("skips the first 10 steps, and the part asked for has only 5 loaded steps"),
        "{few}{why}"
    );
    assert!(!of_steps(&["--format", "json"]).0);
}

/// The recorded runs of Paddle's timer, where they stand beside the checkout.
fn recorded() -> Option<Vec<Value>> {
    let folder = crate::skip::shared("oracles/paddle/timer", "Paddle's timer")?;
    let text = std::fs::read(folder.join("benchmark.json")).expect("the recorded runs");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

#[test]
fn every_recorded_run_reads_the_same() {
    let Some(runs) = recorded() else { return };
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
                    assert_eq!(info.text(), infos.next().expect("a line")[1], "run {number}");
                    lines += 1;
                }
            }
        }
        assert!(infos.next().is_none());
        let summary = timer.summary().map(|summary| summary.text()).unwrap_or_default();
        assert_eq!(summary, run["summary_text"], "run {number}");
    }
    println!("Paddle's timer: {} runs, {lines} lines, 0 differ", runs.len());
}

/// Our own timer, given the same costs: averages over the steps that are named, no step counted twice.
#[test]
fn our_averages_are_sums_over_the_same_steps() {
    let Some(runs) = recorded() else { return };
    let (mut compared, mut unlike) = (0, 0);
    for run in &runs {
        let (mut ours, mut theirs) = (Ours::default(), Timer::default());
        let (mut waited, mut batches, mut readers) = (0, Vec::new(), Vec::new());
        for op in run["ops"].as_array().expect("operations") {
            let cost = |at: usize| op[at].as_f64().expect("seconds");
            match op[0].as_str().expect("a name") {
                "reader" => {
                    waited += (cost(1) * 1e9).round() as u64;
                    theirs.reader(cost(1));
                }
                "batch" => {
                    let batch = (cost(1) * 1e9).round() as u64;
                    ours.add(batch, waited, op[2].as_u64().unwrap_or_default());
                    theirs.batch(cost(1), op[2].as_u64());
                    batches.push(batch);
                    readers.push(std::mem::take(&mut waited));
                }
                _ => {}
            }
        }
        let from = if batches.len() as u64 > WARM_UP_STEPS { WARM_UP_STEPS as usize } else { 0 };
        let (best, is_later) = ours.best();
        assert_eq!((best.steps, is_later), ((batches.len() - from) as u64, from > 0));
        let (batches, readers) = (&batches[from..], &readers[from..]);
        assert_eq!((best.batch, best.reader), (batches.iter().sum(), readers.iter().sum()));
        assert_eq!(Some(&best.batch_max), batches.iter().max().or(Some(&0)));
        assert_eq!(Some(&best.batch_min), batches.iter().min().or(Some(&0)));
        compared += 5;
        if let Some(theirs) = theirs.summary() {
            let mean = best.batch as f64 / best.steps as f64 / 1e9;
            unlike += u32::from((theirs.batch.avg - mean).abs() > mean * 1e-6);
        }
    }
    println!(
        "our timer: {compared} figures of {} runs right; Paddle's average differs in {unlike}",
        runs.len()
    );
    assert!(unlike > 0, "Paddle divides one sample too many");
}
