//! Measures how long the event loop is busy with one message and the frame after it: every key, in every
//! pane, on traces of hostile shapes; also the arrival of a trace, of summaries and of other results.
//!
//! `cargo bench -p proftui-benches --bench busy -- [SHAPE ...] [--events=N]`; the shapes are those of
//! `tests/growth` and a few more. Processor time of the loop's thread is counted. Jobs run on another thread,
//! one after the other, and are not measured.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

#[path = "../tests/growth/events.rs"]
#[allow(dead_code, reason = "shared with the growth test")]
mod events;
#[path = "../tests/growth/shapes.rs"]
#[allow(dead_code, reason = "shared with the growth test")]
mod shapes;

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use proftui::app::command::{self, When};
use proftui::app::wires::jobs::Job;
use proftui::app::{Content, Effect, Explorer, Key, Msg, Session};
use proftui::ui::theme::{Background, Depth};
use proftui::ui::{Theme, draw};
use proftui_insight::analysis::VIEWS;
use proftui_trace::import::{Progress, Request, load_bytes};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustix::time::{ClockId, clock_gettime};

use events::Events;
use proftui_benches::measure;

const SIZE: (u16, u16) = (200, 50);
/// Messages that keep the loop busy for less are not printed, except the slowest one; of the others, the 40
/// slowest are.
const LEAST: Duration = Duration::from_millis(10);
/// The commands that leave the program, or load files again: here are no files.
const LEAVING: [&str; 4] = ["app.quit", "app.quit-now", "app.suspend", "app.reload"];

/// A name, and the function that makes a trace with about so many events.
type Shape = (&'static str, fn(usize) -> String);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let wanted: Vec<&String> = arguments.iter().filter(|arg| !arg.starts_with("--")).collect();
    let events = arguments.iter().find_map(|arg| arg.strip_prefix("--events="));
    let most = if measure::is_full() { 900_000 } else { 300 };
    let events = events.map_or(most, |events| events.parse().expect("a number"));
    let more: [Shape; 3] =
        [("distinct names", distinct_names), ("arguments", arguments_of_one), ("one launcher", one_launcher)];
    let all = shapes::SHAPES.iter().map(|shape| (shape.name, shape.text)).chain(more);
    for (name, text) in all.filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|one| one == name)) {
        measure(name, &text(events));
    }
}

/// Operators and kernels, all of other names.
fn distinct_names(n: usize) -> String {
    let mut events = Events::default();
    for i in 0..n {
        events.operator(&format!("op_{}", i * 7919 % n), (2 * i, 1 + i % 7));
    }
    for i in 0..n / 10 {
        events.launch(i, (2 * n + 10 * i, 5));
        events.work("kernel", &format!("kernel_{}", i * 7919 % n), (0, 7), i, (2 * n + 10 * i + 5, 5));
    }
    events.torch()
}

