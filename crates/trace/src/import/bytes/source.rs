//! Opening an input, recognising its format, and giving its inflated text as a stream of bytes.
//!
//! User files are read, never mapped: a mapped file that shrinks would kill the reader. Must not know
//! JSON or protobuf.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::Warning;
use proftui_base::{heap, regular};

use super::fluid::Profile;
use super::inflate::{Checkpoints, Container, Damage, Filled, Inflater, Stop};
use super::kinds::{self, Head};
use super::sniff::{self, Format, HEAD, Kind, sniff};
use crate::import::argument::Argument;
use crate::import::error::{ImportError, show};
use crate::import::progress::Progress;

/// An opened input, whose format is known.
pub(in crate::import) struct Source<'p> {
    /// The path that was opened: `-` for standard input, `memory` for bytes in memory.
    pub path: PathBuf,
    /// Stream of the text, after inflating or converting if the file needs it.
    pub feed: Feed<'p>,
    /// How the text can be read again.
    pub again: Again,
    /// The format of the text.
    pub format: Format,
    /// The largest zstd window seen while recognising the format, bytes; 0 for plain text and gzip.
    pub window: u64,
    /// What the text seems to be, and what to do with it, for a message that it is not read; `None` if
    /// unknown.
    pub if_refused: Option<String>,
}

/// A stream of a text, inflated if it was compressed.
pub(in crate::import) enum Feed<'p> {
    Plain(Box<dyn Read + Send + 'p>),
    Packed(Packed<'p>),
}

/// A compressed text whose first bytes were inflated to recognise the format.
pub(in crate::import) struct Packed<'p> {
    inflater: Inflater<Box<dyn Read + Send + 'p>>,
    /// The first bytes of the text; those from index `given` on are not returned yet.
    head: Vec<u8>,
    given: usize,
    /// Why the text ends; `None` while its end is not known, and once the reason was returned.
    stop: Option<Stop>,
}

impl<'p> Packed<'p> {
    /// Starts inflating, and inflates the first bytes of the text.
    fn new(container: Container, input: Box<dyn Read + Send + 'p>) -> io::Result<Self> {
        let mut inflater = Inflater::new(container, input)?;
        let mut head = vec![0; HEAD];
        let Filled { len, stop } = inflater.fill(&mut head);
        head.truncate(len);
        Ok(Self { inflater, head, given: 0, stop })
    }

    fn fill(&mut self, block: &mut [u8]) -> Filled {
        let ahead = &self.head[self.given..];
        let len = ahead.len().min(block.len());
        block[..len].copy_from_slice(&ahead[..len]);
        self.given += len;
        if self.given < self.head.len() {
            return Filled { len, stop: None };
        }
        if let Some(stop) = self.stop.take() {
            return Filled { len, stop: Some(stop) };
        }
        let filled = self.inflater.fill(&mut block[len..]);
        Filled { len: len + filled.len, ..filled }
    }
}

/// What a reader keeps of a text that it has read, for reading events again.
pub(in crate::import) struct Kept {
    /// The text as far as it was read; `None` when it can be read again from the file, or was too long to
    /// keep.
    pub text: Option<Vec<u8>>,
    /// The checkpoints of a compressed text that was read to its end; `None` for any other.
    pub checkpoints: Option<Checkpoints>,
    /// The events of a format whose events cannot be read one by one; `None` for any other.
    pub rows: Option<Arc<dyn Rows>>,
}

/// Events that are kept for as long as the trace is.
pub(in crate::import) trait Rows: fmt::Debug + Send + Sync {
    /// The fields of the event with this key; `None` if there is none.
    fn row(&self, key: u64) -> Option<Vec<Argument>>;
}

/// How the text of a source can be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::import) enum Again {
    /// By reading the file: the text is the file.
    File,
    /// By inflating the file again from a checkpoint.
    Inflate,
    /// From memory only: the reader must keep the text.
    Keep,
}

/// Size in bytes of the regular file at `path`; 0 for any other path.
pub(in crate::import) fn size(path: &Path) -> u64 {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map_or(0, |meta| meta.len())
}

/// Opens bytes in memory as a source, as if they were the content of a file that cannot be read again.
pub(in crate::import) fn of_bytes<'p>(
    bytes: &'p [u8],
    progress: &'p Progress,
) -> Result<Source<'p>, ImportError> {
    recognise(Path::new("memory"), Box::new(bytes), false, progress)
}

/// Opens `path` (`-` is standard input) and recognises the format of its text. May wait at a pipe.
pub(in crate::import) fn open<'p>(path: &Path, progress: &'p Progress) -> Result<Source<'p>, ImportError> {
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

