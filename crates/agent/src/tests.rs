//! Tests of the recorder with its reader, in one process: after any sequence of events each range is
//! recorded, open or lost, and only one of these; and after a panic nothing more is recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use proftui_wire::chunk::{Chunk, DEPTH, Range, Tag, stack_version};
use proftui_wire::log::{Event, NoteKind, entries};
use proftui_wire::options::Options;
use proftui_wire::process_key::{LOG, NAMES};
use proftui_wire::{live, names};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::guard::shield;
use crate::lifecycle;
use crate::process;
use crate::ranges;
use crate::spool;

#[derive(Clone, Debug)]
enum Act {
    Begin(usize, u8),
    End(usize, u8),
    Pairs(usize),
    Record,
    Cycle,
    Leave,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => (1_usize..4, 0_u8..3).prop_map(|(count, owner)| Act::Begin(count, owner)),
        1 => (1..2 * DEPTH, 0_u8..3).prop_map(|(count, owner)| Act::Begin(count, owner)),
        6 => (1_usize..4, 0_u8..3).prop_map(|(count, owner)| Act::End(count, owner)),
        1 => (1..2 * DEPTH, 0_u8..3).prop_map(|(count, owner)| Act::End(count, owner)),
        4 => (1_usize..3000).prop_map(Act::Pairs),
        3 => Just(Act::Record),
        1 => Just(Act::Cycle),
        1 => Just(Act::Leave),
    ];
    prop::collection::vec(act, 1..60)
}

/// The expected contents of a thread's chunks in a cycle.
#[derive(Debug, Default)]
struct Model {
    ended: Vec<Range>,
    /// The entries of the stack, including ranges that ended below others.
    stack: Vec<Opened>,
    beyond: usize,
    lost: u64,
}

#[derive(Debug)]
struct Opened {
    range: Range,
    owner: u8,
    is_open: bool,
}

impl Model {
    fn begin(&mut self, owner: u8, tag: Tag, now: u64) {
        if self.stack.len() < DEPTH && self.beyond == 0 {
            let range = Range { start: now, end: None, tag, number: 0 };
            self.stack.push(Opened { range, owner, is_open: true });
        } else {
            (self.beyond, self.lost) = (self.beyond + 1, self.lost + 1);
        }
    }

    fn end(&mut self, owner: u8, now: u64) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.stack.iter().any(|open| open.owner == owner && open.is_open) {
            // The range itself is open until then.
            self.advance();
            let mut open = self.stack.iter_mut().rev().filter(|open| open.is_open);
            let Some(open) = open.find(|open| open.owner == owner) else { return };
            open.is_open = false;
            let range = Range { end: Some(now), ..open.range };
            self.keep(range);
            while self.stack.pop_if(|open| !open.is_open).is_some() {}
        }
    }

    /// Where the present chunk is full, removes ended ranges from the stack, as the recorder does when it
    /// moves to the next chunk.
    fn advance(&mut self) {
        if CAPACITIES[..2].contains(&self.ended.len()) {
            self.stack.retain(|open| open.is_open);
        }
    }

    fn keep(&mut self, range: Range) {
        if self.ended.len() < CAPACITIES[2] { self.ended.push(range) } else { self.lost += 1 }
    }

    fn open(&self) -> Vec<Range> {
        self.stack.iter().filter(|open| open.is_open).map(|open| open.range).collect()
    }
}

/// The budget of a cycle in these tests, bytes: for chunks of 64 KiB, 128 KiB, and the remaining 80 KiB.
const MAX_BYTES: u64 = (64 + 128 + 80) << 10;
/// How many records a cycle has when its first, second and third chunk are full.
const CAPACITIES: [usize; 3] = {
    let (one, two, three) = ((60 << 10) / 24, (124 << 10) / 24, (76 << 10) / 24);
    [one, one + two, one + two + three]
};

fn chunks(folder: &Path, cycle: u64) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&format!("c{cycle}.")))
        })
        .map(|path| Chunk::read(&fs::read(path).expect("readable")).expect("a chunk"))
        .collect();
    chunks.sort_by_key(|chunk| chunk.header.index);
    chunks
}

fn compare(folder: &Path, cycle: u64, model: &Model) {
    let chunks = chunks(folder, cycle);
    let Some((last, before)) = chunks.split_last() else { return assert!(model.ended.is_empty()) };
    assert!(before.iter().all(|chunk| chunk.open.is_empty()));
    let ended: Vec<Range> = chunks.iter().flat_map(|chunk| chunk.ended.clone()).collect();
    assert_eq!(ended, model.ended);
    assert_eq!((&last.open, last.lost), (&model.open(), model.lost));
}

fn run(folder: &Path, mut cycle: u64, acts: &[Act]) -> u64 {
    let mut now = 0;
    let mut tick = || {
        now += 1;
        now
    };
    cycle += 1;
    let mut model = Model::default();
    let tag = |now: u64| Tag::new(now as u8, now as u32);
    for act in acts {
        match *act {
            Act::Begin(count, owner) => (0..count).for_each(|_| {
                let now = tick();
                spool::begin(cycle, owner, tag(now), now);
                model.begin(owner, tag(now), now);
            }),
            Act::End(count, owner) => (0..count).for_each(|_| {
                let now = tick();
                spool::end(cycle, owner, 0, now);
                model.end(owner, now);
            }),
            Act::Pairs(count) => (0..count).for_each(|_| {
                let (start, end) = (tick(), tick());
                spool::begin(cycle, 1, tag(start), start);
                model.begin(1, tag(start), start);
                spool::end(cycle, 1, 0, end);
                model.end(1, end);
            }),
            Act::Record => {
                let (start, end) = (tick(), tick());
                spool::record(cycle, tag(start), start, end);
                model.advance();
                model.keep(Range { start, end: Some(end), tag: tag(start), number: 0 });
            }
            Act::Cycle | Act::Leave => {
                if matches!(act, Act::Leave) {
                    spool::leave_cycle();
                }
                compare(folder, cycle, &model);
                cycle += 1;
                model = Model::default();
            }
        }
    }
    compare(folder, cycle, &model);
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('c')) {
            fs::remove_file(path).expect("removable");
        }
    }
    cycle
}

