//! Numbers as types: an id says what it numbers, a range of ids is walked, and a column is indexed by ids.
//!
//! All of it compiles to plain integers and lists. Must not know what is numbered:
//! [`numbered!`](crate::numbered) defines an id beside what it numbers.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut, Range};

/// A type of numbers from 0 on, each of which stands for one thing of a kind.
pub trait Id: Copy + Ord {
    /// The id of the thing at `index`.
    fn from_index(index: usize) -> Self;
    /// The index of the thing.
    fn index(self) -> usize;
}

/// Defines an [`Id`](crate::ids::Id) that is stored as the given unsigned integer: `numbered! { pub struct
/// RowId(u32); }`.
#[macro_export]
macro_rules! numbered {
    ($(#[$docs:meta])* pub struct $Id:ident($Number:ty);) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $Id($Number);

        impl $Id {
            /// Makes the id with this number.
            #[inline]
            pub const fn new(number: $Number) -> Self {
                Self(number)
            }

            /// The id as a plain number.
            #[inline]
            pub const fn get(self) -> $Number {
                self.0
            }

            /// The id of the thing at `index`, which must fit into the id's integer: only debug builds check
            /// that.
            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "checked in debug builds")]
            pub fn from_index(index: usize) -> Self {
                debug_assert!(<$Number>::try_from(index).is_ok(), "an index too large for an id: {index}");
                Self(index as $Number)
            }

            /// The index of the thing.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The number of this id less that of `earlier`; `None` if `earlier` has the larger one.
            #[inline]
            pub const fn checked_sub(self, earlier: Self) -> Option<$Number> {
                self.0.checked_sub(earlier.0)
            }
        }

        impl $crate::ids::Id for $Id {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self::from_index(index)
            }

            #[inline]
            fn index(self) -> usize {
                self.index()
            }
        }

        impl ::std::ops::Add<$Number> for $Id {
            type Output = Self;

            #[inline]
            fn add(self, further: $Number) -> Self {
                Self(self.0 + further)
            }
        }

        impl ::std::ops::Sub for $Id {
            type Output = $Number;

            #[inline]
            fn sub(self, earlier: Self) -> $Number {
                self.0 - earlier.0
            }
        }
    };
}

/// The ids from `start` up to `end`, without `end`. Unlike a [`Range`] of ids, it is `Copy` and can be
/// iterated.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Ids<I> {
    /// The first id, if there is one.
    pub start: I,
    /// The id after the last one; if it is not above `start`, there is no id.
    pub end: I,
}

impl<I: Id> Ids<I> {
    /// The ids of all things in a list of this length.
    #[inline]
    pub fn below(len: usize) -> Self {
        Self { start: I::from_index(0), end: I::from_index(len) }
    }

    /// How many ids there are; 0 if `end` is below `start`.
    #[inline]
    pub fn len(self) -> usize {
        self.indices().len()
    }

    /// True if there is no id.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// True if `id` is in the range.
    #[inline]
    pub fn contains(self, id: I) -> bool {
        self.start <= id && id < self.end
    }

    /// The id at an index counted from the range's start; whether the id is in the range is not checked.
    #[inline]
    pub fn at(self, index: usize) -> I {
        I::from_index(self.start.index() + index)
    }

    /// The range of the ids at `indices`, counted from this range's start; whether they are in this range is
    /// not checked.
    #[inline]
    #[must_use]
    pub fn part(self, indices: Range<usize>) -> Self {
        Self { start: self.at(indices.start), end: self.at(indices.end) }
    }

    /// The ids in their order.
    #[inline]
    pub fn iter(self) -> IdIter<I> {
        IdIter { indices: self.indices(), ids: PhantomData }
    }

    /// The indices of the things whose ids are in the range.
    #[inline]
    pub fn indices(self) -> Range<usize> {
        self.start.index()..self.end.index()
    }
}

impl<I> From<Range<I>> for Ids<I> {
    #[inline]
    fn from(ids: Range<I>) -> Self {
        Self { start: ids.start, end: ids.end }
    }
}

impl<I: fmt::Debug> fmt::Debug for Ids<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}..{:?}", self.start, self.end)
    }
}

impl<I: Id> IntoIterator for Ids<I> {
    type Item = I;
    type IntoIter = IdIter<I>;

    #[inline]
    fn into_iter(self) -> IdIter<I> {
        self.iter()
    }
}

/// Iterator over the ids of an [`Ids`], from either end.
#[derive(Clone, Debug)]
pub struct IdIter<I> {
    indices: Range<usize>,
    ids: PhantomData<I>,
}

impl<I: Id> Iterator for IdIter<I> {
    type Item = I;

    #[inline]
    fn next(&mut self) -> Option<I> {
        self.indices.next().map(I::from_index)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<I> {
        self.indices.nth(n).map(I::from_index)
    }

    #[inline]
    fn fold<B, F: FnMut(B, I) -> B>(self, init: B, mut f: F) -> B {
        self.indices.fold(init, |all, index| f(all, I::from_index(index)))
    }
}

impl<I: Id> DoubleEndedIterator for IdIter<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I> {
        self.indices.next_back().map(I::from_index)
    }
}

