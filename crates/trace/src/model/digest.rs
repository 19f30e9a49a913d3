//! A hash of a whole trace, by which tests compare the results of different ways of loading.
//!
//! Strings are hashed by their content, so the hash does not depend on their numbers; only the names of work
//! inside graphs are hashed by number. Must not know how a trace was made.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use proftui_base::ids::Column;
use proftui_base::intern::StrId;

use super::Trace;

impl Trace {
    /// Computes a hash of most of what the trace holds, by which tests compare ways of loading.
    pub fn digest(&self) -> u64 {
        let mut all = FxHasher::default();
        let contents: Column<StrId, u64> =
            self.strings.ids().iter().map(|id| hash(self.strings.bytes(id))).collect();
        let text = |id: StrId| contents[id];
        let slices = &self.slices;
        (&slices.start, &slices.dur, &slices.category, &slices.parent).hash(&mut all);
        (&slices.correlation, &slices.origin, &self.ends, &self.copied).hash(&mut all);
        slices.flags.iter().for_each(|flags| all.write_u8(flags.bits()));
        slices.name.iter().for_each(|&name| all.write_u64(text(name)));
        for group in &self.groups {
            let numbers = (group.kind, group.worker, &group.lanes);
            (numbers, text(group.pid), text(group.name)).hash(&mut all);
        }
        for lane in &self.lanes {
            let numbers =
                (lane.kind, lane.group, &lane.rows, lane.depth, lane.slices, &lane.instants, lane.counter);
            (numbers, text(lane.tid), text(lane.name)).hash(&mut all);
        }
        self.rows.iter().for_each(|row| (row.lane, row.first, row.len).hash(&mut all));
        self.links.all().hash(&mut all);
        let lineage = &self.lineage;
        (&lineage.trees, &lineage.tree, &lineage.holder, &lineage.memory).hash(&mut all);
        (self.links.orphan_work, self.links.idle_calls).hash(&mut all);
        self.flows.iter().for_each(|flow| (flow.from, flow.to, flow.kind).hash(&mut all));
        self.flows_in.hash(&mut all);
        for counter in &self.counters {
            (text(counter.name), text(counter.series), &counter.ts).hash(&mut all);
            counter.value.iter().for_each(|value| all.write_u64(value.to_bits()));
        }
        self.instants.iter().for_each(|i| (i.ts, i.lane, text(i.name), i.origin).hash(&mut all));
        for memory in &self.memory {
            let numbers = (memory.bytes, memory.address, memory.allocated.get(), memory.reserved.get());
            let peaks = (memory.kind, memory.peak_allocated, memory.peak_reserved);
            (memory.ts, memory.lane, peaks, numbers, text(memory.place), memory.origin).hash(&mut all);
        }
        self.graph_names.hash(&mut all);
        let spans = [self.span, self.main_span];
        format!(
            "{:?}",
            (&self.steps, &self.outside, &self.cycles, &self.devices, spans, &self.quality, &self.meta)
        )
        .hash(&mut all);
        all.finish()
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
