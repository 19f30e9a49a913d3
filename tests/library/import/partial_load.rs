//! Traces that are loaded in part: a time range, or as much as memory allows.

use std::fmt::Write;
use std::path::Path;

use proftui_trace::import::{ImportError, Progress, Request, load, load_bytes};
use proftui_trace::model::{Trace, Warning};

use crate::scratch::Scratch;

/// A second of slices on two lanes that lie one after the other in the file, as a producer writes host before
/// device, each slice a microsecond after the last.
fn text(slices: u32) -> String {
    let mut text = String::from(
        "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"main\"}}",
    );
    for (tid, cat) in [(1, "cpu_op"), (7, "kernel")] {
        for i in 0..slices {
            write!(text, ",\n{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"s{}\",\"pid\":1,\"tid\":{tid},\"ts\":{}.5,\"dur\":0.5}}", i % 9, 1000 + i)
                .expect("a string takes it");
        }
    }
    text + "]"
}

fn starts(trace: &Trace, lane: usize) -> &[i64] {
    let slices = trace.lanes.as_slice()[lane].slices;
    &trace.slices.start[slices]
}

fn with_file(text: &str, check: impl Fn(&Path)) {
    let scratch = Scratch::new("part");
    check(Path::new(&scratch.file("part.json", text)));
}

#[test]
fn a_stretch_of_time_counts_from_the_start_of_the_trace() {
    with_file(&text(1000), |path| {
        for threads in [1, 2] {
            let (from, to, threads) = (Some(100_000), Some(200_000), Some(threads));
            let request = Request { from, to, threads, chunk: Some(5000), ..Request::new([path]) };
            let trace = load(&request, &Progress::default()).expect("loads").trace;
            // A slice that begins before the range and ends inside it belongs to it.
            let wanted: Vec<i64> = (100..200).map(|i| 1_000_500 + i * 1000).collect();
            for lane in 0..2 {
                assert_eq!(starts(&trace, lane), wanted, "lane {lane}");
            }
            let partial = trace.meta.partial.expect("a partial load");
            assert_eq!((partial.outside, partial.limit), (1800, None));
            assert_eq!(trace.quality.count(Warning::PartialLoad), 1800);
            assert_eq!((trace.quality.dropped, trace.quality.damage()), (0, 0));
            assert!(trace.partial_title().expect("said").contains("as requested"));
        }
    });
}

#[test]
fn what_comes_through_a_pipe_cannot_be_cut_by_time() {
    let request = Request { from: Some(1), ..Request::new(["/dev/null"]) };
    let error = load(&request, &Progress::default()).expect_err("read twice");
    assert!(matches!(error, ImportError::NotRereadable { .. }), "{error}");
}

#[test]
fn what_does_not_fit_is_the_latest_of_every_lane() {
    let text = text(60_000);
    let whole = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads").trace;
    assert_eq!((whole.slices.len(), whole.meta.partial), (120_000, None));
    let mut digests = Vec::new();
    for (threads, is_tolerant) in [(1, false), (2, false), (1, true)] {
        let request =
            Request { max_memory: Some(48 << 20), threads: Some(threads), is_tolerant, ..Request::default() };
        let trace = load_bytes(text.as_bytes(), &request, &Progress::default()).expect("loads").trace;
        let partial = trace.meta.partial.expect("a partial load");
        assert_eq!(trace.slices.len() as u64 + partial.outside, 120_000, "every event is there or counted");
        assert_eq!(trace.quality.dropped, 0);
        let until = partial.until.expect("an end");
        let fits = whole.slices.start.iter().filter(|&&start| start < until).count() / 2;
        assert!(fits > 10_000, "{fits}");
        for lane in 0..2 {
            assert_eq!(starts(&trace, lane), &starts(&whole, lane)[..fits], "both lanes to the same instant");
        }
        assert!(trace.partial_title().expect("said").contains("48.00 MiB"));
        digests.push(trace.digest());
    }
    assert_eq!(digests[0], digests[2], "the general parser keeps the same");
}

#[test]
fn names_alone_can_be_too_much() {
    let mut text = String::from("[");
    for i in 0..3000 {
        let name = format!("{i}").repeat(1500);
        write!(text, "{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}},")
            .expect("taken");
    }
    text.truncate(text.len() - 1);
    text.push(']');
    let request = Request { max_memory: Some(40 << 20), ..Request::default() };
    let trace = load_bytes(text.as_bytes(), &request, &Progress::default()).expect("loads").trace;
    let partial = trace.meta.partial.expect("a partial load");
    assert!(!trace.slices.is_empty() && partial.outside > 0);
    assert_eq!(trace.slices.len() as u64 + partial.outside, 3000);
}
