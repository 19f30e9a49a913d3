//! Sets the stacks of backward functions to those of their forward operators (torch's
//! `_set_backward_stacktraces`).

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;

use super::event::Event;
use super::tree::Tree;

/// Gives backward functions, and the events inside them, the stacks of their forward operators, or empty
/// stacks where no forward operator is found.
pub(super) fn set_backward_stacks(events: &mut [Event], tree: &Tree) {
    // The innermost backward function around each event, the event itself included. Parents come before their
    // children.
    let mut backward: Vec<Option<usize>> = vec![None; events.len()];
    for at in 0..events.len() {
        let own = events[at].is_backward.then_some(at);
        backward[at] = own.or_else(|| tree.parent(at).and_then(|parent| backward[parent]));
    }
    // The stack of the first operator of each sequence number and thread, and the thread of the first of each
    // number.
    let mut forward: FxHashMap<(i64, u32), StrId> = FxHashMap::default();
    let mut first: FxHashMap<i64, u32> = FxHashMap::default();
    for (at, event) in events.iter().enumerate() {
        if tree.has(at) && backward[at].is_none() && event.sequence >= 0 {
            forward.entry((event.sequence, event.thread)).or_insert(event.stack);
            first.entry(event.sequence).or_insert(event.thread);
        }
    }
    let threads = threads(events, &first);
    for at in 0..events.len() {
        if let Some(function) = backward[at] {
            let function = &events[function];
            let thread = threads.get(&function.forward_thread);
            let stack = thread.and_then(|&thread| forward.get(&(function.sequence, thread)));
            events[at].stack = stack.copied().unwrap_or_default();
        }
    }
}

/// Finds the file's thread for each thread number that backward functions state, by most matches. `first` has
/// the thread of a forward operator by its sequence number.
fn threads(events: &[Event], first: &FxHashMap<i64, u32>) -> FxHashMap<i64, u32> {
    let mut votes: FxHashMap<(i64, u32), u32> = FxHashMap::default();
    for event in events.iter().filter(|event| event.is_backward) {
        // The first event of a number is the forward operator; the backward engine's own ranges have it too.
        if let Some(&thread) = first.get(&event.sequence) {
            *votes.entry((event.forward_thread, thread)).or_default() += 1;
        }
    }
    let mut best: FxHashMap<i64, (u32, u32)> = FxHashMap::default();
    for ((number, thread), count) in votes {
        let found = best.entry(number).or_insert((count, thread));
        if (count, std::cmp::Reverse(thread)) > (found.0, std::cmp::Reverse(found.1)) {
            *found = (count, thread);
        }
    }
    best.into_iter().map(|(number, (_, thread))| (number, thread)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backward_takes_the_stack_of_its_forward() {
        let at = |start, end, sequence, forward_thread, thread, stack| Event {
            start,
            end,
            sequence,
            forward_thread,
            is_backward: forward_thread > 0,
            thread,
            stack: StrId::new(stack),
            ..Event::default()
        };
        let mut events = vec![
            at(0, 10, 5, 0, 0, 50),
            at(20, 30, 6, 0, 0, 60),
            at(21, 22, 5, 0, 2, 99),
            at(40, 50, 6, 1, 1, 1),
            at(41, 42, -1, 0, 1, 2),
            at(60, 70, 5, 1, 1, 3),
            at(80, 90, 7, 1, 1, 4),
        ];
        let tree = Tree::new(&events);
        set_backward_stacks(&mut events, &tree);
        let stacks: Vec<StrId> = events.iter().map(|event| event.stack).collect();
        assert_eq!(stacks, [50, 60, 99, 60, 60, 50, 0].map(StrId::new));
    }
}
