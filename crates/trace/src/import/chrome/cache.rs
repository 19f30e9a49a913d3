//! Cache of a translator: the results of look-ups for strings and templates.

use rustc_hash::FxHashMap;

use crate::import::dialect::{Class, NameCache};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

use super::scan::{Kind, Token};

/// Results of a translator's look-ups. The cache must be emptied whenever the event builder's tables are,
/// whose numbers it has.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pub names: NameCache,
    /// The class of each category looked up so far, indexed by the number of the category's string; `None`
    /// for other strings.
    pub classes: Vec<Option<Class>>,
    /// The class and lane of an earlier event of each template, by the number of the template's last node;
    /// `None` where unknown.
    pub lanes: Vec<Option<TemplateLane>>,
    /// For a device number of Kineto's memory events: the name shown for the device's memory (`device 0`),
    /// and the number as text (`0`), both interned.
    pub devices: FxHashMap<i64, (StrId, StrId)>,
}

/// Class and lane of a template's events that have the process id `pid` and the thread id `tid`.
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
    /// The text of a string or number; `None` for anything else, and for more than 22 bytes.
    pub(super) fn of(token: Option<Token<'_>>) -> Option<Self> {
        let text = token?.key()?;
        let mut bytes = [0; 22];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self { bytes, len: saturate::<u8>(text.len()) })
    }

    /// Whether `token` is a string or number with exactly this text; false for `None`.
    #[inline]
    pub(super) fn is(&self, token: Option<Token<'_>>) -> bool {
        let Some(token) = token else { return false };
        matches!(token.kind, Kind::String | Kind::Number)
            && token.text == &self.bytes[..usize::from(self.len)]
    }
}
