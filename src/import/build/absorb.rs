//! Adds batches to the trace: replaces name and lane numbers of the event builder by those of the trace builder.
//!
//! Batches come in the file's order, so strings and lanes are numbered by first occurrence, independent of the threads. Must
//! not know what the inputs mean.

use crate::base::intern::StrId;
use crate::base::time::Ns;

use super::batch::Batch;
use super::builder::TraceBuilder;
use super::input::{
    Allocation, AsyncPoint, BeginEnd, CounterSample, FIRST_WIDE, Flow, Instant, MetaValue, Slice, ThreadMeta,
};
use super::numbers::NumberMaps;

impl TraceBuilder {
    /// Whether the batch can be absorbed: not when an earlier batch that it builds on was discarded.
    pub(in crate::import) fn follows(&self, batch: &Batch) -> bool {
        batch.is_first || self.maps.get(batch.builder).is_some_and(|maps| maps.next_batch == batch.number)
    }

    /// Adds a batch of the open file; [`TraceBuilder::follows`] must be true of it.
    pub(in crate::import) fn absorb(&mut self, batch: Batch) {
        if batch.builder >= self.maps.len() {
            self.maps.resize_with(batch.builder + 1, NumberMaps::default);
        }
        let mut maps = std::mem::take(&mut self.maps[batch.builder]);
        self.extend_maps(&mut maps, &batch);
        self.absorb_slices(&maps, &batch);
        self.copied.extend(&batch.copied);
        self.begin_ends.extend(batch.begin_ends.iter().map(|point| BeginEnd {
            lane: maps.lane(point.lane),
            name: point.name.map(|name| maps.text(name)),
            ..*point
        }));
        self.async_points.extend(batch.async_points.iter().map(|point| AsyncPoint {
            category: maps.text(point.category),
            key_name: maps.text(point.key_name),
            id: point.id.renumbered(&maps.ids),
            scope: maps.text(point.scope),
            lane: maps.lane(point.lane),
            name: maps.text(point.name),
            ..*point
        }));
        self.instants.extend(batch.instants.iter().map(|instant| Instant {
            lane: maps.lane(instant.lane),
            name: maps.text(instant.name),
            ..*instant
        }));
        self.samples.extend(batch.samples.iter().map(|sample| CounterSample {
            lane: maps.lane(sample.lane),
            name: maps.text(sample.name),
            series: maps.text(sample.series),
            ..*sample
        }));
        self.allocations.extend(batch.allocations.iter().map(|allocation| Allocation {
            lane: maps.lane(allocation.lane),
            place: maps.text(allocation.place),
            device: allocation.device.map(|device| maps.text(device)),
            ..*allocation
        }));
        let key_text = |id: StrId| if id == StrId::MAX { id } else { maps.text(id) };
        self.flows.extend(batch.flows.iter().map(|flow| Flow {
            id: flow.id.renumbered(&maps.ids),
            category: key_text(flow.category),
            name: key_text(flow.name),
            pid: maps.text(flow.pid),
            tid: maps.text(flow.tid),
            ..*flow
        }));
        for meta in &batch.thread_metas {
            self.name(&maps, meta);
        }
        self.maps[batch.builder] = maps;
        self.add_counts(batch);
    }

    /// Numbers the batch's new table entries (strings, ids, lanes, wide correlation numbers) in the trace builder, and
    /// extends `maps` by those numbers.
    fn extend_maps(&mut self, maps: &mut NumberMaps, batch: &Batch) {
        if batch.is_first {
            *maps = NumberMaps::default();
        }
        maps.next_batch = batch.number + 1;
        maps.strings.extend(batch.strings.iter().map(|text| self.strings.intern(text)));
        maps.ids.extend(batch.ids.iter().map(|text| self.ids.intern(text)));
        for &key in &batch.lanes {
            maps.lanes.push(self.lane_number(maps.key(key)));
        }
        for &number in &batch.wide_correlations {
            let next = FIRST_WIDE as u32 + self.wide_correlations.len() as u32;
            maps.wide_correlations.push(*self.wide_correlations.entry(number).or_insert(next));
        }
    }

    fn absorb_slices(&mut self, maps: &NumberMaps, batch: &Batch) {
        let mut from = 0;
        for of_lane in &batch.lane_slices {
            let slices = &batch.slices[from..of_lane.end];
            from = of_lane.end;
            let lane = &mut self.lanes[maps.lane(of_lane.lane) as usize];
            if let (Some(last), Some(first)) = (lane.slices.last(), slices.first()) {
                lane.is_sorted &= last.order() <= first.order();
            }
            lane.has_steps |= of_lane.has_steps;
            lane.slices.extend(slices.iter().map(|slice| Slice {
                name: maps.text(slice.name),
                correlation: maps.correlation(slice.correlation),
                ..*slice
            }));
        }
    }

    fn name(&mut self, maps: &NumberMaps, meta: &ThreadMeta) {
        let file = (self.files.len() - 1) as u16;
        let pid = maps.text(meta.pid);
        let naming = match meta.thread {
            None => self.processes.entry((file, pid)).or_default(),
            Some((tid, layer)) => self.threads.entry((file, pid, maps.text(tid), layer)).or_default(),
        };
        match meta.value {
            MetaValue::Name(name) => naming.name = maps.text(name),
            MetaValue::SortIndex(sort) => naming.sort = sort,
        }
    }

    /// Adds the batch's counts, extent, clock bounds and quality notes to those of the open file and the trace, and
    /// keeps its memory for another batch. Drops the latest events if memory runs short.
    fn add_counts(&mut self, mut batch: Batch) {
        for (all, more) in self.event_types.0.iter_mut().zip(&batch.event_types.0) {
            *all += more;
        }
        if let Some(file) = self.files.last_mut() {
            file.is_fine |= batch.is_fine;
            file.has_correlations |= batch.has_correlations;
            file.extent = joined(file.extent, batch.extent);
            file.length = joined(file.length, batch.length);
        }
        self.clock = match (self.clock, batch.clock) {
            (Some(known), Some(more)) => Some(known.with(more)),
            (one, other) => one.or(other),
        };
        self.slices += batch.slices.len() as u64;
        self.bound.outside += batch.outside;
        self.quality.merge(std::mem::take(&mut batch.quality));
        self.spares.put(batch);
        self.shed();
    }
}

/// The extent from the earlier start to the later end of two extents.
fn joined(one: Option<(Ns, Ns)>, other: Option<(Ns, Ns)>) -> Option<(Ns, Ns)> {
    match (one, other) {
        (Some((from, to)), Some((other_from, other_to))) => Some((from.min(other_from), to.max(other_to))),
        (one, other) => one.or(other),
    }
}
