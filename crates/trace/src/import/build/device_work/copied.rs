//! The bytes of copies and memsets: finds the slice of each by its origin.
//!
//! Must not know how files state them.

use crate::model::{Category, Copied, SliceId, Slices};
use proftui_base::heap::{self, NoMemory};

use crate::import::build::input::CopiedBytes;

/// Makes the column of the bytes of those copies and memsets among `slices` whose bytes are `stated`.
///
/// # Errors
/// When there is no memory for the column.
pub(crate) fn copied(mut stated: Vec<CopiedBytes>, slices: &Slices) -> Result<Copied, NoMemory> {
    if stated.is_empty() {
        return Ok(Copied::default());
    }
    stated.sort_unstable_by_key(|copied| copied.origin);
    let is_copy: Vec<bool> = (0..=u8::MAX).map(|category| is_copy(Category::from_u8(category))).collect();
    let mut entries: Vec<(SliceId, u64)> = Vec::new();
    heap::try_reserve(&mut entries, stated.len())?;
    for (id, _) in slices.category.iter_with_ids().filter(|&(_, &category)| is_copy[usize::from(category)]) {
        let origin = slices.origin[id];
        if let Ok(at) = stated.binary_search_by_key(&origin, |copied| copied.origin) {
            heap::try_push(&mut entries, (id, stated[at].bytes))?;
        }
    }
    Ok(Copied::new(entries))
}

fn is_copy(category: Category) -> bool {
    matches!(category, Category::Memcpy | Category::Memset)
}
