//! The classes of a trace's device work.
//!
//! Must not know tables.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_trace::model::{Category, KernelClass, SliceFlags, SliceId, Trace};

/// Finds the classes of a trace's device work, and remembers those that the name decides.
pub(crate) struct KernelClasses<'a> {
    trace: &'a Trace,
    of_name: FxHashMap<StrId, KernelClass>,
}

impl<'a> KernelClasses<'a> {
    /// Makes a finder for the device work of `trace`.
    pub(crate) fn of(trace: &'a Trace) -> Self {
        Self { trace, of_name: FxHashMap::default() }
    }

    /// The class of a piece of device work.
    pub(crate) fn class(&mut self, work: SliceId) -> KernelClass {
        let slices = &self.trace.slices;
        match slices.category(work) {
            Category::Memcpy | Category::Memset => KernelClass::Copy,
            _ if slices.flags[work].has(SliceFlags::COMMUNICATION) => KernelClass::Communication,
            _ => {
                let name = slices.name[work];
                let strings = &self.trace.strings;
                *self.of_name.entry(name).or_insert_with(|| KernelClass::of(strings.bytes(name)))
            }
        }
    }
}
