//! Files of the run's folder: only the user may access them, they are never opened through a symbolic link, and are open only while they
//! are read, written or mapped.

#![allow(
    unsafe_code,
    reason = "calls geteuid and getrlimit, for which the standard library has no functions"
)]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Creates a folder that only the user may access (mode 0700). Fails if it exists.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Fails if the folder belongs to another user, others may write to it, or it is a symbolic link.
pub fn check_own(folder: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    // SAFETY: it has no arguments and cannot fail.
    let own = unsafe { libc::geteuid() };
    if found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::ErrorKind::PermissionDenied.into())
}

/// Creates a file that only the user may access (mode 0600). Fails if it exists.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Opens a file for reading. Fails if the path is a symbolic link.
pub fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Opens an existing file, writes `bytes` at the byte offset `at`, and closes it. Fails if [`check_limit`] fails.
pub fn write(path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
    check_limit(at + bytes.len() as u64)?;
    let file = OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    file.write_all_at(bytes, at)
}

/// Fails if `size`, in bytes, exceeds the process's file size limit (`RLIMIT_FSIZE`): writing beyond the limit would end the process by the
/// signal `SIGXFSZ`.
pub fn check_limit(size: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a structure of our own.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    if is_known && limit.rlim_cur != libc::RLIM_INFINITY && size > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(())
}
