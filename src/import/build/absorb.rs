//! Bringing batches together: each clerk's numbers become the stage's.
//!
//! Batches come in the file's order, so strings and tracks are numbered by first sight whoever read them. Must not know
//! what the records mean.

use crate::base::intern::StrId;

use super::batch::{Batch, FlowPoint, NameTag, Sample, StagedInstant, TagValue, Track};
use super::memory::StagedMemory;
use super::pair::{AsyncPoint, BeginEnd};
use super::resolve::WIDE;
use super::stage::Stage;

/// The stage's numbers by one clerk's numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Maps {
    strings: Vec<StrId>,
    ids: Vec<u32>,
    tracks: Vec<u32>,
    wide: Vec<u32>,
    /// How many batches made them.
    batches: u64,
}

impl Maps {
    fn text(&self, id: StrId) -> StrId {
        self.strings[id as usize]
    }

    fn track(&self, track: Track) -> Track {
        Track { pid: self.text(track.pid), tid: self.text(track.tid), ..track }
    }

    fn tie(&self, tie: u32) -> u32 {
        if u64::from(tie) < WIDE { tie } else { self.wide[(tie - WIDE as u32) as usize] }
    }
}

impl Stage {
    /// Whether the batch follows on what is known of its clerk's tables: not when a batch between was left out.
    pub(in crate::import) fn follows(&self, batch: &Batch) -> bool {
        batch.is_first || self.maps.get(batch.clerk).is_some_and(|maps| maps.batches == batch.number)
    }

    /// Adds a batch of the open file, which [`Stage::follows`].
    pub(in crate::import) fn absorb(&mut self, batch: Batch) {
        if batch.clerk >= self.maps.len() {
            self.maps.resize_with(batch.clerk + 1, Maps::default);
        }
        let mut maps = std::mem::take(&mut self.maps[batch.clerk]);
        self.learn(&mut maps, &batch);
        self.gather_slices(&maps, &batch);
        self.begin_ends.extend(batch.begin_ends.iter().map(|point| BeginEnd {
            track: maps.tracks[point.track as usize],
            name: point.name.map(|name| maps.text(name)),
            ..*point
        }));
        self.async_points.extend(batch.async_points.iter().map(|point| AsyncPoint {
            cat: maps.text(point.cat),
            key_name: maps.text(point.key_name),
            id: point.id.renumbered(&maps.ids),
            scope: maps.text(point.scope),
            track: maps.tracks[point.track as usize],
            name: maps.text(point.name),
            ..*point
        }));
        self.instants.extend(batch.instants.iter().map(|instant| StagedInstant {
            track: maps.tracks[instant.track as usize],
            name: maps.text(instant.name),
            ..*instant
        }));
        self.samples.extend(batch.samples.iter().map(|sample| Sample {
            track: maps.tracks[sample.track as usize],
            name: maps.text(sample.name),
            series: maps.text(sample.series),
            ..*sample
        }));
        self.memory.extend(batch.memory.iter().map(|memory| StagedMemory {
            track: maps.tracks[memory.track as usize],
            place: maps.text(memory.place),
            device: memory.device.map(|device| maps.text(device)),
            ..*memory
        }));
        let own = |id: StrId| if id == StrId::MAX { id } else { maps.text(id) };
        self.flows.extend(batch.flows.iter().map(|point| FlowPoint {
            id: point.id.renumbered(&maps.ids),
            cat: own(point.cat),
            name: own(point.name),
            pid: maps.text(point.pid),
            tid: maps.text(point.tid),
            ..*point
        }));
        for tag in &batch.tags {
            self.tag(&maps, tag);
        }
        self.maps[batch.clerk] = maps;
        self.note(batch);
    }

    /// Takes in what the clerk's tables gained.
    fn learn(&mut self, maps: &mut Maps, batch: &Batch) {
        if batch.is_first {
            *maps = Maps::default();
        }
        maps.batches = batch.number + 1;
        maps.strings.extend(batch.strings.iter().map(|text| self.strings.intern(text)));
        maps.ids.extend(batch.ids.iter().map(|text| self.ids.intern(text)));
        for &track in &batch.tracks {
            maps.tracks.push(self.track_number(maps.track(track)));
        }
        for &wide in &batch.wide {
            let next = WIDE as u32 + self.wide.len() as u32;
            maps.wide.push(*self.wide.entry(wide).or_insert(next));
        }
    }

    fn gather_slices(&mut self, maps: &Maps, batch: &Batch) {
        let mut from = 0;
        for run in &batch.runs {
            let slices = &batch.slices[from..run.end];
            from = run.end;
            let pile = &mut self.tracks[maps.tracks[run.track as usize] as usize];
            if let (Some(last), Some(first)) = (pile.slices.last(), slices.first()) {
                pile.is_sorted &= last.order() <= first.order();
            }
            pile.has_steps |= run.has_steps;
            pile.slices.extend(slices.iter().map(|slice| super::batch::Staged {
                name: maps.text(slice.name),
                tie: maps.tie(slice.tie),
                ..*slice
            }));
        }
    }

    fn tag(&mut self, maps: &Maps, tag: &NameTag) {
        let file = (self.files.len() - 1) as u16;
        let pid = maps.text(tag.pid);
        let naming = match tag.thread {
            None => self.processes.entry((file, pid)).or_default(),
            Some((tid, layer)) => self.threads.entry((file, pid, maps.text(tid), layer)).or_default(),
        };
        match tag.what {
            TagValue::Name(name) => naming.name = maps.text(name),
            TagValue::Sort(sort) => naming.sort = sort,
        }
    }

    /// Adds the batch's counts to those of the open file.
    fn note(&mut self, mut batch: Batch) {
        for (all, more) in self.phases.0.iter_mut().zip(&batch.phases.0) {
            *all += more;
        }
        if let Some(file) = self.files.last_mut() {
            file.is_fine |= batch.is_fine;
            file.has_correlations |= batch.has_correlations;
            file.reach = match (file.reach, batch.reach) {
                (Some((from, to)), Some((other_from, other_to))) => {
                    Some((from.min(other_from), to.max(other_to)))
                }
                (one, other) => one.or(other),
            };
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
