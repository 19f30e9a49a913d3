//! A file with room behind every byte of it, in memory as words.

#![allow(unsafe_code, reason = "what a process writes into a shared mapping outlives it, whatever ends it")]

use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::AtomicU64;

use crate::files;

/// The words of a file that this process made. A process that is forked does not have them.
pub struct Mapping {
    base: NonNull<AtomicU64>,
    len: usize,
}

// SAFETY: memory of the process, not of a thread; its words are atomics.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Makes the file. Nothing is left of it where that fails.
    pub fn create(path: &Path, len: usize) -> io::Result<Self> {
        let file = files::create(path)?;
        let mapped = reserve(&file, len).and_then(|()| map(&file, len));
        if mapped.is_err() {
            // That it could not be made is told already.
            let _ = std::fs::remove_file(path);
        }
        mapped
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is `len` bytes long, aligned to a page, lives as long as this, and is changed by atomics alone.
        unsafe { slice::from_raw_parts(self.base.as_ptr(), self.len / size_of::<AtomicU64>()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped here with this length; no reference to the words outlives this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

/// Room on the disk: a mapping without it is a signal that kills, once the disk is full.
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

fn map(file: &std::fs::File, len: usize) -> io::Result<Mapping> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, at a place that the system chooses, of a file that has this length.
    let base = unsafe { libc::mmap(ptr::null_mut(), len, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // A child would keep the disk's room of a file that was long deleted. Where the advice is not taken, it does.
    // SAFETY: the mapping just made.
    unsafe { libc::madvise(base, len, libc::MADV_DONTFORK) };
    let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::AddrNotAvailable)?;
    Ok(Mapping { base, len })
}
