//! A program with a GPU profiler of its own, in both ways that Kineto has had: it finds what it finds without
//! a capture, the capture states what it has itself, and takes what that profiler wrote. Where no hook can
//! be, what is lost is counted and named.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proftui_trace::model::Category;

use super::rig::{Captured, Setting, cupti, fakes};
use crate::run::{Sandbox, python, said};

/// Generations of CUPTI in the printed tables.
const GENERATIONS: [&str; 3] = ["12.4", "12.9", "13.5"];
const WAYS: [&str; 2] = ["subscribes", "registers"];
/// Launches before, beside and after the profiler.
pub(super) const EACH: u64 = 1000;
/// Exit status of the programs.
const STATUS: i32 = 7;

/// The same program without a capture, and with one.
pub(super) struct Both {
    bare: Output,
    pub(super) captured: Captured,
}

impl Both {
    /// Runs a script with an imitation of torch, whose profiler is a client of CUPTI.
    fn of_script(python: &str, fakes: &Path, generation: &str, way: &str, words: &[&str]) -> Self {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        Self::of_script_in(setting, python, fakes, way, words)
    }

    /// The same with options of the capture, or a script for the fakes, which holds without the capture, too.
    fn of_script_in(setting: Setting<'_>, python: &str, fakes: &Path, way: &str, words: &[&str]) -> Self {
        let generation = setting.generation.unwrap();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capture/cuda");
        let script = folder.join("beside.py");
        let client = fakes.join(generation).join("client.so");
        let like = format!("{}:{}:{way}", client.display(), cupti(fakes, generation).display());
        let words: Vec<&str> = [&["-B", script.to_str().unwrap()], words].concat();
        let prepared = |command: &mut Command| {
            command.env("PYTHONPATH", folder.join("like_torch")).env("LIKE_TORCH", &like);
        };
        Self::of(setting, fakes, python, &words, prepared)
    }

    /// Runs the program that has such a profiler and no Python.
    fn of_program(fakes: &Path, generation: &str, way: &str) -> Self {
        let client = fakes.join(generation).join("client.so");
        let cupti = cupti(fakes, generation);
        let words = [client.to_str().unwrap(), cupti.to_str().unwrap(), way];
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        Self::of(setting, fakes, fakes.join("beside").to_str().unwrap(), &words, |_| {})
    }

    pub(super) fn of(
        setting: Setting<'_>,
        fakes: &Path,
        program: &str,
        words: &[&str],
        prepare: impl Fn(&mut Command),
    ) -> Self {
        let sandbox = Sandbox::new();
        let mut command = Command::new(program);
        sandbox.within(&mut command).args(words).env("LD_LIBRARY_PATH", fakes);
        command.env("FAKE_CUDA_SCRIPT", sandbox.file("script", setting.script));
        prepare(command.env_remove("CUDA_INJECTION64_PATH").env_remove("NVTX_INJECTION64_PATH"));
        let bare = command.output().unwrap();
        assert_eq!(bare.status.code(), Some(STATUS), "{}", said(&bare));
        let sandbox = Sandbox::new();
        let mut command = setting.command(&sandbox, fakes, program, words);
        prepare(&mut command);
        let captured = Captured::of(sandbox, command);
        assert_eq!(captured.output.status.code(), Some(STATUS), "{}", captured.said());
        Self { bare, captured }
    }

    /// What the program's own profiler saw: without and with a capture.
    pub(super) fn seen(&self) -> (String, String) {
        let line = |output: &Output| String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (line(&self.bare), line(&self.captured.output))
    }

    /// A number in what the profiler saw in the capture.
    pub(super) fn number(&self, key: &str) -> u64 {
        let seen = self.seen().1;
        let mut words = seen.split(' ').skip_while(|word| *word != key);
        words.nth(1).unwrap_or_else(|| panic!("{key} in {seen}")).parse().unwrap()
    }

    /// Kernels in the trace, and records that the trace states as lost.
    pub(super) fn ours(&self) -> (u64, u64) {
        let lost = self.captured.fact("proftui.gpu.lost").map_or(0, |lost| lost.parse().unwrap());
        (self.captured.count(Category::Kernel), lost)
    }

    fn reason(&self) -> String {
        self.captured.fact("proftui.gpu.reason").unwrap_or_default()
    }

    /// Prints a row of the table.
    pub(super) fn print(&self, what: &str) {
        let (bare, captured) = self.seen();
        let shown = |seen: &str| seen.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let (kept, lost) = self.ours();
        // A cycle without any record has no trace, and a line says so.
        let said = self.captured.said();
        let all_lost = said.split("all records were lost: ").nth(1).and_then(|rest| rest.lines().next());
        println!(
            "{what:42} its own profiler: {} bare, {} captured; ours: kernels {kept}, lost {}; {}",
            shown(&bare),
            shown(&captured),
            all_lost.map_or_else(|| lost.to_string(), str::to_owned),
            self.reason()
        );
    }
}

