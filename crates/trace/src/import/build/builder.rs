//! The trace while it is built: its tables, and the files that are begun or abandoned. `absorb` adds batches,
//! `end_file` closes a file.
//!
//! One set of tables for all files. Must not know how events are read, nor order or nesting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::import::header::Header;
use crate::model::lineage::{Branch, Tree};
use crate::model::{LaneKind, Origin, Quality, Stacks};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use super::batch::{EventTypeCounts, Spares};
use super::bound::{Bound, Shed};
use super::clock::ClockBounds;
use super::input::{
    Allocation, AsyncPoint, BeginEnd, CopiedBytes, CounterSample, Flow, Instant, LaneKey, Slice,
};
use super::numbers::NumberMaps;

/// The slices of one lane of a file.
#[derive(Clone, Debug)]
pub(super) struct LaneSlices {
    pub key: LaneKey,
    pub slices: Vec<Slice>,
    /// True while `slices` is known to be in the order of [`Slice::order`].
    pub is_sorted: bool,
    /// True when some of the lane's slices may be steps.
    pub has_steps: bool,
}

/// The name and sort order that metadata gives a process, device, thread or stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Naming {
    /// The name; [`StrId::EMPTY`] when there is none.
    pub name: StrId,
    pub sort: Option<i64>,
}

/// One file, loaded or being read: its path, header, extent and event counts.
#[derive(Clone, Debug)]
pub(super) struct FileRecord {
    pub path: PathBuf,
    pub header: Header,
    /// True when the file states times finer than a microsecond.
    pub is_fine: bool,
    /// First and last time of the file's events, loaded or not, ns; `None` when no event has a time.
    pub extent: Option<(Ns, Ns)>,
    /// First start and last end, ns, of the file's events that have a valid length or bound a slice, loaded
    /// or not; `None` without any. The profiler's own span does not count.
    pub length: Option<(Ns, Ns)>,
    /// What [`EventBuilder::count`](super::EventBuilder::count) counts, by number.
    pub kind: fn(u8) -> String,
    /// How often each event type occurred in the file; empty until the file is closed.
    pub event_types: BTreeMap<String, u64>,
    /// True when device work of the file carries correlation numbers.
    pub has_correlations: bool,
}

/// The trace being built, from what was absorbed of all files so far.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct TraceBuilder {
    pub quality: Quality,
    pub(super) strings: Interner,
    pub(super) files: Vec<FileRecord>,
    pub(super) lanes: Vec<LaneSlices>,
    pub(super) lane_ids: FxHashMap<LaneKey, u32>,
    /// The bytes that copies moved and memsets wrote.
    pub(super) copied: Vec<CopiedBytes>,
    /// Events of the open file that begin or end a slice of a thread and are not paired yet.
    pub(super) begin_ends: Vec<BeginEnd>,
    pub(super) async_points: Vec<AsyncPoint>,
    /// The origins of end events with arguments, by the origins of their begin events.
    pub(super) ends: FxHashMap<Origin, Origin>,
    pub(super) instants: Vec<Instant>,
    pub(super) samples: Vec<CounterSample>,
    pub(super) allocations: Vec<Allocation>,
    /// The call stacks of allocations.
    pub(super) stacks: Stacks,
    pub(super) flows: Vec<Flow>,
    pub(super) ids: Interner,
    /// The names and sort orders that metadata events give processes and devices, by file and `pid`.
    pub(super) processes: FxHashMap<(u16, StrId), Naming>,
    /// The names and sort orders that metadata gives threads and streams, by file, process or device, thread
    /// or stream, and layer (`None` for all layers).
    pub(super) threads: FxHashMap<(u16, StrId, StrId, Option<LaneKind>), Naming>,
    /// Trees of events that files state themselves; `branches` lists the parents of the slices and memory
    /// events in them.
    pub(super) trees: Vec<Tree>,
    pub(super) branches: Vec<Branch>,
    /// The 32-bit number that stands for each correlation number beyond 31 bits.
    pub(super) wide_correlations: FxHashMap<u64, u32>,
    /// The maps from the numbers of each of the open file's event builders to the trace builder's numbers.
    pub(super) maps: Vec<NumberMaps>,
    /// How often each event type occurred in the open file.
    pub(super) event_types: EventTypeCounts,
    /// Bounds on the start of Paddle's trace in the open file; `None` while no event states its offset from
    /// that start.
    pub(super) clock: Option<ClockBounds>,
    pub spares: Spares,
    pub bound: Bound,
    pub(super) shed: Shed,
    /// True while a file is open.
    pub(super) is_open: bool,
    /// Number of events that were left out before the open file was begun.
    outside_before: u64,
    /// Number of slices on all lanes while files are read.
    pub(super) slices: u64,
    /// The lengths of `processes` and `threads` when the open file was begun.
    named: (usize, usize),
    /// The number of stacks when the open file was begun.
    stacks_before: u32,
}

