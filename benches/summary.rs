//! Measures the time and memory that all summaries of a large trace take, each by itself and together with
//! loading.
//!
//! `cargo bench -p proftui-benches --bench summary -- FILES`; without files, a generated file of one million
//! events. Each round is a process of its own.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]
#![allow(dead_code, reason = "the support files serve other benches, too")]

use std::path::Path;
use std::time::Instant;

use proftui_insight::analysis::{Scope, VIEWS};
use proftui_trace::import::{Progress, Request, load};

use proftui_benches::child::Cores;
use proftui_benches::generate::Dialect;
use proftui_benches::machine::Machine;
use proftui_benches::measure::is_full;
use proftui_benches::{child, files};

/// Size in bytes of a generated file with about a million events.
const MILLION: u64 = 330_000_000;
const ROUNDS: usize = 3;

fn main() {
    files::go_to_root().expect("the repository");
    if let Some((_, path)) = child::request() {
        return all_views(&path);
    }
    println!("{}", Machine::now());
    let mut paths = files::named();
    if paths.is_empty() {
        let bytes = if is_full() { MILLION } else { 1_000_000 };
        paths.push(
            files::generated(Path::new(env!("CARGO_TARGET_TMPDIR")), Dialect::Kineto, bytes).expect("a file"),
        );
    }
    for path in paths {
        let rounds: Vec<_> =
            (0..ROUNDS).map(|_| child::run("views", &path, Cores::All).expect("a measurement")).collect();
        let least = |figure: &str| rounds.iter().map(|round| round.get(figure)).fold(f64::MAX, f64::min);
        let label = files::label(&path);
        println!("{label:24} {:.0} events, load {:8.1} ms", least("events"), least("load") * 1e3);
        for view in VIEWS {
            println!("{label:24} {:12} {:8.1} ms", view.name, least(view.name) * 1e3);
        }
        println!(
            "{label:24} load and all views: {:.1} ms, {:.1} ms of processor, peak {:.1} MB",
            least("wall") * 1e3,
            least("cpu") * 1e3,
            least("peak") / 1e6
        );
    }
}

/// Runs in the child process: loads the file, makes every summary and reports the times.
fn all_views(path: &Path) {
    child::timed(|| {
        let start = Instant::now();
        let progress = Progress::default();
        let trace = load(&Request::new([path]), &progress).expect("a trace").trace;
        child::report("load", start.elapsed().as_secs_f64());
        child::report("events", progress.events() as f64);
        for view in VIEWS {
            let start = Instant::now();
            std::hint::black_box(view.table(&trace, &Scope::default()));
            child::report(view.name, start.elapsed().as_secs_f64());
        }
    });
}
