//! Resolving an event's tokens to times, strings, lanes and numbers.

use crate::import::build::FlowId;
use crate::import::dialect::{self, Class};
use crate::model::nodetree::{PADDLE_STEP, TORCH_STEP};
use crate::model::{GroupKind, LaneKind};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, parse_scaled, parse_us};

use super::cache::{Short, TemplateLane};
use super::escapes::unescape;
use super::event::Event;
use super::scan::{Kind, Token};
use super::translator::Translator;

/// The id of a device whose number the producer does not state.
const UNKNOWN_DEVICE: &[u8] = b"?";

/// Converts decimal µs to ns. What has digits below a ns goes by ps, since XLA writes whole ps as doubles:
/// half a ns as `0.00049999999999`.
fn nanoseconds(text: &[u8]) -> Option<Ns> {
    let by_ps = if is_below_ns(text) { parse_scaled(text, 6).map(rounded) } else { None };
    by_ps.or_else(|| parse_us(text))
}

/// True if decimal µs may have digits below a ns.
fn is_below_ns(text: &[u8]) -> bool {
    match memchr::memchr3(b'.', b'e', b'E', text) {
        Some(at) => text[at] != b'.' || text.len() - at > 4,
        None => false,
    }
}

/// The ns nearest to a time in ps.
fn rounded(ps: i64) -> Ns {
    ps.div_euclid(1_000) + i64::from(ps.rem_euclid(1_000) >= 500)
}

impl Translator {
    /// The event's `ts`, in ns; `None` when it is missing or invalid. Notes a decimal point in it.
    #[inline]
    pub(super) fn start(&mut self, event: &Event<'_>) -> Option<Ns> {
        let Some(quick) = event.quick else { return self.time(event.ts) };
        self.builder.set_fine(quick.has_point);
        Some(quick.ts)
    }

    /// Converts a time field of the file from µs to ns; `None` when it is missing or invalid. Notes a decimal
    /// point in it.
    #[inline]
    pub(super) fn time(&mut self, token: Option<Token<'_>>) -> Option<Ns> {
        let text = token?.key()?;
        self.builder.set_fine(text.contains(&b'.'));
        nanoseconds(text)
    }

    /// The length of an event that begins at `start`, ns; `None` when it is missing or invalid. Where times
    /// are finer than ns, the end is rounded and not the length, so that events without a gap have none.
    pub(super) fn length(&mut self, event: &Event<'_>, start: Ns) -> Option<Ns> {
        let dur = self.time(event.dur)?;
        let has_fine =
            |token: Option<Token<'_>>| token.and_then(|token| token.key()).is_some_and(is_below_ns);
        if !has_fine(event.ts) && !has_fine(event.dur) {
            return Some(dur);
        }
        let ps = |token: Option<Token<'_>>| parse_scaled(token?.key()?, 6);
        let fine = ps(event.ts).zip(ps(event.dur)).filter(|&(ts, dur)| ts % 1_000 != 0 || dur % 1_000 != 0);
        let end = fine.and_then(|(ts, dur)| Some(rounded(ts.checked_add(dur)?)));
        Some(end.map_or(dur, |end| end.saturating_sub(start)))
    }

    /// Interns the text of a string, number, boolean or the like; a missing, null or nested value gives the
    /// empty string.
    #[inline]
    pub(super) fn text(&mut self, token: Option<Token<'_>>) -> StrId {
        match token {
            Some(Token { kind: Kind::String, text }) if memchr::memchr(b'\\', text).is_some() => {
                self.builder.intern(&unescape(text).0)
            }
            Some(Token { kind: Kind::String | Kind::Number | Kind::Bool | Kind::NonFinite, text }) => {
                self.builder.intern(text)
            }
            _ => StrId::EMPTY,
        }
    }

    /// The id of a flow or asynchronous slice, from the token's text; a missing token counts as empty text.
    pub(super) fn id(&mut self, token: Option<Token<'_>>) -> FlowId {
        self.builder.flow_id(token.map_or(b"".as_slice(), |token| token.text))
    }

    /// The event's name, interned; of an event that has Paddle's argument for its start, without the duration
    /// that Paddle appends to the name.
    #[allow(clippy::inline_always, reason = "called for every event; measured")]
    #[inline(always)]
    pub(super) fn name(&mut self, event: &Event<'_>) -> StrId {
        match event.name {
            Some(Token { kind: Kind::String, text }) if event.hits.start_time.is_some() => {
                let text = dialect::paddle_name(text);
                self.text(Some(Token { kind: Kind::String, text }))
            }
            // Names read by a template have no escapes.
            Some(Token { text, .. }) if event.quick.is_some() => self.builder.intern(text),
            other => self.text(other),
        }
    }

