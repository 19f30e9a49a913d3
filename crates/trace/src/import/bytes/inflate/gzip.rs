//! Inflating all members of a gzip file as one text, with their checksums checked. Must not know how a
//! DEFLATE stream is inflated.

use std::io::Read;

use super::checkpoint::{BitOffset, Checkpoint, Checkpoints, Inside, Sum};
use super::deflate::{Deflate, StepEnd, WINDOW};
use super::header::{self, MAGIC};
use super::input::Input;
use super::outcome::{Damage, Filled, Stop};
use proftui_base::saturate::saturate;

/// Number of bytes of text after a checkpoint inside a member, by whose checksum the checkpoint is verified.
pub(super) const PROOF: usize = 66 << 10;

/// A gzip file being inflated.
#[derive(Debug)]
pub(super) struct Gzip<R> {
    input: Input<R>,
    deflate: Deflate,
    state: State,
    /// Checksum and length of the current member's text so far.
    sum: Sum,
    /// Number of bytes of text inflated so far, of all members, counted from where inflating started.
    output: u64,
    /// The checkpoints noted so far; `None` when none are to be noted, or they were taken.
    checkpoints: Option<Checkpoints>,
    /// Index in the buffer being filled, and the checkpoint there that is not yet added to `checkpoints`.
    candidate: Option<(usize, Checkpoint)>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Before the header of the first member that is read.
    Start,
    /// In the stream of a member.
    Body,
    /// Before the trailer of a member.
    Trailer,
    /// After the trailer of a member.
    Between,
    /// The text has ended; nothing more is read.
    Over,
}

impl<R: Read> Gzip<R> {
    /// Starts inflating at the start of a member, and adds checkpoints to `checkpoints`; notes none when it
    /// is `None`.
    pub(super) fn new(reader: R, checkpoints: Option<Checkpoints>) -> Self {
        Self {
            input: Input::new(reader),
            deflate: Deflate::new(),
            state: State::Start,
            sum: Sum::default(),
            output: 0,
            checkpoints,
            candidate: None,
        }
    }

    /// Starts inflating at a block inside a member, in the state `inside`. The block starts at bit `bit`
    /// (from the lowest) of the first byte; 8 is the second byte's first.
    pub(super) fn at_boundary(reader: R, bit: u32, inside: &Inside) -> Result<Self, Stop> {
        let mut gzip = Self::new(reader, None);
        let [first] = gzip.input.take()?.ok_or(Damage::Truncated)?;
        gzip.deflate = Deflate::at_boundary(first, bit, &inside.window);
        gzip.sum = inside.sum.clone();
        gzip.state = State::Body;
        Ok(gzip)
    }

    pub(super) fn take_checkpoints(&mut self) -> Option<Checkpoints> {
        self.checkpoints.take()
    }

    /// Fills `block` with the next bytes of the text. Fewer bytes come at the end only, with the reason in
    /// `stop`.
    pub(super) fn fill(&mut self, block: &mut [u8]) -> Filled {
        let mut len = 0;
        while len < block.len() {
            if let Err(stop) = self.advance(block, &mut len) {
                self.state = State::Over;
                self.prove(&block[..len]);
                return Filled { len, stop: Some(stop) };
            }
        }
        self.prove(block);
        Filled { len, stop: None }
    }

    /// Reads a header, padding or a trailer, or adds text to `block` after its first `filled` bytes. An error
    /// is the reason why the text ends.
    fn advance(&mut self, block: &mut [u8], filled: &mut usize) -> Result<(), Stop> {
        match self.state {
            State::Start => self.header(),
            State::Body => self.body(block, filled),
            State::Trailer => {
                self.prove(&block[..*filled]);
                self.trailer()
            }
            State::Between => self.between(),
            State::Over => Err(Stop::End),
        }
    }

    fn header(&mut self) -> Result<(), Stop> {
        header::skip(&mut self.input)?;
        self.deflate.reset();
        self.sum = Sum::default();
        self.state = State::Body;
        Ok(())
    }

