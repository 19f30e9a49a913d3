//! What each phase letter does with its event.
//!
//! One event at a time: nothing here looks at two together. Must not know lanes or rows.

use crate::base::intern::StrId;
use crate::base::time::{Ns, parse_scaled, parse_us};
use crate::import::chrome::dialect;
use crate::import::chrome::event::{Event, members};
use crate::import::chrome::scan::{Kind, Token, unescape};
use crate::model::{Category, GroupKind, LaneKind, Origin, SliceFlags, Warning};

use super::batch::{
    ClockBounds, FlowPoint, NameTag, PointKind, Sample, Staged, StagedInstant, TagValue, Track,
};
use super::clerk::{Clerk, Pile, show_event};
use super::clock;
use super::pair::{AsyncPoint, BeginEnd};

impl Clerk {
    #[inline]
    pub(super) fn complete(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let mut flags = SliceFlags::default();
        let dur = match event.quick.and_then(|quick| quick.dur).or_else(|| self.time(event.dur)) {
            Some(dur) if dur >= 0 && ts.checked_add(dur).is_some() => dur,
            unusable => {
                flags = SliceFlags::BAD_DURATION;
                self.batch.quality.note(Warning::BadDur, Some(origin.offset()), || show_event(event));
                if unusable.is_some_and(|dur| dur > 0) { Ns::MAX - ts } else { 0 }
            }
        };
        self.reach(ts, ts + dur);
        if ts + dur < self.gate.from() {
            self.batch.outside += 1;
            return;
        }
        let (class, track) = self.place(event);
        let name = self.name(event);
        let facts = self.facts(name);
        let category = dialect::refined(class, facts.stage);
        if category == Category::Kernel && facts.communicates {
            flags = flags.with(SliceFlags::COMMUNICATION);
        }
        if category == Category::KernelLaunch {
            flags = flags.with(dialect::marks(event.cat.and_then(|cat| cat.key()).unwrap_or_default()));
        }
        let tie = event.hits.correlation.map_or(0, |token| self.correlation(token));
        if tie != 0 && category.is_device_work() {
            self.batch.has_correlations = true;
        }
        let relative = event.hits.start_time.and_then(relative_start);
        let mut staged = Staged { start: ts, dur, origin, name, tie, category, flags, is_relative: false };
        if let Some(offset) = relative {
            self.bound_clock(ts, offset);
            if offset < clock::FLOAT_LIMIT {
                (staged.start, staged.is_relative) = (offset, true);
            }
        }
        self.pile(track, staged);
        if let Some(id) = event.bind_id {
            if event.flow_in {
                self.flow(event, ts, b'f', Some(id), origin);
            }
            if event.flow_out {
                self.flow(event, ts, b's', Some(id), origin);
            }
        }
    }

    #[inline]
    pub(super) fn pile(&mut self, track: u32, slice: Staged) {
        if track as usize >= self.piles.len() {
            self.piles.resize_with(self.tracks.len(), Pile::default);
        }
        let pile = &mut self.piles[track as usize];
        if pile.slices.is_empty() {
            self.touched.push(track);
        }
        pile.has_steps |= slice.category == Category::ProfileStep;
        pile.slices.push(slice);
    }

    /// Notes what an event's floored time and its offset say about the start of Paddle's trace.
    fn bound_clock(&mut self, ts: Ns, offset: Ns) {
        let low = ts.saturating_sub(offset);
        let first = ClockBounds { first: low, low: Ns::MIN, high: Ns::MAX, is_fine: false };
        let bounds = self.batch.clock.get_or_insert(first);
        bounds.is_fine |= ts % 1_000 != 0;
        if offset < clock::FLOAT_LIMIT {
            bounds.low = bounds.low.max(low);
            bounds.high = bounds.high.min(low.saturating_add(clock::FLOORED));
        }
    }

