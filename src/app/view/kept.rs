//! Values that are made when first asked for and kept while what they were made from stays the same.
//!
//! Must not know what they are.

use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values `V` of items `I`, kept while they are asked for with the same `K`.
#[derive(Debug)]
pub(crate) struct Kept<K, I, V>(RefCell<(Option<K>, FxHashMap<I, V>)>);

impl<K, I, V> Default for Kept<K, I, V> {
    fn default() -> Self {
        Self(RefCell::new((None, FxHashMap::default())))
    }
}

impl<K: PartialEq, I: Eq + Hash, V: Clone> Kept<K, I, V> {
    /// The value of the item `of`, made by `make` unless a value made from an equal `from` is kept. `make`
    /// must not ask this [`Kept`] for a value.
    pub(crate) fn get(&self, from: K, of: I, make: impl FnOnce() -> V) -> V {
        {
            let (made_from, values) = &mut *self.0.borrow_mut();
            if made_from.as_ref() != Some(&from) {
                values.clear();
                *made_from = Some(from);
            }
            if let Some(value) = values.get(&of) {
                return value.clone();
            }
        }
        let value = make();
        self.0.borrow_mut().1.insert(of, value.clone());
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_for_what_it_is_made_from() {
        let (kept, mut made) = (Kept::default(), 0);
        let mut get = |from: u8, of: u8| {
            let value = kept.get(from, of, || {
                made += 1;
                (from, of)
            });
            assert_eq!(value, (from, of));
            made
        };
        assert_eq!([get(1, 1), get(1, 2), get(1, 1), get(1, 2)], [1, 2, 2, 2]);
        assert_eq!([get(2, 1), get(2, 1), get(1, 1)], [3, 3, 4]);
    }
}
