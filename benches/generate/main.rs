//! Writes traces to measure with: synthetic ones of any size, whole or damaged, or a real one repeated.
//!
//! `cargo bench -p proftui-benches --bench generate -- --kind kineto --size 1G --out FILE` (also `paddle`,
//! `hostile`; `--seed`, `--damage`),
//! `cargo bench -p proftui-benches --bench generate -- --repeat FILE --size 1G --out FILE`. A name that ends
//! in `.gz` or `.zst` is written compressed. Otherwise (`cargo test -p proftui-benches --benches`) it writes
//! small files and checks that each kind loads as it was written.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

mod repeat;
mod sink;

use std::error::Error;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use proftui_trace::import::{Loaded, Progress, Request, load};

use proftui_benches::generate::{Dialect, Recipe};
use proftui_benches::{files, generate};
use repeat::Repeat;
use sink::Sink;

type Outcome = Result<(), Box<dyn Error>>;

/// Default of `--damage` for the kind `hostile`: share of the events that are damaged.
const HOSTILE: f64 = 0.001;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// PyTorch's, undamaged.
    Kineto,
    /// Paddle's, undamaged.
    Paddle,
    /// PyTorch's, with damage of a dozen kinds.
    Hostile,
}

/// Writes a trace to measure with.
#[derive(Debug, Parser)]
#[command(name = "generate")]
struct Arguments {
    /// Dialect of the trace.
    #[arg(long, value_enum, default_value = "kineto")]
    kind: Kind,
    /// Repeat this Kineto file (plain or gzip) instead of inventing a trace.
    #[arg(long, conflicts_with_all = ["kind", "damage"])]
    repeat: Option<PathBuf>,
    /// Least size of the text in bytes: a number, with k, M or G for powers of 1000.
    #[arg(long, default_value = "50M", value_parser = size)]
    size: u64,
    /// Output file; .gz and .zst are compressed.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Same seed, same file.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Share of the events to damage, from 0 to 1, for any kind.
    #[arg(long)]
    damage: Option<f64>,
    #[arg(long, hide = true)]
    bench: bool,
}

fn size(text: &str) -> Result<u64, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let factor = match unit {
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return Err(format!("no such unit: {unit}")),
    };
    let number = text.trim_end_matches(unit).parse::<u64>().map_err(|error| error.to_string())?;
    number.checked_mul(factor).ok_or_else(|| "too large".into())
}

fn main() -> Outcome {
    files::go_to_root()?;
    let arguments = Arguments::parse();
    match (&arguments.out, &arguments.repeat) {
        (None, _) if !arguments.bench => check(),
        (None, _) => {
            println!("generate: nothing to do without --out (--help says more)");
            Ok(())
        }
        (Some(out), None) => synthetic(&arguments, out).map(drop),
        (Some(out), Some(from)) => again(from, arguments.size, out).map(drop),
    }
}

fn synthetic(arguments: &Arguments, out: &Path) -> Result<generate::Written, Box<dyn Error>> {
    let usual = if arguments.kind == Kind::Hostile { HOSTILE } else { 0.0 };
    let recipe = Recipe {
        dialect: if arguments.kind == Kind::Paddle { Dialect::Paddle } else { Dialect::Kineto },
        bytes: arguments.size,
        seed: arguments.seed,
        damage: arguments.damage.unwrap_or(usual),
    };
    let mut sink = Sink::create(out)?;
    let written = generate::write(&mut sink, &recipe)?;
    sink.finish()?;
    println!("{}: {written}", out.display());
    Ok(written)
}

fn again(from: &Path, bytes: u64, out: &Path) -> Result<repeat::Repeated, Box<dyn Error>> {
    let mut text = std::fs::read(from)?;
    if text.starts_with(b"\x1f\x8b") {
        let mut inflated = Vec::new();
        flate2::bufread::MultiGzDecoder::new(&text[..]).read_to_end(&mut inflated)?;
        text = inflated;
    }
    let text = String::from_utf8(text)?;
    let mut sink = Sink::create(out)?;
    let done = Repeat::new(&text)?.write(&mut sink, bytes)?;
    sink.finish()?;
    let repeat::Repeated { repetitions, bytes, events, slices } = done;
    println!("{}: {bytes} bytes, {repetitions} repetitions, {events} events, {slices} slices", out.display());
    Ok(done)
}

/// Writes a short trace of each kind and checks that loading finds as many events as were written, with none
/// dropped where nothing was damaged.
fn check() -> Outcome {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (kind, name) in [
        (Kind::Kineto, "check-kineto.json.gz"),
        (Kind::Paddle, "check-paddle.json.zst"),
        (Kind::Hostile, "check-hostile.json"),
    ] {
        let out = folder.join(name);
        let arguments = Arguments {
            kind,
            repeat: None,
            size: 1 << 20,
            out: None,
            seed: 7,
            damage: (kind == Kind::Hostile).then_some(0.01),
            bench: false,
        };
        let written = synthetic(&arguments, &out)?;
        let (loaded, events) = open(&out)?;
        if kind != Kind::Hostile {
            assert_eq!((events, loaded.trace.quality.dropped), (written.events, 0), "{name}");
        }
    }
    let (from, out) = (folder.join("check-kineto.json.gz"), folder.join("check-repeated.json"));
    let (once, done) = (open(&from)?.0, again(&from, 3 << 20, &out)?);
    let (loaded, events) = open(&out)?;
    assert_eq!((events, loaded.trace.quality.dropped), (done.events, 0));
    let (slices, links) = (loaded.trace.slices.len() as u64, loaded.trace.links.len() as u64);
    assert_eq!(slices, once.trace.slices.len() as u64 * done.repetitions);
    assert_eq!(links, once.trace.links.len() as u64 * done.repetitions);
    Ok(())
}

/// Loads the file; returns the number of its events.
fn open(path: &Path) -> Result<(Loaded, u64), Box<dyn Error>> {
    let progress = Progress::default();
    let loaded = load(&Request { paths: vec![path.to_owned()], ..Request::default() }, &progress)?;
    Ok((loaded, progress.events()))
}
