//! Files of the run's folder: made privately, never opened through a link, open only while they are written.

#![allow(
    unsafe_code,
    reason = "the limit of a file's size and whose process this is, which the standard library does not tell"
)]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Makes a folder that is the user's alone.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Fails for a folder that others may write to, or that is a link.
pub fn check_own(folder: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(folder)?;
    // SAFETY: it has no arguments and cannot fail.
    let own = unsafe { libc::geteuid() };
    if found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::ErrorKind::PermissionDenied.into())
}

/// Makes a file that was not there.
pub fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Opens a file of another process for reading.
pub fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)
}

/// Writes at a place of a file that is there.
pub fn write(path: &Path, at: u64, bytes: &[u8]) -> io::Result<()> {
    check_limit(at + bytes.len() as u64)?;
    let file = OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    file.write_all_at(bytes, at)
}

/// Fails where the process may not make files of this size: to try would send it a signal.
pub fn check_limit(size: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a structure of our own.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    if is_known && limit.rlim_cur != libc::RLIM_INFINITY && size > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(())
}
