//! Loads the trace that becomes one of PyTorch's form: any that proftui reads.

use std::path::Path;

use proftui_base::fmt;
use proftui_trace::import::{self, Loaded, Request};

use crate::cli::load::load;
use crate::cli::output::streams::Failure;

/// Loads the whole trace at `path`.
pub(super) fn read(path: &Path, max_memory: Option<u64>) -> Result<Loaded, Failure> {
    let shown = import::shown(path);
    // What cannot be as it is recorded is written as it is recorded.
    let request =
        Request { max_memory, keeps_impossible: true, skips_captures: true, ..Request::new([path]) };
    let loaded = load(&request)?;
    if loaded.trace.meta.partial.is_some() {
        return Err(Failure(format!(
            "{shown}: the trace does not fit into the memory limit: raise --max-memory"
        )));
    }
    let workers = loaded.trace.workers().len();
    if workers > 1 {
        let ranks = fmt::counted(workers as u64, "rank or process");
        return Err(Failure(format!("{shown}: this has {ranks}: convert the file of each by itself")));
    }
    Ok(loaded)
}
