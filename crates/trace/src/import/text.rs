//! Reading an event again: from a plain file by its offset, from a compressed one by inflating from the
//! checkpoint before it, from memory when it came through a pipe or was converted while it was read.
//!
//! Done when an event is selected, and by summaries that need arguments (`visit`); never while drawing.

use std::borrow::Cow;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::model::{Origin, Trace};
use proftui_base::saturate::saturate;

use super::argument::Argument;
use super::bytes::inflate::Checkpoints;
use super::bytes::sniff::Format;
use super::bytes::source::{self, Again, Kept, Rows, Source};
use super::chrome::args;
use super::chrome::scan::Fault;
use super::chrome::visit::LIMIT;
use super::paddle_pb;

/// Bytes of a file's text that are read first for an event.
const FIRST_READ: usize = 16 << 10;

/// Reads the members of the event at the start of the bytes; `None` if the event is incomplete or cannot be
/// read.
type Reader = fn(&[u8]) -> Option<Vec<Argument>>;

/// Why an event cannot be read again; displayed as one line for the user.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReadAgainError {
    /// The trace has no file with the number in the event's origin.
    #[error("the file of the event is not known")]
    NoFile,
    /// The file's text cannot be read again, for the reason in this field.
    #[error("{0}")]
    NotKept(&'static str),
    /// The file has changed since it was loaded, or is gone.
    #[error("the file has changed on disk since it was loaded (load it again), or is gone")]
    Changed,
    /// The file cannot be opened, read or inflated: the error as text.
    #[error("the file cannot be read again: {0}")]
    System(String),
    /// No complete event of at most 64 MiB begins at the event's byte offset.
    #[error("the file has no complete event of at most 64 MiB at the event's byte offset")]
    NoEvent,
}

/// The text of one file: what it is read from again, and how an event in it is read.
#[derive(Clone, Debug)]
pub(super) struct Text {
    backing: Backing,
    format: Format,
    reader: Reader,
}

/// What a file's text is read from again.
#[derive(Clone, Debug)]
pub(super) enum Backing {
    /// An uncompressed file, which can be read while its size and time of change are those in `stamp`.
    File { path: PathBuf, stamp: Option<Stamp> },
    /// A compressed file, which can be inflated from a checkpoint while its size and time of change are those
    /// in `stamp`.
    Inflate { path: PathBuf, stamp: Option<Stamp>, checkpoints: Arc<Checkpoints> },
    /// The whole text is kept in memory.
    Kept(Arc<Vec<u8>>),
    /// The events themselves are kept in memory.
    Rows(Arc<dyn Rows>),
    /// The text cannot be read again, for this reason.
    Gone(&'static str),
}

/// A file's size in bytes, and the time of its last change in s and ns.
type Stamp = (u64, i64, i64);

impl Text {
    /// The text of a file that is still being loaded, of which events can be read again only if the file
    /// alone is enough.
    pub(super) fn of_open(path: &Path, source: &Source<'_>) -> Self {
        let backing = match source.again {
            Again::File => Backing::file(path),
            Again::Inflate | Again::Keep => {
                Backing::Gone("the file is still loading: arguments cannot be shown yet")
            }
        };
        Self::new(backing, source.format)
    }

    pub(super) fn new(backing: Backing, format: Format) -> Self {
        let reader = match format {
            Format::Chrome => args::read,
            Format::Nodetree => |bytes: &[u8]| paddle_pb::read_again(bytes, args::read),
            // Its events are kept.
            Format::MemoryHistory => |_: &[u8]| None,
        };
        Self { backing, format, reader }
    }

    /// The text of a file that was loaded, to be read again from the file or from `kept`, if possible.
    pub(super) fn of_read(path: &Path, format: Format, again: Again, kept: Kept) -> Self {
        if let Some(rows) = kept.rows {
            return Self::new(Backing::Rows(rows), format);
        }
        let backing = match (again, kept.checkpoints, kept.text) {
            (Again::File, ..) => Backing::file(path),
            (Again::Inflate, Some(checkpoints), _) => Backing::inflate(path, checkpoints),
            (_, _, Some(text)) => Backing::Kept(Arc::new(text)),
            _ => Backing::Gone(
                "the trace's text was not kept in memory: if it came through standard input or a pipe, and \
                 not from Paddle's old profiler, load it from a file",
            ),
        };
        Self::new(backing, format)
    }

