//! From operators to their backward, by Kineto's rule: of the operators with a sequence number on the thread that the backward names
//! the last one that began before it, each once.
//!
//! The backward names that thread by torch's own count of threads, which the operators do not tell: it is the thread that
//! most of the numbers are found on.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::export::recording::operator_details::OperatorDetails;

/// An operator with a sequence number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    pub start: u64,
    pub sequence: i64,
    /// The thread of the forward, as torch counts threads; 0 for an operator that is no backward.
    pub forward_thread: i64,
    pub tid: u32,
    /// What the range has for a name.
    pub name: u32,
}

/// Draws the arrows.
pub(super) fn draw(mut ties: Vec<Tie>, details: &mut OperatorDetails) {
    ties.retain(|tie| tie.sequence >= 0);
    // Stable: of two that begin at once the one around the other comes first.
    ties.sort_by_key(|tie| tie.start);
    let threads = threads(&ties);
    let mut forwards: HashMap<(u32, i64), u32> = HashMap::new();
    for tie in ties {
        if tie.forward_thread <= 0 {
            forwards.insert((tie.tid, tie.sequence), tie.name);
        } else if let Some(&tid) = threads.get(&tie.forward_thread)
            && let Some(forward) = forwards.remove(&(tid, tie.sequence))
        {
            details.link(forward, tie.name);
        }
    }
}

/// Which thread each of torch's numbers is.
fn threads(ties: &[Tie]) -> HashMap<i64, u32> {
    let mut forwards: HashMap<i64, Vec<u32>> = HashMap::new();
    for tie in ties.iter().filter(|tie| tie.forward_thread <= 0) {
        let seen = forwards.entry(tie.sequence).or_default();
        if !seen.contains(&tie.tid) {
            seen.push(tie.tid);
        }
    }
    let mut votes: HashMap<(i64, u32), u64> = HashMap::new();
    for tie in ties.iter().filter(|tie| tie.forward_thread > 0) {
        for &tid in forwards.get(&tie.sequence).into_iter().flatten() {
            *votes.entry((tie.forward_thread, tid)).or_default() += 1;
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
    fn an_arrow_leads_from_the_last_operator_of_a_number_to_the_first_backward() {
        let mut details = OperatorDetails::default();
        let mut tie = |start, sequence, forward_thread, tid| {
            let name = details.add(start as u32, r#""x":1"#);
            Tie { start, sequence, forward_thread, tid, name }
        };
        let all = vec![
            tie(10, 7, 0, 1),
            tie(20, 7, 0, 1),
            tie(21, 7, 0, 2),
            tie(30, 8, 0, 1),
            tie(50, 8, 4, 3),
            tie(60, 7, 4, 3),
            tie(61, 7, 4, 3),
            tie(70, 9, 4, 3),
            tie(80, -1, 4, 3),
        ];
        let names: Vec<u32> = all.iter().map(|tie| tie.name).collect();
        draw(all, &mut details);
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
