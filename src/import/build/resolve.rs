//! From an event's tokens to times, strings, tracks and numbers.
//!
//! Each string is interned once; what is looked up for every event is remembered. Must not know phases.

use crate::base::intern::StrId;
use crate::base::time::{Ns, parse_scaled, parse_us};
use crate::import::chrome::dialect::{self, Class};
use crate::import::chrome::event::Event;
use crate::import::chrome::scan::{Kind, Token, unescape};
use crate::model::{GroupKind, LaneKind};

use super::stage::{Stage, Track};

impl Stage {
    /// A time field in ns.
    #[inline]
    pub(super) fn time(&mut self, token: Option<Token<'_>>, file: u16) -> Option<Ns> {
        let text = token?.key()?;
        let file = &mut self.files[file as usize];
        if !file.is_fine && text.contains(&b'.') {
            file.is_fine = true;
        }
        parse_us(text)
    }

    pub(super) fn reach(&mut self, file: u16, from: Ns, to: Ns) {
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

    pub(super) fn id(&mut self, token: Option<Token<'_>>) -> StrId {
        token.map_or(0, |token| self.ids.intern(token.text))
    }

    #[inline]
    pub(super) fn name(&mut self, event: &Event<'_>) -> StrId {
        match event.name {
            Some(Token { kind: Kind::String, text }) if event.hits.start_time.is_some() => {
                let text = dialect::paddle_name(text);
                self.text(Some(Token { kind: Kind::String, text }))
            }
            other => self.text(other),
        }
    }

    #[inline]
    pub(super) fn class(&mut self, event: &Event<'_>) -> Class {
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

    #[inline]
    pub(super) fn track(&mut self, event: &Event<'_>, file: u16, class: Class) -> u32 {
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

    pub(super) fn correlation(&mut self, token: Token<'_>) -> u32 {
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
