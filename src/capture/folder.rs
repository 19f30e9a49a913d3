//! A run's own folder: what is handed to the processes and what they write. Private, and gone when the run is over.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use proftui_wire::live;
use proftui_wire::options::{self, Options};
use proftui_wire::process_key;

use super::inside::{self, Inside};
use super::output::{Form, Output};

/// What run folders are called, before what tells them apart.
pub const PREFIX: &str = "proftui-run-";

/// The file that says where traces go and what was run, for those who come after a parent that was killed.
const ORDERS: &str = "orders";

/// How often it is tried to remove the folder, and with what time between two.
const ATTEMPTS: usize = 10;
const MOMENT: Duration = Duration::from_millis(20);

/// The folder of a run; removed when it is dropped.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// What processes load.
    pub inside: Inside,
    is_kept: bool,
    /// Locked as long as this is here: processes, and other runs, see by it that somebody looks after the folder.
    #[allow(dead_code, reason = "held, not read")]
    locks: Vec<File>,
}

/// What those who come after a parent that was killed need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    /// Where traces go, and in which form.
    pub output: Output,
    /// What was run.
    pub command: String,
}

impl RunFolder {
    /// Makes one in `place`.
    ///
    /// # Errors
    /// When it cannot be made or filled.
    pub fn make(place: &Path, options: &Options, is_kept: bool) -> io::Result<Self> {
        // The program may be in another folder when it starts its processes.
        let place = std::path::absolute(place)?;
        if place.as_os_str().as_encoded_bytes().contains(&b':') {
            return Err(io::Error::other("Python takes no folder with a colon in its path"));
        }
        let path = fresh(&place)?;
        // From here on it is removed whatever happens.
        let mut folder = Self { inside: Inside::default(), path, is_kept, locks: Vec::new() };
        let lock = private(&folder.path.join(options::PARENT))?;
        lock.lock()?;
        // What cleans temporary folders leaves alone what is locked.
        let itself = File::open(&folder.path)?;
        let _ = itself.try_lock_shared();
        folder.locks = vec![lock, itself];
        folder.inside = inside::unpack(&folder.path)?;
        private(&folder.path.join(options::FILE))?.write_all(options.to_string().as_bytes())?;
        private(&folder.path.join(options::WINDOW))?.write_all(&[0; live::BYTES])?;
        Ok(folder)
    }

    /// Opens and closes the window of all processes: the cycle that they record, 0 for none.
    ///
    /// # Errors
    /// When the folder is gone.
    pub fn set_cycle(&self, cycle: u64) -> io::Result<()> {
        let page = OpenOptions::new().write(true).open(self.path.join(options::WINDOW))?;
        page.write_all_at(&cycle.to_le_bytes(), live::Word::Cycle as u64 * 8)
    }

    /// Leaves word for those who come after.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn leave_orders(&self, orders: &Orders) -> io::Result<()> {
        let out = std::path::absolute(&orders.output.folder)?;
        let form = orders.output.form.ending();
        let fields = [out.as_os_str().as_encoded_bytes(), form.as_bytes(), orders.command.as_bytes()];
        private(&self.path.join(ORDERS))?.write_all(&fields.join(&0))
    }

    /// The word that was left.
    ///
    /// # Errors
    /// When there is none.
    pub fn orders(&self) -> io::Result<Orders> {
        let text = std::fs::read(self.path.join(ORDERS))?;
        // Neither paths nor command lines have a zero in them.
        let mut fields = text.split(|&byte| byte == 0);
        let mut next = || fields.next().ok_or(io::ErrorKind::InvalidData);
        let folder = OsString::from_vec(next()?.to_vec()).into();
        let form = Form::of(next()?).ok_or(io::ErrorKind::InvalidData)?;
        let command = String::from_utf8_lossy(next()?).into_owned();
        Ok(Orders { output: Output { folder, form, may_replace: false }, command })
    }

    /// The folders in `place` whose parents were killed; from now on this process looks after them.
    pub fn abandoned(place: Option<&Path>) -> Vec<Self> {
        let place = place.map_or_else(default_place, Path::to_owned);
        let own = rustix::process::geteuid().as_raw();
        let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
        let is_run = |path: &PathBuf| {
            let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
            is_named
                && std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == own)
        };
        let adopt = |path: PathBuf| {
            let lock = File::options().write(true).open(path.join(options::PARENT)).ok()?;
            lock.try_lock().ok()?;
            Some(Self { inside: Inside::default(), path, is_kept: true, locks: vec![lock] })
        };
        entries.map(|entry| entry.path()).filter(is_run).filter_map(adopt).collect()
    }

    /// True while ranges lie in it that were not written as a trace.
    pub fn has_chunks(&self) -> bool {
        let files = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = self.processes().into_iter().flat_map(files).map(|file| file.file_name());
        names.into_iter().any(|name| name.to_string_lossy().starts_with('c'))
    }

    /// Leaves the folder, for `recover`.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Lets the folder go.
    pub fn release(mut self) {
        self.is_kept = false;
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the environment of the captured program needs, by name.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut search = OsString::from(&self.inside.python);
        if let Some(old) = std::env::var_os("PYTHONPATH").filter(|old| !old.is_empty()) {
            search.push(":");
            search.push(old);
        }
        vec![
            (options::RUN, self.path.clone().into()),
            ("PROFTUI_AGENT", self.inside.agent.clone().into()),
            ("PYTHONPATH", search),
        ]
    }

    /// The folders of processes in it.
    pub fn processes(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let is_process = |path: &PathBuf| path.join(process_key::LOG).exists();
        entries.map(|entry| entry.path()).filter(is_process).collect()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            // Processes that go on, or are about to end, may make something meanwhile. What they make after all stays, and nobody misses it.
            for _ in 0..ATTEMPTS {
                match std::fs::remove_dir_all(&self.path) {
                    Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                        std::thread::sleep(MOMENT);
                    }
                    _ => return,
                }
            }
        }
    }
}

/// A new file that is the person's alone.
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Where run folders are made unless somebody says where: on disk if anywhere, since they may become large.
pub fn default_place() -> PathBuf {
    let named = std::env::var_os("TMPDIR").filter(|named| !named.is_empty());
    named.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

/// A new folder that nobody else can look into, of a name that nobody can foresee.
fn fresh(place: &Path) -> io::Result<PathBuf> {
    for _ in 0..100 {
        let path = place.join(format!("{PREFIX}{:016x}", random()?));
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A number that nobody can foresee.
///
/// # Errors
/// When the system has none.
pub fn random() -> io::Result<u64> {
    let mut random = [0_u8; 8];
    File::open("/dev/urandom").and_then(|mut file| io::Read::read_exact(&mut file, &mut random))?;
    Ok(u64::from_le_bytes(random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_makes_while_the_folder_goes_goes_with_it() {
        let place = tempfile::tempdir().expect("a folder");
        let path = fresh(place.path()).expect("made");
        let (inside, locks) = (Inside::default(), Vec::new());
        let folder = RunFolder { path: path.clone(), inside, is_kept: false, locks };
        let first = path.join("0");
        let make = move |number: &usize| DirBuilder::new().create(path.join(number.to_string())).is_ok();
        let late = std::thread::spawn(move || (0..1000).take_while(make).count());
        while !first.exists() && !late.is_finished() {}
        drop(folder);
        late.join().expect("no panic");
        assert_eq!(std::fs::read_dir(place.path()).expect("there").count(), 0);
    }
}
