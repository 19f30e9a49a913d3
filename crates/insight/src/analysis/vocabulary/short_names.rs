//! Short names of kernels, by what they do: `gemm bf16 128x128 nn align1`, `softmax forward bf16`. Different
//! names of a trace have different short names.
//!
//! The rules are data (`assets/short-names.toml`). Must not know where names are shown.

mod distinct;
mod name;
mod rules;
mod scan;
mod scheme;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_trace::model::{Category, LaneKind, Trace};

use distinct::{Form, make_distinct};

/// The longest name that is shortened, bytes; longer ones are no names of functions.
const LONGEST: usize = 64 << 10;

/// The short name of a kernel by itself; other names may have the same one.
#[must_use]
pub fn short(name: &str) -> String {
    name::short(&name::source(name))
}

/// The short names of a trace's kernels.
#[derive(Clone, Debug, Default)]
pub struct ShortNames {
    of: FxHashMap<StrId, SafeText<'static>>,
    /// The numbers of the shortened names, by their texts.
    numbers: FxHashMap<String, StrId>,
}

impl ShortNames {
    /// Shortens the names of all kernels of a trace, except those that the user chose.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let mut names: Vec<StrId> = kernels(trace).into_iter().collect();
        names.sort_unstable();
        let form = |&id: &StrId| {
            let name = trace.strings.text(id).into_owned().to_string();
            let is_own = name.len() > LONGEST || trace.renamed.contains(&id);
            let source = if is_own { name.clone() } else { name::source(&name) };
            let short = if is_own { name.clone() } else { name::short(&source) };
            Form { name, source, short }
        };
        let mut forms: Vec<Form> = names.par_iter().map(form).collect();
        make_distinct(&mut forms);
        let mut all = Self::default();
        for (id, form) in names.into_iter().zip(forms).filter(|(_, form)| form.short != form.name) {
            all.of.insert(id, SafeText::from(form.short));
            all.numbers.insert(form.name, id);
        }
        all
    }

    /// The short name for the name with this number; `None` if that is not shortened.
    #[must_use]
    pub fn get(&self, name: StrId) -> Option<&SafeText<'static>> {
        self.of.get(&name)
    }

    /// The short name for a name as [`Trace::name`] shows it; `None` if that is not shortened.
    #[must_use]
    pub fn of_text(&self, name: &SafeText<'_>) -> Option<&SafeText<'static>> {
        self.get(*self.numbers.get(name.as_str())?)
    }
}

/// The names of the kernels on a trace's streams.
fn kernels(trace: &Trace) -> FxHashSet<StrId> {
    let streams = trace.lanes.iter().filter(|lane| lane.kind == LaneKind::Stream);
    let slices = &trace.slices;
    let is_kernel = |id: &_| matches!(slices.category(*id), Category::Kernel | Category::Communication);
    streams.flat_map(|lane| lane.slices).filter(is_kernel).map(|id| slices.name[id]).collect()
}

#[cfg(test)]
mod tests;
