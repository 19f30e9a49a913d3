//! Maps from the numbers in one event builder's tables to those in the trace builder's.
//!
//! A string or lane that no event needs any more has no number in the trace builder; it gets one when an
//! event needs it again.

use rustc_hash::FxHashMap;

use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::{Interner, StrId};

use super::input::{FIRST_WIDE, LaneKey};

/// Stands for the number of a string or lane that has none in the trace builder.
pub(super) const UNSET: u32 = u32::MAX;

/// The trace builder's numbers, indexed by those of one event builder.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberMaps {
    pub strings: TextMap,
    pub ids: TextMap,
    /// The number of each lane in the trace builder; [`UNSET`] for a lane that it does not have.
    pub lanes: Vec<u32>,
    /// The lanes, with the event builder's numbers in them.
    pub keys: Vec<LaneKey>,
    pub wide_correlations: Vec<u32>,
    /// Number of the event builder's batch that can be absorbed next with these maps: they hold all table
    /// entries before it.
    pub next_batch: u64,
    /// False while every string and lane of the event builder has a number.
    pub has_absent: bool,
}

/// The numbers of one table of strings.
#[derive(Clone, Debug, Default)]
pub(super) struct TextMap {
    /// The number of each string in the trace builder; [`UNSET`] for a string that it does not have.
    numbers: Vec<u32>,
    /// The strings that the trace builder does not have, by the event builder's number.
    absent: FxHashMap<u32, Box<[u8]>>,
}

impl TextMap {
    /// Adds the next string, with its number in `table`.
    pub(super) fn push(&mut self, text: &[u8], table: &mut Interner) -> Result<(), NoMemory> {
        heap::try_push(&mut self.numbers, table.try_intern(text)?)
    }

    /// Adds the next string, which gets a number when an event needs it.
    pub(super) fn push_absent(&mut self, text: &[u8]) -> Result<(), NoMemory> {
        self.add_absent(self.numbers.len() as u32, text)?;
        heap::try_push(&mut self.numbers, UNSET)
    }

    fn add_absent(&mut self, own: u32, text: &[u8]) -> Result<(), NoMemory> {
        heap::fallible(|| self.absent.try_reserve(1))?;
        self.absent.insert(own, heap::try_collect(text.iter().copied())?.into());
        Ok(())
    }

    /// The number of a string; [`UNSET`] for one that has none.
    #[inline]
    pub(super) fn known(&self, own: u32) -> u32 {
        self.numbers[own as usize]
    }

    /// The number of a string in `table`, to which the string is added if it is absent.
    #[inline]
    pub(super) fn number(&mut self, own: u32, table: &mut Interner) -> Result<u32, NoMemory> {
        let known = self.numbers[own as usize];
        if known == UNSET { self.add(own, table) } else { Ok(known) }
    }

    #[cold]
    fn add(&mut self, own: u32, table: &mut Interner) -> Result<u32, NoMemory> {
        let number = table.try_intern(&self.absent.remove(&own).unwrap_or_default())?;
        self.numbers[own as usize] = number;
        Ok(number)
    }

    /// Replaces the numbers by those in `new`, which is indexed by the old ones; strings without a new one
    /// become absent, with their text from the old `table`.
    pub(super) fn renumber(&mut self, new: &[u32], table: &Interner) -> Result<(), NoMemory> {
        for own in 0..self.numbers.len() {
            let old: StrId = self.numbers[own];
            if old == UNSET {
                continue;
            }
            self.numbers[own] = new[old as usize];
            if self.numbers[own] == UNSET {
                self.add_absent(own as u32, table.bytes(old))?;
            }
        }
        Ok(())
    }
}

impl NumberMaps {
    pub(super) fn correlation(&self, correlation: u32) -> u32 {
        if u64::from(correlation) < FIRST_WIDE {
            correlation
        } else {
            self.wide_correlations[(correlation - FIRST_WIDE as u32) as usize]
        }
    }
}
