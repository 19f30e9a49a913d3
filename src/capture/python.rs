//! Finds the Python interpreter that a command runs in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The interpreter that most likely runs a command: its program if that is a Python, else [`default_python`].
pub fn interpreter(command: &[OsString]) -> String {
    let program = command.first().map(|program| program.to_string_lossy().into_owned());
    let is_python = |program: &String| {
        Path::new(program).file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python"))
    };
    program.filter(is_python).unwrap_or_else(default_python)
}

/// Name of the default interpreter: `python3` if it is on the `PATH`, else `python`.
pub fn default_python() -> String {
    let is_found = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
    };
    if is_found("python3") { "python3".into() } else { "python".into() }
}
