//! PyTorch's `key_averages()`: function events from a trace, their tree, device and memory attribution, averages by key.
//!
//! Follows torch 2.15 (`torch/autograd/profiler.py`, `profiler_util.py`) to the last digit, doubles included, and where
//! asked DeepLink's variant of it (`dipu/torch_dipu/profiler/profiler.py`). Must not know how the table is printed.

mod average;
mod event;
mod last;
mod link;
mod margin;
mod memory;
pub mod print;
mod read;
mod sort;
mod stack;
mod table;
mod thread;
mod tree;
mod words;

use rayon::slice::ParallelSliceMut;

use crate::import::{Texts, VisitError};
use crate::model::Trace;

use crate::analysis::Scope;

pub use average::{Average, Averages};
pub use sort::SORT_KEYS;

/// Whose rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// PyTorch's.
    #[default]
    Torch,
    /// DeepLink's, over PyTorch 2.0: nested device records of an operator count once, the device total is that of the host
    /// rows, ranges are no rows of their own kind.
    DeepLink,
}

impl Rules {
    /// The rules that the trace's own profiler prints by.
    pub fn of(trace: &Trace) -> Self {
        if trace.meta.producer == "deeplink" { Self::DeepLink } else { Self::Torch }
    }
}

/// What makes a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    /// True to tell events of different input shapes apart.
    pub by_shape: bool,
    /// How many of the innermost stack frames tell events apart; 0 for none.
    pub by_stack: usize,
}

/// The averages of the part of the trace that `scope` names; files are read once more, for the arguments.
///
/// # Errors
/// When a file cannot be read again.
pub fn averages(
    trace: &Trace,
    texts: &Texts,
    scope: &Scope,
    rules: Rules,
    grouping: Grouping,
) -> Result<Averages, VisitError> {
    let read = read::read(trace, texts, scope, grouping)?;
    let mut builder = average::Builder::new(rules, &read);
    for mut file in read.files {
        link::link(&mut file.events, |slice| trace.links.launch_of(slice));
        thread::settle(&mut file.events, &read.own_threads);
        margin::narrow(&mut file.events, file.has_decimals);
        memory::attribute(&mut file, read.memory_name);
        link::sum_work(&mut file, rules);
        file.events.par_sort_by_key(|event| (event.start, std::cmp::Reverse(event.end), event.order));
        let mut tree = tree::Tree::new(&file.events);
        tree.collapse(&mut file.events);
        if grouping.by_stack > 0 {
            stack::lend(&mut file.events, &tree);
        }
        builder.add(&file, &tree);
    }
    Ok(builder.finish(&read.strings))
}
