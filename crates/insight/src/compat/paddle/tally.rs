//! A map that iterates in the order in which its keys were first seen, so equal rows keep the order of first
//! occurrence.
//!
//! Must not know the meaning of keys and values.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values by key, in the order in which the keys were first seen.
#[derive(Clone, Debug)]
pub(in crate::compat) struct Tally<K, V> {
    /// The index of each key in `items`.
    index: FxHashMap<K, usize>,
    items: Vec<(K, V)>,
}

impl<K, V> Default for Tally<K, V> {
    fn default() -> Self {
        Self { index: FxHashMap::default(), items: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash, V: Default> Tally<K, V> {
    /// The value of `key`; a new key is added with the default value.
    pub(in crate::compat) fn of(&mut self, key: K) -> &mut V {
        let next = self.items.len();
        let at = *self.index.entry(key).or_insert(next);
        if at == next {
            self.items.push((key, V::default()));
        }
        &mut self.items[at].1
    }

    /// The value of `key`; None if the key was not added.
    pub(in crate::compat) fn get(&self, key: K) -> Option<&V> {
        self.index.get(&key).map(|&at| &self.items[at].1)
    }

    pub(in crate::compat) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub(in crate::compat) fn len(&self) -> usize {
        self.items.len()
    }

    pub(in crate::compat) fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.items.iter()
    }

    pub(in crate::compat) fn into_items(self) -> Vec<(K, V)> {
        self.items
    }
}
