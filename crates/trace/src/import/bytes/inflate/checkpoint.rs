//! Checkpoints: the offsets of a compressed file from which inflating can start again, in bounded memory.
//! Must not know how inflating is done.

use crc32fast::Hasher;

use super::outcome::Container;

/// Most checkpoints that are kept of a file: about 2 MiB with a window of 32 KiB each.
const LIMIT: usize = 64;
/// Least bytes of text from one checkpoint to the next before any checkpoint was dropped.
const SPACING: u64 = 16 << 20;

/// The checkpoints of one file, in order of offset; the first one is the start of the file.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoints {
    pub(super) container: Container,
    list: Vec<Checkpoint>,
    /// Bytes of text from one checkpoint to the next, at least.
    spacing: u64,
}

/// An offset from which inflating can start.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    /// Offset in the compressed file of the first byte that inflating from here reads.
    pub input: u64,
    /// Offset in the text of the first byte that inflating from here returns.
    pub output: u64,
    pub start: BitOffset,
}

/// At what inflating starts from a checkpoint: a member or frame, or a block inside a gzip member.
#[derive(Clone, Debug)]
pub(super) enum BitOffset {
    /// The first bit of the byte: a member or a frame starts.
    Member,
    /// A bit that inflating has to find: a block inside a gzip member starts there.
    Block(Box<Inside>),
}

/// The state that inflating needs to start inside a gzip member.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    /// The text before the checkpoint to which later text can refer: at most 32 KiB.
    pub window: Box<[u8]>,
    /// Checksum and length of the member's text before the checkpoint.
    pub sum: Sum,
    /// Checksum of the text right after the checkpoint, by which the right bit is known; 0 until that text is
    /// inflated.
    pub proof: u32,
}

/// Checksum and length of a member's text so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub check: Hasher,
    /// Length of the text in bytes.
    pub len: u64,
}

impl Sum {
    /// Adds text that follows the text summed so far.
    pub(super) fn add(&mut self, text: &[u8]) {
        self.check.update(text);
        self.len += text.len() as u64;
    }
}

impl Checkpoints {
    pub(super) fn new(container: Container) -> Self {
        let start = Checkpoint { input: 0, output: 0, start: BitOffset::Member };
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

    /// Adds a checkpoint that is due. When there are [`LIMIT`] already, first drops every second one and
    /// doubles the spacing.
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
                checkpoints.push(Checkpoint { input: output / 2, output, start: BitOffset::Member });
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
