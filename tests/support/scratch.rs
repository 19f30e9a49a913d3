//! Owns a folder for the files of one test, removed with the value. Must not know what they are for.

#![allow(dead_code, reason = "each test program uses a part of it")]

use tempfile::TempDir;

/// A folder that is removed with the value.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// A new, empty folder; `name` is part of its name.
    pub(crate) fn new(name: &str) -> Self {
        Self(tempfile::Builder::new().prefix(&format!("proftui-{name}-")).tempdir().expect("a folder"))
    }

    /// The path of a file in it, which need not exist.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Writes a file in it; returns the path of the file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file");
        path
    }
}
