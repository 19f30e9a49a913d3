//! PyTorch's memory snapshots: the demo, and those of the collection with the counts of an independent reader.

use std::path::Path;

use proftui_trace::import::{ImportError, Progress, Request, load};
use proftui_trace::model::{MemoryKind, Trace, Warning};

fn read(path: &Path) -> Result<Trace, ImportError> {
    load(&Request::new([path]), &Progress::default()).map(|loaded| loaded.trace)
}

fn demo() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("demo-traces/memory-snapshot.pickle.gz")
}

/// The number of events of an action, and the sum of the bytes of allocations in the history.
fn count(trace: &Trace, action: &str) -> u64 {
    trace.meta.event_types.get(action).copied().unwrap_or_default()
}

/// Bytes in use as the last event states them.
fn at_the_end(trace: &Trace) -> Option<i64> {
    trace.memory.last().and_then(|event| event.allocated.get())
}

#[test]
fn the_totals_of_the_demo_are_those_of_its_blocks() {
    let trace = read(&demo()).expect("a snapshot");
    // Six parameters, twelve states of the optimizer, four losses.
    let parameters: i64 = (0..6).map(|at| ((8 + 4 * at) << 20) - 100).sum();
    let states: i64 = (0..6).map(|at| 2 * ((8 + 4 * at) << 20)).sum();
    assert_eq!(at_the_end(&trace), Some(parameters + states + (24 << 20)));
    assert_eq!(count(&trace, "(block from before)"), 6);
    assert_eq!((count(&trace, "oom"), trace.instants.len()), (1, 2));
    let taken = trace.memory.iter().filter(|event| event.kind == MemoryKind::ReservedAllocate);
    assert_eq!(taken.count() as u64, count(&trace, "segment_alloc"));
    let peak = trace.memory.iter().filter_map(|event| event.allocated.get()).max();
    assert_eq!(peak, trace.memory.last().and_then(|event| event.peak_allocated.get()));
}

#[test]
fn snapshots_of_the_collection_have_the_counts_of_an_independent_reader() {
    let Some(folder) = crate::skip::shared("traces/formats/snapshot", "memory snapshots") else { return };
    // As Python's pickle counts them: file, allocations, releases, segments mapped and unmapped, bytes of all
    // allocations, bytes that the program asked for in the blocks in use at the end.
    for (file, counts, bytes, at_end) in [
        ("made_p2.pickle.gz", [762, 738, 0, 0], 768_427_520, 26_021_376),
        ("made_p4.pickle.gz", [1021, 979, 0, 0], 1_068_521_472, 45_679_104),
        ("npu_empty_cache.pickle.gz", [2899, 2574, 79, 54], 4_747_481_944, 408_384_288),
        ("npu_expandable.pickle.gz", [2899, 2574, 45, 0], 4_747_481_944, 408_384_288),
    ] {
        let trace = read(&folder.join(file)).expect("a snapshot");
        let mapped = count(&trace, "segment_alloc") + count(&trace, "segment_map");
        let unmapped = count(&trace, "segment_free") + count(&trace, "segment_unmap");
        let found = [count(&trace, "alloc"), count(&trace, "free_requested"), mapped, unmapped];
        assert_eq!(found, counts, "{file}");
        assert_eq!(count(&trace, "free_completed"), counts[1], "{file}");
        let from_before = usize::try_from(count(&trace, "(block from before)")).expect("few");
        let taken = trace.memory.iter().filter(|event| event.kind == MemoryKind::Allocate);
        let sum: i64 = taken.skip(from_before).map(|event| event.bytes).sum();
        assert_eq!((sum, at_the_end(&trace)), (bytes, Some(at_end)), "{file}");
        assert_eq!(trace.quality.dropped, 0, "{file}");
    }
    let evil = read(&folder.join("evil_calls_os_system.pickle")).expect_err("refused").to_string();
    assert!(evil.contains("it names os.system"), "{evil}");
}

#[test]
fn each_cut_of_the_demo_loads_what_is_before_it_or_is_refused() {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(demo()).expect("the demo");
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut bytes).expect("inflated");
    let mut last = 0;
    for len in (2..bytes.len()).step_by(97) {
        let loaded =
            proftui_trace::import::load_bytes(&bytes[..len], &Request::default(), &Progress::default());
        match loaded {
            Ok(loaded) => {
                let events: u64 = loaded.trace.meta.event_types.values().sum();
                assert!(events >= last, "{len}: {events} events, {last} before a shorter cut");
                assert_eq!(loaded.trace.quality.count(Warning::Truncated), 1, "{len}");
                last = events;
            }
            Err(why) => assert!(last == 0 && why.to_string().contains("a Python pickle"), "{len}: {why}"),
        }
    }
    assert!(last > 190, "{last}");
}
