//! The files that a request names: the files themselves, and every trace in a directory.

use std::path::{Path, PathBuf};

use super::error::{ImportError, show};
use super::unread;

/// The files to load, in the order of the request; those of a directory by name.
pub(super) struct Listed {
    pub files: Vec<PathBuf>,
    /// True when a directory was given: a file in it that is no trace is skipped, not fatal.
    pub is_lenient: bool,
    /// The first path of the request, safe to show.
    asked: String,
}

impl Listed {
    /// The error when no file could be loaded; `first` is the first file's, in words.
    pub(super) fn nothing_usable(&self, first: Option<&str>) -> ImportError {
        let why = first.map_or_else(String::new, |first| format!("; {first}"));
        let what = format!("no file in this directory can be loaded as a trace{why}");
        ImportError::Empty { path: self.asked.clone(), what }
    }
}

/// Endings of the file names that are taken from a directory, in lower case.
const ENDINGS: [&str; 4] = [".json", ".json.gz", ".json.zst", PROTOBUF];
/// Name ending of Paddle's protobuf; other `.pb` files belong to other tools.
const PROTOBUF: &str = ".paddle_trace.pb";

pub(super) fn expand(paths: &[PathBuf]) -> Result<Listed, ImportError> {
    let mut files = Vec::new();
    let mut is_lenient = false;
    for path in paths {
        if path.is_dir() {
            is_lenient = true;
            let before = files.len();
            let entries = std::fs::read_dir(path).map_err(|error| ImportError::io(path, &error))?;
            files.extend(
                entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| is_candidate(path)),
            );
            files[before..].sort();
            let protobuf: Vec<PathBuf> = files[before..]
                .iter()
                .filter(|path| path.extension() == Some("pb".as_ref()))
                .cloned()
                .collect();
            // Of a run exported in both formats only the protobuf is loaded: its times are exact.
            files.retain(|path| {
                path.extension() != Some("json".as_ref()) || !protobuf.contains(&path.with_extension("pb"))
            });
            if files.len() == before {
                let others = unread::describe(path).map_or_else(String::new, |others| format!("; {others}"));
                let what = format!(
                    "no trace (.json, .json.gz, .json.zst, .paddle_trace.pb) in this directory{others}"
                );
                return Err(ImportError::Empty { path: show(path), what });
            }
        } else {
            files.push(path.clone());
        }
    }
    if files.len() > usize::from(u16::MAX) {
        let what = format!("{} files are too many for one trace (at most 65,535): name fewer", files.len());
        return Err(ImportError::Empty {
            path: paths.first().map_or_else(String::new, |path| show(path)),
            what,
        });
    }
    let asked = paths.first().map_or_else(String::new, |path| show(path));
    Ok(Listed { files, is_lenient, asked })
}

fn is_candidate(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    !name.starts_with('.') && ENDINGS.iter().any(|ending| name.ends_with(ending)) && !path.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_exported_twice_is_one() {
        let dir = std::env::temp_dir().join(format!("proftui-twice-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        for name in ["a.paddle_trace.json", "a.paddle_trace.pb", "b.paddle_trace.json", "other.pb"] {
            std::fs::write(dir.join(name), "").expect("a file");
        }
        let files = expand(std::slice::from_ref(&dir)).expect("files").files;
        assert_eq!(files, [dir.join("a.paddle_trace.pb"), dir.join("b.paddle_trace.json")]);
        std::fs::remove_dir_all(dir).expect("removed");
    }
}
