//! Finds how many of the earliest events fit into a given memory.
//!
//! Must not know what the events are.

use crate::import::build::bound::Key;

/// Number of parts into which a range of keys is divided in one pass.
const PARTS: usize = 1 << 12;
/// Most records of a part that is sorted by key instead of divided again.
const SORTED_KEYS: u64 = 1 << 12;

/// The first key whose records do not fit into `room` bytes after all smaller keys; `None` when all fit.
/// `walk` must call its argument with each record's key and bytes.
pub(crate) fn first_beyond(room: u64, walk: impl Fn(&mut dyn FnMut(Key, u64))) -> Option<Key> {
    let (mut least, mut most, mut total) = (u128::MAX, 0, 0_u64);
    walk(&mut |key, cost| {
        (least, most) = (least.min(key.bits()), most.max(key.bits()));
        total = total.saturating_add(cost);
    });
    if total <= room {
        return None;
    }
    let mut left = room;
    loop {
        let bits = u128::BITS - (most - least).leading_zeros();
        let shift = bits.saturating_sub(PARTS.ilog2());
        let mut parts = vec![(0_u64, 0_u64); PARTS];
        walk(&mut |key, cost| {
            if (least..=most).contains(&key.bits()) {
                let part = &mut parts[((key.bits() - least) >> shift) as usize];
                *part = (part.0.saturating_add(cost), part.1 + 1);
            }
        });
        // The part in which the room ends: there is one, since all of them do not fit.
        let mut at = 0;
        while at + 1 < PARTS && parts[at].0 <= left {
            left -= parts[at].0;
            at += 1;
        }
        least += (at as u128) << shift;
        most = most.min(least + ((1 << shift) - 1));
        if shift == 0 {
            return Some(Key::from_bits(least));
        }
        if parts[at].1 <= SORTED_KEYS {
            return Some(Key::from_bits(first_of_few(least, most, left, walk)));
        }
    }
}

/// The first of the few keys from `least` to `most` that does not fit into `left` bytes after all smaller
/// keys in that range; `most` when all fit.
fn first_of_few(least: u128, most: u128, mut left: u64, walk: impl Fn(&mut dyn FnMut(Key, u64))) -> u128 {
    let mut few = Vec::new();
    walk(&mut |key, cost| {
        if (least..=most).contains(&key.bits()) {
            few.push((key.bits(), cost));
        }
    });
    few.sort_unstable();
    for same in few.chunk_by(|a, b| a.0 == b.0) {
        let cost = same.iter().fold(0_u64, |sum, &(_, cost)| sum.saturating_add(cost));
        match left.checked_sub(cost) {
            Some(rest) => left = rest,
            None => return same[0].0,
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;
    use proptest::prelude::*;

    /// What [`first_beyond`] gives, by sorting.
    fn slow(room: u64, records: &[(Key, u64)]) -> Option<Key> {
        let mut sorted = records.to_vec();
        sorted.sort_unstable();
        let mut sum = 0;
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            sum += same.iter().map(|&(_, cost)| cost).sum::<u64>();
            if sum > room {
                return Some(same[0].0);
            }
        }
        None
    }

    fn fast(room: u64, records: &[(Key, u64)]) -> Option<Key> {
        first_beyond(room, |each| records.iter().for_each(|&(key, cost)| each(key, cost)))
    }

    #[test]
    fn many_events_at_one_time_are_divided_by_their_origin() {
        let records: Vec<_> = (0..50_000).map(|at| (Key::new(7, Origin::new(0, at * 100)), 10)).collect();
        for room in [0, 9, 10, 333_333, 499_999, 500_000] {
            assert_eq!(fast(room, &records), slow(room, &records), "{room}");
        }
    }

    proptest! {
        #[test]
        fn it_is_what_sorting_gives(
            records in prop::collection::vec((prop_oneof![-3..3_i64, any::<i64>()], 0..5_u64, 0..1000_u64), 0..300),
            room in 0..200_000_u64,
            times in 1..40_usize,
        ) {
            let records: Vec<_> =
                records.iter().map(|&(ts, offset, cost)| (Key::new(ts, Origin::new(0, offset)), cost)).collect();
            let records = records.repeat(times);
            prop_assert_eq!(fast(room, &records), slow(room, &records));
        }
    }
}
