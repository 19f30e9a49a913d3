//! Ends the process when something hangs, with a message that says which step hung.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// Time limit of one step; far above what any takes on any machine.
const LIMIT: Duration = Duration::from_mins(2);

/// Ends the process unless the next step begins within the limit.
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

    /// Begins a step, named for the message.
    pub(crate) fn feed(&self, what: String) {
        let _ = self.0.send(what);
    }
}
