//! Measures the time and memory of the ledger of idle time and of the rules on it, beside those of loading
//! and of the index.
//!
//! `cargo bench -p proftui-benches --bench ledger -- FILES`; without files, a demo trace.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

use std::path::PathBuf;
use std::time::Instant;

use proftui_base::time::Span;
use proftui_insight::analysis::Arguments;
use proftui_insight::analysis::Scope;
use proftui_insight::analysis::insights::insights;
use proftui_insight::analysis::ledger::Ledger;
use proftui_trace::import::{Loaded, Progress, Request, load};
use proftui_trace::index::Index;

use proftui_benches::files;
use proftui_benches::measure::{Times, is_full};

fn main() {
    files::go_to_root().expect("the repository");
    let mut paths: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    if paths.is_empty() || !is_full() {
        paths = vec!["demo-traces/synthetic-gpu.json.gz".into()];
    }
    paths.into_iter().for_each(measure);
}

fn measure(path: PathBuf) {
    println!("{}", path.display());
    let runs = if is_full() { 9 } else { 1 };
    let start = Instant::now();
    let Loaded { trace, texts } = load(&Request::new(vec![path]), &Progress::default()).expect("a trace");
    println!("  load        {:.3} ms, once", start.elapsed().as_secs_f64() * 1e3);
    println!("  index       {}", Times::of(runs, || Index::build(&trace)));
    println!("  ledger      {}", Times::of(runs, || Ledger::make(&trace)));
    println!("  both        {}", Times::of(runs, || side_by_side(&trace)));
    let ledger = Ledger::of(&trace);
    let scope = Scope::default();
    println!("  events read {}", Times::of(runs, || Arguments::of_findings(&trace, &texts, &scope)));
    let read = Arguments::of_findings(&trace, &texts, &scope);
    println!("  rules       {}", Times::of(runs, || insights(&trace, &scope, &read)));
    let pieces: usize = ledger.devices.iter().map(|device| device.idle.len()).sum();
    let each = ledger.bytes() as f64 / trace.slices.len().max(1) as f64;
    println!("  {} slices, {pieces} pieces of gaps, {each:.3} bytes a slice", trace.slices.len());
    let Some(device) = ledger.devices.first() else { return };
    let whole = trace.main_span;
    let part = |k: i64| Span {
        start: whole.start + whole.len() / 1000 * k,
        end: whole.end - whole.len() / 1500 * k,
    };
    let sums = Times::of(runs, || (0..500).map(|k| device.sums(part(k)).idle).sum::<i64>());
    println!("  500 sums of parts  {sums}");
    let next =
        Times::of(runs, || (0..500).filter_map(|k| device.idle.next_gap(part(k).start, 20_000)).count());
    println!("  500 next gaps      {next}");
}

/// The index and the ledger beside each other, as the explorer builds them.
fn side_by_side(trace: &proftui_trace::model::Trace) -> (Index, Ledger) {
    let (mut index, mut ledger) = (Index::default(), Ledger::default());
    std::thread::scope(|scope| {
        scope.spawn(|| ledger = Ledger::make(trace));
        index = Index::build(trace);
    });
    (index, ledger)
}
