//! Finds, loads and tries CUPTI. A file that the user names is the only candidate; else the copies that the
//! program has loaded already are the only ones, since two copies in a process disturb each other; else the
//! files on disk are tried one after the other, until one works.

#![allow(unsafe_code, reason = "loads a library at run time")]

use std::env;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proftui_wire::device::Reason;
use proftui_wire::device::search::{self, DRIVER};
use proftui_wire::options::CUPTI;
use proftui_wire::ownership;

use crate::lock::Lock;

/// Folders of the program's Python packages that may contain CUPTI.
static FOLDERS: Lock<Vec<PathBuf>> = Lock::new(Vec::new());

/// A loaded library; it is never unloaded.
pub(super) struct Library {
    /// Handle for `dlsym`.
    pub handle: *mut c_void,
    /// Path, or plain file name, by which the library was loaded.
    pub path: PathBuf,
}

/// Sets the folders of Python packages in which CUPTI is searched for, separated as in `PATH`; relative ones
/// are left out.
pub(crate) fn remember(folders: &str) {
    if let Some(mut known) = FOLDERS.take() {
        *known = env::split_paths(folders).filter(|folder| folder.is_absolute()).collect();
    }
}

/// Why CUPTI cannot be used: the reason and its details.
pub(super) type Refusal = (Reason, String);

/// Searches for a copy of CUPTI that can be loaded and that `of` accepts. Returns the result of `of`, and why
/// earlier copies were refused; the error says why there is none to use.
pub(super) fn find<T>(of: impl FnMut(&Library) -> Result<T, Refusal>) -> Result<(T, Vec<String>), Refusal> {
    if !has_driver() {
        return Err((Reason::NoDriver, format!("{DRIVER} is not there, without which CUPTI is not asked")));
    }
    let mut search =
        Search { of, missing: Vec::new(), refused: Vec::new(), reason: None, handles: Vec::new() };
    if let Some(path) = env::var_os(CUPTI).filter(|path| !path.is_empty()) {
        // A file named by the user is the only candidate. It may have been removed since, and made anew by
        // somebody else.
        let checked = ownership::check_named(Path::new(&path), user());
        let checked = checked.map_err(|refused| (Reason::NoCupti, format!("tried {refused}")))?;
        return search.through(&[checked.path], libc::RTLD_LOCAL).unwrap_or_else(|| search.end(None));
    }
    let loaded = mapped(&fs::read("/proc/self/maps").unwrap_or_default());
    if !loaded.is_empty() {
        let why = "no other copy is loaded beside the one that the program uses: two in a process disturb \
            each other";
        return search.through(&loaded, libc::RTLD_NOLOAD).unwrap_or_else(|| search.end(Some(why)));
    }
    let packages = FOLDERS.take().map(|known| known.clone()).unwrap_or_default();
    let candidates = search::candidates(&packages);
    if let Some(found) = search.through(&candidates.files, libc::RTLD_LOCAL) {
        return found;
    }
    search.missing.splice(0..0, candidates.folders.iter().map(|folder| folder.display().to_string()));
    search.end(None)
}

/// The state of a search for CUPTI.
struct Search<F> {
    /// Finds out whether a loaded copy can be used.
    of: F,
    /// Files that could not be loaded, as [`NotLoaded`] writes them, and folders that were searched in vain.
    missing: Vec<String>,
    /// For each loaded copy that cannot be used, why not.
    refused: Vec<String>,
    /// The reason why the first of the refused copies cannot be used; `None` before one is refused.
    reason: Option<Reason>,
    /// Handles of the copies that were tried: two paths may be one library.
    handles: Vec<*mut c_void>,
}

impl<T, F: FnMut(&Library) -> Result<T, Refusal>> Search<F> {
    /// Tries `files` one after the other, loading them by `dlopen` with the flags `how`. Returns the result
    /// that ends the search; `None` if other files may be tried.
    fn through(&mut self, files: &[PathBuf], how: i32) -> Option<Result<(T, Vec<String>), Refusal>> {
        for path in files {
            let handle = match load(path, how) {
                Ok(handle) => handle,
                Err(why) => {
                    self.missing.push(why.to_string());
                    continue;
                }
            };
            if self.handles.contains(&handle) {
                continue;
            }
            self.handles.push(handle);
            match (self.of)(&Library { handle, path: path.clone() }) {
                Ok(found) => return Some(Ok((found, std::mem::take(&mut self.refused)))),
                Err((reason, detail)) => {
                    self.refused.push(detail);
                    if !reason.is_of_this_copy() {
                        return Some(Err((reason, self.refused.join("; "))));
                    }
                    self.reason.get_or_insert(reason);
                }
            }
        }
        None
    }

    /// Returns the error of a search that found nothing; `why` is added to its details.
    fn end(self, why: Option<&str>) -> Result<(T, Vec<String>), Refusal> {
        let (reason, mut detail) = match self.reason {
            Some(reason) => (reason, self.refused.join("; ")),
            None => (Reason::NoCupti, format!("tried {}", self.missing.join(", "))),
        };
        if let Some(why) = why {
            detail = format!("{detail}; {why}");
        }
        Err((reason, detail))
    }
}

