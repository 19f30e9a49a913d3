//! Explains to the user why a file of the run could not be made: names a full disk, and the file system that
//! it is. Must not know what is in the file.

#![allow(unsafe_code, reason = "calls fstatvfs, for which the standard library has no function")]

use std::fs::{self, File};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;

use super::OwnFolder;

impl OwnFolder {
    /// The text for the user about `error`, which occurred when a file in this folder was to be made.
    pub(crate) fn explain(&self, error: &io::Error) -> String {
        let what = match error.raw_os_error() {
            Some(libc::ENOSPC) => "the disk is full",
            Some(libc::EDQUOT) => "your quota on the disk is used up",
            Some(libc::EFBIG) => return "the limit of file sizes (ulimit -f) does not allow it".to_owned(),
            _ => return error.to_string(),
        };
        let system = self.opened().ok().and_then(|folder| file_system(&folder)).unwrap_or_default();
        format!("{what}{system}; free some of it, or name a folder on another one with --spool")
    }
}

/// Describes the file system of an open folder, usually as ` (tmpfs at /tmp, 12 KiB of 3 MiB free)`; `None`
/// if the system does not report its space.
fn file_system(folder: &File) -> Option<String> {
    let mut found = MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: an open descriptor, and a structure of our own, which the call fills if it returns 0.
    let found = unsafe {
        if libc::fstatvfs(folder.as_raw_fd(), found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    let device = folder.metadata().ok()?.dev();
    let number = format!("{}:{}", libc::major(device), libc::minor(device));
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let which = mount(&mounts, &number).map(|(kind, at)| format!("{kind} at {at}, ")).unwrap_or_default();
    let (free, all) = (found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize);
    Some(format!(" ({which}{} of {} free)", size(free), size(all)))
}

/// Kind and last mount point of the file system with the device number `number` (`major:minor`), from the
/// text of `/proc/self/mountinfo`; `None` if it is not listed.
fn mount<'a>(mounts: &'a str, number: &str) -> Option<(&'a str, &'a str)> {
    mounts.lines().rev().find_map(|line| {
        let (mount, source) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(2);
        let is_it = fields.next()? == number;
        let at = fields.nth(1)?;
        is_it.then_some((source.split(' ').next()?, at))
    })
}

/// A size as text, rounded down: in MiB from 1 MiB on, below that in KiB.
fn size(bytes: u64) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_found_by_its_device() {
        let mounts = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n\
                      30 22 0:26 / /tmp rw shared:4 - tmpfs tmpfs rw,size=3072k\n\
                      31 22 8:1 /srv /srv rw - ext4 /dev/root rw\n";
        assert_eq!(mount(mounts, "0:26"), Some(("tmpfs", "/tmp")));
        assert_eq!(mount(mounts, "8:1"), Some(("ext4", "/srv")));
        assert_eq!(mount(mounts, "9:9"), None);
        assert_eq!((size(12 << 10), size(3 << 20)), ("12 KiB".to_owned(), "3 MiB".to_owned()));
    }
}
