//! Bytes of copies and memsets, a sparse column: few slices have them.
//!
//! Must not know how files are read.

use super::SliceId;
use proftui_base::saturate::saturate;

/// The bytes of each copy and memset whose event states them.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Copied {
    /// Slice and bytes, ascending by slice.
    entries: Vec<(SliceId, u64)>,
}

impl Copied {
    /// Makes the column from pairs of a slice and its bytes, which must ascend by slice.
    pub fn new(entries: Vec<(SliceId, u64)>) -> Self {
        debug_assert!(entries.is_sorted_by_key(|entry| entry.0));
        Self { entries }
    }

    /// The bytes that a copy moved or a memset wrote; `None` for other slices, and where the file does not
    /// state them.
    pub fn bytes(&self, id: SliceId) -> Option<u64> {
        let at = self.entries.binary_search_by_key(&id, |entry| entry.0).ok()?;
        Some(self.entries[at].1)
    }
}

/// The bytes of a copy or memset, from the number `printed`, which may have only their lower 32 bits. Higher
/// bits are then estimated from `bandwidth` (GB/s) and `dur` (ns).
pub fn unwrapped_bytes(printed: i64, bandwidth: Option<f64>, dur: u64) -> u64 {
    let low = printed.cast_unsigned() & u64::from(u32::MAX);
    if printed > i64::from(u32::MAX) {
        return printed.cast_unsigned();
    }
    let about = bandwidth.unwrap_or_default() * dur as f64;
    let wraps = ((about - low as f64) / 2f64.powi(32)).round().max(0.0);
    low.saturating_add(saturate::<u64>(wraps) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_without_bytes_have_none() {
        let copied = Copied::new(vec![(SliceId::new(2), 512), (SliceId::new(5), 0)]);
        assert_eq!(
            [1, 2, 3, 5, 6].map(|id| copied.bytes(SliceId::new(id))),
            [None, Some(512), None, Some(0), None]
        );
    }

    #[test]
    fn large_copies_have_their_bytes_back() {
        let copied = 5_000_000_123_u64;
        let printed = i64::from(copied as u32 as i32);
        let dur = 400_000_000;
        assert_eq!(unwrapped_bytes(printed, Some(12.5), dur), copied);
        assert_eq!(unwrapped_bytes(-1, None, dur), u64::from(u32::MAX));
        assert_eq!(unwrapped_bytes(4096, Some(0.01), 300_000), 4096);
    }
}
