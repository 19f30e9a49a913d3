//! Owns starting the terminal's threads, and what the user reads where the system starts none. Must not know
//! what a thread does.

use std::io;
use std::thread::Builder;

/// Starts a thread of this name that runs `body` and is never joined.
///
/// # Errors
/// If the system starts no thread.
pub(super) fn start(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let started = Builder::new().name(name.to_owned()).spawn(body);
    started.map(drop).map_err(|error| {
        let advice = "see the limits on threads and memory, such as ulimit -u, -v and -d";
        io::Error::new(error.kind(), format!("cannot start a thread of the terminal: {error}; {advice}"))
    })
}
