//! Memory, files and threads that fail: whichever allocation or call it is, the command ends with its
//! results, or with status 1 and one line that says why, and leaves no part of a file.
//!
//! Allocations fail by `PROFTUI_FAULT`, calls by `tests/faults`.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::{Command, Output};

use crate::binary::BINARY;
use crate::fault::Faults;
use crate::scratch::Scratch;

/// A small trace with operators, calls, kernels, copies, memory and steps, and one of Paddle's.
const TORCH: &str = "demo-traces/guide-conv.pt.trace.json.gz";
const PADDLE: &str = "demo-traces/guide-loader-after.paddle_trace.json.gz";

/// Printed where a command ended before its fault.
const NOT_INJECTED: &str = "proftui: the fault of PROFTUI_FAULT was not injected\n";

// Errors of the C library.
const EINTR: &str = "4";
const EIO: &str = "5";
const EAGAIN: &str = "11";
const ENOMEM: &str = "12";
const EACCES: &str = "13";
const EMFILE: &str = "24";
const EXDEV: &str = "18";
const ENOSPC: &str = "28";

/// What may befall a call, and harms nothing.
const HARMLESS: [&str; 2] = [EINTR, "short"];

/// Functions of the C library, and what befalls one call of them.
const LIBRARY_CALLS: [(&str, &str); 11] = [
    ("open", EMFILE),
    ("open", EACCES),
    ("read", EIO),
    ("read", EINTR),
    ("read", "short"),
    ("write", ENOSPC),
    ("write", EINTR),
    ("write", "short"),
    ("stat", EACCES),
    ("thread", EAGAIN),
    ("thread", ENOMEM),
];

/// System calls, as `tests/faults/system.c` names them, and the errors of one of them.
const SYSTEM_CALLS: [(&str, &str); 9] = [
    ("mmap", ENOMEM),
    ("open", EMFILE),
    ("read", EIO),
    ("read", EINTR),
    ("write", ENOSPC),
    ("stat", EACCES),
    ("link", EXDEV),
    ("rename", EACCES),
    ("sync", EIO),
];

/// Command lines; a word that begins with `@` is a file of the folder of inputs, one with `>` a file that is
/// written.
const COMMANDS: &[&str] = &[
    "info @plain.json",
    "info --format json @zstd.json.zst",
    "info @paddle.pb",
    "info @folder",
    "info @damaged.json",
    "summary @gzip.json.gz",
    "summary --view kernel --format json @zstd.json.zst",
    "summary --format csv @plain.json",
    "summary --format markdown @paddle.pb",
    "summary @folder",
    "summary --merged @folder",
    "summary --layout torch @plain.json",
    "summary --layout fluid @plain.json",
    "summary --layout paddle @paddle.pb",
    "summary --layout visualdl @paddle.pb",
    "convert @paddle.pb >out.json.gz",
    "convert @paddle.pb >out.json.zst",
    "convert @paddle.json >out.pb",
    "convert --force @paddle.pb >out.json",
    "completions bash",
    "keys",
];

/// No command has as many allocations.
const MOST: u64 = 1 << 32;

/// What is needed to run the commands.
struct Bench {
    scratch: Scratch,
}

impl Bench {
    fn new() -> Self {
        let scratch = Scratch::new("faults");
        let bench = Self { scratch };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = |path: &str| {
            let mut text = Vec::new();
            let file = std::fs::File::open(root.join(path)).expect("a demo trace");
            std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(file), &mut text)
                .expect("gzip");
            text
        };
        let (torch, paddle) = (text(TORCH), text(PADDLE));
        let put = |name: &str, bytes: &[u8]| drop(bench.scratch.file(name, bytes));
        put("plain.json", &torch);
        put("gzip.json.gz", &std::fs::read(root.join(TORCH)).expect("a demo trace"));
        put("zstd.json.zst", &zstd::encode_all(&torch[..], 3).expect("compresses"));
        put("damaged.json", &torch[..torch.len() / 2]);
        put("paddle.json", &paddle);
        std::fs::create_dir_all(bench.scratch.path("folder")).expect("a folder");
        for rank in 0..3 {
            put(&format!("folder/rank{rank}.json"), &torch);
        }
        let (from, to) = (bench.scratch.path("paddle.json"), bench.scratch.path("paddle.pb"));
        let made = Command::new(BINARY).args(["convert", &from, &to]).status().expect("the program runs");
        assert!(made.success());
        bench
    }

    /// The command, with the paths of its files.
    fn command(&self, line: &str) -> Command {
        let words = line.split(' ').map(|word| match word.as_bytes()[0] {
            b'@' | b'>' => self.scratch.path(&word[1..]),
            _ => word.to_owned(),
        });
        let mut command = Command::new(BINARY);
        command.args(words).env_remove("PROFTUI_FAULT");
        command
    }

    /// The file that the command writes: its bytes, if it is there. Removes it. Nothing else may be beside
    /// the inputs.
    #[track_caller]
    fn written(&self, line: &str, inputs: usize) -> Option<Vec<u8>> {
        let file =
            line.split(' ').find_map(|word| word.strip_prefix('>')).map(|name| self.scratch.path(name));
        let bytes = file.as_ref().and_then(|path| std::fs::read(path).ok());
        if bytes.is_some() {
            std::fs::remove_file(file.expect("a path")).expect("removed");
        }
        assert_eq!(self.files(), inputs, "{line} leaves files");
        bytes
    }

    fn files(&self) -> usize {
        std::fs::read_dir(self.scratch.path("")).expect("a folder").count()
    }
}

