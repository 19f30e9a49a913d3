//! Loading from start to end: the files one after the other into one builder, then the trace.
//!
//! Skips files that cannot be loaded in lenient requests and those with a directory, and reads files twice
//! where a time range was requested.

mod open;

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::model::{Trace, Warning, repeating};
use proftui_base::fault::{self, Point};
use proftui_base::fmt;
use proftui_base::heap::NoMemory;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::build::{Bound, TimeRange, TraceBuilder};
use super::bytes::directory::{Listed, ListedFile};
use super::bytes::sniff::Format;
use super::bytes::source::Source;
use super::bytes::{directory, source};
use super::error::ImportError;
use super::progress::Progress;
use super::request::{LeftOut, Request, StepsFrom};
use super::snapshot::Snapshots;
use super::text::{Loaded, Text, Texts};
use super::{build, chrome, error, memory_history, paddle_pb};

pub(super) fn load(
    request: &Request,
    progress: &Progress,
    snapshots: &mut Snapshots,
) -> Result<Loaded, ImportError> {
    let listed = directory::expand(request, is_trace)?;
    let total: u64 = listed.files.iter().map(|file| source::size(&file.path)).sum();
    let range = if request.from.is_some() || request.to.is_some() {
        progress.start(2 * total);
        range(&listed, request, progress)?
    } else {
        progress.start(total);
        TimeRange::default()
    };
    let has_snapshots = snapshots.are_wanted();
    let bound = Bound { range, limit: request.limit(), has_snapshots, ..Bound::default() };
    let mut builder = TraceBuilder::within(bound);
    let mut texts = Texts::default();
    for LeftOut { warning, why } in &listed.left_out {
        builder.quality.note(*warning, None, || why.clone());
    }
    read_files(&listed, request, progress, snapshots, &mut builder, &mut texts)?;
    if texts.is_empty() {
        let skipped = builder.quality.entries().find(|(warning, _)| *warning == Warning::FileSkipped);
        return Err(listed.nothing_usable(skipped.map(|(_, entry)| entry.first.as_str())));
    }
    let trace = finish(builder, request)?;
    if let (true, Some(cycle)) = (trace.cycles.is_empty(), request.cycle) {
        return Err(ImportError::NoCycle { cycle });
    }
    if request.cycle.is_some() {
        let is_kept = |file: usize| trace.cycles.iter().any(|cycle| cycle.file as usize == file);
        texts.forget_unless(is_kept);
    }
    Ok(Loaded { trace, texts })
}

/// Makes the trace of what `builder` read; `request` may limit it to one cycle, or ask for inferred steps.
///
/// # Errors
/// When there is no memory for the trace.
pub(super) fn finish(builder: TraceBuilder, request: &Request) -> Result<Trace, ImportError> {
    let path = request.paths.first().map_or_else(String::new, |path| error::show(path));
    let mut trace = build::finish(builder, request.cycle, request.keeps_impossible)
        .map_err(|NoMemory| ImportError::no_memory(path))?;
    if request.steps_from == StepsFrom::Launches {
        infer_steps(&mut trace);
    }
    Ok(trace)
}

/// Adds repetitions of launches as steps, for workers that have no steps, and describes them in the trace's
/// `meta.inferred`.
fn infer_steps(trace: &mut Trace) {
    let found = repeating::repeating(trace);
    let texts: Vec<String> = found.iter().map(|repeating| repeating.title(trace)).collect();
    if !texts.is_empty() {
        trace.meta.inferred = Some(texts.join("; "));
        trace.steps.extend(repeating::steps(&found));
        trace.steps.sort_by_key(|step| (step.span.start, step.slice));
    }
}

/// Returns the requested time range in times of the trace, after a first reading of all files to find the
/// trace's start, from which the request counts.
///
/// # Errors
/// When a file that may not be left out cannot be loaded or read twice, when there is no memory, and when
/// loading was cancelled.
fn range(listed: &Listed, request: &Request, progress: &Progress) -> Result<TimeRange, ImportError> {
    if let Some(file) = listed.files.iter().find(|file| file.is_named && source::size(&file.path) == 0) {
        return Err(ImportError::NotRereadable { path: error::show(&file.path) });
    }
    let surveyed = survey(listed, request, progress)?;
    let start = surveyed.start().unwrap_or_default();
    if let Some(end) = surveyed.end() {
        has_time(request, end.saturating_sub(start))?;
    }
    let last = request.to.map_or(Ns::MAX, |to| start.saturating_add(to).saturating_sub(1));
    Ok(TimeRange::new(request.from.map_or(Ns::MIN, |from| start.saturating_add(from)), last))
}

/// # Errors
/// When the requested range has no time of a trace of this length, ns.
fn has_time(request: &Request, length: Ns) -> Result<(), ImportError> {
    let text = fmt::duration;
    let range = match (request.from.unwrap_or_default(), request.to) {
        (from, Some(to)) if from >= to => format!("--from {} is not before --to {}", text(from), text(to)),
        (from, _) if from > length => {
            format!("--from {} is not before the trace's end", text(from))
        }
        _ => return Ok(()),
    };
    Err(ImportError::NoTime { range, end: text(length) })
}

/// Reads all files and returns a builder that has their headers and extents, but none of their events.
fn survey(listed: &Listed, request: &Request, progress: &Progress) -> Result<TraceBuilder, ImportError> {
    let bound = Bound { range: TimeRange::empty(), ..Bound::default() };
    let mut builder = TraceBuilder::within(bound);
    read_files(listed, request, progress, &mut Snapshots::default(), &mut builder, &mut Texts::default())?;
    Ok(builder)
}

