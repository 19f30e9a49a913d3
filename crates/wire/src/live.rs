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
    /// The number of the open cycle; 0 for none, and while the cycle is paused. A process records ranges only
    /// while this word is not 0 on the page that it follows: its own, its leader's or, with `--window`, the
    /// run's.
    Cycle = 0,
    /// The state of the process's own scheduler in its current step, as the number of a
    /// [`crate::schedule::State`].
    State = 1,
    /// The number of the process's own current step, from 0.
    Step = 2,
    /// How many ranges the process has recorded, in all cycles, without those in chunks that are still being
    /// filled.
    Ranges = 3,
    /// How many ranges the process lost, in all cycles, that no chunk's header counts.
    Lost = 4,
    /// How many bytes the process's chunks take in the latest cycle in which it made any, as of the last time
    /// that a chunk was made, cut or refused. In a ring, the files of frameworks' profilers count, too, each
    /// as half of the ring at most, and files that were removed do not.
    Taken = 5,
    /// One more than the number of the step (its leader's, for a process that follows one) in which the
    /// latest cycle got no further chunk, since a file could not be made or too little of
    /// [`crate::options::Options::max_bytes`] was left; 0 while the cycle gets chunks.
    Full = 6,
    /// When the current step began, ns; 0 where steps are calls, several of which may run at once.
    Began = 7,
    /// For how long the thread that last began, resumed or ended a step has waited for data in the current
    /// step, ns, without a wait that is still going on.
    Reader = 8,
    /// The first of [`Sum::WORDS`] words in sequence: the sums over all steps that the process has ended.
    AllSteps = 9,
    /// The first of [`Sum::WORDS`] words in sequence: the same sums without the first
    /// [`crate::timer::WARM_UP_STEPS`] steps.
    LaterSteps = 18,
    /// 1 once the process has a device recorder: from then on it logs a [`crate::log::Event::Device`] for
    /// each cycle that ends, until CUPTI is left to another profiler or the recorder is off.
    Device = 27,
    /// The number of the last cycle whose device records are all in their files or counted as lost; 0 before
    /// there is one. When a cycle has ended, proftui waits, for a limited time, until this is at least the
    /// cycle's number.
    Flushed = 28,
    /// An encoded [`Unfinished`]: the number of ranges that have begun in one cycle, may end on another
    /// thread, and have not ended. No thread's chunk has them.
    Unfinished = 29,
    /// The number of the latest cycle that has begun; 0 before the first. The processes that follow this one
    /// write it, too, while they end its steps.
    Cycles = 30,
    /// How many steps of this process the processes that follow it have ended. They change this word
    /// themselves, since their steps are numbered together.
    Followed = 31,
    /// An encoded [`Cut`]: what this process changed so that it could not write into its folder, or a child
    /// that it forked so that it could not make one. 0 until such an attempt has failed.
    Cut = 32,
    /// In a ring, the time since which nothing is missing, ns: what ended by then may have been in files that
    /// the ring has removed. 0 while no file was removed.
    Since = 33,
    /// How many ranges and device records were in the files that a ring has removed.
    Gone = 34,
    /// In a ring that keeps a number of steps, when the first of the ended steps that it is to keep began,
    /// ns; 0 until that many have ended.
    Kept = 35,
}

/// The change after which a process cannot open its folder any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The process changed its root folder (`chroot`).
    Root,
    /// The process became the user with this number.
    User(u32),
}

impl Cut {
    /// Decodes a number that [`Cut::to_word`] returned; `None` for 0, which stands for no change.
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

/// How many open ranges that may end on another thread there are, and the cycle in which they began; encoded
/// as one u64, since both must change at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The cycle in which the ranges began.
    pub cycle: u64,
    /// How many ranges are open; at most 65,535 can be encoded: of a larger number only the lowest 16 bits
    /// remain.
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

    /// The value after one more range has begun in `cycle`; if the ranges of another cycle were counted, the
    /// count begins anew with this range.
    #[must_use]
    pub fn begun(self, cycle: u64) -> Self {
        let ranges = if self.cycle == cycle { self.ranges } else { 0 };
        Self { cycle, ranges: ranges + 1 }
    }

    /// The value after a range that began in `cycle` has ended; unchanged if the ranges of another cycle are
    /// counted, or none.
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

    /// How many steps have ended: the greater one of the process's own count, which begins at 0 again when
    /// its steps do, and the count of the processes that follow it, which does not.
    pub fn steps(&self) -> u64 {
        self.get(Word::Step).max(self.get(Word::Followed))
    }

    /// Returns the number on the page that `word` names.
    pub fn get(&self, word: Word) -> u64 {
        self.words[word as usize]
    }

    /// How many ranges that began in `cycle` are [`Unfinished`]; 0 if the page counts those of another cycle.
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
