//! The newest ended cycle of each process that may request a trace of it.
//!
//! The files of such a cycle are kept until the process's next cycle has ended, or the process is gone. Must
//! not know the form of requests.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::capture::process::ended::EndedCycle;
use crate::capture::process::tree::ProcessTree;

/// The newest ended cycle of each process that may request a trace of it.
#[derive(Debug, Default)]
pub struct NewestCycles {
    /// The cycles, by the folder of their process.
    newest: HashMap<PathBuf, Kept>,
}

/// A cycle whose files are kept, since a trace of it may still be requested.
#[derive(Debug)]
struct Kept {
    cycle: EndedCycle,
    /// True if the cycle's files may be removed with the cycle; false if its trace could not be written.
    is_disposable: bool,
}

impl NewestCycles {
    /// Adds an ended cycle instead of its process's previous one, whose files are removed if disposable.
    /// `is_disposable` is true if the added cycle's files may be removed later.
    pub fn add(&mut self, tree: &ProcessTree, cycle: EndedCycle, is_disposable: bool) {
        let kept = Kept { cycle, is_disposable };
        if let Some(last) = self.newest.insert(kept.cycle.folder.clone(), kept) {
            last.remove_files(tree);
        }
    }

    /// The ended cycle with number `cycle` of the process with this folder, if that cycle is kept.
    pub fn of(&self, folder: &Path, cycle: u64) -> Option<&EndedCycle> {
        self.newest.get(folder).map(|kept| &kept.cycle).filter(|kept| kept.cycle.number == cycle)
    }

    /// Removes the cycles of processes that are known to be gone, with their files if disposable.
    pub fn forget_gone(&mut self, tree: &ProcessTree) {
        let is_there = |folder: &Path| {
            tree.all().any(|process| process.folder == folder && (process.is_alive() || process.is_foreign()))
        };
        let gone: Vec<PathBuf> = self.newest.keys().filter(|folder| !is_there(folder)).cloned().collect();
        for folder in gone {
            if let Some(kept) = self.newest.remove(&folder) {
                kept.remove_files(tree);
            }
        }
    }
}

impl Kept {
    /// Removes the cycle's files in the folders of its leader and followers, if the cycle is disposable.
    fn remove_files(self, tree: &ProcessTree) {
        if !self.is_disposable {
            return;
        }
        let prefix = format!("c{}.", self.cycle.cycle.number);
        for process in tree.with_followers(&self.cycle.folder) {
            let files = std::fs::read_dir(&process.folder).into_iter().flatten().flatten();
            let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&prefix));
            // A file that cannot be removed now is removed with the run folder.
            own.for_each(|file| drop(std::fs::remove_file(file.path())));
        }
    }
}
