//! Reading an event again from where it came: a plain file by its offset, anything else from the text that was kept.
//!
//! Drawing never comes here; selecting an event does.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::model::Origin;

use super::chrome::args::{self, Argument};

/// Bytes read first for an event; doubled until the event is whole.
const FIRST: usize = 16 << 10;
/// Longest event that is read again.
const LIMIT: usize = 64 << 20;

/// The text of one file.
#[derive(Debug)]
pub(super) enum Text {
    /// In the file itself; its size and change time when it was read tell whether it is still the same.
    File { path: PathBuf, size: u64, changed: Option<(i64, i64)> },
    /// In memory: the source was compressed or a pipe.
    Kept(Vec<u8>),
}

impl Text {
    pub(super) fn kept(text: Vec<u8>) -> Self {
        Self::Kept(text)
    }

    pub(super) fn file(path: &Path, size: u64) -> Self {
        Self::File { path: path.to_owned(), size, changed: stamp(path) }
    }
}

/// When the file's content last changed.
fn stamp(path: &Path) -> Option<(i64, i64)> {
    std::fs::metadata(path).ok().map(|meta| (meta.mtime(), meta.mtime_nsec()))
}

/// The texts of all files of a trace.
#[derive(Debug, Default)]
pub struct Texts(Vec<Text>);

/// An event read again.
#[derive(Clone, Debug, PartialEq)]
pub enum EventText {
    /// Its members in the file's order.
    Members(Vec<Argument>),
    /// It cannot be had: why, in words.
    Gone(String),
}

impl Texts {
    pub(super) fn push(&mut self, text: Text) {
        self.0.push(text);
    }

    /// True when nothing was read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The event that stands at `origin`.
    pub fn read(&self, origin: Origin) -> EventText {
        let members = match self.0.get(origin.file()) {
            None => return EventText::Gone("its file is not known".into()),
            Some(Text::Kept(text)) => text.get(origin.offset() as usize..).and_then(args::read),
            Some(Text::File { path, size, changed }) => {
                let is_same =
                    stamp(path) == *changed && std::fs::metadata(path).is_ok_and(|meta| meta.len() == *size);
                if !is_same {
                    return EventText::Gone("the file has changed on disk since it was read".into());
                }
                match read_file(path, origin.offset()) {
                    Ok(members) => members,
                    Err(error) => return EventText::Gone(format!("the file cannot be read again: {error}")),
                }
            }
        };
        members.map_or_else(|| EventText::Gone("the event cannot be read again".into()), EventText::Members)
    }
}

fn read_file(path: &Path, offset: u64) -> io::Result<Option<Vec<Argument>>> {
    let file = File::open(path)?;
    let mut size = FIRST;
    loop {
        let mut text = vec![0; size];
        let mut filled = 0;
        while filled < size {
            match file.read_at(&mut text[filled..], offset + filled as u64)? {
                0 => break,
                n => filled += n,
            }
        }
        let members = args::read(&text[..filled]);
        if members.is_some() || filled < size || size >= LIMIT {
            return Ok(members);
        }
        size *= 2;
    }
}
