//! A run's own folder: what is handed to the processes and what they write. Private, and gone when the run is over.

use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use proftui_wire::options::{self, Options};
use proftui_wire::place;

use super::inside;

/// What run folders are called, before what tells them apart.
pub const PREFIX: &str = "proftui-run-";

/// The folder of a run; removed when it is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The agent that processes load.
    pub agent: PathBuf,
    is_kept: bool,
}

impl RunFolder {
    /// Makes one in `place`, or where this system keeps what need not last.
    ///
    /// # Errors
    /// When it cannot be made or filled.
    pub fn make(place: Option<&Path>, options: &Options, is_kept: bool) -> io::Result<Self> {
        let place = place.map_or_else(default_place, Path::to_owned);
        let path = fresh(&place)?;
        // From here on it is removed whatever happens.
        let mut folder = Self { agent: PathBuf::new(), path, is_kept };
        folder.agent = inside::agent(&folder.path)?;
        inside::python(&folder.path.join("py"))?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(folder.path.join(options::FILE))?;
        file.write_all(options.to_string().as_bytes())?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the environment of the captured program needs, by name.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut search = OsString::from(self.path.join("py"));
        if let Some(old) = std::env::var_os("PYTHONPATH").filter(|old| !old.is_empty()) {
            search.push(":");
            search.push(old);
        }
        vec![
            (options::RUN, self.path.clone().into()),
            ("PROFTUI_AGENT", self.agent.clone().into()),
            ("PYTHONPATH", search),
        ]
    }

    /// The folders of processes in it.
    pub fn processes(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_process = |path: &PathBuf| path.join(place::LOG).exists();
        entries.map(|entry| entry.path()).filter(is_process).collect()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // Processes that go on may still write: what they make meanwhile stays, and nobody misses it.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// The run-time folder of the person where there is one, else that for temporary files.
pub fn default_place() -> PathBuf {
    let of_person = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
    of_person.unwrap_or_else(std::env::temp_dir)
}

/// A new folder that nobody else can look into, of a name that nobody can foresee.
fn fresh(place: &Path) -> io::Result<PathBuf> {
    for _ in 0..100 {
        let mut random = [0_u8; 8];
        std::fs::File::open("/dev/urandom")
            .and_then(|mut file| io::Read::read_exact(&mut file, &mut random))?;
        let path = place.join(format!("{PREFIX}{:016x}", u64::from_le_bytes(random)));
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
