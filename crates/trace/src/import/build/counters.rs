//! Counters: series of samples, and curves of memory drawn from allocations.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::model::counter::CounterUnit;
use crate::model::{Counter, GroupKind, LaneKind};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;

use super::builder::TraceBuilder;
use super::input::{Allocation, LaneKey};

/// Makes all counters from the builder's samples and allocations, each with the number of its lane. Takes the
/// samples out of the builder, and sorts the allocations by time.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn counters(builder: &mut TraceBuilder) -> Result<Vec<(u32, Counter)>, NoMemory> {
    let mut samples = std::mem::take(&mut builder.samples);
    heap::try_sort_by_key(&mut samples, |sample| (sample.lane, sample.ts))?;
    let mut out: Vec<(u32, Counter)> = Vec::new();
    for series in samples.chunk_by(|a, b| a.lane == b.lane) {
        let first = series[0];
        let mut counter = Counter::new(first.name, first.series, CounterUnit::Number);
        counter.ts = heap::try_collect(series.iter().map(|sample| sample.ts))?;
        counter.value = heap::try_collect(series.iter().map(|sample| sample.value))?;
        heap::try_push(&mut out, (first.lane, counter))?;
    }
    out.extend(builder.memory_curves()?);
    Ok(out)
}

impl TraceBuilder {
    /// Makes curves of allocated and reserved bytes from the allocations, each with the number of its lane,
    /// without curves that are 0 throughout. Sorts the allocations by time.
    fn memory_curves(&mut self) -> Result<Vec<(u32, Counter)>, NoMemory> {
        heap::try_sort_by_key(&mut self.allocations, |allocation| allocation.ts)?;
        // The curves of a device or process, and a place: of allocated and of reserved bytes.
        let mut curves: FxHashMap<(u16, StrId, GroupKind, StrId), [usize; 2]> = FxHashMap::default();
        let mut out: Vec<(u32, Counter)> = Vec::new();
        let mut sums: Vec<i64> = Vec::new();
        let allocations = std::mem::take(&mut self.allocations);
        let of = |allocation: &Allocation| (allocation.lane, allocation.device, allocation.place);
        for alike in allocations.chunk_by(|one, other| of(one) == of(other)) {
            let (lane, device, place) = of(&alike[0]);
            let LaneKey { file, pid, .. } = self.lanes[lane as usize].key;
            let (pid, group) = device.map_or((pid, GroupKind::Process), |device| (device, GroupKind::Device));
            let [allocated, reserved] = match curves.entry((file, pid, group, place)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let lane = LaneKey { file, pid, tid: StrId::EMPTY, group, kind: LaneKind::Counter };
                    for series in ["allocated", "reserved"] {
                        out.push(self.new_curve(lane, place, series)?);
                        sums.push(0);
                    }
                    *new.insert([out.len() - 2, out.len() - 1])
                }
            };
            for allocation in alike {
                // Old traces give no totals: the sum since recording began stands in for them.
                let total = allocation.allocated.get().unwrap_or_else(|| {
                    sums[allocated] = sums[allocated].saturating_add(allocation.bytes);
                    sums[allocated]
                });
                let totals = [(allocated, Some(total)), (reserved, allocation.reserved.get())];
                for (at, value) in totals.into_iter().filter_map(|(at, value)| Some((at, value?))) {
                    heap::try_push(&mut out[at].1.ts, allocation.ts)?;
                    heap::try_push(&mut out[at].1.value, value as f64)?;
                }
            }
        }
        self.allocations = allocations;
        // A curve that is always zero is not shown.
        out.retain(|(_, curve)| curve.value.iter().any(|&value| value != 0.0));
        Ok(out)
    }

    /// Adds a lane for a memory curve of `place`; returns the lane's number and the empty curve. `series` is
    /// `allocated` or `reserved`.
    fn new_curve(&mut self, key: LaneKey, place: StrId, series: &str) -> Result<(u32, Counter), NoMemory> {
        let title = if series == "allocated" { "memory" } else { series };
        let title = format!("{title} · {}", self.strings.text(place));
        let tid = self.strings.intern(title.as_bytes());
        let name = self.strings.intern(b"memory");
        let series = self.strings.intern(series.as_bytes());
        let counter = Counter::new(name, series, CounterUnit::Bytes);
        Ok((self.lane_number(LaneKey { tid, ..key })?, counter))
    }
}
