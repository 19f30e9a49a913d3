//! The files that a request names: the files themselves, and every trace in a directory.
//!
//! A directory without trace files of its own is searched for folders that profilers write: `TensorBoard`'s
//! runs and Ascend's results. Must not know what is in a file.

use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::ops::Bound::{Included, Unbounded};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::model::Warning;

use super::unread;
use crate::import::error::{ImportError, show};
use crate::import::request::{LeftOut, Request};

/// The files of a request: what is to be loaded and what is left out.
pub(in crate::import) struct Listed {
    pub files: Vec<ListedFile>,
    /// True when files that cannot be read or are no traces are skipped and counted, not fatal.
    pub is_lenient: bool,
    /// What is left out or not searched, with the reasons.
    pub left_out: Vec<LeftOut>,
    /// The first path of the request, safe to show; empty without paths.
    asked: String,
}

/// A file to load.
pub(in crate::import) struct ListedFile {
    pub path: PathBuf,
    /// True if the file is read even if it is a pipe or a device, since the request names it.
    pub is_named: bool,
}

/// The trace files of one folder, in order of name, or the timelines of the Ascend results in it.
#[derive(Debug, Default)]
pub(in crate::import) struct Folder {
    pub files: Vec<PathBuf>,
    /// What is left out, with the reasons: files whose events other files have, and perhaps folders that were
    /// not searched.
    pub left_out: Vec<LeftOut>,
}

/// One entry of a folder: a file, a folder or a link.
struct Entry {
    path: PathBuf,
    /// True for a folder, and for a link to one.
    is_folder: bool,
}

/// A search for the folders with traces below a directory.
struct Search {
    /// The number of folders that may still be read.
    budget: usize,
    /// True once a folder was not read because the budget was used up.
    is_cut: bool,
    /// The folders that were read, by device and inode, so that none is read twice.
    known: FxHashSet<(u64, u64)>,
    found: Vec<Folder>,
}

impl Listed {
    /// The error when no file could be loaded. `first` is the first reason, if one is known.
    pub(in crate::import) fn nothing_usable(&self, first: Option<&str>) -> ImportError {
        let why = first.map_or_else(String::new, |first| format!("; {first}"));
        let what = format!("no file was loaded as a trace{why}");
        ImportError::Empty { path: self.asked.clone(), what }
    }
}

/// Endings of the file names that are taken from a directory, in lower case.
const ENDINGS: [&str; 4] = [".json", ".json.gz", ".json.zst", PROTOBUF];
/// Name ending of Paddle's protobuf; other `.pb` files belong to other tools.
const PROTOBUF: &str = ".paddle_trace.pb";
/// Parts of file names by which a profiler's file is known.
const PROFILERS: [&str; 2] = [".trace.json", ".paddle_trace."];
/// Ending of the name of a folder that Ascend's profiler writes for one process.
pub(in crate::import) const ASCEND: &str = "_ascend_pt";
/// Name of the folder with the results, inside a folder of Ascend's profiler.
pub(in crate::import) const ASCEND_OUTPUT: &str = "ASCEND_PROFILER_OUTPUT";
const ASCEND_TIMELINE: &str = "trace_view.json";
/// Name of the folder with the traces of captured graphs, which serving engines can write beside the traces
/// of a run.
pub(in crate::import) const CAPTURES: &str = "capture_traces";
/// Levels of folders that are searched below a directory.
const LEVELS: u32 = 4;
/// Most folders that are searched below a directory, so that a directory without traces is soon known.
const FOLDERS: usize = 1000;

/// Lists the files of `request`, for a directory the trace files that [`folders`] finds in it. `is_trace`
/// tests whether a file is a trace.
///
/// # Errors
/// When a directory cannot be read or has no trace files, and when there are more files than one trace can
/// have.
pub(in crate::import) fn expand(
    request: &Request,
    is_trace: fn(&Path) -> bool,
) -> Result<Listed, ImportError> {
    let paths = &request.paths;
    let asked = paths.first().map_or_else(String::new, |path| show(path));
    let (mut files, mut left_out, mut is_lenient) =
        (Vec::new(), request.left_out.clone(), request.is_lenient);
    for path in paths {
        if path.is_dir() {
            is_lenient = true;
            for folder in folders(path, is_trace)? {
                files.extend(folder.files.into_iter().map(|path| ListedFile { path, is_named: false }));
                left_out.extend(folder.left_out);
            }
        } else {
            let is_named = !request.is_lenient && !request.is_regular;
            files.push(ListedFile { path: path.clone(), is_named });
        }
    }
    if files.len() > usize::from(u16::MAX) {
        let what = format!("{} files are too many for one trace (at most 65,535): name fewer", files.len());
        return Err(ImportError::Empty { path: asked, what });
    }
    Ok(Listed { files, is_lenient, left_out, asked })
}

