//! The output of commands: results on standard output, messages for the user on standard error; and the error
//! of a failed command.
//!
//! Must not know any command.

use std::io::{self, BufWriter, StdoutLock, Write};

use proftui_base::closed;
use proftui_base::fault::{self, Point};
use proftui_base::text::SafeText;

/// The error of a command that failed, as a message for the user.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Prints `text` to standard output. A pipe whose reader has gone is not an error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    if text.is_empty() { Ok(()) } else { print_by(|out| out.write_all(text.as_bytes())) }
}

/// Prints to standard output what `write` writes. A pipe whose reader has gone is not an error.
pub(crate) fn print_by(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'_>>) -> io::Result<()>,
) -> Result<(), Failure> {
    fault::at(Point::Write);
    let mut out = BufWriter::new(io::stdout().lock());
    printed(write(&mut out).and_then(|()| out.flush()))
}

/// Prints the text of `--help` or `--version` to standard output.
pub(crate) fn print_help(help: &clap::Error) -> Result<(), Failure> {
    printed(help.print().and_then(|()| io::stdout().flush()))
}

/// Maps the result of writing to standard output to the result of a command. A pipe whose reader has gone
/// is not an error; a standard output that was closed when the program was started is one.
pub(crate) fn printed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure(format!("standard output: {error}"))),
        Ok(()) if closed::is_stdout_closed() => {
            Err(Failure("standard output is closed: nothing was printed".into()))
        }
        Ok(()) => Ok(()),
    }
}

/// Prints a message for the user as one line on standard error, behind `proftui: `. Ignores errors of
/// writing.
pub(crate) fn notify(line: &str) {
    let _ = writeln!(io::stderr(), "proftui: {}", SafeText::new(line).as_str());
}
