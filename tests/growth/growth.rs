//! The test: ten times as many events are at most [`BOUND`] times the work, for every work on every shape of
//! input.
//!
//! `PROFTUI_GROWTH_N` sets n, for a longer check; `PROFTUI_GROWTH` limits it to works, or works and shapes,
//! that have this text: `fluid`, `view operator @ nested`.

use std::hint::black_box;

use super::directories;
use super::meter::{Work, keep_memory, measure};
use super::ranks;
use super::scratch::Scratch;
use super::shapes::{SHAPES, Shape};
use super::works::{self, Input, Named};

/// Most times the work for ten times as many events. 10 n log n is 13 times n log n at the sizes here.
const BOUND: f64 = 15.0;
/// The same of the time, of which chance decides more: in some processes memory lies so that the larger input
/// costs a tenth more, however often it is measured. Work that grows by n to the 1.5 takes 31 times the time.
const TIME_BOUND: f64 = 18.0;
/// Events of the smaller input, where the environment does not say otherwise.
const EVENTS: usize = 1_000;
/// Work of the larger input that is too little to be compared: calls, bytes, bytes, ns.
const LITTLE: [u64; 4] = [2_000, 256 << 10, 256 << 10, 2_000_000];
/// How often a call is measured anew if its work seems to grow too much.
const AGAIN: usize = 12;
/// What is compared, in the order of [`figures`].
const FIGURES: [&str; 4] = ["allocations", "bytes", "peak", "time"];
/// Where the time is in them.
const TIME: usize = 3;

fn figures(work: Work) -> [u64; 4] {
    [work.calls, work.bytes, work.peak, work.time]
}

/// The inputs of one shape that were made so far, by number of events.
struct Inputs<'a> {
    shape: &'a Shape,
    folder: &'a Scratch,
    made: Vec<(usize, Input)>,
}

impl Inputs<'_> {
    fn with(&mut self, events: usize) -> &mut Input {
        if !self.made.iter().any(|(of, _)| *of == events) {
            let name = format!("{}-{events}.json", self.shape.name.replace(' ', "-"));
            let path = self.folder.file(&name, (self.shape.text)(events));
            self.made.push((events, Input::new(&path)));
        }
        self.made.iter_mut().find(|(of, _)| *of == events).map(|(_, input)| input).expect("it was made")
    }

    /// Measures a work on n and 10 n events.
    fn pair(&mut self, work: &Named, events: usize, rounds: usize) -> [Work; 2] {
        [(events, 2 * rounds), (10 * events, rounds)].map(|(events, rounds)| {
            let input = self.with(events);
            if work.of_tables {
                input.tables();
            }
            let all = (0..rounds).map(|_| {
                input.forget();
                measure(&mut || (work.run)(input))
            });
            all.reduce(Work::least).expect("a round")
        })
    }

    /// The ratio of each figure; 0 where there is too little to compare.
    fn ratios(&mut self, work: &Named, events: usize) -> [f64; 4] {
        let [mut small, mut large] = self.pair(work, events, 1);
        for _ in 0..AGAIN {
            if !exceeds(ratios(small, large)) {
                break;
            }
            let again = self.pair(work, events, 2);
            (small, large) = (small.least(again[0]), large.least(again[1]));
        }
        let mut found = ratios(small, large);
        if exceeds(found) {
            // A vector that doubles grows by 16 between some numbers and their tenfold, and by 8 between all
            // others; which depends on the number of events. What grows too much grows so from each number.
            let [small, large] = self.pair(work, events * 3 / 2, 3);
            let other = ratios(small, large);
            found = std::array::from_fn(|at| found[at].min(other[at]));
        }
        if found[TIME] > TIME_BOUND {
            found[TIME] *= 10.0 / self.copying(events).max(10.0);
        }
        found
    }

    /// How many times as long copying the tables of 10 n events takes as copying those of n: 10 where memory
    /// is as fast for both. On a machine where it is not, other work on as many tables does not grow faster
    /// than this alone.
    fn copying(&mut self, events: usize) -> f64 {
        let [small, large] = [(events, 8), (10 * events, 4)].map(|(events, rounds)| {
            let tables = self.with(events).tables();
            let all = (0..rounds).map(|_| measure(&mut || drop(black_box(tables.to_vec()))));
            all.reduce(Work::least).expect("a round")
        });
        large.time as f64 / small.time.max(1) as f64
    }
}

