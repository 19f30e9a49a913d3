//! Tries copies of CUPTI in processes of their own (`probe`), as the recorder would in the program: in order,
//! until one works or is refused for a cause that other copies have, too.

use std::path::{Path, PathBuf};
use std::process::Output;

use proftui_wire::device::search::OLDEST;
use proftui_wire::device::{Reason, answer};

use super::cupti::describe;
use super::machine;
use crate::capture::gpu::explanation::Explanation;
use crate::capture::system::child::describe_end;

/// Result of trying copies of CUPTI.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// The first copy that works: its API version (0 if unknown) and its path; `None` if none works.
    pub works: Option<(u32, PathBuf)>,
    /// What fails in the copy that works, but is not needed by the recorder: name and CUPTI's error, as text.
    pub lacks: Vec<String>,
    /// For each copy that was tried and refused, in order: the reason, and a text for the user.
    pub refused: Vec<(Reason, String)>,
    /// Messages about files that could not be loaded, and about a test process that failed.
    pub failures: Vec<String>,
    /// The candidates after the last copy that was tried; all of them if none was.
    pub rest: Vec<PathBuf>,
}

/// What a test process reported on the copies of CUPTI that it was given.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    /// Messages: why files could not be loaded.
    failures: Vec<String>,
    /// Index of the copy that the process tried, among the copies that it was given; `None` if it tried none.
    which: Option<usize>,
    /// The API version of the copy of CUPTI that was tried; 0 if unknown.
    version: u32,
    /// The error code and name of the first function that the recorder needs and that failed; `None` if none
    /// failed.
    refused: Option<(u32, String)>,
    /// True if the functions that the recorder needs worked.
    works: bool,
    /// What failed, but is not needed by the recorder: name and CUPTI's error, as text.
    lacks: Vec<String>,
    /// True if CUPTI did not return in time.
    is_hung: bool,
}

/// Tries copies of CUPTI in test processes, in order, until one works, no further copy can help, or a process
/// tries none. `driver` is the latest CUDA version that the driver supports, 0 if unknown.
pub fn run(candidates: &[PathBuf], driver: u32) -> Trial {
    let (mut trial, mut rest) = (Trial::default(), candidates);
    while !rest.is_empty() {
        let output = machine::ask(machine::Depth::Devices, rest);
        let report = output.as_ref().map(|output| Report::read(&output.stdout)).unwrap_or_default();
        let Some(which) = report.which.filter(|which| *which < rest.len()) else {
            trial.failures.extend(report.failures);
            let failed = |why| format!("the test process that loads CUPTI failed: {why}");
            trial.failures.extend(output.err().map(failed));
            break;
        };
        let path = &rest[which];
        rest = &rest[which + 1..];
        let refused = report.refusal(path, driver, output.as_ref().ok());
        trial.failures.extend(report.failures);
        match refused {
            None => {
                trial.works = Some((report.version, path.clone()));
                trial.lacks = report.lacks;
                break;
            }
            Some((why, is_last)) => {
                trial.refused.push(why);
                if is_last {
                    break;
                }
            }
        }
    }
    trial.rest = rest.to_vec();
    trial
}

impl Report {
    /// Parses the lines that the process printed, `key=value`; unknown keys are ignored.
    fn read(bytes: &[u8]) -> Self {
        let (text, mut report) = (String::from_utf8_lossy(bytes), Self::default());
        for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match key {
                "no_cupti" => report.failures.push(value.to_owned()),
                "trying" => report.which = value.parse().ok(),
                "version" => report.version = value.parse().unwrap_or_default(),
                "refused" => {
                    let (code, function) = value.split_once(' ').unwrap_or((value, ""));
                    report.refused = code.parse().ok().map(|code| (code, function.to_owned()));
                }
                "works" => report.works = true,
                "lacks" => {
                    let (code, what) = value.split_once(' ').unwrap_or((value, ""));
                    let code = code.parse().map_or_else(|_| code.to_owned(), answer::describe);
                    report.lacks.push(format!("{what}: {code}"));
                }
                "hung" => report.is_hung = true,
                _ => {}
            }
        }
        report
    }

    /// Why the copy at `path` cannot be used, and whether trying copies ends with it; `None` if the copy can
    /// be used. `driver` and `output` only serve the text.
    fn refusal(&self, path: &Path, driver: u32, output: Option<&Output>) -> Option<((Reason, String), bool)> {
        let of = describe(self.version, path, driver);
        if self.version != 0 && self.version < OLDEST {
            let text = format!("proftui needs API version {OLDEST} or later ({of})");
            return Some(((Reason::Version, text), false));
        }
        if let Some((code, function)) = &self.refused {
            let reason = answer::reason(*code);
            let text = format!("{function} ({of}): {}", answer::describe(*code));
            return Some(((reason, text), !reason.is_of_this_copy()));
        }
        if self.works {
            return None;
        }
        // The recorder would load this copy, too, and the program would crash or hang: others do not help.
        let end = output.and_then(|output| describe_end(output.status));
        let what = match end {
            _ if self.is_hung => "it does not return".to_owned(),
            Some(end) => format!("the test process that loads CUPTI ended: {end}"),
            None => "the test process that loads CUPTI ended early".to_owned(),
        };
        Some(((Reason::CuptiError, format!("{of}: {what}")), true))
    }
}

