//! Replays buffers of CUPTI that were saved to files: every record must be known, and state what a record can
//! state.
//!
//! Any file in `fixtures` is replayed. `h200-13.0` is of an NVIDIA H200, as point 12 of `tests/gpu/check.sh`
//! keeps it. Those of the fakes were saved so: `LD_LIBRARY_PATH=FAKES CUDA_INJECTION64_PATH=probe.so
//! PROBE_CUPTI=FAKES/13.0/libcupti.so.13 FAKES/program --launches 12 --copies 4 --sets 3 --allocs 2 --graphs
//! 1 --nodes 3 --streams 3`, where `probe.so` is `tests/gpu/programs/probe.c`, which describes the format.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use super::*;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");
const HEAD: &[u8] = b"proftui cupti 1\n";
/// The shortest record of any kind, bytes.
const SHORTEST: usize = 16;

/// A source of names by which every call is kept: the index for an address is 1, for a function its number.
struct Every;

impl Names for Every {
    fn at(&mut self, address: u64) -> u32 {
        u32::from(address != 0)
    }

    fn function(&mut self, _is_driver: bool, number: u32) -> Option<u32> {
        Some(number)
    }
}

/// Buffers of one process.
struct Saved {
    version: u32,
    /// Each record, from its beginning to the end of its buffer.
    records: Vec<Vec<u8>>,
}

/// Takes a number from the beginning of the bytes; `None` at their end.
fn take(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number) as usize)
}

/// Reads a file; an error says what is wrong with it.
fn parse(file: &[u8]) -> Result<Saved, &'static str> {
    let mut rest = file.strip_prefix(HEAD).ok_or("not a file of buffers")?;
    let (version, _) = take(&mut rest).zip(take(&mut rest)).ok_or("no version")?;
    let mut records = Vec::new();
    while let Some(count) = take(&mut rest) {
        let valid = take(&mut rest).ok_or("a buffer without a length")?;
        let offsets: Option<Vec<usize>> = (0..count).map(|_| take(&mut rest)).collect();
        let offsets = offsets.ok_or("offsets are cut off")?;
        let (buffer, others) = rest.split_at_checked(valid).ok_or("a buffer is cut off")?;
        rest = others;
        let ends = offsets.iter().skip(1).copied().chain([valid]);
        if offsets.iter().zip(ends).any(|(&begin, end)| begin + SHORTEST > end) {
            return Err("records overlap");
        }
        records.extend(offsets.iter().map(|&offset| buffer[offset..].to_vec()));
    }
    Ok(Saved { version: version as u32, records })
}

/// What is wrong with the records; nothing if all are as they can be.
fn faults(saved: &Saved) -> Vec<String> {
    let mut found = Vec::new();
    let decoded: Vec<(u32, Record)> = saved
        .records
        .iter()
        .filter_map(|bytes| {
            let kind = activities::kind(bytes);
            let record = read(bytes, saved.version, &ALL, &mut Every);
            if classify(bytes) == Class::Unknown || record.is_none() {
                found.push(format!("kind {kind} is not decoded"));
            }
            Some((kind, record?))
        })
        .collect();
    let calls: HashSet<u32> = decoded
        .iter()
        .filter_map(|(_, record)| if let Record::Api(call) = record { Some(call.correlation) } else { None })
        .collect();
    for (kind, record) in &decoded {
        let work = match record {
            Record::Kernel(of) => Some((of.start, of.end, of.correlation, of.name != 0 && of.grid[0] > 0)),
            Record::Memcpy(of) => Some((of.start, of.end, of.correlation, of.bytes > 0)),
            Record::Memset(of) => Some((of.start, of.end, of.correlation, of.bytes > 0)),
            Record::Api(of) => Some((of.start, of.end, of.correlation, of.tid > 0)),
            _ => None,
        };
        let Some((start, end, correlation, is_described)) = work else { continue };
        // A time of 0 is one that CUPTI does not know.
        if start > end && end > 0 {
            found.push(format!("kind {kind}: ends before it begins"));
        }
        if !calls.contains(&correlation) {
            found.push(format!("kind {kind}: no call has correlation {correlation}"));
        }
        if !is_described {
            found.push(format!("kind {kind}: nothing describes it"));
        }
    }
    if !decoded.iter().any(|(_, record)| matches!(record, Record::Kernel(_))) {
        found.push("no kernel".to_owned());
    }
    found
}

fn files() -> Vec<(String, Vec<u8>)> {
    let paths = fs::read_dir(Path::new(FOLDER)).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "buffers"));
    files.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
}

#[test]
fn saved_buffers_are_decoded() {
    let files = files();
    assert!(files.len() >= 3, "{FOLDER}");
    for (name, file) in files {
        let saved = parse(&file).unwrap_or_else(|why| panic!("{name}: {why}"));
        let mut kinds = BTreeMap::new();
        for bytes in &saved.records {
            *kinds.entry(activities::kind(bytes)).or_insert(0) += 1;
        }
        println!("{name}: API {}, records by kind {kinds:?}", saved.version);
        assert_eq!(faults(&saved), [""; 0], "{name}");
    }
}

#[test]
fn what_is_wrong_with_buffers_is_found() {
    let (_, file) = files().remove(0);
    assert_eq!(faults(&parse(&file).unwrap()), [""; 0]);
    // The kernel's kind, its end, its correlation and its grid.
    for (at, bytes) in [(0, 60_u64), (24, 1), (92, u64::MAX), (52, 0)] {
        let mut saved = parse(&file).unwrap();
        let is_kernel = |bytes: &&mut Vec<u8>| activities::kind(bytes) == kind::CONCURRENT_KERNEL;
        let kernel = saved.records.iter_mut().find(is_kernel).unwrap();
        let length = if at == 24 { 8 } else { 4 };
        kernel[at..at + length].copy_from_slice(&bytes.to_le_bytes()[..length]);
        assert_eq!(faults(&saved).len(), 1, "byte {at}");
    }
    let mut saved = parse(&file).unwrap();
    saved.records.retain(|bytes| activities::kind(bytes) != kind::RUNTIME);
    assert!(faults(&saved).len() > 10);
    for cut in [5, 20, file.len() - 1] {
        assert!(parse(&file[..cut]).is_err(), "{cut}");
    }
}
