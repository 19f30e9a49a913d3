//! Memory events as frameworks' allocators report them, in Paddle's notation, with bytes in use and their
//! peaks.

use std::collections::HashMap;

use proftui_trace::export::recording::device::Allocation;
use proftui_trace::import::{RawEvent, RawValue};
use proftui_trace::model::MemoryEvent;

/// Bytes in use, and peaks, by place, after Kineto's memory events so far.
#[derive(Debug, Default)]
pub(super) struct Balance(HashMap<String, Held>);

/// Bytes in one place.
#[derive(Debug, Default)]
struct Held {
    /// Bytes in use after the last event.
    in_use: u64,
    /// Largest `in_use` so far, bytes.
    peak: u64,
    /// Most bytes that the allocator had reserved from the system, as the events so far state.
    peak_reserved: u64,
}

impl Balance {
    /// Converts a memory event of Kineto's, and counts it in the balance; time and text are left for the
    /// caller.
    pub(super) fn kineto(&mut self, memory: &MemoryEvent, event: &RawEvent<'_, '_>) -> Allocation {
        let number = |key: &[u8]| event.argument(key).and_then(RawValue::integer).unwrap_or_default();
        let place = place(number(b"Device Type"), number(b"Device Id"));
        let total = |stated: Option<i64>| stated.map(|total| u64::try_from(total).unwrap_or_default());
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

    /// Converts a memory event of Paddle's; its time and place are left for the caller.
    pub(super) fn paddle(memory: &MemoryEvent) -> Allocation {
        let total =
            |stated: Option<i64>| stated.and_then(|total| u64::try_from(total).ok()).unwrap_or_default();
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

/// Paddle's notation of a place, or a notation like it, from torch's type of device (`c10::DeviceType`) and
/// the device's number.
fn place(device_type: i64, device: i64) -> String {
    let device = device.max(0);
    match device_type {
        // MKLDNN and IDEEP are on the host, too.
        0 | 2 | 5 => "Place(cpu)".to_owned(),
        1 | 6 => format!("Place(gpu:{device})"),
        12 => format!("Place(xpu:{device})"),
        _ => format!("Place(device {device_type}:{device})"),
    }
}
