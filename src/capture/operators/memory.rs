//! Memory as frameworks' allocators tell it, in Paddle's words, with the most that was in use.

use std::collections::HashMap;

use crate::export::recording::device::Allocation;
use crate::import::{RawEvent, RawValue};
use crate::model::MemoryEvent;

/// What is in use in each place, and the most of it.
#[derive(Debug, Default)]
pub(super) struct Balance(HashMap<String, Held>);

#[derive(Debug, Default)]
struct Held {
    in_use: u64,
    peak: u64,
    peak_reserved: u64,
}

impl Balance {
    /// An event of Kineto's but for its time. Kineto tells no peaks, and of old no totals: they count from the file's beginning.
    pub(super) fn kineto(&mut self, memory: &MemoryEvent, event: &RawEvent<'_, '_>) -> Allocation {
        let number = |key: &[u8]| event.argument(key).and_then(RawValue::integer).unwrap_or_default();
        let place = place(number(b"Device Type"), number(b"Device Id"));
        let total = |told: Option<i64>| told.map(|total| u64::try_from(total).unwrap_or_default());
        let held = self.0.entry(place.clone()).or_default();
        let summed = held.in_use.saturating_add_signed(memory.bytes);
        held.in_use = total(memory.allocated.get()).unwrap_or(summed);
        held.peak = held.peak.max(held.in_use);
        let reserved = total(memory.reserved.get()).unwrap_or_default();
        held.peak_reserved = held.peak_reserved.max(reserved);
        let &mut Held { in_use, peak, peak_reserved } = held;
        let (address, bytes) = (memory.address, memory.bytes);
        Allocation { address, bytes, place, in_use, peak, reserved, peak_reserved, ..Allocation::default() }
    }

    /// An event of Paddle's but for its time and place.
    pub(super) fn paddle(memory: &MemoryEvent) -> Allocation {
        let total = |told: Option<i64>| told.and_then(|total| u64::try_from(total).ok()).unwrap_or_default();
        Allocation {
            address: memory.address,
            bytes: memory.bytes,
            in_use: total(memory.allocated.get()),
            peak: total(memory.peak_allocated.get()),
            reserved: total(memory.reserved.get()),
            peak_reserved: total(memory.peak_reserved.get()),
            is_reserved: memory.kind.is_reserved(),
            ..Allocation::default()
        }
    }
}

/// A place in Paddle's words, by torch's numbers (`c10::DeviceType`).
fn place(device_type: i64, device: i64) -> String {
    let device = device.max(0);
    match device_type {
        // MKLDNN and IDEEP are the host, too.
        0 | 2 | 5 => "Place(cpu)".to_owned(),
        1 | 6 => format!("Place(gpu:{device})"),
        12 => format!("Place(xpu:{device})"),
        _ => format!("Place(device {device_type}:{device})"),
    }
}
