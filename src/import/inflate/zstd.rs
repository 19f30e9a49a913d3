//! Inflating all frames of a zstd file as one text. Must not know gzip.
//!
//! Inflating can start again at a frame only: a file of one frame is inflated again from its start.

use std::io::{self, Read};
use std::ops::RangeInclusive;

use zstd::stream::raw::{Decoder, Operation};

use super::checkpoint::{BitOffset, Checkpoint, Checkpoints};
use super::input::Input;
use super::outcome::{Damage, Filled, Stop};

/// Magic number at the start of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Magic numbers of skippable frames, which hold no text: the range of the first byte, then the other three.
const SKIPPED: (RangeInclusive<u8>, [u8; 3]) = (0x50..=0x5f, [0x2a, 0x4d, 0x18]);

/// Length of a block's header in bytes.
const BLOCK_HEAD: usize = 3;

/// A zstd file being inflated.
pub(super) struct Zstd<R> {
    input: Input<R>,
    decoder: Decoder<'static>,
    state: State,
    /// Bytes of input for the next call of the decoder: up to the end of a block. A call that fails loses all text that it has
    /// inflated, so no call gets more than one block.
    wanted: usize,
    /// True when the decoder may hold text that did not fit; it is fetched by a call without input, for the same reason.
    is_full: bool,
    /// Number of bytes of text inflated so far, of all frames.
    output: u64,
    /// The checkpoints noted so far; `None` when none are to be noted, or they were taken.
    checkpoints: Option<Checkpoints>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Before the first frame or in one.
    Frame,
    /// After a frame.
    Between,
    /// Ended; nothing more is read.
    Over,
}

impl<R: Read> Zstd<R> {
    /// Starts inflating at the start of a frame; adds to `checkpoints`, if there are any.
    pub fn new(reader: R, checkpoints: Option<Checkpoints>) -> io::Result<Self> {
        let (input, decoder) = (Input::new(reader), Decoder::new()?);
        Ok(Self {
            input,
            decoder,
            state: State::Frame,
            wanted: MAGIC.len(),
            is_full: false,
            output: 0,
            checkpoints,
        })
    }

    pub fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        self.checkpoints.take()
    }

    /// Fills `block` with the next bytes of the text. Fewer bytes come at the end only, with the reason in `stop`.
    pub fn fill(&mut self, block: &mut [u8]) -> Filled {
        let mut len = 0;
        while len < block.len() {
            match self.advance(&mut block[len..]) {
                Ok(written) => len += written,
                Err(stop) => {
                    self.state = State::Over;
                    return Filled { len, stop: Some(stop) };
                }
            }
        }
        Filled { len, stop: None }
    }

    fn advance(&mut self, output: &mut [u8]) -> Result<usize, Stop> {
        match self.state {
            State::Frame => self.frame(output),
            State::Between => self.between().map(|()| 0),
            State::Over => Err(Stop::End),
        }
    }

    fn frame(&mut self, output: &mut [u8]) -> Result<usize, Stop> {
        let input = self.input.peek(1)?;
        let wanted = if self.is_full { 0 } else { self.wanted };
        let input = &input[..input.len().min(wanted)];
        let status = self.decoder.run_on_buffers(input, output).map_err(|error| stop(&error))?;
        if input.is_empty() && status.bytes_written == 0 && !self.is_full {
            return Err(Damage::Truncated.into());
        }
        self.input.consume(status.bytes_read);
        self.output += status.bytes_written as u64;
        self.is_full = status.bytes_written == output.len();
        // The decoder also requests the header of the following block, which may be the damaged one.
        self.wanted = match status.remaining {
            more if more > BLOCK_HEAD => more - BLOCK_HEAD,
            few => few,
        };
        if status.remaining == 0 {
            self.state = State::Between;
            self.wanted = MAGIC.len();
        }
        Ok(status.bytes_written)
    }

    fn between(&mut self) -> Result<(), Stop> {
        match *self.input.peek(MAGIC.len())? {
            [] => return Err(Stop::End),
            [b0, b1, b2, b3, ..] if [b0, b1, b2, b3] == MAGIC => {}
            [b0, b1, b2, b3, ..] if SKIPPED.0.contains(&b0) && [b1, b2, b3] == SKIPPED.1 => {}
            ref short if MAGIC.starts_with(short) => return Err(Damage::Truncated.into()),
            _ => return Err(Damage::Trailing.into()),
        }
        if let Some(checkpoints) = &mut self.checkpoints
            && checkpoints.is_due(self.output)
        {
            let input = self.input.offset();
            checkpoints.push(Checkpoint { input, output: self.output, start: BitOffset::Member });
        }
        self.state = State::Frame;
        Ok(())
    }
}

/// Why inflating stops at an error of the decoder; the errors differ in their texts only.
fn stop(error: &io::Error) -> Stop {
    match error.to_string() {
        text if text.contains("checksum") => Damage::Checksum.into(),
        text if text.contains("memory") => io::Error::other(text).into(),
        _ => Damage::Data.into(),
    }
}

impl<R: std::fmt::Debug> std::fmt::Debug for Zstd<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").field("input", &self.input).field("state", &self.state).finish_non_exhaustive()
    }
}
