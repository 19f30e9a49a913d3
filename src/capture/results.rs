//! The newest cycle that is over of each process that may ask for it: what it was made of stays until the next one is over, or the
//! process is gone.
//!
//! Must not know who asks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::family::{Family, Over};

/// The newest results, by the folders of their processes.
#[derive(Debug, Default)]
pub struct Results {
    newest: HashMap<PathBuf, Kept>,
}

#[derive(Debug)]
struct Kept {
    over: Over,
    /// Nobody else needs what it was made of.
    is_spare: bool,
}

impl Results {
    /// A cycle is over. `is_spare`: what it was made of is not needed for anything else.
    pub fn add(&mut self, family: &Family, over: Over, is_spare: bool) {
        let kept = Kept { over, is_spare };
        if let Some(last) = self.newest.insert(kept.over.folder.clone(), kept) {
            last.let_go(family);
        }
    }

    /// A process's cycle, where it is its newest.
    pub fn of(&self, folder: &Path, cycle: u64) -> Option<&Over> {
        self.newest.get(folder).map(|kept| &kept.over).filter(|over| over.cycle.number == cycle)
    }

    /// Lets go of what nobody can ask for any more.
    pub fn forget_the_gone(&mut self, family: &Family) {
        let is_there = |folder: &Path| {
            family
                .all()
                .any(|process| process.folder == folder && (process.is_alive() || process.is_foreign()))
        };
        let gone: Vec<PathBuf> = self.newest.keys().filter(|folder| !is_there(folder)).cloned().collect();
        for folder in gone {
            if let Some(kept) = self.newest.remove(&folder) {
                kept.let_go(family);
            }
        }
    }
}

impl Kept {
    fn let_go(self, family: &Family) {
        if !self.is_spare {
            return;
        }
        let prefix = format!("c{}.", self.over.cycle.number);
        for process in family.with_followers(&self.over.folder) {
            let files = std::fs::read_dir(&process.folder).into_iter().flatten().flatten();
            let own = files.filter(|file| file.file_name().to_string_lossy().starts_with(&prefix));
            // What cannot be removed goes with the run's folder.
            own.for_each(|file| drop(std::fs::remove_file(file.path())));
        }
    }
}
