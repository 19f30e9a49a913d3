//! What goes wrong with CUPTI changes nothing of the program, and is reported.

use std::os::unix::process::ExitStatusExt;
use std::thread;

use proftui_trace::model::{Category, Warning};

use super::counts::{KERNEL, row};
use super::rig::{Setting, fakes};

/// What to try, the words of the script, and what the program does.
const ROWS: [(&str, &str, &[&str]); 11] = [
    ("kernels that never end", "unfinished 5", &["--launches", "500"]),
    ("a kind that nobody knows", "unknown-kind 100", &["--launches", "2000"]),
    ("delivered by a foreign thread", "delivery worker", &["--launches", "5000", "--threads", "4"]),
    ("delivered by who launches", "delivery launch", &["--launches", "5000", "--threads", "4"]),
    ("delivered at flushes alone", "delivery flush", &["--launches", "5000", "--threads", "4"]),
    ("delivered after exit", "deliver-after-exit", &["--launches", "500"]),
    ("a fork after cuInit", "", &["--launches", "500", "--fork", "child"]),
    ("a fork before cuInit", "", &["--launches", "500", "--fork", "early"]),
    ("a refused kind", "refuse-kind 17 21", &["--launches", "500"]),
    ("the clock refused", "answer cuptiActivityRegisterTimestampCallback 27", &["--launches", "500"]),
    ("an empty buffer", "empty-buffer", &["--launches", "500"]),
];

#[test]
fn every_kernel_that_is_delivered_is_in_the_trace() {
    let Some(fakes) = fakes() else { return };
    for (what, script, arguments) in ROWS {
        let captured = Setting { script, ..Setting::default() }.capture(fakes, "program", arguments);
        row(what, &captured);
        assert!(captured.output.status.success(), "{what}: {}", captured.said());
        let (kept, delivered) = (captured.count(Category::Kernel), captured.delivered(KERNEL));
        if script == "deliver-after-exit" {
            assert!(kept > 0 && kept <= delivered, "{what}: {kept} of {delivered}");
        } else {
            assert_eq!(kept, delivered, "{what}: {}", captured.said());
        }
        assert!(kept > 0, "{what}: {}", captured.said());
    }
}

#[test]
fn a_missing_function_is_done_without() {
    let Some(fakes) = fakes() else { return };
    let setting = Setting { generation: Some("12.4-without-cuptiSetThreadIdType"), ..Setting::default() };
    let captured = setting.capture(fakes, "program", &["--launches", "500", "--threads", "2"]);
    row("a function is missing", &captured);
    assert!(captured.output.status.success(), "{}", captured.said());
    assert_eq!(captured.count(Category::Kernel), 500);
    assert!(captured.said().contains("does not report the system's thread ids"), "{}", captured.said());
}

#[test]
fn kernels_without_times_are_counted_as_lost() {
    let Some(fakes) = fakes() else { return };
    let setting = Setting { script: "untimed 5", ..Setting::default() };
    let captured = setting.capture(fakes, "program", &["--launches", "500"]);
    row("five without times", &captured);
    assert_eq!(captured.count(Category::Kernel), 495);
    assert_eq!(captured.traces[0].trace.quality.count(Warning::Lost), 5, "{}", captured.said());
}

#[test]
fn dropped_records_are_counted() {
    let Some(fakes) = fakes() else { return };
    let captured =
        Setting { script: "drop 7", ..Setting::default() }.capture(fakes, "program", &["--launches", "500"]);
    row("seven dropped by CUPTI", &captured);
    assert_eq!(captured.count(Category::Kernel), 493);
    assert_eq!(captured.traces[0].trace.quality.count(Warning::Lost), 7, "{}", captured.said());
}

#[test]
fn however_the_program_ends() {
    let Some(fakes) = fakes() else { return };
    let ends = [
        ("return", Some(0), None),
        ("exit", Some(0), None),
        ("quick_exit", Some(0), None),
        ("_exit", Some(0), None),
        ("kill", None, Some(9)),
        ("abort", None, Some(6)),
        ("segv", None, Some(11)),
    ];
    let captured = |end| {
        let arguments = ["--launches", "1000", "--rounds", "3", "--sleep", "700", "--end", end];
        Setting::default().capture(fakes, "program", &arguments)
    };
    // At once: each sleeps for two seconds.
    let captures: Vec<_> = thread::scope(|scope| {
        let started = ends.map(|(end, ..)| scope.spawn(move || captured(end)));
        started.into_iter().map(|capture| capture.join().unwrap()).collect()
    });
    for ((end, code, signal), captured) in ends.into_iter().zip(captures) {
        row(&format!("ends by {end}"), &captured);
        let status = captured.output.status;
        assert_eq!((status.code(), status.signal()), (code, signal), "{end}");
        // What is a second old is on disk, whatever ends the program.
        assert!(captured.count(Category::Kernel) >= 1000, "{end}: {}", captured.said());
    }
}

#[test]
fn memory_that_is_refused_is_counted_to_the_record() {
    let Some(fakes) = fakes() else { return };
    // More records than there is memory for, and nothing is delivered while they are made: a flush takes
    // longer.
    let setting = Setting {
        script: "null-buffer drop\ndelivery flush\nflush-ms 8000",
        options: &["--format", "pb", "--max-mb", "1024", "--gpu-wait", "60s"],
        ..Setting::default()
    };
    let captured = setting.capture(fakes, "program", &["--launches", "600000"]);
    row("memory for records is refused", &captured);
    assert!(captured.output.status.success(), "{}", captured.said());
    let (kernels, calls) = (captured.count(Category::Kernel), captured.count(Category::CudaRuntime));
    let lost = captured.traces[0].trace.quality.count(Warning::Lost);
    println!("{kernels} kernels + {calls} calls + {lost} lost = {}", kernels + calls + lost);
    assert_eq!(kernels, captured.delivered(KERNEL));
    // Each launch has a call and a kernel; the device was waited for twice.
    assert!(lost > 0 && (1_200_000..1_200_005).contains(&(kernels + calls + lost)));
}
