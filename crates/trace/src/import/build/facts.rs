//! What a file states about the process and the job that it belongs to, and when it was recorded.
//!
//! Must not know what follows from that.

use std::path::PathBuf;

use crate::import::dialect::workers::worker_in_name;
use proftui_base::time::Span;

use super::builder::TraceBuilder;
use super::cycles;

/// What one file states about the process and the job that it belongs to, and when it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::import) struct FileFacts {
    pub path: PathBuf,
    /// First start to last end of the file's slices longer than 0, except the profiler's own span, or else of
    /// its events, ns since 1970 or by the file's own clock; `None` when no event has a time.
    pub span: Option<Span>,
    /// The worker in the name of the file or of a folder around it; `None` where there is none.
    pub worker: Option<String>,
    pub host: Option<String>,
    pub rank: Option<i64>,
    /// The number of ranks in the job; `None` where the file does not state it.
    pub world_size: Option<i64>,
    /// The id of the process with the most loaded host slices; empty when none were loaded.
    pub pid: String,
}

/// The facts of each file of `builder`, in the order in which the files were begun.
pub(in crate::import) fn facts(builder: &TraceBuilder) -> Vec<FileFacts> {
    let pids = cycles::main_processes(builder);
    let facts = builder.files.iter().zip(pids).map(|(file, pid)| {
        let (times, base) = (file.length.or(file.extent), file.header.base.unwrap_or_default());
        FileFacts {
            path: file.path.clone(),
            span: times.map(|(start, end)| Span::new(start.saturating_add(base), end.saturating_add(base))),
            worker: worker_in_name(&file.path),
            host: file.header.host.clone(),
            rank: file.header.rank,
            world_size: file.header.world_size(),
            pid: builder.strings.text(pid).to_string(),
        }
    });
    facts.collect()
}