    pub(super) fn begin_end(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let (class, track) = self.place(event);
        let name = event.name.map(|_| self.name(event));
        let category = dialect::refined(class, name.and_then(|name| self.facts(name).stage));
        let (has_args, is_begin) = (event.has_args, event.phase == b'B');
        self.batch.begin_ends.push(BeginEnd { ts, is_begin, track, name, category, origin, has_args });
    }

    pub(super) fn async_point(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
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
        let key_name = if is_legacy { name } else { 0 };
        let (file, group, kind) = (self.file, GroupKind::Process, LaneKind::Async);
        let track = self.track_number(Track { file, pid, tid: cat, group, kind });
        let phase = event.phase;
        self.batch.async_points.push(AsyncPoint { ts, phase, cat, key_name, id, scope, track, name, origin });
    }

    pub(super) fn instant(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let (_, track) = self.place(event);
        if let Some(memory) = self.memory_event(event, ts, track, origin) {
            self.batch.memory.push(memory);
        } else {
            let name = self.name(event);
            self.batch.instants.push(StagedInstant { ts, track, name, origin });
        }
    }

    pub(super) fn counter(&mut self, event: &Event<'_>, ts: Ns, offset: u64) {
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
                    let track = Track {
                        file: self.file,
                        pid,
                        tid,
                        group: GroupKind::Process,
                        kind: LaneKind::Counter,
                    };
                    let track = self.track_number(track);
                    self.batch.samples.push(Sample { ts, track, name, series, value: number });
                    is_good = true;
                }
                (_, Kind::String) => is_bad = true,
                _ => {}
            }
        });
        if is_bad || !is_good {
            self.batch.quality.note(Warning::Counter, Some(offset), || show_event(event));
        }
    }

    pub(super) fn flow(
        &mut self,
        event: &Event<'_>,
        ts: Ns,
        phase: u8,
        id: Option<Token<'_>>,
        carrier: Origin,
    ) {
        let cat = event.cat.and_then(|cat| cat.key()).unwrap_or(b"");
        let kind = if dialect::is_launch_flow(cat) {
            PointKind::Launch
        } else if dialect::is_forward_backward(cat) {
            PointKind::ForwardBackward
        } else {
            PointKind::Generic
        };
        if kind == PointKind::Launch && self.batch.has_correlations {
            return;
        }
        let id = self.id(id);
        // Flows that a slice carries itself are joined by their id alone.
        let (cat, name) = if matches!(event.phase, b's' | b't' | b'f') {
            (self.text(event.cat), self.name(event))
        } else {
            (StrId::MAX, StrId::MAX)
        };
        let pid = self.text(event.pid);
        let tid = self.thread_of(event).0;
        let encloses = event.binds_enclosing || !matches!(event.phase, b'f');
        let file = self.file;
        let point = FlowPoint { ts, id, cat, name, pid, tid, file, phase, encloses, kind, carrier };
        self.batch.flows.push(point);
    }

    pub(super) fn metadata(&mut self, event: &Event<'_>) {
        let pid = self.text(event.pid);
        let thread = self.thread_of(event);
        let mut wanted = None;
        let Some(args) = event.args else { return };
        members(args, |key, value| {
            if matches!(key, b"name" | b"sort_index") {
                wanted = Some(value);
            }
        });
        let Some(value) = wanted else { return };
        let sort = TagValue::Sort(value.key().and_then(|text| parse_scaled(text, 0)));
        let (thread, what) = match event.name.map_or(b"".as_slice(), |name| name.text) {
            b"process_name" => (None, TagValue::Name(self.text(Some(value)))),
            b"process_sort_index" => (None, sort),
            b"thread_name" => (Some(thread), TagValue::Name(self.text(Some(value)))),
            b"thread_sort_index" => (Some(thread), sort),
            _ => return,
        };
        self.batch.tags.push(NameTag { pid, thread, what });
    }
}

/// Paddle's `"12.345 us"` in ns.
fn relative_start(token: Token<'_>) -> Option<Ns> {
    parse_us(token.text.strip_suffix(b" us")?)
}
