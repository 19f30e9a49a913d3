//! What captures that were killed left behind, written after all.

use std::path::{Path, PathBuf};

use super::family::Family;
use super::folder::RunFolder;
use super::output::{Form, Output};
use super::saver::Saver;
use super::signals;
use super::status::Status;
use crate::export::Packing;

/// A run that was left behind.
#[derive(Debug)]
pub struct Left {
    /// What was run; its folder where that is not known.
    pub command: String,
    /// Processes of it that are still there: then it is left alone.
    pub alive: Vec<u32>,
    /// The traces that were written.
    pub traces: Vec<PathBuf>,
}

/// Writes what is left in `place` into the folders that it was for, or all into `out`.
pub fn recover(place: Option<&Path>, out: Option<&Path>) -> Vec<Left> {
    // Where it cannot be taken, a full file ends us; all that was not written stays.
    let _ = signals::outlive_full_files();
    RunFolder::abandoned(place).into_iter().map(|run| save(run, out)).collect()
}

fn save(run: RunFolder, out: Option<&Path>) -> Left {
    let orders = run.orders().ok();
    let command = match &orders {
        Some(orders) => orders.command.clone(),
        None => format!("{} (what was run is not known)", run.path().display()),
    };
    let unknown = || Output { folder: ".".into(), form: Form::Json(Packing::None), may_replace: false };
    let mut output = orders.map_or_else(unknown, |orders| orders.output);
    let mut family = Family::default();
    family.look(&run);
    let alive: Vec<u32> = family
        .all()
        .filter(|process| process.is_alive() && !process.is_foreign())
        .map(|process| process.pid)
        .collect();
    if !alive.is_empty() {
        return Left { command, alive, traces: Vec::new() };
    }
    if let Some(out) = out {
        out.clone_into(&mut output.folder);
    }
    let mut saver = Saver::new(output, command.clone(), None, Status::new(false));
    let over = family.over(true, |_| "the capture was killed".into());
    let wanted = match saver.output.prepare() {
        Ok(()) => over.len(),
        Err(why) => {
            saver.status.say(&format!("{}: {why}", saver.output.folder.display()));
            0
        }
    };
    for over in over.iter().take(wanted) {
        saver.save(&family, over, false);
    }
    // What could not be written stays where it is.
    if wanted == over.len() && !run.has_chunks() {
        run.release();
    }
    Left { command, alive, traces: saver.traces }
}
