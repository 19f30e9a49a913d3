//! Operators, from the files that frameworks' own profilers leave beside a cycle to the tables: all that was
//! recorded of them is there, in both forms.

mod files;

use std::process::{Command, Stdio};

use proftui::capture::cycle::{self, CollectedCycle};
use proftui_trace::export::{decode, encode, from_json};
use proftui_trace::import::{EventText, Loaded};
use proftui_trace::model::{Category, FlowKind, LaneKind, SliceId};
use proftui_wire::device::Record;
use proftui_wire::device::record::{Api, Kernel};
use proftui_wire::log::{Event, NoteKind};

use crate::binary::{BINARY, printed};
use crate::recordings::{forms, load};
use crate::scratch::Scratch;
use crate::spool::{CLOCK_OFFSET, Spool};

fn find(loaded: &Loaded, name: &str) -> SliceId {
    let found = loaded.trace.slices.ids().iter().find(|&id| loaded.trace.name(id).as_str() == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// Category, layer, start from the trace's own, length, name: of every slice.
fn slices(loaded: &Loaded) -> Vec<(Category, bool, i64, i64, String)> {
    let trace = &loaded.trace;
    let of = |id: SliceId| {
        let span = trace.slices.span(id);
        let is_python = trace.lanes[trace.lane_of(id)].kind == LaneKind::Python;
        let name = trace.name(id).to_string();
        (trace.slices.category(id), is_python, span.start - trace.span.start, span.len(), name)
    };
    let mut all: Vec<_> = trace.slices.ids().iter().map(of).collect();
    all.sort();
    all
}

/// What Details show of an event's arguments, but for what a form says in words of its own.
fn arguments(loaded: &Loaded, name: &str, keys: &[&str]) -> Vec<String> {
    let origin = loaded.trace.slices.origin[find(loaded, name)];
    let EventText::Members(members) = loaded.texts.read(origin) else { panic!("no {name} again") };
    let args = members.iter().find(|member| member.name.as_str() == "args").expect("arguments");
    let proftui_trace::import::Value::Object(args) = &args.value else { panic!("{args:?}") };
    let shown = |key: &&str| {
        let found = args.iter().find(|argument| argument.name.as_str() == *key);
        format!("{key}={}", found.map_or_else(String::new, |found| found.value.line().to_string()))
    };
    keys.iter().map(shown).collect()
}

/// The tables of a trace, as the program prints them.
fn table(scratch: &Scratch, name: &str, bytes: &[u8], args: &[&str]) -> String {
    let file = scratch.file(name, bytes);
    printed(&[&["summary"], args, &[&file]].concat())
}

/// A cycle of a process that trains with torch, whose hooks recorded a step, its forward and a range that
/// torch recorded, too.
fn torch() -> CollectedCycle {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    let names = ["ProfileStep#3", "Net", "load"].map(|name| spool.name(name));
    spool.ranges(
        40,
        &[
            (2, names[0], 1_000, 900_000),
            (9, names[1], 9_000, 300_000),
            (14, names[2], 2_010, 8_020),
            (14, names[2], 500_000, 800_000),
        ],
    );
    // A launch within aten::addmm.
    let name = spool.name("cudaLaunchKernel");
    let api = Api { name, start: 40_000, end: 41_000, tid: 40, correlation: 9, function: 211, returned: 0 };
    spool.put(&Record::Api(api));
    let name = spool.name("gemm");
    let (stream, context, correlation) = (7, 1, 9);
    let kernel =
        Kernel { name, start: 60_000, end: 90_000, stream, context, correlation, ..Kernel::default() };
    spool.put(&Record::Kernel(kernel));
    let folder = spool.folder.clone();
    let process = spool.finish();
    std::fs::write(folder.join("c1.0.kineto.json"), files::kineto(CLOCK_OFFSET)).expect("written");
    std::fs::write(folder.join("c1.1.kineto.json.partial"), "{").expect("written");
    std::fs::write(folder.join("c2.0.kineto.json"), files::kineto(CLOCK_OFFSET)).expect("written");
    let mut collected = cycle::collect(&[&process], 1, cycle::Extent::whole(Some(1_000_000)));
    let asked: Vec<&str> = collected.asked.iter().copied().collect();
    let facts = [("proftui.version", "9.9"), ("proftui.ops.asked", &asked.join(","))];
    collected.recording.facts =
        facts.map(|(key, value)| (key.to_owned(), value.to_owned())).into_iter().collect();
    collected
}

#[test]
fn operators_of_torch_come_back_whole_in_both_forms() {
    let collected = torch();
    assert_eq!(collected.files.len(), 4, "ranges, devices, the file, and one that is not whole");
    assert_eq!(collected.asked.iter().copied().collect::<Vec<_>>(), ["flops", "memory", "shapes"]);
    assert!(!collected.lacks_operators);
    let [json, protobuf] = forms(&collected.recording).map(|bytes| load(&bytes));
    assert_eq!(slices(&json), slices(&protobuf));
    for loaded in [&json, &protobuf] {
        let trace = &loaded.trace;
        assert_eq!(trace.quality.damage(), 0, "what was odd was mended");
        let counts = trace.category_counts();
        let count = |wanted: Category| counts.get(&wanted).copied().unwrap_or_default();
        assert_eq!((count(Category::Operator), count(Category::PythonFunction)), (5, 2));
        assert_eq!((count(Category::ProfileStep), count(Category::Forward)), (1, 1), "our own steps count");
        assert_eq!(
            count(Category::PythonUserDefined),
            2,
            "one was recorded twice, one is another of its name"
        );
        assert_eq!(
            (count(Category::Communication), count(Category::Kernel)),
            (1, 1),
            "devices are recorded by CUPTI"
        );
        let linear = find(loaded, "aten::linear");
        assert_eq!(trace.slices.span(linear).len(), 90_125, "to the nanosecond");
        let expected = [
            "Sequence number=7",
            "Input Dims=[[32, 64], [128, 64], [128], []]",
            "odd=a\u{fffd}b",
            "Concrete Inputs=[\"\", \"\", \"\", \"True\"]",
        ];
        let keys = ["Sequence number", "Input Dims", "odd", "Concrete Inputs"];
        assert_eq!(arguments(loaded, "aten::linear", &keys), expected);
        assert_eq!(arguments(loaded, "train.py(3): step", &["Python id"]), ["Python id=4"]);
        let name = |id: SliceId| trace.name(id).to_string();
        let flows: Vec<_> =
            trace.flows.iter().map(|flow| (name(flow.from), name(flow.to), flow.kind)).collect();
        let (from, to) = ("aten::addmm".to_owned(), "AddmmBackward0".to_owned());
        assert_eq!(flows, [(from, to, FlowKind::ForwardBackward)]);
        let memory: Vec<(i64, i64, Option<i64>, String)> = (trace.memory.iter())
            .map(|event| {
                let place = trace.strings.text(event.place).to_string();
                (event.ts - trace.span.start, event.bytes, event.peak_allocated.get(), place)
            })
            .collect();
        let expected = [(4_000, 64, 64), (48_999, 8192, 8192), (60_000, -4096, 8192), (70_000, 512, 512)];
        let places = ["Place(cpu)", "Place(cpu)", "Place(cpu)", "Place(gpu:1)"];
        let expected = expected.map(|(ts, bytes, peak)| (ts, bytes, Some(peak)));
        let expected: Vec<_> = (expected.into_iter().zip(places))
            .map(|((ts, bytes, peak), place)| (ts, bytes, peak, place.to_owned()))
            .collect();
        assert_eq!(memory, expected);
    }
}

/// Ranges `epoch` of a cycle: those that our hooks recorded, and those that torch recorded, with whether they
/// were over when its profiler stopped.
fn epochs(own: &[(u64, u64)], of_torch: &[(u64, u64, bool)]) -> Vec<(i64, i64)> {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    let name = spool.name("epoch");
    let own: Vec<_> = own.iter().map(|&(start, end)| (14, name, start, end)).collect();
    spool.ranges(40, &own);
    let folder = spool.folder.clone();
    let process = spool.finish();
    std::fs::write(folder.join("c1.0.kineto.json"), files::annotations(CLOCK_OFFSET, "epoch", of_torch))
        .expect("written");
    let collected = cycle::collect(&[&process], 1, cycle::Extent::whole(Some(0)));
    assert_eq!(collected.faults, [""; 0]);
    let [json, _] = forms(&collected.recording).map(|bytes| load(&bytes));
    let mut spans: Vec<_> = json
        .trace
        .slices
        .ids()
        .iter()
        .filter(|&id| json.trace.name(id).as_str().starts_with("epoch"))
        .map(|id| (json.trace.slices.span(id).start, json.trace.slices.span(id).len()))
        .collect();
    spans.sort_unstable();
    let first = spans.first().map_or(0, |span| span.0);
    spans.iter().map(|&(start, len)| (start - first, len)).collect()
}

#[test]
fn a_range_that_a_profiler_does_not_live_to_see_is_as_long_as_the_hooks_say() {
    let cut = epochs(&[(2_000, 900_000)], &[(1_000, 400_000, false)]);
    assert_eq!(cut, [(0, 898_000)]);
    let nobody_elses = epochs(&[], &[(1_000, 400_000, false)]);
    assert_eq!(nobody_elses, [(0, 399_000)]);
}

#[test]
fn a_range_stands_once_however_late_the_hooks_recorded_it() {
    // The second is within the first.
    let of_torch = [(1_000_000, 9_000_000, true), (3_000_000, 4_000_000, true)];
    let late = epochs(&[(2_500_000, 8_000_000), (3_200_000, 3_300_000)], &of_torch);
    assert_eq!(late, [(0, 8_000_000), (2_000_000, 1_000_000)]);
}

#[test]
fn a_fork_has_its_own_thread_by_whatever_number_its_framework_knows_it() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 50);
    let name = spool.name("mine");
    spool.ranges(50, &[(14, name, 2_000, 8_000)]);
    spool.log(1, Event::Hello { ppid: 40, leader: None, namespace: 0 });
    let folder = spool.folder.clone();
    let process = spool.finish();
    std::fs::write(folder.join("c1.0.paddle.pb"), files::paddle(CLOCK_OFFSET)).expect("written");
    let collected = cycle::collect(&[&process], 1, cycle::Extent::whole(Some(1_000_000)));
    let threads: Vec<_> = collected.recording.threads.iter().map(|thread| thread.tid).collect();
    assert_eq!(threads, [50]);
    let mine = slices(&load(&forms(&collected.recording)[0]))
        .iter()
        .filter(|slice| slice.4.starts_with("mine"))
        .count();
    assert_eq!(mine, 1);
}

