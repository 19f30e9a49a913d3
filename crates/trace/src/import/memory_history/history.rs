//! The history of each device's allocator, and what was in use before it begins.
//!
//! Sizes are those that the program asked for, as events state them; the allocator rounds them up. Must not
//! know pickles.

use rustc_hash::FxHashSet;

use super::objects::Objects;
use super::opcodes::Unpickler;
use super::parts::{Action, Block, Event};

/// The history of one device's allocator.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The device's number.
    pub device: i64,
    /// The events, in order, as indices.
    pub events: Vec<u32>,
    /// The blocks that are in use at the end and were allocated before the first event.
    pub before: Vec<Block>,
    /// Bytes in use and bytes reserved before the first event; `None` where the file does not say.
    pub allocated: Option<i64>,
    pub reserved: Option<i64>,
}

/// The histories of the devices that have events or segments. `is_whole` is false where the file is cut off
/// or damaged: then what was in use before is not known, since the state is that at the end.
pub(super) fn histories(pickle: &Unpickler<'_>, is_whole: bool) -> Vec<History> {
    let Some(root) = pickle.root() else { return Vec::new() };
    let objects = &pickle.objects;
    let traces = pickle.value(root, b"device_traces").map_or(Vec::new(), |list| pickle.elements(list));
    let mut all: Vec<History> = (0..)
        .zip(&traces)
        .map(|(device, &trace)| {
            let events = pickle.elements(trace).into_iter().filter_map(|event| objects.event_at(event));
            History { device, events: events.collect(), ..History::default() }
        })
        .collect();
    for segment in &objects.segments {
        if !all.iter().any(|history| history.device == segment.device) {
            all.push(History { device: segment.device, ..History::default() });
        }
    }
    if is_whole {
        all.iter_mut().for_each(|history| history.begin(objects));
    }
    let has_segment = |device: i64| objects.segments.iter().any(|segment| segment.device == device);
    all.retain(|history| !history.events.is_empty() || has_segment(history.device));
    all
}

impl History {
    /// Finds what was in use before the first event, from the state at the end.
    fn begin(&mut self, objects: &Objects) {
        let events = || self.events.iter().map(|&at| objects.events[at as usize]);
        let mut alive: FxHashSet<u64> = FxHashSet::default();
        let mut unknown: i64 = 0;
        let mut reserved: i64 = 0;
        for Event { action, address, bytes, .. } in events() {
            match action {
                Action::Alloc => {
                    alive.insert(address);
                }
                Action::FreeRequested if !alive.remove(&address) => {
                    unknown = unknown.saturating_add(bytes);
                }
                Action::SegmentAlloc | Action::SegmentMap => reserved = reserved.saturating_sub(bytes),
                Action::SegmentFree | Action::SegmentUnmap => reserved = reserved.saturating_add(bytes),
                _ => {}
            }
        }
        let mut before = Vec::new();
        for segment in objects.segments.iter().filter(|segment| segment.device == self.device) {
            reserved = reserved.saturating_add(segment.size);
            // Blocks without an address lie one behind the other.
            let mut next = segment.address;
            for block in segment.blocks.iter().map(|&at| objects.blocks[at as usize]) {
                let address = block.address.unwrap_or(next);
                next = address.saturating_add_signed(block.size);
                if block.is_allocated && !alive.contains(&address) {
                    before.push(Block { address: Some(address), ..block });
                }
            }
        }
        let of_blocks = before.iter().fold(unknown, |sum, block| sum.saturating_add(block.requested));
        (self.allocated, self.reserved) = (Some(of_blocks.max(0)), Some(reserved.max(0)));
        self.before = before;
    }
}
