//! The paths to search for CUPTI, in the recorder's order, and whether CUPTI's version works with the driver.
//!
//! In the program, the recorder first uses a CUPTI that is already loaded; this check cannot see that copy.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proftui_wire::device::Reason;
use proftui_wire::device::search::{self, HOMES, NAMES, OLDEST, TOOLKITS};

use super::machine::Machine;
use crate::capture::child::output;
use crate::capture::explanation::Explanation;

/// Time limit for the Python interpreter.
const PATIENCE: Duration = Duration::from_mins(1);

/// API versions of CUPTI from before they followed CUDA's numbering, each with the CUDA version (12040 is 12.4) that first had it.
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

/// Paths of CUPTI's library to try, in order; only `named`, if the user names one. `python` is the interpreter whose packages are searched.
pub fn candidates(named: Option<&Path>, python: &str) -> Vec<PathBuf> {
    if let Some(path) = named {
        return vec![path.to_owned()];
    }
    let home = HOMES.into_iter().find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
    let local = std::fs::read_dir(TOOLKITS).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = packages(python).into_iter().chain(search::folders(home.map(PathBuf::from), local));
    let files = folders.flat_map(|folder| NAMES.map(|name| folder.join(name))).filter(|file| file.exists());
    // Last, the plain file names, which the dynamic loader searches.
    files.chain(NAMES.map(PathBuf::from)).collect()
}

/// Folders of an interpreter's packages that may contain CUPTI.
fn packages(python: &str) -> Vec<PathBuf> {
    let ask = "import glob, os, sys\nfor p in sys.path:\n  if os.path.isabs(p):\n    \
               for d in sorted(glob.glob(os.path.join(glob.escape(p), 'nvidia', '*', 'lib'))): print(d)\n";
    let output = output(Command::new(python).args(["-c", ask]), PATIENCE);
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().map(PathBuf::from).collect()
}

/// The CUDA version that an API version of CUPTI belongs to: 12040 for 12.4; 0 if unknown.
pub fn cuda(version: u32) -> u32 {
    if version >= 100_000 {
        // 130100 belongs to CUDA 13.1.
        return version / 10_000 * 1000 + version / 100 % 100 * 10;
    }
    let known = VERSIONS.iter().rev().find(|(first, _)| *first <= version);
    known.map_or(0, |&(_, cuda)| cuda)
}

/// A CUDA version as people write it: `12.4`.
pub fn shown(cuda: u32) -> String {
    format!("{}.{}", cuda / 1000, cuda % 1000 / 10)
}

/// Whether CUPTI works with a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// CUPTI works with the driver.
    Good,
    /// CUPTI is of a later minor version of CUDA than the driver: it may work.
    Newer,
    /// CUPTI is too old, or of a later major version of CUDA than the driver: it does not work.
    Bad,
}

/// Whether an API version of CUPTI works with a driver for the CUDA version `driver`; if one of them is unknown (0), it counts as good.
pub fn fit(version: u32, driver: u32) -> Fit {
    let cuda = cuda(version);
    match () {
        () if version != 0 && version < OLDEST => Fit::Bad,
        () if version == 0 || driver == 0 || cuda <= driver => Fit::Good,
        () if cuda / 1000 > driver / 1000 => Fit::Bad,
        () => Fit::Newer,
    }
}

/// Explains why CUPTI cannot be used here; `None` if it can, or if there is no driver. `candidates` are the files that were tried.
pub fn obstacle(machine: &Machine, candidates: &[PathBuf]) -> Option<Explanation> {
    let Some((version, path)) = &machine.cupti else {
        let tried = candidates.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        return Some(Explanation::new(Reason::NoCupti, format!("tried {tried}")));
    };
    let driver = machine.driver.clone()?.ok()?;
    (fit(*version, driver) == Fit::Bad)
        .then(|| Explanation::new(Reason::Version, describe(*version, path, driver)))
}

/// Text about a CUPTI that was found: its path, its version, and the driver's (0 if unknown).
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
    fn what_is_newer_than_the_driver_does_not_fit() {
        for (version, driver, fits) in [
            (22, 12_040, Fit::Good),
            (22, 13_000, Fit::Good),
            (26, 12_040, Fit::Newer),
            (130_001, 12_080, Fit::Bad),
            (17, 13_000, Fit::Bad),
            (0, 12_040, Fit::Good),
            (130_001, 0, Fit::Good),
        ] {
            assert_eq!(fit(version, driver), fits, "{version}, {driver}");
        }
    }

    #[test]
    fn a_named_file_is_the_only_candidate() {
        let named = Path::new("/x/libcupti.so.12");
        assert_eq!(candidates(Some(named), "no-python"), [named]);
        assert!(candidates(None, "no-python").ends_with(&NAMES.map(PathBuf::from)));
    }

    #[test]
    fn obstacles_say_what_was_tried() {
        let tried = [PathBuf::from("/a/libcupti.so"), PathBuf::from("libcupti.so.13")];
        let why = obstacle(&Machine::default(), &tried).expect("an obstacle");
        assert_eq!(
            (why.reason, why.detail.as_str()),
            (Reason::NoCupti, "tried /a/libcupti.so, libcupti.so.13")
        );
        let found = |version| Machine {
            driver: Some(Ok(12_040)),
            cupti: Some((version, "/a/l".into())),
            ..Machine::default()
        };
        let why = obstacle(&found(130_001), &tried).expect("an obstacle");
        assert_eq!(why.detail, "/a/l, API 130001 (CUDA 13.0); the driver supports CUDA 12.4");
        assert_eq!((why.reason, obstacle(&found(22), &tried)), (Reason::Version, None));
    }
}
