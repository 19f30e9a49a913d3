//! Numbers strings and lanes anew, without those that no event needs any more.
//!
//! The new numbers depend on the events that are there, not on those that were dropped, nor on the order in
//! which they came: strings are numbered in the order of their bytes, lanes in that of their first events in
//! the files. Must not know why events were dropped.

use crate::model::Origin;
use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::Column;
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;

use super::builder::{LaneSlices, TraceBuilder};
use super::input::{FIRST_WIDE, FlowId, LaneKey};
use super::numbers::UNSET;

impl TraceBuilder {
    /// Removes the strings, ids and lanes that are no longer needed, and numbers the others anew.
    pub(super) fn renumber(&mut self) -> Result<(), NoMemory> {
        let lanes = self.renumber_lanes()?;
        let mut needs: Column<StrId, bool> = heap::try_filled(false, self.strings.len())?.into();
        let mut needs_id: Column<StrId, bool> = heap::try_filled(false, self.ids.len())?.into();
        self.naming_strings(|text| needs[text] = true);
        for LaneSlices { key, .. } in &self.lanes {
            (needs[key.pid], needs[key.tid]) = (true, true);
        }
        self.records(|record| {
            record.strings.iter().for_each(|&text| needs[text] = true);
            if let Some(text) = record.id.and_then(FlowId::as_text) {
                needs_id[text] = true;
            }
        });
        let (strings, numbers) = without(&self.strings, &needs)?;
        let (ids, id_numbers) = without(&self.ids, &needs_id)?;
        self.replace_strings(|text| if text == StrId::NONE { text } else { numbers[text] });
        for id in
            self.async_points.iter_mut().map(|p| &mut p.id).chain(self.flows.iter_mut().map(|f| &mut f.id))
        {
            *id = id.renumbered(|text| id_numbers[text]);
        }
        for maps in &mut self.maps {
            maps.strings.renumber(&numbers, &self.strings)?;
            maps.ids.renumber(&id_numbers, &self.ids)?;
            for lane in maps.lanes.iter_mut().filter(|lane| **lane != UNSET) {
                *lane = lanes[*lane as usize];
            }
            maps.has_absent = true;
        }
        (self.strings, self.ids) = (strings, ids);
        self.lane_ids = self.lanes.iter().map(|lane| lane.key).zip(0..).collect();
        Ok(())
    }

    /// Removes lanes without events and numbers the others anew, also in the records. Returns the new numbers
    /// by the old ones; [`UNSET`] for removed lanes.
    fn renumber_lanes(&mut self) -> Result<Vec<u32>, NoMemory> {
        let mut firsts: Vec<Option<Origin>> = heap::try_filled(None, self.lanes.len())?;
        self.records(|record| {
            if let Some(lane) = record.lane {
                let first = &mut firsts[lane as usize];
                let origin = record.origin.unwrap_or(Origin::NONE);
                *first = Some(first.map_or(origin, |first| first.min(origin)));
            }
        });
        let of = |lane: &u32| {
            let LaneKey { file, pid, tid, group, kind } = self.lanes[*lane as usize].key;
            let texts = (self.strings.bytes(pid), self.strings.bytes(tid));
            (file, firsts[*lane as usize], texts, group, kind)
        };
        let has_event = |&lane: &u32| firsts[lane as usize].is_some();
        let mut order = heap::try_collect((0..saturate::<u32>(self.lanes.len())).filter(has_event))?;
        order.sort_unstable_by(|a, b| of(a).cmp(&of(b)));
        let mut numbers = heap::try_filled(UNSET, self.lanes.len())?;
        (0..).zip(&order).for_each(|(new, &old)| numbers[old as usize] = new);
        let mut old = heap::try_collect(std::mem::take(&mut self.lanes).into_iter().map(Some))?;
        self.lanes = heap::try_collect(order.iter().filter_map(|&lane| old[lane as usize].take()))?;
        self.begin_ends.iter_mut().for_each(|p| p.lane = numbers[p.lane as usize]);
        self.async_points.iter_mut().for_each(|p| p.lane = numbers[p.lane as usize]);
        self.instants.iter_mut().for_each(|i| i.lane = numbers[i.lane as usize]);
        self.samples.iter_mut().for_each(|s| s.lane = numbers[s.lane as usize]);
        self.allocations.iter_mut().for_each(|a| a.lane = numbers[a.lane as usize]);
        Ok(numbers)
    }

