//! Converting events by their type: each event is counted and checked against the time range, and becomes one
//! or more of the builder's inputs; none where its type is not shown or it cannot be used.
//!
//! Each event is converted by itself, without looking at others. Must not know rows.

use crate::import::build::{
    AsyncKind, AsyncPoint, BeginEnd, CounterSample, Flow, FlowEnd, FlowRole, Instant, MetaValue, Slice,
    ThreadMeta,
};
use crate::import::dialect;
use crate::model::{Category, GroupKind, LaneKind, Origin, SliceFlags, Warning};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, parse_scaled, parse_us};

use super::escapes::unescape;
use super::event::{Event, members};
use super::scan::{Kind, Token};
use super::translator::{Translator, show};

impl Translator {
    /// Converts the event at byte `offset` of the text and adds what is loaded of it to the builder. Counts
    /// an event that cannot be converted as dropped.
    #[inline]
    pub(super) fn event(&mut self, event: &Event<'_>, offset: u64) {
        if event.odd.any() {
            self.note_oddities(event.odd, offset, || show(event));
        }
        let event_type = event.event_type;
        if !is_known(event_type) {
            self.builder.drop_event(Warning::UnknownEventType, offset, || show(event));
            return;
        }
        self.builder.count(event_type);
        if event_type == b'M' {
            self.metadata(event);
            return;
        }
        let Some(ts) = self.start(event) else {
            self.builder.drop_event(Warning::BadTs, offset, || show(event));
            return;
        };
        if event_type == b'X' {
            self.complete(event, ts, offset);
            return;
        }
        match event_type {
            b'B' | b'E' | b'b' | b'e' | b'S' | b'F' => self.builder.lengthen(ts, ts),
            b'C' => return self.counter(event, ts, offset),
            // An arrow from a launch to its device work is a part of both.
            b's' | b't' | b'f' if role(event).is_launch() => {
                if self.builder.is_in_range(ts, ts) {
                    self.flow(event, ts, self.builder.origin(offset));
                }
                return;
            }
            // Samples, objects, memory dumps, clock syncs and contexts are counted by event type and not
            // shown.
            other if !is_shown(other) => {
                self.builder.is_in_range(ts, ts);
                return;
            }
            _ => {}
        }
        if self.builder.admits(ts, ts) {
            self.point(event, ts, offset);
        }
    }

    /// Converts and adds an event without a duration, such as an instant or the begin of a slice, at `ts`,
    /// ns.
    fn point(&mut self, event: &Event<'_>, ts: Ns, offset: u64) {
        let origin = self.builder.origin(offset);
        match event.event_type {
            b's' | b't' | b'f' => self.flow(event, ts, origin),
            b'i' | b'I' | b'R' => self.instant(event, ts, origin),
            b'B' | b'E' => self.begin_end(event, ts, origin),
            _ => self.async_point(event, ts, origin),
        }
    }

    /// Adds the slice of an `X` event at `ts`, ns, with the bytes that it copies or sets and the ends of
    /// flows that it states, unless it is outside the loaded time range. Counts and replaces a bad duration.
    #[inline]
    pub(super) fn complete(&mut self, event: &Event<'_>, ts: Ns, offset: u64) {
        let mut flags = SliceFlags::default();
        let dur = match event.quick.and_then(|quick| quick.dur).or_else(|| self.length(event, ts)) {
            Some(dur) if dur >= 0 && ts.checked_add(dur).is_some() => dur,
            unusable => {
                flags = SliceFlags::BAD_DURATION;
                if unusable.is_some_and(|dur| dur > 0) { Ns::MAX - ts } else { 0 }
            }
        };
        let is_bad = flags.has(SliceFlags::BAD_DURATION);
        if event.cat.is_some_and(|cat| dialect::is_profiler_span(cat.text)) {
            flags = flags.with(SliceFlags::PROFILER);
        } else if dur > 0 && !is_bad {
            self.builder.lengthen(ts, ts + dur);
        }
        if is_bad {
            self.builder.quality().note(Warning::BadDur, Some(offset), || show(event));
        }
        // What is known of the whole file does not depend on the range that is loaded.
        let relative = event.hits.start_time.and_then(relative_start);
        let is_relative = relative.is_some_and(|offset| self.builder.clock_sample(ts, offset));
        if !self.builder.admits(ts, ts + dur) {
            if event.hits.correlation.is_some() && !self.builder.has_correlations() {
                self.note_correlation(event);
            }
            return;
        }
        let (class, lane) = self.lane(event);
        let mut name = self.name(event);
        if class.category == Category::ProfileStep {
            name = self.paddle_step(name);
        }
        let facts = self.cache.names.facts(name, self.builder.strings());
        let mut category = dialect::refined(class, facts.category);
        if class.has_named_copies && facts.is_dma {
            category = Category::Memcpy;
        }
        if let Some(step) =
            event.hits.detail.filter(|_| event.is_step && category == Category::Other && event.cat.is_none())
        {
            (name, category) = (self.numbered_step(name, step), Category::ProfileStep);
        }
        if category == Category::Kernel && facts.communicates {
            flags = flags.with(SliceFlags::COMMUNICATION);
        }
        if category == Category::KernelLaunch {
            flags = flags.with(dialect::marks(event.cat.and_then(|cat| cat.key()).unwrap_or_default()));
        }
        let correlation = event.hits.correlation.map_or(0, |token| self.correlation(token));
        let origin = self.builder.origin(offset);
        let start = relative.filter(|_| is_relative).unwrap_or(ts);
        let slice =
            Slice { start, dur, origin, name, correlation, async_group: 0, category, flags, is_relative };
        self.builder.slice(lane, slice);
        if event.hits.bytes.is_some() {
            self.copied(event, category, name, (ts, dur), origin);
        }
        if event.bind_id.is_some() {
            if event.flow_in {
                self.carried_flow(event, ts, FlowEnd::Finish, origin);
            }
            if event.flow_out {
                self.carried_flow(event, ts, FlowEnd::Start, origin);
            }
        }
    }

