//! The memory events that Kineto and Paddle write as instants.

use crate::import::build::Allocation;
use crate::import::dialect;
use crate::model::{Origin, StackId};
use proftui_base::intern::StrId;
use proftui_base::time::{Ns, parse_scaled};

use super::event::Event;
use super::scan::Token;
use super::translator::Translator;

impl Translator {
    /// Converts an instant at `ts`, ns, to a memory event on lane `lane`; `None` unless it is named
    /// `[memory]` and has arguments.
    pub(super) fn allocation(
        &mut self,
        event: &Event<'_>,
        ts: Ns,
        lane: u32,
        origin: Origin,
    ) -> Option<Allocation> {
        if event.name?.text != b"[memory]" || !event.has_args {
            return None;
        }
        let integer = |token: Option<Token<'_>>| token?.key().and_then(|text| parse_scaled(text, 0));
        let hits = &event.hits;
        let (kind, number) = (integer(hits.device_type), integer(hits.device_id));
        let place = hits.detail.map(|place| place.text);
        let bytes = integer(hits.bytes).unwrap_or_default();
        let mut allocation = Allocation {
            ts,
            lane,
            kind: dialect::memory_kind(event.cat.and_then(|cat| cat.key()).unwrap_or_default(), bytes),
            bytes,
            address: integer(hits.address).unwrap_or_default().cast_unsigned(),
            place: StrId::EMPTY,
            device: None,
            allocated: integer(hits.allocated).into(),
            reserved: integer(hits.reserved).into(),
            peak_allocated: integer(hits.peak_allocated).into(),
            peak_reserved: integer(hits.peak_reserved).into(),
            origin,
            stack: StackId::NONE,
        };
        let device = match place {
            Some(place) => dialect::place_device(place),
            None => number.filter(|&n| n >= 0 && kind != Some(0)),
        };
        if let (None, Some(number)) = (place, device)
            && let Some(&(place, device)) = self.cache.devices.get(&number)
        {
            (allocation.place, allocation.device) = (place, Some(device));
            return Some(allocation);
        }
        let shown = match (place, device) {
            (Some(place), _) => String::from_utf8_lossy(place).into_owned(),
            (None, Some(device)) => format!("device {device}"),
            (None, None) => "CPU".into(),
        };
        allocation.place = self.builder.intern(shown.as_bytes());
        allocation.device = device.map(|n| self.builder.intern(n.to_string().as_bytes()));
        if let (None, Some(number), Some(device)) = (place, device, allocation.device) {
            self.cache.devices.insert(number, (allocation.place, device));
        }
        Some(allocation)
    }
}
