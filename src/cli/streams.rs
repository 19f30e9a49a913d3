//! What commands write: tables to standard output, lines for the person to standard error; and why a command failed.
//!
//! Must not know any command.

use std::io::{self, Write};

/// Why a command failed, in one line.
#[derive(Debug)]
pub(super) struct Failure(pub(super) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Prints to standard output; a reader that went away is not an error.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, for the person; a closed one is no reason to stop.
pub(super) fn notify(line: &str) {
    let _ = writeln!(io::stderr(), "proftui: {line}");
}
