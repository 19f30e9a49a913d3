//! The process's list of names: each text gets a number, and is written to the list's file before any record
//! refers to that number.

use std::collections::HashMap;
use std::io;

use proftui_wire::chunk::Tag;
use proftui_wire::names::{LONGEST_NAME, MOST_BYTES, MOST_NAMES, bytes};
use proftui_wire::process_key::NAMES;

use crate::files::OwnFolder;

/// The process's list of names. Remembers the number of each text that [`Names::number`] added, and writes
/// the list to a file once the process has a folder.
#[derive(Default)]
pub(crate) struct Names {
    numbers: HashMap<Box<[u8]>, u32>,
    /// Bytes of the texts in `numbers`.
    remembered: u64,
    /// The number of the last text in the list; 0 for an empty list.
    count: u32,
    /// The process's folder, once the list's file is made in it; `None` before.
    folder: Option<OwnFolder>,
    /// In the child of a fork, the folder of the nearest ancestor that had a file of the list, if one had:
    /// the list begins with the first `saved` bytes of that file. Not used once the child has a file of its
    /// own.
    parents: Option<OwnFolder>,
    /// How many bytes of the list are in the file in `folder` or, while that is `None`, in the file in
    /// `parents`, which may have got more since the fork.
    saved: u64,
    /// The encoded names at the end of the list that are in no file yet.
    unsaved: Vec<u8>,
}

impl Names {
    /// Returns the number of a text, which is cut to [`LONGEST_NAME`] bytes and added to the list if it is
    /// new; 0 for a new text if the list ([`Tag::NAMES`]) or its memory ([`MOST_NAMES`], [`MOST_BYTES`]) is
    /// full.
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        let text = &text.as_bytes()[..text.len().min(LONGEST_NAME)];
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        if self.numbers.len() >= MOST_NAMES || self.remembered + text.len() as u64 > MOST_BYTES {
            return 0;
        }
        let number = self.add(text);
        if number != 0 {
            self.numbers.insert(text.into(), number);
            self.remembered += text.len() as u64;
        }
        number
    }

    /// Adds a text to the list even if it is there already, since it is used only once; its number is not
    /// kept in memory. Returns the number, or 0 if the list is full or too much of it is not written yet.
    pub(crate) fn once(&mut self, text: &str) -> u32 {
        self.add(text.as_bytes())
    }

    /// Makes the list's file in `folder`, the process's, and writes the list into it, in the child of a fork
    /// with the names that it inherited. If only the write fails, that is no error: the next new name tries
    /// again.
    pub(crate) fn move_to(&mut self, folder: &OwnFolder) -> io::Result<()> {
        let mut list = match &self.parents {
            Some(folder) => folder.read(NAMES)?,
            None => Vec::new(),
        };
        list.truncate(self.saved as usize);
        if (list.len() as u64) < self.saved {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        list.append(&mut self.unsaved);
        folder.create(NAMES)?;
        (self.folder, self.saved, self.unsaved) = (Some(folder.clone()), 0, list);
        self.save();
        Ok(())
    }

    /// Gives up the parent's file, in the child of a fork: new names stay in memory until [`Names::move_to`]
    /// makes the child's own file.
    pub(crate) fn forked(&mut self) {
        self.parents = self.folder.take().or(self.parents.take());
    }

    /// Appends a text to the list and, if there is one, to its file; returns the text's number, or 0 if the
    /// list is full or too much of it is not written yet.
    fn add(&mut self, text: &[u8]) -> u32 {
        if self.count + 1 >= Tag::NAMES || self.unsaved.len() as u64 > MOST_BYTES {
            return 0;
        }
        self.count += 1;
        self.unsaved.extend(bytes(text));
        self.save();
        self.count
    }

    /// Appends the names that are in no file yet to the list's file; does nothing while there is none. If the
    /// write fails, the next call tries again at the same offset.
    fn save(&mut self) {
        let Some(folder) = &self.folder else { return };
        if folder.write(NAMES, self.saved, &self.unsaved).is_ok() {
            self.saved += self.unsaved.len() as u64;
            self.unsaved.clear();
        }
    }
}
