//! Opening an input and giving its inflated text as a stream of bytes.
//!
//! User files are read, never mapped: a mapped file that shrinks would kill the reader. Must not know JSON.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::model::Warning;

use super::error::{ImportError, show};
use super::fluid::Profile;
use super::inflate::{Checkpoints, Container, Damage, Filled, Inflater, Stop};
use super::progress::Progress;
use super::sniff::{HEAD, Kind, sniff};

/// An opened input.
pub(super) struct Source<'p> {
    /// As given.
    pub path: PathBuf,
    /// The text.
    pub feed: Feed<'p>,
    /// How the text can be had again.
    pub again: Again,
}

/// Where text comes from.
pub(super) enum Feed<'p> {
    Plain(Box<dyn Read + Send + 'p>),
    Packed(Inflater<Box<dyn Read + Send + 'p>>),
}

/// How the text of a source can be had again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// By reading the file: the text is the file.
    File,
    /// By inflating the file again from a checkpoint.
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
    let input: Box<dyn Read + Send + 'p> = Box::new(input);
    let (feed, again) = match kind {
        Kind::Text => (Feed::Plain(input), Again::File),
        Kind::Gzip => (Feed::Packed(Inflater::new(Container::Gzip, input).map_err(fail)?), Again::Inflate),
        Kind::Zstd => (Feed::Packed(Inflater::new(Container::Zstd, input).map_err(fail)?), Again::Inflate),
        // Its text is made on the way: events cannot be read again from the file.
        Kind::Fluid => (Feed::Plain(Box::new(Profile::new(input))), Again::Keep),
        Kind::Other(what) => {
            return Err(ImportError::Format { path: show(path), what: format!("this is {what}") });
        }
    };
    Ok(Source { path: path.to_owned(), feed, again: if is_regular { again } else { Again::Keep } })
}

impl Feed<'_> {
    /// Fills `block` with the text that comes next: how many bytes, and whether they were the last, and why.
    pub(super) fn fill(&mut self, block: &mut [u8]) -> Filled {
        match self {
            Self::Packed(inflater) => inflater.fill(block),
            Self::Plain(reader) => {
                let mut len = 0;
                while len < block.len() {
                    match reader.read(&mut block[len..]) {
                        Ok(0) => return Filled { len, stop: Some(Stop::End) },
                        Ok(n) => len += n,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Filled { len, stop: Some(Stop::Failed(error)) },
                    }
                }
                Filled { len, stop: None }
            }
        }
    }

    /// Where inflating can start again; to be asked for when all text was read.
    pub(super) fn checkpoints(&mut self) -> Option<Checkpoints> {
        match self {
            Self::Packed(inflater) => inflater.take_checkpoints(),
            Self::Plain(_) => None,
        }
    }
}

/// What damage to a compressed file is called.
pub(super) fn warning(damage: Damage) -> Warning {
    match damage {
        Damage::Truncated => Warning::Truncated,
        Damage::Data | Damage::Checksum => Warning::Checksum,
        Damage::Trailing => Warning::Trailing,
    }
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
