//! What processes ask of the one that looks after their run: a cycle of theirs that is over, written as a trace where they say.
//!
//! A request is a file of the run's folder, `ask.<process>.<n>`, whole when it has that name: the cycle, the form and the path, with a
//! zero between two. Its answer is `answer.<process>.<n>`: empty when all went well, else why not. Must not know how a trace is made.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::output::Form;

const ASK: &str = "ask.";
const ANSWER: &str = "answer.";

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    file: PathBuf,
    /// The folder of the process that asks.
    pub folder: PathBuf,
    /// Which cycle.
    pub cycle: u64,
    /// In which form.
    pub form: Form,
    /// Where to.
    pub path: PathBuf,
}

/// The requests in a run's folder that have no answer yet.
pub fn pending(run: &Path) -> Vec<Request> {
    let entries = std::fs::read_dir(run).into_iter().flatten().flatten();
    let mut requests: Vec<Request> = entries.filter_map(|entry| read(run, &entry.path())).collect();
    requests.sort_by(|one, other| one.file.cmp(&other.file));
    requests
}

fn read(run: &Path, file: &Path) -> Option<Request> {
    let (process, number) = file.file_name()?.to_str()?.strip_prefix(ASK)?.rsplit_once('.')?;
    // Else it is on its way to such a name.
    number.parse::<u64>().ok()?;
    let text = std::fs::read(file).ok()?;
    let mut fields = text.splitn(3, |&byte| byte == 0);
    let cycle = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let form = Form::of(fields.next()?)?;
    let path = OsString::from_vec(fields.next()?.to_vec()).into();
    Some(Request { file: file.to_owned(), folder: run.join(process), cycle, form, path })
}

impl Request {
    /// Answers it: done, or why not.
    ///
    /// # Errors
    /// When the folder is gone.
    pub fn answer(&self, outcome: Result<(), String>) -> io::Result<()> {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        let answer = self.file.with_file_name(name.replacen(ASK, ANSWER, 1));
        let partial = self.file.with_file_name(name.replacen(ASK, ".", 1));
        std::fs::remove_file(&self.file)?;
        std::fs::write(&partial, outcome.err().unwrap_or_default())?;
        std::fs::rename(partial, answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::Packing;

    #[test]
    fn a_request_is_read_and_answered_once() {
        let run = tempfile::tempdir().expect("a folder");
        let put = |name: &str, text: &[u8]| std::fs::write(run.path().join(name), text).expect("written");
        put("ask.7-900.12", b"3\0json.gz\0/tmp/\xff\0x");
        put("ask.7-900.13", b"3\0xml\0/tmp/x");
        put("ask.7-900.14.partial", b"3\0json\0/tmp/x");
        put("options", b"");
        let requests = pending(run.path());
        let [request] = requests.as_slice() else { panic!("one can be read: {requests:?}") };
        assert_eq!((request.cycle, request.form), (3, Form::Json(Packing::Gzip)));
        assert_eq!(request.folder, run.path().join("7-900"));
        assert_eq!(request.path.as_os_str().as_encoded_bytes(), b"/tmp/\xff\0x");
        request.answer(Err("no".into())).expect("there");
        assert_eq!(std::fs::read(run.path().join("answer.7-900.12")).expect("there"), b"no");
        assert_eq!(pending(run.path()), []);
    }
}
