//! Where CUPTI is. The copy that the program has loaded already is the right one: two of them are in each other's way.

#![allow(unsafe_code, reason = "a library is loaded at run time")]

use std::env;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proftui_wire::device::search::{self, HOMES, NAMES, TOOLKITS};
use proftui_wire::options::CUPTI;

use crate::lock::Lock;

/// Folders that the program's own packages may have it in.
static FOLDERS: Lock<Vec<PathBuf>> = Lock::new(Vec::new());

/// A library that is loaded, for good.
pub struct Library {
    /// Its handle.
    pub handle: *mut c_void,
    /// What it was found by.
    pub path: PathBuf,
}

/// Folders to look in, separated as in `PATH`.
pub fn remember(folders: &str) {
    if let Some(mut known) = FOLDERS.take() {
        *known = env::split_paths(folders).filter(|folder| folder.is_absolute()).collect();
    }
}

/// Loads it; else says what was tried.
pub fn find() -> Result<Library, String> {
    let mut tried = Vec::new();
    if let Some(path) = env::var_os(CUPTI).filter(|path| !path.is_empty()) {
        // Who names a file means that one.
        return load(Path::new(&path), libc::RTLD_LOCAL, &mut tried).ok_or_else(|| tried.join(", "));
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

/// The copies that are mapped, as the system lists what is.
fn mapped(maps: &[u8]) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for line in maps.split(|&byte| byte == b'\n') {
        let Some(at) = line.iter().position(|&byte| byte == b'/') else { continue };
        let path = Path::new(OsStr::from_bytes(&line[at..]));
        let is_cupti = path.file_name().is_some_and(|name| {
            // Wheels put a part of the file's sum into its name.
            let name = name.as_bytes();
            name.starts_with(b"libcupti.so") || name.starts_with(b"libcupti-")
        });
        if is_cupti && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// The folders that may have it, the likeliest first.
fn folders() -> Vec<PathBuf> {
    let mut folders = FOLDERS.take().map(|known| known.clone()).unwrap_or_default();
    let home = HOMES.into_iter().find_map(|name| env::var_os(name).filter(|value| !value.is_empty()));
    let local = fs::read_dir(TOOLKITS).into_iter().flatten().flatten().map(|entry| entry.path());
    folders.extend(search::folders(home.map(PathBuf::from), local));
    folders
}

fn load(path: &Path, how: i32, tried: &mut Vec<String>) -> Option<Library> {
    let name = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: what a library does when it is loaded is what the program would do with it.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | how) };
    if handle.is_null() {
        // SAFETY: a text of this thread, until the next such call.
        let error = unsafe { libc::dlerror() };
        // SAFETY: a text, where there is one.
        let error = (!error.is_null()).then(|| unsafe { CStr::from_ptr(error) }.to_string_lossy());
        // What is not there says nothing more than its name.
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
    fn what_is_mapped_is_found() {
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
