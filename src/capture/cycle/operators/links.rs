//! Links operators to their backward, by Kineto's rule: a backward belongs to the last operator with its
//! sequence number that began before it on the thread that the backward names. Each operator is linked once.
//!
//! The backward states that thread by torch's own numbering, which operators do not state: it is assumed to
//! be the thread with most of the sequence numbers.

use std::cmp::Reverse;
use std::collections::HashMap;

use proftui_trace::export::recording::operator_details::OperatorDetails;

/// An operator with a sequence number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequenced {
    /// Start, ns since 1970.
    pub start: u64,
    /// Sequence number of the operator, negative for none; a backward has that of its forward.
    pub sequence: i64,
    /// Number of the forward's thread, as torch numbers threads; 0 or less for an operator that is no
    /// backward.
    pub forward_thread: i64,
    /// Thread id of the operator's own thread, as the system numbers it.
    pub tid: u32,
    /// The `name` of the operator's range, which refers to the operator's details.
    pub name: u32,
}

/// Links backward operators in `details` to their forward operators, by sequence number and thread.
pub(super) fn add_links(mut operators: Vec<Sequenced>, details: &mut OperatorDetails) {
    operators.retain(|operator| operator.sequence >= 0);
    // A stable sort: of two that begin at the same time, the enclosing one stays first.
    operators.sort_by_key(|operator| operator.start);
    let threads = threads(&operators);
    let mut forwards: HashMap<(u32, i64), u32> = HashMap::new();
    for operator in operators {
        if operator.forward_thread <= 0 {
            forwards.insert((operator.tid, operator.sequence), operator.name);
        } else if let Some(&tid) = threads.get(&operator.forward_thread)
            && let Some(forward) = forwards.remove(&(tid, operator.sequence))
        {
            details.link(forward, operator.name);
        }
    }
}

/// Maps torch's numbers of forward threads to the system's thread ids, by the sequence numbers that forwards
/// and backwards share.
fn threads(operators: &[Sequenced]) -> HashMap<i64, u32> {
    let mut forwards: HashMap<i64, Vec<u32>> = HashMap::new();
    for operator in operators.iter().filter(|operator| operator.forward_thread <= 0) {
        let seen = forwards.entry(operator.sequence).or_default();
        if !seen.contains(&operator.tid) {
            seen.push(operator.tid);
        }
    }
    let mut votes: HashMap<(i64, u32), u64> = HashMap::new();
    for operator in operators.iter().filter(|operator| operator.forward_thread > 0) {
        for &tid in forwards.get(&operator.sequence).into_iter().flatten() {
            *votes.entry((operator.forward_thread, tid)).or_default() += 1;
        }
    }
    let mut best: HashMap<i64, (u64, Reverse<u32>)> = HashMap::new();
    for ((thread, tid), count) in votes {
        let found = best.entry(thread).or_default();
        *found = (*found).max((count, Reverse(tid)));
    }
    best.into_iter().map(|(thread, (_, Reverse(tid)))| (thread, tid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_operator_of_a_number_is_linked_to_the_first_backward() {
        let mut details = OperatorDetails::default();
        let mut operator = |start, sequence, forward_thread, tid| {
            let name = details.add(start as u32, r#""x":1"#);
            Sequenced { start, sequence, forward_thread, tid, name }
        };
        let all = vec![
            operator(10, 7, 0, 1),
            operator(20, 7, 0, 1),
            operator(21, 7, 0, 2),
            operator(30, 8, 0, 1),
            operator(50, 8, 4, 3),
            operator(60, 7, 4, 3),
            operator(61, 7, 4, 3),
            operator(70, 9, 4, 3),
            operator(80, -1, 4, 3),
        ];
        let names: Vec<u32> = all.iter().map(|operator| operator.name).collect();
        add_links(all, &mut details);
        let links: Vec<(u32, u32)> = (names.iter())
            .filter_map(|&name| details.of(name).map(|detail| (detail.forward_link, detail.backward_link)))
            .collect();
        assert_eq!(
            links,
            [(0, 0), (2, 0), (0, 0), (1, 0), (0, 1), (0, 2), (0, 0), (0, 0), (0, 0)],
            "on the thread that both numbers are found on"
        );
    }
}
