//! The bytes of copies and memsets: finds the slice of each by its origin.
//!
//! Must not know how files state them.

use rayon::prelude::*;

use crate::model::{Category, Copied, SliceId, Slices};

use super::input::CopiedBytes;

/// Makes the column of the bytes of copies and memsets; bytes of other slices, and of slices that were dropped, are left out.
pub(super) fn copied(mut stated: Vec<CopiedBytes>, slices: &Slices) -> Copied {
    if stated.is_empty() {
        return Copied::default();
    }
    stated.sort_by_key(|copied| copied.origin);
    let is_copy: Vec<bool> = (0..=u8::MAX).map(|category| is_copy(Category::from_u8(category))).collect();
    let ids = (0..slices.len() as SliceId).into_par_iter().with_min_len(1 << 14);
    let entry = |id: SliceId| {
        if !is_copy[slices.category[id as usize] as usize] {
            return None;
        }
        let origin = slices.origin[id as usize];
        let at = stated.binary_search_by_key(&origin, |copied| copied.origin).ok()?;
        Some((id, stated[at].bytes))
    };
    Copied::new(ids.filter_map(entry).collect())
}

fn is_copy(category: Category) -> bool {
    matches!(category, Category::Memcpy | Category::Memset)
}
