//! Converts events of unified memory to the recording's form: devices, bytes, causes.

use proftui_wire::device::record::Unified;

use super::enum_names;
use proftui_trace::export::recording::unified_memory::UnifiedMemory;

/// CUPTI's number (`CUpti_ActivityUnifiedMemoryCounterKind`) for a migration from the host to a device.
const TO_DEVICE: u32 = 1;
const TO_HOST: u32 = 2;
const HOST_FAULT: u32 = 3;
const DEVICE_FAULT: u32 = 4;
const THRASHING: u32 = 5;
const THROTTLING: u32 = 6;
const REMOTE_MAP: u32 = 7;
const BETWEEN: u32 = 8;

/// Converts an event of unified memory to the recording's form, times unchanged. `number` returns the
/// recording's number of the process's device with an id, `None` if it is not known; `first` is the number
/// for an event without a known device, such as one on the host.
pub(super) fn converted(
    event: &Unified,
    name: u32,
    first: u32,
    number: impl Fn(u32) -> Option<u32>,
) -> UnifiedMemory {
    let &Unified { kind, start, end, value, address, source, destination, cause } = event;
    let is_on_host = kind == HOST_FAULT || matches!(kind, THRASHING | THROTTLING) && cause & 1 != 0;
    let contenders: Vec<u32> =
        (0..u32::BITS).filter(|bit| kind == THRASHING && source >> bit & 1 != 0).collect();
    let device = match kind {
        TO_DEVICE | REMOTE_MAP | BETWEEN => number(destination),
        TO_HOST | DEVICE_FAULT => number(source),
        THROTTLING if !is_on_host => number(source),
        THRASHING if !is_on_host => contenders.first().and_then(|&device| number(device)),
        _ => None,
    };
    let cause = match kind {
        TO_DEVICE | TO_HOST | BETWEEN => enum_names::migration_cause(cause).map(|cause| ("cause", cause)),
        REMOTE_MAP => enum_names::mapping_cause(cause).map(|cause| ("cause", cause)),
        DEVICE_FAULT => enum_names::access(cause).map(|access| ("access", access)),
        _ => None,
    };
    UnifiedMemory {
        start,
        end,
        device: device.unwrap_or(first),
        name,
        address,
        bytes: Some(value).filter(|_| !matches!(kind, HOST_FAULT | DEVICE_FAULT | THROTTLING)),
        faults: Some(value).filter(|_| kind == DEVICE_FAULT),
        devices: if kind == BETWEEN { number(source).zip(device) } else { None },
        contenders,
        cause,
        is_on_host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Devices 0 and 1, which the recording numbers 4 and 5; 4 is the first.
    fn of(kind: u32, source: u32, destination: u32, cause: u32) -> UnifiedMemory {
        let event = Unified { kind, start: 10, end: 20, value: 64, address: 1, source, destination, cause };
        converted(&event, 9, 4, |id| [4, 5].get(id as usize).copied())
    }

    #[test]
    fn each_kind_is_on_its_device_with_what_it_states() {
        let moved = of(TO_DEVICE, 7, 1, 3);
        assert_eq!((moved.device, moved.bytes, moved.cause), (5, Some(64), Some(("cause", "Prefetch"))));
        assert!(moved.is_migration() && moved.faults.is_none() && !moved.is_on_host);
        assert_eq!((of(TO_HOST, 1, 7, 4).device, of(TO_HOST, 1, 7, 0).cause), (5, None));
        let between = of(BETWEEN, 1, 0, 5);
        assert_eq!((between.device, between.devices), (4, Some((5, 4))));
        let fault = of(DEVICE_FAULT, 1, 7, 2);
        assert_eq!((fault.device, fault.faults, fault.bytes), (5, Some(64), None));
        assert_eq!(fault.cause, Some(("access", "Write")));
        let thrashing = of(THRASHING, 0b10, 0, 0);
        assert_eq!((thrashing.device, thrashing.contenders), (5, vec![1]));
        assert_eq!(
            (of(REMOTE_MAP, 0, 1, 2).device, of(REMOTE_MAP, 0, 1, 2).cause),
            (5, Some(("cause", "Thrashing")))
        );
        assert!(of(THROTTLING, 1, 0, 1).is_on_host && !of(THROTTLING, 1, 0, 0).is_on_host);
        assert_eq!((of(THROTTLING, 1, 0, 1).device, of(THROTTLING, 1, 0, 0).device), (4, 5));
        let fault = of(HOST_FAULT, 1, 1, 0);
        assert_eq!((fault.device, fault.bytes, fault.is_on_host), (4, None, true), "of no device");
    }
}