/// Opens `path` like [`open`], but only a regular file, and without waiting; `-` is a file's name here.
pub(in crate::import) fn open_regular<'p>(
    path: &Path,
    progress: &'p Progress,
) -> Result<Source<'p>, ImportError> {
    let file = regular(path).map_err(|error| ImportError::io(path, &error))?;
    recognise(path, Box::new(file), true, progress)
}

/// Opens a regular file for reading, without waiting.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub(in crate::import) fn regular(path: &Path) -> io::Result<File> {
    regular::open(path).map_err(|error| {
        if regular::is_refusal(&error) {
            io::Error::other(format!("{error}; named directly, a pipe or device is read"))
        } else {
            error
        }
    })
}

/// What the file `path` is, and what to do with it, if it seems to be of a kind that is not read; `None`
/// otherwise.
pub(in crate::import) fn foreign(path: &Path) -> Option<String> {
    match open_regular(path, &Progress::default()) {
        Ok(source) => source.if_refused,
        Err(ImportError::Format { what, .. }) => what.strip_prefix(THIS_IS).map(str::to_owned),
        Err(_) => None,
    }
}

/// The beginning of the message about a file that is not read.
const THIS_IS: &str = "this is ";

/// Reads the whole text of `path`, which the user named, inflated or converted if the file needs it.
///
/// # Errors
/// When [`open`] fails, or the text cannot be read or inflated, is longer than `limit` bytes or does not fit
/// in memory.
pub(in crate::import) fn text(path: &Path, limit: u64) -> Result<Vec<u8>, ImportError> {
    text_of(open(path, &Progress::default())?, path, limit)
}

/// Reads the whole text of a regular file like [`text`], without waiting.
///
/// # Errors
/// The errors of [`text`], and when the path is no regular file.
pub(in crate::import) fn text_of_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ImportError> {
    text_of(open_regular(path, &Progress::default())?, path, limit)
}

fn text_of(mut source: Source<'_>, path: &Path, limit: u64) -> Result<Vec<u8>, ImportError> {
    const BLOCK: usize = 1 << 20;
    let too_long = || ImportError::Memory {
        path: show(path),
        what: "its text is too long for the memory limit: raise --max-memory, or the system's limit if it \
            is lower"
            .into(),
    };
    let mut text = Vec::new();
    loop {
        let from = text.len();
        // As long as the text so far, so that few of these move it.
        let room = if text.capacity() < from + BLOCK { BLOCK.max(from) } else { 0 };
        heap::try_reserve(&mut text, room).map_err(|_| too_long())?;
        text.resize(from + BLOCK, 0);
        let Filled { len, stop } = source.feed.fill(&mut text[from..]);
        text.truncate(from + len);
        if text.len() as u64 > limit {
            return Err(too_long());
        }
        match stop {
            None => {}
            Some(Stop::End) => return Ok(text),
            Some(Stop::Failed(error)) => return Err(ImportError::io(path, &error)),
            Some(Stop::Damaged(damage)) => {
                return Err(ImportError::Format { path: show(path), what: damage.to_string() });
            }
        }
    }
}

fn recognise<'p>(
    path: &Path,
    input: Box<dyn Read + Send + 'p>,
    is_regular: bool,
    progress: &'p Progress,
) -> Result<Source<'p>, ImportError> {
    let fail = |error: io::Error| ImportError::io(path, &error);
    let foreign = |what: String| ImportError::Format { path: show(path), what: format!("{THIS_IS}{what}") };
    let mut input = Counted { inner: input, progress };
    let mut first = Vec::with_capacity(HEAD);
    input.by_ref().take(HEAD as u64).read_to_end(&mut first).map_err(fail)?;
    let container = sniff::container(&first);
    let input = Box::new(io::Cursor::new(first.clone()).chain(input));
    let (feed, first) = match container {
        None => (Feed::Plain(input), first),
        Some(container) => {
            let mut packed = Packed::new(container, input).map_err(fail)?;
            if let Some(Stop::Failed(error)) = packed.stop.take_if(|_| packed.head.is_empty()) {
                return Err(fail(error));
            }
            let first = packed.head.clone();
            (Feed::Packed(packed), first)
        }
    };
    let window = if let Feed::Packed(packed) = &feed { packed.inflater.window() } else { 0 };
    let head = Head::new(&first, path);
    let (feed, again, format) = match sniff(&head) {
        Kind::Text(format) if container.is_none() => (feed, Again::File, format),
        Kind::Text(format) => (feed, Again::Inflate, format),
        // The text is converted while it is read, so events cannot be read again from the file.
        Kind::Fluid => (Feed::Plain(Box::new(Profile::new(feed))), Again::Keep, Format::Chrome),
        Kind::Foreign(kind) => return Err(foreign(kind.describe(container))),
        Kind::Packed => {
            return Err(foreign("compressed data that is compressed again: decompress it once".into()));
        }
    };
    let again = if is_regular { again } else { Again::Keep };
    let if_refused = kinds::of_refused(&head).map(|kind| kind.describe(container));
    Ok(Source { path: path.to_owned(), feed, again, format, window, if_refused })
}

