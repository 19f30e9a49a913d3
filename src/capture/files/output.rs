//! Writes traces into the output folder, named as the profilers name them whose form they have.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use proftui_base::new_file::{self, Destination, Existing, NewFile, PRIVATE};
use proftui_trace::export::recording::{
    Recording, write_json, write_kineto_json, write_paddle_json, write_protobuf,
};
use proftui_trace::export::{ExportError, Packing, pack};

/// File format in which traces are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// [`Kineto`](Self::Kineto) for a program that has imported PyTorch and not Paddle, else
    /// [`Json`](Self::Json), uncompressed.
    ByFramework,
    /// Chrome Trace Event JSON in proftui's own form, with this compression or none.
    Json(Packing),
    /// Chrome Trace Event JSON in the form of PyTorch's profiler, with this compression or none.
    Kineto(Packing),
    /// Chrome Trace Event JSON in the form of Paddle's profiler, with this compression or none.
    PaddleJson(Packing),
    /// The protobuf format of Paddle's profiler, never compressed.
    Protobuf,
}

impl OutputFormat {
    const ALL: [Self; 11] = [
        Self::ByFramework,
        Self::Json(Packing::None),
        Self::Json(Packing::Gzip),
        Self::Json(Packing::Zstd),
        Self::Kineto(Packing::None),
        Self::Kineto(Packing::Gzip),
        Self::Kineto(Packing::Zstd),
        Self::PaddleJson(Packing::None),
        Self::PaddleJson(Packing::Gzip),
        Self::PaddleJson(Packing::Zstd),
        Self::Protobuf,
    ];

    /// The format with this [`name`](Self::name); `None` for an unknown name.
    pub fn of(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().as_bytes() == name)
    }

    /// The format's unique name, such as `json.gz` or `paddle.json.gz`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByFramework => "auto",
            Self::Json(Packing::None) => "json",
            Self::Json(Packing::Gzip) => "json.gz",
            Self::Json(Packing::Zstd) => "json.zst",
            Self::Kineto(Packing::None) => "kineto",
            Self::Kineto(Packing::Gzip) => "kineto.gz",
            Self::Kineto(Packing::Zstd) => "kineto.zst",
            Self::PaddleJson(Packing::None) => "paddle.json",
            Self::PaddleJson(Packing::Gzip) => "paddle.json.gz",
            Self::PaddleJson(Packing::Zstd) => "paddle.json.zst",
            Self::Protobuf => "pb",
        }
    }

    /// The format of a trace of this recording.
    fn of_recording(self, recording: &Recording) -> Self {
        let has = |key: &str| recording.facts.iter().any(|(fact, _)| fact == key);
        match self {
            Self::ByFramework if has("proftui.torch") && !has("proftui.paddle") => {
                Self::Kineto(Packing::None)
            }
            Self::ByFramework => Self::Json(Packing::None),
            _ => self,
        }
    }

    /// The name of a file in this format: of a worker's trace, written at the time `stamp`. In PyTorch's form
    /// it is that by which the plugin of `TensorBoard` finds workers.
    fn file_name(self, worker: &str, stamp: &str) -> String {
        let name = self.name();
        if let Self::Kineto(_) = self {
            return format!("{worker}.{stamp}.pt.trace.json{}", name.trim_start_matches("kineto"));
        }
        let ending = name.strip_prefix("paddle.").unwrap_or(name);
        format!("{worker}_time_{stamp}.paddle_trace.{ending}")
    }
}

/// Where and in which format traces are written, and whether a trace may replace a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The folder for the traces; it is made if it is missing.
    pub folder: PathBuf,
    /// The file format of the traces.
    pub format: OutputFormat,
    /// True if a trace may replace a file of the same name.
    pub may_replace: bool,
}

impl Output {
    /// Makes the output folder if it is missing, and checks that files can be created in it.
    ///
    /// # Errors
    /// When the folder cannot be made, or no file can be created in it.
    pub fn prepare(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        NewFile::create(&new_file::open_folder(&self.folder)?, PRIVATE).map(drop)
    }

