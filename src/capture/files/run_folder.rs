//! The run folder: a private folder in the spool with the files that processes read and write during one run.
//! Removed after the run, unless it is to be kept.
//!
//! The files in it are accessed by a descriptor of the folder: once the folder is removed, another user can
//! make its path anew.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use proftui_wire::live;
use proftui_wire::options::{self, Options};
use proftui_wire::process_key::{self, ProcessKey};
use rustix::fs::OFlags;

use proftui_base::new_file::{self, random};

use super::agent_files::AgentFiles;
use super::output::{Output, OutputFormat};

/// Beginning of the name of every run folder; a random number follows.
pub const PREFIX: &str = "proftui-run-";

/// Name of the file in the run folder that `proftui recover` reads: output folder, name of the format, and
/// command line, separated by zero bytes.
const RECOVERY: &str = "orders";

/// Most tries to remove a run folder.
const ATTEMPTS: usize = 10;
/// Pause between two tries to remove a run folder.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A run folder: the private folder that the processes of a run share. Dropping the value removes the folder,
/// unless it is to be kept.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// The open folder, by which its files are accessed.
    itself: File,
    /// Paths of the agent's unpacked files, which captured processes load; empty unless this process made the
    /// folder.
    pub agent_files: AgentFiles,
    is_kept: bool,
    /// The file [`options::PARENT`], held locked so that other processes see that a living proftui owns the
    /// folder. `None` where no lock is held.
    #[allow(dead_code, reason = "held, not read")]
    lock: Option<File>,
}

/// What a run folder states about its traces and its command, for `proftui recover`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryInfo {
    /// The output folder and format of traces; `may_replace` is not stored.
    pub output: Output,
    /// The captured command line in one text, with secrets hidden.
    pub command: String,
}

impl RunFolder {
    /// Creates and locks a run folder in `spool`, with the agent's options and the run's live page in it.
    /// With `is_kept` the folder stays when the value is dropped.
    ///
    /// # Errors
    /// When the folder or a file in it cannot be created, written or locked.
    pub fn make(spool: &Path, options: &Options, is_kept: bool, agent_files: AgentFiles) -> io::Result<Self> {
        // The program may change its working directory before it starts processes.
        let path = fresh(&std::path::absolute(spool)?)?;
        let itself = open_own(&path).inspect_err(|_| {
            // It is empty. If it cannot be removed, it stays.
            let _ = std::fs::remove_dir(&path);
        })?;
        // systemd's cleaning of temporary files spares a locked folder.
        let _ = itself.try_lock_shared();
        // From here on an error drops `folder`, which removes the folder unless it is to be kept.
        let mut folder = Self { agent_files, path, itself, is_kept, lock: None };
        let lock = new_file::create(&folder.inside().join(options::PARENT))?;
        lock.lock()?;
        (&lock).write_all(std::process::id().to_string().as_bytes())?;
        folder.lock = Some(lock);
        let inside = folder.inside();
        new_file::create(&inside.join(options::FILE))?.write_all(options.to_string().as_bytes())?;
        new_file::create(&inside.join(options::WINDOW))?.write_all(&[0; live::BYTES])?;
        Ok(folder)
    }

    /// Writes the number of the cycle that all processes are to record to the run's live page: 1 opens the
    /// time window, 0 closes it.
    ///
    /// # Errors
    /// When the page cannot be written, such as after the folder was removed.
    pub fn set_cycle(&self, cycle: u64) -> io::Result<()> {
        let page = OpenOptions::new().write(true).open(self.inside().join(options::WINDOW))?;
        page.write_all_at(&cycle.to_le_bytes(), live::Word::Cycle as u64 * 8)
    }

    /// Writes the file that `proftui recover` reads, with the output folder as an absolute path.
    ///
    /// # Errors
    /// When the file exists already or cannot be written.
    pub fn write_recovery_info(&self, info: &RecoveryInfo) -> io::Result<()> {
        let out = std::path::absolute(&info.output.folder)?;
        let format = info.output.format.name();
        let fields = [out.as_os_str().as_encoded_bytes(), format.as_bytes(), info.command.as_bytes()];
        new_file::create(&self.inside().join(RECOVERY))?.write_all(&fields.join(&0))
    }

