//! What loading a large file will take, judged from its first few megabytes before it is loaded.
//!
//! An estimate for people; nothing is decided by it. Must not know how it is shown.

use std::path::Path;
use std::time::Instant;

use super::build::TraceBuilder;
use super::{Progress, Request, budget, load, source};

/// Bytes of a file from which on it is worth a word.
const LARGE: u64 = 64 << 20;
/// Bytes of text that are tried.
const SAMPLE: usize = 4 << 20;
/// How much longer the whole takes than reading its events: sorting, nesting, joining.
const FINISH: f64 = 1.3;

/// What loading will take, about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preflight {
    /// Bytes of the file.
    pub bytes: u64,
    /// Events in it.
    pub events: u64,
    /// Bytes of memory at the peak.
    pub memory: u64,
    /// Bytes of memory that may be taken, where there is a limit.
    pub limit: Option<u64>,
    /// Seconds.
    pub seconds: f64,
}

/// Looks at a large file before it is loaded; `None` for small ones, and for what is no file or no trace.
pub fn preflight(path: &Path, request: &Request) -> Option<Preflight> {
    let bytes = source::size(path);
    if bytes < LARGE {
        return None;
    }
    let progress = Progress::default();
    let mut opened = source::open(path, &progress).ok()?;
    let mut text = vec![0; SAMPLE];
    let filled = opened.feed.fill(&mut text);
    text.truncate(filled.len);
    let share = progress.read() as f64 / bytes as f64;

    let progress = Progress::default();
    let alone = Request { threads: Some(1), ..Request::default() };
    let mut builder = TraceBuilder::default();
    let start = Instant::now();
    let sample = source::of_bytes(&text, &progress).ok()?;
    let file = builder.begin_file(path);
    load::read(sample, file, &alone, &mut builder, &mut |_| {}, &progress).ok()?;
    let seconds = start.elapsed().as_secs_f64() * FINISH / request.threads() as f64 / share;
    Some(Preflight {
        bytes,
        events: (progress.events() as f64 / share) as u64,
        memory: budget::BASE + (builder.footprint() as f64 / share) as u64,
        limit: request.limit(),
        seconds,
    })
}
