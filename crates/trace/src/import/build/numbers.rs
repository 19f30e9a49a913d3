//! Maps from the numbers in one event builder's tables to those in the trace builder's.
//!
//! A string or lane that no event needs any more has no number in the trace builder; it gets one when an
//! event needs it again.

use rustc_hash::FxHashMap;

use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::Column;
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;

use super::input::{FIRST_WIDE, LaneKey};

/// Stands for the number of a lane that the trace builder does not have.
pub(super) const UNSET: u32 = u32::MAX;

/// Maps the numbers that one event builder gave its strings, ids, lanes and long correlation numbers to those
/// of the trace builder.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberMaps {
    pub strings: TextMap,
    pub ids: TextMap,
    /// The trace builder's number of each lane of the event builder; [`UNSET`] for a lane without one now.
    pub lanes: Vec<u32>,
    /// The key of each lane of the event builder; the strings in it are the event builder's numbers.
    pub keys: Vec<LaneKey>,
    pub wide_correlations: Vec<u32>,
    /// Number of the event builder's batch that is to be absorbed next.
    pub next_batch: u64,
    /// True when the trace builder may lack a number for some string, id or lane of the event builder.
    pub has_absent: bool,
}

/// The trace builder's numbers for the strings of one of the event builder's tables.
#[derive(Clone, Debug, Default)]
pub(super) struct TextMap {
    /// The trace builder's number of each string, indexed by the event builder's number; [`StrId::NONE`] for
    /// a string without one now.
    numbers: Column<StrId, StrId>,
    /// The strings that have no number of the trace builder now, by the event builder's numbers.
    absent: FxHashMap<StrId, Box<[u8]>>,
}

impl TextMap {
    /// Adds the event builder's next string with its number in `table`; the string is added to `table` if it
    /// is not there.
    pub(super) fn push(&mut self, text: &[u8], table: &mut Interner) -> Result<(), NoMemory> {
        heap::try_push(self.numbers.as_mut_vec(), table.try_intern(text)?)
    }

    /// Adds the event builder's next string without a number; it gets one when an event needs it.
    pub(super) fn push_absent(&mut self, text: &[u8]) -> Result<(), NoMemory> {
        self.add_absent(self.numbers.ids().end, text)?;
        heap::try_push(self.numbers.as_mut_vec(), StrId::NONE)
    }

    fn add_absent(&mut self, own: StrId, text: &[u8]) -> Result<(), NoMemory> {
        heap::fallible(|| self.absent.try_reserve(1))?;
        self.absent.insert(own, heap::try_collect(text.iter().copied())?.into());
        Ok(())
    }

    /// The trace builder's number for the event builder's string `own`; [`StrId::NONE`] if it has none.
    #[inline]
    pub(super) fn known(&self, own: StrId) -> StrId {
        self.numbers[own]
    }

    /// The number in `table` of the event builder's string `own`; the string is added to `table` if it has no
    /// number yet.
    #[inline]
    pub(super) fn number(&mut self, own: StrId, table: &mut Interner) -> Result<StrId, NoMemory> {
        let known = self.numbers[own];
        if known == StrId::NONE { self.add(own, table) } else { Ok(known) }
    }

    #[cold]
    fn add(&mut self, own: StrId, table: &mut Interner) -> Result<StrId, NoMemory> {
        let number = table.try_intern(&self.absent.remove(&own).unwrap_or_default())?;
        self.numbers[own] = number;
        Ok(number)
    }

    /// Replaces the trace builder's numbers by new ones, which `new` has by the old. Strings without a new
    /// number become absent, with their texts from the old `table`.
    pub(super) fn renumber(&mut self, new: &Column<StrId, StrId>, table: &Interner) -> Result<(), NoMemory> {
        for own in self.numbers.ids() {
            let old = self.numbers[own];
            if old == StrId::NONE {
                continue;
            }
            self.numbers[own] = new[old];
            if self.numbers[own] == StrId::NONE {
                self.add_absent(own, table.bytes(old))?;
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
            self.wide_correlations[(correlation - saturate::<u32>(FIRST_WIDE)) as usize]
        }
    }
}
