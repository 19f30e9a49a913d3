//! The bytes of copies and memsets: who states them how, and that no way of loading loses them.

use std::fmt::Write;

use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::Trace;

use super::{events, named, trace};
use crate::scratch::Scratch;

fn of_all(trace: &Trace) -> Vec<Option<u64>> {
    trace.slices.ids().iter().map(|id| trace.copied(id)).collect()
}

#[test]
fn every_producer_states_bytes() {
    let copy = |cat: &str, args: &str| {
        format!(r#"{{"ph":"X","cat":"{cat}","name":"c","pid":0,"tid":7,"ts":1,"dur":10,"args":{{{args}}}}}"#)
    };
    for (cat, args, want) in [
        (
            "gpu_memcpy",
            r#""correlation":3,"bytes":1048576,"memory bandwidth (GB/s)":104.8576"#,
            Some(1 << 20),
        ),
        ("gpu_memset", r#""bytes":64,"memory bandwidth (GB/s)":0.0064"#, Some(64)),
        ("Memcpy", r#""bytes": "512""#, Some(512)),
        ("gpu_memcpy", r#""bytes":9663676416"#, Some(9 << 30)),
        ("gpu_memcpy", r#""bytes":0"#, Some(0)),
        ("gpu_memcpy", r#""stream":7"#, None),
        ("gpu_memcpy", r#""bytes":"many""#, None),
        // Not the bytes of a copy.
        ("kernel", r#""bytes":512"#, None),
        ("cpu_op", r#""bytes":512"#, None),
        // Paddle prints the lower 32 bits with a sign, and the bandwidth of the whole.
        ("Memcpy", r#""bytes":-2147483648"#, Some(1 << 31)),
        ("Memcpy", r#""bytes":4096,"memory bandwidth (GB/s)":429497.139"#, Some((1 << 32) + 4096)),
    ] {
        let trace = events(&[&copy(cat, args)]);
        assert_eq!(of_all(&trace), [want], "{cat} {args}");
    }
}

#[test]
fn a_copy_of_a_begin_and_an_end_has_its_bytes() {
    let trace = events(&[
        r#"{"ph":"B","cat":"gpu_memcpy","name":"c","pid":0,"tid":7,"ts":1,"args":{"bytes":77}}"#,
        r#"{"ph":"E","pid":0,"tid":7,"ts":9}"#,
    ]);
    assert_eq!(of_all(&trace), [Some(77)]);
}

#[test]
fn ascends_copies_have_no_category_in_the_file() {
    let trace = events(&[
        r#"{"ph":"X","name":"MEMCPY_ASYNC","pid":4424803,"tid":2,"ts":"5.000","dur":2,"args":{"Task Type":"MEMCPY_ASYNC","size(B)":4096}}"#,
        r#"{"ph":"X","name":"AI_CORE","pid":4424803,"tid":2,"ts":"8.000","dur":2,"args":{"size(B)":8}}"#,
        r#"{"ph":"M","name":"process_name","pid":4424803,"args":{"name":"Ascend Hardware"}}"#,
    ]);
    assert_eq!(
        (trace.copied(named(&trace, "MEMCPY_ASYNC")), trace.copied(named(&trace, "AI_CORE"))),
        (Some(4096), None)
    );
}

/// Copies on two streams in the order of their end, with kernels between them; the bytes of a copy are its
/// start in µs.
fn many(copies: u64) -> String {
    let mut text = String::from("[");
    for at in (1..=copies).rev() {
        let (tid, ts) = (7 + at % 2, 1000 + 10 * at);
        let _ = write!(
            text,
            "{{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"c\",\"pid\":0,\"tid\":{tid},\"ts\":{ts}.5,\"dur\":2,\"args\":{{\"bytes\":{ts}}}}},\n\
             {{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":{tid},\"ts\":{}.5,\"dur\":2,\"args\":{{\"stream\":7}}}},\n",
            ts + 4
        );
    }
    text + "{}]"
}

/// Checks that each copy has its own bytes, kernels none; returns the number of copies.
#[track_caller]
fn own_bytes(trace: &Trace) -> usize {
    let mut copies = 0;
    for id in trace.slices.ids() {
        let is_copy = trace.name(id).as_str() == "c";
        let start = (trace.slices.start[id] / 1000) as u64;
        assert_eq!(trace.copied(id), is_copy.then_some(start));
        copies += usize::from(is_copy);
    }
    copies
}

#[test]
fn every_part_that_is_loaded_keeps_its_own() {
    let text = many(3000);
    assert_eq!(own_bytes(&trace(&text)), 3000);
    let load = |request| load_bytes(text.as_bytes(), &request, &Progress::default()).expect("loads").trace;
    for threads in [1, 3] {
        let request = Request { threads: Some(threads), chunk: Some(5000), ..Request::default() };
        assert_eq!(own_bytes(&load(request)), 3000);
    }
    let scratch = Scratch::new("copied");
    // From 10 to 20 ms after the first.
    let request = Request {
        from: Some(10_000_000),
        to: Some(20_000_000),
        ..Request::new([scratch.file("many.json", &text)])
    };
    assert_eq!(
        own_bytes(&proftui_trace::import::load(&request, &Progress::default()).expect("loads").trace),
        1000
    );
}

#[test]
fn what_does_not_fit_takes_its_bytes_with_it() {
    let text = many(60_000);
    let request = Request { max_memory: Some(48 << 20), ..Request::default() };
    let trace = load_bytes(text.as_bytes(), &request, &Progress::default()).expect("loads").trace;
    assert!(trace.meta.partial.is_some());
    let copies = own_bytes(&trace);
    assert!((10_000..60_000).contains(&copies), "{copies}");
}

#[test]
fn files_loaded_together_keep_their_own() {
    let file = |bytes: u32| {
        format!(
            r#"[{{"ph":"X","cat":"gpu_memcpy","name":"c{bytes}","pid":0,"tid":7,"ts":{bytes},"dur":1,"args":{{"bytes":{bytes}}}}}]"#
        )
    };
    let trace = super::load_files(&[("a.json", &file(20)), ("b.json", &file(10))]);
    assert_eq!(
        (trace.copied(named(&trace, "c20")), trace.copied(named(&trace, "c10"))),
        (Some(20), Some(10))
    );
}
