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

/// Length in bytes of a frame's longest header, magic number included.
const HEADER: usize = 4 + 1 + 1 + 4 + 8;
/// Length of a block's header in bytes.
const BLOCK_HEAD: usize = 3;

/// A zstd file being inflated.
pub(super) struct Zstd<R> {
    input: Input<R>,
    decoder: Decoder<'static>,
    state: State,
    /// Most bytes of input for the next call of the decoder, so that no call gets more than one block.
    wanted: usize,
    /// True when the decoder may hold text that did not fit into the output.
    is_full: bool,
    /// Number of bytes of text inflated so far, of all frames, counted from where inflating started.
    output: u64,
    /// The largest window of the frames so far, bytes.
    window: u64,
    /// True before the first byte of a frame.
    is_at_start: bool,
    /// The checkpoints noted so far; `None` when none are to be noted, or they were taken.
    checkpoints: Option<Checkpoints>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// At the start of a frame or in one.
    Frame,
    /// After a frame.
    Between,
    /// The text has ended; nothing more is read.
    Over,
}

impl<R: Read> Zstd<R> {
    /// Starts inflating at the start of a frame, and adds checkpoints to `checkpoints`; notes none when it is
    /// `None`.
    pub(super) fn new(reader: R, checkpoints: Option<Checkpoints>) -> io::Result<Self> {
        let (input, decoder) = (Input::new(reader), Decoder::new()?);
        Ok(Self {
            input,
            decoder,
            state: State::Frame,
            wanted: MAGIC.len(),
            is_full: false,
            output: 0,
            window: 0,
            is_at_start: true,
            checkpoints,
        })
    }

    /// The largest window of the frames so far, bytes.
    pub(super) fn window(&self) -> u64 {
        self.window
    }

    pub(super) fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        self.checkpoints.take()
    }

    /// Fills `block` with the next bytes of the text. Fewer bytes come at the end only, with the reason in
    /// `stop`.
    pub(super) fn fill(&mut self, block: &mut [u8]) -> Filled {
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
        if std::mem::take(&mut self.is_at_start) {
            self.window = self.window.max(window(self.input.peek(HEADER)?));
        }
        let input = self.input.peek(1)?;
        let wanted = if self.is_full { 0 } else { self.wanted };
        let input = &input[..input.len().min(wanted)];
        let status = self.decoder.run_on_buffers(input, output).map_err(|error| stop(&error, self.window))?;
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
        self.is_at_start = true;
        Ok(())
    }
}

/// The window of a frame in bytes, from its first bytes `header` (RFC 8878, 3.1.1.1); 0 where they do not
/// state it.
fn window(header: &[u8]) -> u64 {
    let [b0, b1, b2, b3, descriptor, rest @ ..] = header else { return 0 };
    if [*b0, *b1, *b2, *b3] != MAGIC {
        return 0;
    }
    if descriptor & 0x20 == 0 {
        let Some(&window) = rest.first() else { return 0 };
        let base = 1_u64 << (10 + (window >> 3));
        return base + base / 8 * u64::from(window & 7);
    }
    // Of a single segment the window is the content: its length follows the number of the dictionary.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let len = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let Some(bytes) = rest.get(dictionary..dictionary + len) else { return 0 };
    let content = bytes.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
    if len == 2 { content + 256 } else { content }
}

/// Why inflating stops at an `error` of the decoder, judged by its text. `window` is the largest window so
/// far, bytes.
fn stop(error: &io::Error, window: u64) -> Stop {
    match error.to_string() {
        text if text.contains("checksum") => Damage::Checksum.into(),
        text if text.contains("memory") => io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!(
                "inflating it takes a window of {} MiB, more than proftui can get or accepts",
                window.div_ceil(1 << 20)
            ),
        )
        .into(),
        _ => Damage::Data.into(),
    }
}

impl<R: std::fmt::Debug> std::fmt::Debug for Zstd<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").field("input", &self.input).field("state", &self.state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_window_is_read_from_the_header() {
        let text = vec![b'x'; 3 << 20];
        let packed = |log: u32, states_length: bool| {
            let mut out = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
            out.window_log(log).expect("a window");
            out.include_contentsize(states_length).expect("set");
            if states_length {
                out.set_pledged_src_size(Some(text.len() as u64)).expect("set");
            }
            out.write_all(&text).expect("compresses");
            out.finish().expect("compresses")
        };
        assert_eq!(window(&packed(20, false)), 1 << 20);
        assert_eq!(window(&packed(27, false)), 128 << 20);
        assert_eq!(window(&packed(27, true)[..HEADER]), 3 << 20, "a single segment");
        assert_eq!((window(b""), window(&MAGIC), window(b"{\"traceEvents\":[]}  ")), (0, 0, 0));
    }
}
