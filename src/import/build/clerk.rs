//! One thread's part of staging: it takes events one by one and notes each in tables of its own.
//!
//! Sends each event on by its phase letter and counts it. Nothing here depends on other stretches of the text, so any
//! thread may do any stretch; `absorb` brings them together. Must not know JSON's containers, order or nesting.

use rustc_hash::FxHashMap;

use crate::base::intern::{Interner, StrId};
use crate::base::time::Ns;
use crate::import::chrome::event::Event;
use crate::import::chrome::scan::{Oddities, Token};
use crate::model::{Origin, Quality, Warning};

use super::batch::{Batch, Run, Spares, Staged, Strings, Track};
use super::gate::Gate;
use super::resolve::{Known, NameFacts};

/// Bytes of strings after which a clerk begins its tables anew: names that occur once each must not be held by every thread.
const TABLE_LIMIT: usize = 8 << 20;

/// One thread's tables and the batch being filled.
#[derive(Debug)]
pub(in crate::import) struct Clerk {
    pub(super) file: u16,
    pub(super) batch: Batch,
    pub(super) strings: Interner,
    /// Ids of flows and asynchronous events that are no numbers; apart from `strings`, since nobody ever sees them.
    pub(super) ids: Interner,
    pub(super) tracks: Vec<Track>,
    pub(super) track_ids: FxHashMap<Track, u32>,
    pub(super) last_track: Option<(Track, u32)>,
    /// The slices of the batch, by track, and the tracks that have some.
    pub(super) piles: Vec<Pile>,
    pub(super) touched: Vec<u32>,
    /// What was worked out about a name or category, by its string.
    pub(super) facts: Vec<Option<NameFacts>>,
    pub(super) classes: Vec<Option<crate::import::chrome::dialect::Class>>,
    /// What was worked out for each shape of event.
    pub(super) known: Vec<Option<Known>>,
    pub(super) wide: FxHashMap<u64, u32>,
    /// Place and device number of each device's memory events.
    pub(super) device_places: FxHashMap<i64, (StrId, StrId)>,
    /// How much of the tables earlier batches have told.
    told: Told,
    spares: Spares,
    pub(super) gate: Gate,
}

#[derive(Debug, Default)]
struct Told {
    strings: usize,
    ids: usize,
    tracks: usize,
}

/// The slices of one track in the batch being filled.
#[derive(Debug, Default)]
pub(super) struct Pile {
    pub slices: Vec<Staged>,
    pub has_steps: bool,
}

impl Clerk {
    /// A clerk for one file; `number` tells its batches from those of other clerks, `spares` and `gate` are the
    /// stage's.
    pub(in crate::import) fn new(number: usize, file: u16, spares: Spares, gate: Gate) -> Self {
        Self {
            file,
            batch: Batch { clerk: number, is_first: true, ..Batch::default() },
            strings: Interner::default(),
            ids: Interner::default(),
            tracks: Vec::new(),
            track_ids: FxHashMap::default(),
            last_track: None,
            piles: Vec::new(),
            touched: Vec::new(),
            facts: Vec::new(),
            classes: Vec::new(),
            known: Vec::new(),
            wide: FxHashMap::default(),
            device_places: FxHashMap::default(),
            told: Told::default(),
            spares,
            gate,
        }
    }

    /// Everything noted since the last batch.
    pub(in crate::import) fn close(&mut self) -> Batch {
        let (clerk, number) = (self.batch.clerk, self.batch.number + 1);
        let mut batch = std::mem::replace(&mut self.batch, Batch { clerk, number, ..self.spares.take() });
        // What a file's device work showed once stays true.
        self.batch.has_correlations = batch.has_correlations;
        self.batch.is_fine = batch.is_fine;
        batch.slices.reserve_exact(self.touched.iter().map(|&t| self.piles[t as usize].slices.len()).sum());
        for track in self.touched.drain(..) {
            let pile = &mut self.piles[track as usize];
            if !pile.slices.is_sorted_by_key(Staged::order) {
                // Stable: of two equal slices the first in the file is around the other.
                pile.slices.sort_by_key(Staged::order);
            }
            batch.slices.append(&mut pile.slices);
            batch.runs.push(Run { track, end: batch.slices.len(), has_steps: pile.has_steps });
            pile.has_steps = false;
        }
        batch.strings = tail(&self.strings, self.told.strings);
        batch.ids = tail(&self.ids, self.told.ids);
        batch.tracks = self.tracks[self.told.tracks..].to_vec();
        self.told = Told { strings: self.strings.len(), ids: self.ids.len(), tracks: self.tracks.len() };
        if self.strings.size() + self.ids.size() > TABLE_LIMIT {
            self.begin_anew();
        }
        batch
    }

