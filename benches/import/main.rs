//! Measures how fast a trace is loaded, beside a typed parse by sonic-rs or an inflater alone, and how much
//! memory loading takes.
//!
//! `cargo bench -p proftui-benches --bench import -- FILES`; generated files of 50 MB come first (`--only`
//! leaves them out), then the files, then those of `PROFTUI_BENCH_FILES`. Each measurement is a process of
//! its own that reads the file from the disk's cache; the programs run in alternation, which spreads
//! disturbances over all of them. Compare the ratios, not the times.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

mod baseline;

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use proftui::app::Session;
use proftui_trace::import::{Progress, Request, load};

use proftui_benches::child::Cores;
use proftui_benches::compare::{Runs, Subject};
use proftui_benches::generate::Dialect;
use proftui_benches::machine::Machine;
use proftui_benches::measure::is_full;
use proftui_benches::{child, compare, files};

type Outcome = Result<(), Box<dyn Error>>;

/// Name of the measurement of our own load: the whole model and the index, ready to be shown.
const OURS: &str = "proftui";
/// Name of the same measurement with one thread, bound to one processor.
const SINGLE: &str = "proftui, one thread";
/// The baselines that the goals refer to: a typed parse that copies every string, and one that borrows them
/// from the file's bytes.
const TYPED: [&str; 2] = ["sonic-rs typed", "sonic-rs borrowed"];
/// Files of at least this many bytes are measured in fewer rounds, and not compared with `serde_json`.
const LARGE: f64 = 150e6;

fn main() -> Outcome {
    files::go_to_root()?;
    if let Some((work, path)) = child::request() {
        return do_work(&work, &path);
    }
    println!("before: {}", Machine::now());
    if !child::can_bind() {
        println!("no taskset here: one thread is not bound to one processor");
    }
    let mut done = Vec::new();
    if !std::env::args().any(|arg| arg == "--only") {
        let bytes = if is_full() { 50_000_000 } else { 1_000_000 };
        for dialect in [Dialect::Kineto, Dialect::Paddle] {
            done.extend(measure(&files::generated(Path::new(env!("CARGO_TARGET_TMPDIR")), dialect, bytes)?)?);
        }
    }
    for path in files::named() {
        done.extend(measure(&path)?);
    }
    compare::slopes(done.into_iter().map(|(subject, ours)| (subject, ours.times().min())).collect());
    println!("after: {}", Machine::now());
    Ok(())
}

/// A request to load `path`; with `None` the library chooses the number of threads.
fn request(path: &Path, threads: Option<usize>) -> Request {
    Request { threads, ..Request::new([path]) }
}

/// Runs one measurement in the child process and reports its figures to the parent.
fn do_work(work: &str, path: &Path) -> Outcome {
    if work != OURS {
        let made = child::timed(|| baseline::work(work, path))?;
        child::report("made", made as f64);
        return Ok(());
    }
    let progress = Progress::default();
    let request = request(path, child::is_single().then_some(1));
    let (session, load, loaded) = child::timed(|| -> Result<_, Box<dyn Error>> {
        let start = Instant::now();
        let loaded = load(&request, &progress)?;
        let (load, resident) = (start.elapsed(), child::memory("VmRSS"));
        Ok((Session::new(loaded), load, resident))
    })?;
    child::report("load", load.as_secs_f64());
    child::report("loaded", loaded);
    child::report("events", progress.events() as f64);
    child::report("slices", session.trace.slices.len() as f64);
    child::report("index", session.index.bytes() as f64);
    // Freeing the memory is not part of the measurement.
    std::mem::forget(session);
    Ok(())
}

/// Measures a file; `None` if it cannot be loaded.
fn measure(path: &Path) -> Result<Option<(Subject, Runs)>, Box<dyn Error>> {
    let label = files::label(path);
    let size = std::fs::metadata(path)?.len() as f64;
    let plan = Plan::of(path, size)?;
    let warm = match child::run(OURS, path, Cores::All) {
        Ok(sample) => sample,
        Err(error) => {
            println!("{label}: {error}");
            return Ok(None);
        }
    };
    let subject = Subject { label, size, events: warm.get("events") };
    let rounds = if !is_full() {
        1
    } else if size > LARGE {
        3
    } else {
        7
    };
    let (mut ours, mut single) = (Runs::new(OURS), Runs::new(SINGLE));
    let mut others: Vec<Runs> = plan.baselines.iter().map(|name| Runs::new(name)).collect();
    for _ in 0..rounds {
        ours.push(child::run(OURS, path, Cores::All)?);
        for other in &mut others {
            match child::run(&other.name, path, Cores::All) {
                Ok(sample) => other.push(sample),
                Err(error) => println!("{} {}: {error}", subject.label, other.name),
            }
        }
        single.push(child::run(OURS, path, Cores::One)?);
    }
    others.retain(|other| !other.is_empty());
    [&ours, &single].into_iter().chain(&others).for_each(|runs| subject.work(runs));
    report(&subject, [&ours, &single], &others, plan.goals);
    subject.memory(&ours);
    Ok(Some((subject, ours)))
}

/// The baselines and goals of one file.
struct Plan {
    baselines: Vec<&'static str>,
    /// Highest ratio of our time to the baseline's that meets the goal: with all threads, with one thread;
    /// `None` without a goal.
    goals: [Option<f64>; 2],
}

impl Plan {
    /// Chooses the baselines and goals by the file's first bytes, which show its compression, and its size.
    fn of(path: &Path, size: f64) -> Result<Self, Box<dyn Error>> {
        let mut head = Vec::new();
        File::open(path)?.take(4).read_to_end(&mut head)?;
        let (inflating, typed) = ([Some(1.3), None], [Some(0.2), Some(0.4)]);
        let (baselines, goals) = match &head[..] {
            [0x1f, 0x8b, ..] => (vec!["libdeflate inflate", "zlib-rs inflate"], inflating),
            b"\x28\xb5\x2f\xfd" => (vec!["zstd inflate"], inflating),
            _ if size > LARGE => (TYPED.to_vec(), typed),
            _ => ([&TYPED[..], &["serde_json skip", "serde_json Value"]].concat(), typed),
        };
        Ok(Self { baselines, goals })
    }
}

/// Prints the ratios of our times to those of the typed parses, or of the faster inflater.
fn report(subject: &Subject, ours: [&Runs; 2], others: &[Runs], goals: [Option<f64>; 2]) {
    let mut inflaters: Vec<&Runs> = others.iter().filter(|runs| runs.name.ends_with("inflate")).collect();
    inflaters.sort_by_key(|runs| runs.times().min());
    if inflaters.windows(2).any(|pair| pair[0].most("made") as u64 != pair[1].most("made") as u64) {
        println!("{}: the inflaters made different texts: more than one gzip member?", subject.label);
    }
    let parsers = others.iter().filter(|runs| runs.name.starts_with("sonic"));
    for baseline in parsers.chain(inflaters.into_iter().take(1)) {
        for (runs, goal) in ours.into_iter().zip(goals) {
            subject.ratio(runs, baseline, goal);
        }
    }
}
