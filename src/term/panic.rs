//! Owns the panic hook: restores the terminal and prints the panic's message.
//! A panic in a worker thread does not end the program: it is reported to the loop. Must not know any job.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;

use proftui_base::leave::{leave, print};

use super::Event;
use super::guard::Guard;

/// The exit code after a panic of the UI thread, the same as Rust's default.
pub const PANIC_CODE: i32 = 101;
/// How long the report of a worker's panic waits for room in a full channel before it is dropped.
// Short, since the worker holds its locks until then.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest text of a panic that is shown, in characters before escaping.
const LONGEST_TEXT: usize = 400;

/// Installs the panic hook: a panic of the calling thread restores the terminal, is reported and ends the
/// program; a panic of any other thread is sent to the loop as [`Event::WorkerPanicked`].
pub fn install<M>(guard: Arc<Guard>, events: Sender<M>)
where
    M: From<Event> + Send + 'static,
{
    let ui = thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if thread::current().id() == ui {
            guard.restore();
            print(&format!("proftui: {}; this is a bug in proftui, please report it\n", describe(info)));
            let trace = Backtrace::capture();
            if trace.status() == BacktraceStatus::Captured {
                print(&format!("{trace}"));
            }
            leave(PANIC_CODE);
        }
        let name = thread::current().name().unwrap_or("worker").to_owned();
        let what = format!("{name}: {}", describe(info));
        let _ = events.send_timeout(Event::WorkerPanicked(what).into(), PATIENCE);
    }));
}

/// The panic's text and source location, on one line.
fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown panic");
    match info.location() {
        Some(at) => format!("{} ({}:{})", plain(what), at.file(), at.line()),
        None => plain(what),
    }
}

/// Cuts a panic's text after [`LONGEST_TEXT`] characters, and escapes control characters and many invisible
/// characters.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(LONGEST_TEXT) {
        match c {
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{61c}'
            | '\u{feff}' => out.extend(c.escape_unicode()),
            c if c.is_control() => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(plain("a\x1b]52;c;x\x07\nb\u{202e}c\u{9b}"), r"a\u{1b}]52;c;x\u{7}\nb\u{202e}c\u{9b}");
        assert_eq!(plain(&"x".repeat(5000)).len(), super::LONGEST_TEXT);
        assert_eq!(plain("é ✓"), "é ✓");
    }
}