    /// Forgets the tables and what is in the batch; the next batch fits wherever the last one was used or not.
    pub(in crate::import) fn begin_anew(&mut self) {
        // Batches of the tables before this may still be on their way: no number comes twice.
        let number = self.batch.number;
        *self = Self::new(self.batch.clerk, self.file, self.spares.clone(), self.gate.clone());
        self.batch.number = number;
    }

    /// Where losses and oddities are counted.
    pub(in crate::import) fn quality(&mut self) -> &mut Quality {
        &mut self.batch.quality
    }

    /// Counts an element that cannot be used.
    pub(in crate::import) fn drop_element(&mut self, warning: Warning, offset: u64, example: &str) {
        self.batch.quality.dropped += 1;
        self.batch.quality.note(warning, Some(offset), || example.into());
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
                self.batch.quality.note(warning, Some(offset), &example);
            }
        }
    }

    /// Takes one event, which stands at byte `offset` of the text.
    #[inline]
    pub(in crate::import) fn event(&mut self, event: &Event<'_>, offset: u64) {
        if event.odd.any() {
            self.note_oddities(event.odd, offset, || show_event(event));
        }
        let phase = event.phase;
        if !is_known(phase) {
            self.batch.quality.dropped += 1;
            self.batch.quality.note(Warning::UnknownEventType, Some(offset), || show_event(event));
            return;
        }
        self.batch.phases.0[phase as usize] += 1;
        if phase == b'M' {
            self.metadata(event);
            return;
        }
        let Some(ts) = self.start(event) else {
            self.batch.quality.dropped += 1;
            self.batch.quality.note(Warning::BadTs, Some(offset), || show_event(event));
            return;
        };
        self.reach(ts, ts);
        if ts > self.gate.last() || ts < self.gate.from() && phase != b'X' {
            self.batch.outside += 1;
            return;
        }
        let origin = Origin::new(self.file, offset);
        match phase {
            b'X' => self.complete(event, ts, origin),
            b's' | b't' | b'f' => self.flow(event, ts, phase, event.id, Origin::NONE),
            b'i' | b'I' | b'R' => self.instant(event, ts, origin),
            b'B' | b'E' => self.begin_end(event, ts, origin),
            b'b' | b'n' | b'e' | b'S' | b'T' | b'p' | b'F' => self.async_point(event, ts, origin),
            b'C' => self.counter(event, ts, offset),
            // Samples, objects, memory dumps, clock syncs and contexts are counted by phase and not drawn.
            _ => {}
        }
    }

    /// Extends the reach of the batch, ns.
    #[inline]
    pub(super) fn reach(&mut self, from: Ns, to: Ns) {
        let reach = self.batch.reach.get_or_insert((from, to));
        *reach = (reach.0.min(from), reach.1.max(to));
    }
}

/// What a table gained beyond its first `told` entries.
fn tail(table: &Interner, told: usize) -> Strings {
    let mut out = Strings::default();
    for id in told..table.len() {
        out.bytes.extend_from_slice(table.bytes(id as StrId));
        out.ends.push(out.bytes.len());
    }
    out
}

/// Phases that some known producer writes.
fn is_known(phase: u8) -> bool {
    const KNOWN: [bool; 256] = {
        let mut known = [false; 256];
        let letters = b"XBEbneiIRCMsftSTpFPNODVvc()";
        let mut i = 0;
        while i < letters.len() {
            known[letters[i] as usize] = true;
            i += 1;
        }
        known
    };
    KNOWN[phase as usize]
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
