//! Loads one text in four ways, and checks that all results are equal.

use proftui_trace::import::{EventText, ImportError, Loaded};
use proftui_trace::model::{Origin, Trace};

use crate::{hash, load_with};

/// One input in this many is also read by several threads, the slowest of the ways.
const THREADS_EVERY: u64 = 32;
/// One input in this many is also read in chunks of the default size.
const DEFAULT_EVERY: u64 = 64;
/// A chunk size that most inputs fit in, bytes.
const WHOLE: usize = 64 << 10;

/// Loads `text` in all ways and compares the results.
pub fn check(text: &[u8]) {
    let hash = hash(text);
    let small = chunk(hash);
    let tolerant = load_with(text, 1, Some(WHOLE), true);
    same("fast", &tolerant, &load_with(text, 1, Some(WHOLE), false));
    same(&format!("fast in chunks of {small}"), &tolerant, &load_with(text, 1, Some(small), false));
    match (hash >> 16) % THREADS_EVERY {
        0 => same(&format!("two threads, chunks of {small}"), &tolerant, &load_with(text, 2, Some(small), false)),
        1 => same(&format!("tolerant in chunks of {small}"), &tolerant, &load_with(text, 1, Some(small), true)),
        2 => same("three threads, tolerant", &tolerant, &load_with(text, 3, Some(chunk(hash >> 7)), true)),
        _ => {}
    }
    if (hash >> 24).is_multiple_of(DEFAULT_EVERY) {
        same("in default chunks", &tolerant, &load_with(text, 1, None, false));
    }
    if let Ok(loaded) = &tolerant {
        crate::model::holds(&loaded.trace);
        again(loaded);
    }
}

/// A chunk size in bytes from a hash: mostly 64 to 4096, sometimes very small.
pub(crate) fn chunk(hash: u64) -> usize {
    let n = (hash >> 40) as usize;
    match hash % 16 {
        0 => 1 + n % 64,
        1..8 => 64 + n % 200,
        _ => 64 + n % 4032,
    }
}

/// Checks that each event of the model can be read again at its byte offset.
pub(crate) fn again(loaded: &Loaded) {
    let trace = &loaded.trace;
    let slices = trace.slices.origin.iter().step_by(1 + trace.slices.len() / 20).copied();
    let marks = trace.instants.iter().take(5).map(|mark| mark.origin);
    for origin in slices.chain(marks).filter(|&origin| origin != Origin::NONE) {
        let text = loaded.texts.read(origin);
        assert!(matches!(&text, EventText::Members(members) if !members.is_empty()), "{origin:?}: {text:?}");
    }
}

/// Checks that the first result equals that of loading in another way; `way` names it in the message.
pub(crate) fn same(way: &str, one: &Result<Loaded, ImportError>, other: &Result<Loaded, ImportError>) {
    match (one, other) {
        (Ok(one), Ok(other)) if one.trace.digest() == other.trace.digest() => {}
        (Err(one), Err(other)) if one.to_string() == other.to_string() => {}
        _ => panic!("{way} differs from the first\n{}", difference(&describe(one), &describe(other))),
    }
}

fn describe(loaded: &Result<Loaded, ImportError>) -> Vec<String> {
    match loaded {
        Ok(loaded) => describe_trace(&loaded.trace),
        Err(error) => vec![error.to_string()],
    }
}

/// The contents of a trace that its digest covers, one line per item.
fn describe_trace(trace: &Trace) -> Vec<String> {
    let slices = &trace.slices;
    let mut out = vec![
        format!("meta {:?}", trace.meta),
        format!("dropped {}", trace.quality.dropped),
        format!("spans {:?} {:?}", trace.span, trace.main_span),
    ];
    out.extend(trace.quality.entries().map(|(warning, entry)| format!("{warning:?} {entry:?}")));
    out.extend(trace.groups.iter().map(|group| format!("{} {group:?}", trace.group_title(group))));
    out.extend(trace.lanes.iter().map(|lane| format!("{} {lane:?}", trace.lane_title(lane))));
    out.extend(trace.rows.iter().map(|row| format!("{row:?}")));
    out.extend(slices.ids().iter().map(|id| {
        format!(
            "slice {id:?} {:?} {:?} {:?} {:?} parent {:?} correlation {} {:?}",
            trace.name(id),
            slices.span(id),
            slices.category(id),
            slices.flags[id],
            slices.parent[id],
            slices.correlation[id],
            slices.origin[id]
        )
    }));
    out.push(format!("{:?}", trace.ends));
    out.push(format!("{:?}", trace.links));
    out.push(format!("{:?} {:?}", trace.flows, trace.flows_in));
    out.extend(trace.counters.iter().map(|counter| format!("{counter:?}")));
    out.extend(trace.instants.iter().map(|mark| format!("{mark:?}")));
    out.extend(trace.memory.iter().map(|memory| format!("{memory:?}")));
    out.push(format!("{:?} {:?} {:?}", trace.steps, trace.cycles, trace.devices));
    out
}

/// The first lines that differ between two descriptions.
fn difference(one: &[String], other: &[String]) -> String {
    let longest = one.len().max(other.len());
    let line = |from: &[String], i: usize| from.get(i).cloned().unwrap_or_else(|| "(nothing)".into());
    let odd = (0..longest).filter(|&i| line(one, i) != line(other, i)).take(5);
    odd.map(|i| format!("first: {}\nother: {}\n", line(one, i), line(other, i))).collect()
}
