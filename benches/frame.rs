//! Measures how long the drawing thread takes to draw a screen, and to handle a key, draw the screen after it
//! and encode it for the terminal; and how many bytes those frames have, by the number of colours.
//!
//! `cargo bench -p proftui-benches --bench frame -- FILES`; the demo trace and a generated one come first.
//! Writing to the terminal is not measured. The times of walks are the thread's CPU time, those of single
//! screens and keys are wall time.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

use std::cmp::Reverse;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proftui::app::pane::links;
use proftui::app::{Effect, Key, Msg, Session, State, update};
use proftui::term::encode::Encoder;
use proftui::ui::theme::{Background, Depth, Detail};
use proftui::ui::{Theme, draw};
use proftui_base::heap::Heap;
use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::{SliceId, Trace};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustix::time::{ClockId, clock_gettime};

use proftui_benches::files;
use proftui_benches::generate::Dialect;
use proftui_benches::measure::{Times, is_full};
use proftui_benches::walk::{at, walk};

type Outcome = Result<(), Box<dyn Error>>;

/// The program's own.
#[global_allocator]
static HEAP: Heap = Heap;

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

/// How often a walk is repeated: what a frame takes without other programs that slow it down by chance is
/// about its best time. Only the first walk has cold caches, as a user's has.
const WALKS: usize = 5;

/// The terminals for which frames are encoded: a name, the number of colours, the detail.
const LINKS: [(&str, Depth, Detail); 4] = [
    ("true  ", Depth::True, Detail::Full),
    ("256   ", Depth::Indexed256, Detail::Full),
    ("16    ", Depth::Ansi16, Detail::Full),
    ("thin  ", Depth::Ansi16, Detail::Thin),
];

fn main() -> Outcome {
    files::go_to_root()?;
    let mut paths = vec![PathBuf::from("demo-traces/synthetic-gpu.json.gz")];
    paths.push(files::generated(
        Path::new(env!("CARGO_TARGET_TMPDIR")),
        Dialect::Kineto,
        if is_full() { 50_000_000 } else { 1 << 20 },
    )?);
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
        let links = screen.state.selected.details().links.len();
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
    for (name, depth, detail) in LINKS {
        let theme = Theme::new(depth, Background::Dark, true);
        screen.theme = if detail == Detail::Full { theme } else { theme.thin() };
        screen.report_walk(&format!("{label} {name}"));
    }
    Ok(())
}

/// The event that launched the most device work, among the longest events: drawing follows its links in every
/// frame.
fn busiest(trace: &Trace) -> Option<SliceId> {
    let mut longest: Vec<SliceId> = trace.slices.ids().iter().collect();
    longest.sort_unstable_by_key(|&id| Reverse(trace.slices.dur[id]));
    longest.truncate(1000);
    longest.into_iter().max_by_key(|&id| links::forward(trace, id).len())
}

/// The CPU time that this thread has taken.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn key(typed: char) -> Key {
    match typed {
        '\u{8}' => Key::Backspace,
        '\u{1b}' => Key::Esc,
        typed => Key::Char(typed),
    }
}

/// A frame of a walk.
struct Frame {
    typed: char,
    /// The CPU time of the drawing thread for handling the key, drawing the screen, and encoding it.
    parts: [Duration; 3],
    bytes: usize,
}

impl Frame {
    fn all(&self) -> Duration {
        self.parts.iter().sum()
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
        let effects = update(&mut self.state, msg);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Run(job) = effect {
                self.send(Msg::Done(Box::new(job.run())));
            }
        }
    }

    /// Prints what the frames of a walk of 500 keys take on the drawing thread, and how many bytes they have;
    /// then each frame's best time of [`WALKS`] walks. What other threads do otherwise is done between, and
    /// not measured.
    fn report_walk(&mut self, label: &str) {
        let mut encoder = Encoder::new((self.buffer.area.width, self.buffer.area.height), true, true);
        let whole = self.frame('0', &mut encoder).bytes;
        let mut walked = || -> Vec<Frame> { walk().map(|typed| self.frame(typed, &mut encoder)).collect() };
        let frames = walked();
        let mut best: Vec<Duration> = frames.iter().map(Frame::all).collect();
        for _ in 1..WALKS {
            best.iter_mut().zip(walked()).for_each(|(best, again)| *best = (*best).min(again.all()));
        }
        let report = |what: &str, of: Vec<Duration>| {
            let p99 = at(99, of.iter().map(|took| took.as_secs_f64() * 1e3));
            println!("{label} {what:20} {}  p99 {p99:.3} ms", of.into_iter().collect::<Times>());
        };
        report("walk", frames.iter().map(Frame::all).collect());
        report(&format!("walk, best of {WALKS}"), best);
        for (part, of) in [("update", 0), ("draw", 1), ("encode", 2)] {
            let times: Times = frames.iter().map(|frame| frame.parts[of]).collect();
            let slowest = frames.iter().max_by_key(|frame| frame.parts[of]).unwrap();
            println!("{label} walk: {part:6}         {times}  (slowest: {})", slowest.typed);
        }
        for (what, keys) in [("all", ""), ("pan", "ad"), ("zoom", "ws"), ("move", "hjkl")] {
            let of = || {
                let of_keys = frames.iter().filter(|frame| keys.is_empty() || keys.contains(frame.typed));
                of_keys.map(|frame| frame.bytes as f64)
            };
            println!(
                "{label} bytes of {what:4}       p50 {:6.0}  p90 {:6.0}  p99 {:6.0}  (first frame {whole})",
                at(50, of()),
                at(90, of()),
                at(99, of())
            );
        }
    }

    /// Handles a key, and draws and encodes the screen after it.
    fn frame(&mut self, typed: char, encoder: &mut Encoder) -> Frame {
        let start = cpu_time();
        let effects = update(&mut self.state, Msg::Key(Key::Char(typed)));
        let update = cpu_time().saturating_sub(start);
        self.carry_out(effects);
        let start = cpu_time();
        self.draw();
        let draw = cpu_time().saturating_sub(start);
        let mut out = Vec::new();
        encoder.frame(&mut self.buffer, &mut out);
        let encode = cpu_time().saturating_sub(start + draw);
        Frame { typed, parts: [update, draw, encode], bytes: out.len() }
    }

    fn draw(&mut self) {
        self.buffer.reset();
        draw(&self.state, &self.theme, self.buffer.area, &mut self.buffer);
    }
}
