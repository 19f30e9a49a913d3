//! The files that keep sessions: one for each trace that was opened, in the user's cache folder, and one with
//! the paths of the trace opened last.
//!
//! A cache that cannot be used is no error: nothing is kept then. Must not know what a session is.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::app::marking::keeping::Kept;
use proftui_base::new_file::{Existing, NewFile, PRIVATE, open_folder};
use proftui_base::regular;

/// The folder of the sessions within the cache folder.
const FOLDER: &str = "proftui/sessions";
/// The file with the paths of the trace opened last, each with a zero byte behind it.
const LAST: &str = "last";
/// How many bytes at each end of a file make its digest, beside its length.
const ENDS: u64 = 64 << 10;
/// Most bytes of a file that keeps a session; a longer one is not read.
const LONGEST_FILE: u64 = 16 << 20;
/// Mode bits by which the group and others have any access.
const OTHERS: u32 = 0o077;
/// How many sessions are kept: those written last.
const MOST: usize = 200;

/// The folder of kept sessions, and the file of the trace that is open.
pub(super) struct KeptSessions {
    folder: PathBuf,
    /// The paths that the user named.
    named: Vec<PathBuf>,
    /// The name of the file that keeps the open trace's session; none before a trace is loaded.
    open: Mutex<Option<String>>,
}

impl KeptSessions {
    /// The kept sessions in the cache folder that the environment names (`variable` returns the value of a
    /// variable), for a trace with these paths; none if it names no cache folder.
    pub(super) fn new(variable: impl Fn(&str) -> Option<OsString>, named: Vec<PathBuf>) -> Option<Self> {
        let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
        Some(Self { folder: cache.join(FOLDER), named, open: Mutex::default() })
    }

    /// Notes that the trace in the files `paths` was loaded, and returns what an earlier session kept of it,
    /// empty if nothing; none if no session can be kept of these files.
    pub(super) fn begin(&self, paths: &[PathBuf]) -> Option<Kept> {
        let name = digest(paths).ok()?;
        self.folder_is_usable().then_some(())?;
        let kept = regular::read(&self.folder.join(&name), LONGEST_FILE);
        let kept = kept.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
        let paths = self.named.iter().filter_map(|path| std::path::absolute(path).ok());
        let last: Vec<u8> = paths.flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
        // Only --last misses it.
        let _ = self.write(LAST, &last);
        Some(kept)
    }

    /// Writes what is kept of the open trace, or removes it if `text` is empty.
    pub(super) fn keep(&self, text: &str) {
        let name = self.open.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(name) = name.filter(|_| self.folder_is_usable()) else { return };
        if text.is_empty() {
            let _ = fs::remove_file(self.folder.join(name));
        } else if self.write(&name, text.as_bytes()).is_ok() {
            self.forget_oldest();
        }
    }

    /// The paths of the trace opened last; empty if that is not known.
    pub(super) fn last(&self) -> Vec<PathBuf> {
        let bytes = if self.folder_is_usable() {
            regular::read(&self.folder.join(LAST), LONGEST_FILE).unwrap_or_default()
        } else {
            Vec::new()
        };
        let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        paths.map(|path| OsString::from_vec(path.to_vec()).into()).collect()
    }

    /// Makes the folder if it is missing; true if it is the user's own and nobody else has access to it.
    fn folder_is_usable(&self) -> bool {
        let _ = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        let user = rustix::process::geteuid().as_raw();
        fs::symlink_metadata(&self.folder)
            .is_ok_and(|found| found.is_dir() && found.uid() == user && found.mode() & OTHERS == 0)
    }

    /// Writes a private file. It is not synced: quitting must not wait for a disk.
    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = open_folder(&self.folder)?;
        let mut file = NewFile::create(&folder, PRIVATE)?;
        file.file().write_all(bytes)?;
        file.name(OsStr::new(name), Existing::IsReplaced)
    }

    /// Removes the sessions that were written first, but for [`MOST`].
    fn forget_oldest(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let sessions = paths.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        let mut by_time: Vec<_> =
            sessions.filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path))).collect();
        by_time.sort();
        let too_many = by_time.len().saturating_sub(MOST);
        for (_, path) in &by_time[..too_many] {
            let _ = fs::remove_file(path);
        }
    }
}

