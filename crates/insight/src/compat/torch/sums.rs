//! The times and the memory of single events, with and without those of the events inside them.
//!
//! Doubles are added in torch's order, since the order decides how an average half-way between two digits is
//! rounded.

use super::event::{Event, FileEvents, elapsed};
use super::tree::Tree;

/// The sums of the events of one file, by index; times in µs.
pub(super) struct Sums<'a> {
    events: &'a [Event],
    tree: &'a Tree,
    cpu: Vec<f64>,
    device: Vec<f64>,
}

impl<'a> Sums<'a> {
    /// The sums of a file's events; `tree` must be made of the same events.
    pub(super) fn new(file: &'a FileEvents, tree: &'a Tree) -> Self {
        let events = &file.events;
        let zero = file.zero();
        let cpu = events
            .iter()
            .map(|event| if event.kind.is_device() { 0.0 } else { elapsed(event, zero) })
            .collect();
        // Children come after their parents, so in reverse their times are known when the parent needs them.
        let mut device: Vec<f64> = vec![0.0; events.len()];
        for (at, event) in events.iter().enumerate().rev() {
            device[at] = if event.kind.is_device() {
                elapsed(event, zero)
            } else if event.is_async() {
                0.0
            } else {
                event.work + plain_sum(tree.children(at).map(|child| device[child]))
            };
        }
        Self { events, tree, cpu, device }
    }

    /// The event's time on the host; 0 for an event of a device.
    pub(super) fn cpu(&self, at: usize) -> f64 {
        self.cpu[at]
    }

    /// The event's time on the host without that of its children; 0 for one that ends on another thread.
    pub(super) fn self_cpu(&self, at: usize) -> f64 {
        if self.events[at].is_async() { 0.0 } else { self.cpu[at] - self.children(&self.cpu, at) }
    }

    /// The time of a device's event, or of the device work that the event and those inside it launched.
    pub(super) fn device(&self, at: usize) -> f64 {
        self.device[at]
    }

    /// The time of a device's event, or of the device work that the event itself launched.
    pub(super) fn self_device(&self, at: usize) -> f64 {
        let is_whole = self.events[at].kind.is_device();
        if is_whole { self.device[at] } else { self.device[at] - self.children(&self.device, at) }
    }

    /// Bytes allocated minus released during the event, without those of its children, as [host, device].
    pub(super) fn self_memory(&self, at: usize) -> [i64; 2] {
        [0, 1].map(|side| {
            let of_children = self
                .tree
                .children(at)
                .fold(0_i64, |sum, child| sum.saturating_add(self.events[child].memory[side]));
            self.events[at].memory[side].saturating_sub(of_children)
        })
    }

    fn children(&self, of: &[f64], at: usize) -> f64 {
        plain_sum(self.tree.children(at).map(|child| of[child]))
    }
}

/// Adds values one by one, as Python's `sum()` did before version 3.12.
pub(super) fn plain_sum(values: impl Iterator<Item = f64>) -> f64 {
    // Later versions compensate for rounding, which changes printed digits in exact ties only.
    values.fold(0.0, |sum, value| sum + value)
}
