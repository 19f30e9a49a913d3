//! Rings of GPU work, and dumps of them.

use std::path::Path;
use std::time::{Duration, Instant};

use proftui_trace::model::Category;

use super::counts::row;
use super::rig::{Setting, fakes};
use crate::run::{Sandbox, read, said, wait};

#[test]
fn a_ring_keeps_the_last_of_what_is_delivered_at_once() {
    let Some(fakes) = fakes() else { return };
    let options = &["--keep-last", "4M"];
    let setting = Setting { script: "delivery flush", options, ..Setting::default() };
    let captured = setting.capture(fakes, "program", &["--launches", "60000"]);
    row("a ring of 4 MiB", &captured);
    // A launch takes 152 bytes: a call of five words, and a kernel of fourteen.
    let kernels = captured.count(Category::Kernel);
    assert!((20_000..28_000).contains(&kernels), "{kernels}: {}", captured.said());
    assert!(
        captured
            .fact("proftui.kept")
            .is_some_and(|kept| kept.contains("events outside the trace's time left out"))
    );
}

#[test]
fn a_dump_has_the_work_that_cupti_still_held() {
    let Some(fakes) = fakes() else { return };
    let sandbox = Sandbox::new();
    let setting = Setting { script: "delivery flush", ..Setting::default() };
    let mut command = setting.command(
        &sandbox,
        fakes,
        "program",
        &["--launches", "500", "--rounds", "2", "--sleep", "6000"],
    );
    let mut child = command.spawn().unwrap();
    // Then all is launched within milliseconds, and nothing is delivered before the recorder asks for it, a
    // second later.
    wait(|| has_subscribed(&sandbox.path("run")));
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    let out = sandbox.proftui().arg("dump").output().unwrap();
    assert!(out.status.success(), "{}", said(&out));
    assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
    let dumped = read(Path::new(String::from_utf8(out.stdout).unwrap().trim_end()));
    let slices = &dumped.trace.slices;
    let kernels = slices.ids().iter().filter(|&id| slices.category(id) == Category::Kernel).count();
    assert_eq!(kernels, 500);
    assert!(child.wait().unwrap().success());
}

/// True if a process of the run whose folder is in `spool` has reported its CUPTI.
fn has_subscribed(spool: &Path) -> bool {
    let inside =
        |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let processes = inside(spool).flat_map(|run| inside(&run).collect::<Vec<_>>());
    let names = processes.filter_map(|process| std::fs::read(process.join("names")).ok());
    names.into_iter().any(|names| String::from_utf8_lossy(&names).contains("(API "))
}
