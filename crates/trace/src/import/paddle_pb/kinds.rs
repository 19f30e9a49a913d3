//! Mapping Paddle's numbers for kinds of events to categories, by the kinds' names in Paddle's JSON.

use crate::import::dialect::{self, Class};
use crate::model::nodetree::{DeviceTraceEventProto, kind_name};
use crate::model::{Category, GroupKind, LaneKind, MemoryKind, SliceFlags};

/// The class and flags of a host event by the number of its kind, Paddle's or proftui's.
pub(super) fn host(kind: u32) -> (Class, SliceFlags) {
    let name = kind_name(kind).unwrap_or_default().as_bytes();
    let class = dialect::class(name);
    let lane = if class.group == GroupKind::Device { LaneKind::Thread } else { class.lane };
    // Device work is recognised by its parent, a runtime call, and not by its kind.
    let category = if class.category.is_device_work() { Category::Other } else { class.category };
    (Class { category, group: GroupKind::Process, lane, has_named_copies: false }, dialect::marks(name))
}

/// The category of device work: copy, memset or kernel.
pub(super) fn device(event: &DeviceTraceEventProto) -> Category {
    match event.r#type() {
        5 => Category::Memcpy,
        6 => Category::Memset,
        4 => Category::Kernel,
        _ if event.memcpy_info.is_some() => Category::Memcpy,
        _ if event.memset_info.is_some() => Category::Memset,
        _ => Category::Kernel,
    }
}

/// The number of bytes that the device work copied or set; `None` where the message states none.
pub(super) fn bytes(event: &DeviceTraceEventProto) -> Option<u64> {
    let copied = event.memcpy_info.as_ref().and_then(|copy| copy.num_bytes);
    copied.or_else(|| event.memset_info.as_ref()?.num_bytes)
}

/// The kind of a memory event by Paddle's number for it; for an unknown number by the sign of `bytes`, the
/// change in bytes.
pub(super) fn memory(kind: u32, bytes: i64) -> MemoryKind {
    let name: &[u8] = match kind {
        0 => b"Allocate",
        1 => b"Free",
        2 => b"ReservedAllocate",
        3 => b"ReservedFree",
        _ => b"",
    };
    dialect::memory_kind(name, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::nodetree::KIND_NAMES;

    #[test]
    fn kinds_beyond_the_schema_are_known() {
        let (class, flags) = host(16);
        assert_eq!((class.category, class.lane), (Category::KernelLaunch, LaneKind::Thread));
        assert!(flags.has(SliceFlags::STATIC_GRAPH) && !host(15).1.has(SliceFlags::STATIC_GRAPH));
        assert_eq!(host(14).0.lane, LaneKind::Python);
        assert_eq!(host(4).0.category, Category::Other);
        assert_eq!((host(99).0.category, kind_name(99)), (Category::Other, None));
        assert!(KIND_NAMES.iter().all(|name| dialect::class(name.as_bytes()).category != Category::Other));
    }
}
