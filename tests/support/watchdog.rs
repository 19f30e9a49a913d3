//! Ends the process when something hangs: a test that waits for ever tells nobody what it waits for.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Nothing under test takes nearly as long, on any machine.
const LIMIT: Duration = Duration::from_mins(2);

/// Bites when it is not fed.
pub(crate) struct Watchdog(Sender<String>);

impl Watchdog {
    pub(crate) fn start() -> Self {
        let (feed, fed) = channel::<String>();
        thread::spawn(move || {
            let mut last = String::from("the start");
            loop {
                match fed.recv_timeout(LIMIT) {
                    Ok(next) => last = next,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        eprintln!("hangs for {LIMIT:?} since {last}");
                        std::process::abort();
                    }
                }
            }
        });
        Self(feed)
    }

    /// What begins now.
    pub(crate) fn feed(&self, what: String) {
        let _ = self.0.send(what);
    }
}
