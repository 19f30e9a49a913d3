//! The explorer with hostile names and random keys, and the checks of every drawn screen.

use arbitrary::Arbitrary;
use proftui::app::session::loading::{LoadProgress, LoadingScreen};
use proftui::app::{Effect, Explorer, Key, Msg, Session, State, update};
use proftui::ui::theme::{Background, Depth};
use proftui::ui::{self, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::text::{Text, quote};

/// Keys that are bound to commands; they are tried most often.
const KEYS: &[&str] = &[
    "+", "-", "/", "0", "1", "2", "3", "?", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
    "p", "r", "s", "t", "u", "v", "w", "x", "y", "z", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
    "N", "O", "P", "R", "S", "T", "U", "V", "W", "X", "Y", "Z", ":", ";", ",", ".", "<", ">", "[", "]", "(", ")", "{",
    "}", "=", "_", "*", "#", "'", "`", "^", "$", "%", "&", "!", "@", "|", "~", "space", "enter", "esc", "tab",
    "backtab", "backspace", "delete", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "f1", "f5",
    "ctrl-c", "ctrl-l", "ctrl-u", "ctrl-z", "ctrl-n", "ctrl-p", "alt-x", "9", "4", "é", "卷",
];

/// One event. Its numbers choose among few values, so many events share names and lanes.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Event {
    event_type: u8,
    start: u16,
    dur: u16,
    scale: u8,
    lane: u8,
    name: u8,
    cat: u8,
    correlation: u8,
}

#[derive(Arbitrary, Debug)]
enum Move {
    Key(u8),
    KeyTwice(u8),
    Char(char),
    Text(Text),
    Resize(u8, u8),
    Notice(Text),
    Loading(Text, u8, u8),
}

/// A trace, a screen, and the actions of a user.
#[derive(Arbitrary, Debug)]
pub struct Case {
    names: Vec<Text>,
    is_raw: bool,
    header: u8,
    theme: u8,
    size: (u8, u8),
    events: Vec<Event>,
    moves: Vec<Move>,
}

const EVENT_TYPES: &[&str] = &["X", "X", "X", "X", "X", "B", "E", "b", "e", "i", "C", "s", "f", "n", "M", "R"];
const CATS: &[&str] = &[
    "kernel",
    "cuda_runtime",
    "cpu_op",
    "user_annotation",
    "python_function",
    "gpu_memcpy",
    "gpu_user_annotation",
    "cuda_sync",
    "ac2g",
    "fwdbwd",
];
const TAGS: &[&str] = &["process_name", "thread_name", "process_sort_index", "thread_sort_index"];

impl Case {
    fn name(&self, number: u8) -> &str {
        self.names.get(usize::from(number) % self.names.len().max(1)).map_or("gemm", |text| &text.0)
    }

    fn size(size: (u8, u8)) -> (u16, u16) {
        (u16::from(size.0) % 201, u16::from(size.1) % 61)
    }

    /// The trace as JSON text.
    pub fn json(&self) -> String {
        let mut out = String::from("{");
        if self.header & 1 == 1 {
            out.push_str("\"deviceProperties\":[{\"id\":0,\"numSms\":132,\"totalGlobalMem\":85000000000,\"name\":");
            quote(&mut out, self.name(self.header), self.is_raw);
            out.push_str("}],\"baseTimeNanoseconds\":1700000000000000000,");
        }
        if self.header & 2 == 2 {
            quote(&mut out, self.name(self.header >> 1), self.is_raw);
            out.push(':');
            quote(&mut out, self.name(self.header >> 2), self.is_raw);
            out.push(',');
        }
        if self.header & 4 == 4 {
            out.push_str("\"schemaVersion\":");
            quote(&mut out, &format!("1.0.{}", self.name(self.header >> 3)), self.is_raw);
            out.push(',');
        }
        out.push_str("\"traceEvents\":[");
        for (i, event) in self.events.iter().take(200).enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.event(&mut out, *event);
        }
        out.push_str("]}");
        out
    }

    fn event(&self, out: &mut String, event: Event) {
        let Event { event_type, start, dur, scale, lane, name, cat, correlation } = event;
        let event_type = EVENT_TYPES[usize::from(event_type) % EVENT_TYPES.len()];
        let unit = [1_u64, 1000, 1_000_000, 40_000_000_000][usize::from(scale) % 4];
        let base = if scale & 16 == 16 { 1_700_000_000_000_000 } else { 0 };
        let sign = if scale & 32 == 32 && base == 0 { "-" } else { "" };
        let start = base + u64::from(start) * unit;
        let dur = u64::from(dur) * unit;
        out.push_str(&format!("{{\"ph\":\"{event_type}\",\"ts\":{sign}{start}.{:03},\"dur\":{dur},", scale));
        let numbers = |out: &mut String, key: &str, number: u8| {
            out.push_str(&format!("\"{key}\":"));
            match number % 4 {
                3 => quote(out, self.name(number >> 2), self.is_raw),
                n => out.push_str(&n.to_string()),
            }
            out.push(',');
        };
        numbers(out, "pid", lane);
        numbers(out, "tid", lane >> 3);
        out.push_str("\"cat\":");
        match CATS.get(usize::from(cat) % 16) {
            Some(cat) => quote(out, cat, self.is_raw),
            None => quote(out, self.name(cat >> 4), self.is_raw),
        }
        out.push_str(&format!(",\"id\":{},\"name\":", correlation % 4));
        if event_type == "M" {
            quote(out, TAGS[usize::from(cat) % TAGS.len()], self.is_raw);
            out.push_str(",\"args\":{\"name\":");
            quote(out, self.name(name), self.is_raw);
            out.push_str(&format!(",\"sort_index\":{dur}}}}}"));
            return;
        }
        let named = match name {
            250.. => "[memory]".into(),
            240..=249 => format!("ProfilerStep#{}", name),
            _ => self.name(name).to_owned(),
        };
        quote(out, &named, self.is_raw);
        out.push_str(",\"args\":{");
        quote(out, self.name(name >> 3), self.is_raw);
        out.push_str(if event_type == "C" { ":5.5," } else { ":" });
        if event_type != "C" {
            quote(out, self.name(name >> 4), self.is_raw);
            out.push(',');
        }
        out.push_str(&format!(
            "\"Bytes\":{dur},\"Device Type\":1,\"Device Id\":{},\"grid\":[1,{dur},{{\"a\":\"b\"}}],\"correlation\":{}}}}}",
            correlation % 3,
            correlation % 8
        ));
    }

    fn theme(&self) -> Theme {
        let depth = [Depth::Mono, Depth::Ansi16, Depth::Indexed256, Depth::True][usize::from(self.theme) % 4];
        let background = if self.theme & 4 == 4 { Background::Light } else { Background::Dark };
        Theme::new(depth, background, self.theme & 8 == 0)
    }
}

