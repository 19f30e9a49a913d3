//! Files of the script's own GPU profiler: such as come after their cycle has ended, and those of JAX and of
//! Triton's proton.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use proftui_trace::model::Category;

use super::profilers::{Both, EACH};
use super::rig::{Setting, cupti, fakes};
use crate::run::{Sandbox, python, read, said, wait};

const GENERATION: &str = "13.5";
/// Each of the script's four calls is a step, and each second one a cycle; its profiler runs in the first
/// cycle.
const CYCLES: [&str; 6] = ["--step-on", "__main__:launch", "--ready", "1", "--record", "1"];
const RING: [&str; 4] = ["--step-on", "__main__:launch", "--keep-last", "9M"];

/// A capture of the script that runs until it may go on.
struct Running {
    sandbox: Sandbox,
    child: Child,
}

impl Running {
    /// Starts it, and waits until it has launched all kernels.
    fn start(options: &[&str], words: &[&str]) -> Option<Self> {
        let (Some(fakes), Some(python)) = (fakes(), python()) else { return None };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capture/cuda");
        let script = folder.join("beside.py");
        let words: Vec<&str> = [&["-B", script.to_str().unwrap()], words].concat();
        let sandbox = Sandbox::new();
        let setting = Setting { generation: Some(GENERATION), options, ..Setting::default() };
        let mut command = setting.command(&sandbox, fakes, python, &words);
        let client = fakes.join(GENERATION).join("client.so");
        let like = format!("{}:{}:registers", client.display(), cupti(fakes, GENERATION).display());
        command.env("PYTHONPATH", folder.join("like_torch")).env("LIKE_TORCH", like);
        command.stdout(Stdio::null()).stderr(File::create(sandbox.path("said")).unwrap());
        let child = command.spawn().unwrap();
        let running = Self { sandbox, child };
        running.wait_for("there");
        Some(running)
    }

    fn wait_for(&self, file: &str) {
        wait(|| self.sandbox.path(file).exists());
    }

    /// Lets the script end.
    fn end(&mut self) {
        self.sandbox.file("go", "");
        self.sandbox.file("enough", "");
        assert_eq!(self.child.wait().unwrap().code(), Some(7), "{}", self.said());
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.sandbox.path("said")).unwrap()
    }

    /// Number of the cycle, pieces of device work, and the note about its file of each trace, by cycle.
    fn traces(&self) -> Vec<(String, String, String)> {
        let mut all: Vec<_> = self.sandbox.traces().iter().map(|path| facts(path)).collect();
        all.sort();
        all
    }

    fn proftui(&self, word: &str) -> Output {
        let output = self.sandbox.proftui().arg(word).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        output
    }
}

fn facts(path: &Path) -> (String, String, String) {
    let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let fact = |key: &str| trace["ExtraInfo"][key].as_str().unwrap_or("none").to_owned();
    let notes = (1..9).map(|number| fact(&format!("proftui.note.{number}")));
    let note = notes.filter(|note| note.contains("GPU work")).collect();
    (fact("proftui.cycle"), fact("proftui.gpu.work"), note)
}

fn row(cycle: &str, work: u64, note: &str) -> (String, String, String) {
    (cycle.to_owned(), work.to_string(), note.to_owned())
}

#[test]
fn a_cycle_waits_for_the_file_of_a_profiler_that_ran_in_it() {
    let Some(mut running) = Running::start(&CYCLES, &["--export", "t.json", "--later"]) else { return };
    wait(|| running.sandbox.traces().len() == 1);
    assert_eq!(running.traces(), [row("2", 0, "")], "the second one first: {}", running.said());
    running.sandbox.file("go", "");
    running.wait_for("exported");
    wait(|| running.sandbox.traces().len() == 2);
    let all = [row("1", EACH, ""), row("2", 0, "")];
    assert_eq!(running.traces(), all, "while the script runs: {}", running.said());
    running.end();
    assert_eq!(running.traces(), all, "no trace is written twice: {}", running.said());
}

#[test]
fn a_cycle_does_not_wait_for_a_profiler_that_is_gone() {
    let Some(mut running) = Running::start(&CYCLES, &["--drop"]) else { return };
    let note = "any GPU work that a run of torch.profiler recorded is not in this trace: the profiler wrote \
        no trace file with it";
    wait(|| running.sandbox.traces().len() == 2);
    assert_eq!(running.traces(), [row("1", 0, note), row("2", 0, "")], "{}", running.said());
    running.end();
}

