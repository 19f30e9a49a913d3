//! Owns a directory for the files of one test, removed with the value. Must not know what they are for.

use std::path::PathBuf;

/// A directory that is removed with the value.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new, empty directory; `name` keeps the tests of one run apart.
    pub(crate) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("proftui-pty-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    /// The path of a file in it, which need not be there.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// A new file in it, and its path.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
