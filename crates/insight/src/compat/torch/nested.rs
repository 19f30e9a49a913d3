//! What is done with the events of a file once they are read, in torch's order: they are linked, then sorted
//! and nested.

use rayon::slice::ParallelSliceMut;

use proftui_trace::model::Trace;

use super::event::FileEvents;
use super::options::{Grouping, Rules};
use super::read::Read;
use super::tree::Tree;
use super::{link, margin, memory, stack, thread};

/// Finds the operators of a file's calls and device work, and gives events their device work and memory.
pub(super) fn link_file(trace: &Trace, read: &Read, rules: Rules, file: &mut FileEvents) {
    file.close_open();
    link::link(&mut file.events, |slice| trace.links.launch_of(slice));
    thread::move_calls(&mut file.events, &read.own_threads);
    margin::narrow(&mut file.events, file.has_decimals);
    memory::attribute(file, read.memory_name, trace.meta.epoch.filter(|_| rules.has_rounded_ends()));
    link::sum_work(file, rules);
}

/// Sorts and nests the linked events of a file.
pub(super) fn nest(file: &mut FileEvents, grouping: Grouping) -> Tree {
    file.events.par_sort_by_key(|event| (event.start, std::cmp::Reverse(event.end), event.order));
    let mut tree = Tree::new(&file.events);
    tree.collapse(&mut file.events);
    if grouping.by_stack > 0 {
        stack::set_backward_stacks(&mut file.events, &tree);
    }
    tree
}
