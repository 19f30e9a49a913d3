//! Scripts that profile themselves, and began to use their GPU before.

use std::process::Command;

use proftui_trace::model::Category;

use super::rig::{cupti, fakes};
use crate::run::{BINARY, Sandbox, python, read, said};

/// Runs a script of `tests/capture/cuda` on the fakes, which go otherwise than usual as `otherwise` says.
/// `None` without fakes or Python.
fn run(script: &str, otherwise: &str) -> Option<Sandbox> {
    let (fakes, python) = (fakes()?, python()?);
    let sandbox = Sandbox::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = Command::new(python);
    let output = sandbox
        .within(&mut command)
        .arg(format!("{root}/tests/capture/cuda/{script}"))
        .env("PYTHONPATH", format!("{root}/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PROFTUI_BIN", BINARY)
        .env("PROFTUI_CUPTI", cupti(fakes, "13.5"))
        .env("LD_LIBRARY_PATH", fakes)
        .env("FAKE_CUDA_SCRIPT", sandbox.file("script", otherwise))
        .env("FAKE_CUDA_LEDGER", sandbox.path("ledger"))
        .env_remove("CUDA_INJECTION64_PATH")
        .env_remove("NVTX_INJECTION64_PATH")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    Some(sandbox)
}

/// How many fills a trace of the run has.
fn fills(sandbox: &Sandbox, name: &str) -> usize {
    let loaded = read(&sandbox.path(name));
    let slices = &loaded.trace.slices;
    slices.ids().iter().filter(|&id| slices.category(id) == Category::Memset).count()
}

#[test]
fn what_was_begun_before_the_profiler_does_not_keep_its_work_out() {
    let Some(sandbox) = run("late.py", "") else { return };
    assert_eq!(fills(&sandbox, "late.json"), 10, "of two steps");
}

#[test]
fn each_profiler_of_a_script_records_gpus_if_it_asks_for_them() {
    // A kind that only the profiler of memory asks for.
    let Some(sandbox) = run("several.py", "refuse-kind 49 21") else { return };
    let names = ["host.json", "memory.json", "again.json", "plain.json"];
    assert_eq!(names.map(|name| fills(&sandbox, name)), [0, 3, 0, 3]);
    let texts = names.map(|name| std::fs::read_to_string(sandbox.path(name)).unwrap());
    let have = |what: &str| texts.each_ref().map(|text| text.contains(what));
    assert_eq!(have("CUPTI does not record"), [false, true, true, true], "from the profiler of memory on");
    assert_eq!(have("proftui.gpu.cupti"), [false, true, true, true]);
    assert_eq!(have("proftui.gpu.reason"), [false; 4], "nothing is missing that was asked for");
}

#[test]
fn a_profiler_of_the_host_alone_leaves_out_the_work_of_children() {
    let Some(sandbox) = run("followed.py", "") else { return };
    assert_eq!(
        ["gpu.json", "host.json", "again.json"].map(|name| fills(&sandbox, name) > 0),
        [true, false, true]
    );
}