#[test]
fn tables_of_torch_are_those_of_its_own_file() {
    let scratch = Scratch::new("operators-torch");
    let [json, protobuf] = forms(&torch().recording);
    let layout = ["--layout", "torch", "--group-by-input-shape"];
    let of =
        |name: &str, bytes: &[u8], more: &[&str]| table(&scratch, name, bytes, &[&layout[..], more].concat());
    let ours = of("a.json", &json, &[]);
    assert_eq!(ours, of("a.pb", &protobuf, &[]));
    let rows = |text: &str| -> Vec<String> {
        let mut rows: Vec<String> = (text
            .lines()
            .filter(|line| line.contains("aten::") || line.contains("Backward0")))
        // Shares are of a total that has our own step in it.
        .map(|line| line.split_whitespace().filter(|cell| !cell.ends_with('%')).collect::<Vec<_>>().join(" "))
        .collect();
        rows.sort();
        rows
    };
    let own = of("kineto.json", &files::kineto(CLOCK_OFFSET), &[]);
    assert_eq!(rows(&ours), rows(&own));
    let line =
        |name: &str| ours.lines().find(|line| line.trim_start().starts_with(name)).expect("a row").to_owned();
    assert!(line("aten::addmm").contains("30.000us"), "the kernel is its own\n{ours}");
    assert!(line("aten::addmm").contains("4.00 KB"), "its memory\n{ours}");
    assert!(line("ProfilerStep*").split_whitespace().any(|cell| cell == "1"), "{ours}");
    assert!(line("load").contains('2'), "{ours}");
    assert!(!ours.contains("Net "), "phases are no rows of torch's\n{ours}");
    for view in ["operator", "memory", "overview", "kernel"] {
        let of = |name: &str, bytes: &[u8]| table(&scratch, name, bytes, &["--view", view]);
        assert_eq!(of("b.json", &json), of("b.pb", &protobuf), "{view}");
    }
    let shapes = |name: &str, bytes: &[u8]| {
        table(&scratch, name, bytes, &["--view", "operator", "--group-by-input-shape", "--format", "csv"])
    };
    assert_eq!(shapes("c.json", &json), shapes("c.pb", &protobuf));
    assert!(shapes("d.pb", &protobuf).contains("0:[[32, 64]] 1:[[128, 64]] 2:[[128]]"));
    for layout in ["paddle", "visualdl"] {
        let of = |name: &str, bytes: &[u8]| table(&scratch, name, bytes, &["--layout", layout]);
        assert_eq!(of("e.json", &json), of("e.pb", &protobuf), "{layout}");
        assert!(of("f.pb", &protobuf).contains("aten::linear"), "{layout}");
    }
}

