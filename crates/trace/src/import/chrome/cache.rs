//! Cache of a translator: the results of look-ups for strings and templates.

use rustc_hash::FxHashMap;

use crate::import::dialect::{Class, NameCache};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

use super::scan::{Kind, Token};

/// Results of look-ups, by the numbers of strings, templates and devices. Strings and lanes have the event
/// builder's numbers, so the cache must be emptied whenever the builder's tables are.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pub names: NameCache,
    /// The class of each category looked up so far, indexed by the number of the category's string; `None`
    /// for other strings.
    pub classes: Vec<Option<Class>>,
    /// The class and lane that were looked up last for an event of each template, indexed by the number of
    /// the template's last node; `None` where none is known.
    pub lanes: Vec<Option<TemplateLane>>,
    /// For a device number of Kineto's memory events: the name shown for the device's memory (`device 0`),
    /// and the number as text (`0`), both interned.
    pub devices: FxHashMap<i64, (StrId, StrId)>,
}

/// Class and lane of an event read by a template, with its process and thread id: further events of the
/// template with the same ids have the same class and lane.
#[derive(Debug)]
pub(super) struct TemplateLane {
    pub class: Class,
    pub pid: Short,
    pub tid: Short,
    pub lane: u32,
}

/// A text of at most 22 bytes, stored without an allocation.
#[derive(Debug)]
pub(super) struct Short {
    bytes: [u8; 22],
    len: u8,
}

impl Short {
    /// The text of a string or number; `None` for any other value, for no token, and for a text of more than
    /// 22 bytes.
    pub(super) fn of(token: Option<Token<'_>>) -> Option<Self> {
        let text = token?.key()?;
        let mut bytes = [0; 22];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self { bytes, len: saturate::<u8>(text.len()) })
    }

    /// Whether `token` is a string or number with exactly this text; false for `None`.
    #[inline]
    pub(super) fn is(&self, token: Option<Token<'_>>) -> bool {
        token.is_some_and(|token| {
            matches!(token.kind, Kind::String | Kind::Number)
                && token.text == &self.bytes[..usize::from(self.len)]
        })
    }
}