#[test]
fn a_dump_says_that_the_file_is_not_there_yet() {
    let words = ["--export", "t.json", "--later"];
    let Some(mut running) = Running::start(&RING, &words) else { return };
    let dump = || {
        let output = running.proftui("dump");
        facts(Path::new(String::from_utf8(output.stdout).unwrap().trim_end()))
    };
    let note = "any GPU work that a run of torch.profiler recorded is not in this trace: the profiler has \
        not written its trace file yet";
    assert_eq!(dump(), row("1", EACH, note));
    running.sandbox.file("go", "");
    running.wait_for("exported");
    assert_eq!(dump(), row("1", 2 * EACH, ""));
    running.end();
    assert_eq!(running.traces().last(), Some(&row("1", 2 * EACH, "")));
}

#[test]
fn what_waits_for_a_file_is_recovered_with_it() {
    let Some(mut running) = Running::start(&CYCLES, &["--export", "t.json", "--later"]) else { return };
    wait(|| running.sandbox.traces().len() == 1);
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    assert_eq!(running.traces(), [row("2", 0, "")]);
    running.sandbox.file("go", "");
    running.sandbox.file("enough", "");
    running.wait_for("exported");
    wait(|| {
        let output = running.sandbox.proftui().arg("recover").output().unwrap();
        !said(&output).contains("still running")
    });
    assert_eq!(running.traces(), [row("1", EACH, ""), row("2", 0, "")]);
}

/// The script with a profile of JAX or proton, without a capture and with one.
fn of_others(words: &[&str]) -> Option<Both> {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return None };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capture/cuda");
    let script = folder.join("beside_others.py");
    let words: Vec<&str> = [&["-B", script.to_str().unwrap()], words].concat();
    let client = fakes.join(GENERATION).join("client.so");
    let like = format!("{}:{}:subscribes", client.display(), cupti(fakes, GENERATION).display());
    let prepare = |command: &mut Command| {
        command.env("PYTHONPATH", folder.join("like_others")).env("LIKE_TORCH", &like);
    };
    let setting = Setting { generation: Some(GENERATION), ..Setting::default() };
    let both = Both::of(setting, fakes, python, &words, prepare);
    assert_eq!(both.seen().0, both.seen().1, "{}", both.captured.said());
    assert_eq!(both.number("kernels"), EACH);
    Some(both)
}

#[test]
fn what_a_file_of_jax_has_is_in_the_trace() {
    let Some(both) = of_others(&["jax"]) else { return };
    both.print("jax");
    assert_eq!(both.ours(), (2 * EACH, 0), "before it, and its own: {}", both.captured.said());
    assert_eq!(both.captured.links(), 2 * EACH, "each kernel has its call");
    let from = both.captured.fact("proftui.gpu.from").unwrap_or_default();
    assert!(from.starts_with("jax.profiler (/") && from.contains(".trace.json.gz), 2,00"), "{from}");
    let note = both.captured.fact("proftui.note.1").unwrap_or_default();
    assert!(note.starts_with("no step was seen: JAX reports none"), "{note}");
    assert_eq!(both.captured.fact("proftui.note.2"), None);
    // They are in the cycle at their own times, on the stream that the recorder knows.
    let kernels: Vec<_> =
        both.captured.events().into_iter().filter(|event| event["cat"] == "Kernel").collect();
    let is_jax = |event: &&serde_json::Value| event["name"].as_str().unwrap().starts_with("loop_fusion");
    let theirs: Vec<_> = kernels.iter().filter(is_jax).collect();
    assert_eq!(theirs.len() as u64, EACH);
    assert_eq!(
        (&theirs[0]["args"]["block"], &theirs[0]["tid"]),
        (&serde_json::json!([32, 1, 1]), &kernels[0]["tid"])
    );
}

#[test]
fn what_a_file_of_proton_has_is_in_the_trace_or_missed() {
    let Some(both) = of_others(&["trace"]) else { return };
    both.print("proton, trace");
    assert_eq!(both.ours(), (2 * EACH, 0), "before it, and its own: {}", both.captured.said());
    let from = both.captured.fact("proftui.gpu.from").unwrap_or_default();
    assert!(
        from.starts_with("triton.profiler (/") && from.ends_with("run.chrome_trace), 1,000 events"),
        "{from}"
    );
    let Some(both) = of_others(&["tree"]) else { return };
    both.print("proton, tree");
    assert_eq!((both.ours(), both.captured.fact("proftui.gpu.from")), ((EACH, 0), None));
    let said = both.captured.said();
    assert_eq!(said.matches("sums of the kernels and no times").count(), 1, "{said}");
    assert_eq!(both.captured.count(Category::Kernel), EACH);
    assert!(read(&both.captured.sandbox.traces()[0]).trace.quality.damage() == 0);
}
