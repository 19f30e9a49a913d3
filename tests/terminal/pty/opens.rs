//! The screen that `proftui open` comes to rest with, on a busy machine, is that of `proftui render`: it depends
//! neither on what is read or computed first nor on what is drawn meanwhile.

use std::hint::spin_loop;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::explorer::{BIN, cells, picture};
use crate::rig::Pty;

const SIZES: [(u16, u16); 3] = [(80, 24), (60, 15), (160, 50)];
/// How many threads of the test take processors from the explorer.
const BUSY: usize = 8;
/// How many traces are opened, of each size so often that there are this many opens in all.
const TRACES: usize = 10;
const OPENS: usize = 200;
/// Real traces of several kinds: a training, a loader, serving, a graph, JAX, functions of Python, Chrome's own.
const REAL: &[&str] = &[
    "tracelens/tests/traces/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz",
    "kineto/resnet50_num_workers_0/worker0.pt.trace.json.gz",
    "tracelens/tests/traces/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz",
    "tracelens/tests/traces/torch_compile_triton/trace.json",
    "catapult/tracing/test_data/big_trace.json",
];

/// The traces to open: real ones where they are, and those of the repository.
fn traces() -> Vec<PathBuf> {
    let shared = crate::skip::shared("traces", "real traces opened on a busy machine");
    let real = shared.iter().flat_map(|folder| REAL.iter().map(|name| folder.join(name)));
    let mut own: Vec<PathBuf> =
        std::fs::read_dir("demo-traces").unwrap().map(|entry| entry.unwrap().path()).collect();
    own.sort();
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "gz");
    real.filter(|path| path.is_file()).chain(own.into_iter().filter(is_trace)).take(TRACES).collect()
}

/// What `proftui render` shows, as a terminal of this size shows it.
fn rendered(trace: &Path, (columns, lines): (u16, u16)) -> vt100::Parser {
    let size = format!("{columns}x{lines}");
    let options = ["--size", &size, "--format", "ansi", "--color", "256"];
    let mut command = Command::new(BIN);
    command.arg("render").arg(trace).args(options).env("LC_ALL", "C.UTF-8");
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/config"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [columns, lines] = [columns, lines].map(|number| NonZeroU16::new(number).unwrap());
    let mut parser = vt100::Parser::new(lines, columns, 0);
    let text = String::from_utf8(output.stdout).unwrap();
    // Wide lines end by themselves: each begins where it belongs.
    for (number, line) in text.lines().enumerate() {
        parser.process(format!("\x1b[{};1H{line}", number + 1).as_bytes());
    }
    parser
}

/// Opens the trace and waits until the screen is at rest.
fn opened(trace: &Path, size: (u16, u16)) -> Pty {
    let pty = Pty::spawn(&[BIN, "open", "--color", "256", trace.to_str().unwrap()], &[], size);
    pty.wait_frame("the trace", |screen| {
        let text = screen.contents();
        text.contains("? help") && !text.lines().next().unwrap_or_default().contains("reading ")
    });
    while !pty.quiet(Duration::from_millis(1500)) {}
    pty
}

#[test]
#[ignore = "long: two hundred starts on a busy machine"]
fn what_opens_on_a_busy_machine_is_what_render_shows() {
    let opens = std::env::var("PROFTUI_OPENS").ok().and_then(|count| count.parse().ok()).unwrap_or(OPENS);
    let traces = traces();
    let all: Vec<_> = traces.iter().flat_map(|trace| SIZES.map(|size| (trace, size))).collect();
    let wanted: Vec<_> = all.iter().map(|(trace, size)| rendered(trace, *size)).collect();
    let is_over = AtomicBool::new(false);
    let differing = thread::scope(|scope| {
        for _ in 0..BUSY {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            });
        }
        let mut differing = 0;
        for number in 0..opens {
            let ((trace, size), wanted) = (all[number % all.len()], &wanted[number % all.len()]);
            let pty = opened(trace, size);
            let is_same = pty.look(cells) == cells(wanted.screen());
            if !is_same {
                differing += 1;
                let (shown, wanted) = (pty.look(picture), picture(wanted.screen()));
                println!("{}, {size:?}: opened\n{shown}rendered\n{wanted}", trace.display());
            }
        }
        is_over.store(true, Ordering::Relaxed);
        differing
    });
    println!("{opens} opens of {} traces in {} sizes: {differing} differ", traces.len(), SIZES.len());
    assert_eq!(differing, 0);
}
