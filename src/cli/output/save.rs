//! Writes whole files, such as pictures and tables.
//!
//! Must not know what is written.

use std::io::{self, Write};
use std::path::Path;

use proftui_base::new_file::{Destination, Existing, PUBLIC};
use proftui_trace::import;

use super::streams::Failure;

/// Writes `bytes` to the file `path`, and replaces an existing file if `is_forced` is true. If it is false,
/// an existing file is an error, whose text gives `advice`.
pub(crate) fn save(path: &Path, bytes: &[u8], is_forced: bool, advice: &str) -> Result<(), Failure> {
    let existing = if is_forced { Existing::IsReplaced } else { Existing::Stays };
    let written = Destination::open(path)
        .and_then(|destination| destination.write(PUBLIC, existing, |mut file| file.write_all(bytes)));
    written.map_err(|why| {
        let to = import::shown(path);
        Failure(match why.kind() {
            io::ErrorKind::AlreadyExists if path.is_dir() => {
                format!("{to}: this is a folder: name a file in it")
            }
            io::ErrorKind::AlreadyExists => {
                format!("{to}: the file exists already: {advice}")
            }
            io::ErrorKind::NotFound => {
                format!("{to}: its folder does not exist: make that first, with mkdir -p")
            }
            io::ErrorKind::InvalidInput => format!("{to}: no file can have this name"),
            _ => format!("{to}: {why}"),
        })
    })
}
