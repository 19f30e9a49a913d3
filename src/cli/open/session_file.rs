//! The file in which a session keeps its marks.
//!
//! Must not know what a mark is of.

use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::app::marking::marks::KeptMark;
use proftui_base::regular;
use proftui_trace::import;

use crate::cli::output::streams::Failure;

/// Most bytes of a session's file; a longer one is refused.
const LONGEST_FILE: u64 = 16 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    marks: Vec<KeptMark>,
}

/// The marks in the file of a session; empty if the file does not exist.
///
/// # Errors
/// When the file cannot be read, is longer than `LONGEST_FILE`, or is no file of a session.
pub(super) fn read(path: &Path) -> Result<Vec<KeptMark>, Failure> {
    let wrong = |why: String| Failure(format!("{}: {why}", import::shown(path)));
    match regular::read(path, LONGEST_FILE) {
        Ok(bytes) => {
            let file: File = serde_json::from_slice(&bytes)
                .map_err(|why| wrong(format!("this is no file of a session, which proftui writes: {why}")))?;
            Ok(file.marks)
        }
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(why) => Err(wrong(why.to_string())),
    }
}
