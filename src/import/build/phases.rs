//! What each phase letter does with its event.
//!
//! One event at a time: nothing here looks at two together. Must not know lanes or rows.

use crate::base::intern::StrId;
use crate::base::time::{Ns, parse_scaled, parse_us};
use crate::import::chrome::dialect;
use crate::import::chrome::event::{Event, members};
use crate::import::chrome::scan::{Kind, Token, unescape};
use crate::model::{Category, GroupKind, LaneKind, Origin, SliceFlags, Warning};

use super::pair::{AsyncPoint, BeginEnd};
use super::stage::{FlowPoint, PointKind, Sample, Stage, Staged, StagedInstant, Track, show_event};

impl Stage {
    #[inline]
    pub(super) fn complete(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
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
        if correlation != 0 && category.is_device_work() {
            self.files[file as usize].has_correlations = true;
        }
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
                self.flow(event, file, ts, b'f', Some(id), origin);
            }
            if event.flow_out {
                self.flow(event, file, ts, b's', Some(id), origin);
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

    pub(super) fn begin_end(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
        let class = self.class(event);
        let name = event.name.map(|_| self.name(event));
        let track = self.track(event, file, class);
        let category = dialect::refine(class, name.map_or(b"".as_slice(), |name| self.strings.bytes(name)));
        let has_args = event.args.is_some();
        let is_begin = event.phase == b'B';
        self.begin_ends.push(BeginEnd { ts, is_begin, track, name, category, origin, has_args });
    }

    pub(super) fn async_point(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
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

    pub(super) fn instant(&mut self, event: &Event<'_>, file: u16, ts: Ns, origin: Origin) {
        let class = self.class(event);
        let name = self.name(event);
        let track = self.track(event, file, class);
        if let Some(memory) = self.memory_event(event, ts, track, origin) {
            self.memory.push(memory);
        } else {
            self.instants.push(StagedInstant { ts, track, name, origin });
        }
    }

    pub(super) fn counter(&mut self, event: &Event<'_>, file: u16, ts: Ns, offset: u64) {
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

    pub(super) fn flow(
        &mut self,
        event: &Event<'_>,
        file: u16,
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
        if kind == PointKind::Launch && self.files[file as usize].has_correlations {
            return;
        }
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
        self.flows.push(FlowPoint { ts, key, pid, tid, phase, encloses, kind, file, carrier });
    }

    pub(super) fn metadata(&mut self, event: &Event<'_>, file: u16) {
        let pid = self.text(event.pid);
        let (tid, layer) = self.thread_of(event);
        let mut wanted = None;
        let Some(args) = event.args else { return };
        members(args, |key, value| {
            if matches!(key, b"name" | b"sort_index") {
                wanted = Some(value);
            }
        });
        let Some(value) = wanted else { return };
        let number = value.key().and_then(|text| parse_scaled(text, 0));
        let text = self.text(Some(value));
        let process = self.processes.entry((file, pid));
        match event.name.map_or(b"".as_slice(), |name| name.text) {
            b"process_name" => process.or_default().name = text,
            b"process_sort_index" => process.or_default().sort = number,
            b"thread_name" => self.threads.entry((file, pid, tid, layer)).or_default().name = text,
            b"thread_sort_index" => self.threads.entry((file, pid, tid, layer)).or_default().sort = number,
            _ => {}
        }
    }
}

/// Paddle's `"12.345 us"` in ns.
fn relative_start(token: Token<'_>) -> Option<Ns> {
    parse_us(token.text.strip_suffix(b" us")?)
}
