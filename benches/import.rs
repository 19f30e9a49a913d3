//! How fast a trace is loaded, beside `serde_json` reading the same bytes, and how much memory stays.
//!
//! `cargo bench --bench import -- FILES`; a generated 50 MB file comes first, then the files, then those of
//! `PROFTUI_BENCH_FILES`. One line a figure. The load reads the file and its text may be compressed; the yardsticks get
//! the inflated bytes in memory, so they do less.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "support/files.rs"]
mod files;
#[path = "support/generate.rs"]
mod generate;
#[path = "support/measure.rs"]
mod measure;

use std::error::Error;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use proftui::app::Session;
use proftui::import::{Loaded, Progress, Request, load};
use serde::de::IgnoredAny;

use measure::{Times, is_full};

type Outcome = Result<(), Box<dyn Error>>;

/// Before a path: load that one and tell of memory. Asked of a fresh process, whose memory nothing else has touched.
const RESIDENT: &str = "--resident";

fn main() -> Outcome {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == RESIDENT) {
        return resident(Path::new(&arguments.next().unwrap_or_default()));
    }
    measure(&files::generated(if is_full() { 50_000_000 } else { 1 << 20 })?)?;
    files::named().iter().try_for_each(|path| measure(path))
}

fn open(path: &Path, progress: &Progress) -> Result<Loaded, Box<dyn Error>> {
    Ok(load(&Request::new([path.to_owned()]), progress)?)
}

fn measure(path: &Path) -> Outcome {
    let runs = if is_full() { 7 } else { 1 };
    let text = inflated(path)?;
    let progress = Progress::default();
    drop(open(path, &progress)?);
    let work = Work { label: files::label(path), bytes: text.len() as f64, events: progress.events() as f64 };

    let (mut loads, mut sessions) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let start = Instant::now();
        let loaded = open(path, &Progress::default())?;
        loads.push(start.elapsed());
        let start = Instant::now();
        let session = Session::new(loaded);
        sessions.push(start.elapsed());
        drop(session);
    }
    let loads: Times = loads.into_iter().collect();
    work.report("load", &loads);
    work.report("index and tables", &sessions.into_iter().collect());
    if inflater(&fs::read(path)?).is_some() {
        work.report("inflate alone", &Times::of(runs, || inflate_away(path).ok()));
    }
    let ignored = Times::of(runs, || serde_json::from_slice::<IgnoredAny>(&text).ok());
    work.report("serde_json skip", &ignored);
    let value = Times::of(runs.min(3), || serde_json::from_slice::<serde_json::Value>(&text).ok());
    work.report("serde_json Value", &value);
    let ratio = |yardstick: &Times| loads.min().as_secs_f64() / yardstick.min().as_secs_f64();
    work.line("time of load", &format!("{:.2} x skip, {:.2} x Value", ratio(&ignored), ratio(&value)));
    work.memory(path)
}

/// Inflates a compressed file.
fn inflater(bytes: &[u8]) -> Option<impl Read> {
    bytes.starts_with(b"\x1f\x8b").then(|| flate2::bufread::MultiGzDecoder::new(bytes))
}

/// The text of the file, as the yardsticks get it.
fn inflated(path: &Path) -> std::io::Result<Vec<u8>> {
    let bytes = fs::read(path)?;
    let Some(mut reader) = inflater(&bytes) else { return Ok(bytes) };
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    Ok(text)
}

/// Inflates the file block by block and keeps nothing: what no reader can do without.
fn inflate_away(path: &Path) -> std::io::Result<()> {
    let bytes = fs::read(path)?;
    let Some(mut reader) = inflater(&bytes) else { return Ok(()) };
    let mut block = vec![0; 1 << 20];
    while reader.read(&mut block)? > 0 {}
    Ok(())
}

/// What was read, to divide by.
struct Work {
    label: String,
    bytes: f64,
    events: f64,
}

impl Work {
    fn line(&self, what: &str, figures: &str) {
        println!("{:32} {what:17} {figures}", self.label);
    }

    fn report(&self, what: &str, times: &Times) {
        let seconds = times.min().as_secs_f64();
        let (mb, events) = (self.bytes / 1e6 / seconds, self.events / 1e6 / seconds);
        let each = seconds * 1e9 / self.events;
        self.line(what, &format!("{times}  {mb:7.1} MB/s  {events:6.2} M events/s  {each:6.1} ns an event"));
    }

    /// Memory of a fresh process that loads the file and nothing else.
    fn memory(&self, path: &Path) -> Outcome {
        let output = Command::new(std::env::current_exe()?).arg(RESIDENT).arg(path).output()?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((what, kib)) = line.split_once('\t') else { continue };
            let kib: f64 = kib.parse()?;
            let each = kib * 1024.0 / self.events;
            self.line(what, &format!("{:9.1} MiB  {each:6.1} bytes an event", kib / 1024.0));
        }
        Ok(())
    }
}

/// Loads `path` and writes the growth of resident memory, KiB, a line each.
fn resident(path: &Path) -> Outcome {
    let before = status("VmRSS")?;
    let loaded = open(path, &Progress::default())?;
    println!("RSS after load\t{}", status("VmRSS")? - before);
    println!("peak of load\t{}", status("VmHWM")? - before);
    let session = Session::new(loaded);
    println!("RSS with index\t{}", status("VmRSS")? - before);
    println!("index itself\t{}", session.index.bytes() / 1024);
    Ok(())
}

/// A figure of this process, KiB.
fn status(key: &str) -> Result<i64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kib = line
        .and_then(|value| value.split_whitespace().next())
        .ok_or("no such figure in /proc/self/status")?;
    Ok(kib.parse()?)
}
