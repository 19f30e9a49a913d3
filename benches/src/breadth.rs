//! The order in which Paddle writes events: a thread's tree breadth first, each host event followed by its
//! runtime calls, each of those by its device work, then by memory instants. Knows the workload, but no
//! output format.

use super::workload::{Event, Run, What};

/// An event of a step, with its position in the tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    pub event: &'a Event,
    /// How many operators enclose it.
    pub inside: u32,
    key: (u32, usize, u8, usize),
}

/// The events of the run's last step, breadth first.
pub(super) fn order(run: &Run) -> Vec<Node<'_>> {
    let (host, device) = run.parts();
    let mut nodes = Vec::with_capacity(host.len() + device.len());
    // Owners come before what they own.
    let mut positions: Vec<(u32, u32)> = Vec::with_capacity(host.len());
    for (at, event) in host.iter().enumerate() {
        let (level, inside) = if event.owner == at { (0, 0) } else { below(&positions, host, event.owner) };
        positions.push((level, inside));
        let key = match event.what {
            What::Memory => (positions[event.owner].0, event.owner, 2, at),
            _ => (level, at, 0, 0),
        };
        nodes.push(Node { event, inside, key });
    }
    for (at, event) in device.iter().enumerate() {
        // In the workload, device work comes before the call that launches it; in the file, after it.
        let number = if event.what == What::Call { 2 * at } else { 2 * at + 3 };
        let key = (positions[event.owner].0, event.owner, 1, number);
        nodes.push(Node { event, inside: 0, key });
    }
    nodes.sort_unstable_by_key(|node| node.key);
    nodes
}

/// The level of the events that `owner` encloses, and how many operators enclose them.
fn below(positions: &[(u32, u32)], host: &[Event], owner: usize) -> (u32, u32) {
    let is_operator = matches!(host[owner].what, What::Operator | What::Gradient);
    (positions[owner].0 + 1, positions[owner].1 + u32::from(is_operator))
}