    fn body(&mut self, block: &mut [u8], filled: &mut usize) -> Result<(), Stop> {
        let input = self.input.peek(1)?;
        let is_end = input.is_empty();
        let is_due = self.candidate.is_none()
            && block.len() - *filled > PROOF
            && self.checkpoints.as_ref().is_some_and(|list| list.is_due(self.output));
        let step = self.deflate.step(input, &mut block[*filled..], is_due);
        self.input.consume(step.read);
        let end = *filled + step.written;
        self.sum.add(&block[*filled..end]);
        self.output += step.written as u64;
        *filled = end;
        match step.end {
            // Without input, bits that were read before may still contain text.
            StepEnd::Inside if is_end && step.written == 0 => return Err(Damage::Truncated.into()),
            StepEnd::Inside => {}
            StepEnd::Boundary => self.note(&block[..end]),
            StepEnd::End => self.state = State::Trailer,
            StepEnd::Bad => return Err(Damage::Data.into()),
        }
        Ok(())
    }

    fn trailer(&mut self) -> Result<(), Stop> {
        let [c0, c1, c2, c3, len @ ..] = self.input.take::<8>()?.ok_or(Damage::Truncated)?;
        let check = std::mem::take(&mut self.sum.check).finalize();
        if u32::from_le_bytes([c0, c1, c2, c3]) != check
            || u64::from(u32::from_le_bytes(len)) != self.sum.len & u64::from(u32::MAX)
        {
            return Err(Damage::Checksum.into());
        }
        self.state = State::Between;
        Ok(())
    }

    /// Skips padding after a member, notes a checkpoint if one is due, and reads the next member's header. An
    /// error is the reason why the text ends.
    fn between(&mut self) -> Result<(), Stop> {
        loop {
            let next = self.input.peek(1)?;
            let zeros = next.iter().take_while(|&&byte| byte == 0).count();
            match next.len() {
                0 => return Err(Stop::End),
                len if zeros < len => {
                    self.input.consume(zeros);
                    break;
                }
                len => self.input.consume(len),
            }
        }
        let next = self.input.peek(MAGIC.len())?;
        if !MAGIC.starts_with(&next[..next.len().min(MAGIC.len())]) {
            return Err(Damage::Trailing.into());
        }
        if let Some(checkpoints) = &mut self.checkpoints
            && checkpoints.is_due(self.output)
        {
            let input = self.input.offset();
            checkpoints.push(Checkpoint { input, output: self.output, start: BitOffset::Member });
        }
        self.header()
    }

    /// Makes the block boundary at the end of `text`, the part of the buffer filled so far, a candidate for a
    /// checkpoint if `text` holds the window that the checkpoint needs.
    fn note(&mut self, text: &[u8]) {
        let window = saturate::<usize>((WINDOW as u64).min(self.sum.len));
        if let Some(start) = text.len().checked_sub(window) {
            let inside = Inside { window: text[start..].into(), sum: self.sum.clone(), proof: 0 };
            // The last byte that was read may contain the first bits of the block.
            let input = self.input.offset() - 1;
            let checkpoint =
                Checkpoint { input, output: self.output, start: BitOffset::Block(Box::new(inside)) };
            self.candidate = Some((text.len(), checkpoint));
        }
    }

    /// Adds the candidate to the checkpoints if enough of its member's text follows it in `text`, else
    /// discards it.
    fn prove(&mut self, text: &[u8]) {
        if let Some((at, mut checkpoint)) = self.candidate.take()
            && let Some(proof) = text[at..].first_chunk::<PROOF>()
            && let BitOffset::Block(inside) = &mut checkpoint.start
            && let Some(checkpoints) = &mut self.checkpoints
        {
            inside.proof = crc32fast::hash(proof);
            checkpoints.push(checkpoint);
        }
    }
}