/// The bound of a figure, by its index.
fn bound(at: usize) -> f64 {
    if at == TIME { TIME_BOUND } else { BOUND }
}

/// True if one of the ratios is above its bound.
fn exceeds(ratios: [f64; 4]) -> bool {
    ratios.iter().enumerate().any(|(at, &ratio)| ratio > bound(at))
}

fn ratios(small: Work, large: Work) -> [f64; 4] {
    let (small, large) = (figures(small), figures(large));
    std::array::from_fn(
        |at| {
            if large[at] < LITTLE[at] { 0.0 } else { large[at] as f64 / small[at].max(1) as f64 }
        },
    )
}

/// True if the environment asks for this work on this shape, or for all.
fn is_asked(work: &str, shape: &str) -> bool {
    let Ok(asked) = std::env::var("PROFTUI_GROWTH") else { return true };
    match asked.split_once('@') {
        Some((of, on)) => work.contains(of.trim()) && shape == on.trim(),
        None => work.contains(asked.trim()),
    }
}

/// The largest ratios of one work, each with its shape.
struct Line<'a> {
    work: &'a str,
    most: [(f64, &'static str); 4],
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn no_work_grows_faster_than_n_log_n() {
    // All work on one thread: the memory that threads take depends on chance.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    keep_memory();
    let events = std::env::var("PROFTUI_GROWTH_N").ok().and_then(|n| n.parse().ok()).unwrap_or(EVENTS);
    let folder = Scratch::new("growth");
    let works = works::all();
    let mut lines: Vec<Line> =
        works.iter().map(|work| Line { work: &work.name, most: Default::default() }).collect();
    let mut failures = Vec::new();
    let quadratic = works::quadratic();
    for (at, shape) in SHAPES.iter().enumerate() {
        let mut inputs = Inputs { shape, folder: &folder, made: Vec::new() };
        if at == 0 {
            let time = inputs.ratios(&quadratic, events)[TIME];
            assert!(time > TIME_BOUND, "quadratic work is not found: {time:.1} times the time");
        }
        for (work, line) in works.iter().zip(&mut lines) {
            if !is_asked(&work.name, shape.name) || (work.of_paddle && !shape.is_paddle) {
                continue;
            }
            let ratios = inputs.ratios(work, events);
            for (at, ((most, ratio), figure)) in line.most.iter_mut().zip(ratios).zip(FIGURES).enumerate() {
                let bound = bound(at);
                if ratio > most.0 {
                    *most = (ratio, shape.name);
                }
                if ratio > bound {
                    let failure = format!("{} on {}: {ratio:.1} times the {figure}", work.name, shape.name);
                    println!("{failure}");
                    failures.push(failure);
                }
            }
        }
    }
    if is_asked("directory", "") {
        failures.extend(directories::failures());
    }
    if is_asked("ranks", "") {
        failures.extend(ranks::failures());
    }
    print(&lines, events);
    assert!(
        failures.is_empty(),
        "more than {BOUND} times the work, or {TIME_BOUND} times the time, for 10 times the events:\n{}",
        failures.join("\n")
    );
}

/// Prints each work's largest ratios over all shapes.
fn print(lines: &[Line], events: usize) {
    println!(
        "\ntimes the work for {} instead of {events} events, the most of {} shapes",
        10 * events,
        SHAPES.len()
    );
    print!("{:44}", "");
    FIGURES.iter().for_each(|figure| print!("{figure:>12} {:18}", "on"));
    println!();
    for line in lines.iter().filter(|line| line.most.iter().any(|most| most.0 > 0.0)) {
        print!("{:44}", line.work);
        line.most.iter().for_each(|(ratio, shape)| print!("{ratio:>12.1} {shape:18}"));
        println!();
    }
}
