//! What the numbers of event kinds mean, by their names in Paddle's JSON.

use crate::import::dialect::{self, Class};
use crate::model::nodetree::{DeviceTraceEventProto, kind_name};
use crate::model::{Category, GroupKind, LaneKind, MemoryKind, SliceFlags};

/// What a host event's kind means: on a thread, whatever kind it is.
pub(super) fn host(kind: u32) -> (Class, SliceFlags) {
    let word = kind_name(kind).unwrap_or_default().as_bytes();
    let class = dialect::class(word);
    let lane = if class.group == GroupKind::Device { LaneKind::Thread } else { class.lane };
    // Device work is known by standing under a call, not by its kind.
    let category = if class.category.is_device_work() { Category::Other } else { class.category };
    (Class { category, group: GroupKind::Process, lane }, dialect::marks(word))
}

/// What a parsed of device work is: by its kind, else by what is told of it.
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

/// What a memory event does.
pub(super) fn memory(kind: u32, bytes: i64) -> MemoryKind {
    let word: &[u8] = match kind {
        0 => b"Allocate",
        1 => b"Free",
        2 => b"ReservedAllocate",
        3 => b"ReservedFree",
        _ => b"",
    };
    dialect::memory_kind(word, bytes)
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
        assert!(KIND_NAMES.iter().all(|word| dialect::class(word.as_bytes()).category != Category::Other));
    }
}
