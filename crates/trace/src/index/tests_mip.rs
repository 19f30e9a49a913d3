//! The buckets of the mipmap, and hand-made rows that are drawn from them.

use super::Cell;
use super::brute::{Kind, Model, overlap};
use super::mip::NO_RANK;
use super::tests::{BLANK, cols, index};
use super::tree::{code, decode};
use crate::model::SliceId;

#[test]
fn each_bucket_names_what_covers_most_of_it() {
    for seed in 0..40 {
        let m = Model::random(Kind::Disjoint, seed, 2000);
        let ix = index(&m);
        let levels = ix.mip.as_ref().expect("long enough").levels();
        assert!(levels.len() > 1);
        for level in levels {
            for (k, bucket) in (level.origin..).zip(&level.buckets) {
                let (from, to) = (i128::from(k) << level.bits, i128::from(k + 1) << level.bits);
                let want = m.cell(from, to);
                assert_eq!(bucket.dominant == NO_RANK, want.count == 0);
                if want.count > 0 {
                    let covers = |id: SliceId| overlap(m.start[id.index()], m.dur[id.index()], from, to);
                    let most = covers(want.dominant);
                    assert_eq!(covers(SliceId::new(m.first + bucket.dominant)), most, "seed {seed}");
                    assert_eq!(bucket.covered, code(most as i64));
                    assert!((f32::from(bucket.busy) / 65535.0 - want.busy).abs() < 1e-4);
                }
            }
        }
    }
}

#[test]
fn a_slice_over_many_buckets_outweighs_one_that_fills_a_bucket() {
    let mut start: Vec<i64> = (0..1000).map(|i| i * 2).collect();
    let mut dur = vec![1; 1000];
    start.extend([2048, 4096]);
    dur.extend([2048, 12_000]);
    let m = Model { start, dur, first: 0, len: 1002 };
    let ix = index(&m);
    assert_eq!(ix.level_for(0, 16_096, 1).map(|l| l.1.bits), Some(11));
    let mut out = [BLANK];
    ix.cells(cols(&m), 0, 16_096, &mut out);
    assert_eq!((out[0].dominant, out[0].count), (SliceId::new(1001), 1002));
}

#[test]
fn a_slice_that_ends_at_a_buckets_edge_does_not_touch_the_next() {
    let mut start: Vec<i64> = (0..1000).map(|i| i * 2).collect();
    let mut dur = vec![1; 1000];
    start.extend([1500, 16_000]);
    dur.extend([548, 96]);
    start.sort_unstable();
    let at = start.iter().rposition(|&s| s == 1500).expect("it is there");
    dur.swap(at, 1000);
    let m = Model { start, dur, first: 0, len: 1002 };
    let ix = index(&m);
    assert_eq!(ix.level_for(0, 16_384, 8).map(|l| l.1.bits), Some(9));
    let mut out = [BLANK; 8];
    ix.cells(cols(&m), 0, 16_384, &mut out);
    assert!(out[0].busy > 0.4 && out[7].count == 1);
    assert_eq!(out[1..7], [Cell::EMPTY; 6]);
}

#[test]
fn a_code_keeps_order_and_three_digits() {
    let mut last = 0;
    for ns in (0..63).flat_map(|b| [(1i64 << b) - 1, 1 << b, (1 << b) + (1 << b >> 1)]) {
        assert!(code(ns) >= last, "{ns}");
        last = code(ns);
        assert!((f64::from(decode(last)) - ns as f64).abs() <= ns as f64 / 1000.0, "{ns}");
    }
    assert_eq!((code(0), code(-5), decode(0)), (0, 0, 0.0));
    assert!(code(1) > 0 && code(i64::MAX) >= last);
}
