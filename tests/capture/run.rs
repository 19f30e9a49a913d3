//! Runs the binary in a folder of its own and reads the traces it wrote.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use proftui_trace::import::{Loaded, Progress, Request, load};
use proftui_trace::model::{Category, SliceId};
use tempfile::TempDir;

pub(crate) use crate::binary::{BINARY, said};

/// A temporary folder that holds a program, its traces, and the binary's cache and run folders.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// An empty sandbox.
    pub(crate) fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["run", "cache"] {
            std::fs::create_dir(sandbox.path(name)).unwrap();
        }
        sandbox
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in it.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A command that runs the binary, with all that it writes inside the sandbox.
    pub(crate) fn proftui(&self) -> Command {
        let mut command = Command::new(BINARY);
        self.within(&mut command);
        command
    }

    /// Sets up `command` to run inside the sandbox, as [`Self::proftui`] does.
    pub(crate) fn within<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("run"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("PYTHONPATH")
    }

    /// Runs `proftui capture OPTIONS -- COMMAND`.
    pub(crate) fn capture(&self, options: &[&str], command: &[&str]) -> Output {
        self.proftui().arg("capture").args(options).arg("--").args(command).output().unwrap()
    }

    /// Paths of the traces, sorted by name.
    pub(crate) fn traces(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path("profiler_log")).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }

    /// Number of run folders that are left.
    pub(crate) fn runs(&self) -> usize {
        std::fs::read_dir(self.path("run")).unwrap().count()
    }
}

/// Reads a trace.
pub(crate) fn read(path: &Path) -> Loaded {
    let request = Request::new([path]);
    load(&request, &Progress::default()).unwrap()
}

/// The names of events of a category, in order of their starts.
pub(crate) fn named(loaded: &Loaded, category: Category) -> Vec<String> {
    let slices = &loaded.trace.slices;
    let mut found: Vec<SliceId> = slices.ids().iter().filter(|&id| slices.category(id) == category).collect();
    found.sort_by_key(|&id| slices.start[id]);
    found.into_iter().map(|id| loaded.trace.name(id).to_string()).collect()
}

/// Waits until `is_so`.
pub(crate) fn wait(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "it does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A Python that can be captured: the newest.
pub(crate) fn python() -> Option<&'static str> {
    crate::tools::newest_python("captures of Python")
}