/// Opens the trace, performs all actions, and checks the screen after each.
pub fn run(case: &Case) {
    let Ok(loaded) = crate::load(case.json().as_bytes()) else { return };
    let theme = case.theme();
    let mut state = State::new(Session::new(loaded), Case::size(case.size));
    look(&state, &theme, state.size);
    for step in case.moves.iter().take(80) {
        let effects = match step {
            Move::Key(number) | Move::KeyTwice(number) => {
                let key = KEYS[usize::from(*number) % KEYS.len()];
                let key = Key::parse(key).expect("a key");
                if matches!(step, Move::KeyTwice(_)) {
                    send(&mut state, Msg::Key(key));
                }
                send(&mut state, Msg::Key(key))
            }
            Move::Char(ch) if ch.is_control() => Vec::new(),
            Move::Char(ch) => send(&mut state, Msg::Key(Key::Char(*ch))),
            Move::Text(text) => send(&mut state, Msg::Paste(text.0.clone())),
            Move::Resize(width, height) => {
                let (width, height) = Case::size((*width, *height));
                send(&mut state, Msg::Resize(width, height))
            }
            Move::Notice(text) => send(&mut state, Msg::WorkerPanicked(text.0.clone())),
            Move::Loading(name, width, height) => {
                let area = area(Case::size((*width, *height)));
                let mut buffer = Buffer::empty(area);
                let progress = LoadProgress::default();
                let (keys, preflight) = (std::sync::Arc::default(), name.0.clone());
                let screen = LoadingScreen { keys, name: name.0.clone(), preflight, progress };
                ui::draw_loading(&screen, &theme, area, &mut buffer);
                check(&buffer, theme.utf8);
                // For one frame the screen may have another size than the state expects.
                look(&state, &theme, (area.width, area.height));
                let mut explorer = Explorer::new(name.0.clone(), true, (area.width, area.height));
                assert!(has_quit(&explorer.update(Msg::Key(Key::Char('q')))));
                Vec::new()
            }
        };
        look(&state, &theme, state.size);
        if has_quit(&effects) {
            return;
        }
    }
}

/// Sends a message to the explorer, and does the jobs that it asks for. Returns the other effects.
fn send(state: &mut State, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    for effect in update(state, msg) {
        match effect {
            Effect::Run(job) => effects.extend(send(state, Msg::Done(Box::new(job.run())))),
            effect => effects.push(effect),
        }
    }
    effects
}

fn has_quit(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Quit))
}

fn area(size: (u16, u16)) -> Rect {
    Rect::new(0, 0, size.0, size.1)
}

fn look(state: &State, theme: &Theme, size: (u16, u16)) {
    let mut buffer = Buffer::empty(area(size));
    ui::draw(state, theme, buffer.area, &mut buffer);
    check(&buffer, theme.utf8);
    assert!(state.timeline.viewport().contains(state.timeline.cursor()), "the cursor is within the viewport");
}

/// True for a character that controls a terminal, changes the direction of text, or is invisible.
fn is_forbidden(ch: char) -> bool {
    matches!(ch, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{10ffff}')
}

/// Checks the rules that every drawn screen must satisfy.
pub fn check(buffer: &Buffer, utf8: bool) {
    let width = usize::from(buffer.area.width);
    for (y, line) in buffer.content.chunks(width.max(1)).enumerate() {
        let mut columns = 0;
        let text = || line.iter().map(ratatui::buffer::Cell::symbol).collect::<Vec<_>>().join("¦");
        for (x, cell) in line.iter().enumerate() {
            let symbol = cell.symbol();
            assert!(!symbol.chars().any(is_forbidden), "forbidden {symbol:?} at {x},{y}");
            assert!(utf8 || symbol.is_ascii(), "{symbol:?} at {x},{y} of an ASCII screen");
            assert!(symbol.is_empty() == (columns > x), "{symbol:?} at {x},{y}: shares its column with a wide one: {}", text());
            columns += symbol.width();
            assert!(columns > x, "{symbol:?} at {x},{y} leaves its column empty: {}", text());
        }
        assert_eq!(columns, line.len(), "line {y} is as wide as the screen: {}", text());
    }
}