/// How faults of one kind went.
#[derive(Debug, Default)]
struct Outcome {
    /// Faults that were injected.
    points: u64,
    /// Commands that ended with 1 and said why.
    ended: u64,
}

/// How many faults are injected.
#[derive(Clone, Copy)]
enum Many {
    /// The 1st, 2nd, 4th and so on.
    Doubling,
    /// The first 64, then each that is at least a 64th further on.
    Most,
}

impl Many {
    fn next(self, number: u64) -> u64 {
        match self {
            Self::Doubling => 2 * number,
            Self::Most => number + number.div_ceil(64),
        }
    }
}

/// Injects faults into a command by `set` until one does not come, of which `has_come` knows.
#[track_caller]
fn inject(
    bench: &Bench,
    line: &str,
    what: &str,
    many: Many,
    set: impl Fn(&mut Command, u64),
    has_come: impl Fn(&Output) -> bool,
) -> Outcome {
    let inputs = bench.files();
    let bare = bench.command(line).output().expect("the program runs");
    let bare_file = bench.written(line, inputs);
    let notes = String::from_utf8_lossy(&bare.stderr);
    let notes: Vec<&str> = notes.lines().collect();
    let mut outcome = Outcome::default();
    let numbers = std::iter::successors(Some(1), |&number| Some(many.next(number)));
    for number in numbers.take_while(|&number| number < MOST) {
        let mut command = bench.command(line);
        set(&mut command, number);
        let run = command.output().expect("the program runs");
        let about = format!("{line}, {what} {number}");
        let said = String::from_utf8_lossy(&run.stderr).replace(NOT_INJECTED, "");
        let file = bench.written(line, inputs);
        if !has_come(&run) {
            assert_eq!(
                (run.status.code(), &run.stdout),
                (bare.status.code(), &bare.stdout),
                "{about}: {said}"
            );
            assert_eq!(file, bare_file, "{about}");
            return outcome;
        }
        outcome.points += 1;
        // Of the notes that the command prints anyway there may be fewer.
        let new: Vec<&str> = said.lines().filter(|line| !notes.contains(line)).collect();
        let is_line = new.len() == 1 && new[0].starts_with("proftui: ") && said.ends_with('\n');
        match run.status.code() {
            Some(0) => {
                let is_whole = run.stdout == bare.stdout && file == bare_file;
                let shown = String::from_utf8_lossy(&run.stdout);
                let is_listed =
                    line.starts_with("info") && (shown.contains("\ndamage ") || shown.contains("W_"));
                assert!(
                    is_whole || is_line || is_listed,
                    "{about}: something is missing, and nothing is said"
                );
            }
            Some(1) => {
                outcome.ended += 1;
                assert!(is_line, "{about}: {said:?}");
                assert!(file.is_none() || file == bare_file, "{about}: a part of the file");
            }
            _ => panic!("{about}: {:?}: {said}", run.status),
        }
    }
    panic!("{line}, {what}: no end of faults");
}

/// Injects faults of one kind into each command, at least `least` into each; what became of all.
#[track_caller]
fn inject_all(
    bench: &Bench,
    what: &str,
    many: Many,
    least: u64,
    set: impl Fn(&mut Command, u64),
    has_come: impl Fn(&Output) -> bool,
) -> Outcome {
    let mut all = Outcome::default();
    for line in COMMANDS {
        let outcome = inject(bench, line, what, many, &set, &has_come);
        assert!(outcome.points >= least, "{line}, {what}: {outcome:?}");
        all.points += outcome.points;
        all.ended += outcome.ended;
    }
    println!("{what}: {} points, {} ended with a line", all.points, all.ended);
    all
}

