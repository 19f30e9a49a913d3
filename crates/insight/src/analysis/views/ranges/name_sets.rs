//! Sets of names, numbered: each distinct set is kept once, and a larger set is made from a smaller one by a
//! name.
//!
//! Must not know what the names are of.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

// Without this limit, the sets of ranges nested in each other would take memory with the square of their
// number.
/// The most names that a set can have; further names are not added.
pub(super) const MOST_NAMES: usize = 128;

/// The number of a set in [`NameSets`].
pub(super) type SetId = u32;

/// Distinct sets of names, each kept once and known by a number.
pub(super) struct NameSets {
    /// The names of each set, by ascending id; the index is the set's number.
    sets: Vec<Vec<StrId>>,
    numbers: FxHashMap<Vec<StrId>, SetId>,
    /// The results of the method `with` so far, by set and name.
    with: FxHashMap<(SetId, StrId), SetId>,
    /// True once a name was not added to a set, since the set had [`MOST_NAMES`] other names.
    pub is_cut: bool,
}

impl NameSets {
    /// The number of the set without names.
    pub(super) const EMPTY: SetId = 0;

    pub(super) fn new() -> Self {
        let numbers = std::iter::once((Vec::new(), Self::EMPTY)).collect();
        Self { sets: vec![Vec::new()], numbers, with: FxHashMap::default(), is_cut: false }
    }

    /// The number of the set that has `name` and the names of `set`; `set` itself if `set` has
    /// [`MOST_NAMES`] names.
    pub(super) fn with(&mut self, set: SetId, name: StrId) -> SetId {
        if let Some(&known) = self.with.get(&(set, name)) {
            return known;
        }
        let names = &self.sets[set as usize];
        let found = match names.binary_search(&name) {
            Ok(_) => set,
            Err(_) if names.len() >= MOST_NAMES => {
                self.is_cut = true;
                set
            }
            Err(at) => {
                let mut names = names.clone();
                names.insert(at, name);
                let next = saturate::<SetId>(self.sets.len());
                let sets = &mut self.sets;
                *self.numbers.entry(names).or_insert_with_key(|names| {
                    sets.push(names.clone());
                    next
                })
            }
        };
        self.with.insert((set, name), found);
        found
    }

    /// The names of the set with this number, by ascending id.
    pub(super) fn names(&self, set: SetId) -> &[StrId] {
        &self.sets[set as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_many_names_grows_no_further() {
        let mut sets = NameSets::new();
        let all =
            (1..=MOST_NAMES).map(StrId::from_index).fold(NameSets::EMPTY, |set, name| sets.with(set, name));
        assert_eq!((sets.names(all).len(), sets.is_cut), (MOST_NAMES, false));
        assert_eq!((sets.with(all, StrId::new(7)), sets.is_cut), (all, false));
        assert_eq!((sets.with(all, StrId::from_index(1 + MOST_NAMES)), sets.is_cut), (all, true));
    }

    #[test]
    fn equal_sets_have_one_number() {
        let mut sets = NameSets::new();
        let mut of =
            |names: &[u32]| names.iter().fold(NameSets::EMPTY, |set, &name| sets.with(set, StrId::new(name)));
        let both = of(&[7, 3]);
        assert_eq!((of(&[3, 7]), of(&[3, 7, 3])), (both, both));
        assert_ne!(of(&[3]), both);
        assert_eq!((sets.names(both), sets.names(NameSets::EMPTY)), (&[3, 7].map(StrId::new)[..], &[][..]));
    }
}
