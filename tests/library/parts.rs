//! Random parts of the demo traces and of generated ones: every time of our views is that of a plain sum over
//! the trace's slices.
//!
//! The sums here share no code with `analysis`: a slice is cut to the part, and a list of spans is measured
//! by counting how many are open between consecutive edges.

mod checked;
mod generated;
mod host;
mod stages;

use std::path::PathBuf;

use proftui_base::time::Span;
use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::{LaneId, Trace};

use crate::generate::rng::Rng;
use checked::{Checked, extent};
use generated::generated;

/// How many random parts of each demo trace, and of each generated one, are compared. With the whole traces
/// more than 10,000 parts.
const OF_DEMO: usize = 60;
const OF_GENERATED: usize = 25;
const GENERATED: u64 = 420;

/// A random range that mostly lies in the trace; some extend beyond it.
fn range(random: &mut Rng, whole: Span) -> Span {
    let room = whole.len() / 8 + 2;
    let mut at = || whole.start - room + random.below((whole.len() + 2 * room) as u64) as i64;
    let (one, other) = (at(), at());
    Span { start: one.min(other), end: one.max(other) + 1 }
}

/// Compares `parts` random parts of a trace, and the whole; every tenth part has random lanes only.
fn compare(name: &str, trace: &Trace, parts: usize, random: &mut Rng, faults: &mut Vec<String>) -> usize {
    let whole = extent(trace);
    let mut all: Vec<(Option<Span>, Option<Vec<LaneId>>)> = vec![(None, None)];
    for number in 0..parts {
        let lanes = (number % 10 == 9)
            .then(|| trace.lanes.ids().iter().filter(|_| random.below(2) == 0).collect::<Vec<_>>());
        all.push((Some(range(random, whole)), lanes.filter(|lanes| !lanes.is_empty())));
    }
    let mut count = 0;
    for (number, (span, lanes)) in all.into_iter().enumerate() {
        // A range outside of the trace is a part of its own kind: there is nothing to compare it with.
        if span.is_some_and(|span| span.start >= whole.end || span.end <= whole.start) {
            continue;
        }
        count += 1;
        let found = Checked::new(trace, span, lanes).run(number % 8 == 0);
        faults.extend(found.into_iter().map(|fault| format!("{name} {fault}")));
    }
    count
}

fn check(faults: &[String], parts: usize) {
    let some: Vec<&String> = faults.iter().take(20).collect();
    assert!(faults.is_empty(), "{} differ in {parts} parts, such as\n{some:#?}", faults.len());
}

#[test]
fn parts_of_the_demo_traces_have_the_times_of_plain_sums() {
    let mut random = Rng(17);
    let (mut faults, mut parts) = (Vec::new(), 0);
    for name in
        ["synthetic-gpu.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "torch-cnn-cpu.pt.trace.json.gz"]
    {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(name);
        let trace = load(&Request::new([path]), &Progress::default()).expect("a trace").trace;
        parts += compare(name, &trace, OF_DEMO, &mut random, &mut faults);
    }
    check(&faults, parts);
}

#[test]
fn parts_of_generated_traces_have_the_times_of_plain_sums() {
    let (mut faults, mut parts) = (Vec::new(), 0);
    for seed in 0..GENERATED {
        let mut random = Rng(seed);
        let text = generated(&mut random);
        let trace =
            load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace").trace;
        parts += compare(&format!("seed {seed}"), &trace, OF_GENERATED, &mut random, &mut faults);
    }
    assert!(parts > 10_000, "{parts} parts");
    check(&faults, parts);
}
