//! What is left out for want of memory: the same whatever the threads, the chunks, the container and the way
//! through the parsers.

use std::fmt::Write;

use proftui_trace::import::{Progress, Request, load, load_bytes};
use proftui_trace::model::Trace;

use super::gzip;
use crate::generate::{Dialect, Recipe};
use crate::scratch::Scratch;

/// Threads and sizes of chunks in bytes by which each text is loaded.
const WAYS: [(usize, Option<usize>); 6] =
    [(1, None), (1, Some(1000)), (2, Some(5000)), (4, Some(100_000)), (8, Some(30_000)), (8, None)];

/// What was loaded, and what was said of the rest.
fn outcome(trace: &Trace) -> (u64, usize, String) {
    let partial = trace.meta.partial.expect("a part");
    assert!(!trace.slices.is_empty(), "nothing is left");
    (trace.digest(), trace.slices.len(), format!("{partial:?} {:?}", trace.quality))
}

fn limited(memory: u64, (threads, chunk): (usize, Option<usize>)) -> Request {
    Request { max_memory: Some(memory), threads: Some(threads), chunk, ..Request::default() }
}

/// Loads the text within `memory` bytes in every way, several times where the order of threads could decide.
#[track_caller]
fn same_in_every_way(name: &str, text: &[u8], memory: u64) {
    let load = |bytes: &[u8], request: &Request| {
        outcome(&load_bytes(bytes, request, &Progress::default()).expect("loads").trace)
    };
    let first = load(text, &limited(memory, WAYS[0]));
    for way in WAYS {
        for _ in 0..if way.0 > 1 { 2 } else { 1 } {
            assert_eq!(load(text, &limited(memory, way)), first, "{name}: {way:?}");
        }
    }
    let tolerant = Request { is_tolerant: true, ..limited(memory, WAYS[3]) };
    assert_eq!(load(text, &tolerant), first, "{name}: tolerant");
    let packed = [gzip(text), zstd::encode_all(text, 1).expect("compresses")];
    for (packed, way) in packed.iter().flat_map(|packed| WAYS.map(|way| (packed, way))).step_by(2) {
        assert_eq!(load(packed, &limited(memory, way)), first, "{name}: compressed, {way:?}");
    }
}

/// The order of events in a file is none of time here: each is at a time of its own, and every name is new.
fn shuffled(events: u64) -> String {
    let mut text = String::from("[{}");
    for i in 0..events {
        let (ts, tid) = (i * 7919 % events, i * i % 60);
        let event = match i % 5 {
            0 => format!(r#""ph":"X","name":"unique {i}","tid":{tid},"ts":{ts},"dur":2"#),
            1 => format!(r#""ph":"C","name":"c{}","ts":{ts},"args":{{"a":{i},"b":2}}"#, i % 9),
            2 => format!(r#""ph":"s","cat":"ac2g","name":"ac2g","id":{i},"tid":{tid},"ts":{ts}"#),
            3 if i % 2 == 0 => {
                format!(
                    r#""ph":"X","cat":"kernel","name":"k","tid":9,"ts":{ts},"dur":-1,"args":{{"correlation":{}}}"#,
                    (1_u64 << 40) - i
                )
            }
            3 => format!(r#""ph":"b","cat":"q{tid}","id":"text {i}","name":"n","ts":{ts}"#),
            _ => format!(r#""ph":"C","name":"bad","ts":{ts},"args":{{"a":"x"}}"#),
        };
        write!(text, ",\n{{\"pid\":1,{event}}}").expect("taken");
    }
    text + "]"
}

#[test]
fn texts_of_all_kinds_are_cut_alike() {
    const MEMORY: u64 = 44 << 20;
    same_in_every_way("shuffled", shuffled(90_000).as_bytes(), MEMORY);
    same_in_every_way("every type", &crate::mixed::mixed(100_000).text, MEMORY);
    for (dialect, bytes) in [(Dialect::Kineto, 24_000_000), (Dialect::Paddle, 34_000_000)] {
        let mut text = Vec::new();
        let recipe = Recipe { dialect, bytes, seed: 3, damage: 0.0005 };
        crate::generate::write(&mut text, &recipe).expect("written");
        same_in_every_way(&format!("{dialect:?}"), &text, MEMORY);
    }
}

#[test]
fn events_of_one_time_are_cut_in_the_files_order() {
    let mut text = String::from("[");
    for i in 0..60_000 {
        write!(text, "{{\"ph\":\"X\",\"name\":\"n{i}\",\"pid\":1,\"tid\":{},\"ts\":5,\"dur\":1}},", i % 3)
            .expect("taken");
    }
    let text = text.trim_end_matches(',').to_owned() + "]";
    same_in_every_way("one time", text.as_bytes(), 44 << 20);
    let trace = load_bytes(text.as_bytes(), &limited(44 << 20, (2, None)), &Progress::default())
        .expect("loads")
        .trace;
    let last = trace.slices.origin.iter().max().expect("some").offset();
    let before = text[..last as usize].matches('{').count();
    assert_eq!(trace.slices.len(), before + 1, "the first ones of the file");
}

#[test]
fn several_files_and_directories_are_cut_alike() {
    let scratch = Scratch::new("cuts");
    let mut paths = Vec::new();
    std::fs::create_dir(scratch.path("ranks")).expect("a folder");
    for rank in 0..4_u64 {
        let mut text = String::from("[{}");
        for i in 0..40_000 {
            let ts = 1_000_000 * (rank % 2) + i * 3;
            write!(text, ",{{\"ph\":\"X\",\"name\":\"{i}\",\"pid\":{rank},\"tid\":1,\"ts\":{ts},\"dur\":2}}")
                .expect("taken");
        }
        paths.push(scratch.file(&format!("ranks/rank{rank}.json"), text + "]"));
    }
    for request in [Request::new(paths), Request::new([scratch.path("ranks")])] {
        let mut first = None;
        for (threads, chunk) in WAYS {
            let request =
                Request { max_memory: Some(44 << 20), threads: Some(threads), chunk, ..request.clone() };
            let found = outcome(&load(&request, &Progress::default()).expect("loads").trace);
            assert_eq!(&found, first.get_or_insert(found.clone()), "{threads} threads, chunks of {chunk:?}");
        }
    }
}
