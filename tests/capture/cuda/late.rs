//! A script that profiles itself, and began to use its GPU before.

use std::process::Command;

use proftui_trace::model::Category;

use super::rig::{cupti, fakes};
use crate::run::{BINARY, Sandbox, python, read, said};

#[test]
fn what_was_begun_before_the_profiler_does_not_keep_its_work_out() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let sandbox = Sandbox::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let mut command = Command::new(python);
    let output = sandbox
        .within(&mut command)
        .arg(format!("{root}/tests/capture/cuda/late.py"))
        .env("PYTHONPATH", format!("{root}/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PROFTUI_BIN", BINARY)
        .env("PROFTUI_CUPTI", cupti(fakes, "13.5"))
        .env("LD_LIBRARY_PATH", fakes)
        .env("FAKE_CUDA_SCRIPT", sandbox.file("script", ""))
        .env("FAKE_CUDA_LEDGER", sandbox.path("ledger"))
        .env_remove("CUDA_INJECTION64_PATH")
        .env_remove("NVTX_INJECTION64_PATH")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let loaded = read(&sandbox.path("late.json"));
    let slices = &loaded.trace.slices;
    let fills = slices.ids().iter().filter(|&id| slices.category(id) == Category::Memset).count();
    assert_eq!(fills, 10, "of two steps: {}", said(&output));
}