    /// Reads the file that [`RunFolder::write_recovery_info`] has written.
    ///
    /// # Errors
    /// When the file cannot be read, lacks one of its fields, or names an unknown format.
    pub fn recovery_info(&self) -> io::Result<RecoveryInfo> {
        let text = std::fs::read(self.inside().join(RECOVERY))?;
        // Neither paths nor command lines contain zero bytes.
        let mut fields = text.split(|&byte| byte == 0);
        let mut next = || fields.next().ok_or(io::ErrorKind::InvalidData);
        let folder = OsString::from_vec(next()?.to_vec()).into();
        let format = OutputFormat::of(next()?).ok_or(io::ErrorKind::InvalidData)?;
        let command = String::from_utf8_lossy(next()?).into_owned();
        Ok(RecoveryInfo { output: Output { folder, format, may_replace: false }, command })
    }

    /// Finds and locks the run folders of this user in a spool (`None`: [`default_spool`]) that no living
    /// proftui holds locked. The folders stay when the values are dropped.
    pub fn adopt_abandoned(spool: Option<&Path>) -> Vec<Self> {
        let spool = spool.map_or_else(default_spool, Path::to_owned);
        let entries = std::fs::read_dir(spool).into_iter().flatten().flatten();
        let is_run =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        let adopt = |path: PathBuf| {
            let itself = open_own(&path).ok()?;
            let lock = File::options().write(true).open(inside(&itself).join(options::PARENT)).ok()?;
            lock.try_lock().ok()?;
            Some(Self { agent_files: AgentFiles::default(), path, itself, is_kept: true, lock: Some(lock) })
        };
        entries.map(|entry| entry.path()).filter(is_run).filter_map(adopt).collect()
    }

    /// The run folders of this user in a spool (`None`: [`default_spool`]) that a living proftui holds
    /// locked, and the spool's path. The folders stay when the values are dropped.
    pub fn running(spool: Option<&Path>) -> (Vec<Self>, PathBuf) {
        let spool = spool.map_or_else(default_spool, Path::to_owned);
        let entries = std::fs::read_dir(&spool).into_iter().flatten().flatten();
        let is_run =
            |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        let open = |path: PathBuf| {
            let itself = open_own(&path).ok()?;
            Some(Self { agent_files: AgentFiles::default(), path, itself, is_kept: true, lock: None })
        };
        let open = entries.map(|entry| entry.path()).filter(is_run).filter_map(open);
        (open.filter(Self::is_locked).collect(), spool)
    }

    /// True while a living proftui holds the folder locked; false also where that cannot be found out.
    pub fn is_locked(&self) -> bool {
        let lock = File::open(self.inside().join(options::PARENT));
        // A shared lock, which the processes of the run take, too, to see whether proftui is alive.
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)))
    }

    /// The process id of the proftui that made the folder; `None` if the folder does not state it.
    pub fn supervisor(&self) -> Option<u32> {
        std::fs::read_to_string(self.inside().join(options::PARENT)).ok()?.trim().parse().ok()
    }

    /// True if the run records into rings; false also if that is not known.
    pub fn is_ring(&self) -> bool {
        let options = std::fs::read_to_string(self.inside().join(options::FILE));
        options.is_ok_and(|options| Options::read(&options).is_ring)
    }

    /// True if the process with this process id made the folder, or has a folder of records in it.
    pub fn has_process(&self, pid: u32) -> bool {
        let is_it = |folder: &PathBuf| {
            let name = folder.file_name().and_then(|name| name.to_str());
            name.and_then(|name| name.parse::<ProcessKey>().ok()).is_some_and(|key| key.pid == pid)
        };
        self.supervisor() == Some(pid) || self.processes().iter().any(is_it)
    }

    /// True if the folder of some process still contains files of a cycle.
    pub fn has_chunks(&self) -> bool {
        let files = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let names = self.processes().into_iter().flat_map(files).map(|file| file.file_name());
        names.into_iter().any(|name| name.to_string_lossy().starts_with('c'))
    }

    /// Has the folder stay when `self` is dropped, so that `proftui recover` finds it.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Removes the folder, even if it was to be kept; prints a message to stderr if that fails.
    pub fn remove(mut self) {
        self.is_kept = false;
    }

    /// Path of the run folder, for messages and for the program's environment. To access its files use
    /// [`RunFolder::inside`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Path of the run folder by its descriptor (`/proc/self/fd/N`), valid in this process while the value
    /// exists.
    pub fn inside(&self) -> PathBuf {
        inside(&self.itself)
    }

    /// True while the folder is at its path, neither removed nor renamed; true also where that cannot be
    /// found out.
    pub fn is_there(&self) -> bool {
        match self.is_own() {
            Ok(is_own) => is_own,
            Err(why) => !matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        }
    }

    /// True if the path still names this folder; an error if the path names nothing.
    fn is_own(&self) -> io::Result<bool> {
        let key = |found: std::fs::Metadata| (found.dev(), found.ino());
        Ok(key(std::fs::symlink_metadata(&self.path)?) == key(self.itself.metadata()?))
    }

    /// Removes the folder with all its files; does nothing if its path names another folder.
    fn clear(&self) -> io::Result<()> {
        if !self.is_own()? {
            return Ok(());
        }
        // Processes that are still alive may create files meanwhile; then removing is tried again.
        for _ in 1..ATTEMPTS {
            match std::fs::remove_dir_all(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    std::thread::sleep(RETRY_INTERVAL);
                }
                done => return done,
            }
        }
        std::fs::remove_dir_all(&self.path)
    }

    /// Environment variables, with their values, by which the captured program finds the run folder and loads
    /// the agent.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut search = OsString::from(&self.agent_files.python);
        if let Some(old) = std::env::var_os("PYTHONPATH").filter(|old| !old.is_empty()) {
            search.push(":");
            search.push(old);
        }
        vec![
            (options::RUN, self.path.clone().into()),
            ("PROFTUI_AGENT", self.agent_files.library.clone().into()),
            ("PYTHONPATH", search),
        ]
    }

    /// Paths of the processes' folders in the run folder, through [`RunFolder::inside`]; empty where the run
    /// folder cannot be read.
    pub fn processes(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.inside()).into_iter().flatten().flatten();
        let is_process = |path: &PathBuf| path.join(process_key::LOG).exists();
        entries.map(|entry| entry.path()).filter(is_process).collect()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if self.is_kept || !self.is_there() {
            return;
        }
        if let Err(why) = self.clear()
            && why.kind() != io::ErrorKind::NotFound
        {
            let path = self.path.display();
            let _ = writeln!(
                io::stderr(),
                "proftui: cannot remove the temporary folder {path}: {why}; remove it yourself"
            );
        }
    }
}