#[test]
fn work_hangs_on_the_innermost_operator() {
    let [_, protobuf] = forms(&torch().recording);
    let loaded = load(&protobuf);
    let kernel = find(&loaded, "gemm");
    let lineage = &loaded.trace.lineage;
    let call = lineage.holder_of(kernel).expect("its call");
    assert_eq!(lineage.holder_of(call), Some(find(&loaded, "aten::addmm")));
}

#[test]
fn own_traces_are_converted_without_loss() {
    let [_, protobuf] = forms(&torch().recording);
    let trees = decode(&protobuf).expect("protobuf");
    let mut json = Vec::new();
    proftui_trace::export::write_json(&trees, &mut json).expect("written");
    let back = from_json(&json).expect("messages");
    assert_eq!(encode(back.clone()), encode(trees.clone()));
    assert_eq!(back, trees);
    let (converted, own) = (load(&json), load(&protobuf));
    assert_eq!(slices(&converted), slices(&own));
    assert_eq!(converted.trace.flows.len(), own.trace.flows.len());
    let scratch = Scratch::new("operators-convert");
    let of = |name: &str, bytes: &[u8]| table(&scratch, name, bytes, &["--layout", "torch"]);
    assert_eq!(of("a.json", &json), of("a.pb", &protobuf));
}