/// The folders with trace files in and below the directory `path`. `is_trace` tests whether a file is a
/// trace: nothing below `path` is searched if `path` itself has a trace, or a file named as profilers name
/// theirs.
///
/// # Errors
/// When the directory cannot be read, or no trace files are found.
pub(in crate::import) fn folders(
    path: &Path,
    is_trace: fn(&Path) -> bool,
) -> Result<Vec<Folder>, ImportError> {
    let entries = entries_of(path).map_err(|error| ImportError::io(path, &error))?;
    let mut search =
        Search { budget: FOLDERS, is_cut: false, known: FxHashSet::default(), found: Vec::new() };
    search.is_new(path);
    let files: Vec<PathBuf> = match timeline(path) {
        Some(timeline) => vec![timeline],
        None => entries.iter().filter(|entry| is_candidate(entry)).map(|entry| entry.path.clone()).collect(),
    };
    if !files.is_empty() {
        search.found.push(without_copies(&files));
    }
    // A folder of results may have a `config.json` beside the runs in it.
    let is_profiler = |path: &PathBuf| PROFILERS.iter().any(|part| name(path).contains(part));
    if timeline(path).is_none() && !files.iter().any(is_profiler) && !files.iter().any(|path| is_trace(path))
    {
        search.below(entries, LEVELS);
    }
    let Search { is_cut, mut found, .. } = search;
    if let Some(last) = found.last_mut().filter(|_| is_cut) {
        let why =
            format!("of {}, only the first {FOLDERS} folders were searched: name a folder in it", show(path));
        last.left_out.push(LeftOut { warning: Warning::FileSkipped, why });
    }
    if found.is_empty() {
        let others = unread::describe(path).map_or_else(String::new, |others| format!("; {others}"));
        let searched = if is_cut {
            format!("the first {FOLDERS} folders of this directory: name a folder in it")
        } else {
            "this directory".to_owned()
        };
        let what = format!(
            "no trace (.json, .json.gz, .json.zst, .paddle_trace.pb; in its folders, {LEVELS} levels deep, \
             only names that profilers give) was found in {searched}{others}"
        );
        return Err(ImportError::Empty { path: show(path), what });
    }
    Ok(found)
}

impl Search {
    /// Searches the folders among `entries` for traces, down to `levels` levels, and adds folders with traces
    /// to `found`. Sets `is_cut` if the budget is used up before the end.
    fn below(&mut self, entries: Vec<Entry>, levels: u32) {
        let is_searched = |entry: &Entry| {
            entry.is_folder && !name(&entry.path).starts_with('.') && name(&entry.path) != CAPTURES
        };
        let folders = entries.into_iter().filter(is_searched).map(|entry| entry.path);
        let (timelines, folders): (Vec<PathBuf>, Vec<PathBuf>) =
            folders.partition(|path| timeline(path).is_some());
        let timelines: Vec<PathBuf> = timelines.iter().filter_map(|path| timeline(path)).collect();
        if !timelines.is_empty() {
            self.found.push(Folder { files: timelines, left_out: Vec::new() });
        }
        for folder in folders {
            if self.budget == 0 {
                self.is_cut = true;
                return;
            }
            if !self.is_new(&folder) {
                continue;
            }
            self.budget -= 1;
            let Ok(entries) = entries_of(&folder) else { continue };
            // TensorBoard's profile plugin: a folder per run, whose files are all its own.
            let is_run = folder.parent().is_some_and(|parent| parent.ends_with("plugins/profile"));
            let is_trace = |entry: &&Entry| {
                let name = name(&entry.path);
                is_candidate(entry) && (is_run || PROFILERS.iter().any(|part| name.contains(part)))
            };
            let files: Vec<PathBuf> =
                entries.iter().filter(is_trace).map(|entry| entry.path.clone()).collect();
            if !files.is_empty() {
                self.found.push(without_copies(&files));
            } else if levels > 1 {
                self.below(entries, levels - 1);
            }
        }
    }

    /// Remembers the folder; true if it was not known by any path. False if its metadata cannot be read.
    fn is_new(&mut self, folder: &Path) -> bool {
        std::fs::metadata(folder).is_ok_and(|found| self.known.insert((found.dev(), found.ino())))
    }
}

