//! A capture leaves no trace in the program: tracebacks, stacks, depths of recursion, functions and output
//! are those of the bare program.

use std::path::Path;
use std::process::{Command, Output};

use super::run::{BINARY, Sandbox, python, said};
use crate::skip;
use crate::tools::{Python, pythons};

/// The packages that imitate frameworks.
const STUBS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shim/stubs");

/// Raises exceptions in all that is hooked, shows stacks, and looks at the hooked functions.
const SHOWS: &str = r#"
import copy, inspect, pickle, sys, traceback
import torch

def shown(call):
    try:
        call()
    except Exception:
        print(traceback.format_exc())
        print(len(inspect.getinnerframes(sys.exc_info()[2])))

class Net(torch.nn.Module):
    def forward(self, x):
        print("".join(traceback.format_stack()))
        raise ValueError("forward")

def broken():
    yield 1
    raise OSError("the data set")

class Own(torch.SGD):
    def update(self):
        raise ArithmeticError("update")

def step(depth):
    if depth:
        return step(depth - 1)
    print("".join(traceback.format_stack()))
    raise KeyError("step")

shown(lambda: torch.nn.Module(Net())(1))
shown(lambda: list(torch.utils.data.DataLoader(broken())))
loader = torch.utils.data.dataloader._BaseDataLoaderIter(broken())
next(loader)
shown(lambda: next(loader))
shown(lambda: torch.utils.data._utils.fetch._MapDatasetFetcher({}).fetch([1]))
shown(lambda: torch.Tensor.backward())
shown(lambda: Own().step())
shown(lambda: step(2))
shown(lambda: step())
shown(lambda: __import__("missing_parts"))
for function in (step, torch.nn.Module.__call__, torch.Tensor.backward):
    print(function.__name__, function.__qualname__, function.__doc__, inspect.signature(function), inspect.isfunction(function))
    print(type(function.__code__).__name__, repr(function).split(" at ")[0], copy.copy(function) is function)
print(pickle.loads(pickle.dumps(step)) is step, inspect.ismethod(torch.nn.Module().__call__))
"#;

/// A coroutine that raises.
const RAISES_LATER: &str = r"
import asyncio, traceback
async def step(x):
    await asyncio.sleep(0)
    raise KeyError(x)
async def main():
    try:
        await step(1)
    except KeyError:
        traceback.print_exc()
asyncio.run(main())
";

/// Generators that raise, by themselves and what is thrown into them.
const RAISES_BETWEEN: &str = r"
import asyncio, traceback
async def step(x):
    yield x
    try:
        yield x + 1
    finally:
        await asyncio.sleep(0)
    raise KeyError(x)
async def shown(one):
    try:
        await one
    except Exception:
        traceback.print_exc()
async def use(one):
    async for x in one: print(x)
async def main():
    await shown(use(step(1)))
    one = step(2)
    await one.__anext__()
    await shown(one.athrow(ValueError(2)))
    one = step(3)
    await one.__anext__(), await one.__anext__()
    await shown(one.athrow(ValueError(3)))
asyncio.run(main())
";

/// The same without a loop.
const RAISES_IN_ORDER: &str = r"
import traceback
def step(x):
    yield x
    try:
        yield x + 1
    except ValueError as error:
        print(error)
    raise KeyError(x)
def shown(call, *args):
    try:
        print(call(*args))
    except Exception:
        traceback.print_exc()
shown(list, step(1))
for requests in 1, 2:
    one = step(2)
    for _ in range(requests): next(one)
    shown(one.throw, ValueError(2))
";

/// Prints how deep modules nest and functions recurse before the recursion limit.
const DEEP: &str = r"
import torch
def deepest(works):
    low, high = 1, 2000
    while high - low > 1:
        middle = (low + high) // 2
        try:
            works(middle)
            low = middle
        except RecursionError:
            high = middle
    return low
def modules(depth):
    module = torch.nn.Module()
    for _ in range(depth):
        module = torch.nn.Module(module)
    module(1)
def below(depth):
    return depth and 1 + below(depth - 1)
def step(depth):
    return below(depth)
print(deepest(modules), deepest(step))
";

/// Ends while a thread of its own is within hooked calls.
const ENDS_WITHIN: &str = r#"
import threading, time, torch
class Net(torch.nn.Module):
    def forward(self, x):
        inside.set()
        while True: time.sleep(0.001)
inside = threading.Event()
threading.Thread(target=Net(), args=(1,), daemon=True).start()
inside.wait()
print("done")
"#;

/// All versions of Python.
const ANY: (u32, u32) = (3, 8);

/// Runs a script bare and captured under each Python from this version on; their output must be equal, but
/// for our lines on stderr.
fn is_the_same(script: &str, since: (u32, u32), options: &[&str]) {
    let all = pythons("programs beside the bare ones").iter();
    for Python { version, path } in all.filter(|python| python.version >= since) {
        let sandbox = Sandbox::new();
        sandbox.file("train.py", script);
        sandbox.file("missing_parts.py", "import sys\nsys.exit_code\n");
        let run = |command: &mut Command| {
            sandbox
                .within(command)
                .env("PYTHONPATH", STUBS)
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .output()
                .unwrap()
        };
        let bare = run(Command::new(path).arg("train.py"));
        let ours = run(Command::new(BINARY)
            .args(["capture", "--ops", "off"])
            .args(options)
            .args(["--", path, "train.py"]));
        let text = |out: &Output| String::from_utf8_lossy(&out.stdout).into_owned();
        let errors = |out: &Output| {
            let lines = said(out);
            let theirs = lines.lines().filter(|line| !line.starts_with("proftui: "));
            theirs.map(str::to_owned).collect::<Vec<_>>()
        };
        let what = format!("{version:?} {options:?}");
        assert_eq!(text(&ours), text(&bare), "{what}");
        assert_eq!(errors(&ours), errors(&bare), "{what}");
        assert_eq!(ours.status, bare.status, "{what}");
    }
}

#[test]
fn tracebacks_stacks_and_functions_are_the_programs_own() {
    is_the_same(SHOWS, ANY, &["--step-on", "__main__:step"]);
    is_the_same(SHOWS, ANY, &["--step-on", "missing_parts:step"]);
    // Before, a traceback cannot be changed where an exception passes through.
    for raises in [RAISES_LATER, RAISES_BETWEEN, RAISES_IN_ORDER] {
        is_the_same(raises, (3, 11), &["--step-on", "__main__:step"]);
    }
}

#[test]
fn modules_and_functions_nest_as_deep_as_without_a_capture() {
    is_the_same(DEEP, ANY, &["--step-on", "__main__:step"]);
}

#[test]
fn a_program_ends_while_a_thread_is_in_a_hooked_call() {
    is_the_same(ENDS_WITHIN, ANY, &[]);
}

#[test]
fn who_changes_user_or_root_or_removes_folders_goes_on_unharmed() {
    let what = "captures of programs that change their user or root folder";
    if !rustix::process::geteuid().is_root() {
        return skip::excused(what, "setuid and chroot are needed", "run the tests as root");
    }
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/capture/changes.py");
    let out = Command::new(python).arg(script).arg(BINARY).output().unwrap();
    let rows = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && !rows.contains("WRONG"), "{rows}{}", said(&out));
}
