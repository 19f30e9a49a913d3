//! Compares the index of a loaded trace with brute-force versions of its queries.

use proftui_base::time::Span;
use proftui_trace::index::{Cell, Index, Sum, edge};
use proftui_trace::model::{RowId, SliceId, Trace};

#[path = "../../crates/trace/src/index/brute.rs"]
#[allow(dead_code, clippy::pedantic, reason = "the main crate's own, of which a part is used here")]
mod brute;

use brute::{Model, Rng};

/// Runs a few random queries on one random row of the index, and compares their answers.
pub fn check(trace: &Trace, index: &Index, seed: u64) {
    if trace.rows.is_empty() {
        return;
    }
    let mut random = Rng::new(seed);
    let number = RowId::from_index(random.below(trace.rows.len() as i64) as usize);
    let row = trace.rows[number];
    let slices = &trace.slices;
    let (start, dur) = (slices.start.to_vec(), slices.dur.to_vec());
    let model = Model { start, dur, first: row.first.get(), len: row.len };
    let gaps = if row.len < 200 { model.gaps() } else { Vec::new() };
    for _ in 0..4 {
        let (a, b) = (model.time(&mut random), model.time(&mut random));
        let (t, min) = (a, random.below(3000));
        assert_eq!(index.at(trace, number, t), model.at(t), "at {t}");
        assert_eq!(index.nearest(trace, number, t), model.nearest(t), "nearest {t}");
        let first = model.slices().find(|&(_, start, _)| start >= t).map(|slice| slice.0);
        assert_eq!(index.first_from(trace, number, t), first, "first from {t}");
        let last = model.slices().rev().find(|&(_, start, _)| start < t).map(|slice| slice.0);
        assert_eq!(index.last_before(trace, number, t), last, "last before {t}");
        if row.len < 200 {
            let is_long = |&&(from, to): &&(i64, i64)| to.saturating_sub(from) >= min.max(1);
            let next = gaps.iter().filter(is_long).find(|gap| gap.0 >= t);
            let next = next.map(|&(start, end)| Span { start, end });
            assert_eq!(index.next_gap(trace, number, t, min), next, "gap from {t} of {min}");
            let prev = gaps.iter().filter(is_long).rfind(|gap| gap.1 <= t);
            let prev = prev.map(|&(start, end)| Span { start, end });
            assert_eq!(index.prev_gap(trace, number, t, min), prev, "gap before {t} of {min}");
        }
        let (t0, t1) = if random.below(8) == 0 { (i64::MIN, i64::MAX) } else { (a, b) };
        assert_eq!(index.sum(trace, number, Span { start: t0, end: t1 }), model.sum(t0, t1), "sum {t0} {t1}");
        cells(trace, index, number, &model, (t0, t1), &mut random);
    }
}

fn cells(trace: &Trace, index: &Index, row: RowId, model: &Model, (t0, t1): (i64, i64), random: &mut Rng) {
    let blank = Cell { busy: 0.5, count: 77, dominant: SliceId::new(77) };
    let mut out = vec![blank; [1, 2, 7, 50][random.below(4) as usize]];
    let n = out.len();
    index.cells(trace, row, Span { start: t0, end: t1 }, &mut out);
    // With more slices per cell the answer may come from the mipmap, which is approximate.
    if model.len as usize > 12 * n {
        return;
    }
    for (i, got) in out.iter().enumerate() {
        let a = i128::from(edge(t0, t1, n, i));
        let b = i128::from(edge(t0, t1, n, i + 1)).max(a + 1);
        let want = if t0 < t1 { model.cell(a, b) } else { Cell::EMPTY };
        assert_eq!((got.count, got.dominant), (want.count, want.dominant), "cell {i} of {n} in {t0} {t1}");
        assert!((got.busy - want.busy).abs() < 1e-6, "cell {i} of {n} in {t0} {t1}: {got:?} {want:?}");
    }
}
