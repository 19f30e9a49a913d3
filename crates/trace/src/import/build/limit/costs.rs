//! An estimate of the memory that loading takes at its peak, for all events absorbed so far, or for the
//! earliest of them.
//!
//! The estimate depends on which events there are, not on the order in which they came or on the threads that
//! read them. Must not know the limit.

use crate::model::Origin;
use proftui_base::heap::{self, NoMemory};
use proftui_base::ids::Column;
use proftui_base::intern::StrId;

use super::cut;
use crate::import::build::bound::Key;
use crate::import::build::builder::TraceBuilder;
use crate::import::build::input::FlowId;

/// Estimated bytes of each slice at the peak of loading.
const SLICE: u64 = 90;
/// Estimated bytes of each memory event at the peak of loading.
const ALLOCATION: u64 = 180;
/// Estimated bytes of each begin, end or asynchronous event at the peak of loading.
const BEGIN_END: u64 = 150;
/// Estimated bytes of each instant, counter sample or end of a flow at the peak of loading.
const POINT: u64 = 80;
/// Estimated bytes, at the peak of loading, of the record of a copy's or memset's size.
const COPIED: u64 = 50;
/// Estimated further bytes of a slice or memory event where its file states a tree of events.
const BRANCH: u64 = 60;
/// Estimated further bytes of a slice whose correlation number has more than 31 bits.
const WIDE_CORRELATION: u64 = 40;
/// Estimated bytes for each byte of a string at the peak of loading.
const NAME_BYTE: u64 = 4;
/// Bytes that each string takes beside its own bytes.
const STRING: u64 = 40;
/// Bytes that each lane takes without its events.
const LANE: u64 = 300;
/// Estimated bytes of the name and the sort order of a process or thread, without the strings.
const NAMING: u64 = 60;

/// A record of the trace builder that has a time, such as a slice or an instant: its cost, and the lane,
/// strings and id that it needs.
pub(crate) struct Record<'a> {
    pub key: Key,
    /// Estimated bytes that the record takes, without its lane and strings.
    cost: u64,
    pub origin: Option<Origin>,
    pub lane: Option<u32>,
    pub strings: &'a [StrId],
    pub id: Option<FlowId>,
}

impl TraceBuilder {
    /// Estimated bytes that loading takes at its peak for the events absorbed so far; never less than
    /// [`Costs::total`].
    pub(in crate::import) fn footprint(&self) -> u64 {
        let n = |len: usize| len as u64;
        let branch = if self.trees.is_empty() { 0 } else { BRANCH };
        let wide = if self.wide_correlations.is_empty() { 0 } else { WIDE_CORRELATION };
        let strings = n(self.strings.size() + self.ids.size()) * NAME_BYTE;
        self.slices * (SLICE + branch + wide)
            + n(self.allocations.len()) * (ALLOCATION + branch)
            + n(self.begin_ends.len() + self.async_points.len()) * BEGIN_END
            + n(self.instants.len() + self.samples.len() + self.flows.len()) * POINT
            + n(self.copied.len()) * COPIED
            + n(self.lanes.len()) * LANE
            + n(self.processes.len() + self.threads.len()) * NAMING
            + n(self.strings.len() + self.ids.len()) * STRING
            + strings
    }

