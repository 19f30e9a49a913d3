//! The process's list of names: each text gets a number, and is written to the list's file before any record
//! refers to that number.

use std::collections::HashMap;
use std::io;

use proftui_wire::chunk::Tag;
use proftui_wire::names::{LONGEST_NAME, MOST_BYTES, MOST_NAMES, bytes};
use proftui_wire::process_key::NAMES;

use crate::files::OwnFolder;

/// The process's list of names: numbers texts, and writes them to a file once the process has a folder.
#[derive(Default)]
pub(crate) struct Names {
    numbers: HashMap<Box<[u8]>, u32>,
    /// Bytes of the texts in `numbers`.
    remembered: u64,
    /// The number of the last text in the list; 0 for an empty list.
    count: u32,
    /// The process's folder, once the list's file is made in it; `None` before.
    folder: Option<OwnFolder>,
    /// In the child of a fork, the ancestor's folder whose file has the beginning of the child's list; `None`
    /// if there is none.
    parents: Option<OwnFolder>,
    /// How many bytes of the list are in a file, in `folder` or else in `parents`.
    saved: u64,
    /// The encoded names at the end of the list that are in no file yet.
    unsaved: Vec<u8>,
}

impl Names {
    /// Returns the number of a text, cut to [`LONGEST_NAME`] bytes, and adds it to the list if it is new; 0
    /// if it cannot be added.
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

    /// Adds a text to the list, even if it is there already, and returns its new number; 0 if it cannot be
    /// added.
    pub(crate) fn once(&mut self, text: &str) -> u32 {
        self.add(text.as_bytes())
    }

    /// Makes the list's file in the process's folder and writes the list into it, inherited names included. A
    /// failed write alone is no error: it is tried again.
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

    /// Stops writing to the parent's file, in the child of a fork: new names stay in memory until
    /// [`Names::move_to`].
    pub(crate) fn forked(&mut self) {
        self.parents = self.folder.take().or(self.parents.take());
    }

    /// Appends a text to the list, and usually to its file. Returns the text's number, or 0 if the list can
    /// take no more.
    fn add(&mut self, text: &[u8]) -> u32 {
        if self.count + 1 >= Tag::NAMES || self.unsaved.len() as u64 > MOST_BYTES {
            return 0;
        }
        self.count += 1;
        self.unsaved.extend(bytes(text));
        self.save();
        self.count
    }

    /// Appends the names that are in no file yet to the list's file, if there is one. After a failed write,
    /// the next call tries again.
    fn save(&mut self) {
        let Some(folder) = &self.folder else { return };
        if folder.write(NAMES, self.saved, &self.unsaved).is_ok() {
            self.saved += self.unsaved.len() as u64;
            self.unsaved.clear();
        }
    }
}
