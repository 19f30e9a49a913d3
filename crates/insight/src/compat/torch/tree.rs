//! The tree of host events, nested by time (torch's `_populate_cpu_children` and `_remove_dup_nodes`).
//!
//! Functions use loops instead of recursion: deep nesting cannot overflow the stack.

use super::event::{Event, NO_EVENT};

/// A file's host events nested by time, as lists with an entry per event. Parents come before their children.
#[derive(Debug)]
pub(super) struct Tree {
    parents: Vec<u32>,
    first_children: Vec<u32>,
    last_children: Vec<u32>,
    next_siblings: Vec<u32>,
    /// Number of children of each event.
    counts: Vec<u32>,
    /// For each event, true if [`collapse`](Tree::collapse) removed it.
    removed: Vec<bool>,
}

impl Tree {
    /// Nests the host events of each thread by time, as torch does. `events` must be sorted by start, of
    /// equal starts the longer first.
    pub(super) fn new(events: &[Event]) -> Self {
        let none = || vec![NO_EVENT; events.len()];
        let mut tree = Self {
            parents: none(),
            first_children: none(),
            last_children: none(),
            next_siblings: none(),
            counts: vec![0; events.len()],
            removed: vec![false; events.len()],
        };
        let threads = events.iter().map(|event| event.thread as usize + 1).max().unwrap_or(0);
        let mut open: Vec<Vec<u32>> = vec![Vec::new(); threads];
        for (at, event) in (0..).zip(events) {
            if event.kind.is_device() || event.is_async() {
                continue;
            }
            let open = &mut open[event.thread as usize];
            while let Some(&parent) = open.last() {
                let around = &events[parent as usize];
                if event.start >= around.end || event.end > around.end {
                    open.pop();
                } else {
                    tree.append(parent, at);
                    break;
                }
            }
            open.push(at);
        }
        tree
    }

    /// Makes `child` the last child of `parent`.
    fn append(&mut self, parent: u32, child: u32) {
        let p = parent as usize;
        match self.last_children[p] {
            NO_EVENT => self.first_children[p] = child,
            last => self.next_siblings[last as usize] = child,
        }
        self.last_children[p] = child;
        self.counts[p] += 1;
        self.parents[child as usize] = parent;
    }

    /// Removes events that are the only child of an event of the same name, as torch does. The parent gets
    /// the children and, instead of its own, the device work of the removed event.
    pub(super) fn collapse(&mut self, events: &mut [Event]) {
        loop {
            let mut has_removed = false;
            for at in 0..events.len() {
                let parent = self.parents[at];
                if self.removed[at] || parent == NO_EVENT {
                    continue;
                }
                let p = parent as usize;
                if events[p].name != events[at].name || self.counts[p] != 1 {
                    continue;
                }
                self.removed[at] = true;
                has_removed = true;
                events[p].work = events[at].work;
                self.counts[p] = self.counts[at];
                self.first_children[p] = self.first_children[at];
                self.last_children[p] = self.last_children[at];
                let mut child = self.first_children[at];
                while child != NO_EVENT {
                    self.parents[child as usize] = parent;
                    child = self.next_siblings[child as usize];
                }
            }
            if !has_removed {
                return;
            }
        }
    }

    /// True if [`collapse`](Tree::collapse) did not remove the event with the index `at`.
    pub(super) fn has(&self, at: usize) -> bool {
        !self.removed[at]
    }

    /// The index of the parent of the event with the index `at`; None if it has none.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        Some(self.parents[at] as usize).filter(|&parent| parent != NO_EVENT as usize)
    }

    /// The indices of the children of the event with the index `at`, by start.
    pub(super) fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let step = |&child: &u32| Some(self.next_siblings[child as usize]).filter(|&next| next != NO_EVENT);
        let first = Some(self.first_children[at]).filter(|&first| first != NO_EVENT);
        std::iter::successors(first, step).map(|child| child as usize)
    }
}

#[cfg(test)]
mod tests {
    use crate::compat::torch::event::Kind;

    use super::*;
    use proftui_base::intern::StrId;

    fn events(list: &[(u32, i64, i64)]) -> Vec<Event> {
        list.iter()
            .map(|&(name, start, end)| Event { start, end, name: StrId::new(name), ..Event::default() })
            .collect()
    }

    #[test]
    fn overlap_makes_siblings() {
        let events = events(&[(1, 0, 100), (2, 10, 50), (3, 20, 60), (4, 55, 60), (5, 100, 110)]);
        let tree = Tree::new(&events);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(tree.parent(3), Some(2));
        assert_eq!(tree.parent(4), None, "it starts where the other ends");
    }

    #[test]
    fn an_event_that_outlasts_its_parent_ends_it() {
        let events = events(&[(1, 0, 100), (2, 50, 150), (3, 60, 90)]);
        let tree = Tree::new(&events);
        assert_eq!(tree.parent(1), None);
        assert_eq!(tree.parent(2), Some(1), "the later one is the parent where both could be");
    }

    #[test]
    fn only_children_of_the_same_name_go() {
        let mut list = events(&[(1, 0, 100), (1, 0, 90), (1, 5, 80), (2, 10, 20), (2, 30, 40), (2, 31, 39)]);
        list[2].work = 7.0;
        let mut tree = Tree::new(&list);
        tree.collapse(&mut list);
        let left: Vec<usize> = (0..6).filter(|&at| tree.has(at)).collect();
        assert_eq!(left, [0, 3, 4]);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [3, 4]);
        assert!((list[0].work - 7.0).abs() < 1e-12, "its device work is lifted");
        let mut two = events(&[(1, 0, 100), (1, 0, 40), (1, 50, 90)]);
        let mut tree = Tree::new(&two);
        tree.collapse(&mut two);
        assert!((0..3).all(|at| tree.has(at)), "two children stay");
    }

    #[test]
    fn threads_and_devices_stay_apart() {
        let mut list = events(&[(1, 0, 100), (2, 10, 50), (3, 20, 30)]);
        list[1].thread = 1;
        list[2].kind = Kind::Device;
        let tree = Tree::new(&list);
        assert!((0..3).all(|at| tree.parent(at).is_none()));
        Tree::new(&[]).collapse(&mut []);
    }

    #[test]
    fn depth_costs_no_stack() {
        let list: Vec<_> = (0..200_000).map(|i| (1, i, 400_000 - i)).collect();
        let mut events = events(&list);
        let mut tree = Tree::new(&events);
        tree.collapse(&mut events);
        assert_eq!((0..events.len()).filter(|&at| tree.has(at)).count(), 1);
    }
}
