//! Which events of unified memory CUPTI records; it must be configured for them before they are enabled.
//! Knows neither cycles nor records.

#![allow(unsafe_code, reason = "calls a function of CUPTI with a table of our own")]

use proftui_wire::options::DeviceOption;

use crate::cuda::functions::{Functions, UnifiedConfig};
use crate::cuda::records::counter;
use crate::process;

/// `CUPTI_ERROR_NOT_INITIALIZED`: the driver's initialization is not over.
pub(crate) const TOO_EARLY: u32 = 15;

/// CUPTI's kinds of events for migrations of unified memory, for thrashing, and for what the driver does
/// against thrashing.
const MIGRATIONS: [u32; 6] = [
    counter::BYTES_TRANSFER_HTOD,
    counter::BYTES_TRANSFER_DTOH,
    counter::BYTES_TRANSFER_DTOD,
    counter::THRASHING,
    counter::THROTTLING,
    counter::REMOTE_MAP,
];
const PAGE_FAULTS: [u32; 2] = [counter::CPU_PAGE_FAULT_COUNT, counter::GPU_PAGE_FAULT];
/// `CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE`, as in NVIDIA's example.
const SCOPE: u32 = 1;

/// The kinds of events of unified memory that the run's options ask for; empty if none are to be recorded.
pub(crate) fn asked() -> Vec<u32> {
    let of = |option, kinds: &[u32]| if process::has_option(option) { kinds.to_vec() } else { Vec::new() };
    [of(DeviceOption::Migrations, &MIGRATIONS), of(DeviceOption::PageFaults, &PAGE_FAULTS)].concat()
}

/// Has CUPTI record these kinds of events of unified memory, or no longer (`is_enabled` false); returns
/// CUPTI's result code.
pub(crate) fn configure(cupti: &Functions, kinds: &[u32], is_enabled: bool) -> u32 {
    let config = |&kind: &u32| UnifiedConfig { scope: SCOPE, kind, device: 0, is_enabled: is_enabled.into() };
    let mut configs: Vec<UnifiedConfig> = kinds.iter().map(config).collect();
    // SAFETY: a table of our own, and its length.
    unsafe { cupti.configure_unified(configs.as_mut_ptr(), configs.len() as u32) }
}

#[cfg(test)]
mod tests {
    use cudarc::cupti::sys::{self, CUpti_ActivityUnifiedMemoryCounterKind as Kinds};

    use super::*;

    #[test]
    fn numbers_are_nvidias() {
        let scope = sys::CUpti_ActivityUnifiedMemoryCounterScope::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
        assert_eq!(SCOPE, scope as u32);
        assert_eq!(TOO_EARLY, sys::CUptiResult::CUPTI_ERROR_NOT_INITIALIZED as u32);
        let all = [
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
            Kinds::CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
        ];
        assert_eq!([&MIGRATIONS[..], &PAGE_FAULTS].concat(), all.map(|kind| kind as u32));
    }
}
