//! Finds the Python interpreter that a command runs in.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use proftui_base::regular;

use super::child::found;

/// What a command runs, as far as its file and its arguments show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program of the Python interpreter with this path or name.
    Python(String),
    /// A program that seems not to run Python.
    Other,
    /// A command that may run Python, such as a shell, with the name of the default Python interpreter.
    Unknown(String),
}

/// Guesses from a command's file and arguments whether it runs Python, and in which interpreter.
pub fn program(command: &[OsString]) -> Program {
    let is_python = |text: &str| {
        Path::new(text).file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python"))
    };
    let Some(name) = command.first() else { return Program::Unknown(default_python()) };
    if is_python(&name.to_string_lossy()) {
        return Program::Python(name.to_string_lossy().into_owned());
    }
    let first = found(name).map(|file| beginning(&file)).unwrap_or_default();
    if let Some(line) = first.strip_prefix("#!") {
        let python =
            line.lines().next().and_then(|line| line.split_ascii_whitespace().find(|word| is_python(word)));
        return python
            .map_or_else(|| Program::Unknown(default_python()), |python| Program::Python(python.to_owned()));
    }
    let has_path = name.as_encoded_bytes().contains(&b'/');
    let names_python = command.iter().skip(1).any(|word| {
        let word = word.to_string_lossy();
        is_python(&word) || Path::new(word.as_ref()).extension() == Some(OsStr::new("py"))
    });
    if has_path && !names_python && !is_shell(name) {
        Program::Other
    } else {
        Program::Unknown(default_python())
    }
}

/// True if the last part of a path is the name of a known shell.
fn is_shell(name: &OsStr) -> bool {
    let shells = ["sh", "bash", "dash", "zsh", "ksh", "fish"];
    Path::new(name).file_name().is_some_and(|name| shells.iter().any(|shell| name == *shell))
}

/// At most the first 256 bytes of a regular file, as text; empty if it cannot be read.
fn beginning(file: &Path) -> String {
    let mut bytes = [0; 256];
    let count = regular::open(file).and_then(|mut file| file.read(&mut bytes)).unwrap_or_default();
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}

/// Name of the default interpreter: `python3` if it is on the `PATH`, else `python`.
pub fn default_python() -> String {
    let is_found = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
    };
    if is_found("python3") { "python3".into() } else { "python".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_shows_what_it_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file");
            folder.path().join(name).to_str().expect("text").to_owned()
        };
        let of = |words: &[&str]| program(&words.iter().map(OsString::from).collect::<Vec<_>>());
        let python = |name: &str| Program::Python(name.to_owned());
        let unknown = Program::Unknown(default_python());
        assert_eq!(of(&["/v/bin/python3.12", "train.py"]), python("/v/bin/python3.12"));
        assert_eq!(
            of(&[&script("torchrun", "#!/v/bin/python\nimport x\n"), "train.py"]),
            python("/v/bin/python")
        );
        assert_eq!(of(&[&script("run", "#!/usr/bin/env -S python3 -u\n")]), python("python3"));
        assert_eq!(of(&[&script("job", "#!/bin/sh\npython train.py\n")]), unknown);
        let binary = script("a.out", "\x7fELF");
        assert_eq!(of(&[&binary, "--launches"]), Program::Other);
        assert_eq!(of(&[&binary, "-n", "2", "python", "train.py"]), unknown);
        assert_eq!(of(&[&binary, "train.py"]), unknown);
        assert_eq!(
            (of(&["/bin/sh", "-c", "x"]), of(&["true"]), of(&[])),
            (unknown.clone(), unknown.clone(), unknown)
        );
    }
}
