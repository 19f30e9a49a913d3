//! Estimating the memory and time that loading a large file takes, from its first few megabytes.
//!
//! The estimate is shown to the user; loading does not depend on it. Must not know how it is shown.

use std::path::Path;
use std::time::Instant;

use super::build::{BASE, TraceBuilder};
use super::bytes::source;
use super::load;
use super::progress::Progress;
use super::request::Request;
use proftui_base::saturate::saturate;

/// Size of a file in bytes below which the cost of loading it is not estimated.
const LARGE_FILE: u64 = 64 << 20;
/// Bytes of text at the beginning of the file that are loaded for the estimate.
const SAMPLE: usize = 4 << 20;
/// Factor from the time of reading events to the time of loading, which also sorts, nests and links.
const FINISH: f64 = 1.3;

/// An estimate of what loading a file takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preflight {
    /// Size of the file, bytes.
    pub bytes: u64,
    /// Estimated number of events in the file.
    pub events: u64,
    /// Estimated peak memory of loading, bytes.
    pub memory: u64,
    /// Memory that loading may take, bytes; `None` without a limit.
    pub limit: Option<u64>,
    /// Estimated time of loading, s.
    pub seconds: f64,
}

/// Estimates what loading the file `path` takes, from the beginning of its text. `None` for a small file, or
/// if no estimate is possible.
pub fn preflight(path: &Path, request: &Request) -> Option<Preflight> {
    let bytes = source::size(path);
    if bytes < LARGE_FILE {
        return None;
    }
    let progress = Progress::default();
    let mut opened = source::open_regular(path, &progress).ok()?;
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
        events: saturate::<u64>(progress.events() as f64 / share),
        memory: BASE + saturate::<u64>(builder.footprint() as f64 / share),
        limit: request.limit(),
        seconds,
    })
}
