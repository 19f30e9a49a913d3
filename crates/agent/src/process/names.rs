//! The process's names: each text once, by number, in its file before anything names it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proftui_wire::chunk::Tag;
use proftui_wire::names::{LONGEST, bytes};
use proftui_wire::process_key::NAMES;

use crate::files;

/// Most texts that are remembered.
const MOST: usize = 1 << 18;
/// Most bytes of them.
const ROOM: u64 = 16 << 20;

/// Texts and their numbers.
#[derive(Default)]
pub struct Names {
    numbers: HashMap<Box<[u8]>, u32>,
    remembered: u64,
    count: u32,
    file: Option<PathBuf>,
    /// The file of the process that this one was forked from.
    parents: Option<PathBuf>,
    /// Bytes that stand in the one or the other.
    saved: u64,
    /// What is not in it yet.
    unsaved: Vec<u8>,
}

impl Names {
    /// The number of a text; 0 when no more can be kept.
    pub fn number(&mut self, text: &str) -> u32 {
        let text = &text.as_bytes()[..text.len().min(LONGEST)];
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        if self.numbers.len() >= MOST || self.remembered + text.len() as u64 > ROOM {
            return 0;
        }
        let number = self.add(text);
        if number != 0 {
            self.numbers.insert(text.into(), number);
            self.remembered += text.len() as u64;
        }
        number
    }

    /// The number of a text that does not come again: it takes no memory.
    pub fn once(&mut self, text: &str) -> u32 {
        self.add(text.as_bytes())
    }

    /// From here on the list stands in this file, which is made. A process that was forked takes along what its parent named.
    pub fn move_to(&mut self, folder: &Path) -> io::Result<()> {
        let mut list = match &self.parents {
            Some(file) => fs::read(file)?,
            None => Vec::new(),
        };
        list.truncate(self.saved as usize);
        if (list.len() as u64) < self.saved {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        list.append(&mut self.unsaved);
        let file = folder.join(NAMES);
        files::create(&file)?;
        (self.file, self.saved, self.unsaved) = (Some(file), 0, list);
        self.save();
        Ok(())
    }

    /// The process was forked: its parent's file is not to be written to.
    pub fn forked(&mut self) {
        self.parents = self.file.take().or(self.parents.take());
    }

    fn add(&mut self, text: &[u8]) -> u32 {
        if self.count + 1 >= Tag::NAMES || self.unsaved.len() as u64 > ROOM {
            return 0;
        }
        self.count += 1;
        self.unsaved.extend(bytes(text));
        self.save();
        self.count
    }

    /// Writes what is not in the file. Where that fails, the next time tries again, over what was torn.
    fn save(&mut self) {
        let Some(file) = &self.file else { return };
        if files::write(file, self.saved, &self.unsaved).is_ok() {
            self.saved += self.unsaved.len() as u64;
            self.unsaved.clear();
        }
    }
}
