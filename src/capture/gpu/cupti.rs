//! Where each kind of program finds CUPTI, by the recorder's search, and texts about versions of CUPTI.
//!
//! In the program, the recorder first uses a CUPTI that is already loaded; this check cannot see that copy.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proftui_wire::device::search;

use crate::capture::system::child::output;

/// How long a Python interpreter may take to list the folders that contain CUPTI.
const PATIENCE: Duration = Duration::from_mins(1);
/// Source of the Python module that lists the folders that contain CUPTI.
const FOLDERS: &str = include_str!("../../../assets/python/_proftui_shim/cupti_folders.py");

/// API versions of CUPTI from before they followed CUDA's numbering, each with the CUDA version (12040 is
/// 12.4) that first had it.
const VERSIONS: [(u32, u32); 8] = [
    (18, 11_080),
    (20, 12_020),
    (21, 12_030),
    (22, 12_040),
    (23, 12_050),
    (24, 12_060),
    (26, 12_080),
    (28, 12_090),
];

/// A kind of program, by where the recorder in it searches for CUPTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A program run by this Python interpreter, in whose packages CUPTI is searched for.
    Python(&'a str),
    /// Any other program, for which packages are not searched.
    Other,
}

/// Paths of CUPTI's library to try in a program of this kind, in order; only `named` if it is given.
pub fn candidates(named: Option<&Path>, kind: Kind) -> Vec<PathBuf> {
    match (named, kind) {
        (Some(path), _) => vec![path.to_owned()],
        (None, Kind::Python(python)) => search::candidates(&packages(python)).files,
        (None, Kind::Other) => search::candidates(&[]).files,
    }
}

/// Runs a Python interpreter to list the folders that contain CUPTI; empty if that fails.
fn packages(python: &str) -> Vec<PathBuf> {
    let ask = format!("{FOLDERS}\nfor folder in folders(): print(folder)\n");
    let output = output(Command::new(python).args(["-c", &ask]), PATIENCE);
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().map(PathBuf::from).collect()
}

/// The CUDA version (12040 for 12.4) to which an API version of CUPTI belongs; 0 if unknown.
pub fn cuda(version: u32) -> u32 {
    if version >= 100_000 {
        // 130100 belongs to CUDA 13.1.
        return version / 10_000 * 1000 + version / 100 % 100 * 10;
    }
    let known = VERSIONS.iter().rev().find(|(first, _)| *first <= version);
    known.map_or(0, |&(_, cuda)| cuda)
}

/// A CUDA version as text: `12.4` for 12040.
pub fn shown(cuda: u32) -> String {
    format!("{}.{}", cuda / 1000, cuda % 1000 / 10)
}

/// Text about the copy of CUPTI at `path` with the API version `version`, and about the CUDA version `driver`
/// that the driver supports; 0 is unknown.
pub fn describe(version: u32, path: &Path, driver: u32) -> String {
    let path = path.display();
    let of = match (version, cuda(version)) {
        (0, _) => "version unknown".to_owned(),
        (_, 0) => format!("API {version}"),
        (_, cuda) => format!("API {version} (CUDA {})", shown(cuda)),
    };
    let beside =
        if driver == 0 { String::new() } else { format!("; the driver supports CUDA {}", shown(driver)) };
    format!("{path}, {of}{beside}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_cuda() {
        for (version, of) in [
            (17, 0),
            (18, 11_080),
            (19, 11_080),
            (22, 12_040),
            (28, 12_090),
            (130_001, 13_000),
            (130_500, 13_050),
        ] {
            assert_eq!(cuda(version), of, "{version}");
        }
        assert_eq!((shown(12_040), shown(13_000)), ("12.4".into(), "13.0".into()));
    }

    #[test]
    fn packages_are_searched_for_programs_of_pythons_alone() {
        let named = Path::new("/x/libcupti.so.12");
        for kind in [Kind::Python("no-python"), Kind::Other] {
            assert_eq!(candidates(Some(named), kind), [named]);
            assert!(candidates(None, kind).ends_with(&search::NAMES.map(PathBuf::from)));
        }
    }

    #[test]
    fn a_copy_is_described_by_its_versions() {
        let of = |version, driver| describe(version, Path::new("/a/l"), driver);
        assert_eq!(of(130_001, 12_040), "/a/l, API 130001 (CUDA 13.0); the driver supports CUDA 12.4");
        assert_eq!((of(17, 0), of(0, 0)), ("/a/l, API 17".into(), "/a/l, version unknown".into()));
    }
}
