//! The fields of an event, kept while the trace is.
//!
//! The events of a pickle cannot be read again from the file without all that comes before them.

use crate::import::argument::{Argument, Value};
use crate::import::bytes::source::Rows;
use proftui_base::intern::{Interner, StrId};
use proftui_base::text::SafeText;

use super::parts::Event;

/// The bit of an event's key that is set for a block which was allocated before the first event.
pub(super) const BLOCK: u64 = 1 << 40;

/// The events of a file, by the keys of their origins.
#[derive(Debug)]
pub(super) struct Events {
    pub events: Vec<Event>,
    pub texts: Interner,
}

impl Rows for Events {
    fn row(&self, key: u64) -> Option<Vec<Argument>> {
        let plain = |name: &'static str, value: String| Argument {
            name: SafeText::new(name),
            value: Value::Plain(SafeText::from(value)),
        };
        let text = |name: &'static str, id: StrId| Argument {
            name: SafeText::new(name),
            value: Value::Text(SafeText::from_bytes(self.texts.bytes(id)).into_owned()),
        };
        if key & BLOCK != 0 {
            return Some(vec![plain("allocated", "before the first event of the file".into())]);
        }
        let event = self.events.get(usize::try_from(key).ok()?)?;
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
