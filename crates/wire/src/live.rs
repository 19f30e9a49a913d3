//! The live page: what is true of a process now, in words that both sides can look at any time; its children see it too.
//!
//! [`WORDS`] numbers of eight bytes, little endian. The process writes all of them. The run has a page of its own, of which one
//! word counts, and only where windows are opened by time: proftui writes [`Word::Cycle`] there, for all processes.

use crate::chunk::u64_at;
use crate::timer::{Sum, Timer};

/// Numbers on the page.
pub const WORDS: usize = 32;
/// Bytes of the page.
pub const BYTES: usize = WORDS * 8;

/// A number on the page, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Word {
    /// The cycle that is being recorded; 0 for none. Ranges are kept while it is not 0.
    Cycle = 0,
    /// The state of the step, by its number.
    State = 1,
    /// The number of the step that is under way.
    Step = 2,
    /// Ranges kept by the process, as of the chunks that were filled or left.
    Ranges = 3,
    /// Ranges lost by the process where not even a chunk could be had, all cycles together.
    Lost = 4,
    /// Bytes of chunks that the process took for the cycle.
    Taken = 5,
    /// 1 once chunks can no longer be had: the disk is full, or all the room that there may be is used.
    Full = 6,
    /// When the step under way began, ns.
    Began = 7,
    /// Data waited for in the step under way, ns.
    Reader = 8,
    /// Where the sums over all steps begin.
    AllSteps = 9,
    /// Where the sums over the steps after the first ones begin.
    LaterSteps = 18,
    /// 1 while the process records its devices: then each cycle has its [`crate::log::Event::Device`].
    Device = 27,
    /// The last cycle whose records of devices are all in their files. Who closes a window by time waits for it.
    Flushed = 28,
    /// Ranges that have begun and not ended, of those that are on no thread's chunk: [`Unfinished`].
    Unfinished = 29,
}

/// So many ranges of one cycle: in one word, so that both change at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The cycle in which they began.
    pub cycle: u64,
    /// How many there are, below 65,536.
    pub ranges: u64,
}

impl Unfinished {
    /// From the word.
    pub fn from_word(word: u64) -> Self {
        Self { cycle: word >> 16, ranges: word & 0xffff }
    }

    /// As the word.
    pub fn to_word(self) -> u64 {
        self.cycle << 16 | self.ranges & 0xffff
    }

    /// With one more of this cycle; those of others are forgotten.
    #[must_use]
    pub fn begun(self, cycle: u64) -> Self {
        let ranges = if self.cycle == cycle { self.ranges } else { 0 };
        Self { cycle, ranges: ranges + 1 }
    }

    /// With one less of this cycle.
    #[must_use]
    pub fn ended(self, cycle: u64) -> Self {
        let less = u64::from(self.cycle == cycle);
        Self { ranges: self.ranges.saturating_sub(less), ..self }
    }
}

/// What the page says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Live {
    words: [u64; WORDS],
}

impl Live {
    /// Reads a page; what is missing is 0.
    pub fn read(bytes: &[u8]) -> Self {
        let mut words = [0; WORDS];
        for (at, word) in words.iter_mut().enumerate() {
            *word = u64_at(bytes, 8 * at);
        }
        Self { words }
    }

    /// A number.
    pub fn get(&self, word: Word) -> u64 {
        self.words[word as usize]
    }

    /// Ranges on no thread's chunk that began in a cycle and have not ended.
    pub fn unfinished(&self, cycle: u64) -> u64 {
        let unfinished = Unfinished::from_word(self.get(Word::Unfinished));
        if unfinished.cycle == cycle { unfinished.ranges } else { 0 }
    }

    /// The timer.
    pub fn timer(&self) -> Timer {
        let sum = |from: Word| Sum::from_words(&self.words[from as usize..][..Sum::WORDS]);
        Timer { all: sum(Word::AllSteps), later: sum(Word::LaterSteps) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unfinished_is_counted_for_one_cycle() {
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
