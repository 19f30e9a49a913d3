//! Taking events one by one: each becomes a staged slice, half of one, or a point in time.
//!
//! Knows what phases mean. Order, nesting and links come later; nothing here looks at two events at once.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::base::intern::{Interner, StrId};
use crate::base::time::{Ns, parse_scaled, parse_us};
use crate::import::chrome::dialect::{self, Class};
use crate::import::chrome::event::{Event, members};
use crate::import::chrome::scan::{Kind, Oddities, Token, unescape};
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
    pub labels: StrId,
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
    pub events: u64,
}

/// Everything taken so far.
#[derive(Debug, Default)]
pub(in crate::import) struct Stage {
    pub quality: Quality,
    pub bytes: u64,
    pub(super) strings: Interner,
    pub(super) files: Vec<FileStage>,
    pub(super) slices: Vec<Staged>,
    pub(super) tracks: Vec<Track>,
    track_ids: FxHashMap<Track, u32>,
    last_track: Option<(Track, u32)>,
    classes: Vec<Option<Class>>,
    pub(super) begin_ends: Vec<BeginEnd>,
    pub(super) async_points: Vec<AsyncPoint>,
    pub(super) async_keys: FxHashMap<(StrId, StrId, StrId, StrId), u32>,
    pub(super) instants: Vec<StagedInstant>,
    pub(super) samples: Vec<Sample>,
    pub(super) memory: Vec<StagedMemory>,
    pub(super) flows: Vec<FlowPoint>,
    flow_keys: FxHashMap<(u16, StrId, StrId, StrId), u32>,
    /// Ids of flows and asynchronous events; apart from `strings`, since nobody ever sees them.
    ids: Interner,
    /// Paddle's starts relative to its trace, ns, by staged slice.
    pub(super) relative: Vec<(u32, Ns)>,
    pub(super) processes: FxHashMap<(u16, StrId), Naming>,
    pub(super) threads: FxHashMap<(u16, StrId, StrId, Option<LaneKind>), Naming>,
    communication_names: FxHashMap<StrId, bool>,
    /// Correlation numbers beyond 31 bits, renumbered.
    wide_correlations: FxHashMap<u64, u32>,
    pub(super) phases: std::collections::BTreeMap<char, u64>,
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
            events: 0,
        });
        number
    }

    /// Forgets what the file brought.
    pub(in crate::import) fn abandon_file(&mut self) {
        if let Some(file) = self.files.pop() {
            let (number, first) = (self.files.len(), file.first_slice);
            self.slices.truncate(first);
            self.begin_ends.clear();
            self.async_points.clear();
            self.relative.clear();
            self.instants.retain(|i| i.origin.file() != number);
            self.memory.retain(|m| m.origin.file() != number);
            let tracks = &self.tracks;
            self.samples.retain(|s| tracks[s.track as usize].file as usize != number);
            self.flows.retain(|f| f.file as usize != number);
        }
    }

    /// Closes the file: what was begun ends, Paddle's times become exact.
    pub(in crate::import) fn end_file(&mut self) {
        for (letter, count) in self.phase_counts.0.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            *self.phases.entry(letter as u8 as char).or_default() += std::mem::take(count);
        }
        self.close_pairs();
        self.fix_paddle_clock();
    }

    pub(in crate::import) fn has_events(&self) -> bool {
        self.files.last().is_some_and(|file| file.events > 0)
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
        self.files[file as usize].events += 1;
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
            b's' | b't' | b'f' => self.flow(event, file, ts, phase, event.id),
            // Samples, objects, memory dumps, clock syncs and contexts are counted by phase and not drawn.
            _ => {}
        }
    }

    #[inline]
    fn complete(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
        let mut flags = SliceFlags::default();
        let dur = match self.time(event.dur, file) {
            Some(dur) if dur >= 0 && ts.checked_add(dur).is_some() => dur,
            unusable => {
                flags = SliceFlags::BAD_DURATION;
                self.quality.note(Warning::BadDur, Some(origin.offset()), || show_event(event));
                if unusable.is_some_and(|dur| dur > 0) { Ns::MAX - ts } else { 0 }
            }
        };
        self.reach(file, ts, ts + dur);
        let class = self.class(event);
        let name = self.name(event);
        let track = self.track(event, file, class);
        let category = dialect::refine(class, self.strings.bytes(name));
        if category == Category::Kernel && self.communicates(name) {
            flags = flags.with(SliceFlags::COMMUNICATION);
        }
        let correlation = event.hits.correlation.map_or(0, |token| self.correlation(token));
        if let Some(start) = event.hits.start_time.and_then(relative_start) {
            self.relative.push((self.slices.len() as u32, start));
        }
        self.slices.push(Staged {
            start: ts,
            dur,
            name,
            track,
            correlation,
            family: 0,
            category,
            flags,
            origin,
            end: Origin::NONE,
        });
        if let Some(id) = event.bind_id {
            if event.flow_in {
                self.flow(event, file, ts, b'f', Some(id));
            }
            if event.flow_out {
                self.flow(event, file, ts, b's', Some(id));
            }
        }
    }

    /// Whether a kernel's name says that it communicates; each name is looked at once.
    fn communicates(&mut self, name: StrId) -> bool {
        let strings = &self.strings;
        *self
            .communication_names
            .entry(name)
            .or_insert_with(|| dialect::is_communication_kernel(strings.bytes(name)))
    }

    fn begin_end(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
        let class = self.class(event);
        let name = event.name.map(|_| self.name(event));
        let track = self.track(event, file, class);
        let category = dialect::refine(class, name.map_or(b"".as_slice(), |name| self.strings.bytes(name)));
        let has_args = event.args.is_some();
        let is_begin = event.phase == b'B';
        self.begin_ends.push(BeginEnd { ts, is_begin, track, name, category, origin, has_args });
    }

    fn async_point(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
        let cat = self.text(event.cat);
        let name = self.name(event);
        let pid = self.text(event.pid);
        let is_legacy = matches!(event.phase, b'S' | b'T' | b'p' | b'F');
        let mut id = event.id;
        let mut scope = self.text(event.scope);
        if let Some(id2) = event.id2 {
            members(id2, |key, value| {
                id = Some(value);
                if key == b"local" {
                    // A local id means something within its process only; the process joins the key.
                    scope = pid;
                }
            });
        }
        let id = self.id(id);
        let key = (cat, if is_legacy { name } else { 0 }, id, scope);
        let next = self.async_keys.len() as u32 + 1;
        let family = *self.async_keys.entry(key).or_insert(next);
        let track = self.track_number(Track {
            file,
            pid,
            tid: cat,
            group: GroupKind::Process,
            kind: LaneKind::Async,
        });
        self.async_points.push(AsyncPoint { ts, phase: event.phase, family, track, name, origin });
    }

    fn instant(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
        let class = self.class(event);
        let name = self.name(event);
        let track = self.track(event, file, class);
        if let Some(memory) = self.memory_event(event, ts, track, origin) {
            self.memory.push(memory);
        } else {
            self.instants.push(StagedInstant { ts, track, name, origin });
        }
    }

    fn counter(&mut self, event: &Event<'_>, file: u16, ts: Ns, offset: u64) {
        let pid = self.text(event.pid);
        let mut base = event.name.map_or(Vec::new(), |name| unescape(name.text).0);
        if let Some(id) = event.id.and_then(|id| id.key()) {
            base.push(b' ');
            base.extend_from_slice(id);
        }
        let name = self.strings.intern(&base);
        let mut is_good = false;
        let mut is_bad = false;
        members(event.args.unwrap_or(Token { kind: Kind::Null, text: b"" }), |key, value| {
            let number = value
                .key()
                .and_then(|text| std::str::from_utf8(text).ok())
                .and_then(|text| text.trim().parse::<f64>().ok());
            match (number, value.kind) {
                (Some(number), _) if number.is_finite() => {
                    let series = self.strings.intern(key);
                    let tid = if key == b"value" || key == base.as_slice() {
                        name
                    } else {
                        self.strings.intern(&[base.as_slice(), " · ".as_bytes(), key].concat())
                    };
                    let track = Track { file, pid, tid, group: GroupKind::Process, kind: LaneKind::Counter };
                    let track = self.track_number(track);
                    self.samples.push(Sample { ts, track, name, series, value: number });
                    is_good = true;
                }
                (_, Kind::String) => is_bad = true,
                _ => {}
            }
        });
        if is_bad || !is_good {
            self.quality.note(Warning::Counter, Some(offset), || show_event(event));
        }
    }

    fn flow(&mut self, event: &Event<'_>, file: u16, ts: Ns, phase: u8, id: Option<Token<'_>>) {
        let cat = event.cat.and_then(|cat| cat.key()).unwrap_or(b"");
        let kind = if dialect::is_launch_flow(cat) {
            PointKind::Launch
        } else if dialect::is_forward_backward(cat) {
            PointKind::ForwardBackward
        } else {
            PointKind::Generic
        };
        let id = self.id(id);
        // Flows that a slice carries itself are joined by their id alone.
        let key = if matches!(event.phase, b's' | b't' | b'f') {
            (file, self.text(event.cat), self.name(event), id)
        } else {
            (file, StrId::MAX, StrId::MAX, id)
        };
        let next = self.flow_keys.len() as u32;
        let key = *self.flow_keys.entry(key).or_insert(next);
        let pid = self.text(event.pid);
        let tid = self.thread_of(event).0;
        let encloses = event.binds_enclosing || !matches!(event.phase, b'f');
        self.flows.push(FlowPoint { ts, key, pid, tid, phase, encloses, kind, file });
    }

    fn metadata(&mut self, event: &Event<'_>, file: u16) {
        let pid = self.text(event.pid);
        let (tid, layer) = self.thread_of(event);
        let mut wanted = None;
        let Some(args) = event.args else { return };
        members(args, |key, value| {
            if matches!(key, b"name" | b"labels" | b"sort_index") {
                wanted = Some(value);
            }
        });
        let Some(value) = wanted else { return };
        let number = value.key().and_then(|text| parse_scaled(text, 0));
        let text = self.text(Some(value));
        let process = self.processes.entry((file, pid));
        match event.name.map_or(b"".as_slice(), |name| name.text) {
            b"process_name" => process.or_default().name = text,
            b"process_labels" => process.or_default().labels = text,
            b"process_sort_index" => process.or_default().sort = number,
            b"thread_name" => self.threads.entry((file, pid, tid, layer)).or_default().name = text,
            b"thread_sort_index" => self.threads.entry((file, pid, tid, layer)).or_default().sort = number,
            _ => {}
        }
    }

    /// A time field in ns.
    #[inline]
    fn time(&mut self, token: Option<Token<'_>>, file: u16) -> Option<Ns> {
        let text = token?.key()?;
        let file = &mut self.files[file as usize];
        if !file.is_fine && text.contains(&b'.') {
            file.is_fine = true;
        }
        parse_us(text)
    }

    fn reach(&mut self, file: u16, from: Ns, to: Ns) {
        let reach = self.files[file as usize].reach.get_or_insert((from, to));
        *reach = (reach.0.min(from), reach.1.max(to));
    }

    /// A string's or number's text, interned; a missing or null value is the empty string.
    #[inline]
    pub(super) fn text(&mut self, token: Option<Token<'_>>) -> StrId {
        match token {
            Some(Token { kind: Kind::String, text }) if memchr::memchr(b'\\', text).is_some() => {
                self.strings.intern(&unescape(text).0)
            }
            Some(Token { kind: Kind::String | Kind::Number | Kind::Bool | Kind::NonFinite, text }) => {
                self.strings.intern(text)
            }
            _ => 0,
        }
    }

    fn id(&mut self, token: Option<Token<'_>>) -> StrId {
        token.map_or(0, |token| self.ids.intern(token.text))
    }

    #[inline]
    fn name(&mut self, event: &Event<'_>) -> StrId {
        match event.name {
            Some(Token { kind: Kind::String, text }) if event.hits.start_time.is_some() => {
                let text = dialect::paddle_name(text);
                self.text(Some(Token { kind: Kind::String, text }))
            }
            other => self.text(other),
        }
    }

    #[inline]
    fn class(&mut self, event: &Event<'_>) -> Class {
        let cat = self.text(event.cat) as usize;
        if cat >= self.classes.len() {
            self.classes.resize(cat + 1, None);
        }
        if let Some(class) = self.classes[cat] {
            return class;
        }
        let class = dialect::class(self.strings.bytes(cat as StrId));
        self.classes[cat] = Some(class);
        class
    }

    /// The thread id without Paddle's suffix, and the layer that the suffix names.
    #[inline]
    fn thread_of(&mut self, event: &Event<'_>) -> (StrId, Option<LaneKind>) {
        match event.tid {
            Some(Token { kind: Kind::String, text }) => {
                let (text, layer) = dialect::paddle_layer(text);
                (self.text(Some(Token { kind: Kind::String, text })), layer)
            }
            other => (self.text(other), None),
        }
    }

    #[inline]
    fn track(&mut self, event: &Event<'_>, file: u16, class: Class) -> u32 {
        let pid = self.text(event.pid);
        let (tid, layer) = self.thread_of(event);
        let kind = if class.group == GroupKind::Process { layer.unwrap_or(class.lane) } else { class.lane };
        self.track_number(Track { file, pid, tid, group: class.group, kind })
    }

    #[inline]
    pub(super) fn track_number(&mut self, track: Track) -> u32 {
        if let Some((last, number)) = self.last_track
            && last == track
        {
            return number;
        }
        let next = self.tracks.len() as u32;
        let number = *self.track_ids.entry(track).or_insert(next);
        if number == next {
            self.tracks.push(track);
        }
        self.last_track = Some((track, number));
        number
    }

    fn correlation(&mut self, token: Token<'_>) -> u32 {
        let number = token.key().and_then(|text| parse_scaled(text, 0)).and_then(|n| u64::try_from(n).ok());
        match number {
            None => 0,
            Some(small @ 0..0x8000_0000) => small as u32,
            Some(wide) => {
                let next = 0x8000_0000 + self.wide_correlations.len() as u32;
                *self.wide_correlations.entry(wide).or_insert(next)
            }
        }
    }
}

/// Phases that some known producer writes.
fn is_known(phase: u8) -> bool {
    b"XBEbneiIRCMsftSTpFPNODVvc()".contains(&phase)
}

/// Paddle's `"12.345 us"` in ns.
fn relative_start(token: Token<'_>) -> Option<Ns> {
    parse_us(token.text.strip_suffix(b" us")?)
}

/// An event in a few words, for an example.
fn show_event(event: &Event<'_>) -> String {
    let part = |token: Option<Token<'_>>| {
        let text = token.map_or(b"".as_slice(), |token| token.text);
        String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned()
    };
    let phase = if event.phase.is_ascii_graphic() { event.phase as char } else { '?' };
    format!("{phase} \"{}\" ts {} dur {}", part(event.name), part(event.ts), part(event.dur))
}