    /// Replaces the number of each string in the builder's lanes, records and naming by what `new` gives for
    /// it.
    fn replace_strings(&mut self, new: impl Fn(StrId) -> StrId) {
        let replace = |text: &mut StrId| *text = new(*text);
        for lane in &mut self.lanes {
            [&mut lane.key.pid, &mut lane.key.tid].into_iter().for_each(replace);
            lane.slices.iter_mut().for_each(|slice| replace(&mut slice.name));
        }
        self.begin_ends.iter_mut().filter_map(|p| p.name.as_mut()).for_each(replace);
        for p in &mut self.async_points {
            [&mut p.category, &mut p.key_name, &mut p.scope, &mut p.name].into_iter().for_each(replace);
        }
        self.instants.iter_mut().for_each(|i| replace(&mut i.name));
        self.samples.iter_mut().for_each(|s| [&mut s.name, &mut s.series].into_iter().for_each(replace));
        for a in &mut self.allocations {
            replace(&mut a.place);
            a.device.iter_mut().for_each(replace);
        }
        for f in &mut self.flows {
            [&mut f.category, &mut f.name, &mut f.pid, &mut f.tid].into_iter().for_each(replace);
        }
        let processes = std::mem::take(&mut self.processes).into_iter();
        self.processes = processes
            .map(|((file, pid), mut naming)| {
                replace(&mut naming.name);
                ((file, new(pid)), naming)
            })
            .collect();
        let threads = std::mem::take(&mut self.threads).into_iter();
        self.threads = threads
            .map(|((file, pid, tid, layer), mut naming)| {
                replace(&mut naming.name);
                ((file, new(pid), new(tid), layer), naming)
            })
            .collect();
    }

    /// Numbers the correlation numbers of more than 31 bits anew, without those that no slice has. To be
    /// called when no batch of the open file follows.
    pub(super) fn renumber_correlations(&mut self) -> Result<(), NoMemory> {
        if self.wide_correlations.is_empty() {
            return Ok(());
        }
        let at = |correlation: u32| (correlation - saturate::<u32>(FIRST_WIDE)) as usize;
        let mut needs = heap::try_filled(false, self.wide_correlations.len())?;
        let slices = self.lanes.iter().flat_map(|lane| &lane.slices).filter(|slice| slice.is_wide());
        slices.for_each(|slice| needs[at(slice.correlation)] = true);
        self.wide_correlations.retain(|_, own| needs[at(*own)]);
        let mut known: Vec<(u64, u32)> = heap::try_collect(self.wide_correlations.drain())?;
        known.sort_unstable();
        let mut numbers = heap::try_filled(0, needs.len())?;
        for ((number, old), new) in known.into_iter().zip(saturate::<u32>(FIRST_WIDE)..) {
            numbers[at(old)] = new;
            self.wide_correlations.insert(number, new);
        }
        let slices = self.lanes.iter_mut().flat_map(|lane| &mut lane.slices).filter(|slice| slice.is_wide());
        slices.for_each(|slice| slice.correlation = numbers[at(slice.correlation)]);
        Ok(())
    }
}

/// A new table with the strings of `table` that `needs` marks and the empty string; and the new number of
/// each string by its old one, [`StrId::NONE`] where left out.
fn without(
    table: &Interner,
    needs: &Column<StrId, bool>,
) -> Result<(Interner, Column<StrId, StrId>), NoMemory> {
    let is_kept = |&text: &StrId| text == StrId::EMPTY || needs[text];
    let mut kept = heap::try_collect(table.ids().iter().filter(is_kept))?;
    kept.sort_unstable_by_key(|&text| table.bytes(text));
    let mut numbers: Column<StrId, StrId> = heap::try_filled(StrId::NONE, table.len())?.into();
    let mut new = Interner::default();
    for text in kept {
        numbers[text] = new.try_intern(table.bytes(text))?;
    }
    Ok((new, numbers))
}