    /// Notes that the file has correlation numbers, if `event` is device work with one.
    #[cold]
    fn note_correlation(&mut self, event: &Event<'_>) {
        let (class, _) = self.lane(event);
        let name = self.name(event);
        let facts = self.cache.names.facts(name, self.builder.strings());
        let correlation = event.hits.correlation.map_or(0, |token| self.correlation(token));
        self.builder.note_correlation(correlation, dialect::refined(class, facts.category));
    }

    /// Adds the begin (`B`) or end (`E`) of a slice at `ts`, ns, and the number of bytes that a begin states
    /// for a copy or memset.
    pub(super) fn begin_end(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let (class, lane) = self.lane(event);
        let name = event.name.map(|_| self.name(event));
        let in_name = name.and_then(|name| self.cache.names.facts(name, self.builder.strings()).category);
        let category = dialect::refined(class, in_name);
        let (has_args, is_begin) = (event.has_args, event.event_type == b'B');
        if let Some(name) = name.filter(|_| is_begin) {
            self.copied(event, category, name, (ts, 0), origin);
        }
        self.builder.begin_end(BeginEnd { ts, is_begin, lane, name, category, origin, has_args });
    }

    /// Adds one event of an asynchronous slice at `ts`, ns.
    pub(super) fn async_point(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let category = self.text(event.cat);
        let name = self.name(event);
        let pid = self.text(event.pid);
        let is_legacy = matches!(event.event_type, b'S' | b'T' | b'p' | b'F');
        let mut id = event.id;
        let mut scope = self.text(event.scope);
        if let Some(id2) = event.id2 {
            members(id2, |key, value| {
                id = Some(value);
                if key == b"local" {
                    // A local id is unique within its process only, so the process is part of the key.
                    scope = pid;
                }
            });
        }
        let id = self.id(id);
        let key_name = if is_legacy { name } else { StrId::EMPTY };
        let lane = self.builder.lane(pid, category, GroupKind::Process, LaneKind::Async);
        let kind = match event.event_type {
            b'b' | b'S' => AsyncKind::Begin,
            b'e' | b'F' => AsyncKind::End,
            _ => AsyncKind::Instant,
        };
        let point = AsyncPoint { ts, kind, category, key_name, id, scope, lane, name, origin };
        self.builder.async_point(point);
    }

    /// Adds an `i`, `I` or `R` event at `ts`, ns, as a memory event if it describes one, else as an instant.
    pub(super) fn instant(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let (_, lane) = self.lane(event);
        if let Some(allocation) = self.allocation(event, ts, lane, origin) {
            self.builder.allocation(allocation);
        } else {
            let name = self.name(event);
            self.builder.instant(Instant { ts, lane, name, origin });
        }
    }

    /// Adds a sample for each series of a `C` event if its time `ts`, ns, is in the loaded time range. Counts
    /// a warning without a series, or for a string that is no finite number.
    pub(super) fn counter(&mut self, event: &Event<'_>, ts: Ns, offset: u64) {
        let mut series = Vec::new();
        let mut is_bad = false;
        members(event.args.unwrap_or(Token { kind: Kind::Null, text: b"" }), |key, value| {
            let number = value
                .key()
                .and_then(|text| std::str::from_utf8(text).ok())
                .and_then(|text| text.trim().parse::<f64>().ok());
            match (number, value.kind) {
                (Some(number), _) if number.is_finite() => series.push((unescape(key).0, number)),
                (_, Kind::String) => is_bad = true,
                _ => {}
            }
        });
        if is_bad || series.is_empty() {
            self.builder.quality().note(Warning::Counter, Some(offset), || show(event));
        }
        let is_loaded =
            if series.is_empty() { self.builder.is_in_range(ts, ts) } else { self.builder.admits(ts, ts) };
        if !is_loaded {
            return;
        }
        let pid = self.text(event.pid);
        let mut base = event.name.map_or(Vec::new(), |name| unescape(name.text).0);
        if let Some(id) = event.id.and_then(|id| id.key()) {
            base.push(b' ');
            base.extend_from_slice(id);
        }
        let name = self.builder.intern(&base);
        for (at, (key, value)) in series.iter().enumerate() {
            let series = self.builder.intern(key);
            let title = if key == b"value" || *key == base {
                name
            } else {
                self.builder.intern(&[base.as_slice(), " · ".as_bytes(), key].concat())
            };
            let lane = self.builder.lane(pid, title, GroupKind::Process, LaneKind::Counter);
            let (value, is_first) = (*value, at == 0);
            self.builder.counter(CounterSample { ts, lane, name, series, value, is_first });
        }
    }

