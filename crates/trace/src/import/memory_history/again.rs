//! The fields of an event, kept while the trace is.
//!
//! The events of a pickle cannot be read again from the file without all that comes before them.

use crate::import::argument::{Argument, Value};
use crate::import::bytes::source::Rows;
use proftui_base::intern::{Interner, StrId};
use proftui_base::text::SafeText;

use super::parts::Event;

/// The events of a file, by the keys of their origins: first the blocks that were allocated before the first
/// event, then the events.
#[derive(Debug)]
pub(super) struct EventRows {
    /// How many blocks there are.
    pub blocks: u64,
    pub events: Vec<Event>,
    /// The texts of the pickle.
    pub texts: Interner,
}

impl Rows for EventRows {
    fn row(&self, key: u64) -> Option<Vec<Argument>> {
        let plain = |name: &'static str, value: String| Argument {
            name: SafeText::new(name),
            value: Value::Plain(SafeText::from(value)),
        };
        let text = |name: &'static str, id: StrId| Argument {
            name: SafeText::new(name),
            value: Value::Text(SafeText::from_bytes(self.texts.bytes(id)).into_owned()),
        };
        let Some(at) = key.checked_sub(self.blocks) else {
            return Some(vec![plain("allocated", "before the first event of the file".into())]);
        };
        let event = self.events.get(usize::try_from(at).ok()?)?;
        let mut fields = vec![
            text("action", event.name),
            plain("addr", format!("{:#x}", event.address)),
            plain("size", event.bytes.to_string()),
            plain("stream", event.stream.to_string()),
        ];
        fields.extend(event.time.map(|time| plain("time_us", time.to_string())));
        fields.extend(event.device_free.map(|free| plain("device_free", free.to_string())));
        let texts = [("user_metadata", event.metadata), ("compile_context", event.context)];
        let stated = texts.into_iter().filter(|&(_, id)| !matches!(self.texts.bytes(id), b"" | b"N/A"));
        fields.extend(stated.map(|(name, id)| text(name, id)));
        Some(fields)
    }
}