/// Reads `files` of a directory and returns a builder that has their headers and extents, but none of their
/// events. Leaves out files that cannot be loaded.
pub(super) fn measure(
    files: Vec<PathBuf>,
    request: &Request,
    progress: &Progress,
) -> Result<TraceBuilder, ImportError> {
    let request = Request { paths: files, is_lenient: true, ..request.clone() };
    let listed = directory::expand(&request, is_trace)?;
    progress.start(listed.files.iter().map(|file| source::size(&file.path)).sum());
    survey(&listed, &request, progress)
}

/// Number of bytes at the beginning of a file's text that [`head`] loads at most.
const HEAD: u64 = 256 << 10;

/// Loads the first [`HEAD`] bytes of a file's text into a builder; `None` if they cannot be loaded as a
/// trace.
pub(super) fn head(path: &Path) -> Option<TraceBuilder> {
    if source::size(path) == 0 {
        return None;
    }
    let progress = Progress::default();
    let mut text = Vec::new();
    // After damage, the text before it is the head.
    let _ = source::open_regular(path, &progress).ok()?.feed.take(HEAD).read_to_end(&mut text);
    let alone = Request { threads: Some(1), chunk: Some(text.len() + 1), ..Request::default() };
    let mut builder = TraceBuilder::default();
    let sample = source::of_bytes(&text, &progress).ok()?;
    let file = builder.begin_file(path);
    read(sample, file, &alone, &mut builder, &mut |_| {}, &progress).ok()?;
    add_rank(&mut builder, path);
    builder.end_file().ok()?;
    Some(builder)
}

/// True if the first [`HEAD`] bytes of a file's text can be loaded as a trace.
pub(super) fn is_trace(path: &Path) -> bool {
    head(path).is_some()
}

/// Sets the rank of the open file, at `path`, from the names of files beside its folder, as Ascend's profiler
/// writes them, if its header states none.
fn add_rank(builder: &mut TraceBuilder, path: &Path) {
    if let Some(header) = builder.header()
        && header.rank.is_none()
    {
        header.rank = directory::rank_beside(path);
    }
}

/// Reads the listed files into `builder`, takes snapshots meanwhile, and adds the text of each loaded file to
/// `texts`. If the list is lenient, files may be skipped, with a warning.
fn read_files(
    listed: &Listed,
    request: &Request,
    progress: &Progress,
    snapshots: &mut Snapshots,
    builder: &mut TraceBuilder,
    texts: &mut Texts,
) -> Result<(), ImportError> {
    for ListedFile { path, is_named } in &listed.files {
        let opened =
            if *is_named { source::open(path, progress) } else { source::open_regular(path, progress) };
        let source = match opened {
            Ok(source) => source,
            Err(error) if listed.is_lenient => {
                skip_file(builder, &error);
                continue;
            }
            Err(error) => return Err(error),
        };
        make_room(path, source.window, builder)?;
        let file = builder.begin_file(path);
        snapshots.set_open(|| Text::of_open(path, &source));
        let mut after_batch = |builder: &TraceBuilder| snapshots.take_if_due(builder, texts, progress);
        match read(source, file, request, builder, &mut after_batch, progress) {
            Ok(text) => {
                texts.push(text);
                add_rank(builder, path);
                builder.end_file().map_err(|NoMemory| ImportError::no_memory(error::show(path)))?;
            }
            // The next file would have no memory either.
            Err(error @ ImportError::Memory { .. }) => return Err(error),
            Err(error) if listed.is_lenient && !progress.is_cancelled() => {
                builder.abandon_file().map_err(|NoMemory| ImportError::no_memory(error::show(path)))?;
                skip_file(builder, &error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sets aside at least `window` bytes of the memory for events, for inflating the file at `path`.
///
/// # Errors
/// When `window` is more than half of the memory limit.
fn make_room(path: &Path, window: u64, builder: &mut TraceBuilder) -> Result<(), ImportError> {
    let bound = &mut builder.bound;
    bound.inflating = bound.inflating.max(window);
    match bound.limit.filter(|limit| window > limit / 2) {
        None => Ok(()),
        Some(limit) => {
            let [window, limit] = [window, limit].map(|bytes| fmt::bytes(saturate::<i64>(bytes)));
            let what = format!(
                "inflating it takes {window}, more than half of the memory limit of {limit}: raise the limit \
                 with --max-memory"
            );
            Err(ImportError::Memory { path: error::show(path), what })
        }
    }
}

/// Reads all events of `source` into `builder`, as events of file number `file`, and calls `after_batch`
/// after each batch. Returns the file's text, from which events are read again where possible.
pub(super) fn read(
    source: Source<'_>,
    file: u16,
    request: &Request,
    builder: &mut TraceBuilder,
    after_batch: &mut dyn FnMut(&TraceBuilder),
    progress: &Progress,
) -> Result<Text, ImportError> {
    fault::at(Point::Import);
    let (path, format, again) = (source.path.clone(), source.format, source.again);
    let if_refused = source.if_refused.clone();
    let kept = match format {
        Format::Chrome => chrome::read(source, file, request, builder, after_batch, progress),
        Format::Nodetree => paddle_pb::read(source, file, builder, after_batch, progress),
        Format::MemoryHistory => memory_history::read(source, file, builder, after_batch, progress),
    };
    let kept = kept.map_err(|error| Source::refused(if_refused, error))?;
    Ok(Text::of_read(&path, format, again, kept))
}

fn skip_file(builder: &mut TraceBuilder, error: &ImportError) {
    builder.quality.note(Warning::FileSkipped, None, || error.to_string());
}
