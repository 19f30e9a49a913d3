//! Compares each query's answers with those of brute force, on random rows.

use super::brute::{Kind, Model, Rng, overlap, touches};
use super::cells::nearest;
use super::{Cell, Columns, RowIndex, Sum, edge};
use crate::model::SliceId;
use proptest::prelude::*;

pub(super) fn cols(m: &Model) -> Columns<'_> {
    Columns { start: &m.start, dur: &m.dur }
}

pub(super) fn index(m: &Model) -> RowIndex {
    RowIndex::build(cols(m), SliceId::new(m.first), m.len)
}

fn models(len: std::ops::Range<usize>) -> impl Strategy<Value = (Kind, Model, u64)> {
    let kinds = vec![Kind::Disjoint, Kind::Overhang, Kind::Tangle, Kind::Epoch, Kind::Extreme];
    (proptest::sample::select(kinds), any::<u64>(), len)
        .prop_map(|(kind, seed, len)| (kind, Model::random(kind, seed, len), seed ^ 0x5555))
}

fn sizes() -> impl Strategy<Value = (Kind, Model, u64)> {
    prop_oneof![models(0..30), models(100..700), models(1800..3000)]
}

/// A random viewport over the row, wide or narrow: its start and end (ns) and its number of cells.
fn view(m: &Model, r: &mut Rng) -> (i64, i64, usize) {
    let (t0, t1) = (m.time(r), m.time(r));
    let n = [1, 2, 7, 10, 50, 300][r.below(6) as usize];
    match r.below(8) {
        0 => (t0, t0.saturating_add(r.below(60)), n),
        1 => (i64::MIN, i64::MAX, n),
        2 => (t0, i64::MAX, n),
        3 => (t0, t1, n),
        _ => (t0.min(t1), t0.max(t1), n),
    }
}

pub(super) const BLANK: Cell = Cell { busy: 0.5, count: 77, dominant: SliceId::new(77) };

fn check_exact(m: &Model, out: &[Cell], t0: i64, t1: i64) -> Result<(), TestCaseError> {
    let n = out.len();
    for (i, got) in out.iter().enumerate() {
        let a = i128::from(edge(t0, t1, n, i));
        let b = i128::from(edge(t0, t1, n, i + 1)).max(a + 1);
        let want = if t0 < t1 { m.cell(a, b) } else { Cell::EMPTY };
        prop_assert_eq!((got.count, got.dominant), (want.count, want.dominant), "cell {}", i);
        prop_assert!((got.busy - want.busy).abs() < 1e-6, "cell {}: {:?} {:?}", i, got, want);
    }
    Ok(())
}

/// The `busy` of the displaced cell `[a, b)` by its definition: each bucket of the lowest level (`1 << bits`
/// ns) is at most full.
fn capped_busy(m: &Model, bits: u32, a: i128, b: i128) -> f64 {
    let mut per = std::collections::BTreeMap::<i128, i128>::new();
    let latest_end = m.slices().map(|(_, s, d)| i128::from(s) + i128::from(d)).max().unwrap_or(0);
    let first = i128::from(m.start[m.first as usize]);
    for (_, s, d) in m.slices() {
        let (lo, hi) =
            (i128::from(s).max(a) >> bits, (i128::from(s) + i128::from(d)).min(b).min(latest_end) >> bits);
        for k in lo.max(first >> bits)..=hi {
            *per.entry(k).or_default() += overlap(s, d, (k << bits).max(a), ((k + 1) << bits).min(b));
        }
    }
    let sum: i128 = per.values().map(|&v| v.min(1 << bits)).sum();
    sum as f64 / (b - a) as f64
}

