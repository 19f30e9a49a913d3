//! Copies that are faster than any bus.

use crate::model::{Category, Lane, SliceId, Trace};
use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use crate::import::build::builder::TraceBuilder;

/// By how much a time may be rounded, ns.
pub(super) const RESOLUTION: Ns = 1_000;

/// The copies of a lane that are faster than any bus, each with what is wrong.
pub(super) fn too_fast(builder: &TraceBuilder, trace: &Trace, lane: &Lane) -> Vec<(SliceId, String)> {
    let slices = &trace.slices;
    let mut found = Vec::new();
    for id in lane.slices.iter().filter(|&id| slices.category(id) == Category::Memcpy) {
        let Some(bytes) = trace.copied.bytes(id) else { continue };
        let limit = limit(builder.strings.bytes(slices.name[id]));
        let longest = saturate::<u64>(slices.dur[id].saturating_add(RESOLUTION));
        if bytes > limit.saturating_mul(longest) {
            let bytes = fmt::bytes(saturate::<i64>(bytes));
            found.push((id, format!("copies {bytes} in {}", fmt::duration(slices.dur[id]))));
        }
    }
    found
}

/// The bytes per ns that no copy of this name can exceed: many times what today's links between host and
/// device, links between devices, and memories and caches of devices give.
fn limit(name: &[u8]) -> u64 {
    let has = |part: &str| memchr::memmem::find(name, part.as_bytes()).is_some();
    match () {
        () if has("HtoD") || has("DtoH") || has("HtoH") => 4_000,
        () if has("PtoP") => 8_000,
        () => 50_000,
    }
}
