//! Runs the binary in a folder of its own and reads the traces it wrote.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use proftui::import::{Loaded, Progress, Request, load};
use proftui::model::Category;
use tempfile::TempDir;

/// The binary.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_proftui");

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
    load(&Request::new([path]), &Progress::default()).unwrap()
}

/// The names of events of a category, in order of their starts.
pub(crate) fn named(loaded: &Loaded, category: Category) -> Vec<String> {
    let slices = &loaded.trace.slices;
    let mut found: Vec<u32> =
        (0..slices.len() as u32).filter(|&id| slices.category(id) == category).collect();
    found.sort_by_key(|&id| slices.start[id as usize]);
    found.into_iter().map(|id| loaded.trace.name(id).to_string()).collect()
}

/// What was said on stderr.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until `is_so`.
pub(crate) fn wait(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(1), "it does not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A Python that can be captured: the newest that pyenv keeps, else the one on the path.
pub(crate) fn python() -> Option<String> {
    let kept = std::env::var_os("PYENV_ROOT").map(|root| Path::new(&root).join("versions"));
    let kept = kept.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let paths = kept.map(|entry| entry.path().join("bin/python3")).chain([PathBuf::from("python3")]);
    let ask = "import sys; print('%d %02d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 8))";
    let version = |path: PathBuf| {
        let out = Command::new(&path).args(["-I", "-c", ask]).output().ok()?;
        let path = path.to_str()?.to_owned();
        out.status.success().then(|| (String::from_utf8_lossy(&out.stdout).into_owned(), path))
    };
    let found = paths.filter_map(version).max().map(|(_, path)| path);
    if found.is_none() {
        crate::skip::lacks_tool("captures of Python", "no Python from 3.8 on");
    }
    found
}