#[test]
fn a_torch_like_profiler_finds_what_it_finds_without_us() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    for generation in GENERATIONS {
        for way in WAYS {
            let both = Both::of_script(python, fakes, generation, way, &[]);
            both.print(&format!("CUPTI {generation}, {way}"));
            let (bare, captured) = both.seen();
            assert_eq!(bare, captured, "{}", both.captured.said());
            assert_eq!((both.number("kernels"), both.number("foreign_buffers")), (EACH, 0), "{captured}");
            let (kept, lost) = both.ours();
            assert_eq!(kept + lost, EACH, "what was launched before: {}", both.captured.said());
            assert_eq!(both.reason(), "script_profiler");
            let said = both.captured.said();
            let lines =
                said.lines().filter(|line| line.contains("GPU: CUPTI is left to the script's own profiler"));
            assert_eq!(lines.count(), 1, "{said}");
            assert!(said.contains("[from cycle 1 on: torch.profiler]"), "{said}");
        }
    }
}

#[test]
fn what_its_file_has_is_in_the_trace() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    for generation in GENERATIONS {
        for (way, file) in [("subscribes", "t.json"), ("registers", "t.json.gz")] {
            let both = Both::of_script(python, fakes, generation, way, &["--export", file]);
            both.print(&format!("CUPTI {generation}, {way}, {file}"));
            assert_eq!(both.seen().0, both.seen().1, "{}", both.captured.said());
            assert_eq!(both.ours(), (2 * EACH, 0), "before it, and its own: {}", both.captured.said());
            assert_eq!(both.captured.links(), 2 * EACH, "each kernel has its call");
            let trace = &both.captured.traces[0].trace;
            let names = trace.slices.ids().iter().filter(|&id| trace.name(id).to_string() == "client_kernel");
            assert_eq!(names.count() as u64, EACH);
            let from = both.captured.fact("proftui.gpu.from").unwrap_or_default();
            assert!(from.starts_with("torch.profiler (/") && from.contains(file), "{from}");
            assert_eq!(both.reason(), "script_profiler", "what came after it is missing");
        }
    }
}

#[test]
fn a_bad_file_is_one_note() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    for spoil in ["none", "folder", "text", "cut"] {
        let both =
            Both::of_script(python, fakes, "13.5", "registers", &["--export", "t.json", "--spoil", spoil]);
        let kept = both.captured.count(Category::Kernel);
        let note = both.captured.fact("proftui.note.1").unwrap_or_default();
        println!("{spoil:8} kernels {kept}; {note}");
        assert!(
            note.contains("torch.profiler (/") && note.contains("t.json"),
            "{spoil}: {}",
            both.captured.said()
        );
        if spoil == "cut" {
            assert!((EACH..2 * EACH).contains(&kept), "{kept}");
        } else {
            assert_eq!((kept, both.captured.fact("proftui.gpu.from")), (EACH, None), "{spoil}");
        }
    }
}

#[test]
fn a_profiler_that_is_there_before_cuda_keeps_us_out() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    for way in WAYS {
        let both = Both::of_script(python, fakes, "13.5", way, &["--late"]);
        both.print(&format!("before the first call of CUDA, {way}"));
        assert_eq!(both.seen().0, both.seen().1, "{}", both.captured.said());
        assert_eq!((both.number("kernels"), both.captured.count(Category::Kernel)), (EACH, 0));
        assert_eq!(both.reason(), "script_profiler", "{}", both.captured.said());
    }
}

#[test]
fn a_profiler_of_the_host_alone_changes_nothing() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let both = Both::of_script(python, fakes, "13.5", "subscribes", &["--cpu"]);
    both.print("a profiler of the host alone");
    assert_eq!((both.ours(), both.reason().as_str()), ((3 * EACH, 0), ""), "{}", both.captured.said());
}

#[test]
fn a_profiler_of_the_host_alone_that_takes_cupti_gets_it() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    for words in [&["--cpu"][..], &["--before"]] {
        let both = Both::of_script(python, fakes, "13.5", "registers", words);
        both.print(&format!("registers, {}", words[0]));
        assert_eq!(both.seen().0, both.seen().1, "{}", both.captured.said());
        assert_eq!((both.ours(), both.reason().as_str()), ((EACH, 0), "other_subscriber"));
        assert!(both.captured.said().contains("PyTorch's profiler, which in this version takes CUPTI"));
    }
}

