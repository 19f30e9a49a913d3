//! Adds batches to the trace: replaces name and lane numbers of the event builder by those of the trace
//! builder.
//!
//! Batches come in the file's order, so strings and lanes are numbered by first occurrence, independent of
//! the threads. Must not know what the inputs mean.

use crate::model::Warning;
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::batch::Batch;
use super::bound::Key;
use super::builder::TraceBuilder;
use super::input::{
    Allocation, AsyncPoint, BeginEnd, CounterSample, FIRST_WIDE, Flow, Instant, LaneKey, MetaValue, Slice,
    ThreadMeta,
};
use super::numbers::{NumberMaps, UNSET};

/// Estimate of the bytes that a named process or thread takes, with its name.
const NAMED: u64 = 400;

impl TraceBuilder {
    /// Whether the batch can be absorbed now, that is, needs no batch that is not absorbed yet.
    pub(in crate::import) fn follows(&self, batch: &Batch) -> bool {
        batch.is_first || self.maps.get(batch.builder).is_some_and(|maps| maps.next_batch == batch.number)
    }

    /// Adds a batch of the open file; [`TraceBuilder::follows`] must be true of it. Drops the latest events
    /// of all files if memory is then short.
    ///
    /// # Errors
    /// When there is not enough memory; some or all of the batch may be there then.
    pub(in crate::import) fn absorb(&mut self, batch: Batch) -> Result<(), NoMemory> {
        if batch.is_incomplete {
            return Err(NoMemory);
        }
        if batch.builder >= self.maps.len() {
            self.maps.resize_with(batch.builder + 1, NumberMaps::default);
        }
        let mut maps = std::mem::take(&mut self.maps[batch.builder]);
        self.extend_maps(&mut maps, &batch)?;
        if self.bound.until.is_none() && !maps.has_absent {
            self.absorb_slices(&maps, &batch)?;
        } else {
            self.absorb_early_slices(&mut maps, &batch)?;
        }
        self.absorb_points(&mut maps, &batch)?;
        for meta in &batch.thread_metas {
            self.name(&mut maps, meta)?;
        }
        self.maps[batch.builder] = maps;
        self.add_counts(batch);
        self.shed()
    }

    /// Extends `maps`, of the batch's event builder, by the batch's new strings, ids, lanes and wide
    /// correlation numbers. A first batch empties `maps` before.
    fn extend_maps(&mut self, maps: &mut NumberMaps, batch: &Batch) -> Result<(), NoMemory> {
        if batch.is_first {
            *maps = NumberMaps::default();
        }
        maps.next_batch = batch.number + 1;
        heap::try_grow(&mut maps.keys, batch.lanes.len())?;
        heap::try_grow(&mut maps.lanes, batch.lanes.len())?;
        if self.is_renumbered() {
            maps.has_absent = true;
            batch.strings.iter().try_for_each(|text| maps.strings.push_absent(text))?;
            batch.ids.iter().try_for_each(|text| maps.ids.push_absent(text))?;
            maps.keys.extend(&batch.lanes);
            maps.lanes.resize(maps.keys.len(), UNSET);
        } else {
            batch.strings.iter().try_for_each(|text| maps.strings.push(text, &mut self.strings))?;
            batch.ids.iter().try_for_each(|text| maps.ids.push(text, &mut self.ids))?;
            for &key in &batch.lanes {
                maps.keys.push(key);
                maps.lanes.push(UNSET);
                self.lane_of(maps, saturate::<u32>(maps.lanes.len()) - 1)?;
            }
        }
        heap::try_grow(&mut maps.wide_correlations, batch.wide_correlations.len())?;
        heap::fallible(|| self.wide_correlations.try_reserve(batch.wide_correlations.len()))?;
        for &number in &batch.wide_correlations {
            let next = saturate::<u32>(FIRST_WIDE) + saturate::<u32>(self.wide_correlations.len());
            maps.wide_correlations.push(*self.wide_correlations.entry(number).or_insert(next));
        }
        Ok(())
    }

    /// The trace builder's number of the lane that has the number `own` in the event builder; adds the lane
    /// if it is new.
    ///
    /// # Errors
    /// When memory runs out.
    fn lane_of(&mut self, maps: &mut NumberMaps, own: u32) -> Result<u32, NoMemory> {
        let known = maps.lanes[own as usize];
        if known != UNSET {
            return Ok(known);
        }
        let key = maps.keys[own as usize];
        let pid = maps.strings.number(key.pid, &mut self.strings)?;
        let tid = maps.strings.number(key.tid, &mut self.strings)?;
        let lane = self.lane_number(LaneKey { pid, tid, ..key })?;
        maps.lanes[own as usize] = lane;
        Ok(lane)
    }

    fn absorb_slices(&mut self, maps: &NumberMaps, batch: &Batch) -> Result<(), NoMemory> {
        let mut from = 0;
        for of_lane in &batch.lane_slices {
            let slices = &batch.slices[from..of_lane.end];
            from = of_lane.end;
            let lane = &mut self.lanes[maps.lanes[of_lane.lane as usize] as usize];
            if let (Some(last), Some(first)) = (lane.slices.last(), slices.first()) {
                lane.is_sorted &= last.order() <= first.order();
            }
            lane.has_steps |= of_lane.has_steps;
            heap::try_grow(&mut lane.slices, slices.len())?;
            lane.slices.extend(slices.iter().map(|slice| Slice {
                name: maps.strings.known(slice.name),
                correlation: maps.correlation(slice.correlation),
                ..*slice
            }));
        }
        self.slices += batch.slices.len() as u64;
        Ok(())
    }

