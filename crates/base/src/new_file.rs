//! Files that are written in folders where other users may write, too: through no link, and named when they
//! are complete.
//!
//! Where the file system permits, a file has no name until it is complete (`O_TMPFILE`), so that nothing is
//! left of it however the process ends; elsewhere it has until then a name that nobody can foresee. Must not
//! know what is written.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{
    Access, AtFlags, CWD, Mode, OFlags, RenameFlags, accessat, linkat, openat, renameat, renameat_with,
    unlinkat,
};
use rustix::io::Errno;

/// Mode of files that only the user can read and write.
pub const PRIVATE: u32 = 0o600;
/// Mode, before the `umask`, of files that everybody may read and only the user may write.
pub const PUBLIC: u32 = 0o644;

/// Creates a file for writing that only the user can access (mode 0600).
///
/// # Errors
/// When the file cannot be created, or the path exists already.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)
}

/// A random number from the system, for names that others cannot foresee.
///
/// # Errors
/// When `/dev/urandom` cannot be read.
pub fn random() -> io::Result<u64> {
    let mut random = [0_u8; 8];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(u64::from_le_bytes(random))
}

/// What happens to an existing file that has the name which a new file is to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// The existing file stays, and naming the new file fails with `AlreadyExists`.
    Stays,
    /// The new file replaces the existing one; of a symbolic link, the link itself.
    IsReplaced,
}

/// Where a new file is to be: its opened folder, and its name in there.
#[derive(Debug)]
pub struct Destination<'p> {
    folder: OwnedFd,
    name: &'p OsStr,
}

/// A file that is being written. When the value is dropped before the file got its name, the file is removed.
#[derive(Debug)]
pub struct NewFile<'f> {
    folder: &'f OwnedFd,
    /// The random name that the file has until it gets the intended one; `None` if it has no name, or the
    /// intended one.
    partial: Option<String>,
    file: File,
}

/// The folder part of a path: the path without its last component, or `.` if nothing is left.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl<'p> Destination<'p> {
    /// Opens the folder of `path`, to write a file with the name at the end of `path` in it.
    ///
    /// # Errors
    /// When the folder cannot be opened, or the path does not end in a name.
    pub fn open(path: &'p Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self { folder: open_folder(folder(path))?, name })
    }

    /// Creates a file with the permissions `mode` less the `umask`, has `fill` write its content, syncs that
    /// ([`NewFile::sync`]), and then gives the file its name.
    ///
    /// # Errors
    /// `AlreadyExists` where the name is taken and `existing` is [`Existing::Stays`]; else any error of
    /// `fill`, or of creating, writing or naming the file.
    pub fn write<E: From<io::Error>>(
        &self,
        mode: u32,
        existing: Existing,
        fill: impl FnOnce(&File) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut file = NewFile::create(&self.folder, mode)?;
        fill(&file.file)?;
        file.sync()?;
        Ok(file.name(self.name, existing)?)
    }
}

/// Opens a folder, to create files in it with [`NewFile::create`].
///
/// # Errors
/// When the folder cannot be opened.
pub fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

impl<'f> NewFile<'f> {
    /// Creates a file in `folder` for writing, with the permissions `mode` less the `umask`. The file has no
    /// name or a random one until [`Self::name`].
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(folder: &'f OwnedFd, mode: u32) -> io::Result<Self> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        if let Ok(file) = openat(folder, ".", flags, Mode::from_raw_mode(mode)) {
            // Its name is given by way of `/proc`, which may not be mounted.
            if accessat(CWD, by_proc(&file), Access::EXISTS, AtFlags::empty()).is_ok() {
                return Ok(Self { folder, partial: None, file: File::from(file) });
            }
        }
        Self::create_named(folder, mode)
    }

    /// Creates a file in `folder` under a random name, with the permissions `mode` less the `umask`.
    fn create_named(folder: &'f OwnedFd, mode: u32) -> io::Result<Self> {
        let partial = random_name()?;
        let file = create_in(folder, &partial, mode)?;
        Ok(Self { folder, partial: Some(partial), file })
    }

    /// The open file, to write its content.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Waits until the content of the file is on the disk, if the file system can do that.
    ///
    /// # Errors
    /// When the content cannot be written to the disk.
    pub fn sync(&self) -> io::Result<()> {
        match self.file.sync_data() {
            Err(why) if matches!(why.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
                Ok(())
            }
            other => other,
        }
    }

    /// Gives the file the name `name` in its folder. After the error `AlreadyExists` another name can be
    /// tried.
    ///
    /// # Errors
    /// `AlreadyExists` where the name is taken and `existing` is [`Existing::Stays`]; else the system's
    /// error.
    pub fn name(&mut self, name: &OsStr, existing: Existing) -> io::Result<()> {
        if self.partial.is_none() {
            let link =
                |name: &OsStr| linkat(CWD, by_proc(&self.file), self.folder, name, AtFlags::SYMLINK_FOLLOW);
            if existing == Existing::Stays {
                return Ok(link(name)?);
            }
            // A link replaces nothing, a rename does.
            let partial = random_name()?;
            link(OsStr::new(&partial))?;
            self.partial = Some(partial);
        }
        let Some(partial) = &self.partial else { return Ok(()) };
        match existing {
            Existing::IsReplaced => renameat(self.folder, partial, self.folder, name)?,
            Existing::Stays => {
                match renameat_with(self.folder, partial, self.folder, name, RenameFlags::NOREPLACE) {
                    // The file system has no rename that fails if the name exists.
                    Err(Errno::INVAL | Errno::NOSYS) => rename_reserved(self.folder, partial, name)?,
                    other => other?,
                }
            }
        }
        self.partial = None;
        Ok(())
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // If it cannot be removed, it stays.
            let _ = unlinkat(self.folder, partial, AtFlags::empty());
        }
    }
}

