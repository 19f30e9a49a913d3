//! Interned strings: one copy of each distinct string, referred to by a number.
//!
//! Keeps the original bytes, which export and comparison need; text to show is made through [`SafeText`].
//! Must not know what the strings mean.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::heap::{self, NoMemory};
use super::ids::{Column, Ids};
use super::text::SafeText;

crate::numbered! {
    /// The number of a string in its [`Interner`].
    pub struct StrId(u32);
}

impl StrId {
    /// The number of the empty string.
    pub const EMPTY: Self = Self::new(0);
    /// A number that stands for the absence of a string; no string has it.
    pub const NONE: Self = Self::new(u32::MAX);
}

/// Distinct byte strings, numbered from 0 in the order in which they are added; number 0 is the empty string.
#[derive(Clone, Debug)]
pub struct Interner {
    /// All strings, one after the other.
    bytes: Vec<u8>,
    /// `ends[i]` is the offset in `bytes` at which string `i` ends.
    ends: Column<StrId, usize>,
    /// Hash table from the bytes of a string to its number.
    table: HashTable<StrId>,
}

impl Default for Interner {
    fn default() -> Self {
        let mut interner = Self { bytes: Vec::new(), ends: Column::new(), table: HashTable::new() };
        interner.intern(b"");
        interner
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: StrId) -> &'a [u8] {
    let at = id.index();
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start..ends[at]]
}

impl Interner {
    /// Returns the number of `text`, which is added if it is new.
    pub fn intern(&mut self, text: &[u8]) -> StrId {
        let hash_of = hash(text);
        self.known(hash_of, text).unwrap_or_else(|| self.add(hash_of, text))
    }

    /// Does what [`Interner::intern`] does, but returns an error if there is no memory to add `text`.
    ///
    /// # Errors
    /// When `text` is new and there is no memory to add it; it is not added then.
    pub fn try_intern(&mut self, text: &[u8]) -> Result<StrId, NoMemory> {
        let hash_of = hash(text);
        if let Some(id) = self.known(hash_of, text) {
            return Ok(id);
        }
        heap::try_grow(&mut self.bytes, text.len())?;
        heap::try_grow(self.ends.as_mut_vec(), 1)?;
        let (bytes, ends) = (&self.bytes, &self.ends);
        let rehash = |&id: &StrId| hash(slice(bytes, ends, id));
        heap::fallible(|| self.table.try_reserve(1, rehash)).map_err(|_| NoMemory)?;
        Ok(self.add(hash_of, text))
    }

    #[inline]
    fn known(&self, hash_of: u64, text: &[u8]) -> Option<StrId> {
        self.table.find(hash_of, |&id| slice(&self.bytes, &self.ends, id) == text).copied()
    }

    /// Adds `text`, which must be new and have the hash `hash_of`; returns its number.
    fn add(&mut self, hash_of: u64, text: &[u8]) -> StrId {
        self.bytes.extend_from_slice(text);
        let id = self.ends.push(self.bytes.len());
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.table.insert_unique(hash_of, id, |&id| hash(slice(bytes, ends, id)));
        id
    }

    /// The number of `text`; `None` if it was never added.
    pub fn find(&self, text: &[u8]) -> Option<StrId> {
        self.known(hash(text), text)
    }

    /// The original bytes of the string with number `id`.
    ///
    /// # Panics
    /// When no string has this number.
    pub fn bytes(&self, id: StrId) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    /// The string with the number `id`, made safe to show by [`SafeText::from_bytes`].
    ///
    /// # Panics
    /// When no string has this number.
    pub fn text(&self, id: StrId) -> SafeText<'_> {
        SafeText::from_bytes(self.bytes(id))
    }

    /// The total length of all strings, bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The numbers of all strings, from 0.
    pub fn ids(&self) -> Ids<StrId> {
        self.ends.ids()
    }

    /// How many distinct strings there are, the empty one included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never true: the empty string is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_number() {
        let mut names = Interner::default();
        let a = names.intern(b"aten::mm");
        let b = names.intern(b"aten::addmm");
        assert_ne!(a, b);
        assert_eq!(names.intern(b"aten::mm"), a);
        assert_eq!(names.bytes(b), b"aten::addmm");
        assert_eq!(names.intern(b""), StrId::EMPTY);
        assert_eq!(names.find(b"nope"), None);
        assert_eq!(names.find(b"aten::addmm"), Some(b));
    }

    #[test]
    fn many_strings_survive_growth() {
        let mut names = Interner::default();
        let ids: Vec<_> = (0..10_000).map(|i| names.intern(format!("name {i}").as_bytes())).collect();
        for (i, id) in ids.into_iter().enumerate() {
            assert_eq!(names.bytes(id), format!("name {i}").as_bytes());
        }
    }

    #[test]
    fn original_bytes_are_kept_and_shown_safely() {
        let mut names = Interner::default();
        let id = names.intern(b"\x1b[31mred\xff");
        assert_eq!(names.bytes(id), b"\x1b[31mred\xff");
        assert_eq!(names.text(id).as_str(), "\\x1b[31mred\u{fffd}");
    }
}
