//! Loading from start to end: the files one after the other into one stage, then the trace.
//!
//! Owns what happens to a file that cannot be used, and reading twice where a part was asked for.

use crate::base::time::Ns;
use crate::model::Warning;

use super::build::{Bound, Gate, Stage};
use super::directory::Listed;
use super::snapshot::Snapshots;
use super::source::{Format, Source};
use super::text::Text;
use super::{
    ImportError, Loaded, Progress, Request, Texts, build, chrome, directory, error, paddle_pb, source,
};

pub(super) fn load(
    request: &Request,
    progress: &Progress,
    snapshots: &mut Snapshots,
) -> Result<Loaded, ImportError> {
    let listed = directory::expand(&request.paths)?;
    let total: u64 = listed.files.iter().map(|path| source::size(path)).sum();
    let gate = if request.from.is_some() || request.to.is_some() {
        progress.start(2 * total);
        survey(&listed, request, progress)?
    } else {
        progress.start(total);
        Gate::default()
    };
    let bound = Bound { gate, limit: request.limit(), ..Bound::default() };
    let mut stage = Stage::within(bound);
    let mut texts = Texts::default();
    read_files(&listed, request, progress, snapshots, &mut stage, &mut texts)?;
    if texts.is_empty() {
        return Err(listed.nothing_usable());
    }
    let trace = build::finish(stage, request.cycle);
    if let (true, Some(cycle)) = (trace.cycles.is_empty(), request.cycle) {
        return Err(ImportError::NoCycle { cycle });
    }
    if request.cycle.is_some() {
        let is_kept = |file: usize| trace.cycles.iter().any(|cycle| cycle.file as usize == file);
        texts.forget_unless(is_kept);
    }
    Ok(Loaded { trace, texts })
}

/// Reads all files a first time, to learn where the part that was asked for lies on their clock.
fn survey(listed: &Listed, request: &Request, progress: &Progress) -> Result<Gate, ImportError> {
    if let Some(path) = listed.files.iter().find(|path| source::size(path) == 0) {
        return Err(ImportError::NotRereadable { path: error::show(path) });
    }
    let bound = Bound { gate: Gate::closed(), ..Bound::default() };
    let mut stage = Stage::within(bound);
    read_files(listed, request, progress, &mut Snapshots::default(), &mut stage, &mut Texts::default())?;
    let start = stage.start().unwrap_or_default();
    let last = request.to.map_or(Ns::MAX, |to| start.saturating_add(to).saturating_sub(1));
    Ok(Gate::new(request.from.map_or(Ns::MIN, |from| start.saturating_add(from)), last))
}

/// Reads all files into `stage`.
fn read_files(
    listed: &Listed,
    request: &Request,
    progress: &Progress,
    snapshots: &mut Snapshots,
    stage: &mut Stage,
    texts: &mut Texts,
) -> Result<(), ImportError> {
    for path in &listed.files {
        let source = match source::open(path, progress) {
            Ok(source) => source,
            Err(error) if listed.is_lenient => {
                skip_file(stage, &error);
                continue;
            }
            Err(error) => return Err(error),
        };
        let file = stage.begin_file(path);
        snapshots.set_texts(texts.with(Text::of_open(path, &source)));
        match read(source, file, request, stage, snapshots, progress) {
            Ok(text) => {
                texts.push(text);
                stage.end_file();
            }
            Err(error) if listed.is_lenient && !progress.is_cancelled() => {
                stage.abandon_file();
                skip_file(stage, &error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads all events of `source` into `stage`, whatever they are written in; gives back the way to read them again.
pub(super) fn read(
    source: Source<'_>,
    file: u16,
    request: &Request,
    stage: &mut Stage,
    snapshots: &mut Snapshots,
    progress: &Progress,
) -> Result<Text, ImportError> {
    match source.format {
        Format::Chrome => chrome::read(source, file, request, stage, snapshots, progress),
        Format::Nodetree => paddle_pb::read(source, file, stage, snapshots, progress),
    }
}

fn skip_file(stage: &mut Stage, error: &ImportError) {
    stage.quality.note(Warning::FileSkipped, None, || error.to_string());
}
