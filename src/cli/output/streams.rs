//! The output of commands: results on standard output, messages for the user on standard error; and the error
//! of a failed command.
//!
//! Must not know any command.

use std::io::{self, BufWriter, StdoutLock, Write};

use proftui_base::closed;
use proftui_base::fault::{self, Point};
use proftui_base::text::SafeText;

/// The error of a command that failed: one line that says why, to be printed behind `proftui: `.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Prints `text` to standard output. A pipe whose reader has gone is not an error; any other failure to write
/// is, and so is a standard output that was closed when the program was started. An empty text is never an
/// error.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    if text.is_empty() { Ok(()) } else { print_by(|out| out.write_all(text.as_bytes())) }
}

/// Prints to standard output what `write` writes, with the errors of [`print`]; a standard output that was
/// closed is one even if `write` writes nothing.
pub(crate) fn print_by(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'_>>) -> io::Result<()>,
) -> Result<(), Failure> {
    fault::at(Point::Write);
    let mut out = BufWriter::new(io::stdout().lock());
    printed(write(&mut out).and_then(|()| out.flush()))
}

/// Prints the text of `--help` or `--version`, in colours where the terminal has them, with the errors of
/// [`print`].
pub(crate) fn print_help(help: &clap::Error) -> Result<(), Failure> {
    printed(help.print().and_then(|()| io::stdout().flush()))
}

/// What the result of writing to standard output means for a command: a pipe whose reader has gone is no
/// error, a standard output that was closed when the program was started is one.
fn printed(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure(format!("standard output: {error}"))),
        Ok(()) if closed::is_stdout_closed() => {
            Err(Failure("standard output is closed: nothing was printed".into()))
        }
        Ok(()) => Ok(()),
    }
}

/// Prints a message for the user as one line on standard error, behind `proftui: `, with escapes for what
/// would control the terminal; errors of writing are ignored.
pub(crate) fn notify(line: &str) {
    let _ = writeln!(io::stderr(), "proftui: {}", SafeText::new(line).as_str());
}