/// A random name, which others cannot foresee, for a file that is not complete.
fn random_name() -> io::Result<String> {
    Ok(format!(".proftui-{:016x}.partial", random()?))
}

/// The path `/proc/self/fd/N` of an open file, by which the kernel finds the file even if it has no name.
fn by_proc(file: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn create_in(folder: &OwnedFd, name: impl rustix::path::Arg, mode: u32) -> rustix::io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(openat(folder, name, flags, Mode::from_raw_mode(mode))?))
}

/// Renames `from` to `to` in `folder` unless `to` exists, for file systems that lack such a rename: makes an
/// empty file `to` first, and replaces that.
fn rename_reserved(folder: &OwnedFd, from: &str, to: &OsStr) -> rustix::io::Result<()> {
    drop(create_in(folder, to, PRIVATE)?);
    renameat(folder, from, folder, to).inspect_err(|_| {
        let _ = unlinkat(folder, to, AtFlags::empty());
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn write(path: &Path, text: &str, existing: Existing) -> io::Result<()> {
        Destination::open(path)?.write(PRIVATE, existing, |mut file| file.write_all(text.as_bytes()))
    }

    fn left(folder: &Path) -> usize {
        std::fs::read_dir(folder).expect("a folder").count()
    }

    #[test]
    fn a_file_is_named_when_it_is_complete_and_replaces_none_unasked() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        write(&path, "one", Existing::Stays).expect("written");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, PRIVATE);
        let again = write(&path, "two", Existing::Stays).expect_err("there already");
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).expect("there"), b"one");
        write(&path, "three", Existing::IsReplaced).expect("written");
        assert_eq!(std::fs::read(&path).expect("there"), b"three");
        assert_eq!(left(folder.path()), 1);
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (victim, link) = (folder.path().join("victim"), folder.path().join("link"));
        symlink(&victim, &link).expect("a link");
        let kept = write(&link, "text", Existing::Stays).expect_err("there already");
        assert_eq!(kept.kind(), io::ErrorKind::AlreadyExists);
        assert!(create(&link).is_err() && !victim.exists());
        write(&link, "text", Existing::IsReplaced).expect("written");
        assert!(!victim.exists() && std::fs::symlink_metadata(&link).expect("there").is_file());
    }

    #[test]
    fn a_file_with_a_random_name_gets_its_own_likewise() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = open_folder(folder.path()).expect("a folder");
        for (create, meanwhile) in [(NewFile::create as fn(_, _) -> _, 0), (NewFile::create_named, 1)] {
            let mut file: NewFile<'_> = create(&open, PRIVATE).expect("created");
            assert_eq!(left(folder.path()), meanwhile);
            let mut name = |name: &str, existing| file.name(OsStr::new(name), existing);
            name("a", Existing::IsReplaced).expect("named");
            drop(file);
            let mut other = create(&open, PRIVATE).expect("created");
            let refused = other.name(OsStr::new("a"), Existing::Stays).expect_err("there already");
            assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
            other.name(OsStr::new("b"), Existing::Stays).expect("named");
            drop(create(&open, PRIVATE).expect("created"));
            assert_eq!(left(folder.path()), 2, "a and b");
            std::fs::remove_file(folder.path().join("b")).expect("removed");
            std::fs::remove_file(folder.path().join("a")).expect("removed");
        }
    }

    #[test]
    fn without_a_rename_that_replaces_nothing_the_name_is_reserved_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = open_folder(folder.path()).expect("a folder");
        let put = |name: &str, to: &str| {
            std::fs::write(folder.path().join(name), name).expect("written");
            rename_reserved(&open, name, OsStr::new(to))
        };
        put("one", "named").expect("renamed");
        assert_eq!(put("two", "named"), Err(Errno::EXIST));
        assert_eq!(std::fs::read(folder.path().join("named")).expect("there"), b"one");
        assert_eq!(rename_reserved(&open, "missing", OsStr::new("other")), Err(Errno::NOENT));
        assert!(!folder.path().join("other").exists(), "the reserved name is given back");
    }

    #[test]
    fn nothing_is_left_of_a_file_that_failed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let failed =
            Destination::open(&path).expect("a folder").write(PRIVATE, Existing::Stays, |mut file| {
                file.write_all(b"half")?;
                Err(io::Error::other("no more"))
            });
        assert_eq!(failed.expect_err("failed").to_string(), "no more");
        assert_eq!(left(folder.path()), 0);
        let missing = write(&folder.path().join("missing/a"), "", Existing::Stays).expect_err("no folder");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(Destination::open(Path::new("/")).is_err() && Destination::open(Path::new("..")).is_err());
    }
}
