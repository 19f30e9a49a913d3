//! Every way of loading a text gives the same model: with shapes or without, on one thread or several, in
//! chunks of any size, plain, gzip of one member or many, zstd.
//!
//! Over the demo traces, generated ones and, where a collection stands beside the checkout, all its Chrome
//! traces and hostile files.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use proftui_trace::import::{Progress, Request, load_bytes};

use crate::generate::{Dialect, Recipe};
use crate::scratch::Scratch;

/// Texts longer than this are read in small chunks only by a release build: a debug one takes too long.
const LONG: usize = 4 << 20;

/// What a way makes of a text: the model's number and how many slices it has, or why it is refused.
type Outcome = Result<(u64, usize), String>;

fn load(bytes: &[u8], request: &Request) -> Outcome {
    match load_bytes(bytes, request, &Progress::default()) {
        Ok(loaded) => Ok((loaded.trace.digest(), loaded.trace.slices.len())),
        Err(error) => Err(error.to_string()),
    }
}

fn way(threads: usize, chunk: Option<usize>) -> Request {
    Request { threads: Some(threads), chunk, ..Request::default() }
}

fn gzip(text: &[u8], member: usize) -> Vec<u8> {
    let members = text.chunks(member).map(|part| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(part).expect("compresses");
        out.finish().expect("compresses")
    });
    members.collect::<Vec<_>>().concat()
}

/// What is inside, as far as it goes.
fn inflated(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut text = Vec::new();
    // A damaged end is no matter here: what came before it is the text.
    let _ = flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut text);
    text
}

/// Loads the text in every way. Returns what all of them gave.
#[track_caller]
fn all_ways(name: &str, text: &[u8]) -> Outcome {
    let slow = load(text, &Request { is_tolerant: true, ..way(1, None) });
    let same = |way: &str, found: Outcome| assert_eq!(found, slow, "{name}: {way}, then the tolerant one");
    same("one thread", load(text, &way(1, None)));
    same("two threads", load(text, &way(2, None)));
    same("tolerant, three threads", load(text, &Request { is_tolerant: true, ..way(3, None) }));
    let is_long = text.len() > LONG && cfg!(debug_assertions);
    for chunk in [1 << 20, 1 << 16, 4097, 1000] {
        for threads in [1, 2] {
            if !is_long || chunk > 1 << 16 && threads == 2 {
                same(
                    &format!("chunks of {chunk}, threads {threads}"),
                    load(text, &way(threads, Some(chunk))),
                );
            }
        }
    }
    // An empty text has no members; what is refused may be so by its first bytes, which compression hides;
    // and what is compressed already is unpacked once only.
    if text.is_empty() || slow.is_err() || text.starts_with(&[0x1f, 0x8b]) {
        return slow;
    }
    same("gzip", load(&gzip(text, usize::MAX), &way(2, None)));
    same("gzip, one thread", load(&gzip(text, usize::MAX), &way(1, None)));
    same("gzip of many members", load(&gzip(text, 100_001), &way(2, None)));
    same("gzip of many members, small chunks", load(&gzip(text, 65_537), &way(2, Some(9_999))));
    let packed = zstd::encode_all(text, 1).expect("compresses");
    same("zstd", load(&packed, &way(2, None)));
    slow
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn is_trace(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".json") || name.ends_with(".json.gz") || name == "simple_trace_gz"
}

/// Tries the files; how many loaded.
fn try_files(paths: Vec<PathBuf>) -> usize {
    let (mut loaded, mut slices, mut refused) = (0, 0, 0);
    for path in paths {
        let text = inflated(std::fs::read(&path).expect("readable"));
        match all_ways(&path.to_string_lossy(), &text) {
            Ok((_, more)) => (loaded, slices) = (loaded + 1, slices + more),
            Err(_) => refused += 1,
        }
    }
    println!(
        "{loaded} traces with {slices} slices the same in every way; {refused} files refused in every way"
    );
    loaded
}

#[test]
fn demo_traces() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-traces");
    let traces: Vec<_> = files(&folder).into_iter().filter(|path| is_trace(path)).collect();
    assert_eq!(try_files(traces), 12);
}

#[test]
fn generated_traces() {
    for (dialect, damage) in [(Dialect::Kineto, 0.0), (Dialect::Paddle, 0.0), (Dialect::Kineto, 0.01)] {
        let mut text = Vec::new();
        let bytes = if cfg!(debug_assertions) { 3_000_000 } else { 20_000_000 };
        let recipe = Recipe { dialect, bytes, seed: 7, damage };
        let written = crate::generate::write(&mut text, &recipe).expect("written");
        let (_, slices) = all_ways(&format!("{dialect:?}, damage {damage}"), &text).expect("loads");
        println!("{dialect:?}: {written}; {slices} slices");
        assert!(slices > 3_000, "{slices} slices");
    }
    let mixed = crate::mixed::mixed(20_000);
    let (_, slices) = all_ways("every phase", &mixed.text).expect("loads");
    assert_eq!(slices, mixed.phases.iter().filter(|phase| b"XBb".contains(phase)).count());
}

#[test]
fn real_traces() {
    let Some(shared) = crate::skip::shared("traces", "every way of loading real traces") else { return };
    let traces = files(&shared).into_iter().filter(|path| is_trace(path));
    // Where it takes seconds, all; elsewhere the small ones.
    let size = |path: &PathBuf| path.metadata().expect("there").len();
    let limit = if cfg!(debug_assertions) { 200_000 } else { u64::MAX };
    assert!(try_files(traces.filter(|path| size(path) <= limit).collect()) > 20);
}

#[test]
fn hostile_files() {
    let what = "every way of loading hostile files";
    let Some(corpus) = crate::skip::shared("corpus", what) else { return };
    let Some(python) = crate::tools::newest_python(what) else { return };
    let folder = Scratch::new("hostile");
    let made =
        Command::new(python).arg(corpus.join("gen_corpus.py")).args(["--out", &folder.path("")]).output();
    let made = made.expect("python runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    // Bombs are inflated whole here, and read some fifteen times.
    let is_bomb = |path: &PathBuf| path.to_string_lossy().contains("bomb_");
    let cases = files(Path::new(&folder.path("cases")));
    assert!(try_files(cases.into_iter().filter(|path| !is_bomb(path)).collect()) > 100);
}
