//! Reads a whole profile of Paddle into memory, within a limit: for the commands that convert it or print its
//! trees.
//!
//! Must not know what becomes of the profile.

use std::path::Path;

use proftui_base::{budget, heap};
use proftui_trace::export::{self, Converted, ExportError};
use proftui_trace::import;

use crate::cli::options::values::size;
use crate::cli::output::streams::Failure;

/// The decompressed text of a file may take at most the memory limit divided by this number.
const TEXT: u64 = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct ProfileMemory {
    /// Memory limit, such as 512M or 4G: the file is held in memory as a whole, and one that does not fit is
    /// refused (default: half of the free memory)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_memory: Option<u64>,
}

/// Limits, where the system allows that, the writable memory that the process may still take to at most
/// `wanted` bytes, by default half of the free memory. Returns this number of bytes; `None` if it is not
/// known.
pub(crate) fn confine(wanted: Option<u64>) -> Option<u64> {
    if budget::is_confined() {
        heap::share_arena();
    }
    let limit = wanted.or_else(budget::default_limit);
    limit.into_iter().for_each(budget::confine);
    limit
}

/// Reads the profile at `path` within the memory limit, which holds for the process from here on.
pub(crate) fn read(path: &Path, memory: &ProfileMemory) -> Result<Converted, Failure> {
    let limit = confine(memory.max_memory);
    heap::advise(
        format!(
            "{} does not fit into the memory limit: raise --max-memory, or the system's limit if it is lower",
            import::shown(path)
        )
        .leak(),
    );
    let text = import::text(path, limit.map_or(u64::MAX, |limit| limit / TEXT))?;
    let refuse = |error: ExportError| Failure(format!("{}: {error}", import::shown(path)));
    export::read(&text).map_err(refuse)
}
