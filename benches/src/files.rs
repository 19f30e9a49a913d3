//! The traces that a bench reads: a generated one, and those that the user names.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::generate::{self, Dialect, Recipe};

/// Goes to the root of the repository, from which paths on the command line count: cargo runs benches in the
/// folder of their package.
pub fn go_to_root() -> io::Result<()> {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Writes a generated trace of about `bytes` bytes into a folder and prints what it holds.
pub fn generated(folder: &Path, dialect: Dialect, bytes: u64) -> io::Result<PathBuf> {
    let name = format!("{dialect:?}-{}mb.json", bytes / 1_000_000).to_lowercase();
    let path = folder.join(name);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    let written = generate::write(&mut out, &Recipe { dialect, bytes, seed: 42, damage: 0.0 })?;
    out.flush()?;
    println!("{}: {written}", label(&path));
    Ok(path)
}

/// The paths on the command line (after `--`), then those in `PROFTUI_BENCH_FILES` (separated as in `PATH`).
pub fn named() -> Vec<PathBuf> {
    let arguments = std::env::args_os().skip(1).filter(|arg| !arg.to_string_lossy().starts_with("--"));
    let mut paths: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    if let Some(more) = std::env::var_os("PROFTUI_BENCH_FILES") {
        paths.extend(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()));
    }
    paths
}

/// A path's last component, which labels its lines of output.
pub fn label(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
