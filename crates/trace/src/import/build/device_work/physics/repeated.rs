//! Work that is recorded twice: two events that are equal in all.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::build::builder::TraceBuilder;
use crate::model::{SliceId, Trace};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;

/// The work of a stream, in order of start, that equals other work in all: name, start, length and launch. Of
/// equal ones the first is kept. Work whose times are whole µs is left out if its launch has other work in
/// the stream, as a graph's: such work may run side by side.
pub(super) fn repeated(builder: &TraceBuilder, trace: &Trace, work: &[SliceId]) -> FxHashSet<SliceId> {
    let slices = &trace.slices;
    let key = |id: SliceId| (slices.start[id], slices.name[id], slices.dur[id], slices.correlation[id]);
    let mut found = FxHashSet::default();
    for same in work.chunk_by(|&a, &b| slices.start[a] == slices.start[b]).filter(|same| same.len() > 1) {
        let mut known: FxHashSet<(Ns, StrId, Ns, u32)> = FxHashSet::default();
        found
            .extend(same.iter().copied().filter(|&id| slices.correlation[id] != 0 && !known.insert(key(id))));
    }
    let is_coarse =
        |id: &SliceId| builder.files.get(slices.origin[*id].file()).is_none_or(|file| !file.is_fine);
    if found.iter().any(is_coarse) {
        let launches: FxHashSet<u32> = found.iter().map(|&id| slices.correlation[id]).collect();
        let mut first: FxHashMap<u32, (Ns, StrId, Ns, u32)> = FxHashMap::default();
        let mut several: FxHashSet<u32> = FxHashSet::default();
        for &id in work.iter().filter(|&&id| launches.contains(&slices.correlation[id])) {
            if *first.entry(slices.correlation[id]).or_insert(key(id)) != key(id) {
                several.insert(slices.correlation[id]);
            }
        }
        found.retain(|id| !is_coarse(id) || !several.contains(&slices.correlation[*id]));
    }
    found
}