/// The name of the file for a trace in these files: their length in all, and a hash of the length and both
/// ends of each. An error if one of them is no regular file, or cannot be read.
fn digest(paths: &[PathBuf]) -> io::Result<String> {
    if paths.is_empty() {
        return Err(io::ErrorKind::NotFound.into());
    }
    #[allow(deprecated, reason = "the algorithm of this hasher is known and stays, unlike the default one's")]
    let mut hasher = std::hash::SipHasher::new();
    let mut all = 0_u64;
    for path in paths {
        let mut file = regular::open(path)?;
        let length = file.metadata()?.len();
        hasher.write_u64(length);
        hasher.write(&some(&mut file)?);
        file.seek(SeekFrom::Start(length.saturating_sub(ENDS)))?;
        hasher.write(&some(&mut file)?);
        all = all.saturating_add(length);
    }
    Ok(format!("{all:x}-{:016x}.json", hasher.finish()))
}

/// The next bytes of a file, [`ENDS`] at most.
fn some(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(ENDS).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The value of a variable of the process's environment.
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn sessions(cache: &Path, named: &[PathBuf]) -> KeptSessions {
        let cache = cache.to_owned();
        let variable = move |name: &str| (name == "XDG_CACHE_HOME").then(|| cache.clone().into_os_string());
        KeptSessions::new(variable, named.to_vec()).expect("a cache")
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_session_is_found_by_the_content_of_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::write(&one, "[]").expect("written");
        fs::write(&other, "[ ]").expect("written");
        let cache = folder.path().join("cache");
        let all = sessions(&cache, std::slice::from_ref(&one));
        assert!(all.last().is_empty());
        assert_eq!(all.begin(std::slice::from_ref(&one)), Some(Kept::default()));
        let kept = r#"{"marks":[{"location":"1ms","text":"a"}],"numbers":{"version":"","groups":0,"lanes":0,
            "slices":0},"lines":null,"view":null}"#;
        all.keep(kept);
        let next = sessions(&cache, &[]);
        fs::rename(&one, folder.path().join("moved")).expect("renamed");
        assert_eq!(next.begin(std::slice::from_ref(&other)), Some(Kept::default()));
        let found = next.begin(&[folder.path().join("moved")]).expect("kept");
        assert_eq!(found.marks.len(), 1, "the name does not count");
        assert_eq!(mode(&cache.join(FOLDER)), 0o700);
        for entry in fs::read_dir(cache.join(FOLDER)).expect("read") {
            assert_eq!(mode(&entry.expect("an entry").path()), 0o600);
        }
        next.keep("");
        assert_eq!(next.begin(&[folder.path().join("moved")]), Some(Kept::default()));
        assert_eq!(next.begin(&[folder.path().to_owned()]), None, "a folder");
        let named = sessions(&cache, &[other.clone(), one]);
        named.begin(std::slice::from_ref(&other));
        assert_eq!(named.last(), [other, folder.path().join("one")]);
    }

    #[test]
    fn a_folder_that_others_can_open_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("trace");
        fs::write(&trace, "[]").expect("written");
        let kept = folder.path().join(FOLDER);
        fs::create_dir_all(&kept).expect("made");
        fs::set_permissions(&kept, fs::Permissions::from_mode(0o755)).expect("set");
        assert_eq!(sessions(folder.path(), &[]).begin(&[trace]), None);
        assert_eq!(fs::read_dir(&kept).expect("read").count(), 0);
    }

    #[test]
    fn the_latest_sessions_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = sessions(folder.path(), &[]);
        assert!(all.folder_is_usable());
        for number in 0..MOST + 5 {
            let path = all.folder.join(format!("{number}.json"));
            let file = File::create(path).expect("made");
            let age = std::time::Duration::from_secs(number as u64);
            file.set_modified(std::time::UNIX_EPOCH + age).expect("set");
        }
        all.forget_oldest();
        let left = fs::read_dir(&all.folder).expect("read").count();
        assert_eq!(
            (left, all.folder.join("4.json").exists(), all.folder.join("5.json").exists()),
            (MOST, false, true)
        );
    }
}