    /// Adds the slices that come before `bound.until`, if that is set, and counts the others as left out.
    fn absorb_early_slices(&mut self, maps: &mut NumberMaps, batch: &Batch) -> Result<(), NoMemory> {
        let (until, zero) = (self.bound.until.unwrap_or(Key::LAST), self.zero());
        let mut from = 0;
        for of_lane in &batch.lane_slices {
            for slice in &batch.slices[from..of_lane.end] {
                if Key::new(slice.ts(zero), slice.origin) >= until {
                    self.bound.outside += 1;
                    continue;
                }
                let name = maps.strings.number(slice.name, &mut self.strings)?;
                let correlation = maps.correlation(slice.correlation);
                let lane = self.lane_of(maps, of_lane.lane)?;
                self.put(lane, Slice { name, correlation, ..*slice })?;
            }
            from = of_lane.end;
        }
        Ok(())
    }

    /// Adds the batch's records other than slices and metadata, as far as they come before `bound.until`, if
    /// that is set. Counts those of the others as left out that are events by themselves.
    fn absorb_points(&mut self, maps: &mut NumberMaps, batch: &Batch) -> Result<(), NoMemory> {
        let until = self.bound.until.unwrap_or(Key::LAST);
        let mut outside = 0;
        macro_rules! early {
            ($field:ident) => {{
                heap::try_grow(&mut self.$field, batch.$field.len())?;
                batch.$field.iter().filter(|record| {
                    let is_early = record.key() < until;
                    outside += u64::from(!is_early && record.is_event());
                    is_early
                })
            }};
        }
        let early_copied = early!(copied);
        self.copied.extend(early_copied);
        for point in early!(begin_ends) {
            let lane = self.lane_of(maps, point.lane)?;
            let name = point.name.map(|name| maps.strings.number(name, &mut self.strings)).transpose()?;
            self.begin_ends.push(BeginEnd { lane, name, ..*point });
        }
        for point in early!(async_points) {
            let lane = self.lane_of(maps, point.lane)?;
            let mut text = |own| maps.strings.number(own, &mut self.strings);
            let (category, key_name) = (text(point.category)?, text(point.key_name)?);
            let (scope, name) = (text(point.scope)?, text(point.name)?);
            let id = point.id.try_renumbered(|own| maps.ids.number(own, &mut self.ids))?;
            self.async_points.push(AsyncPoint { category, key_name, id, scope, lane, name, ..*point });
        }
        for instant in early!(instants) {
            let lane = self.lane_of(maps, instant.lane)?;
            let name = maps.strings.number(instant.name, &mut self.strings)?;
            self.instants.push(Instant { lane, name, ..*instant });
        }
        for sample in early!(samples) {
            let lane = self.lane_of(maps, sample.lane)?;
            let name = maps.strings.number(sample.name, &mut self.strings)?;
            let series = maps.strings.number(sample.series, &mut self.strings)?;
            self.samples.push(CounterSample { lane, name, series, ..*sample });
        }
        for allocation in early!(allocations) {
            let lane = self.lane_of(maps, allocation.lane)?;
            let mut text = |own| maps.strings.number(own, &mut self.strings);
            let (place, device) = (text(allocation.place)?, allocation.device.map(text).transpose()?);
            self.allocations.push(Allocation { lane, place, device, ..*allocation });
        }
        for flow in early!(flows) {
            let mut text = |own| maps.strings.number(own, &mut self.strings);
            let (pid, tid) = (text(flow.pid)?, text(flow.tid)?);
            let mut key_text = |own| if own == StrId::NONE { Ok(own) } else { text(own) };
            let (category, name) = (key_text(flow.category)?, key_text(flow.name)?);
            let id = flow.id.try_renumbered(|own| maps.ids.number(own, &mut self.ids))?;
            self.flows.push(Flow { id, category, name, pid, tid, ..*flow });
        }
        self.bound.outside += outside;
        Ok(())
    }

    fn name(&mut self, maps: &mut NumberMaps, meta: &ThreadMeta) -> Result<(), NoMemory> {
        let file = saturate::<u16>(self.files.len() - 1);
        let room = self.bound.for_events().map_or(u64::MAX, |events| events / 4);
        if (self.processes.len() + self.threads.len()) as u64 * NAMED > room {
            self.quality.note(Warning::Limit, None, || {
                "names of processes and threads beyond their share of the memory limit are left out".into()
            });
            return Ok(());
        }
        heap::fallible(|| self.processes.try_reserve(1).and_then(|()| self.threads.try_reserve(1)))?;
        let mut text = |own| maps.strings.number(own, &mut self.strings);
        let pid = text(meta.pid)?;
        let naming = match meta.thread {
            None => self.processes.entry((file, pid)).or_default(),
            Some((tid, layer)) => self.threads.entry((file, pid, text(tid)?, layer)).or_default(),
        };
        match meta.value {
            MetaValue::Name(name) => naming.name = text(name)?,
            MetaValue::SortIndex(sort) => naming.sort = sort,
        }
        Ok(())
    }

    /// Adds the batch's counts, extents and notes to those of the file and the trace, and keeps the emptied
    /// batch to be filled again.
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
        self.bound.outside += batch.outside;
        self.quality.merge(std::mem::take(&mut batch.quality));
        self.spares.put(batch);
    }
}

/// The extent from the earlier start to the later end of two extents; where one is `None`, the other one.
fn joined(one: Option<(Ns, Ns)>, other: Option<(Ns, Ns)>) -> Option<(Ns, Ns)> {
    match (one, other) {
        (Some((from, to)), Some((other_from, other_to))) => Some((from.min(other_from), to.max(other_to))),
        (one, other) => one.or(other),
    }
}
