//! Requests as steps: calls of the function that `--step-on` names, which may overlap.

use proftui_base::fmt;
use proftui_trace::model::{Trace, Warning};

use super::run::{Sandbox, python, read, said};

/// Two requests: the first one begins, the second one begins and ends, the first one ends. Then one alone.
const SERVER: &str = "
import asyncio
async def answer(begun, may_end):
    begun.set()
    await may_end.wait()
async def main():
    first, second, end, always = (asyncio.Event() for _ in range(4))
    always.set()
    slow = asyncio.ensure_future(answer(first, end))
    await first.wait()
    await answer(second, always)
    end.set()
    await slow
    await answer(second, always)
asyncio.run(main())
";

/// The same with answers that are streamed.
const STREAM: &str = "
import asyncio
async def answer(begun, may_end):
    begun.set()
    yield 1
    await may_end.wait()
    yield 2
async def use(*events):
    async for part in answer(*events): pass
async def main():
    first, second, end, always = (asyncio.Event() for _ in range(4))
    always.set()
    slow = asyncio.ensure_future(use(first, end))
    await first.wait()
    await use(second, always)
    end.set()
    await slow
    await use(second, always)
asyncio.run(main())
";

/// The same on threads.
const THREADS: &str = "
import threading
def answer(begun, may_end):
    begun.set()
    may_end.wait()
first, second, end, always = (threading.Event() for _ in range(4))
always.set()
slow = threading.Thread(target=lambda: answer(first, end))
slow.start(), first.wait()
answer(second, always)
end.set()
slow.join()
answer(second, always)
";

/// The steps, and what is none: name, start and end, by their ends.
fn steps(trace: &Trace) -> Vec<(String, i64, i64)> {
    let slices = &trace.slices;
    let all = slices.ids().iter().map(|id| (trace.name(id).to_string(), slices.start[id], slices.end(id)));
    let mut found: Vec<_> =
        all.filter(|(name, ..)| name.starts_with("ProfileStep#") || name == "proftui: start-up").collect();
    found.sort_by_key(|slice| slice.2);
    found
}

#[test]
fn requests_are_steps_that_overlap() {
    let Some(python) = python() else { return };
    for program in [SERVER, STREAM, THREADS] {
        let sandbox = Sandbox::new();
        let script = sandbox.file("serve.py", program);
        let out = sandbox.capture(&["--step-on", "__main__:answer"], &[python, script.to_str().unwrap()]);
        let loaded = read(&sandbox.traces()[0]);
        let found = steps(&loaded.trace);
        let names: Vec<&str> = found.iter().map(|slice| slice.0.as_str()).collect();
        assert_eq!(names, ["proftui: start-up", "ProfileStep#0", "ProfileStep#1", "ProfileStep#2"]);
        let [start_up, quick, slow, last] = &found[..] else { panic!("four") };
        assert!(start_up.2 <= slow.1 && slow.1 < quick.1 && quick.2 < slow.2, "{found:?}");
        assert!(
            slow.2 <= last.1,
            "a request begins with its call, not with the end of another one: {found:?}"
        );
        let longest = [quick, slow, last].map(|step| step.2 - step.1).into_iter().max().unwrap();
        let p99 = fmt::duration(longest);
        let line = "3 steps (ended by function: __main__:answer): p50 ";
        assert!(said(&out).contains(line) && said(&out).contains(&format!("p99 {p99}")), "{}", said(&out));
    }
}

#[test]
fn a_request_that_began_before_the_cycle_is_none_of_its_steps() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let script = sandbox.file("serve.py", SERVER);
    // Step 0 is the quick request, in which the slow one goes on.
    let options = ["--steps", "1:", "--step-on", "__main__:answer"];
    let out = sandbox.capture(&options, &[python, script.to_str().unwrap()]);
    let loaded = read(&sandbox.traces()[0]);
    let names: Vec<String> = steps(&loaded.trace).into_iter().map(|slice| slice.0).collect();
    assert_eq!(names, ["ProfileStep#1"], "{}", said(&out));
}

#[test]
fn requests_that_overlap_on_a_thread_are_no_oddity_of_the_trace() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let program = "
import asyncio
async def answer(number):
    await asyncio.sleep(0.05)
async def main():
    answers = []
    for number in range(4):
        answers.append(asyncio.ensure_future(answer(number)))
        await asyncio.sleep(0.02)
    await asyncio.gather(*answers)
asyncio.run(main())
";
    let script = sandbox.file("serve.py", program);
    sandbox.capture(&["--step-on", "__main__:answer"], &[python, script.to_str().unwrap()]);
    let trace = &sandbox.traces()[0];
    let found = steps(&read(trace).trace);
    let steps = found.iter().filter(|slice| slice.0 != "proftui: start-up");
    assert!(
        steps.clone().zip(steps.skip(1)).all(|(one, next)| one.1 < next.1 && next.1 < one.2),
        "{found:?}"
    );
    assert_eq!(read(trace).trace.quality.count(Warning::Overlap), 0);
    // The same times of what are no steps.
    let text = std::fs::read_to_string(trace).unwrap();
    let others = sandbox.file("others.json", &text.replace("\"ProfileStep\"", "\"PythonUserDefined\""));
    assert_eq!(read(&others).trace.quality.count(Warning::Overlap), 3);
}
