//! Files of kinds that are not read are named, with what to do: plain, compressed, from memory, in
//! directories. And Paddle's old profiles are read compressed, too. All files are generated here.

use std::path::Path;

use std::io::Write;

use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::{SliceId, Warning};

use super::{gzip, load_bytes, warned};
use crate::scratch::Scratch;

/// The name of a file, its content, and a part of the message.
const FILES: [(&str, &[u8], &str); 13] = [
    (
        "report1.nsys-rep",
        b"\0\x01\x02\xfe",
        "nsys export -t sqlite -o T.sqlite FILE, then python3 nsys2json.py --filename T.sqlite",
    ),
    ("report1.sqlite", b"SQLite format 3\0\x10\0", "python3 nsys2json.py --filename FILE"),
    ("trace.rpd", b"SQLite format 3\0\x10\0", "rpd2tracing.py FILE"),
    ("kernel.ncu-rep", b"NVR\0\x10\0", "ncu --import FILE"),
    ("h.xplane.pb", b"\x0a\x11\x08\x02\x12\x09/host:CPU\x1a\x00", "XPlane profile, such as JAX writes"),
    ("t.pftrace", b"\x0a\x0b\x50\x01\x40\xc8\x01\x5a\x00", "traceconv json FILE"),
    ("memory.json", b"[[169, 170], [[0, 0], [1, 5]]]", "PyTorch's memory timeline"),
    ("memory.html", b"<html>\n<title>GPU Memory Timeline HTML</title>", "memory timeline (HTML)"),
    ("traces.zip", b"PK\x03\x04\x14\0\0\0\0\0trace.json", "unzip"),
    ("out.prof", b"\xfb)\x03\xfa\x01~\xe9\0\0\0\0\xfa0", "cProfile"),
    (
        "a.json",
        b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{}}",
        "speedscope",
    ),
    ("cpu.pb", b"\x0a\x04\x08\x01\x10\x02\x12\x04\x08\x03\x10\x04", "go tool pprof"),
    ("op.csv", b"Name,Calls,Total\nmm,3,4\n", "a table (CSV)"),
];

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("compresses")
}

/// The message of a path that cannot be loaded.
fn refused(path: &str) -> String {
    match load(&Request::new([path]), &Progress::default()) {
        Err(error) => error.to_string(),
        Ok(loaded) => panic!("{path}: {} slices", loaded.trace.slices.len()),
    }
}

#[test]
fn kinds_that_are_not_read_are_named_plain_compressed_and_in_directories() {
    let tar = {
        let mut bytes = vec![0; 1024];
        bytes[..10].copy_from_slice(b"trace.json");
        bytes[257..262].copy_from_slice(b"ustar");
        bytes
    };
    let files = FILES.into_iter().chain([("traces.tar", tar.as_slice(), "tar -xf FILE")]);
    for (name, content, part) in files {
        let scratch = Scratch::new("unread");
        for (name, content, inside) in [
            (name.to_owned(), content.to_vec(), ""),
            (format!("{name}.gz"), gzip(content), "(in gzip)"),
            (format!("{name}.zst"), zstd(content), "(in zstd)"),
        ] {
            let said = refused(&scratch.file(&name, &content));
            assert!(said.contains(part) && said.contains(": this is ") && said.contains(inside), "{said}");
            assert!(!said.contains('\n') && said.len() <= 300, "{said}");
        }
        let said = refused(&scratch.path(""));
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn bytes_without_a_name_are_recognised_too() {
    for (name, content, part) in
        FILES.iter().filter(|(name, ..)| !["report1.nsys-rep", "trace.rpd"].contains(name))
    {
        for content in [content.to_vec(), gzip(content), zstd(content)] {
            let said = load_bytes(&content).expect_err("no trace").to_string();
            assert!(said.contains(part), "{name}: {said}");
        }
    }
    let said = load_bytes(&gzip(&gzip(b"[]"))).expect_err("no trace").to_string();
    assert!(said.contains("decompress it once"), "{said}");
}

#[test]
fn beside_a_trace_other_files_are_ignored() {
    let scratch = Scratch::new("beside");
    for (name, content, _) in
        FILES.iter().filter(|(name, ..)| Path::new(name).extension().is_none_or(|end| end != "json"))
    {
        scratch.file(name, content);
    }
    scratch.file("t.json", "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1}]");
    let trace = load(&Request::new([scratch.path("")]), &Progress::default()).expect("loads").trace;
    assert_eq!((trace.slices.len(), warned(&trace)), (1, vec![]));
    scratch.file("memory.json", "[[1,2],[3]]");
    let trace = load(&Request::new([scratch.path("")]), &Progress::default()).expect("loads").trace;
    assert_eq!(trace.slices.len(), 1);
    let skipped = trace.quality.entries().find(|(warning, _)| *warning == Warning::FileSkipped);
    let (_, skipped) = skipped.expect("counted");
    assert!(skipped.first.contains("memory timeline"), "{}", skipped.first);
}

/// A profile of Paddle's old profiler with `count` events of 500 ns.
fn old_profile(count: u64) -> Vec<u8> {
    fn varint(mut value: u64, out: &mut Vec<u8>) {
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
    }
    let mut out = Vec::new();
    for index in 0..count {
        let mut event = b"\x0a\x03sgd\x10".to_vec();
        varint(1_000 * (index + 1), &mut event);
        event.push(0x18);
        varint(1_000 * (index + 1) + 500, &mut event);
        event.extend([0x30, 4]);
        out.extend([0x0a, event.len() as u8]);
        out.write_all(&event).expect("in memory");
    }
    out.extend(b"\x10\x00\x18\x00");
    out
}

#[test]
fn old_profiles_of_paddle_are_read_compressed() {
    for count in [1, 3, 50_000] {
        let plain = old_profile(count);
        for content in [plain.clone(), gzip(&plain), zstd(&plain)] {
            let trace = load_bytes(&content).expect("loads").trace;
            assert_eq!((trace.slices.len() as u64, trace.meta.producer.as_str()), (count, "fluid"));
            assert!(warned(&trace).is_empty(), "{:?}", warned(&trace));
        }
        let scratch = Scratch::new("old-profile");
        let path = scratch.file("profile.gz", gzip(&plain));
        let loaded = load(&Request::new([path]), &Progress::default()).expect("loads");
        let origin = loaded.trace.slices.origin[SliceId::new(0)];
        assert!(matches!(loaded.texts.read(origin), proftui_trace::import::EventText::Members(_)));
    }
    let whole = gzip(&old_profile(50_000));
    let cut = load_bytes(&whole[..whole.len() / 2]).expect("loads").trace;
    assert!(cut.slices.len() > 10_000 && cut.slices.len() < 40_000, "{}", cut.slices.len());
    assert!(warned(&cut).contains(&Warning::Truncated));
    let mut bad_sum = whole.clone();
    let at = bad_sum.len() - 6;
    bad_sum[at] ^= 0xff;
    let trace = load_bytes(&bad_sum).expect("loads").trace;
    assert_eq!(trace.slices.len(), 50_000);
    assert!(warned(&trace).contains(&Warning::Checksum), "{:?}", warned(&trace));
}