/// One operator with many arguments.
fn arguments_of_one(n: usize) -> String {
    let mut events = Events::default();
    let args: Vec<String> = (0..n).map(|i| format!(r#""argument {i}":"value {i}""#)).collect();
    events.slice("cpu_op", "op", 1, (0, 100), &args.join(","));
    events.torch()
}

/// One operator that launches all work.
fn one_launcher(n: usize) -> String {
    let mut events = Events::default();
    events.operator("aten::all", (0, 20 * n));
    for i in 0..n / 2 {
        events.launch(i, (10 * i + 1, 5));
        events.work("kernel", "gemm", (0, 7), i, (10 * i + 7, 5));
    }
    events.torch()
}

fn session(text: &str) -> Session {
    Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace"))
}

fn busy() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

struct Screen {
    explorer: Explorer,
    theme: Theme,
    buffer: Buffer,
    /// The longest time of each kind of message.
    worst: BTreeMap<String, Duration>,
}

impl Screen {
    /// Sends a message and draws the screen; then sends the results of the jobs that the message asked for.
    fn send(&mut self, about: &str, msg: Msg) {
        let before = busy();
        let effects = self.explorer.update(msg);
        self.buffer.reset();
        if let Content::Ready(state) = self.explorer.content() {
            draw(state, &self.theme, self.buffer.area, &mut self.buffer);
        }
        let took = busy().saturating_sub(before);
        let worst = self.worst.entry(about.to_owned()).or_default();
        *worst = took.max(*worst);
        for effect in effects {
            if let Effect::Run(job) = effect {
                let kind = job.kind();
                let ended = thread::spawn(move || Job::run(*job)).join().expect("no panic");
                self.send(&format!("{about}: end of {kind:?}"), Msg::Done(Box::new(ended)));
            }
        }
    }

    fn press(&mut self, about: &str, key: Key) {
        self.send(&format!("{about} {}", key.label(false)), Msg::Key(key));
    }

    fn type_text(&mut self, about: &str, text: &str) {
        text.chars().for_each(|typed| self.press(about, Key::Char(typed)));
    }

    /// Presses the first key of every command of these regions, twice.
    fn press_all(&mut self, about: &str, wanted: &[When]) {
        let skipped = |id: &str| LEAVING.contains(&id) || id.starts_with("pane.") && wanted[0] != When::Pane;
        for command in command::all().filter(|one| wanted.contains(&one.when) && !skipped(one.id)) {
            if let Some(&key) = command.keys.first() {
                self.press(about, key);
                self.press(about, key);
                self.leave_overlay();
            }
        }
    }

    fn leave_overlay(&mut self) {
        let is_open = |explorer: &Explorer| match explorer.content() {
            Content::Ready(state) => state.dialog.is_open(),
            Content::Loading(_) => false,
        };
        while is_open(&self.explorer) {
            self.press("leave", Key::Esc);
        }
    }
}

fn measure(name: &str, text: &str) {
    let mut screen = Screen {
        explorer: Explorer::new(name.into(), true, SIZE),
        theme: Theme::new(Depth::True, Background::Dark, true),
        buffer: Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1)),
        worst: BTreeMap::new(),
    };
    screen.send("arrival", Msg::Loaded(Box::new(Ok(session(text)))));
    for _ in 0..3 {
        screen.press("timeline", Key::Down);
        screen.press_all("timeline", &[When::Timeline, When::Screen, When::Always]);
    }
    screen.type_text("search", "/op1");
    screen.press("search", Key::Enter);
    screen.type_text("hits", "nnN");
    for view in VIEWS {
        screen.press("palette", Key::Char(':'));
        screen.type_text("palette", view.command);
        screen.press(&format!("pane {}", view.name), Key::Enter);
        screen.press("pane", Key::Tab);
        let about = format!("in {}", view.name);
        screen.press_all(&about, &[When::Pane]);
        screen.press(&format!("pane {}", view.name), Key::Tab);
        screen.press(&format!("pane {}", view.name), Key::BackTab);
        screen.press(&about, Key::Tab);
        screen.press(&about, Key::Char('/'));
        screen.type_text(&format!("{about} filter"), "gm1");
        screen.press(&format!("{about} filter"), Key::Esc);
        for key in "vv|GGGMbbbb".chars() {
            screen.press(&about, Key::Char(key));
        }
        screen.press("groups", Key::Char('B'));
        screen.press("groups", Key::PageDown);
        screen.press("groups", Key::Enter);
        screen.press("groups", Key::Char('B'));
        screen.press("groups", Key::PageUp);
        screen.press("groups", Key::Enter);
        screen.press(&about, Key::Tab);
        screen.press(&about, Key::Char('y'));
        screen.press(&about, Key::Esc);
        screen.leave_overlay();
    }
    screen.press("reload", Key::Char('R'));
    screen.send("arrival of another", Msg::Loaded(Box::new(Ok(session(text)))));
    let before = busy();
    drop(screen.explorer);
    screen.worst.insert("close".into(), busy().saturating_sub(before));
    let mut worst: Vec<(String, Duration)> = screen.worst.into_iter().collect();
    worst.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    let slow = worst.iter().filter(|(_, took)| *took >= LEAST).count();
    println!("{name}: {} kinds of messages, {slow} of at least {LEAST:?}", worst.len());
    for (about, took) in worst.iter().take(slow.clamp(1, 40)) {
        println!("  {:8.1} ms  {about}", took.as_secs_f64() * 1e3);
    }
}
