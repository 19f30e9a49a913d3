//! Steps of serving engines: the ranges by which an engine marks them, in a child process that runs its
//! model.

use std::path::Path;

use proftui_trace::model::{Category, SliceId, Trace};

use super::run::{Sandbox, python, read, said};

/// An engine with the stand-in for PyTorch, whose child is started in the way that is its first argument, and
/// has the second as its rank, if any: it warms up, and has eight steps. Between them it does other things.
const ENGINE: &str = "
import multiprocessing, os, sys, time
def serve(rank):
    import torch
    from torch.profiler import record_function
    if rank: os.environ['RANK'] = rank
    model = torch.nn.Module().eval()
    with torch.no_grad():
        for size in range(20):
            with record_function('capture_%d_decode' % size): model(1)
        for number in range(8):
            with record_function('execute_32_context_0(sq0)_generation_32(sq32)'):
                with record_function('step[DECODE bs=%d]' % number): model(1)
            time.sleep(0.002)
if __name__ == '__main__':
    child = multiprocessing.get_context(sys.argv[1]).Process(target=serve, args=(sys.argv[2],))
    child.start(), child.join()
";

/// A slice: its name, start and end.
type Slice = (String, i64, i64);

/// Captures the engine with `options`; returns the steps of its last trace and the other slices, both by
/// their starts.
fn captured(options: &[&str], start: &str, rank: &str) -> Option<(Vec<Slice>, Vec<Slice>)> {
    let python = python()?;
    let sandbox = Sandbox::new();
    let script = sandbox.file("serve.py", ENGINE);
    let stubs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shim/stubs");
    let mut command = sandbox.proftui();
    command.env("PYTHONPATH", stubs).arg("capture").args(options);
    let out = command.args(["--", python]).arg(script).args([start, rank]).output().unwrap();
    let found: Vec<_> = sandbox.traces().iter().map(|path| steps(&read(path).trace)).collect();
    assert!(said(&out).contains("ended by annotation: SGLang"), "{start} {rank}: {}", said(&out));
    // Where forwards are steps until the first annotation, their cycle is a trace, too.
    found.into_iter().rfind(|(steps, _)| !steps.is_empty())
}

/// The steps of a trace, and its other slices.
fn steps(trace: &Trace) -> (Vec<Slice>, Vec<Slice>) {
    let mut slices: Vec<_> = trace.slices.ids().iter().collect();
    slices.sort_by_key(|&id| trace.slices.start[id]);
    let (steps, others): (Vec<SliceId>, Vec<SliceId>) =
        slices.into_iter().partition(|&id| trace.slices.category(id) == Category::ProfileStep);
    let all = |ids: Vec<SliceId>| {
        let one = |&id: &SliceId| (trace.name(id).to_string(), trace.slices.start[id], trace.slices.end(id));
        ids.iter().map(one).collect()
    };
    (all(steps), all(others))
}

/// The names of the slices in a step.
fn within<'a>(others: &'a [Slice], step: &Slice) -> Vec<&'a str> {
    let inner = others.iter().filter(|slice| step.1 <= slice.1 && slice.2 <= step.2);
    inner.map(|slice| slice.0.as_str()).collect()
}

#[test]
fn each_annotation_is_a_step_of_the_child() {
    for (start, rank) in [("spawn", ""), ("spawn", "1"), ("fork", "1")] {
        let Some((steps, others)) = captured(&[], start, rank) else { return };
        let names: Vec<String> = (0..8).map(|step| format!("ProfileStep#{step}")).collect();
        assert_eq!(steps.iter().map(|step| &step.0).collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
        for (number, step) in steps.iter().enumerate() {
            let inner = format!("step[DECODE bs={number}]");
            let wanted = ["execute_32_context_0(sq0)_generation_32(sq32)", &inner, "Module"];
            assert_eq!(within(&others, step), wanted, "{start} {rank}");
        }
        assert!(
            steps.windows(2).all(|pair| pair[1].1 - pair[0].2 > 1_000_000),
            "what is between two steps is in none: {steps:?}"
        );
        let start_up = others.iter().find(|slice| slice.0 == "proftui: start-up");
        assert!(start_up.is_none_or(|slice| slice.2 <= steps[0].1), "{start} {rank}: {start_up:?}");
    }
}

#[test]
fn a_schedule_counts_the_annotations() {
    for (start, rank) in [("spawn", ""), ("spawn", "1"), ("fork", "1")] {
        let Some((steps, others)) = captured(&["--steps", "2:5"], start, rank) else { return };
        let found: Vec<_> = steps.iter().map(|step| (step.0.as_str(), within(&others, step)[1])).collect();
        let wanted = [
            ("ProfileStep#2", "step[DECODE bs=2]"),
            ("ProfileStep#3", "step[DECODE bs=3]"),
            ("ProfileStep#4", "step[DECODE bs=4]"),
        ];
        assert_eq!(found, wanted, "{start} {rank}");
    }
}
