//! Files that only the user can read, and names that others cannot foresee.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Creates a file for writing that only the user can access (mode 0600).
///
/// # Errors
/// When it exists already or cannot be created.
pub(super) fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// A random number from the system, for names that others cannot foresee.
///
/// # Errors
/// When `/dev/urandom` cannot be read.
pub(super) fn random() -> io::Result<u64> {
    let mut random = [0_u8; 8];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(u64::from_le_bytes(random))
}
