//! Directories: ten times as many files are at most [`BOUND`] times the work, whatever is in them.
//!
//! Must not know how work is counted.

use proftui_trace::import::{Progress, Request, load, traces};

use super::meter::measure;
use super::scratch::Scratch;

/// Most times the work for ten times as many files.
const BOUND: f64 = 15.0;
/// Files of the smaller directory.
const FILES: usize = 300;

/// A trace of three operators that begins at `ts`, µs.
fn trace(rank: usize, ts: u64) -> String {
    let event = |at: u64| {
        format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"op","ts":{},"dur":2,"pid":{},"tid":1}}"#,
            ts + 3 * at,
            rank + 2
        )
    };
    let events: Vec<String> = (0..3).map(event).collect();
    format!(
        r#"{{"distributedInfo":{{"rank":{rank},"world_size":9000}},"traceEvents":[{}]}}"#,
        events.join(",")
    )
}

/// The name and the text of file `at` of a directory.
type File = fn(usize) -> (String, String);

/// What is in the directories.
const DIRECTORIES: [(&str, File); 6] = [
    ("ranks", |at| (format!("r{at}.trace.json"), trace(at, 0))),
    ("ranks hours apart", |at| (format!("r{at}.trace.json"), trace(at, at as u64 * 7_200_000_000))),
    ("other JSON", |at| (format!("c{at}.json"), r#"{"a":[1,2]}"#.into())),
    ("ranks among other JSON", |at| {
        (format!("m{at}.json"), if at % 2 == 0 { trace(at, 0) } else { r#"{"a":[1,2]}"#.into() })
    }),
    ("copies", |at| {
        let name =
            if at % 2 == 0 { format!("merged-{}.trace.json", at + 1) } else { format!("{at}-0.trace.json") };
        (name, trace(at, 0))
    }),
    ("folders", |at| (format!("runs/{}/h_{at}.pt.trace.json", at % 30), trace(at, 0))),
];

/// The directories whose work grows too much, each with its ratios.
pub fn failures() -> Vec<String> {
    let mut failures = Vec::new();
    for (name, file) in DIRECTORIES {
        let mut found = ratios(file);
        if exceeds(found) {
            // What the machine does beside the test is not the same twice.
            let again = ratios(file);
            found = std::array::from_fn(|at| found[at].min(again[at]));
        }
        let line = format!(
            "directory of {name}: {:.1} times the allocations, {:.1} times the bytes, {:.1} times the time",
            found[0], found[1], found[2]
        );
        println!("{line}");
        failures.extend(exceeds(found).then_some(line));
    }
    failures
}

fn exceeds(ratios: [f64; 3]) -> bool {
    ratios.iter().any(|&ratio| ratio > BOUND)
}

/// Allocations, bytes and time of ten times as many files, each in times that of [`FILES`].
fn ratios(file: File) -> [f64; 3] {
    let [small, large] = [FILES, 10 * FILES].map(|files| {
        let folder = Scratch::new("directory");
        for at in 0..files {
            let (name, text) = file(at);
            let path = std::path::PathBuf::from(folder.path(&name));
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let request = Request { threads: Some(1), ..Request::new([folder.path("")]) };
        measure(&mut || {
            for files in traces(&request, &Progress::default()).unwrap_or_default() {
                drop(load(&files.request, &Progress::default()));
            }
        })
    });
    let of = |figure: fn(&super::meter::Work) -> u64| figure(&large) as f64 / figure(&small) as f64;
    [of(|work| work.calls), of(|work| work.bytes), of(|work| work.time)]
}
