//! The agent's library and Python files, which captured processes load: this executable contains them and unpacks them for each run.
//!
//! They are unpacked into the user's cache folder, where no other user can replace them, and stay there: processes that outlive a run
//! still load them.

use std::ffi::OsStr;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::StatVfsMountFlags;

use crate::base::new_file::random;

/// Contents of the agent's library, as built.
const AGENT: &[u8] = include_bytes!(env!("PROFTUI_AGENT_SO"));

/// File name of the agent's library.
pub const LIBRARY_NAME: &str = "libproftui_agent.so";

/// Size of the agent's library, bytes.
pub const LIBRARY_SIZE: u64 = AGENT.len() as u64;

include!(concat!(env!("OUT_DIR"), "/python_files.rs"));

/// Paths of the agent's unpacked files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentFiles {
    /// Path of the agent's library.
    pub library: PathBuf,
    /// Path of the folder with the agent's Python files, for `PYTHONPATH`.
    pub python: PathBuf,
}

/// Unpacks the files into the user's cache folder, unless they are there already; into `run_folder` if the cache folder cannot be used.
///
/// # Errors
/// When neither folder can be written to.
pub fn unpack(run_folder: &Path) -> io::Result<AgentFiles> {
    let cached = cache().and_then(|cache| into(&own(&cache)?.join(fingerprint())));
    cached.or_else(|_| into(run_folder))
}

/// Path of proftui's folder in the user's cache, by `XDG_CACHE_HOME` or `HOME`; the folder need not exist.
///
/// # Errors
/// When neither is set, or the path has a colon, by which `PYTHONPATH` separates folders.
fn cache() -> io::Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = named.or_else(home).ok_or(io::ErrorKind::NotFound)?;
    if cache.as_os_str().as_encoded_bytes().contains(&b':') {
        Err(io::ErrorKind::InvalidInput.into())
    } else {
        Ok(cache.join("proftui"))
    }
}

/// Name of this version's folder in the cache: checksum of the files and size of the library.
fn fingerprint() -> String {
    let mut sum = crc32fast::Hasher::new();
    sum.update(AGENT);
    PYTHON.iter().for_each(|(name, text)| [name, text].iter().for_each(|bytes| sum.update(bytes.as_bytes())));
    format!("{:08x}-{}", sum.finalize(), AGENT.len())
}

/// Unpacks the files into `folder`, each whole or not at all.
///
/// # Errors
/// When a file cannot be written, the folder is another user's or others can write to it, or its file system is mounted `noexec`.
fn into(folder: &Path) -> io::Result<AgentFiles> {
    let files = AgentFiles { library: own(folder)?.join(LIBRARY_NAME), python: own(&folder.join("py"))? };
    // The dynamic loader loads no library from such a file system.
    if rustix::fs::statvfs(folder)?.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    put(&files.library, AGENT, 0o700)?;
    for (name, text) in PYTHON {
        let path = files.python.join(name);
        if let Some(parent) = path.parent() {
            own(parent)?;
        }
        put(&path, text.as_bytes(), 0o600)?;
    }
    Ok(files)
}

/// Creates a folder if it does not exist, checks that only the user can write to it, and returns its path.
///
/// # Errors
/// When it cannot be created, belongs to another user, or can be written by others.
fn own(folder: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let found = std::fs::metadata(folder)?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0;
    if is_own { Ok(folder.to_owned()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Writes a file, unless it has these contents already.
///
/// # Errors
/// When it cannot be written; nothing is left of it then.
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
    fn changed_files_are_restored_and_a_folder_open_to_others_is_refused() {
        let temporary = tempfile::tempdir().expect("a folder");
        let folder = temporary.path().join("a/b");
        let files = into(&folder).expect("unpacked");
        let file = files.python.join("sitecustomize.py");
        std::fs::write(&file, "evil").expect("written");
        assert_eq!(into(&folder).expect("unpacked"), files);
        assert_ne!(std::fs::read_to_string(&file).expect("there"), "evil");
        std::fs::set_permissions(&files.python, Permissions::from_mode(0o777)).expect("set");
        assert_eq!(into(&folder).expect_err("open to all").kind(), io::ErrorKind::PermissionDenied);
    }
}
