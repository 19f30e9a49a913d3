//! The threads of runtime calls in torch's table: a call that is linked to an operator is on the operator's
//! thread, other calls are on the thread that stopped the profiler (Kineto's `setKinetoTID`), whatever thread
//! the file states.

use rustc_hash::FxHashMap;

use super::event::{Event, Kind, NO_EVENT};

/// Moves calls and overhead to the threads of their operators, or without an operator to the thread that
/// probably stopped the profiler, if known. `own_threads` is true for main threads.
pub(super) fn move_calls(events: &mut [Event], own_threads: &[bool]) {
    let main = main_thread(events, own_threads);
    for at in 0..events.len() {
        let event = &events[at];
        if matches!(event.kind, Kind::Call | Kind::Overhead) {
            events[at].thread = match event.operator {
                NO_EVENT => main.unwrap_or(event.thread),
                operator => events[operator as usize].thread,
            };
        }
    }
}

/// The thread that probably stopped the profiler; None if nothing suggests one.
fn main_thread(events: &[Event], own_threads: &[bool]) -> Option<u32> {
    let steps = events.iter().filter(|event| event.is_step);
    if let Some(last) = steps.max_by_key(|event| event.start) {
        return Some(last.thread);
    }
    let operators = count(events, Kind::Operator);
    let has_operators = |event: &&Event| event.kind == Kind::Operator && own_threads[event.thread as usize];
    if let Some(own) = events.iter().find(has_operators) {
        return Some(own.thread);
    }
    most(&count(events, Kind::Annotation)).or_else(|| most(&operators))
}

/// The number of events of a kind by thread.
fn count(events: &[Event], kind: Kind) -> FxHashMap<u32, u32> {
    let mut counts = FxHashMap::default();
    events
        .iter()
        .filter(|event| event.kind == kind)
        .for_each(|event| *counts.entry(event.thread).or_default() += 1);
    counts
}

/// The thread with the most events; None if `counts` is empty.
fn most(counts: &FxHashMap<u32, u32>) -> Option<u32> {
    counts
        .iter()
        .max_by_key(|&(&thread, &count)| (count, std::cmp::Reverse(thread)))
        .map(|(&thread, _)| thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_move_to_their_operator_or_to_the_main_thread() {
        let on = |kind, thread, operator| Event { kind, thread, operator, ..Event::default() };
        let mut events = vec![
            on(Kind::Operator, 1, NO_EVENT),
            on(Kind::Operator, 2, NO_EVENT),
            on(Kind::Call, 5, 1),
            on(Kind::Call, 5, NO_EVENT),
            on(Kind::Overhead, 4, NO_EVENT),
            on(Kind::Host, 4, NO_EVENT),
        ];
        move_calls(&mut events, &[false, true, false, false, false, false]);
        assert_eq!(events.iter().map(|event| event.thread).collect::<Vec<_>>(), [1, 2, 2, 1, 1, 4]);
        events.push(Event { is_step: true, start: 9, ..on(Kind::Annotation, 3, NO_EVENT) });
        move_calls(&mut events, &[false, true, false, false, false, false]);
        assert_eq!(events[3].thread, 3, "the thread of the steps comes first");
    }
}