    /// Writes a recording as a trace into the output folder, named after `worker_name`, the time and the
    /// number of the `step` that it was written for, if any, and returns the trace's path.
    ///
    /// # Errors
    /// When the trace cannot be written; no part of it is left then.
    pub fn write(
        &self,
        worker_name: &str,
        step: Option<u64>,
        recording: &Recording,
    ) -> Result<PathBuf, ExportError> {
        // The program may have removed the folder.
        std::fs::create_dir_all(&self.folder)?;
        let now = jiff::Zoned::now();
        let of_step = step.map_or_else(String::new, |step| format!("_step_{step}"));
        let format = self.format.of_recording(recording);
        let (worker, stamp) = if matches!(format, OutputFormat::Kineto(_)) {
            (format!("{worker_name}{of_step}"), now.timestamp().as_nanosecond().to_string())
        } else {
            // Behind the time: what is before it names the worker for readers of traces.
            (worker_name.to_owned(), format!("{}{of_step}", now.strftime("%Y_%m_%d_%H_%M_%S_%6f")))
        };
        let folder = new_file::open_folder(&self.folder)?;
        let mut file = NewFile::create(&folder, PRIVATE)?;
        fill(file.file(), format, recording)?;
        file.sync()?;
        Ok(self.folder.join(self.name(&mut file, format, &worker, &stamp)?))
    }

    /// Names `file` after `worker_name` and the time `stamp`, with a number if a file that is to stay has
    /// that name, and returns the name.
    fn name(
        &self,
        file: &mut NewFile<'_>,
        format: OutputFormat,
        worker_name: &str,
        stamp: &str,
    ) -> io::Result<String> {
        let existing = if self.may_replace { Existing::IsReplaced } else { Existing::Stays };
        let others = (2..1000).map(|n| format!("-{n}"));
        for suffix in std::iter::once(String::new()).chain(others) {
            let name = format.file_name(&format!("{worker_name}{suffix}"), stamp);
            match file.name(OsStr::new(&name), existing) {
                Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
                done => return done.map(|()| name),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Writes a recording as a trace to this path, with missing folders made. A file there is replaced; a
/// character device is written into.
///
/// # Errors
/// When the trace cannot be written; a file that was there stays.
pub fn write_to(path: &Path, format: OutputFormat, recording: &Recording) -> Result<(), ExportError> {
    match std::fs::metadata(path).map(|there| there.file_type()) {
        // A device such as /dev/null must not be replaced by a file, even if the user has the right to.
        Ok(there) if there.is_char_device() => {
            return fill(&OpenOptions::new().write(true).open(path)?, format, recording);
        }
        Ok(there) if !there.is_file() && !there.is_dir() => {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
        }
        _ => {}
    }
    std::fs::create_dir_all(new_file::folder(path))?;
    Destination::open(path)?.write(PRIVATE, Existing::IsReplaced, |file| fill(file, format, recording))
}

fn fill(file: &File, format: OutputFormat, recording: &Recording) -> Result<(), ExportError> {
    let format = format.of_recording(recording);
    let packing = match format {
        OutputFormat::Json(packing) | OutputFormat::Kineto(packing) | OutputFormat::PaddleJson(packing) => {
            packing
        }
        OutputFormat::ByFramework | OutputFormat::Protobuf => Packing::None,
    };
    let mut file = pack(BufWriter::new(file), packing, |to| match format {
        OutputFormat::ByFramework | OutputFormat::Json(_) => write_json(recording, to),
        OutputFormat::Kineto(_) => write_kineto_json(recording, to),
        OutputFormat::PaddleJson(_) => write_paddle_json(recording, to),
        OutputFormat::Protobuf => write_protobuf(recording, to),
    })?;
    Ok(file.flush()?)
}

/// The worker name of a process, as Paddle's profiler forms it: `host_NAMEpid_PID`, followed by `_rankRANK`
/// if `rank` consists of digits.
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
            let open = new_file::open_folder(folder.path()).expect("a folder");
            let mut file = NewFile::create(&open, PRIVATE).expect("created");
            file.file().write_all(text.as_bytes()).expect("written");
            let name = output(folder.path(), may_replace)
                .name(&mut file, OutputFormat::Protobuf, "host_x", "T")
                .expect("named");
            folder.path().join(name)
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
        let path = output.write("host_apid_1", None, &Recording::default()).expect("written");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&output.folder).expect("a folder").count(), 1);
        let path = output.write("host_apid_1", Some(12), &Recording::default()).expect("written");
        assert!(path.to_string_lossy().ends_with("_step_12.paddle_trace.pb"), "{path:?}");
    }

    #[test]
    fn a_program_with_pytorch_gets_the_form_of_pytorch() {
        let ending = |facts: &[&str]| {
            let facts = facts.iter().map(|fact| ((*fact).to_owned(), "2.0".to_owned())).collect();
            let recording = Recording { facts, ..Recording::default() };
            OutputFormat::ByFramework.of_recording(&recording).file_name("host_apid_7", "9")
        };
        assert_eq!(ending(&["proftui.torch"]), "host_apid_7.9.pt.trace.json");
        assert_eq!(ending(&["proftui.torch", "proftui.paddle"]), "host_apid_7_time_9.paddle_trace.json");
        assert_eq!(ending(&[]), "host_apid_7_time_9.paddle_trace.json");
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
