//! Measures queries of the index for all rows of a screen at any zoom, and the time and memory that the index
//! takes.
//!
//! `cargo bench -p proftui-benches --bench query`. The trace is built directly, not imported: ten lanes of
//! six rows, where deeper rows hold more slices. All rows have the same length of time, of which slices cover
//! about half. Only what the index reads is there: starts, durations, rows.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

use std::time::{Duration, Instant};

use proftui_base::time::{Ns, Span};
use proftui_trace::index::{Cell, Index};
use proftui_trace::model::{LaneId, Row, Trace};

use proftui_benches::measure::{Times, is_full};

const LANES: u32 = 10;
const DEPTH: u32 = 6;
const COLUMNS: usize = 200;
/// Viewports queried at each zoom, spread over the trace.
const VIEWPORTS: i64 = 50;

fn main() {
    let sizes: &[u32] = if is_full() { &[1_000_000, 10_000_000] } else { &[10_000] };
    for &slices in sizes {
        measure(slices);
    }
}

fn measure(slices: u32) {
    let trace = synthetic(slices);
    let n = trace.slices.len() as f64;
    let index = Index::build(&trace);
    let build = Times::of(3, || Index::build(&trace));
    println!("{n:9} slices  build       {build}  {:.1} ns per slice", build.min().as_secs_f64() * 1e9 / n);
    let bytes = index.bytes() as f64;
    println!("{n:9} slices  index       {:.1} MiB  {:.3} bytes per slice", bytes / 1_048_576.0, bytes / n);
    for zoom in [1.0, 0.1, 0.01, 0.001, 0.0001] {
        let times = query_rows(&trace, &index, zoom);
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        let each = us(times.median()) * 1e3 / trace.rows.len() as f64;
        let (min, median, max) = (us(times.min()), us(times.median()), us(times.max()));
        let rows = trace.rows.len();
        println!(
            "{n:9} slices  zoom {zoom:<6} min {min:7.1} us  median {median:7.1} us  max {max:7.1} us \
             for {rows} rows of {COLUMNS} cells  {each:6.0} ns per row"
        );
    }
}

/// Queries all rows in viewports spread over the trace, each of the share `zoom` (0 to 1) of its length.
fn query_rows(trace: &Trace, index: &Index, zoom: f64) -> Times {
    let mut cells = vec![Cell::EMPTY; COLUMNS];
    let len = (trace.span.len() as f64 * zoom) as Ns;
    let free = trace.span.len() - len;
    let mut query = |number: i64| {
        let start = trace.span.start + free / VIEWPORTS * number;
        let span = Span { start, end: start + len };
        let begin = Instant::now();
        for row in trace.rows.ids() {
            index.cells(trace, row, span, &mut cells);
            std::hint::black_box(&mut cells);
        }
        begin.elapsed()
    };
    query(0);
    (0..VIEWPORTS).map(query).collect()
}

/// A trace of about `slices` slices, row by row; each row's slices follow each other with gaps, one in 64 of
/// them long.
fn synthetic(slices: u32) -> Trace {
    let mut trace = Trace::default();
    let mut state = 42_u64;
    let mut below = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(state) * u128::from(n)) >> 64) as i64
    };
    let shares: u32 = LANES * (1..=DEPTH).sum::<u32>();
    // Microseconds between the starts of the deepest row's slices.
    let span = i64::from(slices) / i64::from(shares) * i64::from(DEPTH) * 2_000;
    for (lane, depth) in (0..LANES).flat_map(|lane| (1..=DEPTH).map(move |depth| (lane, depth))) {
        let len = slices / shares * depth;
        let pitch = (span / i64::from(len)) as u64;
        let first = trace.slices.ids().end;
        let mut at = 0;
        for _ in 0..len {
            let step = if below(64) == 0 { pitch * 16 } else { pitch * 4 / 5 };
            let dur = 1 + below(step);
            trace.slices.start.push(at);
            trace.slices.dur.push(dur);
            at += dur + below(step);
        }
        trace.rows.push(Row { lane: LaneId::new(lane), first, len });
        trace.span.end = trace.span.end.max(at);
    }
    trace.main_span = trace.span;
    trace
}
