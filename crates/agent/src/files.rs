//! Files of the run's folder: only the user may access them, and they are open only while they are read,
//! written or mapped.
//!
//! Environments outlive runs, and once a run's folder is removed, another user can make it anew, with links
//! and pipes in it. So no file is opened by its path: each folder is opened first, without following a link,
//! and must belong to the user; what is in it is opened by the folder's descriptor. Descriptors are not kept,
//! since programs close those that they do not know.

#![allow(
    unsafe_code,
    reason = "calls openat, mkdirat, unlinkat, fcntl, geteuid and getrlimit, for which the standard library \
        has no functions"
)]

mod disk;

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use libc::{
    O_CLOEXEC, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_PATH, O_RDONLY, O_RDWR, O_WRONLY,
};

/// How long to wait between two attempts to lock a file.
const LOCK_PAUSE: Duration = Duration::from_micros(200);
/// How many times locking a file is tried.
const LOCK_TRIES: u32 = 10_000;

/// The folder of a run, or of a process in it. Its files are accessed only if the folders belong to the user
/// and others cannot write to them.
#[derive(Clone, Debug)]
pub(crate) struct OwnFolder {
    run: PathBuf,
    /// Name of the process's folder in the run's folder; `None` if this is the run's folder itself.
    process: Option<String>,
}

impl OwnFolder {
    /// The run's folder at the path `run`; nothing is accessed or checked yet.
    pub(crate) fn of_run(run: PathBuf) -> Self {
        Self { run, process: None }
    }

    /// The folder of a process, with this name, in the run's folder; it need not exist yet.
    pub(crate) fn of_process(&self, name: String) -> Self {
        Self { run: self.run.clone(), process: Some(name) }
    }

    /// The folder's path; nothing is checked.
    pub(crate) fn path(&self) -> PathBuf {
        self.process.as_ref().map_or_else(|| self.run.clone(), |name| self.run.join(name))
    }

    /// Creates this folder of a process, with the mode 0700. Fails if it exists, and for the run's folder.
    pub(crate) fn make(&self) -> io::Result<()> {
        let name = text(self.process.as_deref().unwrap_or_default())?;
        let run = open_own(&self.run)?;
        // SAFETY: an open descriptor, and a text that ends with a zero byte.
        succeeded(unsafe { libc::mkdirat(run.as_raw_fd(), name.as_ptr(), 0o700) }).map(drop)
    }

    /// Creates a file in the folder, with the mode 0600, and opens it for reading and writing. Fails if it
    /// exists.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        open_at(&self.opened()?, name, O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens a file of the folder for reading. Fails if it is a symbolic link.
    pub(crate) fn open(&self, name: &str) -> io::Result<File> {
        // Opening a pipe without a writer would wait for one.
        open_at(&self.opened()?, name, O_RDONLY | O_NONBLOCK)
    }

    /// Opens an existing file of the folder for reading and writing. Fails if it is a symbolic link.
    pub(crate) fn open_to_change(&self, name: &str) -> io::Result<File> {
        open_at(&self.opened()?, name, O_RDWR | O_NONBLOCK)
    }

    /// Opens a file of the folder, and locks it (`fcntl`) until the returned file is closed. Fails if another
    /// process has the lock for about two seconds.
    pub(crate) fn lock(&self, name: &str) -> io::Result<File> {
        let file = self.open_to_change(name)?;
        // SAFETY: zeros are valid in all of its fields.
        let mut whole: libc::flock = unsafe { std::mem::zeroed() };
        whole.l_type = libc::F_WRLCK as libc::c_short;
        for _ in 0..LOCK_TRIES {
            // SAFETY: an open descriptor, and a structure of our own.
            if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const whole) } == 0 {
                return Ok(file);
            }
            std::thread::sleep(LOCK_PAUSE);
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// Calls `body` with a short path of a file of the folder, which is valid while `body` runs, and returns
    /// its result.
    pub(crate) fn with_path<R>(&self, name: &str, body: impl FnOnce(&str) -> io::Result<R>) -> io::Result<R> {
        let folder = self.opened()?;
        body(&format!("/proc/self/fd/{}/{name}", folder.as_raw_fd()))
    }

    /// Returns the contents of a file of the folder. Fails if it is a symbolic link.
    pub(crate) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(name)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes `bytes` into an existing file of the folder, at the byte offset `at`. Fails if they would
    /// exceed the process's file size limit ([`check_limit`]).
    pub(crate) fn write(&self, name: &str, at: u64, bytes: &[u8]) -> io::Result<()> {
        check_limit(at + bytes.len() as u64)?;
        open_at(&self.opened()?, name, O_WRONLY | O_NONBLOCK)?.write_all_at(bytes, at)
    }

