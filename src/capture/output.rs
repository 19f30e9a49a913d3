//! Where traces go: named as Paddle names them, written beside their name and moved there when whole, never over another.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::export::recording::{Recording, write_json, write_protobuf};
use crate::export::{ExportError, Packing, pack};

use super::folder::random;

/// In which form traces are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Chrome Trace Event JSON in Paddle's dialect.
    Json(Packing),
    /// Paddle's protobuf.
    Protobuf,
}

impl Form {
    /// All of them.
    const ALL: [Self; 4] =
        [Self::Json(Packing::None), Self::Json(Packing::Gzip), Self::Json(Packing::Zstd), Self::Protobuf];

    /// The one whose files end so.
    pub fn of(ending: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.ending().as_bytes() == ending)
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Json(Packing::None) => "json",
            Self::Json(Packing::Gzip) => "json.gz",
            Self::Json(Packing::Zstd) => "json.zst",
            Self::Protobuf => "pb",
        }
    }
}

/// A folder of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// In which form.
    pub form: Form,
    /// Write over a file of the same name.
    pub may_replace: bool,
}

impl Output {
    /// Makes the folder, and sees that files can be made in it.
    ///
    /// # Errors
    /// When they cannot.
    pub fn prepare(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        // Several machines may share the folder, and have the same numbers for processes.
        let probe = self.folder.join(format!(".proftui-{:016x}.partial", random()?));
        create(&probe)?;
        std::fs::remove_file(probe)
    }

    /// Writes a trace of `worker`; where it stands then.
    ///
    /// # Errors
    /// When it cannot be written; nothing is left of it then.
    pub fn write(&self, worker: &str, recording: &Recording) -> Result<PathBuf, ExportError> {
        // The program may have taken it away.
        std::fs::create_dir_all(&self.folder)?;
        let stamp = jiff::Zoned::now().strftime("%Y_%m_%d_%H_%M_%S_%6f").to_string();
        let partial = self.folder.join(format!(".{worker}_time_{stamp}.partial"));
        let written = create(&partial).map_err(ExportError::from).and_then(|file| {
            fill(file, self.form, recording)?;
            Ok(self.settle(&partial, worker, &stamp)?)
        });
        if written.is_err() {
            // What is left of it helps nobody; that it cannot be removed either changes nothing.
            let _ = std::fs::remove_file(&partial);
        }
        written
    }

    /// Gives a file its name, another one where that is taken.
    fn settle(&self, partial: &Path, worker: &str, stamp: &str) -> io::Result<PathBuf> {
        let ending = self.form.ending();
        let named =
            |suffix: &str| self.folder.join(format!("{worker}{suffix}_time_{stamp}.paddle_trace.{ending}"));
        let plain = named("");
        if self.may_replace {
            std::fs::rename(partial, &plain)?;
            return Ok(plain);
        }
        let others = (2..1000).map(|n| named(&format!("-{n}")));
        for path in std::iter::once(plain).chain(others) {
            match rename_anew(partial, &path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => return done.map(|()| path),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Writes a trace to this very path, over what is there: in place of a file, into a device.
///
/// # Errors
/// When it cannot be written; nothing is left of it then, and what was there stays.
pub fn write_to(path: &Path, form: Form, recording: &Recording) -> Result<(), ExportError> {
    match std::fs::metadata(path).map(|there| there.file_type()) {
        // Who may replace it is not to: others need it as well.
        Ok(there) if there.is_char_device() => {
            return fill(OpenOptions::new().write(true).open(path)?, form, recording);
        }
        Ok(there) if !there.is_file() && !there.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file").into());
        }
        _ => {}
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)?;
    let partial = folder.join(format!(".proftui-{:016x}.partial", random()?));
    let written = create(&partial).map_err(ExportError::from).and_then(|file| {
        fill(file, form, recording)?;
        Ok(std::fs::rename(&partial, path)?)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn fill(file: File, form: Form, recording: &Recording) -> Result<(), ExportError> {
    let packing = if let Form::Json(packing) = form { packing } else { Packing::None };
    let file = pack(BufWriter::new(file), packing, |to| match form {
        Form::Json(_) => write_json(recording, to),
        Form::Protobuf => write_protobuf(recording, to),
    })?;
    let mut file = file;
    file.flush()?;
    match file.get_ref().sync_data() {
        // A file system that knows no such thing.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        other => Ok(other?),
    }
}

/// Renames where nothing stands yet.
fn rename_anew(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A file system that cannot do it at once.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) if !to.exists() => std::fs::rename(from, to),
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => Err(io::ErrorKind::AlreadyExists.into()),
        other => Ok(other?),
    }
}

/// The name of a process's traces, as Paddle's profiler makes it.
pub fn worker(pid: u32, rank: Option<&str>) -> String {
    let system = rustix::system::uname();
    let host: String = (system.nodename().to_string_lossy().chars())
        .map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' })
        .collect();
    let rank = rank.filter(|rank| !rank.is_empty() && rank.bytes().all(|b| b.is_ascii_digit()));
    let rank = rank.map_or_else(String::new, |rank| format!("_rank{rank}"));
    format!("host_{host}pid_{pid}{rank}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn output(folder: &Path, may_replace: bool) -> Output {
        Output { folder: folder.to_owned(), form: Form::Protobuf, may_replace }
    }

    #[test]
    fn a_name_that_is_taken_is_left_alone() {
        let folder = folder();
        let put = |text: &str, may_replace: bool| {
            let partial = folder.path().join("partial");
            std::fs::write(&partial, text).expect("written");
            output(folder.path(), may_replace).settle(&partial, "host_x", "T").expect("settled")
        };
        let (first, second) = (put("one", false), put("two", false));
        assert!(first.ends_with("host_x_time_T.paddle_trace.pb"), "{first:?}");
        assert!(second.ends_with("host_x-2_time_T.paddle_trace.pb"), "{second:?}");
        assert_eq!(std::fs::read_to_string(&first).expect("there"), "one");
        assert_eq!(put("three", true), first);
        assert_eq!(std::fs::read_to_string(&first).expect("there"), "three");
    }

    #[test]
    fn files_are_the_persons_own_and_nothing_else_is_left() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        let output = output(&folder.path().join("new/one"), false);
        output.prepare().expect("can be written to");
        let path = output.write("host_apid_1", &Recording::default()).expect("written");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&output.folder).expect("a folder").count(), 1);
    }

    #[test]
    fn a_device_stays_one_and_what_nobody_may_read_is_refused() {
        use std::os::unix::net::UnixListener;
        let folder = folder();
        // Another name for a device, which a file in its place would take away.
        let null = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &null).expect("made");
        write_to(&null, Form::Protobuf, &Recording::default()).expect("written");
        assert_eq!(std::fs::read_link(&null).expect("a link still"), Path::new("/dev/null"));
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).expect("made");
        let refused = write_to(&socket, Form::Protobuf, &Recording::default()).expect_err("no file");
        assert!(refused.to_string().contains("it is no file"), "{refused}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn ranks_are_numbers() {
        assert!(worker(5, Some("3")).ends_with("pid_5_rank3"));
        assert!(worker(5, Some("../x")).ends_with("pid_5"));
    }
}
