//! Loads the trace that becomes one of PyTorch's form: any that proftui reads, or one rank of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proftui_insight::ask::Within;
use proftui_trace::import::{self, Loaded, Request};
use proftui_trace::model::Trace;

use crate::cli::load::load;
use crate::cli::output::streams::Failure;

/// Loads the whole trace at `path`, or of several ranks the one that is asked for.
pub(super) fn read(path: &Path, max_memory: Option<u64>, rank: Option<usize>) -> Result<Loaded, Failure> {
    let shown = import::shown(path);
    let loaded = whole(vec![path.to_owned()], max_memory)?;
    let workers = loaded.trace.workers().len();
    match rank {
        None if workers > 1 => {
            let what = "ranks or processes: convert each by itself, with --rank N";
            Err(Failure(format!("{shown}: this has {workers} {what}")))
        }
        Some(rank) => {
            let files = files_of_rank(&loaded.trace, rank)?;
            if files.len() == loaded.trace.meta.files.len() {
                return Ok(loaded);
            }
            drop(loaded);
            // By itself, with the header of its own file.
            whole(files.into_iter().map(PathBuf::from).collect(), max_memory)
        }
        None => Ok(loaded),
    }
}

/// The files that have a rank's events.
fn files_of_rank(trace: &Trace, rank: usize) -> Result<BTreeSet<String>, Failure> {
    let within = Within { rank: Some(rank), ..Within::default() };
    // The error where there is no such rank.
    within.of(trace)?;
    let workers = within.workers(trace, 0);
    let cycles = trace.cycles.iter().filter(|cycle| workers.contains(&cycle.worker));
    Ok(cycles.filter_map(|cycle| trace.meta.files.get(usize::from(cycle.file)).cloned()).collect())
}

fn whole(paths: Vec<PathBuf>, max_memory: Option<u64>) -> Result<Loaded, Failure> {
    let shown = paths.first().map_or_else(String::new, |path| import::shown(path));
    // What cannot be as it is recorded is written as it is recorded.
    let request = Request { max_memory, keeps_impossible: true, skips_captures: true, ..Request::new(paths) };
    let loaded = load(&request)?;
    if loaded.trace.meta.partial.is_some() {
        let what = "the trace does not fit into the memory limit: raise --max-memory";
        return Err(Failure(format!("{shown}: {what}")));
    }
    Ok(loaded)
}
