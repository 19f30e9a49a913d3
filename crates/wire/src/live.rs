//! The live page: the current state of a process, in a shared mapping that proftui and the process's children
//! can read at any time.
//!
//! It holds [`WORDS`] numbers of eight bytes, little endian, which only the process itself writes, but for
//! [`Word::Followed`], [`Word::Cycles`] and [`Word::Cycle`] while the processes that follow it end its steps.
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

/// How many numbers the live page has.
pub const WORDS: usize = 40;
/// Length of the live page, bytes.
pub const BYTES: usize = WORDS * 8;

/// A number on the live page; the variant's value is the number's index on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    /// The number of the cycle that is being recorded; 0 for none. Ranges are recorded only while this is not
    /// 0.
    Cycle = 0,
    /// The scheduler's state in the current step: the number of a [`crate::schedule::State`].
    State = 1,
    /// The number of the current step, from 0.
    Step = 2,
    /// How many ranges the process has recorded, in all cycles, without those in chunks that are still being
    /// filled.
    Ranges = 3,
    /// How many ranges the process lost, in all cycles, without a chunk to count them on.
    Lost = 4,
    /// Total length of the process's chunks in its latest cycle, bytes.
    Taken = 5,
    /// One more than the step in which the latest cycle got no further chunk, since the disk is full or
    /// [`crate::options::Options::max_bytes`] are used up; 0 while it gets chunks.
    Full = 6,
    /// The time at which the current step began, ns.
    Began = 7,
    /// The time for which the current step has waited for data so far, ns.
    Reader = 8,
    /// The first of the [`Sum::WORDS`] sums over all steps.
    AllSteps = 9,
    /// The first of the [`Sum::WORDS`] sums over the steps after the warm-up.
    LaterSteps = 18,
    /// 1 once the process has a device recorder: from then on it logs a [`crate::log::Event::Device`] for
    /// each cycle.
    Device = 27,
    /// The number of the last cycle whose device records are all in their files; 0 before there is one. When
    /// a cycle has ended, proftui waits until this is at least the cycle's number.
    Flushed = 28,
    /// The encoded count of [`Unfinished`] ranges, which have begun, have not ended, and are on no thread's
    /// chunk.
    Unfinished = 29,
    /// How many cycles have begun. Written by the processes that follow this one, too, while they end its
    /// steps.
    Cycles = 30,
    /// How many steps the processes that follow this one ended for it. They count it themselves: their steps
    /// are numbered together.
    Followed = 31,
    /// Why the process, or a child that it forked, cannot open its folder any more: the number of a [`Cut`];
    /// 0 while it can. The page stays mapped.
    Cut = 32,
    /// In a ring, the time since which nothing is missing, ns: the files of what ended before that time were
    /// removed, or may be. 0 while no file was removed.
    Since = 33,
    /// How many ranges were in the files that a ring has removed.
    Gone = 34,
    /// In a ring of steps, when the first of the last steps began that the ring is to keep, ns; 0 while there
    /// are not as many.
    Kept = 35,
}

/// What a process did after which it cannot open its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It changed its root folder (`chroot`).
    Root,
    /// It became the user with this number.
    User(u32),
}

impl Cut {
    /// Decodes the u64 on the page; `None` for 0: the process can open its folder.
    pub fn from_word(word: u64) -> Option<Self> {
        match word {
            0 => None,
            1 => Some(Self::Root),
            _ => Some(Self::User((word - 2) as u32)),
        }
    }

    /// Encodes it as the u64 on the page.
    pub fn to_word(self) -> u64 {
        match self {
            Self::Root => 1,
            Self::User(user) => u64::from(user) + 2,
        }
    }
}

/// The number of open ranges that may end on another thread than they began on, and their cycle; encoded as
/// one u64, since both must change at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The cycle in which the ranges began.
    pub cycle: u64,
    /// How many ranges are open; at most 65,535, since one more is encoded as 0.
    pub ranges: u64,
}

impl Unfinished {
    /// Decodes the u64 on the page.
    pub fn from_word(word: u64) -> Self {
        Self { cycle: word >> 16, ranges: word & 0xffff }
    }

    /// Encodes the counts as the u64 on the page.
    pub fn to_word(self) -> u64 {
        self.cycle << 16 | self.ranges & 0xffff
    }

    /// The counts after a range has begun in `cycle`. Ranges of another cycle are no longer counted.
    #[must_use]
    pub fn begun(self, cycle: u64) -> Self {
        let ranges = if self.cycle == cycle { self.ranges } else { 0 };
        Self { cycle, ranges: ranges + 1 }
    }

    /// The counts after a range that began in `cycle` has ended; unchanged if those of another cycle are
    /// counted.
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
    /// A page of zeros.
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

    /// How many steps have ended: in the process itself, or in the processes that follow it, whichever are
    /// more.
    pub fn steps(&self) -> u64 {
        self.get(Word::Step).max(self.get(Word::Followed))
    }

    /// Returns a number of the page.
    pub fn get(&self, word: Word) -> u64 {
        self.words[word as usize]
    }

    /// How many [`Unfinished`] ranges began in `cycle`.
    pub fn unfinished(&self, cycle: u64) -> u64 {
        let unfinished = Unfinished::from_word(self.get(Word::Unfinished));
        if unfinished.cycle == cycle { unfinished.ranges } else { 0 }
    }

    /// The sums over the times of the process's steps.
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