impl<I: Id> ExactSizeIterator for IdIter<I> {}

/// A list with one entry for each thing. It is indexed by a thing's id or by a range of ids, and can be used
/// as a slice.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Column<I, T> {
    values: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> Column<I, T> {
    /// Makes a column without entries.
    #[inline]
    pub const fn new() -> Self {
        Self { values: Vec::new(), ids: PhantomData }
    }

    /// Adds an entry at the end, and returns its id.
    #[inline]
    pub fn push(&mut self, value: T) -> I {
        self.values.push(value);
        I::from_index(self.values.len() - 1)
    }

    /// The ids of all entries.
    #[inline]
    pub fn ids(&self) -> Ids<I> {
        Ids::below(self.values.len())
    }

    /// The entries in their order, each with its id.
    #[inline]
    pub fn iter_with_ids(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator + Clone {
        self.values.iter().enumerate().map(|(index, value)| (I::from_index(index), value))
    }

    /// The entry of `id`; `None` if the column has no such entry.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.values.get(id.index())
    }

    /// The entries as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.values
    }

    /// The list of the entries itself, to make it longer or shorter.
    #[inline]
    pub fn as_mut_vec(&mut self) -> &mut Vec<T> {
        &mut self.values
    }
}

impl<I, T> Default for Column<I, T> {
    #[inline]
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Column<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<I, T> From<Vec<T>> for Column<I, T> {
    #[inline]
    fn from(values: Vec<T>) -> Self {
        Self { values, ids: PhantomData }
    }
}

impl<I, T> FromIterator<T> for Column<I, T> {
    #[inline]
    fn from_iter<S: IntoIterator<Item = T>>(values: S) -> Self {
        Self::from(Vec::from_iter(values))
    }
}

impl<I, T> IntoIterator for Column<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a Column<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut Column<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.values.iter_mut()
    }
}

impl<I, T> Deref for Column<I, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.values
    }
}

impl<I, T> DerefMut for Column<I, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<I: Id, T> Index<I> for Column<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.values[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Column<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.index()]
    }
}

impl<I: Id, T> Index<Ids<I>> for Column<I, T> {
    type Output = [T];

    #[inline]
    fn index(&self, ids: Ids<I>) -> &[T] {
        &self.values[ids.indices()]
    }
}

#[cfg(test)]
mod tests {
    #![allow(unreachable_pub, reason = "the macro defines for other crates")]

    use super::*;

    crate::numbered! {
        /// A number for these tests.
        pub struct ThingId(u16);
    }

    #[test]
    fn ids_count_and_compare() {
        let id = ThingId::new(7);
        assert_eq!((id.get(), id.index(), ThingId::from_index(7)), (7, 7, id));
        assert_eq!((id + 2, (id + 2) - id), (ThingId::new(9), 2));
        assert_eq!(((id + 2).checked_sub(id), id.checked_sub(id + 2)), (Some(2), None));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "an index too large for an id: 65536")]
    fn an_index_beyond_the_ids_is_noticed() {
        let _ = ThingId::from_index(1 << 16);
    }

    #[test]
    fn a_range_is_walked_from_both_ends() {
        let ids = Ids::from(ThingId::new(3)..ThingId::new(6));
        assert_eq!((ids.len(), ids.is_empty(), ids.indices()), (3, false, 3..6));
        assert_eq!(ids.iter().map(ThingId::get).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!((ids.at(1), ids.part(1..3)), (ThingId::new(4), Ids::from(ThingId::new(4)..ids.end)));
        assert_eq!(ids.iter().rev().map(ThingId::get).collect::<Vec<_>>(), [5, 4, 3]);
        assert_eq!((ids.iter().len(), ids.iter().nth(1)), (3, Some(ThingId::new(4))));
        assert!(ids.contains(ids.start) && !ids.contains(ids.end) && !ids.contains(ThingId::new(2)));
        let reversed = Ids::from(ids.end..ids.start);
        assert_eq!((reversed.len(), reversed.is_empty(), reversed.iter().next()), (0, true, None));
    }

    #[test]
    fn a_column_is_indexed_by_ids() {
        let mut column = Column::<ThingId, char>::new();
        let ids: Vec<ThingId> = "abc".chars().map(|value| column.push(value)).collect();
        column[ids[1]] = 'B';
        assert_eq!((column[ids[2]], column.get(ids[2] + 1), column.len()), ('c', None, 3));
        assert_eq!(column[Ids::from(ids[1]..ids[2])], ['B']);
        assert_eq!(column.ids().iter().collect::<Vec<_>>(), ids);
        assert_eq!(column.iter_with_ids().next_back(), Some((ids[2], &'c')));
    }
}
