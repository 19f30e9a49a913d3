//! Runs the example of the crate's documentation on a demo trace.

#![allow(clippy::expect_used, reason = "a test that cannot go on should stop")]

#[allow(dead_code, reason = "the example's main is not called")]
#[path = "../examples/kernels.rs"]
mod kernels;

#[test]
fn the_example_prints_the_kernels_of_a_compressed_trace() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo-traces/synthetic-gpu.json.gz");
    let lines = kernels::kernels(path).expect("a trace");
    println!("{}", lines.join("\n"));
    let of = |name: &str| lines.iter().filter(|line| line.contains(" ns  ") && line.contains(name)).count();
    assert!(of("gemm") >= 1, "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("args: {")), "{lines:?}");
}