/// The default spool, in which run folders are made: the folder that `TMPDIR` names, else `/tmp`.
pub fn default_spool() -> PathBuf {
    let named = std::env::var_os("TMPDIR").filter(|named| !named.is_empty());
    named.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

/// Creates a run folder in `spool` that only the user can access, with a random name, and returns its path.
fn fresh(spool: &Path) -> io::Result<PathBuf> {
    for _ in 0..100 {
        let path = spool.join(format!("{PREFIX}{:016x}", random()?));
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            done => return done.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Opens the folder at this path, without following a symbolic link at the path's end.
///
/// # Errors
/// When it cannot be opened, is no folder, belongs to another user, or others can write to it.
fn open_own(path: &Path) -> io::Result<File> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let folder = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let found = folder.metadata()?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0;
    if is_own { Ok(folder) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// Path of an open folder by its descriptor (`/proc/self/fd/N`), valid in this process only, while `folder`
/// is open.
fn inside(folder: &File) -> PathBuf {
    format!("/proc/self/fd/{}", folder.as_raw_fd()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_made_during_removal_are_removed_too() {
        let spool = tempfile::tempdir().expect("a folder");
        let path = fresh(spool.path()).expect("made");
        let (agent_files, itself) = (AgentFiles::default(), open_own(&path).expect("own"));
        let folder = RunFolder { path: path.clone(), itself, agent_files, is_kept: false, lock: None };
        let first = path.join("0");
        let make = move |number: &usize| DirBuilder::new().create(path.join(number.to_string())).is_ok();
        let late = std::thread::spawn(move || (0..1000).take_while(make).count());
        while !first.exists() && !late.is_finished() {}
        drop(folder);
        late.join().expect("no panic");
        assert_eq!(std::fs::read_dir(spool.path()).expect("there").count(), 0);
    }

    #[test]
    fn a_folder_that_another_user_made_anew_is_neither_read_nor_removed() {
        let spool = tempfile::tempdir().expect("a folder");
        let options = Options::default();
        let folder = RunFolder::make(spool.path(), &options, false, AgentFiles::default()).expect("made");
        let path = folder.path().to_owned();
        assert!(folder.is_there());
        std::fs::remove_dir_all(&path).expect("removed");
        std::fs::create_dir_all(path.join("7-900")).expect("made");
        std::fs::write(path.join("7-900/log"), "").expect("written");
        std::fs::write(path.join(options::PARENT), "").expect("written");
        assert!(!folder.is_there());
        assert_eq!(folder.processes(), [] as [PathBuf; 0]);
        assert!(folder.set_cycle(1).is_err());
        drop(folder);
        assert!(path.join("7-900/log").exists());
        // Whoever made it: others could have written to it.
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).expect("set");
        assert_eq!(RunFolder::adopt_abandoned(Some(spool.path())).len(), 0);
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("set");
        assert_eq!(RunFolder::adopt_abandoned(Some(spool.path())).len(), 1);
    }
}