/// The files with names of traces in a folder, without hidden ones, in order of name.
///
/// # Errors
/// When the folder cannot be read.
pub(in crate::import) fn candidates(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = entries_of(folder)?.into_iter().filter(is_candidate);
    Ok(entries.map(|entry| entry.path).collect())
}

/// The entries of a folder, in order of name; those that cannot be read are left out.
fn entries_of(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let entry = |entry: DirEntry| {
        let path = entry.path();
        Entry { is_folder: unread::is_folder(&entry, &path), path }
    };
    let mut entries: Vec<Entry> = std::fs::read_dir(folder)?.filter_map(Result::ok).map(entry).collect();
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}

/// The path of Ascend's timeline in a folder of Ascend's profiler or of its results; `None` for other
/// folders, and where the timeline is missing.
fn timeline(folder: &Path) -> Option<PathBuf> {
    let timeline = if folder.ends_with(ASCEND_OUTPUT) {
        folder.join(ASCEND_TIMELINE)
    } else if name(folder).ends_with(ASCEND) {
        folder.join(ASCEND_OUTPUT).join(ASCEND_TIMELINE)
    } else {
        return None;
    };
    timeline.is_file().then_some(timeline)
}

/// The least rank in the names of files such as `profiler_info_3.json` beside the folder of Ascend's results
/// in which `path` lies; `None` without such a file.
pub(in crate::import) fn rank_beside(path: &Path) -> Option<i64> {
    let results = path.parent().filter(|folder| folder.ends_with(ASCEND_OUTPUT))?;
    let ranks = entries_of(results.parent()?).ok()?.into_iter().filter_map(|entry| {
        name(&entry.path).strip_prefix("profiler_info_")?.strip_suffix(".json")?.parse::<i64>().ok()
    });
    ranks.min()
}

/// Divides `files` of one folder, by their names, into files to load and files that repeat other files.
fn without_copies(files: &[PathBuf]) -> Folder {
    let names: Vec<String> = files.iter().map(|path| name(path)).collect();
    let sorted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let of_profilers: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| name.contains(".trace.json")).take(2).collect();
    let original = |copy: &str| -> Option<&str> {
        let text = copy.strip_suffix(".gz").or_else(|| copy.strip_suffix(".zst")).unwrap_or(copy);
        let stem = text.strip_suffix(".json")?;
        if let Some(run) = stem.strip_prefix("merged-").and_then(|stem| stem.strip_suffix(".trace")) {
            let run = format!("{run}-");
            let mut of_run = sorted
                .range::<str, _>((Included(run.as_str()), Unbounded))
                .copied()
                .take_while(|name| name.starts_with(&run));
            return of_run.find(|name| *name != copy);
        }
        if stem == "perfetto_trace" {
            return of_profilers.iter().copied().find(|name| *name != copy);
        }
        sorted.get(format!("{stem}.pb").as_str()).copied()
    };
    let mut folder = Folder::default();
    for (path, copy) in files.iter().zip(&names) {
        match original(copy) {
            Some(original) => folder.left_out.push(LeftOut {
                warning: Warning::FileCopy,
                why: format!(
                    "by its name, {} has the events of {} again: left out",
                    show(path),
                    show(Path::new(original))
                ),
            }),
            None => folder.files.push(path.clone()),
        }
    }
    folder
}

