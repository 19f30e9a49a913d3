//! From an event's tokens to times, strings, tracks and numbers.
//!
//! Each string is interned once; what is looked up for every event is remembered. Must not know phases.

use crate::base::intern::StrId;
use crate::base::time::{Ns, parse_scaled, parse_us};
use crate::import::chrome::dialect::{self, Class};
use crate::import::chrome::event::Event;
use crate::import::chrome::scan::{Kind, Token, unescape};
use crate::model::{Category, GroupKind, LaneKind};

use super::batch::{FlowId, Track};
use super::clerk::Clerk;

/// What a name says by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameFacts {
    /// The stage that it marks, where stages are marked by names.
    pub stage: Option<Category>,
    /// True for a kernel that communicates between devices.
    pub communicates: bool,
}

/// Class and track of the last event of a shape: the next one nearly always has the same process and thread.
#[derive(Debug)]
pub(super) struct Known {
    class: Class,
    pid: Short,
    tid: Short,
    track: u32,
}

/// A short text, held in place.
#[derive(Debug)]
struct Short {
    bytes: [u8; 22],
    len: u8,
}

impl Short {
    fn of(token: Option<Token<'_>>) -> Option<Self> {
        let text = token?.key()?;
        let mut bytes = [0; 22];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self { bytes, len: text.len() as u8 })
    }

    #[inline]
    fn is(&self, token: Option<Token<'_>>) -> bool {
        token.is_some_and(|token| {
            matches!(token.kind, Kind::String | Kind::Number)
                && token.text == &self.bytes[..usize::from(self.len)]
        })
    }
}

impl Clerk {
    /// The event's `ts` in ns.
    #[inline]
    pub(super) fn start(&mut self, event: &Event<'_>) -> Option<Ns> {
        let Some(quick) = event.quick else { return self.time(event.ts) };
        self.batch.is_fine |= quick.has_point;
        Some(quick.ts)
    }

    /// A time field in ns.
    #[inline]
    pub(super) fn time(&mut self, token: Option<Token<'_>>) -> Option<Ns> {
        let text = token?.key()?;
        if !self.batch.is_fine && text.contains(&b'.') {
            self.batch.is_fine = true;
        }
        parse_us(text)
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

    pub(super) fn id(&mut self, token: Option<Token<'_>>) -> FlowId {
        let text = token.map_or(b"".as_slice(), |token| token.text);
        FlowId::number(text).unwrap_or_else(|| FlowId::text(self.ids.intern(text)))
    }

    #[inline]
    pub(super) fn name(&mut self, event: &Event<'_>) -> StrId {
        match event.name {
            Some(Token { kind: Kind::String, text }) if event.hits.start_time.is_some() => {
                let text = dialect::paddle_name(text);
                self.text(Some(Token { kind: Kind::String, text }))
            }
            // A shape's name has no escapes.
            Some(Token { text, .. }) if event.quick.is_some() => self.strings.intern(text),
            other => self.text(other),
        }
    }

    /// What the name says; each is looked at once.
    #[inline]
    pub(super) fn facts(&mut self, name: StrId) -> NameFacts {
        if let Some(Some(facts)) = self.facts.get(name as usize) {
            return *facts;
        }
        let text = self.strings.bytes(name);
        let facts =
            NameFacts { stage: dialect::stage(text), communicates: dialect::is_communication_kernel(text) };
        self.facts.resize(self.strings.len(), None);
        self.facts[name as usize] = Some(facts);
        facts
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
    pub(super) fn thread_of(&mut self, event: &Event<'_>) -> (StrId, Option<LaneKind>) {
        match event.tid {
            Some(Token { kind: Kind::String, text }) => {
                let (text, layer) = dialect::paddle_layer(text);
                (self.text(Some(Token { kind: Kind::String, text })), layer)
            }
            other => (self.text(other), None),
        }
    }

    /// The event's class, and the track that it lies on.
    #[inline]
    pub(super) fn place(&mut self, event: &Event<'_>) -> (Class, u32) {
        let shape = event.quick.map(|quick| quick.shape as usize);
        if let Some(Some(known)) = shape.and_then(|shape| self.known.get(shape))
            && known.pid.is(event.pid)
            && known.tid.is(event.tid)
        {
            return (known.class, known.track);
        }
        let class = self.class(event);
        let pid = self.text(event.pid);
        let (tid, layer) = self.thread_of(event);
        let kind = if class.group == GroupKind::Process { layer.unwrap_or(class.lane) } else { class.lane };
        let track = self.track_number(Track { file: self.file, pid, tid, group: class.group, kind });
        if let (Some(shape), Some(pid), Some(tid)) = (shape, Short::of(event.pid), Short::of(event.tid)) {
            if shape >= self.known.len() {
                self.known.resize_with(shape + 1, || None);
            }
            self.known[shape] = Some(Known { class, pid, tid, track });
        }
        (class, track)
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

    pub(super) fn correlation(&mut self, token: Token<'_>) -> u32 {
        let number = token.key().and_then(|text| parse_scaled(text, 0)).and_then(|n| u64::try_from(n).ok());
        number.map_or(0, |number| self.tie(number))
    }

    /// A correlation number as a column holds it.
    pub(super) fn tie(&mut self, number: u64) -> u32 {
        match number {
            small @ 0..WIDE => small as u32,
            wide => {
                let next = WIDE as u32 + self.wide.len() as u32;
                let number = *self.wide.entry(wide).or_insert(next);
                if number == next {
                    self.batch.wide.push(wide);
                }
                number
            }
        }
    }
}

/// Correlation numbers from here on are numbered anew, from here on.
pub(super) const WIDE: u64 = 0x8000_0000;