#[test]
fn any_allocation_may_fail() {
    allocations(Many::Doubling);
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn most_allocations_may_fail() {
    allocations(Many::Most);
}

fn allocations(many: Many) {
    let bench = Bench::new();
    let has_come = |run: &Output| !String::from_utf8_lossy(&run.stderr).contains(NOT_INJECTED);
    for kind in ["allocation", "memory"] {
        let set = |command: &mut Command, number: u64| {
            command.env("PROFTUI_FAULT", format!("{kind}@start:{number}"));
        };
        inject_all(&bench, kind, many, 4, set, has_come);
    }
}

#[test]
fn any_call_may_fail() {
    calls(Many::Doubling);
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn most_calls_may_fail() {
    calls(Many::Most);
}

/// A trace of many events of all kinds, with names and ids that occur once.
fn large_trace() -> String {
    let mut text = String::from("{\"traceEvents\":[\n");
    for at in 0..12_000_u64 {
        let event = |ph: &str, cat: &str, tid: u64, rest: &str| {
            format!(
                "{{\"ph\":\"{ph}\",\"cat\":\"{cat}\",\"name\":\"{cat} {at:024}\",\"pid\":1,\"tid\":{tid},\"ts\":{}{rest}}},\n",
                at * 10
            )
        };
        let args = format!(",\"dur\":5,\"args\":{{\"correlation\":{},\"bytes\":512}}", at + 1);
        let id = format!(",\"id\":\"id {at:024}\"");
        for (ph, cat, tid, rest) in [
            ("X", "cpu_op", 1, ",\"dur\":7"),
            ("X", "cuda_runtime", 2, &args),
            ("X", "gpu_memcpy", 7, &args),
            ("B", "cpu_op", 3, ",\"args\":{\"a\":1}"),
            ("E", "cpu_op", 3, ",\"args\":{\"a\":1}"),
            ("b", "request", 4, &id),
            ("e", "request", 4, &id),
            ("s", "arrow", 1, &id),
            ("f", "arrow", 2, &id),
            ("i", "mark", 1, ",\"s\":\"t\""),
        ] {
            text.push_str(&event(ph, cat, tid, rest));
        }
        let ts = at * 10;
        text.push_str(&format!(
            "{{\"ph\":\"C\",\"name\":\"loss\",\"pid\":1,\"ts\":{ts},\"args\":{{\"value\":{at}}}}},\n"
        ));
        text.push_str(&format!(
            "{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":{ts},\"args\":{{\"Device Type\":1,\"Device Id\":0,\
             \"Addr\":{at},\"Bytes\":64,\"Total Allocated\":{at},\"Total Reserved\":4096}}}},\n"
        ));
    }
    text.push_str(
        "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"far\",\"pid\":1,\"tid\":1,\"ts\":1e15,\"dur\":1}\n]}\n",
    );
    text
}

/// Each large block of memory that loading asks for fails once: the line names the file and what to do.
fn large_allocations(next: impl Fn(u64) -> u64) {
    let scratch = Scratch::new("large");
    let plain = scratch.file("plain.json", large_trace().as_bytes());
    let folder = scratch.path("folder");
    std::fs::create_dir_all(&folder).expect("a folder");
    for rank in 0..2 {
        std::fs::copy(&plain, format!("{folder}/rank{rank}.json")).expect("copied");
    }
    let small = |memory: &str| [&["info", "--max-memory", memory][..], &[&plain]].concat().join(" ");
    for line in [format!("info {plain}"), small("56M"), format!("info {folder}")] {
        let (mut points, mut number) = (0, 1);
        loop {
            let mut command = Command::new(BINARY);
            command.args(line.split(' ')).env("PROFTUI_FAULT", format!("large@import:{number}"));
            let run = command.output().expect("the program runs");
            let said = String::from_utf8_lossy(&run.stderr);
            if said.contains(NOT_INJECTED) {
                break;
            }
            let about = format!("{line}, large block {number}: {:?}: {said}", run.status);
            let is_named = said.contains(&scratch.path("")) && said.contains("--max-memory");
            let is_named_line = run.status.code() == Some(1) && said.lines().count() == 1 && is_named;
            assert!(is_named_line, "{about}");
            (points, number) = (points + 1, next(number));
        }
        assert!(points > 2, "{line}: {points} large blocks");
        println!("{line}: {points} large blocks");
    }
}

#[test]
fn any_large_block_may_fail() {
    large_allocations(|number| number * 3 / 2 + 1);
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn each_large_block_may_fail() {
    large_allocations(|number| number + 1);
}

fn calls(many: Many) {
    let Some(faults) = Faults::build("commands whose calls of the C library fail") else { return };
    let bench = Bench::new();
    for (call, how) in LIBRARY_CALLS {
        let what = format!("{call} {how}");
        let set = |command: &mut Command, number: u64| {
            command.envs(faults.of_library(call, how, number));
        };
        let all = inject_all(&bench, &what, many, 0, set, |_| faults.has_come());
        assert!(all.points > 0, "{what}: never called");
        assert!(all.ended == 0 || !HARMLESS.contains(&how), "{what}: {all:?}");
    }
}

#[test]
fn any_system_call_may_fail() {
    system_calls(Many::Doubling);
}

#[test]
#[ignore = "long: .ci/long runs it"]
fn most_system_calls_may_fail() {
    system_calls(Many::Most);
}

fn system_calls(many: Many) {
    let what = "commands whose system calls fail";
    let Some(faults) = Faults::build(what).filter(|faults| faults.has_system(what)) else { return };
    let bench = Bench::new();
    for (call, how) in SYSTEM_CALLS {
        let what = format!("system call {call} {how}");
        let set = |command: &mut Command, number: u64| {
            let [launcher, words @ ..] = faults.of_system(call, how, number);
            let mut run = Command::new(launcher);
            run.args(words).arg(command.get_program()).args(command.get_args()).env_remove("PROFTUI_FAULT");
            *command = run;
        };
        let all = inject_all(&bench, &what, many, 0, set, |_| faults.has_come());
        assert!(all.points > 0, "{what}: never called");
        assert!(all.ended == 0 || !HARMLESS.contains(&how), "{what}: {all:?}");
    }
}
