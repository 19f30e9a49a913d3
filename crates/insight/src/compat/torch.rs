//! PyTorch's `key_averages()`: function events from a trace, their tree, the device work and memory of each,
//! averages by key.
//!
//! Follows torch 2.0 to 2.15 (`torch/autograd/profiler.py`, `profiler_util.py`) to the last digit, doubles
//! included, or DeepLink's variant of it (`dipu/torch_dipu/profiler/profiler.py`). `print` prints the table
//! as torch does; only it knows the text.

mod average;
mod event;
mod link;
mod listed;
mod margin;
mod memory;
mod names;
mod nested;
pub mod options;
pub mod print;
mod read;
mod sort;
mod span_index;
mod stack;
mod sums;
mod table;
mod thread;
mod tree;
mod version;

use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::Trace;

use crate::analysis::Scope;

pub use average::{Average, Averages};
pub use listed::list;
pub use options::{Grouping, Rules};
pub use sort::SORT_KEYS;
pub use version::Version;

/// Computes the averages of the events in `scope` by `rules`, with rows separated by `grouping`. Reads the
/// trace's files again for the events' arguments.
///
/// # Errors
/// When a file has changed, cannot be read, or its text is not kept.
pub fn averages(
    trace: &Trace,
    texts: &Texts,
    scope: &Scope,
    rules: Rules,
    grouping: Grouping,
) -> Result<Averages, VisitError> {
    let (mut read, rules) = read::read(trace, texts, scope, (rules, grouping))?;
    let mut builder = average::Builder::new(rules, &read);
    for mut file in std::mem::take(&mut read.files) {
        nested::link_file(trace, &read, rules, &mut file);
        let tree = nested::nest(&mut file, grouping);
        builder.add(&file, &tree);
    }
    Ok(builder.finish(&read.strings))
}
