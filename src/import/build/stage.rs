//! What is staged, and the life of a file: it opens, its batches are gathered, it closes or is forgotten.
//!
//! One set of tables for all files. Must not know how an event is read, nor order or nesting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::base::intern::{Interner, StrId};
use crate::base::time::Ns;
use crate::import::chrome::scan::Token;
use crate::model::lineage::{Branch, Tree};
use crate::model::{LaneKind, Origin, Quality};

use super::absorb::Maps;
use super::batch::{
    ClockBounds, FlowPoint, PhaseCounts, PointKind, Sample, Spares, Staged, StagedInstant, Track,
};
use super::header::Header;
use super::memory::StagedMemory;
use super::pair::{AsyncPoint, BeginEnd};
use super::shed::Bound;

/// The slices of one track.
#[derive(Clone, Debug)]
pub(super) struct TrackPile {
    pub track: Track,
    pub slices: Vec<Staged>,
    /// True while they are in order of (start, longer first).
    pub is_sorted: bool,
    pub has_steps: bool,
}

/// Names and orders given by metadata events; the last of several counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Naming {
    pub name: StrId,
    pub sort: Option<i64>,
}

/// What is known of one file.
#[derive(Clone, Debug)]
pub(super) struct FileStage {
    pub path: PathBuf,
    pub header: Header,
    /// True when some time has digits below a microsecond.
    pub is_fine: bool,
    /// First and last instant of the file, ns; none when nothing has a time.
    pub reach: Option<(Ns, Ns)>,
    /// How often each phase letter occurred.
    pub phases: BTreeMap<char, u64>,
    /// True when device work carries correlation numbers: launches are then joined by them alone.
    pub has_correlations: bool,
}

/// Everything gathered so far.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Stage {
    pub quality: Quality,
    pub(super) strings: Interner,
    pub(super) files: Vec<FileStage>,
    pub(super) tracks: Vec<TrackPile>,
    pub(super) track_ids: FxHashMap<Track, u32>,
    pub(super) begin_ends: Vec<BeginEnd>,
    pub(super) async_points: Vec<AsyncPoint>,
    /// Where an end with arguments of its own stands, by where its begin stands.
    pub(super) ends: FxHashMap<Origin, Origin>,
    pub(super) instants: Vec<StagedInstant>,
    pub(super) samples: Vec<Sample>,
    pub(super) memory: Vec<StagedMemory>,
    pub(super) flows: Vec<FlowPoint>,
    pub(super) ids: Interner,
    pub(super) processes: FxHashMap<(u16, StrId), Naming>,
    pub(super) threads: FxHashMap<(u16, StrId, StrId, Option<LaneKind>), Naming>,
    /// The trees of files that write them down, and what belongs to them.
    pub(super) trees: Vec<Tree>,
    pub(super) branches: Vec<Branch>,
    /// Correlation numbers beyond 31 bits, renumbered.
    pub(super) wide: FxHashMap<u64, u32>,
    /// Of the open file: each clerk's numbers in the tables here.
    pub(super) maps: Vec<Maps>,
    pub(super) phases: PhaseCounts,
    pub(super) clock: Option<ClockBounds>,
    pub spares: Spares,
    pub bound: Bound,
    /// How many slices are staged.
    pub(super) slices: u64,
}

impl Stage {
    /// Nothing yet, and no more than `bound` allows.
    pub(in crate::import) fn within(bound: Bound) -> Self {
        Self { bound, ..Self::default() }
    }

    pub(in crate::import) fn begin_file(&mut self, path: &Path) -> u16 {
        let number = self.files.len() as u16;
        self.maps.clear();
        self.files.push(FileStage {
            path: path.to_owned(),
            header: Header::default(),
            is_fine: false,
            reach: None,
            phases: BTreeMap::new(),
            has_correlations: false,
        });
        number
    }

    /// Forgets what the file brought.
    pub(in crate::import) fn abandon_file(&mut self) {
        if self.files.pop().is_none() {
            return;
        }
        let number = self.files.len();
        self.phases = PhaseCounts::default();
        self.begin_ends.clear();
        self.async_points.clear();
        self.clock = None;
        let of_file = |pile: &&TrackPile| pile.track.file as usize == number;
        self.slices -= self.tracks.iter().filter(of_file).map(|pile| pile.slices.len() as u64).sum::<u64>();
        let tracks = &self.tracks;
        self.samples.retain(|s| tracks[s.track as usize].track.file as usize != number);
        self.tracks.retain(|pile| pile.track.file as usize != number);
        self.track_ids.retain(|track, _| track.file as usize != number);
        self.processes.retain(|key, _| key.0 as usize != number);
        self.threads.retain(|key, _| key.0 as usize != number);
        self.instants.retain(|i| i.origin.file() != number);
        self.memory.retain(|m| m.origin.file() != number);
        self.flows.retain(|f| f.file as usize != number);
        self.trees.retain(|tree| tree.file as usize != number);
        self.branches.retain(|branch| branch.child.file() != number);
    }

    /// Closes the file: what was begun ends, Paddle's times become exact.
    pub(in crate::import) fn end_file(&mut self) {
        let number = self.files.len() - 1;
        // What came through while the gate was being narrowed.
        self.put_out();
        for (letter, count) in self.phases.0.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            self.files[number].phases.insert(letter as u8 as char, std::mem::take(count));
        }
        self.close_pairs();
        if self.files[number].has_correlations {
            let is_needless =
                |flow: &FlowPoint| flow.kind == PointKind::Launch && flow.file as usize == number;
            self.flows.retain(|flow| !is_needless(flow));
        }
        self.fix_paddle_clock();
    }

    /// The first instant of all files, ns.
    pub(in crate::import) fn start(&self) -> Option<Ns> {
        self.files.iter().filter_map(|file| file.reach).map(|(start, _)| start).min()
    }

    /// True when there is anything to draw.
    pub(in crate::import) fn has_slices(&self) -> bool {
        self.tracks.iter().any(|pile| !pile.slices.is_empty()) || !self.begin_ends.is_empty()
    }

    /// True when the file that is open brought an event of a known phase.
    pub(in crate::import) fn has_events(&self) -> bool {
        self.phases.0.iter().any(|&count| count > 0)
    }

    pub(in crate::import) fn first_damage(&self) -> Option<u64> {
        self.quality.entries().filter(|(warning, _)| warning.is_damage()).find_map(|(_, entry)| entry.offset)
    }

    pub(in crate::import) fn header(&mut self, key: &[u8], value: Token<'_>) {
        if let Some(file) = self.files.last_mut() {
            file.header.take(key, value);
        }
    }

    /// The number of a track, new or known.
    pub(super) fn track_number(&mut self, track: Track) -> u32 {
        let next = self.tracks.len() as u32;
        let number = *self.track_ids.entry(track).or_insert(next);
        if number == next {
            self.tracks.push(TrackPile { track, slices: Vec::new(), is_sorted: true, has_steps: false });
        }
        number
    }

    /// Adds a slice to a track.
    pub(super) fn put(&mut self, track: u32, slice: Staged) {
        let pile = &mut self.tracks[track as usize];
        pile.is_sorted &= pile.slices.last().is_none_or(|last| last.order() <= slice.order());
        pile.has_steps |= slice.category == crate::model::Category::ProfileStep;
        pile.slices.push(slice);
        self.slices += 1;
    }
}
