//! A program that uses the terminal layer alone: it shows the terminal's size and the last key, and fails on
//! demand.
//!
//! It is an example of the loop in `proftui::term`; the tests in `tests/terminal/pty` run it to test the
//! layer under failures: `P` panics, `T` panics on another thread, `D` panics there while it unwinds from a
//! panic, `A` aborts, `a` aborts on another thread, `O` and `o` overflow the stack, `H` hangs for a minute,
//! `F` fills the screen repeatedly, `h` puts an escape sequence into a cell.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

use std::io::Write;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use proftui::app::Key;
use proftui::term::caps::{self, Caps};
use proftui::term::{self, App, Event, Guard, Screen, signals};
use proftui::ui::theme::Detail;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Widget;

/// Messages to the demo.
#[derive(Clone, Debug)]
struct Message(Event);

impl From<Event> for Message {
    fn from(event: Event) -> Self {
        Self(event)
    }
}

/// The state of the demo.
struct Demo {
    size: (u16, u16),
    last: String,
    note: String,
    filled: u32,
    keys: u32,
    messages: Sender<Message>,
}

impl App for Demo {
    type Message = Message;

    fn update(&mut self, Message(event): Message, screen: &mut Screen) -> ControlFlow<()> {
        match event {
            Event::Wake => return ControlFlow::Continue(()),
            Event::WorkerPanicked(what) => self.note = format!("job failed: {what}"),
            Event::KeyboardLost(_) => return ControlFlow::Break(()),
            Event::Resize(width, height) => self.size = (width, height),
            Event::Mouse(mouse) => self.last = format!("{mouse:?}"),
            Event::Paste(text) => self.last = format!("paste {text:?}"),
            Event::Key(key) => return self.key(key, screen),
        }
        screen.request_draw();
        ControlFlow::Continue(())
    }

    fn draw(&self, buffer: &mut Buffer, _: Detail) {
        let area = buffer.area;
        let bold = Style::new().fg(Color::Indexed(208)).add_modifier(Modifier::BOLD);
        let lines = [
            Line::styled(format!("size {}x{}", self.size.0, self.size.1), bold),
            Line::raw(format!("key {} #{}", self.last, self.keys)),
            Line::raw(format!("pid {}", std::process::id())),
            Line::raw(self.note.as_str()),
        ];
        for (line, row) in lines.into_iter().zip(area.rows()) {
            line.render(row, buffer);
        }
        if self.filled > 0 {
            for position in area.positions().skip(4 * usize::from(area.width)) {
                let mixed = u32::from(position.x) * 7 + u32::from(position.y) * 13 + self.filled;
                let colour = Color::Rgb(mixed as u8, (mixed * 3) as u8, (mixed * 5) as u8);
                let cell = &mut buffer[position];
                cell.set_char(char::from(b'a' + (mixed % 26) as u8)).set_fg(colour);
            }
        }
        if area.height > 4 && self.last == "h" {
            buffer[(0, 4)].set_symbol("\x1b]0;owned\x07");
        }
    }
}

impl Demo {
    #[allow(clippy::panic)]
    fn key(&mut self, key: Key, screen: &mut Screen) -> ControlFlow<()> {
        self.keys += 1;
        self.last = key.to_string();
        match key {
            Key::Char('q') | Key::Ctrl('c') => return ControlFlow::Break(()),
            Key::Ctrl('l') => screen.mark_stale(),
            Key::Ctrl('z') => signals::suspend_self(),
            Key::Char('P') => panic!("boom \x1b[31m on the UI thread"),
            Key::Char('T') => {
                let job = std::thread::Builder::new().name("job".to_owned());
                let _ = job.spawn(|| panic!("boom in a worker"));
            }
            Key::Char('D') => drop(std::thread::spawn(|| {
                let _bomb = Bomb;
                panic!("the first");
            })),
            Key::Char('A') => std::process::abort(),
            Key::Char('a') => drop(std::thread::spawn(|| std::process::abort())),
            Key::Char('O') => self.keys = overflow(u32::MAX),
            Key::Char('o') => drop(std::thread::spawn(|| overflow(u32::MAX))),
            Key::Char('H') => std::thread::sleep(Duration::from_mins(1)),
            Key::Char('F') => {
                let messages = self.messages.clone();
                std::thread::spawn(move || {
                    let fill = || Message(Event::Key(Key::F(1)));
                    while messages.send(fill()).is_ok() {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                });
            }
            Key::F(1) => self.filled += 1,
            _ => {}
        }
        screen.request_draw();
        ControlFlow::Continue(())
    }
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    #[allow(clippy::panic)]
    fn drop(&mut self) {
        panic!("the second");
    }
}

/// Calls itself until the stack has no room.
fn overflow(depth: u32) -> u32 {
    let filler = std::hint::black_box([depth; 64]);
    if depth == 0 { 0 } else { overflow(depth - 1) + filler[63] }
}

fn start() -> Result<(), String> {
    let guard = Guard::open().map_err(|error| error.to_string())?;
    let caps = Caps::detect(None, &caps::process_env()).map_err(str::to_owned)?;
    let (messages, queue) = bounded::<Message>(256);
    let running = || -> std::io::Result<()> {
        term::panic::install(Arc::clone(&guard), messages.clone());
        signals::watch(Arc::clone(&guard), messages.clone())?;
        term::hangup::watch(Arc::clone(&guard))?;
        let mut screen = Screen::enter(&guard, &caps, Some(Detail::Full), messages.clone())?;
        term::input::read(Arc::clone(&guard), messages.clone())?;
        let mut demo = Demo {
            size: screen.size(),
            last: String::new(),
            note: String::new(),
            filled: 0,
            keys: 0,
            messages: messages.clone(),
        };
        term::run(&mut demo, &queue, &mut screen)
    };
    running().map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            // A closed stderr must not become a panic.
            let _ = writeln!(std::io::stderr(), "terminal: {reason}");
            ExitCode::FAILURE
        }
    }
}
