//! The agent's library and Python files, which captured processes load: this executable contains them and
//! unpacks them for each run.
//!
//! Python, the CUDA driver and the dynamic loader load them by paths in the environment, without a check, and
//! environments outlive runs: in programs that go on in the background, in jobs handed to a queue, on other
//! machines. So no other user may ever be able to make one of these paths, not even after it was removed.
//! Files are unpacked into a folder that is never removed, under folders that nobody else can write to
//! ([`ownership`]); below a folder such as `/tmp`, in which everyone can make a removed folder anew, one part
//! of the path is a random number that no other user can find out.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use proftui_wire::ownership::{self, Checked, Refused, Standing, Why};
use rustix::fs::StatVfsMountFlags;

use proftui_base::new_file::random;

/// Contents of the agent's library, as built.
const AGENT: &[u8] = include_bytes!(env!("PROFTUI_AGENT_SO"));

/// File name of the agent's library.
pub const LIBRARY_NAME: &str = "libproftui_agent.so";

/// Size of the agent's library, bytes.
pub const LIBRARY_SIZE: u64 = AGENT.len() as u64;

/// Environment variable that names the cache folder, unless `--cache` does.
pub const CACHE: &str = "PROFTUI_CACHE";

/// Name of proftui's folder in a cache folder or in `XDG_RUNTIME_DIR`.
const OWN: &str = "proftui";

/// Beginning of the name of proftui's folder in a folder for temporary files; a random number follows.
const TEMPORARY: &str = "proftui-files-";

include!(concat!(env!("OUT_DIR"), "/python_files.rs"));

/// Where the agent's files were unpacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentFiles {
    /// Path of the agent's library.
    pub library: PathBuf,
    /// Path of the folder with the agent's Python files, for `PYTHONPATH`.
    pub python: PathBuf,
    /// Why the user's cache folder was not used; `None` if it, or a folder that the user named instead, was
    /// used.
    pub uncached: Option<Uncached>,
}

/// Why the agent's files are not in the user's cache folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncached {
    /// The reason, with the folder or file that is at fault.
    pub why: String,
    /// True if the reason is that another user could change the folder, or one above it.
    pub is_unsafe: bool,
}

/// Why the files are unpacked nowhere: for each folder that came into question, the reason.
#[derive(Debug)]
pub struct NoFolder(Vec<Refused>);

impl fmt::Display for NoFolder {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        to.write_str(&reasons.join("; "))
    }
}

impl std::error::Error for NoFolder {}

/// A folder in which proftui's own folder may be made.
enum Candidate {
    /// A folder of the user's own, such as a cache folder, or the one that the user named.
    Cache(PathBuf),
    /// A folder for temporary files, which other users may use, too.
    Temporary(PathBuf),
}

/// Unpacks the agent's files, unless they are there already: below the folder `named`, else below that of the
/// variable [`CACHE`], else below the first default folder that can be used.
///
/// # Errors
/// When no folder can be used, for example since another user could change it.
pub fn unpack(named: Option<&Path>) -> Result<AgentFiles, NoFolder> {
    let variable = || std::env::var_os(CACHE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let (candidates, mut refusals) = match named.map(Path::to_owned).or_else(variable) {
        // The program may change its working directory before it loads a file.
        Some(path) => match std::path::absolute(&path) {
            Ok(path) => (vec![Candidate::Cache(path)], Vec::new()),
            Err(error) => (Vec::new(), vec![Refused::system(&path, error)]),
        },
        None => candidates(|name| std::env::var_os(name)),
    };
    let user = rustix::process::geteuid().as_raw();
    for candidate in candidates {
        match candidate.home(user).and_then(|home| into(&home, user)) {
            Ok(files) => {
                let uncached = refusals.first();
                let uncached = uncached
                    .map(|refused| Uncached { why: refused.to_string(), is_unsafe: refused.is_unsafe() });
                return Ok(AgentFiles { uncached, ..files });
            }
            Err(refused) => refusals.push(refused),
        }
    }
    Err(NoFolder(refusals))
}

/// The folders to try, in order, and why the user's cache folder is not among them, if it is not. `variable`
/// returns the value of an environment variable.
fn candidates(variable: impl Fn(&str) -> Option<OsString>) -> (Vec<Candidate>, Vec<Refused>) {
    let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let (mut candidates, mut refusals) = (Vec::new(), Vec::new());
    match (folder("XDG_CACHE_HOME"), folder("HOME")) {
        (Some(cache), _) => candidates.push(Candidate::Cache(cache)),
        (None, Some(home)) if home.is_dir() => candidates.push(Candidate::Cache(home.join(".cache"))),
        (None, home) => {
            let path = home.unwrap_or_else(|| "$HOME".into());
            refusals.push(Refused { path, why: Why::Other("is not a folder") });
        }
    }
    candidates.extend(folder("XDG_RUNTIME_DIR").filter(|path| path.is_dir()).map(Candidate::Cache));
    let temporary = ["/var/tmp", "/tmp"].map(PathBuf::from).into_iter().chain(folder("TMPDIR"));
    candidates.extend(temporary.map(Candidate::Temporary));
    (candidates, refusals)
}

impl Candidate {
    /// Proftui's own folder in this candidate, for the user with this id; it is made if there is none.
    fn home(&self, user: u32) -> Result<Checked, Refused> {
        match self {
            Self::Cache(path) => made(&made(path, user)?.path.join(OWN), user),
            Self::Temporary(path) => {
                let parent = ownership::check(path, user)?.path;
                let is_home = |name: &str| name.starts_with(TEMPORARY);
                match private_folder(&parent, user, is_home) {
                    Some(known) => ownership::check(&known, user),
                    None => made(&parent.join(format!("{TEMPORARY}{}", number(&parent)?)), user),
                }
            }
        }
    }
}

/// Mode bits by which the group and others have any access.
const OTHERS: u32 = 0o077;

/// The first folder in `parent`, in order of names, that only `user` can access and whose name fulfils
/// `is_wanted`.
fn private_folder(parent: &Path, user: u32, is_wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_wanted));
    let is_private = |path: &PathBuf| {
        let found = std::fs::symlink_metadata(path);
        found.is_ok_and(|found| found.is_dir() && found.uid() == user && found.mode() & OTHERS == 0)
    };
    named.map(|entry| entry.path()).filter(is_private).min()
}