/// True if the process has loaded the CUDA driver; else tries to load it, and returns whether it could.
fn has_driver() -> bool {
    // SAFETY: looks a name up. The driver has loaded this library, so one of the process's libraries has it.
    if !unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cuInit".as_ptr()) }.is_null() {
        return true;
    }
    load(Path::new(DRIVER), libc::RTLD_LOCAL).is_ok()
}

/// Id of the effective user of this process.
fn user() -> u32 {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { libc::geteuid() }
}

/// Paths of the copies of CUPTI that the process has loaded, each once, from the text of `/proc/self/maps`.
fn mapped(maps: &[u8]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in maps.split(|&byte| byte == b'\n') {
        let Some(at) = line.iter().position(|&byte| byte == b'/') else { continue };
        let path = &line[at..];
        let path = Path::new(OsStr::from_bytes(path.strip_suffix(b" (deleted)").unwrap_or(path)));
        // A file that is mapped to be read is not loaded.
        let is_code = line.split(|&byte| byte == b' ').nth(1).is_some_and(|rights| rights.contains(&b'x'));
        let is_cupti = path.file_name().is_some_and(|name| {
            // Python wheels put a part of the file's checksum into its name.
            let name = name.as_bytes();
            name.starts_with(b"libcupti.so") || name.starts_with(b"libcupti-")
        });
        if is_cupti && is_code && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Why a library is not loaded.
#[derive(Debug, PartialEq, Eq)]
enum NotLoaded {
    /// The file could not be loaded, usually since the loader does not find it or a library that it needs.
    Missing(PathBuf),
    /// The loader refuses the file for another cause.
    Refused {
        path: PathBuf,
        /// The loader's message.
        why: String,
    },
}

impl fmt::Display for NotLoaded {
    /// Writes the path; if the loader refuses the file, also its message, in parentheses.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => write!(to, "{}", path.display()),
            Self::Refused { path, why } => write!(to, "{} ({why})", path.display()),
        }
    }
}

/// Loads a library by `dlopen` with the flags `how` and `RTLD_NOW`; returns its handle.
fn load(path: &Path, how: i32) -> Result<*mut c_void, NotLoaded> {
    let missing = || NotLoaded::Missing(path.to_owned());
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| missing())?;
    // SAFETY: the library's initializers run, as they would if the program loaded it.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | how) };
    if !handle.is_null() {
        return Ok(handle);
    }
    // SAFETY: returns a text that this thread may read until its next such call.
    let error = unsafe { libc::dlerror() };
    // SAFETY: not null, so a text.
    let error = (!error.is_null()).then(|| unsafe { CStr::from_ptr(error) }.to_string_lossy());
    let why = error.filter(|text| !text.contains("No such file"));
    Err(why.map_or_else(missing, |why| NotLoaded::Refused { path: path.to_owned(), why: why.into_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_loaded_has_its_path_and_what_the_loader_says() {
        let none = Path::new("/no/such/libcupti.so");
        let missing = load(none, libc::RTLD_LOCAL).expect_err("not there");
        assert_eq!(missing.to_string(), "/no/such/libcupti.so");
        let odd = Path::new(OsStr::from_bytes(b"a\0b"));
        assert_eq!(load(odd, libc::RTLD_LOCAL), Err(NotLoaded::Missing(odd.to_owned())));
        let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let refused = load(text, libc::RTLD_LOCAL).expect_err("no library").to_string();
        assert!(refused.starts_with(&format!("{} (", text.display())), "{refused}");
    }

    #[test]
    fn mapped_copies_are_found() {
        let maps = b"7f0-7f1 r-xp 00000000 08:01 9 /usr/lib/libc.so.6\n\
            7f1-7f2 r-xp 00000000 08:01 9 /opt/a b/libcupti.so.13\n\
            7f2-7f3 rw-p 00000000 08:01 9 /opt/a b/libcupti.so.13\n\
            7f3-7f4 r-xp 00000000 08:01 9 /w/torch/lib/libcupti-1ab.so.12\n\
            7f4-7f5 r-xp 00000000 08:01 9 /w/libcupti_helper.so\n\
            7f4-7f5 r--p 00000000 08:01 9 /w/libcupti.so.11.8\n\
            7f4-7f5 r-xp 00000000 08:01 9 /w/libcupti.so.12 (deleted)\n\
            7f5-7f6 rw-p 00000000 00:00 0 [heap]\n\xff\n";
        let found = mapped(maps);
        let paths = ["/opt/a b/libcupti.so.13", "/w/torch/lib/libcupti-1ab.so.12", "/w/libcupti.so.12"];
        assert_eq!(found, paths.map(PathBuf::from));
        assert!(mapped(b"").is_empty());
    }
}