#[test]
fn unified_memory_is_no_host_time_of_torch() {
    let events = [
        r#"{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":100}"#,
        r#"{"ph":"X","cat":"unifiedmemory","name":"Migration HtoD","pid":0,"tid":7,"ts":60,"dur":300}"#,
    ];
    let text = format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.join(","));
    let shown = table(&Scratch::new("operators-unified"), "a.json", text.as_bytes(), &["--layout", "torch"]);
    assert!(shown.contains("Self CPU time total: 100.000us"), "{shown}");
    assert!(!shown.contains("Migration"), "{shown}");
}

#[test]
fn operators_of_paddle_come_back_whole_in_both_forms() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    let names = ["ProfileStep#3", "mine"].map(|name| spool.name(name));
    spool.ranges(40, &[(2, names[0], 1_000, 900_000), (14, names[1], 2_000, 8_000)]);
    let folder = spool.folder.clone();
    let process = spool.finish();
    std::fs::write(folder.join("c1.0.paddle.pb"), files::paddle(CLOCK_OFFSET)).expect("written");
    let collected = cycle::collect(&[&process], 1, cycle::Extent::whole(Some(1_000_000)));
    assert_eq!(collected.faults, [""; 0]);
    let [json, protobuf] = forms(&collected.recording);
    let supplements: Vec<_> = (decode(&protobuf).expect("protobuf").thread_trees.iter())
        .flat_map(|tree| &tree.host_nodes)
        .flat_map(|node| node.op_supplement_nodes.clone())
        .filter_map(|node| node.op_supplement_event)
        .collect();
    assert_eq!(supplements, [files::supplement(CLOCK_OFFSET)], "as Paddle recorded it");
    let [json, protobuf] = [json, protobuf].map(|bytes| load(&bytes));
    assert_eq!(slices(&json), slices(&protobuf));
    for Loaded { trace, .. } in [&json, &protobuf] {
        let counts = trace.category_counts();
        let count = |wanted: Category| counts.get(&wanted).copied().unwrap_or_default();
        assert_eq!((count(Category::Operator), count(Category::OperatorInner)), (1, 1));
        assert_eq!((count(Category::KernelLaunch), count(Category::Forward)), (1, 1));
        assert_eq!((count(Category::ProfileStep), count(Category::PythonUserDefined)), (1, 1), "ours");
        let memory = &trace.memory[0];
        assert_eq!(
            (memory.bytes, memory.allocated.get(), memory.peak_reserved.get()),
            (256, Some(1000), Some(4000))
        );
        assert_eq!((trace.memory.len(), trace.memory[1].kind.is_reserved()), (2, true));
    }
}