#[test]
fn where_kineto_was_refused_before_the_capture_goes_on() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let full = &["--ops", "full", "--step-on", "__main__:launch"][..];
    for generation in GENERATIONS {
        for (options, words) in [(&[][..], &["--before"][..]), (full, &[])] {
            let setting = Setting { generation: Some(generation), options, ..Setting::default() };
            let both = Both::of_script_in(setting, python, fakes, "subscribes", words);
            both.print(&format!("CUPTI {generation}, a profiler of the host alone before"));
            let said = both.captured.said();
            assert_eq!((both.number("was_refused"), both.number("kernels")), (1, 0), "{said}");
            assert_eq!((both.ours(), both.reason().as_str()), ((3 * EACH, 0), ""), "{said}");
            assert_eq!(said.matches("it records no GPU work, and proftui goes on").count(), 1, "{said}");
        }
    }
    let setting = Setting { generation: Some("13.5"), options: full, ..Setting::default() };
    let both = Both::of_script_in(setting, python, fakes, "registers", &[]);
    both.print("registers, --ops full");
    assert_eq!((both.number("kernels"), both.number("foreign_buffers")), (EACH, 0));
    assert_eq!(
        (both.ours(), both.reason().as_str()),
        ((0, 0), "other_subscriber"),
        "{}",
        both.captured.said()
    );
}

#[test]
fn later_cycles_state_it_too() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    // Each of the three calls is a step, and a cycle.
    let options = &["--step-on", "__main__:launch", "--record", "1"];
    let setting = Setting { generation: Some("13.5"), options, ..Setting::default() };
    let both = Both::of_script_in(setting, python, fakes, "registers", &[]);
    assert_eq!(both.seen().0, both.seen().1, "{}", both.captured.said());
    let of_cycle = |path: &PathBuf| {
        let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let fact = |key: &str| trace["ExtraInfo"][key].as_str().unwrap_or("none").to_owned();
        (fact("proftui.cycle"), fact("proftui.gpu.work"), fact("proftui.gpu.reason"))
    };
    let cycles: Vec<_> = both.captured.sandbox.traces().iter().map(of_cycle).collect();
    println!("{cycles:?}");
    let row = |cycle: &str, work: &str, reason: &str| (cycle.to_owned(), work.to_owned(), reason.to_owned());
    assert_eq!(
        cycles,
        [row("1", "1000", "none"), row("2", "0", "script_profiler"), row("3", "0", "script_profiler")],
        "{}",
        both.captured.said()
    );
}

#[test]
fn threads_that_launch_meanwhile_lose_nothing_to_us() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    for generation in GENERATIONS {
        for way in WAYS {
            let both = Both::of_script(python, fakes, generation, way, &["--busy"]);
            both.print(&format!("CUPTI {generation}, {way}, another thread"));
            assert_eq!((both.number("foreign_buffers"), both.number("was_refused")), (0, 0));
            assert!(both.number("kernels") >= EACH, "{}", both.captured.said());
            assert!(both.ours().0 >= EACH, "{}", both.captured.said());
        }
    }
}

#[test]
fn a_cupti_that_hangs_does_not_hold_the_program_up() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    // In time for its profiler; not in time.
    for (script, is_left) in [("flush-ms 1500", true), ("flush-ms 9000", false)] {
        let options = &["--gpu-wait", "500ms"];
        let setting = Setting { generation: Some("13.5"), script, options };
        let both = Both::of_script_in(setting, python, fakes, "subscribes", &[]);
        both.print(script);
        let said = both.captured.said();
        assert!(both.reason() == "script_profiler" && said.contains("script's own profiler"), "{said}");
        if is_left {
            assert_eq!(both.ours(), (EACH, 0), "{said}");
        } else {
            assert!(said.contains("all records were lost: 2,"), "{said}");
        }
        assert_eq!(said.contains("torch.profiler, which may see no GPU work"), !is_left, "{said}");
        assert_eq!(both.seen().0 == both.seen().1, is_left, "{:?}", both.seen());
    }
}

#[test]
fn a_program_without_hooks_goes_on_and_what_is_lost_is_named() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let both = Both::of_program(fakes, generation, "subscribes");
        both.print(&format!("CUPTI {generation}, C, subscribes"));
        // CUPTI serves who came first.
        assert_eq!((both.number("refused"), both.ours()), (1, (3 * EACH, 0)), "{}", both.captured.said());
        let both = Both::of_program(fakes, generation, "registers");
        both.print(&format!("CUPTI {generation}, C, registers"));
        assert_eq!(both.number("in"), 1, "our buffer went to it, as to one that knows its own");
        let said = both.captured.said();
        assert!(said.contains("all records were lost: 2,0"), "kernels and calls before it: {said}");
        assert!(said.contains("another client of CUPTI in the program may have them"), "{said}");
    }
}
