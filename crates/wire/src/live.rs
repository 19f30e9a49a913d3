//! The live page: the current state of a process, in a shared mapping that proftui and the process's children
//! can read at any time.
//!
//! It holds [`WORDS`] numbers of eight bytes, little endian. Only the process itself writes them, but for
//! [`Word::Followed`], [`Word::Cycles`] and [`Word::Cycle`], which the processes that follow it write while
//! they end its steps, and [`Word::Cut`], which a child that it forked may write.
//!
//! A run with recording windows by time has a page of its own, on which proftui writes [`Word::Cycle`] for
//! all processes; its other words are not used.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the numbers are parts of words, whose widths the format fixes"
)]

use crate::chunk::u64_at;
use crate::timer::{Sum, Timer};

/// How many numbers of 64 bits the live page has.
pub const WORDS: usize = 40;
/// Length of the live page, bytes.
pub const BYTES: usize = WORDS * 8;

/// A number on the live page; the variant's value is the number's index on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    /// The number of the open cycle; 0 if none is open or the cycle is paused.
    Cycle = 0,
    /// The state of the process's own scheduler, as the number of a [`crate::schedule::State`].
    State = 1,
    /// The number of the process's own current step, from 0.
    Step = 2,
    /// How many ranges the process has recorded, in all cycles, without those in chunks that are still being
    /// filled.
    Ranges = 3,
    /// How many ranges the process lost, in all cycles, that no chunk's header counts.
    Lost = 4,
    /// About how many bytes the process's files of the latest cycle that needed a chunk take.
    Taken = 5,
    /// One more than the number of the step in which the latest cycle that needed a chunk became full, so
    /// that it gets no further one; 0 if it is not full.
    Full = 6,
    /// When the current step began or was last resumed, ns; 0 where steps are calls.
    Began = 7,
    /// How long the thread that ends steps has waited for data in the current step, in waits that have ended,
    /// ns.
    Reader = 8,
    /// The first of [`Sum::WORDS`] words in sequence, which have the sums over the steps that this process
    /// itself has ended since its count of steps last began at 0.
    AllSteps = 9,
    /// The first of [`Sum::WORDS`] words in sequence, which have the sums over the same steps as
    /// [`Word::AllSteps`] without the first [`crate::timer::WARM_UP_STEPS`].
    LaterSteps = 18,
    /// 1 once the process has a device recorder, else 0.
    Device = 27,
    /// The number of the last cycle whose device records are all in their files or counted as lost; 0 for
    /// none.
    Flushed = 28,
    /// An encoded [`Unfinished`]: how many ranges of a cycle are open and may end on another thread.
    Unfinished = 29,
    /// The number of the latest cycle that has begun; 0 before the first.
    Cycles = 30,
    /// How many steps of this process the processes that follow it have ended.
    Followed = 31,
    /// An encoded [`Cut`]: the change after which this process, or a descendant by fork, could not use its
    /// own folder; 0 if none is known.
    Cut = 32,
    /// The time, ns, up to which ranges and device records may be missing because a ring has removed their
    /// files; 0 if none are known to be missing.
    Since = 33,
    /// How many ranges and device records were in the files that a ring has removed.
    Gone = 34,
    /// When the first ended step that a ring of steps is to keep began, ns; 0 until enough steps have ended.
    Kept = 35,
}

/// The change after which a process cannot use its folder, or make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The process changed its root folder (`chroot`).
    Root,
    /// The process became the user with this number.
    User(u32),
}

impl Cut {
    /// Decodes [`Word::Cut`], a number that [`Cut::to_word`] returned, or 0 for no change: then `None`.
    pub fn from_word(word: u64) -> Option<Self> {
        match word {
            0 => None,
            1 => Some(Self::Root),
            _ => Some(Self::User((word - 2) as u32)),
        }
    }

    /// Encodes the change as a number, which is not 0: 1 for [`Cut::Root`], else the user's number plus 2.
    pub fn to_word(self) -> u64 {
        match self {
            Self::Root => 1,
            Self::User(user) => u64::from(user) + 2,
        }
    }
}

/// How many ranges that may end on another thread are open, and the cycle in which they began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The cycle in which the ranges began.
    pub cycle: u64,
    /// How many ranges are open; at most 65,535 can be encoded.
    pub ranges: u64,
}

impl Unfinished {
    /// Decodes a number that [`Unfinished::to_word`] returned.
    pub fn from_word(word: u64) -> Self {
        Self { cycle: word >> 16, ranges: word & 0xffff }
    }

    /// Encodes both numbers as one u64: the cycle in the upper 48 bits, the ranges in the lower 16.
    pub fn to_word(self) -> u64 {
        self.cycle << 16 | self.ranges & 0xffff
    }

    /// The value after one more range has begun in `cycle`; if the ranges counted so far are of another
    /// cycle, the count begins again.
    #[must_use]
    pub fn begun(self, cycle: u64) -> Self {
        let ranges = if self.cycle == cycle { self.ranges } else { 0 };
        Self { cycle, ranges: ranges + 1 }
    }

    /// The value after a range that began in `cycle` has ended; unchanged if no range of `cycle` is counted.
    #[must_use]
    pub fn ended(self, cycle: u64) -> Self {
        let less = u64::from(self.cycle == cycle);
        Self { ranges: self.ranges.saturating_sub(less), ..self }
    }
}

/// A copy of the numbers on a live page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Live {
    words: [u64; WORDS],
}

impl Default for Live {
    /// Makes a live page on which all numbers are 0.
    fn default() -> Self {
        Self { words: [0; WORDS] }
    }
}

impl Live {
    /// Decodes a live page; numbers beyond the end of `bytes` are 0.
    pub fn read(bytes: &[u8]) -> Self {
        let mut words = [0; WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            *word = u64_at(bytes, 8 * at);
        }
        Self { words }
    }

    /// How many steps have ended, by the process's own count or, if greater, by the count of the processes
    /// that follow it.
    pub fn steps(&self) -> u64 {
        self.get(Word::Step).max(self.get(Word::Followed))
    }

    /// Returns the number on the page that `word` names.
    pub fn get(&self, word: Word) -> u64 {
        self.words[word as usize]
    }

    /// How many ranges that began in `cycle` are [`Unfinished`]; 0 if the page counts the ranges of another
    /// cycle.
    pub fn unfinished(&self, cycle: u64) -> u64 {
        let unfinished = Unfinished::from_word(self.get(Word::Unfinished));
        if unfinished.cycle == cycle { unfinished.ranges } else { 0 }
    }

    /// The sums over the times of the process's steps, as they stand on the page.
    pub fn timer(&self) -> Timer {
        let sum = |from: Word| Sum::from_words(&self.words[from as usize..][..Sum::WORDS]);
        Timer { all: sum(Word::AllSteps), later: sum(Word::LaterSteps) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_ranges_are_counted_for_one_cycle() {
        let two = Unfinished::default().begun(7).begun(7);
        assert_eq!(Unfinished::from_word(two.to_word()), Unfinished { cycle: 7, ranges: 2 });
        assert_eq!((two.ended(7).ranges, two.ended(6).ranges), (1, 2), "of another one there is none");
        assert_eq!(two.ended(7).ended(7).ended(7).ranges, 0);
        assert_eq!(two.begun(8), Unfinished { cycle: 8, ranges: 1 });
        let mut bytes = [0; BYTES];
        bytes[8 * Word::Unfinished as usize..][..8].copy_from_slice(&two.to_word().to_le_bytes());
        let live = Live::read(&bytes);
        assert_eq!((live.unfinished(7), live.unfinished(8)), (2, 0));
    }
}
