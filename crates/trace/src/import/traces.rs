//! The traces in a directory: which of its files are loaded together, with names and times to choose from.
//!
//! The beginnings of all files are read first; only if these lie hours apart, or in several folders, is every
//! file read whole to measure its times. Must not know how a trace is chosen or shown.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};

use super::build::{self, FileFacts};
use super::bytes::directory::{self, Folder};
use super::division::{Member, divide};
use super::error::{ImportError, show};
use super::load;
use super::progress::Progress;
use super::request::{LeftOut, Request};

/// The files of one trace, which [`traces`] found.
#[derive(Clone, Debug)]
pub struct TraceFiles {
    /// The request that loads the trace.
    pub request: Request,
    /// A name for the trace, made from its first path. Safe to show.
    pub name: String,
    /// The time that the trace's files span, ns; `None` where all files of the request are one trace.
    pub span: Option<Span>,
}

/// Divides the files of `request` into traces: the files of a directory usually by folder and time, if the
/// request is that directory alone, with all its cycles. All other requests are one trace.
///
/// # Errors
/// When the directory has no trace files or cannot be used, there is no memory, or reading was cancelled.
pub fn traces(request: &Request, progress: &Progress) -> Result<Vec<TraceFiles>, ImportError> {
    let whole = || {
        let name = request.paths.first().map_or_else(String::new, |path| show(path));
        vec![TraceFiles { request: request.clone(), name, span: None }]
    };
    let [directory] = request.paths.as_slice() else { return Ok(whole()) };
    if request.cycle.is_some() || !directory.is_dir() {
        return Ok(whole());
    }
    let folders = directory::folders(directory, load::is_trace)?;
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| folder.files.clone()).collect();
    if files.len() < 2 {
        return Ok(whole());
    }
    let heads: FxHashMap<PathBuf, FileFacts> = files
        .par_iter()
        .filter_map(|path| Some((path.clone(), build::facts(&load::head(path)?).pop()?)))
        .collect();
    if group(&folders, &heads).len() < 2 {
        return Ok(whole());
    }
    let mut measured: FxHashMap<PathBuf, FileFacts> = FxHashMap::default();
    for mut facts in build::facts(&load::measure(files, request, progress)?) {
        // Measuring keeps no events, from which the process is known.
        facts.pid = heads.get(&facts.path).map(|head| head.pid.clone()).unwrap_or_default();
        measured.insert(facts.path.clone(), facts);
    }
    let groups = group(&folders, &measured);
    if groups.len() < 2 {
        return Ok(whole());
    }
    Ok(groups.into_iter().map(|group| group.into_files(request, directory)).collect())
}

/// The files that are loaded together as one trace.
struct Group {
    files: Vec<PathBuf>,
    left_out: Vec<LeftOut>,
    span: Span,
}

/// Groups the files of `folders` by trace, in order of the traces' first times; `facts` are by path. Empty if
/// no file has a time.
fn group(folders: &[Folder], facts: &FxHashMap<PathBuf, FileFacts>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let (mut rest, mut left_out) = (Vec::new(), Vec::new());
    for folder in folders {
        let timed = |path: &PathBuf| Some((path.clone(), member(facts.get(path)?)?));
        let (paths, members): (Vec<PathBuf>, Vec<Member>) = folder.files.iter().filter_map(timed).unzip();
        let is_untimed = |path: &&PathBuf| facts.get(*path).is_none_or(|facts| facts.span.is_none());
        let untimed = folder.files.iter().filter(is_untimed).cloned();
        let first = groups.len();
        groups.extend(divide(&members).into_iter().map(|trace| Group {
            files: trace.iter().map(|&at| paths[at].clone()).collect(),
            left_out: Vec::new(),
            span: trace.iter().map(|&at| members[at].span).reduce(Span::union).unwrap_or_default(),
        }));
        if let Some(group) = groups.get_mut(first) {
            group.files.extend(untimed);
            group.left_out.extend(folder.left_out.clone());
        } else {
            rest.extend(untimed);
            left_out.extend(folder.left_out.clone());
        }
    }
    groups.sort_by_key(|group| group.span.start);
    if let Some(first) = groups.first_mut() {
        first.files.extend(rest);
        first.left_out.extend(left_out);
    }
    groups
}

/// What decides to which trace a file belongs; `None` if the file has no time.
fn member(facts: &FileFacts) -> Option<Member> {
    Some(Member {
        span: facts.span?,
        process: process(facts),
        rank: facts.rank.map(|rank| (rank, facts.world_size)),
    })
}

/// A text by which files of one process are recognised; `None` if the process is not known.
fn process(facts: &FileFacts) -> Option<String> {
    let FileFacts { worker, host, rank, pid, .. } = facts;
    let is_real = pid.parse::<u64>().is_ok_and(|pid| pid > 1);
    let is_named = worker.is_some() || host.is_some() || rank.is_some();
    (is_real || (is_named && !pid.is_empty())).then(|| format!("{worker:?} {host:?} {rank:?} {pid}"))
}

impl Group {
    fn into_files(self, request: &Request, directory: &Path) -> TraceFiles {
        let first = self.files.first().map(|path| path.strip_prefix(directory).unwrap_or(path));
        let name = first.map_or_else(String::new, show);
        let name = match self.files.len() {
            0 | 1 => name,
            more => format!("{name} and {} more", more - 1),
        };
        let Self { files, left_out, span } = self;
        let request = Request { paths: files, is_lenient: true, left_out, ..request.clone() };
        TraceFiles { request, name, span: Some(span) }
    }
}

impl TraceFiles {
    /// The date and time at which `span` begins, in UTC; `None` if unknown.
    pub fn date(&self) -> Option<String> {
        /// Least time, ns, that is taken to count from the Unix epoch: a date in 2001.
        const EPOCH: Ns = 1_000_000_000_000_000_000;
        let start = self.span?.start;
        let start = jiff::Timestamp::from_nanosecond(i128::from(start)).ok().filter(|_| start >= EPOCH)?;
        Some(start.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
    }
}
