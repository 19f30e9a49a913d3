//! The process's folder: what it is called, and the log in it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use proftui_wire::log::{Entry, Event};
use proftui_wire::process_key::{LIVE, LOG, ProcessKey};

use super::names::Names;
use crate::clock;
use crate::files;
use crate::page::Page;

/// Programs that one process may put in its own place, one after the other, and have recorded.
const PROGRAMS: u32 = 64;

/// A folder with its files.
pub struct Folder {
    /// Which process it is of.
    pub key: ProcessKey,
    /// Where it is.
    pub path: PathBuf,
    /// Its live page.
    pub page: &'static Page,
    /// Bytes in the log.
    logged: u64,
}

impl Folder {
    /// Makes it, for the process that this is.
    pub fn create(run: &Path, names: &mut Names) -> io::Result<Self> {
        let (key, path) = make(run)?;
        names.move_to(&path)?;
        let page = Page::create(&path.join(LIVE))?;
        files::create(&path.join(LOG))?;
        Ok(Self { key, path, page, logged: 0 })
    }

    /// Says that something happened now.
    pub fn log(&mut self, event: Event) {
        self.log_at(clock::now(), event);
    }

    /// Says that something happened. Where it cannot be written, it is not: the next entry is written over what was torn.
    pub fn log_at(&mut self, time: u64, event: Event) {
        let entry = Entry { time, event }.bytes();
        if files::write(&self.path.join(LOG), self.logged, &entry).is_ok() {
            self.logged += entry.len() as u64;
        }
    }

    /// Says what the wall clock's time is.
    pub fn log_clock(&mut self) {
        let (time, wall) = clock::anchor();
        self.log_at(time, Event::Clock { wall });
    }
}

fn make(run: &Path) -> io::Result<(ProcessKey, PathBuf)> {
    let (pid, start) = (std::process::id(), started()?);
    for programs in 0..PROGRAMS {
        let key = ProcessKey { pid, start, programs };
        let path = run.join(key.to_string());
        match files::folder(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| (key, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// When the process started, in ticks: the 22nd field of its line, the second of which may hold anything, in brackets.
fn started() -> io::Result<u64> {
    let line = fs::read("/proc/self/stat")?;
    let after = line.iter().rposition(|&byte| byte == b')').map_or(&[][..], |at| &line[at + 1..]);
    let field = after.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).nth(19);
    let number = field.and_then(|field| std::str::from_utf8(field).ok()?.parse().ok());
    number.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The process numbers that ours is one of; 0 where the system does not tell.
pub fn namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |found| found.ino())
}
