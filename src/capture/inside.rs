//! What runs inside captured processes, carried in this program: the agent and the Python files.
//!
//! It lies in the person's cache, where nobody else can put anything in its place: processes that outlive a run still look for it there.

use std::ffi::OsStr;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;

use super::folder::random;

/// The agent's library, as the build made it.
const AGENT: &[u8] = include_bytes!(env!("PROFTUI_AGENT_SO"));

/// The name of its file.
pub const FILE: &str = "libproftui_agent.so";

/// Bytes of the agent.
pub const SIZE: u64 = AGENT.len() as u64;

include!(concat!(env!("OUT_DIR"), "/python_files.rs"));

/// Where processes find what they load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// The agent's library.
    pub agent: PathBuf,
    /// The folder of the Python files, for the path that Python searches.
    pub python: PathBuf,
}

/// Puts the files where processes can load them: into the cache, if they are not there yet; into `run` where no cache can be had.
///
/// # Errors
/// When they can be written nowhere.
pub fn unpack(run: &Path) -> io::Result<Inside> {
    let cached = cache().and_then(|cache| into(&own(&cache)?.join(fingerprint())));
    cached.or_else(|_| into(run))
}

/// The person's cache.
fn cache() -> io::Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = named.or_else(home).ok_or(io::ErrorKind::NotFound)?;
    // Python would take it for two folders.
    if cache.as_os_str().as_encoded_bytes().contains(&b':') {
        Err(io::ErrorKind::InvalidInput.into())
    } else {
        Ok(cache.join("proftui"))
    }
}

/// What tells this program's files from another version's.
fn fingerprint() -> String {
    let mut sum = crc32fast::Hasher::new();
    sum.update(AGENT);
    PYTHON.iter().for_each(|(name, text)| [name, text].iter().for_each(|part| sum.update(part.as_bytes())));
    format!("{:08x}-{}", sum.finalize(), AGENT.len())
}

/// The files in `folder`, each whole or not at all.
fn into(folder: &Path) -> io::Result<Inside> {
    let inside = Inside { agent: own(folder)?.join(FILE), python: own(&folder.join("py"))? };
    // Nothing can be loaded from there.
    if rustix::fs::statvfs(folder)?.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    put(&inside.agent, AGENT, 0o700)?;
    for (name, text) in PYTHON {
        let path = inside.python.join(name);
        if let Some(parent) = path.parent() {
            own(parent)?;
        }
        put(&path, text.as_bytes(), 0o600)?;
    }
    Ok(inside)
}

/// A folder that nobody else can write to, made if it is not there.
fn own(folder: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let found = std::fs::metadata(folder)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0;
    if is_own { Ok(folder.to_owned()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// A file with these bytes.
fn put(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    if std::fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    let mut name = path.file_name().map(OsStr::to_owned).unwrap_or_default();
    name.push(format!(".{:016x}.partial", random()?));
    let partial = path.with_file_name(name);
    let written = OpenOptions::new().write(true).create_new(true).mode(mode).open(&partial);
    let written = written.and_then(|mut file| file.write_all(bytes));
    let done = written.and_then(|()| std::fs::rename(&partial, path));
    if done.is_err() {
        // What is left of it helps nobody.
        let _ = std::fs::remove_file(&partial);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_was_changed_is_put_right_and_a_folder_of_others_is_not_taken() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("a/b");
        let inside = into(&folder).expect("unpacked");
        let file = inside.python.join("sitecustomize.py");
        std::fs::write(&file, "evil").expect("written");
        assert_eq!(into(&folder).expect("unpacked"), inside);
        assert_ne!(std::fs::read_to_string(&file).expect("there"), "evil");
        std::fs::set_permissions(&inside.python, Permissions::from_mode(0o777)).expect("set");
        assert_eq!(into(&folder).expect_err("open to all").kind(), io::ErrorKind::PermissionDenied);
    }
}
