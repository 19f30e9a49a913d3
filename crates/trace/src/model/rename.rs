//! Other names for device work, as rules of the user give them.
//!
//! Must not know where the rules come from.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;

use super::{Kept, LaneKind, Trace};

impl Trace {
    /// Renames the slices of streams by `rename`, which returns `None` for names to keep. Empties
    /// [`Trace::kept`], notes the new names in [`Trace::renamed`], and returns how many distinct names
    /// `rename` replaced.
    pub fn rename_work(&mut self, rename: impl Fn(&str) -> Option<String>) -> usize {
        let mut renamed: FxHashMap<StrId, Option<StrId>> = FxHashMap::default();
        let streams = self.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream);
        let ids: Vec<_> = streams.flat_map(|lane| lane.slices).collect();
        for id in ids {
            let old = self.slices.name[id];
            let new = *renamed.entry(old).or_insert_with(|| {
                let new = rename(self.strings.text(old).as_str());
                new.map(|new| self.strings.intern(new.as_bytes()))
            });
            if let Some(new) = new {
                self.slices.name[id] = new;
            }
        }
        self.kept = Kept::default();
        let count = renamed.values().flatten().count();
        self.renamed.extend(renamed.into_values().flatten());
        count
    }
}