/// A random number of 128 bits, as text; the error names `path`.
fn number(path: &Path) -> Result<String, Refused> {
    let both = random().and_then(|one| Ok((one, random()?)));
    let (one, other) = both.map_err(|error| Refused::system(path, error))?;
    Ok(format!("{one:016x}{other:016x}"))
}

/// Name for this version of the files: their checksum and the size of the library.
fn fingerprint() -> String {
    let mut sum = crc32fast::Hasher::new();
    sum.update(AGENT);
    PYTHON.iter().for_each(|(name, text)| [name, text].iter().for_each(|bytes| sum.update(bytes.as_bytes())));
    format!("{:08x}-{}", sum.finalize(), AGENT.len())
}

/// Unpacks the files into a folder of this version in `home`; files that are there with the same contents
/// usually stay.
///
/// # Errors
/// When a folder cannot be made or is unsuitable, or a file cannot be written.
fn into(home: &Checked, user: u32) -> Result<AgentFiles, Refused> {
    let version = fingerprint();
    let folder = match home.standing {
        Standing::Closed => home.path.join(version),
        Standing::Sticky => secret(&home.path, &version, user)?,
    };
    let folder = made(&folder, user)?.path;
    let refused = |words| Err(Refused { path: folder.clone(), why: Why::Other(words) });
    if folder.as_os_str().as_encoded_bytes().contains(&b':') {
        return refused("has a colon, by which PYTHONPATH separates folders");
    }
    let system = rustix::fs::statvfs(&folder).map_err(|error| Refused::system(&folder, error.into()))?;
    // The dynamic loader loads no library from such a file system.
    if system.f_flag.contains(StatVfsMountFlags::NOEXEC) {
        return refused("is on a file system that is mounted noexec");
    }
    // systemd's cleaning of temporary files spares files with the sticky bit, which has no other meaning for
    // files.
    let spared = if home.standing == Standing::Sticky { 0o1000 } else { 0 };
    let library = folder.join(LIBRARY_NAME);
    put(&library, AGENT, 0o700 | spared, user)?;
    let python = made(&folder.join("py"), user)?.path;
    for (name, text) in PYTHON {
        let path = python.join(name);
        if let Some(parent) = path.parent() {
            made(parent, user)?;
        }
        put(&path, text.as_bytes(), 0o600 | spared, user)?;
    }
    Ok(AgentFiles { library, python, uncached: None })
}

/// Path of the folder for `version` in `home`, whose name ends with a random number; the folder need not
/// exist.
///
/// # Errors
/// When others have any access to `home`, or the system fails.
fn secret(home: &Path, version: &str, user: u32) -> Result<PathBuf, Refused> {
    let mode = std::fs::symlink_metadata(home).map_err(|error| Refused::system(home, error))?.mode();
    if mode & 0o077 != 0 {
        let words = "must be open to you only: use chmod 700";
        return Err(Refused { path: home.to_owned(), why: Why::Other(words) });
    }
    let beginning = format!("{version}-");
    let known = private_folder(home, user, |name| name.starts_with(&beginning));
    known.map_or_else(|| Ok(home.join(beginning + &number(home)?)), Ok)
}

/// Makes a folder, and the folders above it, where missing, and checks that no other user can replace it.
///
/// # Errors
/// When it cannot be made or is no folder, or another user can replace it or a folder above it.
fn made(folder: &Path, user: u32) -> Result<Checked, Refused> {
    if !folder.exists()
        && let (Some(parent), Some(name)) = (folder.parent(), folder.file_name())
    {
        let path = made(parent, user)?.path.join(name);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(Refused::system(&path, error));
            }
            // Made by this process, or meanwhile by another one: then it is checked like any other folder.
            _ => {}
        }
    }
    let checked = ownership::check(folder, user)?;
    if checked.path.is_dir() {
        Ok(checked)
    } else {
        Err(Refused { path: checked.path, why: Why::Other("is not a folder") })
    }
}

/// Writes a file with this mode, unless it has these contents already and no other user can change it.
///
/// # Errors
/// When it cannot be written; the file is then as it was.
fn put(path: &Path, bytes: &[u8], mode: u32, user: u32) -> Result<(), Refused> {
    let is_safe = |path| ownership::check(path, user).is_ok_and(|checked| checked.path == path);
    if is_safe(path) && std::fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    write(path, bytes, mode).map_err(|error| Refused::system(path, error))
}

/// Writes a file under a temporary name, and renames it when it is complete.
fn write(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut name = path.file_name().map(OsStr::to_owned).unwrap_or_default();
    name.push(format!(".{:016x}.partial", random()?));
    let partial = path.with_file_name(name);
    let written = OpenOptions::new().write(true).create_new(true).mode(mode).open(&partial);
    let written = written.and_then(|mut file| file.write_all(bytes));
    let done = written.and_then(|()| std::fs::rename(&partial, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    done
}

#[cfg(test)]
mod tests;
