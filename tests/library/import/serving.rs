//! Steps of serving engines: which annotations are steps, and what they serve.

use proftui_trace::model::{Category, Serving, SliceId, Step, Trace, Warning};

use super::{events, load_files};
use crate::scratch::Scratch;

/// The names that the recorder's hooks are held to, too.
const NAMES: &str = include_str!("../../support/step_names.tsv");

fn range(name: &str, tid: u32, ts: u32, dur: u32) -> String {
    of_category("user_annotation", name, tid, ts, dur)
}

fn of_category(category: &str, name: &str, tid: u32, ts: u32, dur: u32) -> String {
    format!(r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
}

fn of(list: &[String]) -> Trace {
    events(&list.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Number, start in µs, and what is served, of each step.
fn steps(trace: &Trace) -> Vec<(u64, i64, String)> {
    let served = |step: &Step| step.serving.map_or_else(String::new, |serving| serving.to_string());
    trace.steps.iter().map(|step| (step.number, step.span.start / 1000, served(step))).collect()
}

fn owned(steps: &[(u64, i64, &str)]) -> Vec<(u64, i64, String)> {
    steps.iter().map(|&(number, start, served)| (number, start, served.to_owned())).collect()
}

#[test]
fn every_form_of_a_name_says_what_the_step_serves() {
    let mut count = 0;
    for line in NAMES.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [engine, kind, requests, padded, tokens, resolution, name] = fields[..] else { panic!("{line}") };
        let trace = of(&[range(name, 1, 10, 5)]);
        count += 1;
        if engine == "-" {
            assert_eq!(trace.steps, [], "{name}");
            assert_ne!(trace.slices.category(SliceId::new(0)), Category::ProfileStep, "{name}");
            continue;
        }
        let [Step { number: 0, worker, slice, span, serving: Some(serving) }] = trace.steps[..] else {
            panic!("{name}: {:?}", trace.steps)
        };
        assert_eq!((worker.get(), slice, span.start, span.end), (0, SliceId::new(0), 10_000, 15_000));
        assert_eq!(trace.slices.category(SliceId::new(0)), Category::ProfileStep, "{name}");
        let Serving { kind: found, requests: of, padded: with, tokens: all, resolution: size } = serving;
        let text = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let size = size.map_or_else(|| "-".to_owned(), |(one, other)| format!("{one}x{other}"));
        let found = [found.name().to_owned(), of.to_string(), text(with), text(all), size];
        assert_eq!(found, [kind, requests, padded, tokens, resolution], "{name}");
    }
    assert!(count > 50, "{count} names");
}

#[test]
fn of_annotations_within_each_other_the_outermost_is_the_step() {
    let trace = of(&[
        range("execute_context_0(none)_generation_32(none)", 1, 0, 100),
        range("step[DECODE bs=32]", 1, 10, 80),
        range("decode[bs=32/64 tok=32 d=32]", 1, 20, 10),
        range("step[EXTEND bs=1 toks=7]", 1, 100, 50),
        range("step[DECODE bs=8]", 1, 110, 5),
        range("step[DECODE bs=8]", 1, 120, 5),
    ]);
    assert_eq!(steps(&trace), owned(&[(0, 0, "decode 32/64"), (1, 100, "prefill 1")]));
    let tokens: Vec<_> =
        trace.steps.iter().map(|step| step.serving.and_then(|serving| serving.tokens)).collect();
    assert_eq!(tokens, [Some(32), Some(7)], "what the outer name lacks, the inner one has");
    let inner =
        trace.slices.ids().iter().filter(|&id| trace.slices.category(id) == Category::UserDefined).count();
    assert_eq!(inner, 4, "those within a step stay ranges");
}

#[test]
fn each_thread_has_steps_and_all_of_a_worker_are_counted_together() {
    let trace = of(&[
        range("step[DECODE bs=2]", 1, 30, 10),
        range("step[DECODE bs=1]", 2, 25, 30),
        range("capture_128_decode", 1, 0, 20),
        of_category("gpu_user_annotation", "step[DECODE bs=1]", 7, 26, 30),
        of_category("cpu_op", "step[DECODE bs=1]", 1, 50, 3),
        range("step[DECODE bs=3]", 1, 60, 10),
    ]);
    assert_eq!(steps(&trace), owned(&[(0, 25, "decode 1"), (1, 30, "decode 2"), (2, 60, "decode 3")]));
}

#[test]
fn the_steps_of_a_profiler_come_first() {
    let trace = of(&[
        range("ProfilerStep#4", 1, 0, 100),
        range("execute_diffusion_1_256x256", 1, 10, 80),
        range("ProfilerStep#5", 1, 100, 100),
        range("step[DECODE bs=1]", 1, 110, 10),
        range("step[DECODE bs=1]", 1, 130, 10),
        range("ProfilerStep#6", 1, 200, 100),
        range("step[DECODE bs=9]", 2, 210, 10),
    ]);
    let wanted = [(4, 0, "diffusion 1 256x256"), (5, 100, ""), (6, 200, "")];
    assert_eq!(
        steps(&trace),
        owned(&wanted),
        "one of several annotations, or of another thread, says nothing of the step"
    );
}

#[test]
fn a_worker_without_steps_has_those_of_its_engine() {
    let array = |list: &[String]| format!("[{}]", list.join(","));
    let profiled = array(&[range("ProfilerStep#7", 1, 0, 10), range("step[DECODE bs=1]", 1, 1, 2)]);
    let served = array(&[range("step[DECODE bs=2]", 1, 3, 4), range("step[DECODE bs=2]", 1, 8, 4)]);
    let trace = load_files(&[("5-TP-0-DP-1.trace.json", &profiled), ("5-TP-1-DP-1.trace.json", &served)]);
    assert_eq!(trace.meta.workers.as_slice(), ["TP-0-DP-1", "TP-1-DP-1"]);
    let found: Vec<_> = trace.steps.iter().map(|step| (step.worker.get(), step.number)).collect();
    assert_eq!(found, [(0, 7), (1, 0), (1, 1)]);
}

#[test]
fn ranks_of_one_engine_have_the_same_numbers_and_a_merged_file_counts_once() {
    let rank = |pid: u32, shift: u32| {
        let step = |at: u32| {
            range("step[DECODE bs=2]", 1, shift + 10 * at, 5).replace("\"pid\":1", &format!("\"pid\":{pid}"))
        };
        (0..4).map(step).collect::<Vec<_>>().join(",")
    };
    let scratch = Scratch::new("serving");
    let (one, other) = (rank(100, 0), rank(200, 2));
    for (name, text) in [
        ("8-TP-0.trace.json", &one),
        ("8-TP-1.trace.json", &other),
        ("merged-8.trace.json", &format!("{one},{other}")),
    ] {
        scratch.file(name, format!("[{text}]"));
    }
    let request = proftui_trace::import::Request::new([scratch.path("")]);
    let trace = proftui_trace::import::load(&request, &proftui_trace::import::Progress::default())
        .expect("loads")
        .trace;
    assert_eq!(trace.steps.len(), 8, "the merged file has the same events once more");
    assert_eq!(trace.quality.count(Warning::FileCopy), 1);
    for worker in 0..2 {
        let numbers: Vec<u64> =
            trace.steps.iter().filter(|step| step.worker.get() == worker).map(|step| step.number).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
    }
}
