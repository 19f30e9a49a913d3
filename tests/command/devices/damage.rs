//! Chunks that are torn, foreign or hold any bytes: what can be read is there, the rest is reported, and
//! nothing ends the reading.

use proftui::capture::cycle;
use proftui_trace::model::Warning;
use proftui_wire::device::record::{Api, Kernel};
use proftui_wire::device::{self, Record};
use proftui_wire::log::{self, Event};

use super::{forms, load};
use crate::spool::Spool;
use crate::training::training;

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_there() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    let put = training(&mut spool, 10);
    spool.end_chunk();
    let path = |name: &str| scratch.path().join("40-5").join(name);
    let good = std::fs::read(path("c1.g0")).expect("a chunk");
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    std::fs::write(path("c1.g1"), b"PFGP").expect("written");
    std::fs::write(path("c1.g2"), with(4, 9)).expect("written");
    std::fs::write(path("c1.g3"), with(16, 2)).expect("written");
    std::fs::write(path("c2.g0"), &good).expect("written");
    std::fs::write(path("c1.gx"), &good).expect("written");
    let process = spool.finish();
    let collected = cycle::collect(&[&process], 1, cycle::Extent::whole(None));
    assert_eq!(collected.faults.len(), 2, "{:?}", collected.faults);
    assert!(
        collected.faults[0].contains("unknown format version 9")
            && collected.faults[1].contains("another number of the recorded cycle or file than its name")
    );
    assert_eq!(collected.recording.devices.work.len(), put.kernels + put.copies + put.memsets);
    assert_eq!(collected.files.len(), 5, "the ranges' file, and each chunk of the cycle");
    assert_eq!(collected.counts.lost, 0);

    // Half of the records are torn off: what is missing counts as lost, unless the process went before it
    // could count.
    let committed = u64::from_le_bytes(good[24..32].try_into().expect("eight")) as usize;
    std::fs::write(path("c1.g0"), &good[..64 + committed / 16 * 8]).expect("written");
    let torn = cycle::collect(&[&process], 1, cycle::Extent::whole(None));
    assert!(torn.counts.lost > 0 && torn.events + torn.counts.lost <= spool.kept);
}

/// Puts a number into a file.
fn overwrite(spool: &Spool, file: &str, at: usize, number: u64) {
    let path = spool.folder.join(file);
    let mut bytes = std::fs::read(&path).expect("a chunk");
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    std::fs::write(path, bytes).expect("written");
}

#[test]
fn damage_within_a_chunk_is_said_and_its_counts_are_only_numbers() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut processes = Vec::new();
    for pid in [40, 50] {
        let mut spool = Spool::new(scratch.path(), pid);
        for number in 1..=3 {
            let api = Api { start: 10, end: 20, tid: pid, correlation: number, ..Api::default() };
            spool.put(&Record::Api(api));
            if number == 2 {
                spool.end_chunk();
            }
        }
        spool.log(
            30,
            Event::Device(log::DeviceCounts { cycle: 1, dropped: u64::MAX, ..log::DeviceCounts::default() }),
        );
        processes.push(spool.finish());
        // The second record is of no length; the other chunk lost its first bytes.
        overwrite(&spool, "c1.g0", device::RECORDS + Api::WORDS * 8, 0);
        overwrite(&spool, "c1.g0", device::LOST, u64::MAX);
        overwrite(&spool, "c1.g1", 0, 0);
    }
    let collected = cycle::collect(&processes.iter().collect::<Vec<_>>(), 1, cycle::Extent::whole(None));
    let count = |words: &str| collected.faults.iter().filter(|fault| fault.contains(words)).count();
    assert_eq!(
        (count("damaged, 40 bytes not read"), count("the magic number is wrong")),
        (2, 2),
        "{:?}",
        collected.faults
    );
    assert_eq!((collected.counts.lost, collected.counts.dropped), (u64::MAX, u64::MAX));
    assert_eq!(collected.recording.threads.iter().map(|thread| thread.calls.len()).sum::<usize>(), 2);
}

#[test]
fn times_and_sizes_that_cannot_be_are_written_all_the_same() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut spool = Spool::new(scratch.path(), 40);
    spool.device(u32::MAX, 7);
    for (start, end) in [(0, u64::MAX), (u64::MAX, 0), (u64::MAX - 5, u64::MAX), (5, 4)] {
        spool.put(&Record::Api(Api { start, end, tid: u32::MAX, correlation: 1, ..Api::default() }));
        spool.put(&Record::Kernel(Kernel {
            start,
            end,
            queued: end,
            device: u32::MAX,
            stream: u32::MAX,
            correlation: 1,
            grid: [u32::MAX; 3],
            block: [u32::MAX; 3],
            registers: u32::MAX,
            ..Kernel::default()
        }));
    }
    let collected = cycle::collect(&[&spool.finish()], 1, cycle::Extent::whole(None));
    for bytes in forms(&collected.recording) {
        let trace = load(&bytes).trace;
        assert_eq!(trace.slices.len(), 4, "those of times that readers have room for");
        assert!(trace.quality.count(Warning::BadTs) >= 4, "and the others are counted");
    }
}
