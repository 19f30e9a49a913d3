//! Reads one control sequence as an event of crossterm. Must not know where it begins or ends in what a
//! terminal sends.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use proftui_base::saturate::saturate;

/// Something that a terminal sent: an event, or its answer to the program's question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::term) enum Input {
    Event(Event),
    /// The answer to the question `CSI 5 n`, which asks for the terminal's status.
    Answer,
}

/// The number by which a terminal reports the key `0` of the number pad.
const PAD: u32 = 57399;
/// The characters of the number pad's keys, in the order of their numbers from [`PAD`] on. `\r` stands for
/// Enter.
const PAD_CHARACTERS: &[u8] = b"0123456789./*-+\r=,";
const PAD_KEYS: [KeyCode; 10] = [
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Insert,
    KeyCode::Delete,
];

/// The event of a press of this key without modifiers.
pub(super) fn key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::from(code))
}

/// The input that the control sequence `CSI` `numbers` `last` stands for; `None` if it is not known.
pub(super) fn sequence(numbers: &[u8], last: u8) -> Option<Input> {
    let text = std::str::from_utf8(numbers).ok()?;
    if let Some(report) = text.strip_prefix('<') {
        return mouse(report, last).map(|mouse| Input::Event(Event::Mouse(mouse)));
    }
    let mut fields = text.split(';').map(|field| field.split(':').map(|number| number.parse::<u32>().ok()));
    let mut first = fields.next()?;
    let number = first.next()?;
    let mut held = fields.next().into_iter().flatten();
    let bits = held.next().flatten().unwrap_or(1).saturating_sub(1);
    let kind = match held.next().flatten() {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    let mut state = state(bits);
    let mut modifiers = modifiers(bits);
    let code = match (last, number) {
        (b'n', Some(0 | 3)) => return Some(Input::Answer),
        (b'I', None) => return Some(Input::Event(Event::FocusGained)),
        (b'O', None) => return Some(Input::Event(Event::FocusLost)),
        (b'~', Some(1 | 7)) => KeyCode::Home,
        (b'~', Some(2)) => KeyCode::Insert,
        (b'~', Some(4 | 8)) => KeyCode::End,
        (b'~', Some(3)) => KeyCode::Delete,
        (b'~', Some(5)) => KeyCode::PageUp,
        (b'~', Some(6)) => KeyCode::PageDown,
        (b'~', Some(number @ 11..=15)) => KeyCode::F(saturate::<u8>(number - 10)),
        (b'~', Some(number @ 17..=21)) => KeyCode::F(saturate::<u8>(number - 11)),
        (b'~', Some(number @ 23..=24)) => KeyCode::F(saturate::<u8>(number - 12)),
        (b'u', Some(number)) if let Some(code) = on_the_pad(number) => {
            state |= KeyEventState::KEYPAD;
            code
        }
        (b'u', Some(number)) => {
            let shifted = first.next().flatten().filter(|_| modifiers.contains(KeyModifiers::SHIFT));
            let code = encoded(number, shifted, first.next().flatten(), modifiers)?;
            if code == KeyCode::BackTab {
                modifiers |= KeyModifiers::SHIFT;
            }
            code
        }
        (b'Z', _) => {
            modifiers |= KeyModifiers::SHIFT;
            KeyCode::BackTab
        }
        (last, None | Some(1)) => named(last)?,
        _ => return None,
    };
    Some(Input::Event(Event::Key(KeyEvent { code, modifiers, kind, state })))
}

/// The modifiers that are held, from the bits in which a terminal reports them: from bit 0 on Shift, Alt,
/// Control, Super, Hyper, Meta.
fn modifiers(bits: u32) -> KeyModifiers {
    let all = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    let held = all.into_iter().enumerate().filter(|(bit, _)| bits >> bit & 1 != 0);
    held.map(|(_, modifier)| modifier).collect()
}

/// The locks that are on, from the bits in which a terminal reports modifiers: bit 6 is Caps Lock, bit 7 Num
/// Lock.
fn state(bits: u32) -> KeyEventState {
    let lock = |bit: u32, state| if bits >> bit & 1 != 0 { state } else { KeyEventState::NONE };
    lock(6, KeyEventState::CAPS_LOCK) | lock(7, KeyEventState::NUM_LOCK)
}

/// What the mouse did, from a report `BUTTON;COLUMN;LINE` and the byte that ends it; `None` if not known. The
/// report counts columns and lines from 1, the result from 0.
fn mouse(report: &str, last: u8) -> Option<MouseEvent> {
    let mut numbers = report.split(';').map(|number| number.parse::<u16>().ok());
    let (number, column, row) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let button = || match number & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    // Bits 2 to 4 state held keys; bit 5 that the mouse moved.
    let kind = match (number & !0x1f, number & 3, last) {
        (0, _, b'M') => MouseEventKind::Down(button()?),
        (0, _, b'm') => MouseEventKind::Up(button()?),
        (32, 3, b'M') => MouseEventKind::Moved,
        (32, _, b'M') => MouseEventKind::Drag(button()?),
        (64, 0, b'M') => MouseEventKind::ScrollUp,
        (64, 1, b'M') => MouseEventKind::ScrollDown,
        (64, 2, b'M') => MouseEventKind::ScrollLeft,
        (64, 3, b'M') => MouseEventKind::ScrollRight,
        _ => return None,
    };
    let held = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let modifiers = held.into_iter().filter(|(bit, _)| number & bit != 0).map(|(_, held)| held).collect();
    Some(MouseEvent { kind, column: column.checked_sub(1)?, row: row.checked_sub(1)?, modifiers })
}

/// The key that the last byte of a sequence stands for: an arrow, Home, End, or F1 to F4. None for other
/// bytes.
pub(super) fn named(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// A press of F1 to F5 on the Linux console, which sends `CSI [` and `A` to `E`; none for another last byte.
pub(super) fn function_key(last: u8) -> Option<Event> {
    let number = last.checked_sub(b'A').filter(|number| *number < 5)?;
    Some(key(KeyCode::F(number + 1)))
}

/// The key of the number pad that a terminal reports by this number, from [`PAD`] on; none for other numbers.
fn on_the_pad(number: u32) -> Option<KeyCode> {
    let at = number.checked_sub(PAD)? as usize;
    match PAD_CHARACTERS.get(at) {
        Some(b'\r') => Some(KeyCode::Enter),
        Some(&character) => Some(KeyCode::Char(character.into())),
        None => PAD_KEYS.get(at - PAD_CHARACTERS.len()).copied(),
    }
}

/// The key of a report of the form `CSI NUMBER:SHIFTED:BASE ; HELD u`, whose numbers are characters; `None`
/// if it is no known key.
fn encoded(number: u32, shifted: Option<u32>, base: Option<u32>, held: KeyModifiers) -> Option<KeyCode> {
    let is_chord = held.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let number = shifted.or(base.filter(|_| is_chord && number > 0x7f)).unwrap_or(number);
    Some(match char::from_u32(number)? {
        '\x1b' => KeyCode::Esc,
        '\r' => KeyCode::Enter,
        '\t' if held.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        '\t' => KeyCode::Tab,
        '\x7f' => KeyCode::Backspace,
        // Keys without a character.
        '\u{e000}'..='\u{f8ff}' => return None,
        c if c.is_control() => return None,
        c if held.contains(KeyModifiers::SHIFT) => KeyCode::Char(c.to_ascii_uppercase()),
        c => KeyCode::Char(c),
    })
}
