//! Reads regular files that a user or a folder names. A pipe or a terminal would make the program wait, and a
//! device may have no end.
//!
//! Must not know what is in a file.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use super::fmt;

/// The error for a path of a pipe, a socket or a device; the text says which of them.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("it is {0}, no regular file")]
struct NotRegular(&'static str);

/// True for the error that [`open`] gives for a pipe, a socket or a device.
pub fn is_refusal(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(why) if why.is::<NotRegular>())
}

/// Opens a regular file, or a link to one, for reading.
///
/// # Errors
/// When the path cannot be opened or names no regular file: `IsADirectory` for a folder; for a pipe, a socket
/// or a device an error of which [`is_refusal`] is true.
pub fn open(path: &Path) -> io::Result<File> {
    // A pipe is not even opened: a program that waits to write into it would end when it is closed again.
    check(std::fs::metadata(path)?.file_type())?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    // The path may name another file by now.
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads all of a regular file of at most `most` bytes. `/dev/null` is an empty file.
///
/// # Errors
/// The errors of [`open`], and an error when the file cannot be read, or has more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_null(path) {
        return Ok(bytes);
    }
    // A file may grow, and what the system says of a file in /proc is not its length.
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let most = fmt::bytes(i64::try_from(most).unwrap_or(i64::MAX));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("the file is larger than {most}")));
    }
    Ok(bytes)
}

/// True if the path names the null device, `/dev/null`, also by a link.
fn is_null(path: &Path) -> bool {
    let device =
        |path: &Path| std::fs::metadata(path).ok().map(|found| found.rdev()).filter(|rdev| *rdev != 0);
    device(path).is_some_and(|own| Some(own) == device(Path::new("/dev/null")))
}

fn check(found: FileType) -> io::Result<()> {
    let what = match found {
        found if found.is_file() => return Ok(()),
        found if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        found if found.is_fifo() => "a pipe",
        found if found.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::other(NotRegular(what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_some_length_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "four").expect("written");
        assert_eq!(read(&file, 4).expect("read"), b"four");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).expect("made");
        assert_eq!(read(&link, 4).expect("a link to a file"), b"four");
        assert_eq!(read(&file, 3).expect_err("longer").to_string(), "the file is larger than 3 B");
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).expect("made");
        assert_eq!(read(&pipe, 9).expect_err("a pipe").to_string(), "it is a pipe, no regular file");
        let device = read(Path::new("/dev/zero"), 9).expect_err("a device");
        assert_eq!(device.to_string(), "it is a device, no regular file");
        assert!(is_refusal(&device));
        assert_eq!(read(Path::new("/dev/null"), 9).expect("empty"), b"");
        assert_eq!(read(folder.path(), 9).expect_err("a folder").kind(), io::ErrorKind::IsADirectory);
    }
}