/// Reads a chunk while another thread writes it, and checks that each range is either a record or open, and
/// the stack consistent.
fn a_reader_sees_a_consistent_stack(folder: &Path, cycle: u64) {
    let path = folder.join(format!("c{cycle}.t{}.0", crate::tid::tid()));
    // Nested ranges up and down, each as deep as its tag says, in the first chunk alone.
    spool::begin(cycle, 0, Tag(0), 0);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !is_done.load(Ordering::Relaxed) {
                let before = fs::read(&path).expect("a chunk");
                let after = fs::read(&path).expect("a chunk");
                let chunk = Chunk::read(&before).expect("a chunk");
                let ended =
                    chunk.ended.iter().map(|range| (range.start, range.end.expect("ended"), range.tag.0));
                assert!(ended.clone().all(|(start, end, depth)| end > start && depth > 0));
                assert!(ended.map(|(_, end, _)| end).is_sorted());
                if stack_version(&before) == stack_version(&after) {
                    seen += 1;
                    assert!(chunk.open.iter().enumerate().all(|(at, range)| range.tag.0 as usize == at));
                    assert!(chunk.open.iter().map(|range| range.start).is_sorted());
                    let top = chunk.open.last().map(|range| (range.start, range.tag));
                    assert!(chunk.ended.iter().all(|range| Some((range.start, range.tag)) != top));
                }
            }
            seen
        });
        let mut now = 0;
        for round in 0..2500_u32 {
            for depth in 1..=round % 4 + 1 {
                now += 1;
                spool::begin(cycle, 0, Tag(depth), now);
            }
            for _ in 0..=round % 4 {
                now += 1;
                spool::end(cycle, 0, 0, now);
            }
            if round % 8 == 0 {
                thread::sleep(Duration::from_micros(20));
            }
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(reader.join().expect("no assertion failed") > 10);
    });
    spool::leave_cycle();
}

/// Starts a thread for each range: more than the cycle's budget has room for whole files.
fn a_file_of_an_ended_thread_is_as_long_as_what_is_in_it(folder: &Path, cycle: u64) {
    let threads = MAX_BYTES / (8 << 10);
    for number in 1..=threads {
        let record = move || {
            spool::begin(cycle, 0, Tag::new(14, 1), number);
            if number % 2 == 0 {
                spool::end(cycle, 0, 0, number + 1);
            }
        };
        thread::spawn(record).join().expect("it ends");
    }
    let prefix = format!("c{cycle}.t");
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let own = entries
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)));
    let files: Vec<Vec<u8>> = own.map(|path| fs::read(path).expect("readable")).collect();
    assert_eq!(files.len() as u64, threads);
    let (mut ended, mut open) = (0, 0);
    for file in files {
        let chunk = Chunk::read(&file).expect("a chunk");
        assert_eq!(file.len(), (4 + 4 * chunk.ended.len()) << 10, "of {chunk:?}");
        (ended, open) = (ended + chunk.ended.len() as u64, open + chunk.open.len() as u64);
    }
    assert_eq!((ended, open), (threads / 2, threads / 2));
}

#[test]
fn every_range_is_recorded_open_or_lost() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/tmp");
    let folder = folder.join(format!("agent-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    assert!(lifecycle::open_in(
        folder.clone(),
        Options { max_bytes: MAX_BYTES, by_time: true, ..Options::default() }
    ));
    let own = fs::read_dir(&folder).expect("a folder").next().expect("one").expect("an entry").path();

    let cycle = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(Config { cases: 100, failure_persistence: None, ..Config::default() });
    let as_modelled = runner.run(&acts(), |acts| {
        cycle.set(run(&own, cycle.get(), &acts));
        Ok(())
    });
    as_modelled.expect("as the model says");

    a_reader_sees_a_consistent_stack(&own, cycle.get() + 1);
    a_file_of_an_ended_thread_is_as_long_as_what_is_in_it(&own, cycle.get() + 2);
    crate::cuda::records_of_the_interval_are_on_disk(&own, cycle.get() + 3);
    crate::cuda::shutting_down_waits_for_threads_in_cupti();

    // A panic is noted in the log, and nothing is recorded after it.
    let quiet = std::panic::take_hook();
    crate::guard::silence();
    assert_eq!(shield(7, || panic!("on purpose")), 7);
    std::panic::set_hook(quiet);
    ranges::begin(Tag::new(9, 1));
    assert_eq!((crate::live::cycle(), lifecycle::step(1, None), process::name("later")), (0, 0, 0));
    let (log, _) = entries(&fs::read(own.join(LOG)).expect("a log"));
    let (texts, _) = names::read(&fs::read(own.join(NAMES)).expect("names"));
    let Some(Event::Note { kind: NoteKind::Failure, text }) = log.last().map(|entry| entry.event) else {
        panic!("no failure is noted: {log:?}");
    };
    assert_eq!(
        String::from_utf8_lossy(&texts[text as usize - 1]),
        "the recorder failed and has stopped: on purpose"
    );
    let page = live::Live::read(&fs::read(own.join("live")).expect("a page"));
    assert_eq!(page.get(live::Word::Cycle), 0);
    fs::remove_dir_all(folder).expect("removable");
}
