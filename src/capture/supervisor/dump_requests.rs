//! Requests of `proftui dump` to a run's supervisor: to write what the rings of its processes hold now.
//!
//! A request is an empty file `dump.<number>` in the run folder. The answer is a file `dumped.<number>`,
//! complete once it has that name: the paths of the traces, each after a zero byte, or an error, which begins
//! with no zero byte. Must not know how a trace is made.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use proftui_base::new_file::{self, random};

const ASK: &str = "dump.";
const ANSWER: &str = "dumped.";

/// Why a capture writes no dump, in the words of that capture.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct NoDump(pub String);

/// The answer to a request for a dump: the paths of the traces, or why there are none.
pub(crate) type Answer = Result<Vec<PathBuf>, NoDump>;

/// A request for a dump, which stands in the run folder of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DumpRequest {
    /// Path of the run folder in which the request stands.
    run: PathBuf,
    /// The request's number, in the names of the files of the request and the answer.
    number: String,
}

/// Requests a dump of the capture whose run folder is `run`, by a new file in that folder.
///
/// # Errors
/// When there is no random number for the file's name, or the file cannot be made.
pub(crate) fn ask(run: &Path) -> io::Result<DumpRequest> {
    let number = format!("{:016x}", random()?);
    new_file::create(&run.join(format!("{ASK}{number}")))?;
    Ok(DumpRequest { run: run.to_owned(), number })
}

/// The unanswered requests in the run folder `run`; empty if the folder cannot be read.
pub(crate) fn pending(run: &Path) -> Vec<DumpRequest> {
    let entries = std::fs::read_dir(run).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| Some(entry.file_name().to_str()?.strip_prefix(ASK)?.to_owned()));
    numbers.map(|number| DumpRequest { run: run.to_owned(), number }).collect()
}

impl DumpRequest {
    /// Removes the request's file and writes the answer's.
    ///
    /// # Errors
    /// When the request is gone, or the answer cannot be written.
    pub(crate) fn answer(&self, answer: &Answer) -> io::Result<()> {
        std::fs::remove_file(self.run.join(format!("{ASK}{}", self.number)))?;
        let bytes = match answer {
            Ok(paths) => {
                paths.iter().flat_map(|path| [b"\0", path.as_os_str().as_bytes()].concat()).collect()
            }
            Err(NoDump(why)) => why.clone().into_bytes(),
        };
        let partial = self.run.join(format!(".{ANSWER}{}", self.number));
        new_file::create(&partial)?.write_all(&bytes)?;
        std::fs::rename(partial, self.run.join(format!("{ANSWER}{}", self.number)))
    }

    /// Returns the answer and removes its file; `None` if no answer can be read.
    pub(crate) fn take_answer(&self) -> Option<Answer> {
        let file = self.run.join(format!("{ANSWER}{}", self.number));
        let bytes = std::fs::read(&file).ok()?;
        // A file that stays is removed with the run folder.
        let _ = std::fs::remove_file(file);
        Some(match bytes.strip_prefix(b"\0") {
            Some(paths) => {
                let paths = paths.split(|&byte| byte == 0);
                Ok(paths.map(|path| OsString::from_vec(path.to_vec()).into()).collect())
            }
            None => Err(NoDump(String::from_utf8_lossy(&bytes).into_owned())),
        })
    }

    /// Takes the request back by removing its file; does nothing if it was answered.
    pub(crate) fn take_back(&self) {
        // A request that stays is answered, and nobody reads the answer.
        let _ = std::fs::remove_file(self.run.join(format!("{ASK}{}", self.number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_once() {
        let run = tempfile::tempdir().expect("a folder");
        let (one, other) = (ask(run.path()).expect("made"), ask(run.path()).expect("made"));
        assert_eq!(one.take_answer(), None);
        let pending_now = pending(run.path());
        assert!(pending_now.len() == 2 && pending_now.contains(&one) && pending_now.contains(&other));
        let paths: Answer = Ok(vec!["/tmp/a b".into(), "/tmp/c".into()]);
        one.answer(&paths).expect("written");
        let no = Err(NoDump("no".into()));
        other.answer(&no).expect("written");
        assert_eq!((one.take_answer(), other.take_answer()), (Some(paths), Some(no)));
        assert_eq!((one.take_answer(), pending(run.path())), (None, Vec::new()));
        let third = ask(run.path()).expect("made");
        third.take_back();
        assert!(third.answer(&Ok(Vec::new())).is_err() && pending(run.path()).is_empty());
    }
}