#[test]
fn damage_is_said_and_costs_what_it_hits() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    let folder = spool.folder.clone();
    let process = spool.finish();
    let whole = files::kineto(CLOCK_OFFSET);
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("written");
    write("c1.0.kineto.json", &whole[..whole.len() * 2 / 3]);
    write("c1.1.kineto.json", b"no JSON");
    write("c1.0.paddle.pb", b"\xff\xff\xff");
    let collected = cycle::collect(&[&process], 1, cycle::Extent::whole(Some(1_000_000)));
    assert!(collected.ranges > 2, "what stands before the damage is there");
    assert_eq!(collected.files.len(), 3);
    assert!(collected.faults.len() >= 3, "{:?}", collected.faults);
    forms(&collected.recording);
}

/// What `proftui recover` makes of a run whose process was to leave operators in its first cycle: what it
/// says, and the trace's header.
fn recovered(end: bool, file: bool) -> (String, String) {
    let scratch = tempfile::tempdir().expect("a folder");
    let run = scratch.path().join("proftui-run-1");
    std::fs::create_dir(&run).expect("a folder");
    std::fs::write(run.join(proftui_wire::options::PARENT), "").expect("written");
    // A number that no process has.
    let mut spool = Spool::new(&run, 5_000_000);
    let name = spool.name("Net");
    spool.ranges(5_000_000, &[(9, name, 2_000, 300_000)]);
    let text = spool.name("ops=torch full");
    spool.log(1, Event::Note { kind: NoteKind::Fact, text });
    spool.log(2, Event::Begin { cycle: 1, step: 0 });
    if end {
        spool.log(900_000, Event::End { cycle: 1, step: 3, is_whole: true });
    }
    if file {
        std::fs::write(spool.folder.join("c1.0.kineto.json"), files::kineto(CLOCK_OFFSET)).expect("written");
    }
    spool.finish();
    let out = scratch.path().join("out");
    let mut command = Command::new(BINARY);
    command.arg("recover").arg("--spool").arg(scratch.path()).arg("--out").arg(&out).stdin(Stdio::null());
    let said = command.output().expect("it runs");
    assert!(!run.exists(), "all of it was written: {}", String::from_utf8_lossy(&said.stderr));
    let path = String::from_utf8(said.stdout).expect("UTF-8");
    let trace = std::fs::read(path.trim_end()).expect("a trace");
    let header = load(&trace).trace.meta.header;
    let lines: Vec<String> = header.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    (String::from_utf8_lossy(&said.stderr).into_owned(), lines.concat())
}

#[test]
fn operators_that_a_killed_process_kept_are_said_to_be_missing() {
    let (said, header) = recovered(false, false);
    assert_eq!(said.matches("operators are missing").count(), 1, "{said}");
    assert!(header.contains("proftui.ops.lost: the operators are missing"), "{header}");
    assert!(header.contains("proftui.ops: torch full"), "{header}");
    for (end, file) in [(true, false), (false, true)] {
        let (said, header) = recovered(end, file);
        assert!(!said.contains("missing:") && !header.contains("proftui.ops.lost"), "{said}{header}");
    }
    assert!(recovered(true, true).1.contains("proftui.ops.asked: flops,memory,shapes"));
}
