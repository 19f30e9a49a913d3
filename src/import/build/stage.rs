//! What is staged, and the life of a file: it opens, its events come one by one, it closes or is forgotten.
//!
//! Sends each event on by its phase letter and counts it. Must not know what a phase means, nor order or nesting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::base::intern::{Interner, StrId};
use crate::base::time::Ns;
use crate::import::chrome::dialect::Class;
use crate::import::chrome::event::Event;
use crate::import::chrome::scan::{Oddities, Token};
use crate::model::{Category, GroupKind, LaneKind, Origin, Quality, SliceFlags, Warning};

use super::header::Header;
use super::memory::StagedMemory;
use super::pair::{AsyncPoint, BeginEnd};

/// A slice before it has a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Staged {
    pub start: Ns,
    pub dur: Ns,
    pub name: StrId,
    pub track: u32,
    pub correlation: u32,
    /// Asynchronous slices of one id share a number: only they nest in each other. 0 elsewhere.
    pub family: u32,
    pub category: Category,
    pub flags: SliceFlags,
    pub origin: Origin,
    /// Where an end with arguments of its own stands, or [`Origin::NONE`].
    pub end: Origin,
}

/// Where events of one file pile up before lanes exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Track {
    pub file: u16,
    pub pid: StrId,
    pub tid: StrId,
    pub group: GroupKind,
    pub kind: LaneKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct StagedInstant {
    pub ts: Ns,
    pub track: u32,
    pub name: StrId,
    pub origin: Origin,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub ts: Ns,
    pub track: u32,
    pub name: StrId,
    pub series: StrId,
    pub value: f64,
}

/// One end of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowPoint {
    pub ts: Ns,
    /// Flows with the same key belong together.
    pub key: u32,
    pub pid: StrId,
    pub tid: StrId,
    /// `s`, `t` or `f`.
    pub phase: u8,
    /// An `f` that binds to the slice around it instead of the next one.
    pub encloses: bool,
    pub kind: PointKind,
    pub file: u16,
    /// The slice that carries this end itself, or [`Origin::NONE`].
    pub carrier: Origin,
}

/// What a flow's category says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointKind {
    Launch,
    ForwardBackward,
    Generic,
}

/// Names and orders given by metadata events; the last of several counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Naming {
    pub name: StrId,
    pub sort: Option<i64>,
}

/// What is known of one file.
#[derive(Debug)]
pub(super) struct FileStage {
    pub path: PathBuf,
    pub header: Header,
    /// First staged slice of the file.
    pub first_slice: usize,
    /// True when some time has digits below a microsecond.
    pub is_fine: bool,
    /// First and last instant of the file, ns; none when nothing has a time.
    pub reach: Option<(Ns, Ns)>,
    /// How often each phase letter occurred.
    pub phases: BTreeMap<char, u64>,
    /// True when device work carries correlation numbers: launches are then joined by them alone.
    pub has_correlations: bool,
}

/// Everything taken so far.
#[derive(Debug, Default)]
pub(in crate::import) struct Stage {
    pub quality: Quality,
    pub(super) strings: Interner,
    pub(super) files: Vec<FileStage>,
    pub(super) slices: Vec<Staged>,
    pub(super) tracks: Vec<Track>,
    pub(super) track_ids: FxHashMap<Track, u32>,
    pub(super) last_track: Option<(Track, u32)>,
    pub(super) classes: Vec<Option<Class>>,
    pub(super) begin_ends: Vec<BeginEnd>,
    pub(super) async_points: Vec<AsyncPoint>,
    pub(super) async_keys: FxHashMap<(StrId, StrId, StrId, StrId), u32>,
    pub(super) instants: Vec<StagedInstant>,
    pub(super) samples: Vec<Sample>,
    pub(super) memory: Vec<StagedMemory>,
    pub(super) flows: Vec<FlowPoint>,
    pub(super) flow_keys: FxHashMap<(u16, StrId, StrId, StrId), u32>,
    /// Ids of flows and asynchronous events; apart from `strings`, since nobody ever sees them.
    pub(super) ids: Interner,
    /// Paddle's starts relative to its trace, ns, by staged slice.
    pub(super) relative: Vec<(u32, Ns)>,
    pub(super) processes: FxHashMap<(u16, StrId), Naming>,
    pub(super) threads: FxHashMap<(u16, StrId, StrId, Option<LaneKind>), Naming>,
    pub(super) communication_names: FxHashMap<StrId, bool>,
    /// Correlation numbers beyond 31 bits, renumbered.
    pub(super) wide_correlations: FxHashMap<u64, u32>,
    /// Place and device number of each device's memory events.
    pub(super) device_places: FxHashMap<i64, (StrId, StrId)>,
    phase_counts: PhaseCounts,
}

#[derive(Debug)]
struct PhaseCounts([u64; 256]);

