//! Opening an input and giving its inflated text as a stream of bytes.
//!
//! User files are read, never mapped: a mapped file that shrinks would kill the reader. Inflation runs on its own
//! thread, ahead of the parser. Must not know JSON.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::thread;

use crossbeam_channel::{Receiver, bounded};
use flate2::bufread::GzDecoder;

use crate::model::Warning;

use super::error::{ImportError, show};
use super::chunk::fill;
use super::progress::Progress;
use super::sniff::{HEAD, Kind, sniff};

/// Bytes handed over at a time by the inflating thread.
const BLOCK: usize = 1 << 20;

/// An opened input.
pub(super) struct Source<'p> {
    /// As given.
    pub path: PathBuf,
    /// The text.
    pub reader: Box<dyn Read + Send + 'p>,
    /// How the text can be had again.
    pub again: Again,
}

/// How the text of a source can be had again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// By reading the file: the text is the file.
    File,
    /// By inflating the file again: kept while it is not too large.
    Inflate,
    /// Not at all (a pipe): it must be kept.
    Keep,
}

/// Size of the file in bytes, 0 when not known.
pub(super) fn size(path: &Path) -> u64 {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map_or(0, |meta| meta.len())
}

/// A source of bytes at hand.
pub(super) fn of_bytes<'p>(bytes: &'p [u8], progress: &'p Progress) -> Result<Source<'p>, ImportError> {
    recognise(Path::new("memory"), Box::new(bytes), false, progress)
}

/// Opens `path` (`-` is standard input) and recognises its container.
pub(super) fn open<'p>(path: &Path, progress: &'p Progress) -> Result<Source<'p>, ImportError> {
    let fail = |error: io::Error| ImportError::io(path, &error);
    let is_stdin = path.as_os_str() == "-";
    let (input, is_regular): (Box<dyn Read + Send>, bool) = if is_stdin {
        (Box::new(io::stdin()), false)
    } else {
        let file = File::open(path).map_err(fail)?;
        let meta = file.metadata().map_err(fail)?;
        if meta.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        (Box::new(file), meta.is_file())
    };
    recognise(path, input, is_regular, progress)
}

fn recognise<'p>(
    path: &Path,
    input: Box<dyn Read + Send + 'p>,
    is_regular: bool,
    progress: &'p Progress,
) -> Result<Source<'p>, ImportError> {
    let fail = |error: io::Error| ImportError::io(path, &error);
    let mut input = Counted { inner: input, progress };
    let mut head = Vec::with_capacity(HEAD);
    input.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(fail)?;
    let kind = sniff(&head);
    let input = io::Cursor::new(head).chain(input);
    let compressed = if is_regular { Again::Inflate } else { Again::Keep };
    let (reader, again): (Box<dyn Read + Send>, _) = match kind {
        Kind::Gzip => (Box::new(Gzip::new(BufReader::with_capacity(BLOCK, input))), compressed),
        Kind::Zstd => (Box::new(zstd::Decoder::new(input).map_err(fail)?), compressed),
        Kind::Text => (Box::new(input), if is_regular { Again::File } else { Again::Keep }),
        Kind::Other(what) => {
            return Err(ImportError::Format { path: show(path), what: format!("this is {what}") });
        }
    };
    Ok(Source { path: path.to_owned(), reader, again })
}

/// Counts what is read from the file itself and stops when asked to.
struct Counted<'p, R> {
    inner: R,
    progress: &'p Progress,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.progress.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        let n = self.inner.read(buf)?;
        self.progress.add_read(n as u64);
        Ok(n)
    }
}

/// An error that means damage to note, not a failure: what could be read before it stays good.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.title())]
pub(super) struct Damage(pub(super) Warning);

fn damage(warning: Warning) -> io::Error {
    io::Error::other(Damage(warning))
}

/// All members of a gzip file; zeros after the last one are padding, as gzip(1) has it.
struct Gzip<R: BufRead> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    fn new(input: R) -> Self {
        Self { member: Some(GzDecoder::new(input)) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            match member.read(buf) {
                Ok(0) => {}
                Ok(n) => return Ok(n),
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(damage(Warning::Truncated));
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    return Err(damage(Warning::Checksum));
                }
                Err(error) => return Err(error),
            }
            let Some(mut input) = self.member.take().map(GzDecoder::into_inner) else { break };
            loop {
                let next = input.fill_buf()?;
                let zeros = next.iter().take_while(|&&byte| byte == 0).count();
                match next.get(zeros) {
                    None if next.is_empty() => return Ok(0),
                    None => input.consume(zeros),
                    Some(0x1f) => break,
                    Some(_) => return Err(damage(Warning::Trailing)),
                }
            }
            self.member = Some(GzDecoder::new(input));
        }
        Ok(0)
    }
}

/// Runs `reader` on a thread of `scope`; the returned reader takes blocks from it.
pub(super) fn read_ahead<'scope, 'env>(
    scope: &'scope thread::Scope<'scope, 'env>,
    mut reader: Box<dyn Read + Send + 'scope>,
) -> ReadAhead {
    let (send, blocks) = bounded::<io::Result<Vec<u8>>>(4);
    scope.spawn(move || {
        loop {
            let mut block = vec![0; BLOCK];
            let (filled, error) = fill(&mut *reader, &mut block);
            block.truncate(filled);
            let is_last = filled < BLOCK;
            if filled > 0 && send.send(Ok(block)).is_err() {
                return;
            }
            if let Some(error) = error {
                let _ = send.send(Err(error));
            }
            if is_last {
                return;
            }
        }
    });
    ReadAhead { blocks, block: Vec::new(), used: 0 }
}

/// The reading end of [`read_ahead`].
pub(super) struct ReadAhead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    used: usize,
}

impl Read for ReadAhead {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.used == self.block.len() {
            match self.blocks.recv() {
                Ok(block) => (self.block, self.used) = (block?, 0),
                Err(_) => return Ok(0),
            }
        }
        let n = buf.len().min(self.block.len() - self.used);
        buf[..n].copy_from_slice(&self.block[self.used..self.used + n]);
        self.used += n;
        Ok(n)
    }
}