/// The file name of a path, as text; empty when it has none.
fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// True for an entry that is no folder, is not hidden and has the name of a trace ([`ENDINGS`]).
fn is_candidate(entry: &Entry) -> bool {
    let name = name(&entry.path).to_lowercase();
    !name.starts_with('.') && ENDINGS.iter().any(|ending| name.ends_with(ending)) && !entry.is_folder
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that are taken from a directory with `files`, and how many are left out, by folder; paths
    /// from the directory on.
    fn taken(files: &[&str]) -> Vec<(Vec<String>, usize)> {
        let dir = tempfile::tempdir().expect("a directory");
        for file in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "").expect("a file");
        }
        let inside = |path: &PathBuf| path.strip_prefix(dir.path()).expect("inside").display().to_string();
        let folders = folders(dir.path(), |_| false).unwrap_or_default();
        folders
            .iter()
            .map(|folder| (folder.files.iter().map(inside).collect(), folder.left_out.len()))
            .collect()
    }

    fn one(files: &[&str], left_out: usize) -> Vec<(Vec<String>, usize)> {
        vec![(files.iter().map(|file| (*file).to_owned()).collect(), left_out)]
    }

    #[test]
    fn a_run_exported_twice_is_one() {
        let files = ["a.paddle_trace.json", "a.paddle_trace.pb", "b.paddle_trace.json", "other.pb"];
        assert_eq!(taken(&files), one(&["a.paddle_trace.pb", "b.paddle_trace.json"], 1));
    }

    #[test]
    fn a_merged_file_is_not_counted_beside_its_ranks() {
        let ranks = ["17-TP-0-DP-0.trace.json.gz", "17-TP-1-DP-0.trace.json.gz"];
        assert_eq!(taken(&[ranks[0], ranks[1], "merged-17.trace.json.gz"]), one(&ranks, 1));
        let alone = ["18-TP-0.trace.json.gz", "merged-17.trace.json.gz"];
        assert_eq!(taken(&alone), one(&alone, 0), "another run's ranks");
        assert_eq!(taken(&["perfetto_trace.json.gz", "h.trace.json.gz"]), one(&["h.trace.json.gz"], 1));
        assert_eq!(taken(&["perfetto_trace.json.gz"]), one(&["perfetto_trace.json.gz"], 0));
    }

    #[test]
    fn folders_that_profilers_write_are_searched() {
        let tensorboard =
            ["runs/a/h_1.5.pt.trace.json", "runs/b/h_2.6.pt.trace.json.gz", "runs/a/config.json"];
        let found = taken(&tensorboard);
        assert_eq!(
            found,
            [one(&["runs/a/h_1.5.pt.trace.json"], 0), one(&["runs/b/h_2.6.pt.trace.json.gz"], 0)].concat()
        );
        let plugin =
            ["plugins/profile/2026_01/host.json.gz", "plugins/profile/2026_02/host.json.gz", "x/y.json"];
        assert_eq!(taken(&plugin), [one(&plugin[..1], 0), one(&plugin[1..2], 0)].concat());
        let config = ["config.json", "runs/a/h_1.5.pt.trace.json", "runs/config.json"];
        assert_eq!(taken(&config), [one(&config[..1], 0), one(&config[1..2], 0)].concat());
        let beside = ["a.trace.json", "capture_traces/b.trace.json", "plugins/profile/1/c.json"];
        assert_eq!(taken(&beside), one(&["a.trace.json"], 0), "the directory has traces of its own");
        assert_eq!(taken(&["capture_traces/b.trace.json", "src/package.json"]), []);
    }

    #[test]
    fn a_search_that_ends_early_says_so() {
        let dir = tempfile::tempdir().expect("a directory");
        let error = || folders(dir.path(), |_| false).expect_err("no trace").to_string();
        assert!(error().contains("in this directory"), "{}", error());
        (0..=FOLDERS).for_each(|at| std::fs::create_dir(dir.path().join(at.to_string())).expect("a folder"));
        assert!(error().contains("in the first 1000 folders of this directory: name"), "{}", error());
    }

    #[test]
    fn of_ascend_only_the_timeline_is_taken() {
        let folder = |rank: u32| format!("h_{rank}_2026_ascend_pt");
        let (zero, one_) = (folder(0), folder(1));
        let timeline = |folder: &str| format!("{folder}/ASCEND_PROFILER_OUTPUT/trace_view.json");
        let files = [
            timeline(&zero),
            timeline(&one_),
            format!("{zero}/profiler_info_0.json"),
            format!("{zero}/ASCEND_PROFILER_OUTPUT/communication.json"),
            format!("{one_}/PROF_1/device_0/x.trace.json"),
        ];
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(taken(&files), one(&files[..2], 0));
        let inside = ["trace_view.json", "communication.json"]
            .map(|file| format!("d_ascend_pt/ASCEND_PROFILER_OUTPUT/{file}"));
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(dir.path().join("d_ascend_pt/ASCEND_PROFILER_OUTPUT")).expect("a folder");
        for file in inside.iter().map(String::as_str).chain(["d_ascend_pt/profiler_info_3.json"]) {
            std::fs::write(dir.path().join(file), "").expect("a file");
        }
        for given in ["", "d_ascend_pt", "d_ascend_pt/ASCEND_PROFILER_OUTPUT"] {
            let found = folders(&dir.path().join(given), |_| false).expect("found");
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].files, [dir.path().join(&inside[0])], "{given}");
        }
        assert_eq!(rank_beside(&dir.path().join(&inside[0])), Some(3));
    }
}
