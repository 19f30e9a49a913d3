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

use rayon::slice::ParallelSliceMut;

use event::FileEvents;
use read::Read;
use tree::Tree;

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
        link(trace, &read, rules, &mut file);
        let tree = nest(&mut file, grouping);
        builder.add(&file, &tree);
    }
    Ok(builder.finish(&read.strings))
}

/// Finds the operators of a file's calls and device work, and gives events their device work and memory.
fn link(trace: &Trace, read: &Read, rules: Rules, file: &mut FileEvents) {
    file.close_open();
    link::link(&mut file.events, |slice| trace.links.launch_of(slice));
    thread::move_calls(&mut file.events, &read.own_threads);
    margin::narrow(&mut file.events, file.has_decimals);
    memory::attribute(file, read.memory_name, trace.meta.epoch.filter(|_| rules.has_rounded_ends()));
    link::sum_work(file, rules);
}

/// Sorts and nests the linked events of a file.
fn nest(file: &mut FileEvents, grouping: Grouping) -> Tree {
    file.events.par_sort_by_key(|event| (event.start, std::cmp::Reverse(event.end), event.order));
    let mut tree = Tree::new(&file.events);
    tree.collapse(&mut file.events);
    if grouping.by_stack > 0 {
        stack::set_backward_stacks(&mut file.events, &tree);
    }
    tree
}
