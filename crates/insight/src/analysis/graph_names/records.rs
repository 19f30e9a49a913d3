//! The records of a trace's names while names are added; equal records are kept once.
//!
//! Must not know how names are found.

use rustc_hash::FxHashMap;

use proftui_base::saturate::saturate;
use proftui_trace::model::{GraphNames, GraphRecord};

/// The names of device work in a trace, with a map that finds the index of a record.
#[derive(Debug)]
pub(super) struct Records {
    pub names: GraphNames,
    numbers: FxHashMap<GraphRecord, u32>,
}

impl Records {
    pub(super) fn of(names: GraphNames) -> Self {
        let numbers = names.records.iter().copied().zip(0..).collect();
        Self { names, numbers }
    }

    /// The index of a record in `names.records`; a new record is added.
    pub(super) fn number(&mut self, record: GraphRecord) -> u32 {
        *self.numbers.entry(record).or_insert_with(|| {
            self.names.records.push(record);
            saturate::<u32>(self.names.records.len()) - 1
        })
    }
}
