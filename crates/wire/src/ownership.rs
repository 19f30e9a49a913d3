//! Who can change what a path names: a path is checked as `ssh` checks the paths of its keys, folder by
//! folder from the root down.
//!
//! Knows nothing of runs. Access control lists count as far as the mode's group bits show them.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Mode bits by which users other than the owner can write.
const OTHERS_WRITE: u32 = 0o022;
/// Mode bit by which all users can write.
const ALL_WRITE: u32 = 0o002;
/// The mode's sticky bit, by which a folder's entries are protected from other users.
const STICKY: u32 = 0o1000;

/// Whether users whom the check does not trust may be able to make a path anew once it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Users whom the check does not trust cannot make the path anew once it is removed.
    Closed,
    /// Other users can write to a folder on the path, such as `/tmp`, and may thus make the path anew once it
    /// is removed.
    Sticky,
}

/// A path that passed [`check`] or [`check_named`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The path without symbolic links, for which alone the check holds.
    pub path: PathBuf,
    /// Whether other users may be able to make the path anew once it is removed.
    pub standing: Standing,
}

/// Why a path is refused: a folder or file on the path, and what is wrong with it.
#[derive(Debug)]
pub struct Refused {
    /// The folder or file because of which the path is refused.
    pub path: PathBuf,
    /// What is wrong with the folder or file.
    pub why: Why,
}

/// What is wrong with a folder or file because of which a path is refused.
#[derive(Debug)]
pub enum Why {
    /// An error of the system, such as that the folder or file does not exist.
    System(io::Error),
    /// The folder or file belongs to another user, with this number.
    Owner(u32),
    /// Other users can write to the folder or file; the number is its mode.
    Writable(u32),
    /// Another cause, as words that follow the path in the message.
    Other(&'static str),
}

impl Refused {
    /// Makes the refusal of `path` for an error of the system.
    pub fn system(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), why: Why::System(error) }
    }

    /// True if the path is refused because another user owns or can write to a folder or file on it.
    pub fn is_unsafe(&self) -> bool {
        matches!(self.why, Why::Owner(_) | Why::Writable(_))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::System(error) => write!(to, "{path}: {error}"),
            Why::Owner(user) => write!(to, "{path} belongs to another user (uid {user})"),
            Why::Writable(mode) => {
                write!(to, "the group or other users can write to {path} (mode {:04o})", mode & 0o7777)
            }
            Why::Other(words) => write!(to, "{path} {words}"),
        }
    }
}

impl std::error::Error for Refused {}

/// Checks that nobody but `user` and root can replace what `path` names, and returns the path without
/// symbolic links.
///
/// # Errors
/// The first folder or file, from the root down, that fails the check; or `path`, if it cannot be resolved.
pub fn check(path: &Path, user: u32) -> Result<Checked, Refused> {
    walk(path, user, false)
}

/// Checks that not every user can replace what `path` names; unlike [`check`], usually trusts the owners and
/// groups of the folders.
///
/// # Errors
/// The first folder or file, from the root down, that fails the check; or `path`, if it cannot be resolved.
pub fn check_named(path: &Path, user: u32) -> Result<Checked, Refused> {
    walk(path, user, true)
}

