//! Owns the translation of the keyboard library's events and the thread that reads them.
//! The only file that knows those events. Must not know what a key does, except for Ctrl-C: this thread ends the program by it, so
//! that it is answered at once whatever the event loop does at the time.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Sender, TrySendError};
use crossterm::event::{self, Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::app::key::Key;
use crate::base::leave::leave;

use super::Event;
use super::guard::Guard;
use super::thread::start;

/// The program's exit code after Ctrl-C, the same as after the key that quits.
const INTERRUPT_CODE: i32 = 0;
/// How long the thread waits for another key while keys wait for room in the full channel.
const ROOM: Duration = Duration::from_millis(10);
/// The most keys that wait for room; further ones are dropped.
const MOST: usize = 1 << 16;

/// Starts the thread that reads keys and pasted text and sends them to `events`. The channel is bounded: if the loop is slow, keys
/// wait in this thread, which reads on for a Ctrl-C. Ctrl-C restores the terminal and ends the program.
pub fn read<M>(guard: Arc<Guard>, events: Sender<M>) -> io::Result<()>
where
    M: From<Event> + Send + 'static,
{
    let body = move || {
        let mut waiting = VecDeque::new();
        let mut failures = 0;
        loop {
            while let Some(event) = waiting.pop_front() {
                match events.try_send(event) {
                    Ok(()) => {}
                    Err(TrySendError::Disconnected(_)) => return,
                    Err(TrySendError::Full(event)) => {
                        waiting.push_front(event);
                        break;
                    }
                }
            }
            let read = || {
                let is_there = waiting.is_empty() || event::poll(ROOM)?;
                is_there.then(event::read).transpose()
            };
            let raw = match read() {
                Ok(Some(raw)) => raw,
                Ok(None) => continue,
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
            match translate(raw) {
                Some(Event::Key(Key::Ctrl('c'))) => {
                    guard.restore();
                    leave(INTERRUPT_CODE);
                }
                Some(event) if waiting.len() < MOST => waiting.push_back(M::from(event)),
                _ => {}
            }
        }
    };
    start("input", body)
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