impl TraceBuilder {
    /// An empty builder that keeps within `bound`.
    pub(in crate::import) fn within(bound: Bound) -> Self {
        Self { bound, ..Self::default() }
    }

    /// Adds a file, which then is the open one; returns its number, from 0.
    pub(in crate::import) fn begin_file(&mut self, path: &Path) -> u16 {
        let number = saturate::<u16>(self.files.len());
        self.maps.clear();
        self.named = (self.processes.len(), self.threads.len());
        self.stacks_before = self.stacks.len();
        (self.is_open, self.outside_before) = (true, self.bound.outside);
        self.files.push(FileRecord {
            path: path.to_owned(),
            header: Header::default(),
            is_fine: false,
            extent: None,
            length: None,
            kind: letter,
            event_types: BTreeMap::new(),
            has_correlations: false,
        });
        number
    }

    /// Removes the file begun last and the events absorbed from it. Does nothing when there is no file.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::import) fn abandon_file(&mut self) -> Result<(), NoMemory> {
        if self.files.is_empty() {
            return Ok(());
        }
        self.settle()?;
        self.files.pop();
        (self.is_open, self.bound.outside) = (false, self.outside_before);
        let number = self.files.len();
        self.event_types = EventTypeCounts::default();
        self.begin_ends.clear();
        self.async_points.clear();
        self.clock = None;
        let is_of_others = |origin: Origin| origin.file() != number;
        // What a file added is at the end, so the cost does not depend on the files before it.
        let lanes = self.first_lane(number);
        self.slices -= self.lanes[lanes..].iter().map(|lane| lane.slices.len() as u64).sum::<u64>();
        truncate(&mut self.samples, |sample| (sample.lane as usize) < lanes);
        for lane in self.lanes.drain(lanes..) {
            self.lane_ids.remove(&lane.key);
        }
        if self.processes.len() > self.named.0 {
            self.processes.retain(|key, _| key.0 as usize != number);
        }
        if self.threads.len() > self.named.1 {
            self.threads.retain(|key, _| key.0 as usize != number);
        }
        truncate(&mut self.instants, |instant| is_of_others(instant.origin));
        truncate(&mut self.allocations, |allocation| is_of_others(allocation.origin));
        truncate(&mut self.flows, |flow| is_of_others(flow.origin));
        truncate(&mut self.copied, |copied| is_of_others(copied.origin));
        self.stacks.truncate(self.stacks_before);
        truncate(&mut self.trees, |tree| tree.file as usize != number);
        truncate(&mut self.branches, |branch| is_of_others(branch.child));
        Ok(())
    }

    /// The index of the first lane of file `number`, which must be the file begun last; the number of all
    /// lanes where the file has none.
    pub(super) fn first_lane(&self, number: usize) -> usize {
        self.lanes.iter().rposition(|lane| lane.key.file as usize != number).map_or(0, |last| last + 1)
    }

    /// The earliest start, ns, of the files' `length`, or without any of their `extent`; `None` when no event
    /// has a time.
    pub(in crate::import) fn start(&self) -> Option<Ns> {
        let first = |extent: fn(&FileRecord) -> Option<(Ns, Ns)>| {
            self.files.iter().filter_map(extent).map(|(start, _)| start).min()
        };
        first(|file| file.length).or_else(|| first(|file| file.extent))
    }

    /// The time at which the last event of all files ends, ns; `None` without events, and for files that
    /// state different zeros of time.
    pub(in crate::import) fn end(&self) -> Option<Ns> {
        let bases = || self.files.iter().map(|file| file.header.base);
        if bases().any(|base| Some(base) != bases().next()) {
            return None;
        }
        self.files.iter().flat_map(|file| [file.length, file.extent]).flatten().map(|(_, end)| end).max()
    }

    /// True when there is a slice, or an unpaired event that begins or ends a slice of a thread.
    pub(in crate::import) fn has_slices(&self) -> bool {
        self.lanes.iter().any(|lane| !lane.slices.is_empty()) || !self.begin_ends.is_empty()
    }

    /// True when events of the open file were counted.
    pub(in crate::import) fn has_events(&self) -> bool {
        self.event_types.0.iter().any(|&count| count > 0)
    }

    /// The byte offset of an example of damage, for an error message; `None` where no damage has an offset.
    pub(in crate::import) fn first_damage(&self) -> Option<u64> {
        self.quality.entries().filter(|(warning, _)| warning.is_damage()).find_map(|(_, entry)| entry.offset)
    }

    /// The header of the file begun last; `None` when there is no file.
    pub(in crate::import) fn header(&mut self) -> Option<&mut Header> {
        self.files.last_mut().map(|file| &mut file.header)
    }

    /// Sets what [`EventBuilder::count`](super::EventBuilder::count) counts in the open file: without this,
    /// the letters of Chrome's format.
    pub(in crate::import) fn name_kinds(&mut self, kind: fn(u8) -> String) {
        if let Some(file) = self.files.last_mut() {
            file.kind = kind;
        }
    }

    /// Adds the call stacks of the open file's allocations; returns how many there were before.
    ///
    /// # Errors
    /// When memory runs out.
    pub(in crate::import) fn add_stacks(&mut self, stacks: Stacks) -> Result<u32, NoMemory> {
        self.stacks.append(stacks)
    }

    /// Marks the open file's times as exact to the nanosecond, not rounded.
    pub(in crate::import) fn set_exact(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.header.is_exact = true;
            file.is_fine = true;
        }
    }

    /// Adds a tree of events that file number `file` states; returns the tree's number, from 0.
    pub(in crate::import) fn begin_tree(&mut self, file: u16) -> u32 {
        self.trees.push(Tree { file, thread: 0 });
        saturate::<u32>(self.trees.len()) - 1
    }

    /// Sets the thread id of tree `tree`; does nothing when there is no such tree.
    pub(in crate::import) fn set_tree_thread(&mut self, tree: u32, thread: u64) {
        if let Some(tree) = self.trees.get_mut(tree as usize) {
            tree.thread = thread;
        }
    }

    /// Adds to the lineage the parent of one slice or memory event. Fails when there is no memory for it.
    pub(in crate::import) fn branch(&mut self, branch: Branch) -> Result<(), NoMemory> {
        heap::try_push(&mut self.branches, branch)
    }

    /// Returns the number of the lane with this key; adds the lane when it is new.
    pub(super) fn lane_number(&mut self, key: LaneKey) -> Result<u32, NoMemory> {
        let next = saturate::<u32>(self.lanes.len());
        heap::fallible(|| self.lane_ids.try_reserve(1))?;
        let number = *self.lane_ids.entry(key).or_insert(next);
        if number == next {
            let lane = LaneSlices { key, slices: Vec::new(), is_sorted: true, has_steps: false };
            heap::try_push(&mut self.lanes, lane)?;
        }
        Ok(number)
    }

    /// Adds a slice to the lane with this number.
    pub(super) fn put(&mut self, lane: u32, slice: Slice) -> Result<(), NoMemory> {
        let lane = &mut self.lanes[lane as usize];
        lane.is_sorted &= lane.slices.last().is_none_or(|last| last.order() <= slice.order());
        lane.has_steps |= slice.is_step();
        heap::try_push(&mut lane.slices, slice)?;
        self.slices += 1;
        Ok(())
    }
}

fn letter(number: u8) -> String {
    char::from(number).into()
}

/// Removes the records after the last one that is `kept`.
pub(super) fn truncate<T>(records: &mut Vec<T>, kept: impl Fn(&T) -> bool) {
    records.truncate(records.iter().rposition(kept).map_or(0, |last| last + 1));
}