fn check_mip(
    kind: Kind,
    m: &Model,
    ix: &RowIndex,
    out: &[Cell],
    t0: i64,
    t1: i64,
) -> Result<(), TestCaseError> {
    let n = out.len();
    let (mip, level) = ix.level_for(t0, t1, n).expect("drawn from the mipmap");
    let base = mip.levels()[0].bits;
    let shown = |i: usize| i128::from(nearest(edge(t0, t1, n, i), level.bits)) << level.bits;
    let span = i128::from(t1) - i128::from(t0);
    for (i, got) in out.iter().enumerate() {
        let (a, b) = (shown(i), shown(i + 1));
        let moved = (a - i128::from(edge(t0, t1, n, i))).abs();
        prop_assert!(moved * 8 * n as i128 <= span, "edge {} moved by {}", i, moved);
        prop_assert!(a < b);
        let starts = m.slices().filter(|x| (a..b).contains(&i128::from(x.1))).count() as u32;
        let run_in = m.slices().filter(|&(_, s, d)| i128::from(s) < a && touches(s, d, a, b)).count() as u32;
        prop_assert_eq!(got.count, starts + run_in.min(2), "cell {}", i);
        if got.count == 0 {
            prop_assert_eq!(*got, Cell::EMPTY);
            continue;
        }
        let busy = capped_busy(m, base, a, b);
        prop_assert!((f64::from(got.busy) - busy).abs() < 1e-3, "cell {}: {} {}", i, got.busy, busy);
        prop_assert!((got.busy > 0.0) == (busy > 0.0) && got.busy <= 1.0);
        prop_assert_ne!(got.dominant, SliceId::NONE);
        let (start, dur) = (m.start[got.dominant.index()], m.dur[got.dominant.index()]);
        prop_assert!(touches(start, dur, a, b), "cell {}: dominant {:?} is elsewhere", i, got.dominant);
        let best = m.slices().map(|(_, s, d)| overlap(s, d, a, b)).max().unwrap_or(0);
        let got = overlap(start, dur, a, b);
        prop_assert!((got > 0) == (best > 0));
        if kind == Kind::Disjoint {
            prop_assert!(got * 2 + best / 500 >= best, "cell {}: covers {} of {}", i, got, best);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cells_show_what_covers_them((kind, m, seed) in sizes()) {
        let (ix, mut r) = (index(&m), Rng::new(seed));
        for _ in 0..8 {
            let (t0, t1, n) = view(&m, &mut r);
            let mut out = vec![BLANK; n];
            ix.cells(cols(&m), t0, t1, &mut out);
            let narrow = t0 >= t1 || i128::from(t1) - i128::from(t0) < n as i128;
            let exact = narrow || ix.level_for(t0, t1, n).is_none();
            if exact { check_exact(&m, &out, t0, t1)? } else { check_mip(kind, &m, &ix, &out, t0, t1)? }
        }
    }

    #[test]
    fn steps_and_hits((_, m, seed) in sizes()) {
        let (ix, mut r, c) = (index(&m), Rng::new(seed), cols(&m));
        for k in 0..40 {
            let t = match k { 0 => i64::MIN, 1 => i64::MAX, _ => m.time(&mut r) };
            prop_assert_eq!(ix.at(c, t), m.at(t), "at {}", t);
            prop_assert_eq!(ix.nearest(c, t), m.nearest(t), "nearest {}", t);
            prop_assert_eq!(ix.first_from(c, t), m.slices().find(|x| x.1 >= t).map(|x| x.0));
            prop_assert_eq!(ix.last_before(c, t), m.slices().rev().find(|x| x.1 < t).map(|x| x.0));
            let end = match k { 2 => i64::MAX, 3 => t.saturating_add(1), _ => m.time(&mut r) };
            let any = m.slices().any(|x| t <= x.1 && x.1 < end);
            prop_assert_eq!(ix.has_start(c, t, end), any, "{}..{}", t, end);
        }
    }

    #[test]
    fn sums((_, m, seed) in sizes()) {
        let (ix, mut r, c) = (index(&m), Rng::new(seed), cols(&m));
        for _ in 0..20 {
            let (t0, t1, _) = view(&m, &mut r);
            prop_assert_eq!(ix.sum(c, t0, t1), m.sum(t0, t1), "{}..{}", t0, t1);
        }
        prop_assert_eq!(ix.sum(c, 5, 5), Sum { busy: 0, count: 0, longest: SliceId::NONE });
    }

    #[test]
    fn gaps((_, m, seed) in prop_oneof![models(0..30), models(100..700)]) {
        let (ix, mut r, c, gaps) = (index(&m), Rng::new(seed), cols(&m), m.gaps());
        let long = |g: &(i64, i64), min: i64| i128::from(g.1) - i128::from(g.0) >= i128::from(min);
        for _ in 0..40 {
            let t = m.time(&mut r);
            // Half the time a length that occurs, or one more than it.
            let min = match gaps.get(r.below(2 * gaps.len() as i64) as usize) {
                Some(g) => g.1.saturating_sub(g.0).saturating_add(r.below(2)),
                None => r.below(400) - 2,
            };
            let next = gaps.iter().find(|g| g.0 >= t && long(g, min)).copied();
            let prev = gaps.iter().rev().find(|g| g.1 <= t && long(g, min)).copied();
            prop_assert_eq!(ix.next_gap(c, t, min), next, "next {} {}", t, min);
            prop_assert_eq!(ix.prev_gap(c, t, min), prev, "prev {} {}", t, min);
        }
    }
}

/// Draws viewports from each level of the mipmap, for each kind of row, and compares their cells with brute
/// force.
#[test]
fn cells_from_the_mipmap_show_their_displaced_spans() {
    for kind in [Kind::Disjoint, Kind::Overhang, Kind::Tangle, Kind::Epoch, Kind::Extreme] {
        let mut by_level = [0; 3];
        for seed in 0..60 {
            let m = Model::random(kind, seed, if seed % 6 == 0 { 20_000 } else { 2_500 });
            let (ix, mut r) = (index(&m), Rng::new(seed));
            for _ in 0..30 {
                let (t0, t1, n) = view(&m, &mut r);
                if t0 >= t1 {
                    continue;
                }
                let Some((mip, level)) = ix.level_for(t0, t1, n) else { continue };
                by_level[((level.bits - mip.levels()[0].bits) / 2).min(2) as usize] += 1;
                let mut out = vec![BLANK; n];
                ix.cells(cols(&m), t0, t1, &mut out);
                let checked = check_mip(kind, &m, &ix, &out, t0, t1);
                checked.unwrap_or_else(|e| panic!("{kind:?} {seed} {t0} {t1} {n}: {e}"));
            }
        }
        // Where one slice lies far off, the row is one bucket, which only a view of the whole span is coarse
        // enough for.
        let least = if kind == Kind::Epoch { [0, 0, 0] } else { [20, 20, 20] };
        assert!(by_level.iter().zip(least).all(|(&a, b)| a >= b), "{kind:?} {by_level:?}");
    }
}

#[test]
fn edges_divide_without_overflow() {
    assert_eq!((0..=3).map(|i| edge(-5, 5, 3, i)).collect::<Vec<_>>(), [-5, -2, 1, 5]);
    assert_eq!(edge(i64::MIN, i64::MAX, 2, 1), -1);
    assert_eq!(edge(i64::MIN, i64::MAX, 7, 7), i64::MAX);
    assert_eq!(edge(3, 9, 0, 5), 3);
}

#[test]
fn cells_narrower_than_a_nanosecond_show_their_nanosecond() {
    let c = Columns { start: &[10, 12], dur: &[1, 0] };
    let mut out = [BLANK; 8];
    RowIndex::build(c, SliceId::new(0), 2).cells(c, 10, 14, &mut out);
    let seen: Vec<_> = out.iter().map(|x| (x.busy, x.count, x.dominant.get())).collect();
    let (on, off, dot) = ((1.0, 1, 0), (0.0, 0, SliceId::NONE.get()), (0.0, 1, 1));
    assert_eq!(seen, [on, on, off, off, dot, dot, off, off]);
}

#[test]
fn a_far_slice_costs_no_buckets_and_the_mipmap_serves_the_rest() {
    for kind in [Kind::Disjoint, Kind::Epoch, Kind::Extreme] {
        let m = Model::random(kind, 3, 100_000);
        let ix = index(&m);
        assert!(ix.bytes() < 100_000, "{kind:?}: {} bytes", ix.bytes());
        let last = m.start[m.len as usize - 1];
        let (t0, t1) = (m.start[m.first as usize + 1], last);
        assert_eq!(ix.level_for(t0, t1, 40).is_some(), kind != Kind::Epoch, "{kind:?}");
    }
}

#[test]
fn columns_that_do_not_fit_are_an_empty_row() {
    let m = Model::random(Kind::Disjoint, 1, 1000);
    let ix = index(&m);
    let none = Columns { start: &[], dur: &[] };
    let mut out = [BLANK; 3];
    ix.cells(none, 0, 1000, &mut out);
    assert_eq!(out, [Cell::EMPTY; 3]);
    assert_eq!((ix.at(none, 0), ix.nearest(none, 0), ix.next_gap(none, 0, 1)), (None, None, None));
    assert_eq!((ix.prev_gap(none, 0, 1), ix.sum(none, 0, 9).count), (None, 0));
    assert_eq!(RowIndex::build(none, SliceId::new(5), 9).first_from(cols(&m), 0), None);
}
