//! Any records, of two processes: each is there once, in both forms.

use std::collections::BTreeMap;

use proftui::capture::cycle;
use proftui_trace::import::Loaded;
use proftui_trace::model::Category;
use proftui_wire::device::Record;
use proftui_wire::device::record::{Api, Kernel, Memcpy, Memory, Memset, Overhead, Sync};
use proptest::prelude::*;

use super::{forms, load};
use crate::spool::Spool;

/// A kind, when, how long, and small numbers for the rest.
type Seed = (u8, u32, u32, [u8; 4]);

fn record(spool: &mut Spool, number: usize, seed: Seed) -> Record {
    let (kind, start, len, [tid, correlation, stream, other]) = seed;
    let (start, correlation) = (1_000_000 + u64::from(start), u32::from(correlation % 20));
    // Some have no end yet.
    let end = if len.is_multiple_of(17) { 0 } else { start + u64::from(len) };
    let name = spool.name(&format!("{kind}.{number}"));
    let (stream, context) = (u32::from(stream % 3), u32::from(other % 2));
    let tid = 40 + u32::from(tid % 3);
    match kind {
        0 | 1 => Record::Api(Api { name, start, end, tid, correlation, ..Api::default() }),
        2 | 3 => {
            Record::Kernel(Kernel { name, start, end, stream, context, correlation, ..Kernel::default() })
        }
        4 => Record::Memcpy(Memcpy { start, end, stream, context, correlation, ..Memcpy::default() }),
        5 => Record::Memset(Memset { start, end, stream, context, correlation, ..Memset::default() }),
        6 => Record::Sync(Sync { kind: 3, start, end, correlation, ..Default::default() }),
        7 => Record::Overhead(Overhead { kind: 1, start, end, tid, correlation }),
        _ => Record::Memory(Memory {
            operation: 1,
            time: start,
            bytes: 8,
            correlation,
            kind: 3,
            ..Memory::default()
        }),
    }
}

fn category(record: &Record) -> Option<Category> {
    Some(match record {
        Record::Api(_) => Category::CudaRuntime,
        Record::Kernel(_) => Category::Kernel,
        Record::Memcpy(_) => Category::Memcpy,
        Record::Memset(_) => Category::Memset,
        Record::Sync(_) => Category::Synchronization,
        Record::Overhead(_) => Category::Overhead,
        _ => return None,
    })
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    prop::collection::vec((0_u8..9, 0_u32..1_000_000, 0_u32..100_000, any::<[u8; 4]>()), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn each_record_is_there_once(first in seeds(), second in seeds(), range in any::<bool>()) {
        let scratch = tempfile::tempdir().expect("a folder");
        let mut expected: BTreeMap<(Category, String), u64> = BTreeMap::new();
        let mut memory = 0;
        let mut processes = Vec::new();
        for (pid, seeds) in [(40, first), (50, second)] {
            let mut spool = Spool::new(scratch.path(), pid);
            if range {
                let name = spool.name("range");
                spool.ranges(pid, &[(14, name, 1_000_000, 1_500_000), (14, name, 1_100_000, 1_200_000)]);
                *expected.entry((Category::PythonUserDefined, "range".into())).or_default() += 2;
            }
            for (number, seed) in seeds.into_iter().enumerate() {
                let record = record(&mut spool, number, seed);
                let name = match &record {
                    Record::Memcpy(_) => "MEMCPY".into(),
                    Record::Memset(_) => "MEMSET".into(),
                    Record::Sync(_) => "Stream Sync".into(),
                    Record::Overhead(_) => "Driver Compiler".into(),
                    _ => format!("{}.{number}", seed.0),
                };
                match category(&record) {
                    Some(category) => *expected.entry((category, name)).or_default() += 1,
                    None => memory += 1,
                }
                spool.put(&record);
            }
            processes.push(spool.finish());
        }
        let processes: Vec<_> = processes.iter().collect();
        let mut collected = cycle::collect(&processes, 1, cycle::Extent::whole(Some(3_000_000)));
        // As the recorder does: in its files numbers are not distinguished by process.
        collected.recording.facts.push(("proftui.version".into(), "9.9".into()));
        prop_assert_eq!(&collected.faults, &[""; 0]);
        let mut links = Vec::new();
        for bytes in forms(&collected.recording) {
            let Loaded { trace, .. } = load(&bytes);
            let mut found: BTreeMap<(Category, String), u64> = BTreeMap::new();
            for id in trace.slices.ids() {
                *found.entry((trace.slices.category(id), trace.name(id).to_string())).or_default() += 1;
            }
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(trace.memory.len(), memory);
            prop_assert_eq!(trace.quality.dropped, 0);
            links.push((trace.links.len(), trace.links.orphan_work));
        }
        prop_assert_eq!(links[0], links[1]);
    }
}
