//! Measures how long it takes from a key until the first and the last byte of the frame after it have come,
//! on a pseudo-terminal of 200x50.
//!
//! `cargo build --release && cargo bench -p proftui-benches --bench latency -- FILES`; the demo trace comes
//! first. The time that a terminal takes to show the bytes is not measured.

#![allow(clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};

use proftui_benches::files;
use proftui_benches::measure::is_full;
use proftui_benches::walk::{at, walk};

/// What ends a frame.
const END: &[u8] = b"\x1b[?2026l";
/// The question that the program asks behind a frame, and a terminal's answer.
const ASKED: (&[u8], &[u8]) = (b"\x1b[5n", b"\x1b[0n");

fn main() {
    files::go_to_root().unwrap();
    let mut paths = vec![PathBuf::from("demo-traces/synthetic-gpu.json.gz")];
    paths.extend(files::named());
    paths.iter().for_each(|path| measure(path));
}

/// The terminal's end of the line.
struct Line {
    write: Box<dyn Write + Send>,
    /// What is read, as it comes.
    chunks: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
}

impl Line {
    fn new(master: &dyn MasterPty) -> Self {
        let (mut read, write) = (master.try_clone_reader().unwrap(), master.take_writer().unwrap());
        let (send, chunks) = channel();
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = read.read(&mut buffer) {
                let _ = send.send(buffer[..count].to_vec());
            }
        });
        Self { write, chunks, bytes: Vec::new() }
    }

    fn type_key(&mut self, key: char) {
        self.write.write_all(&[key as u8]).unwrap();
    }

    /// Takes what comes, and answers what is asked, until nothing has come for so long.
    fn drain(&mut self, patience: Duration) -> usize {
        self.bytes.clear();
        self.read(patience, |_| false)
    }

    /// Takes what comes, and answers what is asked, until nothing has come for so long or `is_enough`; how
    /// many bytes have come since the line was drained.
    fn read(&mut self, patience: Duration, is_enough: impl Fn(&[u8]) -> bool) -> usize {
        while !is_enough(&self.bytes) {
            let Ok(chunk) = self.chunks.recv_timeout(patience) else { break };
            self.bytes.extend(chunk);
            if self.bytes.ends_with(ASKED.0) {
                self.write.write_all(ASKED.1).unwrap();
            }
        }
        self.bytes.len()
    }
}

/// The program beside this bench's folder, which `cargo build` with the same profile has built.
fn program() -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let program = this.ancestors().nth(2).unwrap().join("proftui");
    assert!(program.is_file(), "{} is missing: build the program first", program.display());
    program
}

fn measure(path: &Path) {
    let size = PtySize { rows: 50, cols: 200, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(program());
    command.args(["open", "--no-session"]);
    // The terminal starts programs in the home folder.
    command.arg(std::path::absolute(path).unwrap());
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/config"));
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    let mut child = pair.slave.spawn_command(command).unwrap();
    let mut line = Line::new(&*pair.master);
    let start = Instant::now();
    let mut first = 0;
    // Until the trace is loaded and its tables are made.
    while line.drain(Duration::from_secs(2)) > 0 || first == 0 {
        first = first.max(line.bytes.len());
    }
    let loaded = start.elapsed().saturating_sub(Duration::from_secs(2));
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let ms = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    for key in walk().take(if is_full() { 500 } else { 5 }) {
        line.bytes.clear();
        let start = Instant::now();
        line.type_key(key);
        line.read(Duration::from_millis(100), |bytes| !bytes.is_empty());
        let begin = ms(start);
        let has_end = |bytes: &[u8]| bytes.windows(END.len()).any(|window| window == END);
        line.read(Duration::from_millis(100), has_end);
        // A key that changes nothing has no frame.
        if has_end(&line.bytes) {
            begins.push(begin);
            ends.push(ms(start));
        }
        line.drain(Duration::from_millis(30));
    }
    line.type_key('q');
    let _ = child.kill();
    child.wait().unwrap();
    for (what, times) in [("first", &begins), ("last", &ends)] {
        let [p50, p99, max] = [50, 99, 100].map(|percent| at(percent, times.iter().copied()));
        println!(
            "{:32} key to {what:5} byte  p50 {p50:.2} ms  p99 {p99:.2} ms  max {max:.2} ms  ({} frames; at rest after {:.1} s)",
            files::label(path),
            times.len(),
            loaded.as_secs_f64()
        );
    }
}
