//! A mapped file, as 64-bit words, whose disk space is reserved.

#![allow(
    unsafe_code,
    reason = "maps a file: records in a shared mapping outlive the process, whatever ends it"
)]

use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::AtomicU64;

use crate::files::{self, OwnFolder};

/// A mapping of a file that this process created, as 64-bit words.
pub(super) struct Mapping {
    base: NonNull<AtomicU64>,
    len: usize,
}

// SAFETY: memory of the process, not of a thread; its words are atomics.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Makes a file of `len` bytes, reserves its disk space, and maps it. Fails if the file exists.
    pub(super) fn create(folder: &OwnFolder, name: &str, len: usize) -> io::Result<Self> {
        let file = folder.create(name)?;
        let mapped = reserve(&file, len).and_then(|()| map(&file, len));
        if mapped.is_err() {
            // An error of removing the file is ignored: the first error is returned.
            let _ = folder.remove(name);
        }
        mapped
    }

    /// The file's contents, as 64-bit words.
    #[inline]
    pub(super) fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is `len` bytes long, aligned to a page, lives as long as this, and is changed
        // by atomics alone.
        unsafe { slice::from_raw_parts(self.base.as_ptr(), self.len / size_of::<AtomicU64>()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped here with this length; no reference to the words outlives this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

/// Reserves disk space for `len` bytes of the file: without it, a write to the mapping may end the process by
/// SIGBUS.
fn reserve(file: &std::fs::File, len: usize) -> io::Result<()> {
    files::check_limit(len as u64)?;
    loop {
        // SAFETY: a descriptor of our own.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len as libc::off_t) } {
            0 => return Ok(()),
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Maps `len` bytes of the file for reading and writing.
fn map(file: &std::fs::File, len: usize) -> io::Result<Mapping> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, at an address that the system chooses, of a file that has this length.
    let base = unsafe { libc::mmap(ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // A child with the mapping would keep the disk space of a deleted file in use. The system may ignore the
    // advice. SAFETY: the mapping just made.
    unsafe { libc::madvise(base, len, libc::MADV_DONTFORK) };
    let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
    Ok(Mapping { base, len })
}
