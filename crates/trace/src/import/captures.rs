//! The traces of captured graphs that belong to a trace: those that a request names, else those in the folder
//! `capture_traces` beside its files.
//!
//! They are never part of the trace itself. Must not know what is in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::bytes::directory::{self, CAPTURES};
use super::bytes::source;
use super::load;
use super::request::Request;

/// Name of the file that lists the capture traces of its folder, with their batch sizes.
const LIST: &str = "execution_details.json";
/// Longest text of the file [`LIST`] that is read, in bytes after inflating.
const LIST_LIMIT: u64 = 16 << 20;

/// The file of a capture trace, with the rank and batch sizes that its name and its folder state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureFile {
    /// The path of the trace.
    pub path: PathBuf,
    /// The rank in the file's name, 0 in `bs_32_rank0.json.gz`; `None` where the name has none.
    pub rank: Option<i64>,
    /// The batch size that `execution_details.json` in the file's folder states for the file; `None` if it
    /// states none.
    pub listed_size: Option<u64>,
    /// The batch size in the file's name, 32 in `bs_32_rank0.json.gz`; `None` where the name has none.
    pub named_size: Option<u64>,
    /// True if the request's field `capture_traces` names the file or its folder.
    pub is_named: bool,
    /// True if the file was found by listing a folder, false if the request names the file itself.
    pub is_in_folder: bool,
}

/// The capture traces of `request`: those that its field `capture_traces` names, else, unless it skips these,
/// those in folders called `capture_traces` beside its trace files.
pub fn capture_files(request: &Request) -> Vec<CaptureFile> {
    let mut found = Vec::new();
    for path in &request.capture_traces {
        if path.is_dir() {
            found.extend(in_folder(path).into_iter().map(|file| CaptureFile { is_named: true, ..file }));
        } else {
            let list = path.parent().map(listed).unwrap_or_default();
            found.push(CaptureFile { is_named: true, is_in_folder: false, ..file(path, &list) });
        }
    }
    if !request.capture_traces.is_empty() || request.skips_captures {
        return found;
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in request.paths.iter().filter(|path| path.as_os_str() != "-") {
        if path.is_dir() {
            let searched = directory::folders(path, load::is_trace).unwrap_or_default();
            let files = searched.iter().flat_map(|folder| &folder.files);
            folders.extend(files.filter_map(|file| file.parent()).map(Path::to_owned));
        } else {
            folders.extend(path.parent().map(Path::to_owned));
        }
    }
    folders.sort();
    folders.dedup();
    folders.iter().flat_map(|folder| in_folder(&folder.join(CAPTURES))).collect()
}

/// The visible files in `folder` that are named like traces, without [`LIST`], sorted by name; empty if the
/// folder cannot be read.
fn in_folder(folder: &Path) -> Vec<CaptureFile> {
    let list = listed(folder);
    let paths = directory::candidates(folder).unwrap_or_default();
    let is_list = |path: &PathBuf| path.file_name().is_some_and(|name| name == LIST);
    paths.iter().filter(|path| !is_list(path)).map(|path| file(path, &list)).collect()
}

fn file(path: &Path, list: &BTreeMap<String, u64>) -> CaptureFile {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    CaptureFile {
        path: path.to_owned(),
        rank: rank_in_name(&name),
        listed_size: list.get(&name).copied(),
        named_size: number_after(&name, "bs_"),
        is_named: false,
        is_in_folder: true,
    }
}

/// An entry of the file [`LIST`]; its other fields are not used.
#[derive(Deserialize)]
struct Listed {
    file: String,
    batch_size: Option<u64>,
}

/// The batch sizes by file name, from the file [`LIST`] in `folder`; empty where the list cannot be read.
fn listed(folder: &Path) -> BTreeMap<String, u64> {
    let text = source::text_of_regular(&folder.join(LIST), LIST_LIMIT).unwrap_or_default();
    let entries: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap_or_default();
    let entries = entries.into_iter().filter_map(|entry| serde_json::from_value::<Listed>(entry).ok());
    let name = |file: &str| Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    entries.filter_map(|entry| Some((name(&entry.file)?, entry.batch_size?))).collect()
}

/// The number directly behind the first `word` in `name`; `None` without one.
fn number_after(name: &str, word: &str) -> Option<u64> {
    let rest = name.split_once(word)?.1;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// The rank in the name of a file or worker, behind the word `rank`: 3 in `Rank 3` and `a_rank_3.json.gz`.
/// `None` without a rank.
pub fn rank_in_name(name: &str) -> Option<i64> {
    let name = name.to_ascii_lowercase();
    let words = ["rank_", "rank-", "rank ", "rank"];
    words.iter().find_map(|word| number_after(&name, word)).and_then(|rank| i64::try_from(rank).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
    }

    #[test]
    fn ranks_stand_in_names() {
        let ranks =
            ["rank 3", "bs_32_rank0.json.gz", "trace_rank_12.json.gz", "graph.json"].map(rank_in_name);
        assert_eq!(ranks, [Some(3), Some(0), Some(12), None]);
    }

    #[test]
    fn captures_beside_a_trace_are_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let list = r#"[{"file":"b.json","batch_size":8,"mode":"FULL"},{"file":"x/bs_4_rank1.json.gz","batch_size":5},{"file":1}]"#;
        write(
            dir.path(),
            &[
                ("a.json", "[]"),
                ("capture_traces/execution_details.json", list),
                ("capture_traces/b.json", "[]"),
                ("capture_traces/bs_4_rank1.json.gz", ""),
                ("capture_traces/notes.txt", ""),
            ],
        );
        for path in [dir.path().join("a.json"), dir.path().to_owned()] {
            let found = capture_files(&Request::new([path]));
            let facts: Vec<_> = found
                .iter()
                .map(|file| (file.rank, file.listed_size, file.named_size, file.is_named))
                .collect();
            assert_eq!(facts, [(None, Some(8), None, false), (Some(1), Some(5), Some(4), false)]);
        }
        let named = Request {
            capture_traces: vec![dir.path().join("capture_traces/b.json")],
            ..Request::new([dir.path().join("a.json")])
        };
        let found = capture_files(&named);
        assert_eq!((found.len(), found[0].is_named, found[0].listed_size), (1, true, Some(8)));
        let skipped = Request { skips_captures: true, ..Request::new([dir.path().to_owned()]) };
        assert!(capture_files(&skipped).is_empty() && capture_files(&Request::new(["-"])).is_empty());
    }
}