impl Source<'_> {
    /// Replaces an error that the text is no trace or no JSON by what the text seems to be, `if_refused`.
    /// Returns the error unchanged otherwise.
    pub(in crate::import) fn refused(if_refused: Option<String>, error: ImportError) -> ImportError {
        match (error, if_refused) {
            (ImportError::NotTrace { path, .. } | ImportError::Syntax { path, .. }, Some(what)) => {
                ImportError::Format { path, what: format!("{THIS_IS}{what}") }
            }
            (error, _) => error,
        }
    }
}

impl Read for Feed<'_> {
    /// Reads the next bytes of the text. What comes before damage is returned first; the error for the damage
    /// then holds its [`Damage`].
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let packed = match self {
            Self::Plain(reader) => return reader.read(block),
            Self::Packed(packed) => packed,
        };
        let Filled { len, stop } = packed.fill(block);
        match stop {
            None | Some(Stop::End) => Ok(len),
            // The text before it is given out first.
            Some(stop) if len > 0 => {
                packed.stop = Some(stop);
                Ok(len)
            }
            Some(Stop::Damaged(damage)) => Err(io::Error::other(damage)),
            Some(Stop::Failed(error)) => Err(error),
        }
    }
}

impl Feed<'_> {
    /// Fills `block` with the next bytes of the text. Fewer bytes come at the end only, with the reason in
    /// `stop`.
    pub(in crate::import) fn fill(&mut self, block: &mut [u8]) -> Filled {
        match self {
            Self::Packed(packed) => packed.fill(block),
            Self::Plain(reader) => {
                let mut len = 0;
                while len < block.len() {
                    match reader.read(&mut block[len..]) {
                        Ok(0) => return Filled { len, stop: Some(Stop::End) },
                        Ok(n) => len += n,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => {
                            let damage = error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>());
                            let stop = damage.copied().map_or_else(|| Stop::Failed(error), Stop::Damaged);
                            return Filled { len, stop: Some(stop) };
                        }
                    }
                }
                Filled { len, stop: None }
            }
        }
    }

    /// Takes the checkpoints of a compressed text; `None` for any other text, and after the first call.
    pub(in crate::import) fn checkpoints(&mut self) -> Option<Checkpoints> {
        match self {
            Self::Packed(packed) => packed.inflater.take_checkpoints(),
            Self::Plain(_) => None,
        }
    }
}

/// The warning for damage or an error at which a text ended, with its example; `None` without either.
pub(in crate::import) fn loss(stop: Option<Stop>) -> Option<(Warning, String)> {
    match stop? {
        Stop::Damaged(damage) => Some((warning(damage), damage.to_string())),
        Stop::Failed(error) => Some((Warning::Truncated, format!("read error: {error}"))),
        Stop::End => None,
    }
}

fn warning(damage: Damage) -> Warning {
    match damage {
        Damage::Truncated => Warning::Truncated,
        Damage::Data | Damage::Checksum => Warning::Checksum,
        Damage::Trailing => Warning::Trailing,
    }
}

/// Counts the bytes read from the file itself, and fails once loading is cancelled.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use rustix::fs::{CWD, Mode, mkfifoat};

    #[test]
    fn a_file_that_a_pipe_replaces_meanwhile_is_opened_without_waiting() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "[]").expect("written");
        mkfifoat(CWD, path("pipe"), Mode::RWXU).expect("a pipe");
        std::os::unix::fs::symlink("file", path("link")).expect("a link");
        let (done, is_done) = channel();
        let link = path("link");
        std::thread::spawn(move || {
            let opened = (0..5000).map(|_| regular(&link)).filter(|opened| {
                let file = opened.as_ref().ok().and_then(|file| file.metadata().ok());
                file.is_none_or(|found| found.is_file())
            });
            done.send(opened.count())
        });
        let mut opened = None;
        for round in 0..1_000_000 {
            let target = if round % 2 == 0 { "pipe" } else { "file" };
            std::os::unix::fs::symlink(target, path("next")).expect("a link");
            std::fs::rename(path("next"), path("link")).expect("renamed");
            opened = is_done.try_recv().ok();
            if opened.is_some() {
                break;
            }
        }
        let opened = opened.or_else(|| is_done.recv_timeout(Duration::from_mins(1)).ok());
        assert_eq!(opened, Some(5000), "each time a regular file or an error, and no wait");
    }
}
