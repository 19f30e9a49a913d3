//! Snapshots written by hand: what is read of them, also where they are damaged.

use std::fmt::Write as _;

use crate::import::{EventText, ImportError, Loaded, Progress, Request, load_bytes};
use crate::model::{MaybeBytes, MemoryKind, Warning};
use proptest::prelude::*;

/// A value to pickle.
#[derive(Clone, Debug)]
enum Item {
    Int(i64),
    Text(&'static str),
    List(Vec<Item>),
    Dict(Vec<(&'static str, Item)>),
}

use Item::{Dict, Int, List, Text};

/// Pickles a value as Python's version 4 does, each object with an entry in the memo, or as PyTorch's C++
/// code does, version 2.
fn pickled(root: &Item, version: u8) -> Vec<u8> {
    let mut out = vec![0x80, version];
    let mut memo = 0_u32;
    put(root, version, &mut memo, &mut out);
    out.push(b'.');
    out
}

fn remember(version: u8, memo: &mut u32, out: &mut Vec<u8>) {
    if version < 4 {
        out.push(b'r');
        out.extend(memo.to_le_bytes());
    } else {
        out.push(0x94);
    }
    *memo += 1;
}

fn put(item: &Item, version: u8, memo: &mut u32, out: &mut Vec<u8>) {
    match item {
        Int(number @ 0..=255) => out.extend([b'K', number.to_le_bytes()[0]]),
        Int(number) => {
            out.extend([0x8a, 8]);
            out.extend(number.to_le_bytes());
        }
        Text(text) => {
            out.push(b'X');
            out.extend(u32::try_from(text.len()).expect("short").to_le_bytes());
            out.extend(text.as_bytes());
            remember(version, memo, out);
        }
        List(items) => {
            out.push(b']');
            remember(version, memo, out);
            out.push(b'(');
            items.iter().for_each(|item| put(item, version, memo, out));
            out.push(b'e');
        }
        Dict(items) => {
            out.push(b'}');
            remember(version, memo, out);
            out.push(b'(');
            for (key, value) in items {
                put(&Text(key), version, memo, out);
                put(value, version, memo, out);
            }
            out.push(b'u');
        }
    }
}

fn frames(lines: &[(&'static str, i64, &'static str)]) -> Item {
    let frame =
        |&(file, line, name)| Dict(vec![("name", Text(name)), ("filename", Text(file)), ("line", Int(line))]);
    List(lines.iter().map(frame).collect())
}

fn event(action: &'static str, addr: i64, size: i64, time: i64) -> Item {
    let stack = frames(&[("torch/nn/linear.py", 5, "forward"), ("/home/me/train.py", 18, "step")]);
    Dict(vec![
        ("action", Text(action)),
        ("addr", Int(addr)),
        ("size", Int(size)),
        ("stream", Int(0)),
        ("time_us", Int(time)),
        ("frames", stack),
    ])
}

/// A snapshot with a segment of 4096 bytes: of its three blocks one was there before the history, one was
/// allocated in it, one is free.
fn snapshot() -> Item {
    let block = |address, size, requested, state| {
        Dict(vec![
            ("address", Int(address)),
            ("size", Int(size)),
            ("requested_size", Int(requested)),
            ("state", Text(state)),
            ("frames", frames(&[("/home/me/model.py", 3, "build")])),
        ])
    };
    let segment = Dict(vec![
        ("device", Int(0)),
        ("address", Int(0x1000)),
        ("total_size", Int(4096)),
        (
            "blocks",
            List(vec![
                block(0x1000, 1024, 1000, "active_allocated"),
                block(0x1400, 512, 500, "active_allocated"),
                block(0x1600, 2560, 0, "inactive"),
            ]),
        ),
    ]);
    let oom = Dict(vec![
        ("action", Text("oom")),
        ("device_free", Int(2048)),
        ("size", Int(1 << 20)),
        ("stream", Int(0)),
        ("time_us", Int(1_700_000_000_000_050)),
        ("frames", frames(&[])),
    ]);
    let trace = List(vec![
        event("alloc", 0x1400, 500, 1_700_000_000_000_010),
        event("alloc", 0x1800, 300, 1_700_000_000_000_020),
        event("free_requested", 0x1800, 300, 1_700_000_000_000_030),
        event("free_completed", 0x1800, 300, 1_700_000_000_000_031),
        event("free_requested", 0x2000, 70, 1_700_000_000_000_040),
        oom,
    ]);
    Dict(vec![("segments", List(vec![segment])), ("device_traces", List(vec![trace, List(vec![])]))])
}

fn load(bytes: &[u8]) -> Result<Loaded, ImportError> {
    load_bytes(bytes, &Request::default(), &Progress::default())
}

#[test]
fn events_have_the_totals_after_them_also_of_what_was_there_before() {
    for version in [2, 4, 5] {
        let Loaded { trace, texts } = load(&pickled(&snapshot(), version)).expect("a snapshot");
        let line = |event: &crate::model::MemoryEvent| {
            let mut text = format!("{:?} {:#x} {}", event.kind, event.address, event.bytes);
            let stated = [event.allocated, event.reserved, event.peak_allocated].map(MaybeBytes::get);
            write!(text, " {stated:?} at {}", event.ts).expect("a string");
            text
        };
        let lines: Vec<String> = trace.memory.iter().map(line).collect();
        assert_eq!(
            lines,
            [
                // 1000 bytes of the block, 70 of what is freed without having been allocated.
                "Allocate 0x1000 1000 [Some(1070), Some(4096), Some(1070)] at 0",
                "Allocate 0x1400 500 [Some(1570), Some(4096), Some(1570)] at 0",
                "Allocate 0x1800 300 [Some(1870), Some(4096), Some(1870)] at 10000",
                "Free 0x1800 -300 [Some(1570), Some(4096), Some(1870)] at 20000",
                "Free 0x2000 -70 [Some(1500), Some(4096), Some(1870)] at 30000",
            ]
        );
        let stack = |at: usize| -> Vec<String> {
            let frames = trace.stacks.frames(trace.memory[at].stack);
            frames.map(|frame| String::from_utf8_lossy(frame).into_owned()).collect()
        };
        assert_eq!(stack(0), ["/home/me/model.py(3): build"]);
        assert_eq!(stack(1), ["torch/nn/linear.py(5): forward", "/home/me/train.py(18): step"]);
        assert_eq!(trace.meta.producer, "torch memory snapshot");
        assert_eq!(trace.meta.event_types["alloc"], 2);
        assert_eq!(trace.meta.event_types["free_completed"], 1);
        let names: Vec<String> =
            trace.instants.iter().map(|instant| trace.strings.text(instant.name).to_string()).collect();
        assert_eq!(names, ["out of memory: 1.00 MiB wanted, 2.00 KiB free on the device"]);
        let EventText::Members(fields) = texts.read(trace.memory[1].origin) else { panic!("no fields") };
        assert_eq!(fields[1].value.line().as_str(), "0x1400");
        assert_eq!(trace.memory[2].kind, MemoryKind::Allocate);
    }
}

#[test]
fn blocks_and_events_have_keys_of_their_own() {
    let Loaded { trace, texts } = load(&pickled(&snapshot(), 4)).expect("a snapshot");
    let first = |at: usize| match texts.read(trace.memory[at].origin) {
        EventText::Members(fields) => format!("{}: {}", fields[0].name, fields[0].value.line()),
        EventText::Gone(why) => panic!("{why}"),
    };
    assert_eq!(
        [0, 1, 3].map(first),
        ["allocated: before the first event of the file", "action: alloc", "action: free_requested",]
    );
    let origins: Vec<_> = trace.memory.iter().map(|event| event.origin).collect();
    assert!(origins.is_sorted_by(|one, next| one < next), "keys ascend: {origins:?}");
}

#[test]
fn what_takes_more_than_the_limit_is_refused_with_what_to_do() {
    let request = Request { max_memory: Some(1_000), ..Request::default() };
    let many = Dict(vec![("segments", List((0..40_000).map(Int).collect()))]);
    let why = load_bytes(&pickled(&many, 4), &request, &Progress::default()).expect_err("refused");
    assert!(why.to_string().contains("raise the limit with --max-memory"), "{why}");
}

#[test]
fn a_cut_costs_what_is_behind_it() {
    let whole = pickled(&snapshot(), 4);
    let of_whole = load(&whole).expect("a snapshot").trace.memory.len();
    let mut last = 0;
    for len in 3..whole.len() {
        match load(&whole[..len]) {
            Ok(Loaded { trace, .. }) => {
                assert_eq!(trace.quality.count(Warning::Truncated), 1, "{len}");
                assert!((last..=of_whole).contains(&trace.memory.len()), "{len}");
                last = trace.memory.len();
            }
            Err(ImportError::Format { .. }) => assert_eq!(last, 0, "{len}"),
            Err(other) => panic!("{len}: {other}"),
        }
    }
    // Without the block from before: what was there before is known at the end only.
    assert_eq!(last, of_whole - 1);
}

#[test]
fn what_names_or_calls_something_is_refused() {
    for (pickle, part) in [
        (b"\x80\x02cos\nsystem\nX\x02\0\0\0ls\x85R.".as_slice(), "it names os.system"),
        (b"\x80\x04\x8c\x02os\x8c\x06system\x93.", "it names os.system"),
        (b"\x80\x04N)R.", "opcode 0x52 makes or calls an object"),
        (b"\x80\x04]\x94.", "no memory snapshot of PyTorch"),
        (b"\x80\x04\xff", "opcode that memory snapshots do not have"),
        (b"\x80\x04]", "cut off"),
    ] {
        let why = load(pickle).expect_err("refused").to_string();
        assert!(why.contains("this is a Python pickle") && why.contains(part), "{why}");
    }
}

proptest! {
    #[test]
    fn damage_neither_panics_nor_costs_memory(at in 2_usize..2000, byte: u8, cut in 0_usize..2000) {
        let mut bytes = pickled(&snapshot(), 4);
        let (at, len) = (at % bytes.len(), bytes.len());
        bytes[at.max(2)] = byte;
        bytes.truncate(len - cut % (len / 2));
        if let Ok(loaded) = load(&bytes) {
            prop_assert!(loaded.trace.memory.len() < 100);
        }
    }
}
