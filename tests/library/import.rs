//! Importing through the library: phases, dialects, containers, damage. Each test holds one rule of the
//! formats.

mod ascend;
mod containers;
mod copied;
mod cuts;
mod devices;
mod dialects;
mod event_types;
mod extent;
mod framing;
mod links;
mod partial_load;
mod recordings;
mod repeated;
mod serving;
mod unread;

use std::io::Write;

use proftui_trace::import::{ImportError, Loaded, Progress, Request, load};
use proftui_trace::model::{SliceId, Trace, Warning};

use crate::scratch::Scratch;

/// Loads bytes at hand; their text is kept.
fn load_bytes(bytes: &[u8]) -> Result<Loaded, ImportError> {
    proftui_trace::import::load_bytes(bytes, &Request::default(), &Progress::default())
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(text).expect("compresses");
    out.finish().expect("compresses")
}

fn trace(text: &str) -> Trace {
    load_bytes(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}")).trace
}

/// A trace of the events given, in an array.
fn events(events: &[&str]) -> Trace {
    trace(&format!("[{}]", events.join(",\n")))
}

/// Loads several files as one.
fn load_files(files: &[(&str, &str)]) -> Trace {
    let scratch = Scratch::new("import");
    let paths: Vec<String> = files.iter().map(|(name, text)| scratch.file(name, text)).collect();
    let loaded = load(&Request::new(paths), &Progress::default()).expect("loads");
    loaded.trace
}

fn named(trace: &Trace, name: &str) -> SliceId {
    let ids = trace.slices.ids();
    let mut found = ids.iter().filter(|&id| trace.name(id).as_str() == name);
    let id = found.next().unwrap_or_else(|| panic!("no slice is named {name}"));
    assert!(found.next().is_none(), "several are named {name}");
    id
}

/// (name, start, duration) of every slice, by start.
fn spans(trace: &Trace) -> Vec<(String, i64, i64)> {
    let ids = trace.slices.ids();
    let mut all: Vec<_> = ids
        .iter()
        .map(|id| (trace.name(id).to_string(), trace.slices.start[id], trace.slices.dur[id]))
        .collect();
    all.sort_by(|a, b| (a.1, -a.2, &a.0).cmp(&(b.1, -b.2, &b.0)));
    all
}

fn warned(trace: &Trace) -> Vec<Warning> {
    trace.quality.entries().map(|(warning, _)| warning).collect()
}
