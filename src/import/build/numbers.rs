//! Maps from the numbers in one event builder's tables to those in the trace builder's.

use crate::base::intern::StrId;

use super::input::{FIRST_WIDE, LaneKey};

/// The trace builder's numbers, indexed by those of one event builder.
#[derive(Clone, Debug, Default)]
pub(super) struct NumberMaps {
    pub strings: Vec<StrId>,
    pub ids: Vec<u32>,
    pub lanes: Vec<u32>,
    pub wide_correlations: Vec<u32>,
    /// Number of the event builder's batch that can be absorbed next with these maps: they hold all table entries
    /// before it.
    pub next_batch: u64,
}

impl NumberMaps {
    pub(super) fn text(&self, id: StrId) -> StrId {
        self.strings[id as usize]
    }

    pub(super) fn lane(&self, lane: u32) -> u32 {
        self.lanes[lane as usize]
    }

    pub(super) fn key(&self, key: LaneKey) -> LaneKey {
        LaneKey { pid: self.text(key.pid), tid: self.text(key.tid), ..key }
    }

    pub(super) fn correlation(&self, correlation: u32) -> u32 {
        if u64::from(correlation) < FIRST_WIDE {
            correlation
        } else {
            self.wide_correlations[(correlation - FIRST_WIDE as u32) as usize]
        }
    }
}
