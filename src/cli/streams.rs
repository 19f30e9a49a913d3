//! The output of commands: results on standard output, messages for the user on standard error; and the error of a failed command.
//!
//! Must not know any command.

use std::io::{self, Write};

use crate::base::fault::{self, Point};

/// The error of a command that failed: why, in one line, as it is printed.
#[derive(Debug)]
pub(super) struct Failure(pub(super) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Prints to standard output. A closed pipe is not an error; any other failure to write is.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    fault::at(Point::Write);
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a message for the user as one line on standard error, behind `proftui: `; errors of writing are ignored.
pub(super) fn notify(line: &str) {
    let _ = writeln!(io::stderr(), "proftui: {line}");
}