    /// What the text is read from again.
    pub(super) fn backing(&self) -> &Backing {
        &self.backing
    }

    /// The event at the start of `bytes` as JSON: converted from a protobuf, with event type, category and
    /// arguments only, or else `bytes` unchanged.
    ///
    /// # Errors
    /// When an event of a protobuf cannot be read.
    pub(super) fn json<'a>(&self, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, Fault> {
        match self.format {
            Format::Chrome | Format::MemoryHistory => Ok(Cow::Borrowed(bytes)),
            Format::Nodetree => paddle_pb::json(bytes).map(Cow::Owned).map_err(|fault| match fault {
                paddle_pb::Fault::End => Fault::End,
                // Callers do not use the offset of the damage.
                paddle_pb::Fault::Bad | paddle_pb::Fault::Memory => Fault::Bad(0),
            }),
        }
    }

    /// Reads the event at byte `offset` of the text.
    ///
    /// # Errors
    /// When no complete event is there, or the text cannot be read again.
    fn read(&self, offset: u64) -> Result<Vec<Argument>, ReadAgainError> {
        let (path, stamped) = match &self.backing {
            Backing::Kept(text) => {
                let event = text.get(saturate::<usize>(offset)..).and_then(self.reader);
                return event.ok_or(ReadAgainError::NoEvent);
            }
            Backing::Rows(rows) => return rows.row(offset).ok_or(ReadAgainError::NoEvent),
            Backing::Gone(why) => return Err(ReadAgainError::NotKept(why)),
            Backing::File { path, stamp } | Backing::Inflate { path, stamp, .. } => (path, stamp),
        };
        if stamp(path) != *stamped {
            return Err(ReadAgainError::Changed);
        }
        let members = match &self.backing {
            Backing::Inflate { checkpoints, .. } => {
                let text = source::regular(path).and_then(|file| checkpoints.read_from(file, offset));
                text.and_then(|mut text| read_growing(self.reader, |buf, _| text.read(buf)))
            }
            _ => source::regular(path)
                .and_then(|file| read_growing(self.reader, |buf, at| file.read_at(buf, offset + at))),
        };
        members.map_err(|error| ReadAgainError::System(error.to_string()))?.ok_or(ReadAgainError::NoEvent)
    }
}

impl Backing {
    pub(super) fn file(path: &Path) -> Self {
        Self::File { path: path.to_owned(), stamp: stamp(path) }
    }

    fn inflate(path: &Path, checkpoints: Checkpoints) -> Self {
        Self::Inflate { path: path.to_owned(), stamp: stamp(path), checkpoints: Arc::new(checkpoints) }
    }

