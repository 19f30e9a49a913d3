//! Cache of a translator: the results of look-ups for strings and templates.

use rustc_hash::FxHashMap;

use crate::import::dialect::{Class, NameCache};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

use super::scan::{Kind, Token};

/// Results of look-ups, by string and by template. The keys and lanes are the event builder's numbers, so the
/// cache is invalid when its tables are emptied.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pub names: NameCache,
    /// The class of a category, indexed by the number of the category's string.
    pub classes: Vec<Option<Class>>,
    /// The lane of the last event that was read by a template, indexed by the template's number.
    pub lanes: Vec<Option<TemplateLane>>,
    /// By device number: the name shown for the device's memory, and the number as text.
    pub devices: FxHashMap<i64, (StrId, StrId)>,
}

/// Class and lane of the last event read by a template: the next one nearly always has the same process and
/// thread.
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
    /// The token's text; `None` when it is too long, or the value is no string or number.
    pub(super) fn of(token: Option<Token<'_>>) -> Option<Self> {
        let text = token?.key()?;
        let mut bytes = [0; 22];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Self { bytes, len: saturate::<u8>(text.len()) })
    }

    /// Whether the token is a string or number of this text.
    #[inline]
    pub(super) fn is(&self, token: Option<Token<'_>>) -> bool {
        token.is_some_and(|token| {
            matches!(token.kind, Kind::String | Kind::Number)
                && token.text == &self.bytes[..usize::from(self.len)]
        })
    }
}
