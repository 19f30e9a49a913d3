//! Sums over events by path: a tree with one node per path of names.
//!
//! Must not know ratios, which need the total.

use rustc_hash::FxHashMap;

use proftui_base::time::Ns;
use proftui_trace::model::{LaneId, Trace};

use super::events::{EventName, names};
use super::options::{SortKey, State};
use crate::analysis::Scope;

/// The events of one path, summed up; a path is the names of the nodes from a top-level one down to this.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The last name of the path.
    pub name: EventName,
    /// The number of events.
    pub calls: u64,
    /// Summed host time of the events, ns.
    pub cpu: Ns,
    /// Summed time of the scope's device work launched within the events, ns.
    pub gpu: Ns,
    /// Time of the shortest event, ns: of the host, of devices or both, as the option `state` selects.
    pub min: Ns,
    /// Time of the longest event, ns: of the host, of devices or both, as the option `state` selects.
    pub max: Ns,
    /// The position among the tree's threads of the first that has the path, and the earliest end (ns) of
    /// the path's events there.
    pub first: (usize, Ns),
    /// The indices of the child nodes in [`Tree::nodes`].
    pub children: Vec<usize>,
}

impl Node {
    /// Summed time of the events, ns: of the host, of devices or both, as `state` selects.
    pub fn total(&self, state: State) -> Ns {
        time(state, self.cpu, self.gpu)
    }
}

/// The host time `cpu`, the device time `gpu`, or their sum, as `state` selects; all ns.
fn time(state: State, cpu: Ns, gpu: Ns) -> Ns {
    match state {
        State::Cpu => cpu,
        State::Gpu => gpu,
        State::All => cpu.saturating_add(gpu),
    }
}

/// A tree with one node per path of event names.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// All nodes; a parent comes before its children.
    pub nodes: Vec<Node>,
    /// The indices of the top-level nodes in `nodes`.
    pub roots: Vec<usize>,
    /// The index in `nodes` of each node by its parent (`None` at the top) and name.
    index: FxHashMap<(Option<usize>, EventName), usize>,
}

impl Tree {
    /// Returns the index of the node with this parent (`None` at the top) and name, and adds the node if it
    /// is new.
    fn node(&mut self, parent: Option<usize>, name: EventName) -> usize {
        let next = self.nodes.len();
        let at = *self.index.entry((parent, name)).or_insert(next);
        if at == next {
            let bounds = (Ns::MAX, Ns::MIN);
            self.nodes.push(Node {
                name,
                calls: 0,
                cpu: 0,
                gpu: 0,
                min: bounds.0,
                max: bounds.1,
                first: (usize::MAX, Ns::MAX),
                children: Vec::new(),
            });
            match parent {
                Some(parent) => self.nodes[parent].children.push(next),
                None => self.roots.push(next),
            }
        }
        at
    }

    /// Adds the sums of `other`, the tree of a thread, at `position` among this tree's threads. Nodes for
    /// whose names `is_hidden` is true are skipped, but not their children.
    pub fn merge(&mut self, other: &Self, position: usize, is_hidden: impl Fn(EventName) -> bool) {
        let mut open: Vec<(Option<usize>, usize)> =
            other.roots.iter().rev().map(|&root| (None, root)).collect();
        while let Some((parent, from)) = open.pop() {
            let node = &other.nodes[from];
            let within = if is_hidden(node.name) {
                parent
            } else {
                let at = self.node(parent, node.name);
                let sum = &mut self.nodes[at];
                sum.calls += node.calls;
                sum.cpu = sum.cpu.saturating_add(node.cpu);
                sum.gpu = sum.gpu.saturating_add(node.gpu);
                sum.min = sum.min.min(node.min);
                sum.max = sum.max.max(node.max);
                sum.first = sum.first.min((position, node.first.1));
                Some(at)
            };
            open.extend(node.children.iter().rev().map(|&child| (within, child)));
        }
    }

    /// Sorts siblings by `key`, largest first; equal ones, and with [`SortKey::Default`] all, by
    /// [`Node::first`]. `state` selects the time of totals and averages.
    pub fn sort(&mut self, key: SortKey, state: State) {
        let order = |tree: &Self, list: &mut Vec<usize>| {
            list.sort_by_key(|&at| tree.nodes[at].first);
            let value = |node: &Node| -> f64 {
                let total = node.total(state) as f64;
                match key {
                    SortKey::Default => 0.0,
                    SortKey::Calls => node.calls as f64,
                    SortKey::Total => total,
                    SortKey::Max => node.max as f64,
                    SortKey::Min => node.min as f64,
                    SortKey::Ave => total / node.calls.max(1) as f64,
                    SortKey::GpuTime => node.gpu as f64,
                    SortKey::CpuTime => node.cpu as f64,
                }
            };
            list.sort_by(|&a, &b| value(&tree.nodes[b]).total_cmp(&value(&tree.nodes[a])));
        };
        let mut roots = std::mem::take(&mut self.roots);
        order(self, &mut roots);
        self.roots = roots;
        for at in 0..self.nodes.len() {
            let mut children = std::mem::take(&mut self.nodes[at].children);
            order(self, &mut children);
            self.nodes[at].children = children;
        }
    }
}

/// Builds the tree of the events that start in `scope` on one thread; `state` selects the time for `min` and
/// `max`.
pub fn of_lane(trace: &Trace, scope: &Scope, lane: LaneId, state: State) -> Tree {
    let ids = trace.lanes[lane].slices;
    let first = ids.start;
    let mut gpu = vec![0_i64; ids.len()];
    let is_kept = scope.work_filter(trace);
    for &(launch, work) in trace.links.within(ids).iter().filter(|(_, work)| is_kept(*work)) {
        let sum = &mut gpu[(launch - first) as usize];
        *sum = sum.saturating_add(trace.slices.dur[work]);
    }
    // A slice has a smaller id than its children: in reverse, its work is complete before it counts for the
    // slice around it.
    for id in ids.iter().rev() {
        if let Some(around) = trace.slices.parent(id) {
            let own = gpu[(id - first) as usize];
            let sum = &mut gpu[(around - first) as usize];
            *sum = sum.saturating_add(own);
        }
    }
    let names = names(trace, lane);
    let mut tree = Tree::default();
    // In order: the node of a slice is known before the nodes of its children are made.
    let mut nodes: Vec<Option<usize>> = vec![None; ids.len()];
    for id in ids {
        let own = (id - first) as usize;
        let parent = trace.slices.parent(id).and_then(|parent| nodes[(parent - first) as usize]);
        nodes[own] = parent;
        if !scope.has_time(trace.slices.start[id]) {
            continue;
        }
        let Some(name) = names[own] else { continue };
        let at = tree.node(parent, name);
        nodes[own] = Some(at);
        let (cpu, gpu) = (trace.slices.dur[id], gpu[own]);
        let node = &mut tree.nodes[at];
        node.calls += 1;
        node.cpu = node.cpu.saturating_add(cpu);
        node.gpu = node.gpu.saturating_add(gpu);
        node.min = node.min.min(time(state, cpu, gpu));
        node.max = node.max.max(time(state, cpu, gpu));
        node.first = node.first.min((0, trace.slices.end(id)));
    }
    tree
}
