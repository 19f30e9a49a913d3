//! Cycles collected from files that the tests write.

use super::*;
use proftui_wire::chunk::{COUNTS, FRAME, Header, LOST, RECORD, RECORDS, RangeCounts, STACK, Tag};
use proftui_wire::{log, names};

/// Encodes a chunk as an agent writes it.
fn chunk(header: Header, ended: &[(u64, u64, Tag)], open: &[(u64, Tag)], lost: u64) -> Vec<u8> {
    let mut bytes = vec![0; RECORDS + (ended.len() + 4) * RECORD];
    bytes[..COUNTS].copy_from_slice(&header.bytes());
    let mut put = |at: usize, number: u64| bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    put(COUNTS, RangeCounts { records: ended.len() as u64, open: open.len() as u16 }.to_word());
    put(LOST, lost);
    for (at, (start, tag)) in open.iter().enumerate() {
        put(STACK + at * FRAME, *start);
        put(STACK + at * FRAME + 8, u64::from(tag.0));
    }
    for (at, (start, end, tag)) in ended.iter().enumerate() {
        put(RECORDS + at * RECORD, *start);
        put(RECORDS + at * RECORD + 8, *end);
        put(RECORDS + at * RECORD + 16, u64::from(tag.0));
    }
    bytes
}

fn process(folder: &Path, name: &str, entries: &[(u64, log::Event)], list: &[&[u8]]) -> Process {
    let folder = folder.join(name);
    std::fs::create_dir(&folder).expect("a folder");
    let log = entries.iter().flat_map(|&(time, event)| log::Entry { time, event }.bytes());
    std::fs::write(folder.join("log"), log.collect::<Vec<u8>>()).expect("written");
    let list: Vec<u8> = list.iter().flat_map(|name| names::bytes(name)).collect();
    std::fs::write(folder.join("names"), list).expect("written");
    let mut process = Process::of(&folder).expect("a process's folder");
    process.look().expect("read");
    process
}

#[test]
fn steps_before_the_count_began_anew_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let restart = |cycle, is_dropped| (90, log::Event::Restart { began: 60, cycle, is_dropped });
    let begin = |cycle| (1, log::Event::Begin { cycle, step: 0 });
    let events = [begin(1), restart(1, false), begin(2), restart(2, true)];
    let leader = process(folder.path(), "10-5", &events, &[b"proftui: start-up", b"step", b"tick"]);
    let (start_up, step, tick) = (Tag::new(14, 1), Tag::new(2, 2), Tag::new(14, 3));
    let ended = [
        (0, 10, start_up),
        (10, 60, step),
        (20, 30, tick),
        (0, 60, start_up),
        (60, 90, step),
        (90, 95, step),
    ];
    let header = Header { pid: 10, tid: 10, cycle: 1, index: 0 };
    std::fs::write(leader.folder.join("c1.t10.0"), chunk(header, &ended, &[], 0)).expect("written");
    let times: Vec<(u64, u64)> = collect(&[&leader], 1, Extent::whole(Some(100))).recording.threads[0]
        .ranges
        .iter()
        .map(|range| (range.start, range.end))
        .collect();
    assert_eq!(times, [(0, 60), (20, 30), (60, 90), (90, 95)]);
    assert_eq!(leader.cycles.iter().map(|cycle| cycle.is_dropped).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn ranges_of_a_process_and_its_followers_become_one_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = (0, log::Event::Clock { wall: 1_000_000 });
    let named = (1, log::Event::Thread { tid: 11, name: 2 });
    let leader = process(folder.path(), "10-5", &[clock, named], &[b"step", b"main"]);
    let child = process(
        folder.path(),
        "20-6",
        &[clock, (2, log::Event::Hello { ppid: 10, leader: Some(leader.key), namespace: 0 })],
        &[b"load"],
    );
    let put = |process: &Process, name: &str, bytes: Vec<u8>| {
        std::fs::write(process.folder.join(name), bytes).expect("written");
    };
    let header = |pid, tid, index| Header { pid, tid, cycle: 2, index };
    let (outer, inner) = (Tag::new(2, 1), Tag::new(9, 1));
    put(&leader, "c2.t11.0", chunk(header(10, 11, 0), &[(120, 130, inner)], &[(100, outer)], 3));
    put(&leader, "c2.t11.1", chunk(header(10, 11, 1), &[(100, 150, outer)], &[(160, inner)], 3));
    let collection = Tag::new(kinds::GARBAGE_COLLECTION, 1);
    put(&leader, "c2.t12.0", chunk(header(10, 12, 0), &[(101, 102, collection)], &[], 0));
    put(&leader, "c2.t11.2", Vec::new());
    put(&leader, "c1.t11.0", chunk(header(10, 11, 0), &[(1, 2, outer)], &[], 0));
    let idle = process(
        folder.path(),
        "30-7",
        &[clock, (2, log::Event::Hello { ppid: 10, leader: Some(leader.key), namespace: 0 })],
        &[b"gc"],
    );
    put(&idle, "c2.t31.0", chunk(header(30, 31, 0), &[(101, 102, collection)], &[], 0));
    put(&child, "c2.t21.0", chunk(header(20, 21, 0), &[(90, 95, Tag::new(1, 1))], &[], 0));

    let collected = collect(&[&leader, &child, &idle], 2, Extent::whole(Some(200)));
    assert_eq!((collected.ranges, collected.lost, collected.last), (4, 3, 200));
    assert_eq!((collected.files.len(), collected.faults.len()), (6, 0));
    let recording = &collected.recording;
    let of = |thread: &Thread| -> Vec<(u64, u64, String, bool)> {
        let name =
            |range: &Range| String::from_utf8_lossy(&recording.names[range.name as usize]).into_owned();
        thread.ranges.iter().map(|r| (r.start, r.end, name(r), r.is_cut)).collect()
    };
    let step = |start: u64, end: u64, is_cut| (1_000_000 + start, 1_000_000 + end, "step".to_owned(), is_cut);
    assert_eq!(
        of(&recording.threads[0]),
        [step(100, 150, false), step(120, 130, false), step(160, 200, true)],
        "by start; what is open ends with the cycle"
    );
    assert_eq!(recording.threads[0].name, "main");
    assert_eq!(recording.threads[1].ranges[0].kind, u16::from(kinds::GARBAGE_COLLECTION), "is not counted");
    assert_eq!(recording.threads.len(), 3, "a child with a collection alone is left out");
    assert_eq!(of(&recording.threads[2])[0].2, "load", "numbers of names are each process's own");

    let collected = collect(&[&leader, &child], 2, Extent::whole(None));
    assert_eq!(collected.last, 160, "of a process that died, the last thing that happened");
}
