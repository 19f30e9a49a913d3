//! Inflating again from the checkpoint before an offset. Must not know the meaning of the text.

use std::io::{self, Read, Seek, SeekFrom};

use super::checkpoint::{BitOffset, Checkpoint, Checkpoints, Inside};
use super::gzip::{Gzip, PROOF};
use super::inflater::Inflater;
use super::outcome::Stop;
use proftui_base::saturate::saturate;

/// Most bytes of text that are dropped at a time between a checkpoint and the offset to read from.
const STEP: usize = 64 << 10;

/// Reads the text of a compressed file from an offset on. The text ends at damage as at the end of the file,
/// without an error.
#[derive(Debug)]
pub(crate) struct Again<R>(Inflater<R>);

impl Checkpoints {
    /// Reads the text from byte `offset` on; `input` must be the file in which the checkpoints were noted.
    ///
    /// # Errors
    /// When the file cannot be read, is too short for a checkpoint, or the decoder cannot be made.
    pub(crate) fn read_from<R: Read + Seek>(&self, mut input: R, offset: u64) -> io::Result<Again<R>> {
        for checkpoint in self.before(offset) {
            let bit = match &checkpoint.start {
                BitOffset::Member => None,
                BitOffset::Block(inside) => match first_bit(&mut input, checkpoint, inside)? {
                    None => continue,
                    bit => bit,
                },
            };
            let mut again = Again(self.start(input, checkpoint, bit)?);
            again.skip(offset - checkpoint.output)?;
            return Ok(again);
        }
        // The start of the file is a checkpoint.
        Err(io::ErrorKind::NotFound.into())
    }

    fn start<R: Read + Seek>(
        &self,
        mut input: R,
        checkpoint: &Checkpoint,
        bit: Option<u32>,
    ) -> io::Result<Inflater<R>> {
        input.seek(SeekFrom::Start(checkpoint.input))?;
        match (&checkpoint.start, bit) {
            (BitOffset::Block(inside), Some(bit)) => inflater(input, bit, inside),
            _ => Inflater::start(self.container, input, None),
        }
    }
}

/// Finds the bit of the checkpoint's first byte at which its block starts, by the text's checksum; 8 is the
/// next byte's first. `None` if no bit fits.
fn first_bit<R: Read + Seek>(
    input: &mut R,
    checkpoint: &Checkpoint,
    inside: &Inside,
) -> io::Result<Option<u32>> {
    let mut text = vec![0; PROOF];
    for bit in 1..=8 {
        input.seek(SeekFrom::Start(checkpoint.input))?;
        let filled = inflater(&mut *input, bit, inside)?.fill(&mut text);
        match filled.stop {
            None if crc32fast::hash(&text) == inside.proof => return Ok(Some(bit)),
            Some(Stop::Failed(error)) => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

fn inflater<R: Read>(input: R, bit: u32, inside: &Inside) -> io::Result<Inflater<R>> {
    match Gzip::at_boundary(input, bit, inside) {
        Ok(gzip) => Ok(Inflater::inside(gzip)),
        Err(Stop::Failed(error)) => Err(error),
        Err(_) => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

impl<R: Read> Again<R> {
    fn skip(&mut self, mut count: u64) -> io::Result<()> {
        let mut text = vec![0; STEP];
        while count > 0 {
            let wanted = saturate::<usize>(count.min(STEP as u64));
            let read = self.read(&mut text[..wanted])?;
            if read == 0 {
                break;
            }
            count -= read as u64;
        }
        Ok(())
    }
}

impl<R: Read> Read for Again<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let filled = self.0.fill(buf);
        match filled.stop {
            Some(Stop::Failed(error)) => Err(error),
            _ => Ok(filled.len),
        }
    }
}