    /// Removes a file from the folder.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        let (folder, name) = (self.opened()?, text(name)?);
        // SAFETY: an open descriptor, and a text that ends with a zero byte.
        succeeded(unsafe { libc::unlinkat(folder.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
    }

    fn opened(&self) -> io::Result<File> {
        let run = open_own(&self.run)?;
        match &self.process {
            Some(name) => checked(open_at(&run, name, O_PATH | O_DIRECTORY)?),
            None => Ok(run),
        }
    }
}

/// Opens the folder at a path; fails if it is a symbolic link, belongs to another user, or can be written by
/// others.
fn open_own(path: &Path) -> io::Result<File> {
    checked(OpenOptions::new().read(true).custom_flags(O_PATH | O_DIRECTORY | O_NOFOLLOW).open(path)?)
}

/// Returns the folder; fails if it belongs to another user, or can be written by others.
fn checked(folder: File) -> io::Result<File> {
    let found = folder.metadata()?;
    if found.uid() == user() && found.mode() & 0o022 == 0 {
        return Ok(folder);
    }
    Err(io::ErrorKind::PermissionDenied.into())
}

/// The effective user id of this process.
pub(crate) fn user() -> u32 {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { libc::geteuid() }
}

/// Opens a folder's entry by its name, with these flags of `openat`; fails if it is a symbolic link. A file
/// that this creates has the mode 0600.
fn open_at(folder: &File, name: &str, flags: libc::c_int) -> io::Result<File> {
    let (name, mode) = (text(name)?, 0o600_u32);
    // SAFETY: an open descriptor, and a text that ends with a zero byte.
    let opened =
        unsafe { libc::openat(folder.as_raw_fd(), name.as_ptr(), flags | O_NOFOLLOW | O_CLOEXEC, mode) };
    // SAFETY: a new descriptor, which nothing else owns.
    succeeded(opened).map(|opened| unsafe { File::from_raw_fd(opened) })
}

/// Converts a name to a C string for a system call; fails if it contains a zero byte.
fn text(name: &str) -> io::Result<CString> {
    CString::new(name).map_err(io::Error::from)
}

/// Returns the result of a system call, or the error in `errno` if the result is negative.
fn succeeded(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Fails if `size`, in bytes, exceeds the process's file size limit (`RLIMIT_FSIZE`).
pub(crate) fn check_limit(size: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a structure of our own.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    if is_known && limit.rlim_cur != libc::RLIM_INFINITY && size > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_folder_that_is_a_link_or_open_to_others_is_not_used() {
        let top = std::env::temp_dir().join(format!("agent-files-{}", std::process::id()));
        let own = top.join("run/7-900");
        fs::create_dir_all(&own).expect("made");
        fs::write(own.join("names"), "own").expect("written");
        let at = |run: &str| OwnFolder::of_run(top.join(run)).of_process("7-900".into());
        for (folder, mode) in [(&top.join("run"), 0o700), (&own, 0o700)] {
            fs::set_permissions(folder, Permissions::from_mode(mode)).expect("set");
        }
        assert_eq!(at("run").read("names").expect("own"), b"own");
        at("run").write("names", 1, b"ld").expect("own");
        symlink("run", top.join("link")).expect("made");
        fs::create_dir(top.join("made")).expect("made");
        symlink(&own, top.join("made/7-900")).expect("made");
        symlink("names", own.join("alias")).expect("made");
        assert!(at("run").open("alias").is_err() && at("run").write("alias", 0, b"x").is_err());
        for run in ["link", "made", "none"] {
            let folder = at(run);
            assert!(folder.read("names").is_err() && folder.write("names", 0, b"x").is_err(), "{run}");
            assert!(folder.create("new").is_err() && folder.remove("names").is_err(), "{run}");
        }
        fs::set_permissions(&own, Permissions::from_mode(0o720)).expect("set");
        assert!(at("run").read("names").is_err());
        fs::set_permissions(&own, Permissions::from_mode(0o700)).expect("set");
        fs::set_permissions(top.join("run"), Permissions::from_mode(0o777)).expect("set");
        assert!(at("run").read("names").is_err() && at("run").make().is_err());
        assert_eq!(fs::read_to_string(own.join("names")).expect("there"), "old");
        fs::remove_dir_all(top).expect("removed");
    }
}
