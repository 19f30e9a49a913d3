//! Requests of captured processes to their run's supervisor: to write an ended cycle of theirs as a trace to
//! a given path.
//!
//! A request is a file `ask.<process>.<n>` in the run folder, complete once it has that name. It holds the
//! cycle, the format, the path and, as a JSON object, metadata, separated by zero bytes. The answer is a file
//! `answer.<process>.<n>`: empty for success, else the error. Must not know how a trace is made.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::capture::files::output::OutputFormat;

use super::request_error::RequestError;

const ASK: &str = "ask.";
const ANSWER: &str = "answer.";

/// A request of a captured process to write a trace of an ended cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path of the request's file.
    file: PathBuf,
    /// Folder of the process that makes the request, in the run folder.
    pub folder: PathBuf,
    /// Number of the cycle of which a trace is asked for.
    pub cycle: u64,
    /// Format of the trace.
    pub format: OutputFormat,
    /// Path to which the trace is to be written.
    pub path: PathBuf,
    /// What the script's profiler adds to the trace's header, by key.
    pub metadata: Map<String, Value>,
}

/// The readable requests in the run folder `run` that have no answer yet, sorted by the names of their files.
pub fn pending(run: &Path) -> Vec<Request> {
    let entries = std::fs::read_dir(run).into_iter().flatten().flatten();
    let mut requests: Vec<Request> = entries.filter_map(|entry| read(run, &entry.path())).collect();
    requests.sort_by(|one, other| one.file.cmp(&other.file));
    requests
}

/// Reads the request in `file`, which is in the run folder `run`; `None` if there is no complete, well-formed
/// request.
fn read(run: &Path, file: &Path) -> Option<Request> {
    let (process, number) = file.file_name()?.to_str()?.strip_prefix(ASK)?.rsplit_once('.')?;
    // The name of a file that is still being written does not end in a number.
    number.parse::<u64>().ok()?;
    let text = std::fs::read(file).ok()?;
    let mut fields = text.splitn(4, |&byte| byte == 0);
    let cycle = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let format = OutputFormat::of(fields.next()?)?;
    let path = OsString::from_vec(fields.next()?.to_vec()).into();
    let metadata = fields.next().and_then(|text| serde_json::from_slice(text).ok()).unwrap_or_default();
    Some(Request { file: file.to_owned(), folder: run.join(process), cycle, format, path, metadata })
}

impl Request {
    /// Removes the request's file and writes the answer's: empty for `Ok`, else the text of the error.
    ///
    /// # Errors
    /// When the request is gone, or the answer cannot be written.
    pub fn answer(&self, outcome: Result<(), RequestError>) -> io::Result<()> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let answer = self.file.with_file_name(name.replacen(ASK, ANSWER, 1));
        let partial = self.file.with_file_name(name.replacen(ASK, ".", 1));
        std::fs::remove_file(&self.file)?;
        std::fs::write(&partial, outcome.map_or_else(|why| why.to_string(), |()| String::new()))?;
        std::fs::rename(partial, answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::export::Packing;

    #[test]
    fn a_request_is_read_and_answered_once() {
        let run = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &[u8]| std::fs::write(run.path().join(name), text).expect("written");
        put("ask.7-900.12", b"3\0json.gz\0/tmp/\xff x\0{\"run\": {\"id\": 7}}");
        put("ask.7-900.13", b"3\0xml\0/tmp/x");
        put("ask.7-900.14.partial", b"3\0json\0/tmp/x");
        put("options", b"");
        let requests = pending(run.path());
        let [request] = requests.as_slice() else { panic!("one can be read: {requests:?}") };
        assert_eq!((request.cycle, request.format), (3, OutputFormat::Json(Packing::Gzip)));
        assert_eq!(request.folder, run.path().join("7-900"));
        assert_eq!(request.path.as_os_str().as_encoded_bytes(), b"/tmp/\xff x");
        assert_eq!(request.metadata["run"]["id"], 7);
        request.answer(Err(RequestError::NotNewest)).expect("there");
        assert_eq!(
            std::fs::read_to_string(run.path().join("answer.7-900.12")).expect("there"),
            "the recorded cycle has been replaced by a newer one, or has not ended"
        );
        assert_eq!(pending(run.path()), []);
    }
}
