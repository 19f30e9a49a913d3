//! What runs inside captured processes, carried in this program: the agent and the Python files.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The agent's library, as the build made it.
const AGENT: &[u8] = include_bytes!(env!("PROFTUI_AGENT_SO"));

/// Bytes of the agent.
pub const SIZE: u64 = AGENT.len() as u64;

include!(concat!(env!("OUT_DIR"), "/python_files.rs"));

/// The agent as a file that processes can load: from the cache, unpacked there if need be; into `run` where there is no cache.
///
/// # Errors
/// When it can be written nowhere.
pub fn agent(run: &Path) -> io::Result<PathBuf> {
    let cached = cache().map(|cache| cache.join(format!("{:08x}-{}", crc32fast::hash(AGENT), AGENT.len())));
    if let Some(folder) = cached
        && let Ok(path) = unpack(&folder)
    {
        return Ok(path);
    }
    unpack(run)
}

/// The person's cache.
fn cache() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    Some(named.or_else(home)?.join("proftui"))
}

/// The agent in `folder`, whole or not at all.
fn unpack(folder: &Path) -> io::Result<PathBuf> {
    let path = folder.join("libproftui_agent.so");
    if std::fs::read(&path).is_ok_and(|known| known == AGENT) {
        return Ok(path);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let partial = folder.join(format!(".{}.partial", std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).mode(0o700).open(&partial);
    let written = written.and_then(|mut file| file.write_all(AGENT));
    let done = written.and_then(|()| std::fs::rename(&partial, &path));
    if done.is_err() {
        // What is left of it helps nobody.
        let _ = std::fs::remove_file(&partial);
    }
    done.map(|()| path)
}

/// Writes the Python files into `folder`.
///
/// # Errors
/// When they cannot be written.
pub fn python(folder: &Path) -> io::Result<()> {
    for (name, text) in PYTHON {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())?;
    }
    Ok(())
}