impl Trial {
    /// Explains why no copy of CUPTI can be used; `None` if one works. `candidates` are the copies that
    /// [`run`] was given.
    pub fn obstacle(&self, candidates: &[PathBuf]) -> Option<Explanation> {
        if self.works.is_some() {
            return None;
        }
        let last = self.refused.last().filter(|(reason, _)| !reason.is_of_this_copy());
        let Some((reason, _)) = last.or(self.refused.first()) else {
            let real = self.failures.iter().filter(|failure| !failure.contains("No such file")).cloned();
            let tried =
                candidates.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            let detail = std::iter::once(format!("tried {tried}")).chain(real).collect::<Vec<_>>().join("; ");
            return Some(Explanation::new(Reason::NoCupti, detail));
        };
        Some(Explanation::new(*reason, self.refusals()))
    }

    /// Why the copies that were tried were refused, in one text; empty if none was refused.
    pub fn refusals(&self) -> String {
        self.refused.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> Option<((Reason, String), bool)> {
        Report::read(text.as_bytes()).refusal(Path::new("/a/l"), 12_040, None)
    }

    #[test]
    fn a_copy_is_refused_by_what_it_answers() {
        assert_eq!(refusal("driver=12040\nno_cupti=a: no\ntrying=1\nversion=22\nworks=1\n"), None);
        for (text, reason, words, is_last) in [
            ("trying=0\nversion=17", Reason::Version, "proftui needs API version 18", false),
            (
                "trying=0\nversion=130001\nrefused=15 cuptiSubscribe",
                Reason::Version,
                "CUDA 13.0); the driver supports CUDA 12.4): error 15 (CUPTI_ERROR_NOT_INITIALIZED)",
                false,
            ),
            (
                "trying=0\nversion=22\nrefused=39 cuptiSubscribe",
                Reason::OtherSubscriber,
                "cuptiSubscribe (/a/l, API 22",
                true,
            ),
            (
                "trying=0\nrefused=4294967295 cuptiGetVersion",
                Reason::Version,
                "does not have this function",
                false,
            ),
            ("trying=0\nversion=22", Reason::CuptiError, "ended early", true),
            ("trying=0\nversion=22\nhung=1", Reason::CuptiError, "does not return", true),
        ] {
            let ((found, detail), last) = refusal(text).expect("a refusal");
            assert_eq!((found, last), (reason, is_last), "{text}");
            assert!(detail.contains(words), "{detail}");
        }
    }

    #[test]
    fn obstacles_say_what_was_tried() {
        let candidates = [PathBuf::from("/a/l"), PathBuf::from("libcupti.so.13")];
        let failures = vec!["/a/l: torn".into(), "libcupti.so.13: No such file".into()];
        let why = Trial { failures, ..Trial::default() }.obstacle(&candidates).expect("an obstacle");
        assert_eq!(
            (why.reason, why.detail.as_str()),
            (Reason::NoCupti, "tried /a/l, libcupti.so.13; /a/l: torn")
        );
        let refused = vec![(Reason::Version, "a".to_owned()), (Reason::CuptiError, "b".to_owned())];
        let both = Trial { refused, ..Trial::default() };
        let why = both.obstacle(&candidates).expect("an obstacle");
        assert_eq!((why.reason, why.detail.as_str()), (Reason::Version, "a; b"));
        assert_eq!(Trial { works: Some((22, "/a/l".into())), ..both }.obstacle(&candidates), None);
    }
}
