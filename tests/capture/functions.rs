//! Calls of the Python functions that `--functions` chooses become ranges, and the program is as without it.

use std::process::Command;

use proftui_trace::model::Category;

use super::run::{Sandbox, named, python, read, said};
use crate::tools::{Python, pythons};

/// Functions that nest, raise, pause, run on a thread and recurse.
const SCRIPT: &str = r"
import json, sys, threading, traceback
def fails():
    raise ValueError(sys.getprofile())
def numbers():
    yield 1
    yield 2
def on_thread():
    return sys.getprofile(), threading.get_ident() != main
def deep(n):
    try: return deep(n + 1)
    except RecursionError: return n
class Net:
    def forward(self):
        try: fails()
        except ValueError: print(traceback.format_exc())
        return list(numbers())
main = threading.get_ident()
net = Net()
print(net.forward(), net.forward())
thread = threading.Thread(target=lambda: print(on_thread()))
thread.start()
thread.join()
print(deep(0), json.dumps([1]))
sys.exit(3)
";

#[test]
fn calls_are_ranges_and_the_program_is_as_without_them() {
    for Python { version, path } in pythons("captures of functions") {
        let sandbox = Sandbox::new();
        let script = sandbox.file("train.py", SCRIPT);
        let script = script.to_str().unwrap();
        let bare = Command::new(path).args(["-B", script]).output().unwrap();
        let options = ["-q", "--functions", "__main__:*", "--functions", "json*:dumps"];
        let out = sandbox.capture(&options, &[path, "-B", script]);
        assert_eq!(
            (bare.status.code(), out.status.code()),
            (Some(3), Some(3)),
            "{version:?}: {}",
            said(&out)
        );
        assert_eq!(
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&bare.stdout),
            "{version:?}"
        );
        assert_eq!(String::from_utf8_lossy(&out.stderr), "", "{version:?}");

        let loaded = read(&sandbox.traces()[0]);
        let mut found = named(&loaded, Category::PythonFunction);
        let calls = found.len();
        found.retain(|name| !name.ends_with(": deep"));
        assert!(calls - found.len() > 100, "{version:?}: the recursion");
        let forward = [
            "train.py(14): Net.forward",
            "train.py(3): fails",
            "train.py(5): numbers",
            "train.py(5): numbers",
            "train.py(5): numbers",
        ];
        let mut expected: Vec<&str> = forward.repeat(2);
        expected.extend(["train.py(21): <lambda>", "train.py(8): on_thread", "json/__init__.py(183): dumps"]);
        let unnumbered = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
        assert_eq!(found[..12], expected[..12], "{version:?}");
        assert_eq!(unnumbered(&found[12]), unnumbered(expected[12]), "{version:?}");
        assert_eq!(found.len(), expected.len(), "{version:?}: {found:?}");

        let slices = &loaded.trace.slices;
        let fails =
            slices.ids().iter().find(|&id| &*loaded.trace.name(id).to_string() == "train.py(3): fails");
        let around = slices.ancestors(fails.unwrap()).next().map(|id| loaded.trace.name(id).to_string());
        assert_eq!(around.as_deref(), Some("train.py(14): Net.forward"), "{version:?}");
    }
}

#[test]
fn only_recorded_steps_have_calls() {
    for Python { version, path } in pythons("captures of functions in a cycle") {
        let sandbox = Sandbox::new();
        let script = "def step():\n    inner()\ndef inner(): pass\nfor _ in range(6): step()\n";
        let script = sandbox.file("train.py", script);
        let options = ["-q", "--step-on", "__main__:step", "--steps", "2:4", "--functions", "*:inner"];
        let out = sandbox.capture(&options, &[path, "-B", script.to_str().unwrap()]);
        assert!(out.status.success(), "{}", said(&out));
        let found = named(&read(&sandbox.traces()[0]), Category::PythonFunction);
        assert_eq!(found, ["train.py(3): inner"; 2], "{version:?}");
    }
}

/// Begins a range of the hooks in one function and ends it in another.
const CROSSES: &str = "\
import _proftui
tag = _proftui.name(14, 'mine')
def opens(): _proftui.begin(tag)
def between(): pass
def closes(): _proftui.end()
opens()
between()
closes()
";

#[test]
fn a_range_may_begin_in_one_function_and_end_in_another() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("train.py", CROSSES);
    let options = ["-q", "--functions", "__main__:*"];
    let out = sandbox.capture(&options, &[python, "-B", script.to_str().unwrap()]);
    assert!(out.status.success(), "{}", said(&out));
    let loaded = read(&sandbox.traces()[0]);
    let slices = &loaded.trace.slices;
    let span = |name: &str| {
        let mut found = slices.ids().iter().filter(|&id| loaded.trace.name(id).to_string() == name);
        slices.span(found.next().unwrap_or_else(|| panic!("{name}")))
    };
    let (opens, between, closes) =
        (span("train.py(3): opens"), span("train.py(4): between"), span("train.py(5): closes"));
    let mine = span("mine");
    assert!(opens.start <= mine.start && mine.start <= opens.end && opens.end < between.start);
    assert!(between.end < closes.start && closes.start <= mine.end && mine.end <= closes.end);
}

#[test]
fn what_cannot_be_had_is_said_in_one_line() {
    let sandbox = Sandbox::new();
    for text in ["train", ":f", "a:", "a:b:c", "a b:c"] {
        let out = sandbox.capture(&["--functions", text], &["true"]);
        assert_eq!(out.status.code(), Some(2), "{text}");
        assert!(said(&out).contains("expected patterns of a module and a function"), "{}", said(&out));
    }
    let Some(python) = python() else { return };
    let script = sandbox.file("train.py", "pass\n");
    let out = sandbox.capture(&["--functions", "nothing:*"], &[python, "-B", script.to_str().unwrap()]);
    let line = "no function of --functions nothing:* was called";
    assert_eq!(said(&out).matches(line).count(), 1, "{}", said(&out));
}
