//! The places of a compressed file at which inflating can start again, in bounded memory. Must not know how.

use super::Container;
use super::gzip::Sum;

/// Most checkpoints that are kept: with a window each, about 2 MiB.
const LIMIT: usize = 64;
/// Bytes of text between checkpoints at first; doubled whenever there are too many.
const SPACING: u64 = 16 << 20;

/// The checkpoints of one file, by offset; the first one is the start of the file.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    pub(super) container: Container,
    list: Vec<Checkpoint>,
    /// Bytes of text.
    spacing: u64,
}

/// A place of a compressed file.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// Offset in the compressed file of the first byte that is needed.
    pub input: u64,
    /// Offset in the text of the first byte that will be given.
    pub output: u64,
    pub place: Place,
}

/// What starts at a checkpoint.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A member or a frame.
    Member,
    /// A block inside a gzip member.
    Block(Box<Inside>),
}

/// What must be known of a member to go on inside it.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// The text before, as far as it can be referred to.
    pub window: Box<[u8]>,
    /// Of the member's text before.
    pub sum: Sum,
    /// Checksum of the text that follows, by which a right start is told from a wrong one.
    pub proof: u32,
}

impl Checkpoints {
    pub(super) fn new(container: Container) -> Self {
        let start = Checkpoint { input: 0, output: 0, place: Place::Member };
        Self { container, list: vec![start], spacing: SPACING }
    }

    #[cfg(test)]
    pub(super) fn with_spacing(mut self, spacing: u64) -> Self {
        self.spacing = spacing;
        self
    }

    /// True when a checkpoint at byte `output` of the text would be far enough from the last one.
    pub(super) fn is_due(&self, output: u64) -> bool {
        self.list.last().is_none_or(|last| output >= last.output + self.spacing)
    }

    /// Adds a checkpoint that was due.
    pub(super) fn push(&mut self, checkpoint: Checkpoint) {
        if self.list.len() == LIMIT {
            let mut is_kept = false;
            self.list.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.spacing *= 2;
        }
        self.list.push(checkpoint);
    }

    /// The checkpoints at or before byte `offset` of the text, the nearest first.
    pub(super) fn before(&self, offset: u64) -> impl Iterator<Item = &Checkpoint> {
        let end = self.list.partition_point(|checkpoint| checkpoint.output <= offset);
        self.list[..end].iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_bounded_and_the_nearest_is_found() {
        let mut checkpoints = Checkpoints::new(Container::Gzip).with_spacing(10);
        for output in 0..100_000 {
            if checkpoints.is_due(output) {
                checkpoints.push(Checkpoint { input: output / 2, output, place: Place::Member });
            }
            assert!(checkpoints.list.len() <= LIMIT);
        }
        assert!(checkpoints.list.len() >= LIMIT / 2);
        assert_eq!(checkpoints.list[0].output, 0);
        let gaps = checkpoints.list.windows(2).map(|pair| pair[1].output - pair[0].output);
        assert!(gaps.max() <= Some(checkpoints.spacing));
        for offset in [0, 9, 10, 12_345, 99_999, u64::MAX] {
            let nearest = checkpoints.before(offset).next().map(|checkpoint| checkpoint.output);
            let slow = checkpoints.list.iter().map(|checkpoint| checkpoint.output).filter(|&at| at <= offset);
            assert_eq!(nearest, slow.max());
        }
    }
}