impl Default for PhaseCounts {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Stage {
    pub(in crate::import) fn begin_file(&mut self, path: &Path) -> u16 {
        let number = self.files.len() as u16;
        self.files.push(FileStage {
            path: path.to_owned(),
            header: Header::default(),
            first_slice: self.slices.len(),
            is_fine: false,
            reach: None,
            phases: BTreeMap::new(),
            has_correlations: false,
        });
        number
    }

    /// Forgets what the file brought.
    pub(in crate::import) fn abandon_file(&mut self) {
        if let Some(file) = self.files.pop() {
            let (number, first) = (self.files.len(), file.first_slice);
            self.slices.truncate(first);
            self.phase_counts = PhaseCounts::default();
            self.begin_ends.clear();
            self.async_points.clear();
            self.relative.clear();
            self.processes.retain(|key, _| key.0 as usize != number);
            self.threads.retain(|key, _| key.0 as usize != number);
            self.instants.retain(|i| i.origin.file() != number);
            self.memory.retain(|m| m.origin.file() != number);
            let tracks = &self.tracks;
            self.samples.retain(|s| tracks[s.track as usize].file as usize != number);
            self.flows.retain(|f| f.file as usize != number);
        }
    }

    /// Closes the file: what was begun ends, Paddle's times become exact.
    pub(in crate::import) fn end_file(&mut self) {
        let number = self.files.len() - 1;
        for (letter, count) in self.phase_counts.0.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
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

    /// True when the file that is open brought an event of a known phase.
    pub(in crate::import) fn has_events(&self) -> bool {
        self.phase_counts.0.iter().any(|&count| count > 0)
    }

    pub(in crate::import) fn first_damage(&self) -> Option<u64> {
        self.quality.entries().filter(|(warning, _)| warning.is_damage()).find_map(|(_, entry)| entry.offset)
    }

    pub(in crate::import) fn header(&mut self, key: &[u8], value: Token<'_>) {
        if let Some(file) = self.files.last_mut() {
            file.header.take(key, value);
        }
    }

    /// Counts an element that cannot be used.
    pub(in crate::import) fn drop_element(&mut self, warning: Warning, offset: u64, example: &str) {
        self.quality.dropped += 1;
        self.quality.note(warning, Some(offset), || example.into());
    }

    pub(in crate::import) fn note_oddities(
        &mut self,
        odd: Oddities,
        offset: u64,
        example: impl Fn() -> String,
    ) {
        if !odd.any() {
            return;
        }
        for (bit, warning) in [
            (Oddities::CONTROL, Warning::Control),
            (Oddities::UTF8, Warning::Utf8),
            (Oddities::NONFINITE, Warning::NonFinite),
            (Oddities::SYNTAX, Warning::Syntax),
            (Oddities::DEPTH, Warning::Depth),
        ] {
            if odd.has(bit) {
                self.quality.note(warning, Some(offset), &example);
            }
        }
    }

    /// Takes one event.
    #[inline]
    pub(in crate::import) fn event(&mut self, event: &Event<'_>, file: u16, offset: u64) {
        if event.odd.any() {
            self.note_oddities(event.odd, offset, || show_event(event));
        }
        let phase = event.phase;
        if !is_known(phase) {
            self.quality.dropped += 1;
            self.quality.note(Warning::UnknownPhase, Some(offset), || show_event(event));
            return;
        }
        self.phase_counts.0[phase as usize] += 1;
        if phase == b'M' {
            self.metadata(event, file);
            return;
        }
        let Some(ts) = self.time(event.ts, file) else {
            self.quality.dropped += 1;
            self.quality.note(Warning::BadTs, Some(offset), || show_event(event));
            return;
        };
        self.reach(file, ts, ts);
        let origin = Origin::new(file, offset);
        match phase {
            b'X' => self.complete(event, file, ts, origin),
            b'B' | b'E' => self.begin_end(event, file, ts, origin),
            b'b' | b'n' | b'e' | b'S' | b'T' | b'p' | b'F' => self.async_point(event, file, ts, origin),
            b'i' | b'I' | b'R' => self.instant(event, file, ts, origin),
            b'C' => self.counter(event, file, ts, offset),
            b's' | b't' | b'f' => self.flow(event, file, ts, phase, event.id, Origin::NONE),
            // Samples, objects, memory dumps, clock syncs and contexts are counted by phase and not drawn.
            _ => {}
        }
    }
}

/// Phases that some known producer writes.
fn is_known(phase: u8) -> bool {
    b"XBEbneiIRCMsftSTpFPNODVvc()".contains(&phase)
}

/// An event in a few words, for an example.
pub(super) fn show_event(event: &Event<'_>) -> String {
    let part = |token: Option<Token<'_>>| {
        let text = token.map_or(b"".as_slice(), |token| token.text);
        String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned()
    };
    let phase = if event.phase.is_ascii_graphic() { event.phase as char } else { '?' };
    format!("{phase} \"{}\" ts {} dur {}", part(event.name), part(event.ts), part(event.dur))
}
