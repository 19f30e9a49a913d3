//! Writes traces into the output folder, named as Paddle names them: to a temporary file first, renamed when it is complete.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::export::recording::{Recording, write_json, write_protobuf};
use crate::export::{ExportError, Packing, pack};

use super::private_file::{create, random};

/// File format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Chrome Trace Event JSON in Paddle's dialect, compressed or not.
    Json(Packing),
    /// Paddle's protobuf.
    Protobuf,
}

impl OutputFormat {
    /// All formats.
    const ALL: [Self; 4] =
        [Self::Json(Packing::None), Self::Json(Packing::Gzip), Self::Json(Packing::Zstd), Self::Protobuf];

    /// The format with this file name extension; none for an unknown one.
    pub fn of(ending: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.ending().as_bytes() == ending)
    }

    /// The file name extension, without a dot before it.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Json(Packing::None) => "json",
            Self::Json(Packing::Gzip) => "json.gz",
            Self::Json(Packing::Zstd) => "json.zst",
            Self::Protobuf => "pb",
        }
    }
}

/// The folder and format of written traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The output folder.
    pub folder: PathBuf,
    /// File format.
    pub format: OutputFormat,
    /// Replace a file of the same name; otherwise the trace gets another name.
    pub may_replace: bool,
}

impl Output {
    /// Makes the folder, and checks that files can be created in it.
    ///
    /// # Errors
    /// When that fails.
    pub fn prepare(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        // A random name, since machines that share the folder may have equal process ids.
        let probe = self.folder.join(format!(".proftui-{:016x}.partial", random()?));
        create(&probe)?;
        std::fs::remove_file(probe)
    }

    /// Writes a trace into the output folder and returns its path. Its name consists of `worker_name` (see [`worker_name`]) and the local
    /// time.
    ///
    /// # Errors
    /// When it cannot be written; nothing is left of it then.
    pub fn write(&self, worker_name: &str, recording: &Recording) -> Result<PathBuf, ExportError> {
        // The program may have removed the folder.
        std::fs::create_dir_all(&self.folder)?;
        let stamp = jiff::Zoned::now().strftime("%Y_%m_%d_%H_%M_%S_%6f").to_string();
        let partial = self.folder.join(format!(".{worker_name}_time_{stamp}.partial"));
        let written = create(&partial).map_err(ExportError::from).and_then(|file| {
            fill(file, self.format, recording)?;
            Ok(self.rename(&partial, worker_name, &stamp)?)
        });
        if written.is_err() {
            // If the temporary file cannot be removed either, it stays.
            let _ = std::fs::remove_file(&partial);
        }
        written
    }

    /// Renames a complete file to its final name and returns the path. If that name exists and `may_replace` is not set, a number (2 to
    /// 999) is added to the name.
    fn rename(&self, partial: &Path, worker_name: &str, stamp: &str) -> io::Result<PathBuf> {
        let ending = self.format.ending();
        let named = |suffix: &str| {
            self.folder.join(format!("{worker_name}{suffix}_time_{stamp}.paddle_trace.{ending}"))
        };
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

/// Writes a trace to exactly this path, replacing a file that is there; a character device is written into and stays.
///
/// # Errors
/// When it cannot be written, or the path is there and neither a file nor a character device; nothing is left of it then, and a file that
/// was there stays.
pub fn write_to(path: &Path, format: OutputFormat, recording: &Recording) -> Result<(), ExportError> {
    match std::fs::metadata(path).map(|there| there.file_type()) {
        // A device such as /dev/null must not be replaced by a file, even if the user has the right to.
        Ok(there) if there.is_char_device() => {
            return fill(OpenOptions::new().write(true).open(path)?, format, recording);
        }
        Ok(there) if !there.is_file() && !there.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
        }
        _ => {}
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder)?;
    let partial = folder.join(format!(".proftui-{:016x}.partial", random()?));
    let written = create(&partial).map_err(ExportError::from).and_then(|file| {
        fill(file, format, recording)?;
        Ok(std::fs::rename(&partial, path)?)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// Writes a recording into a file, and waits until the file is on the disk (fdatasync).
fn fill(file: File, format: OutputFormat, recording: &Recording) -> Result<(), ExportError> {
    let packing = if let OutputFormat::Json(packing) = format { packing } else { Packing::None };
    let file = pack(BufWriter::new(file), packing, |to| match format {
        OutputFormat::Json(_) => write_json(recording, to),
        OutputFormat::Protobuf => write_protobuf(recording, to),
    })?;
    let mut file = file;
    file.flush()?;
    match file.get_ref().sync_data() {
        // The file system does not support fdatasync.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        other => Ok(other?),
    }
}

/// Renames a file, but not over an existing one.
///
/// # Errors
/// When the new name exists, or renaming fails.
fn rename_anew(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // The file system has no rename that fails if the new name exists.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) if !to.exists() => std::fs::rename(from, to),
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => Err(io::ErrorKind::AlreadyExists.into()),
        other => Ok(other?),
    }
}

/// The worker name of a process, with which Paddle's profiler begins the names of its traces: host, process number, rank.
pub fn worker_name(pid: u32, rank: Option<&str>) -> String {
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
        Output { folder: folder.to_owned(), format: OutputFormat::Protobuf, may_replace }
    }

    #[test]
    fn an_existing_file_is_replaced_only_if_that_is_asked_for() {
        let folder = folder();
        let put = |text: &str, may_replace: bool| {
            let partial = folder.path().join("partial");
            std::fs::write(&partial, text).expect("written");
            output(folder.path(), may_replace).rename(&partial, "host_x", "T").expect("renamed")
        };
        let (first, second) = (put("one", false), put("two", false));
        assert!(first.ends_with("host_x_time_T.paddle_trace.pb"), "{first:?}");
        assert!(second.ends_with("host_x-2_time_T.paddle_trace.pb"), "{second:?}");
        assert_eq!(std::fs::read_to_string(&first).expect("there"), "one");
        assert_eq!(put("three", true), first);
        assert_eq!(std::fs::read_to_string(&first).expect("there"), "three");
    }

    #[test]
    fn traces_are_private_and_temporary_files_are_removed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder();
        let output = output(&folder.path().join("new/one"), false);
        output.prepare().expect("can be written to");
        let path = output.write("host_apid_1", &Recording::default()).expect("written");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&output.folder).expect("a folder").count(), 1);
    }

    #[test]
    fn a_device_is_written_into_and_a_socket_is_refused() {
        use std::os::unix::net::UnixListener;
        let folder = folder();
        // A symbolic link to a device: a rename would replace the link by a file.
        let null = folder.path().join("null");
        std::os::unix::fs::symlink("/dev/null", &null).expect("made");
        write_to(&null, OutputFormat::Protobuf, &Recording::default()).expect("written");
        assert_eq!(std::fs::read_link(&null).expect("a link still"), Path::new("/dev/null"));
        let socket = folder.path().join("socket");
        let _listener = UnixListener::bind(&socket).expect("made");
        let refused = write_to(&socket, OutputFormat::Protobuf, &Recording::default()).expect_err("no file");
        assert!(refused.to_string().contains("not a regular file"), "{refused}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }

    #[test]
    fn a_rank_that_is_no_number_is_left_out() {
        assert!(worker_name(5, Some("3")).ends_with("pid_5_rank3"));
        assert!(worker_name(5, Some("../x")).ends_with("pid_5"));
    }
}