    /// Renames PyTorch's step `ProfilerStep#7` to Paddle's `ProfileStep#7`; other names stay as they are.
    pub(super) fn paddle_step(&mut self, name: StrId) -> StrId {
        let text = self.builder.strings().bytes(name);
        let Some(number) = text.strip_prefix(TORCH_STEP.as_bytes()) else { return name };
        let own = [PADDLE_STEP.as_bytes(), number].concat();
        self.builder.intern(&own)
    }

    /// The name of XLA's step with the number `step`: `train#7`.
    #[cold]
    pub(super) fn numbered_step(&mut self, name: StrId, step: Token<'_>) -> StrId {
        let name = self.builder.strings().bytes(name);
        // xprof's files have the number in the name, too.
        let bare = name.strip_suffix(step.text).and_then(|name| name.strip_suffix(b" ")).unwrap_or(name);
        let own = [bare, b"#", step.text].concat();
        self.builder.intern(&own)
    }

    /// Interns the name of thread `tid`; of a name in Paddle's form, such as `thread 7:worker(C++)`, only
    /// `worker`.
    pub(super) fn thread_name(&mut self, name: Token<'_>, tid: StrId) -> StrId {
        let whole = self.text(Some(name));
        let strings = self.builder.strings();
        let bare = dialect::paddle_thread_name(strings.bytes(whole), strings.bytes(tid));
        if bare.len() == strings.bytes(whole).len() {
            return whole;
        }
        let bare = bare.to_vec();
        self.builder.intern(&bare)
    }

    #[inline]
    fn class(&mut self, event: &Event<'_>) -> Class {
        let category = self.text(event.cat);
        let classes = &mut self.cache.classes;
        let at = category.index();
        if at >= classes.len() {
            classes.resize(at + 1, None);
        }
        *classes[at].get_or_insert_with(|| dialect::class(self.builder.strings().bytes(category)))
    }

    /// The event's thread id, interned without Paddle's suffix, and the kind of lane that the suffix stands
    /// for; `None` without a suffix.
    #[inline]
    pub(super) fn thread_of(&mut self, event: &Event<'_>) -> (StrId, Option<LaneKind>) {
        match event.tid {
            Some(Token { kind: Kind::String, text }) => {
                let (text, layer) = dialect::paddle_layer(text);
                (self.text(Some(Token { kind: Kind::String, text })), layer)
            }
            other => (self.text(other), None),
        }
    }

    /// The class of the event's category, and the number of the event's lane; adds a new lane to the builder.
    #[allow(clippy::inline_always, reason = "called for every event; measured")]
    #[inline(always)]
    pub(super) fn lane(&mut self, event: &Event<'_>) -> (Class, u32) {
        let template = event.quick.map(|quick| quick.template as usize);
        if let Some(Some(known)) = template.and_then(|template| self.cache.lanes.get(template))
            && known.pid.is(event.pid)
            && known.tid.is(event.tid)
        {
            return (known.class, known.lane);
        }
        self.find_lane(event, template)
    }

    /// As [`Translator::lane`], where the event's `template` does not have the lane yet.
    #[inline(never)]
    fn find_lane(&mut self, event: &Event<'_>, template: Option<usize>) -> (Class, u32) {
        let class = self.class(event);
        let is_onnx = class.lane == LaneKind::Stream && event.cat.is_some_and(|cat| cat.text == b"Kernel");
        if let Some(stream) = event.hits.detail.filter(|stream| is_onnx && stream.kind == Kind::String) {
            // ONNX Runtime writes device work on the thread that called it, and does not state the device. As
            // events of one template may have any stream, the template keeps no lane.
            let (pid, tid) = (self.builder.intern(UNKNOWN_DEVICE), self.text(Some(stream)));
            return (class, self.builder.lane(pid, tid, class.group, class.lane));
        }
        let pid = self.text(event.pid);
        let (tid, layer) = self.thread_of(event);
        let kind = if class.group == GroupKind::Process { layer.unwrap_or(class.lane) } else { class.lane };
        let lane = self.builder.lane(pid, tid, class.group, kind);
        if let (Some(template), Some(pid), Some(tid)) = (template, Short::of(event.pid), Short::of(event.tid))
        {
            if template >= self.cache.lanes.len() {
                self.cache.lanes.resize_with(template + 1, || None);
            }
            self.cache.lanes[template] = Some(TemplateLane { class, pid, tid, lane });
        }
        (class, lane)
    }

    /// The correlation number that a slice stores for the argument `token`; 0 when the value is no usable
    /// number.
    #[inline]
    pub(super) fn correlation(&mut self, token: Token<'_>) -> u32 {
        let number = token.key().and_then(|text| parse_scaled(text, 0)).and_then(|n| u64::try_from(n).ok());
        number.map_or(0, |number| self.builder.correlation(number))
    }
}