    /// Calls `each` with every record that has a time, in no particular order.
    pub(crate) fn records(&self, mut each: impl FnMut(Record<'_>)) {
        let zero = self.zero();
        let record = |key, cost, origin, lane| Record {
            key,
            cost,
            origin: Some(origin),
            lane: Some(lane),
            strings: &[],
            id: None,
        };
        let has_tree: Vec<bool> = {
            let mut has_tree = vec![false; self.files.len()];
            self.trees.iter().for_each(|tree| has_tree[usize::from(tree.file)] = true);
            has_tree
        };
        let branch = |origin: Origin| if has_tree[origin.file()] { BRANCH } else { 0 };
        for (lane, of_lane) in (0..).zip(&self.lanes) {
            for slice in &of_lane.slices {
                let wide = if slice.is_wide() { WIDE_CORRELATION } else { 0 };
                let key = Key::new(slice.ts(zero), slice.origin);
                let of_slice = record(key, SLICE + wide + branch(slice.origin), slice.origin, lane);
                each(Record { strings: &[slice.name], ..of_slice });
            }
        }
        for p in &self.begin_ends {
            let point = record(Key::new(p.ts, p.origin), BEGIN_END, p.origin, p.lane);
            each(Record { strings: p.name.as_slice(), ..point });
        }
        for p in &self.async_points {
            let point = record(Key::new(p.ts, p.origin), BEGIN_END, p.origin, p.lane);
            let strings = &[p.category, p.key_name, p.scope, p.name];
            each(Record { strings, id: Some(p.id), ..point });
        }
        for i in &self.instants {
            let instant = record(Key::new(i.ts, i.origin), POINT, i.origin, i.lane);
            each(Record { strings: &[i.name], ..instant });
        }
        for s in &self.samples {
            let (strings, lane) = (&[s.name, s.series], Some(s.lane));
            each(Record { key: Key::behind(s.ts), cost: POINT, origin: None, lane, strings, id: None });
        }
        for a in &self.allocations {
            let cost = ALLOCATION + branch(a.origin);
            let allocation = record(Key::new(a.ts, a.origin), cost, a.origin, a.lane);
            each(Record { strings: &[a.place, a.device.unwrap_or_default()], ..allocation });
        }
        let open = if self.is_open { self.files.len() - 1 } else { usize::MAX };
        for f in &self.flows {
            let texts =
                [f.category, f.name].map(|text| if text == StrId::NONE { StrId::EMPTY } else { text });
            let strings = &[texts[0], texts[1], f.pid, f.tid];
            // These are dropped at the end of the file if it has correlation numbers.
            let cost = if f.role.is_launch() && f.origin.file() == open { 0 } else { POINT };
            let key = Key::new(f.ts, f.origin);
            each(Record { key, cost, origin: Some(f.origin), lane: None, strings, id: Some(f.id) });
        }
        for c in &self.copied {
            let (key, origin) = (Key::new(c.ts, c.origin), Some(c.origin));
            each(Record { key, cost: COPIED, origin, lane: None, strings: &[], id: None });
        }
    }

    /// Calls `each` with the ids and the names in the naming of processes and threads.
    pub(crate) fn naming_strings(&self, mut each: impl FnMut(StrId)) {
        for (&(_, pid), naming) in &self.processes {
            [pid, naming.name].into_iter().for_each(&mut each);
        }
        for (&(_, pid, tid, _), naming) in &self.threads {
            [pid, tid, naming.name].into_iter().for_each(&mut each);
        }
    }
}

/// The costs of the records of a builder; a string or a lane counts with the earliest of what needs it and
/// costs memory itself.
pub(crate) struct Costs<'a> {
    builder: &'a TraceBuilder,
    /// The position of the earliest record that costs memory and needs each string, [`Key::FIRST`] where the
    /// naming of a process or thread needs it, [`Key::LAST`] where nothing does.
    strings: Column<StrId, Key>,
    ids: Column<StrId, Key>,
    lanes: Vec<Key>,
}

impl<'a> Costs<'a> {
    pub(crate) fn of(builder: &'a TraceBuilder) -> Result<Self, NoMemory> {
        let mut strings: Column<StrId, Key> = heap::try_filled(Key::LAST, builder.strings.len())?.into();
        let mut ids: Column<StrId, Key> = heap::try_filled(Key::LAST, builder.ids.len())?.into();
        let mut lanes = heap::try_filled(Key::LAST, builder.lanes.len())?;
        let earlier = |known: &mut Key, key: Key| *known = key.min(*known);
        builder.naming_strings(|text| strings[text] = Key::FIRST);
        // What costs nothing may be there or not, by the threads that read it.
        builder.records(|record| {
            if record.cost == 0 {
                return;
            }
            record.strings.iter().for_each(|&text| earlier(&mut strings[text], record.key));
            if let Some(text) = record.id.and_then(FlowId::as_text) {
                earlier(&mut ids[text], record.key);
            }
            if let Some(lane) = record.lane {
                earlier(&mut lanes[lane as usize], record.key);
            }
        });
        for (lane, &first) in builder.lanes.iter().zip(&lanes) {
            for text in [lane.key.pid, lane.key.tid] {
                earlier(&mut strings[text], first);
            }
        }
        Ok(Self { builder, strings, ids, lanes })
    }

    /// Estimated bytes of all records, of the strings and lanes that they need, and of the naming of
    /// processes and threads.
    pub(crate) fn total(&self) -> u64 {
        let mut total = 0_u64;
        self.walk(&mut |_, cost| total = total.saturating_add(cost));
        total
    }

    /// The position of the first record that does not fit into `room` bytes after all earlier ones; `None`
    /// when all fit.
    pub(crate) fn first_beyond(&self, room: u64) -> Option<Key> {
        cut::first_beyond(room, |each| self.walk(each))
    }

    /// True when a record that costs memory comes before `key`.
    pub(crate) fn has_before(&self, key: Key) -> bool {
        let mut has = false;
        self.builder.records(|record| has |= record.cost > 0 && record.key < key);
        has
    }

    /// Calls `each` with a key and a cost in bytes for every record, every string and lane that is needed,
    /// and the naming of processes and threads.
    fn walk(&self, each: &mut dyn FnMut(Key, u64)) {
        let builder = self.builder;
        each(Key::FIRST, (builder.processes.len() + builder.threads.len()) as u64 * NAMING);
        builder.records(|record| each(record.key, record.cost));
        let tables = [(&builder.strings, &self.strings), (&builder.ids, &self.ids)];
        for (table, firsts) in tables {
            for (text, &first) in firsts.iter_with_ids().filter(|&(_, &first)| first != Key::LAST) {
                each(first, STRING + table.bytes(text).len() as u64 * NAME_BYTE);
            }
        }
        self.lanes.iter().filter(|&&first| first != Key::LAST).for_each(|&first| each(first, LANE));
    }
}
