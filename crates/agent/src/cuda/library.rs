//! Finds and loads CUPTI. A file that the user names is the only candidate; else a copy that the program has loaded already comes
//! first, since two copies in a process disturb each other.

#![allow(unsafe_code, reason = "loads a library at run time")]

use std::env;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proftui_wire::device::search::{self, HOMES, NAMES, TOOLKITS};
use proftui_wire::options::CUPTI;
use proftui_wire::ownership;

use crate::lock::Lock;

/// Folders of the program's Python packages that may contain CUPTI.
static FOLDERS: Lock<Vec<PathBuf>> = Lock::new(Vec::new());

/// A loaded library; it is never unloaded.
pub struct Library {
    /// Handle for `dlsym`.
    pub handle: *mut c_void,
    /// Path or name that it was loaded by.
    pub path: PathBuf,
}

/// Sets the folders of Python packages to search, separated as in `PATH`; relative ones are left out.
pub fn remember(folders: &str) {
    if let Some(mut known) = FOLDERS.take() {
        *known = env::split_paths(folders).filter(|folder| folder.is_absolute()).collect();
    }
}

/// Finds and loads CUPTI. The error lists the paths and names that were tried.
pub fn find() -> Result<Library, String> {
    let mut tried = Vec::new();
    if let Some(path) = env::var_os(CUPTI).filter(|path| !path.is_empty()) {
        // A file named by the user is the only candidate. It may have been removed since, and made anew by somebody else.
        let checked =
            ownership::check_named(Path::new(&path), user()).map_err(|refused| refused.to_string())?;
        return load(&checked.path, libc::RTLD_LOCAL, &mut tried).ok_or_else(|| tried.join(", "));
    }
    for path in mapped(&fs::read("/proc/self/maps").unwrap_or_default()) {
        if let Some(library) = load(&path, libc::RTLD_NOLOAD, &mut tried) {
            return Ok(library);
        }
    }
    for path in folders().iter().flat_map(|folder| NAMES.map(|name| folder.join(name))) {
        if path.exists()
            && let Some(library) = load(&path, libc::RTLD_LOCAL, &mut tried)
        {
            return Ok(library);
        }
    }
    tried.extend(folders().iter().map(|folder| folder.display().to_string()));
    for name in NAMES {
        if let Some(library) = load(Path::new(name), libc::RTLD_LOCAL, &mut tried) {
            return Ok(library);
        }
    }
    Err(tried.join(", "))
}

/// The number of the user as whom this process runs.
fn user() -> u32 {
    // SAFETY: it has no arguments and cannot fail.
    unsafe { libc::geteuid() }
}

/// Paths of the copies of CUPTI that the process has mapped, from the text of `/proc/self/maps`.
fn mapped(maps: &[u8]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in maps.split(|&byte| byte == b'\n') {
        let Some(at) = line.iter().position(|&byte| byte == b'/') else { continue };
        let path = Path::new(OsStr::from_bytes(&line[at..]));
        let is_cupti = path.file_name().is_some_and(|name| {
            // Python wheels put a part of the file's checksum into its name.
            let name = name.as_bytes();
            name.starts_with(b"libcupti.so") || name.starts_with(b"libcupti-")
        });
        if is_cupti && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// The folders that may contain CUPTI, in the order of the search: Python packages, the toolkit in `CUDA_HOME` or `CUDA_PATH`, installed
/// toolkits.
fn folders() -> Vec<PathBuf> {
    let mut folders = FOLDERS.take().map(|known| known.clone()).unwrap_or_default();
    let home = HOMES.into_iter().find_map(|name| env::var_os(name).filter(|value| !value.is_empty()));
    let local = fs::read_dir(TOOLKITS).into_iter().flatten().flatten().map(|entry| entry.path());
    folders.extend(search::folders(home.map(PathBuf::from), local));
    folders
}

/// Loads a library by `dlopen` with the flags `how`; on failure adds the path and the error to `tried`.
fn load(path: &Path, how: i32, tried: &mut Vec<String>) -> Option<Library> {
    let name = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: CUPTI's initializers run, as they would if the program loaded it.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | how) };
    if handle.is_null() {
        // SAFETY: returns a text that this thread may read until its next such call.
        let error = unsafe { libc::dlerror() };
        // SAFETY: not null, so a text.
        let error = (!error.is_null()).then(|| unsafe { CStr::from_ptr(error) }.to_string_lossy());
        // For a file that does not exist, the message is only the path.
        let why = error.filter(|text| !text.contains("No such file")).map(|text| format!(" ({text})"));
        tried.push(format!("{}{}", path.display(), why.unwrap_or_default()));
        return None;
    }
    Some(Library { handle, path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_copies_are_found() {
        let maps = b"7f0-7f1 r-xp 00000000 08:01 9 /usr/lib/libc.so.6\n\
            7f1-7f2 r-xp 00000000 08:01 9 /opt/a b/libcupti.so.13\n\
            7f2-7f3 rw-p 00000000 08:01 9 /opt/a b/libcupti.so.13\n\
            7f3-7f4 r-xp 00000000 08:01 9 /w/torch/lib/libcupti-1ab.so.12\n\
            7f4-7f5 r-xp 00000000 08:01 9 /w/libcupti_helper.so\n\
            7f5-7f6 rw-p 00000000 00:00 0 [heap]\n\xff\n";
        let found = mapped(maps);
        let paths = ["/opt/a b/libcupti.so.13", "/w/torch/lib/libcupti-1ab.so.12"];
        assert_eq!(found, paths.map(PathBuf::from));
        assert!(mapped(b"").is_empty());
    }
}