    /// True when the file has changed since it was loaded, or is gone. False for a text that is not read from
    /// a file again.
    pub(super) fn has_changed(&self) -> bool {
        match self {
            Self::File { path, stamp: stamped } | Self::Inflate { path, stamp: stamped, .. } => {
                stamp(path) != *stamped
            }
            Self::Kept(_) | Self::Rows(_) | Self::Gone(_) => false,
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let of = |meta: Metadata| (meta.len(), meta.mtime(), meta.mtime_nsec());
    std::fs::metadata(path).ok().map(of)
}

/// The texts of all files of a trace, from which events are read again.
#[derive(Clone, Debug, Default)]
pub struct Texts(Vec<Text>);

/// The result of reading an event again.
#[derive(Clone, Debug, PartialEq)]
pub enum EventText {
    /// The event's fields, its arguments among them.
    Members(Vec<Argument>),
    /// The event cannot be read again, for this reason.
    Gone(ReadAgainError),
}

impl Texts {
    pub(super) fn push(&mut self, text: Text) {
        self.0.push(text);
    }

    /// A copy of these texts, with `text` added at the end if there is one.
    pub(super) fn with(&self, text: Option<Text>) -> Self {
        Self(self.0.iter().cloned().chain(text).collect())
    }

    /// Drops the text of each file whose number `is_wanted` refuses, since `--cycle` left out the file.
    pub(super) fn forget_unless(&mut self, is_wanted: impl Fn(usize) -> bool) {
        let unwanted = self.0.iter_mut().enumerate().filter(|(file, _)| !is_wanted(*file));
        unwanted.for_each(|(_, text)| text.backing = Backing::Gone("--cycle left out this file"));
    }

    /// True when a file from which events are read again has changed since it was loaded, or is gone.
    pub fn have_changed(&self) -> bool {
        self.0.iter().any(|text| text.backing.has_changed())
    }

    /// True when no file was loaded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The texts of the files, by file number.
    pub(super) fn as_slice(&self) -> &[Text] {
        &self.0
    }

    /// Reads the event at `origin` again, or states why it cannot be read.
    pub fn read(&self, origin: Origin) -> EventText {
        let Some(text) = self.0.get(origin.file()) else {
            return EventText::Gone(ReadAgainError::NoFile);
        };
        text.read(origin.offset()).map_or_else(EventText::Gone, EventText::Members)
    }
}

/// A trace, and the texts from which the arguments of its events are read.
#[derive(Debug)]
pub struct Loaded {
    /// The loaded trace.
    pub trace: Trace,
    /// The files' texts, from which events are read again.
    pub texts: Texts,
}

/// Reads more and more of a text, up to its end or at least [`LIMIT`], until `reader` finds a complete event;
/// `None` if it finds none. `read_at` reads bytes from a distance to the event's start on.
fn read_growing(
    reader: Reader,
    mut read_at: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> io::Result<Option<Vec<Argument>>> {
    let mut text = Vec::new();
    loop {
        let filled = text.len();
        let wanted = (2 * filled).max(FIRST_READ);
        text.resize(wanted, 0);
        let mut at = filled;
        while at < wanted {
            match read_at(&mut text[at..], at as u64)? {
                0 => break,
                n => at += n,
            }
        }
        text.truncate(at);
        let members = reader(&text);
        if members.is_some() || at < wanted || at >= LIMIT {
            return Ok(members);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use crate::import::bytes::inflate::{Container, Inflater};

    use super::*;
    use std::fs::File;

    #[test]
    fn every_kind_of_text_gives_the_event_again() {
        let event = format!("{{\"name\":\"{}\"}}", "x".repeat(2 * FIRST_READ));
        let text = format!("[{{}},{event},{{}}]");
        let path = std::env::temp_dir().join(format!("proftui-text-{}", std::process::id()));
        let plain = path.with_extension("json");
        let packed = path.with_extension("json.gz");
        std::fs::write(&plain, &text).expect("a file");
        let mut gzip = flate2::write::GzEncoder::new(
            File::create(&packed).expect("a file"),
            flate2::Compression::fast(),
        );
        gzip.write_all(text.as_bytes()).expect("written");
        gzip.finish().expect("written");
        let mut inflater =
            Inflater::new(Container::Gzip, File::open(&packed).expect("a file")).expect("a gzip file");
        let filled = inflater.fill(&mut vec![0; text.len() + 1]);
        assert_eq!(filled.len, text.len());
        let checkpoints = inflater.take_checkpoints().expect("noted");
        let kept = Backing::Kept(Arc::new(text.into_bytes()));
        for backing in [Backing::file(&plain), Backing::inflate(&packed, checkpoints), kept] {
            let members = Text::new(backing, Format::Chrome).read(4).expect("an event");
            assert_eq!(members[0].value.line().width(), 2 * FIRST_READ);
        }
        std::fs::remove_file(plain).expect("removed");
        std::fs::remove_file(packed).expect("removed");
    }
}
