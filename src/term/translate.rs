//! Translates crossterm's events to those of the loop, since `app` must not know which library's types the
//! keyboard has. Must not know how they are read, nor what a key does.

use crossterm::event::{
    Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::app::input::key::Key;
use crate::app::input::mouse::{Mouse, MouseAction};

use super::Event;

/// Translates an event of crossterm to an event of the loop. `None` for events that the explorer does not
/// use.
pub(super) fn translate(raw: Raw) -> Option<Event> {
    match raw {
        Raw::Key(key) if key.kind != KeyEventKind::Release => key_of(key).map(Event::Key),
        Raw::Mouse(mouse) => mouse_of(mouse).map(Event::Mouse),
        Raw::Paste(text) => Some(Event::Paste(text)),
        Raw::Key(_) | Raw::FocusGained | Raw::FocusLost | Raw::Resize(..) => None,
    }
}

fn key_of(event: KeyEvent) -> Option<Key> {
    let with = |modifier| event.modifiers.contains(modifier);
    // Keys with Super or Hyper are for the desktop.
    if event.modifiers.intersects(KeyModifiers::SUPER | KeyModifiers::HYPER) {
        return None;
    }
    Some(match event.code {
        KeyCode::Char(c) if with(KeyModifiers::CONTROL) => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) if with(KeyModifiers::ALT) => Key::Alt(c),
        KeyCode::Char(c) => Key::Char(c),
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

fn mouse_of(event: MouseEvent) -> Option<Mouse> {
    let action = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => MouseAction::Press,
        MouseEventKind::Up(MouseButton::Left) => MouseAction::Release,
        MouseEventKind::Drag(MouseButton::Left) => MouseAction::Drag,
        MouseEventKind::ScrollUp => MouseAction::WheelUp,
        MouseEventKind::ScrollDown => MouseAction::WheelDown,
        _ => return None,
    };
    Some(Mouse { action, x: event.column, y: event.row })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_folded() {
        let none = KeyModifiers::NONE;
        for (code, modifiers, expected) in [
            (KeyCode::Char('W'), KeyModifiers::SHIFT, Some(Key::Char('W'))),
            (KeyCode::Char('c'), KeyModifiers::CONTROL, Some(Key::Ctrl('c'))),
            (KeyCode::Char('Z'), KeyModifiers::CONTROL | KeyModifiers::SHIFT, Some(Key::Ctrl('z'))),
            (KeyCode::Char('x'), KeyModifiers::ALT, Some(Key::Alt('x'))),
            (KeyCode::Char('x'), KeyModifiers::SUPER, None),
            (KeyCode::Left, KeyModifiers::CONTROL, Some(Key::Left)),
            (KeyCode::F(5), none, Some(Key::F(5))),
            (KeyCode::Insert, none, None),
        ] {
            let event = translate(Raw::Key(KeyEvent::new(code, modifiers)));
            assert_eq!(event, expected.map(Event::Key), "{code:?} {modifiers:?}");
        }
    }

    #[test]
    fn what_is_of_no_interest_is_dropped() {
        let release = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Release);
        let moved =
            MouseEvent { kind: MouseEventKind::Moved, column: 1, row: 2, modifiers: KeyModifiers::NONE };
        for raw in [Raw::Key(release), Raw::Mouse(moved), Raw::FocusGained, Raw::FocusLost, Raw::Resize(1, 1)]
        {
            assert_eq!(translate(raw.clone()), None, "{raw:?}");
        }
        assert_eq!(translate(Raw::Paste("a\nb".into())), Some(Event::Paste("a\nb".into())));
    }
}