fn walk(path: &Path, user: u32, is_named: bool) -> Result<Checked, Refused> {
    let path = fs::canonicalize(path).map_err(|error| Refused::system(path, error))?;
    let mut standing = Standing::Closed;
    let (mut root, mut is_in_sticky) = (0, false);
    let writable = if is_named { ALL_WRITE } else { OTHERS_WRITE };
    let mut folders: Vec<&Path> = path.ancestors().collect();
    folders.reverse();
    for folder in folders {
        // From the root down: no one else can replace this folder, as the one above has passed.
        let found = fs::symlink_metadata(folder).map_err(|error| Refused::system(folder, error))?;
        // The root folder's owner counts as root: in a user namespace without root, root's files belong to
        // the overflow user.
        if folder.parent().is_none() {
            root = found.uid();
        }
        let refused = |why| Err(Refused { path: folder.to_owned(), why });
        if (is_in_sticky || !is_named) && ![0, root, user].contains(&found.uid()) {
            return refused(Why::Owner(found.uid()));
        }
        if found.file_type().is_symlink() {
            return refused(Why::Other("became a symbolic link during the check"));
        }
        is_in_sticky = found.mode() & writable != 0;
        if is_in_sticky {
            if !found.is_dir() || found.mode() & STICKY == 0 {
                return refused(Why::Writable(found.mode()));
            }
            standing = Standing::Sticky;
        }
    }
    Ok(Checked { path, standing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder of this test, with the user's number.
    fn folder() -> (PathBuf, u32) {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ownership-{}-{count}", std::process::id()));
        fs::create_dir(&path).expect("made");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("set");
        let user = fs::metadata(&path).expect("there").uid();
        (fs::canonicalize(path).expect("there"), user)
    }

    #[test]
    fn a_folder_above_that_others_can_write_to_is_named() {
        let (top, user) = folder();
        let deep = top.join("open/own");
        fs::create_dir_all(&deep).expect("made");
        let set = |mode| fs::set_permissions(top.join("open"), Permissions::from_mode(mode)).expect("set");
        for mode in [0o777, 0o775, 0o757, 0o2770] {
            set(mode);
            let refused = check(&deep, user).expect_err("others can write");
            assert_eq!(refused.path, top.join("open"));
            assert!(refused.is_unsafe() && refused.to_string().contains(&format!("(mode {mode:04o})")));
        }
        set(0o1777);
        let sticky = Checked { path: deep.clone(), standing: Standing::Sticky };
        assert_eq!(check(&deep, user).expect("the sticky bit"), sticky);
        set(0o755);
        assert_eq!(check(&deep, user).expect("closed").path, deep);
        fs::remove_dir_all(top).expect("removed");
    }

    #[test]
    fn links_are_followed_and_the_path_is_returned_without_them() {
        let (top, user) = folder();
        fs::create_dir_all(top.join("open")).expect("made");
        fs::create_dir_all(top.join("own/cache")).expect("made");
        fs::set_permissions(top.join("open"), Permissions::from_mode(0o777)).expect("set");
        symlink("../own", top.join("open/link")).expect("made");
        assert_eq!(check(&top.join("open/link/cache"), user).expect("own").path, top.join("own/cache"));
        symlink("../open", top.join("own/way")).expect("made");
        assert_eq!(check(&top.join("own/way"), user).expect_err("open").path, top.join("open"));
        let missing = check(&top.join("none"), user).expect_err("missing");
        assert!(!missing.is_unsafe() && missing.to_string().contains("No such file"));
        fs::remove_dir_all(top).expect("removed");
    }

    #[test]
    fn a_named_file_may_belong_to_others_but_not_to_everyone() {
        let (top, user) = folder();
        let file = top.join("shared/library");
        fs::create_dir(top.join("shared")).expect("made");
        fs::write(&file, "").expect("written");
        let set = |mode| fs::set_permissions(top.join("shared"), Permissions::from_mode(mode)).expect("set");
        set(0o775);
        assert!(check(&file, user).is_err() && check_named(&file, user).is_ok(), "a group's toolkit");
        set(0o777);
        assert_eq!(check_named(&file, user).expect_err("everyone's").path, top.join("shared"));
        set(0o1777);
        assert!(check_named(&file, user).is_ok(), "one's own file in a folder of all users");
        if user != 0 {
            assert!(check_named(&file, user + 1).is_err(), "another user's");
        }
        fs::remove_dir_all(top).expect("removed");
    }

    #[test]
    fn another_users_folder_is_refused() {
        let (top, user) = folder();
        let stranger = user + 1;
        if user == 0 {
            assert!(check(&top, stranger).is_ok(), "root's folders are as good as one's own");
        } else {
            let refused = check(&top, stranger).expect_err("not the stranger's");
            assert!(refused.is_unsafe() && refused.to_string().contains("another user"), "{refused}");
        }
        fs::remove_dir_all(top).expect("removed");
    }
}
