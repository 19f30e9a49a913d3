//! Measures how long the drawing thread takes to draw a screen, and to handle a key and draw the screen after it.
//!
//! `cargo bench --bench frame -- FILES`; the demo trace and a generated one come first. A frame is drawn into an empty
//! buffer; the walk and the pans encode it, too, as the bytes that change the last frame into it. Writing them is not measured.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "support/files.rs"]
mod files;
#[path = "support/generate.rs"]
mod generate;
#[path = "support/measure.rs"]
mod measure;

use std::cmp::Reverse;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proftui::app::{Effect, Key, Msg, Session, State, links, update};
use proftui::import::{Progress, Request, load};
use proftui::model::{SliceId, Trace};
use proftui::term::encode::Encoder;
use proftui::ui::theme::{Background, Depth};
use proftui::ui::{Theme, draw};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use generate::Dialect;
use measure::{Times, is_full};

type Outcome = Result<(), Box<dyn Error>>;

const SIZES: [(u16, u16); 2] = [(80, 24), (200, 50)];

/// The screens to measure: a name, and the keys that open it from the one before.
const WALK: [(&str, &str); 8] = [
    ("whole", "0"),
    ("step", "}"),
    ("step, zoomed", "wwwwww"),
    ("panned", "dddd"),
    ("zoomed far", "WWWWWW"),
    ("event selected", "l"),
    ("deeper lanes", "0jjjjjjjj"),
    ("overview", "2"),
];

/// Keys that are pressed repeatedly, as a user who explores a trace presses them.
const KEYS: &str = "llllhhwwwwddddaaaassssjjjjkkkk]]}}}}wwwwiiLLLL0/mm\u{8}\u{1b}DDDDWWWWSSSS1230";

fn main() -> Outcome {
    let mut paths =
        vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/demo-traces/synthetic-gpu.json.gz"))];
    paths.push(files::generated(Dialect::Kineto, if is_full() { 50_000_000 } else { 1 << 20 })?);
    paths.extend(files::named());
    paths.iter().try_for_each(|path| SIZES.iter().try_for_each(|&size| measure(path, size)))
}

fn measure(path: &Path, size: (u16, u16)) -> Outcome {
    let loaded = load(&Request::new([path]), &Progress::default())?;
    let mut screen = Screen {
        state: State::new(Session::new(loaded), size),
        theme: Theme::new(Depth::True, Background::Dark, true),
        buffer: Buffer::empty(Rect::new(0, 0, size.0, size.1)),
    };
    let runs = if is_full() { 100 } else { 2 };
    let label = format!("{:32} {:3}x{:<2}", files::label(path), size.0, size.1);
    for (view, keys) in WALK {
        keys.chars().for_each(|key| screen.press(Key::Char(key)));
        println!("{label} draw  {view:15} {}", Times::of(runs, || screen.draw()));
    }
    if let Some(id) = busiest(&screen.state.session.trace) {
        screen.state.go_to_slice(id);
        let links = screen.state.details.links.len();
        println!("{label} draw  many links      {}  ({links} links)", Times::of(runs, || screen.draw()));
    }
    screen.press(Key::Char('0'));
    let mut worst = (Duration::ZERO, '0');
    let presses = KEYS.chars().cycle().take(KEYS.chars().count() * runs.div_ceil(10));
    let times: Times = presses
        .map(|typed| {
            let start = Instant::now();
            screen.press(key(typed));
            screen.draw();
            let took = start.elapsed();
            worst = worst.max((took, typed));
            took
        })
        .collect();
    println!("{label} key + draw           {times}  (slowest: {})", key(worst.1));
    screen.press(Key::Char('0'));
    bytes(&mut screen, &label);
    Ok(())
}

/// Measures a walk of 500 keys as the terminal sees it, and pans, in each depth of colours: how long a frame is made, to its last byte, and how
/// many bytes it has.
fn bytes(screen: &mut Screen, label: &str) {
    for (name, depth) in [("true", Depth::True), ("256", Depth::Indexed256), ("16", Depth::Ansi16)] {
        screen.theme = Theme::new(depth, Background::Dark, true);
        let mut encoder = Encoder::new(depth, screen.state.size);
        let mut frame = |screen: &mut Screen| {
            let start = Instant::now();
            let moving = screen.draw();
            let bytes = encoder.frame(&screen.buffer, moving).len();
            (start.elapsed(), bytes)
        };
        frame(screen);
        let mut walk: Vec<(Duration, usize)> = Vec::new();
        for typed in KEYS.chars().cycle().take(500) {
            screen.press(key(typed));
            walk.push(frame(screen));
        }
        let sizes = |of: &[(Duration, usize)]| {
            let mut sizes: Vec<usize> = of.iter().map(|frame| frame.1).collect();
            sizes.sort_unstable();
            [50, 99, 100].map(|percent| sizes[(sizes.len() * percent / 100).min(sizes.len() - 1)])
        };
        let times: Times = walk.iter().map(|frame| frame.0).collect();
        println!("{label} walk, {name:5}          {times}  bytes p50 p99 max {:?}", sizes(&walk));
        screen.press(Key::Esc);
        screen.press(Key::Esc);
        screen.press(Key::Char('0'));
        "ww".chars().for_each(|typed| screen.press(key(typed)));
        frame(screen);
        let pans: Vec<_> = "ddddddddaaaaaaaa"
            .chars()
            .map(|typed| {
                screen.press(key(typed));
                frame(screen)
            })
            .collect();
        println!("{label} pan, {name:5}           bytes p50 p99 max {:?}", sizes(&pans));
    }
}

/// The event that launched the most device work, among the longest events: drawing follows its links in every frame.
fn busiest(trace: &Trace) -> Option<SliceId> {
    let mut longest: Vec<SliceId> = (0..trace.slices.len() as SliceId).collect();
    longest.sort_unstable_by_key(|&id| Reverse(trace.slices.dur[id as usize]));
    longest.truncate(1000);
    longest.into_iter().max_by_key(|&id| links::forward(trace, id).len())
}

fn key(typed: char) -> Key {
    match typed {
        '\u{8}' => Key::Backspace,
        '\u{1b}' => Key::Esc,
        typed => Key::Char(typed),
    }
}

struct Screen {
    state: State,
    theme: Theme,
    buffer: Buffer,
}

impl Screen {
    fn press(&mut self, key: Key) {
        self.send(Msg::Key(key));
    }

    /// Sends a message, and carries out at once what is done on other threads otherwise.
    fn send(&mut self, msg: Msg) {
        for effect in update(&mut self.state, msg) {
            if let Effect::Run(job) = effect {
                self.send(Msg::Done(Box::new(job.run())));
            }
        }
    }

    fn draw(&mut self) -> Rect {
        self.buffer.reset();
        draw(&self.state, &self.theme, self.buffer.area, &mut self.buffer)
    }
}
