//! Owns the translation of the keyboard library's events and the thread that reads them.
//! The only file that knows those events. Must not know what a key does, except for Ctrl-C. If the event loop has not run since the
//! previous Ctrl-C, the next Ctrl-C is sent as SIGINT, so a program that hangs can be stopped.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{SendTimeoutError, Sender};
use crossterm::event::{self, Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::Event;
use super::guard::Guard;
use super::signals::interrupt_self;
use crate::app::key::Key;

/// How long a key waits for room in a full channel before it is dropped; Ctrl-C waits a tenth of this, and is then sent as
/// SIGINT.
const PATIENCE: Duration = Duration::from_secs(1);

/// Starts the thread that reads keys and pasted text and sends them to `events`. The channel is bounded: if the loop is slow, the
/// thread waits.
pub fn read<M>(guard: Arc<Guard>, events: Sender<M>) -> io::Result<()>
where
    M: From<Event> + Send + 'static,
{
    let body = move || {
        let mut interrupted_at = None;
        let mut failures = 0;
        loop {
            let raw = match event::read() {
                Ok(raw) => raw,
                Err(error) => {
                    // Brief failures happen (an unknown size); a lasting one is reported.
                    failures += 1;
                    if failures == 20 {
                        let _ = events.send(M::from(Event::KeyboardLost(error.to_string())));
                        return;
                    }
                    thread::sleep(Duration::from_millis(50));
                    continue;
                }
            };
            failures = 0;
            let Some(event) = translate(raw) else {
                continue;
            };
            let interrupt = event == Event::Key(Key::Ctrl('c'));
            if interrupt {
                let round = guard.pulse.rounds();
                if interrupted_at.replace(round) == Some(round) {
                    interrupt_self();
                }
            }
            let limit = if interrupt { PATIENCE / 10 } else { PATIENCE };
            match events.send_timeout(event.into(), limit) {
                Err(SendTimeoutError::Disconnected(_)) => return,
                Err(SendTimeoutError::Timeout(_)) if interrupt => interrupt_self(),
                Ok(()) | Err(SendTimeoutError::Timeout(_)) => {}
            }
        }
    };
    thread::Builder::new().name("input".to_owned()).spawn(body).map(drop)
}

/// Translates an event of the keyboard library; none for key releases, focus, mouse, unknown keys, and for resizes, which the
/// signal thread notices.
fn translate(raw: Raw) -> Option<Event> {
    match raw {
        Raw::Key(key) if key.kind != KeyEventKind::Release => key_of(key).map(Event::Key),
        Raw::Paste(text) => Some(Event::Paste(text)),
        _ => None,
    }
}

fn key_of(event: KeyEvent) -> Option<Key> {
    let with = |modifier| event.modifiers.contains(modifier);
    Some(match event.code {
        KeyCode::Char(c) if with(KeyModifiers::CONTROL) => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) if with(KeyModifiers::ALT) => Key::Alt(c),
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Null => Key::Ctrl(' '),
        KeyCode::Tab if with(KeyModifiers::SHIFT) => Key::BackTab,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::F(number) => Key::F(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Option<Event> {
        translate(Raw::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn keys_are_folded() {
        let none = KeyModifiers::NONE;
        for (code, modifiers, expected) in [
            (KeyCode::Char('W'), KeyModifiers::SHIFT, Key::Char('W')),
            (KeyCode::Char('c'), KeyModifiers::CONTROL, Key::Ctrl('c')),
            (KeyCode::Char('Z'), KeyModifiers::CONTROL | KeyModifiers::SHIFT, Key::Ctrl('z')),
            (KeyCode::Char('x'), KeyModifiers::ALT, Key::Alt('x')),
            (KeyCode::Tab, KeyModifiers::SHIFT, Key::BackTab),
            (KeyCode::Left, none, Key::Left),
            (KeyCode::F(5), none, Key::F(5)),
            (KeyCode::Char(' '), none, Key::Char(' ')),
        ] {
            assert_eq!(key(code, modifiers), Some(Event::Key(expected)));
        }
    }

    #[test]
    fn what_is_of_no_interest_is_dropped() {
        let release = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Release);
        assert_eq!(translate(Raw::Key(release)), None);
        assert_eq!(translate(Raw::FocusGained), None);
        assert_eq!(translate(Raw::Resize(1, 1)), None);
        assert_eq!(key(KeyCode::Insert, KeyModifiers::NONE), None);
        assert_eq!(translate(Raw::Paste("a\nb".into())), Some(Event::Paste("a\nb".into())));
    }
}