    /// Adds the `s`, `t` or `f` event of a flow at `ts`, ns, if flows of its role are needed.
    pub(super) fn flow(&mut self, event: &Event<'_>, ts: Ns, origin: Origin) {
        let role = role(event);
        if !self.builder.wants_flow(role) {
            return;
        }
        let id = self.id(event.id);
        let (category, name) = (self.text(event.cat), self.name(event));
        let pid = self.text(event.pid);
        let tid = self.thread_of(event).0;
        let (end, encloses) = match event.event_type {
            b's' => (FlowEnd::Start, true),
            b't' => (FlowEnd::Step, true),
            _ => (FlowEnd::Finish, event.binds_enclosing),
        };
        let is_carried = false;
        let flow = Flow { ts, id, category, name, pid, tid, origin, end, encloses, is_carried, role };
        self.builder.flow(flow);
    }

    /// Adds the start or finish (`end`) of a flow that a slice's event states by its `bind_id`, at `ts`, ns,
    /// if flows of its role are needed.
    fn carried_flow(&mut self, event: &Event<'_>, ts: Ns, end: FlowEnd, origin: Origin) {
        let role = role(event);
        if !self.builder.wants_flow(role) {
            return;
        }
        let id = self.id(event.bind_id);
        let (category, name) = (StrId::NONE, StrId::NONE);
        let pid = self.text(event.pid);
        let tid = self.thread_of(event).0;
        let (encloses, is_carried) = (true, true);
        let flow = Flow { ts, id, category, name, pid, tid, origin, end, encloses, is_carried, role };
        self.builder.flow(flow);
    }

    /// Adds the name or the sort order of a process or thread that an `M` event (metadata) states; ignores
    /// other metadata.
    pub(super) fn metadata(&mut self, event: &Event<'_>) {
        let pid = self.text(event.pid);
        let (tid, layer) = self.thread_of(event);
        let mut wanted = None;
        let Some(args) = event.args else { return };
        members(args, |key, value| {
            if matches!(key, b"name" | b"sort_index" | b"labels") {
                wanted = Some(value);
            }
        });
        let Some(value) = wanted else { return };
        let sort = MetaValue::SortIndex(value.key().and_then(|text| parse_scaled(text, 0)));
        let (thread, value) = match event.name.map_or(b"".as_slice(), |name| name.text) {
            b"process_name" => (None, MetaValue::Name(self.text(Some(value)))),
            b"process_labels" if dialect::is_device_title(value.text) => {
                (None, MetaValue::Name(self.text(Some(value))))
            }
            b"process_sort_index" => (None, sort),
            b"thread_name" => (Some((tid, layer)), MetaValue::Name(self.thread_name(value, tid))),
            b"thread_sort_index" => (Some((tid, layer)), sort),
            _ => return,
        };
        self.builder.thread_meta(ThreadMeta { pid, thread, value });
    }
}

/// True for the event types that loading knows, shown or not; events of other types are dropped.
fn is_known(event_type: u8) -> bool {
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
    KNOWN[event_type as usize]
}

/// True for event types of which something is shown; `X` and `M` are not asked about.
fn is_shown(event_type: u8) -> bool {
    b"sBEbneiIRCtfSTpF".contains(&event_type)
}

/// The role of the flow to which `event` belongs, by the event's category; [`FlowRole::Generic`] for any
/// unknown one.
fn role(event: &Event<'_>) -> FlowRole {
    let category = event.cat.and_then(|cat| cat.key()).unwrap_or(b"");
    if dialect::is_queue_flow(category) {
        FlowRole::Queue
    } else if dialect::is_launch_flow(category) {
        FlowRole::Launch
    } else if dialect::is_runtime_launch_flow(category) {
        FlowRole::RuntimeLaunch
    } else if dialect::is_forward_backward(category) {
        FlowRole::ForwardBackward
    } else {
        FlowRole::Generic
    }
}

/// Parses Paddle's `start_time`, such as `12.345 us`, to ns; `None` for a text in any other form.
fn relative_start(token: Token<'_>) -> Option<Ns> {
    parse_us(token.text.strip_suffix(b" us")?)
}
