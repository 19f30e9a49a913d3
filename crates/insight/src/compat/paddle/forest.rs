//! One tree of host events per thread, with the runtime calls, device work and memory events that each node
//! holds.
//!
//! Trees that the file states are read from it (`explicit`); others are found by nesting in time (`nest`). A
//! holder is a node or a thread's root, numbered in one sequence: the nodes first, then the roots. No
//! function is recursive: deep nesting cannot overflow the stack.

mod explicit;
mod nest;
mod node;

use crate::analysis::Scope;
use rustc_hash::FxHashSet;

use proftui_base::ids::Column;
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Span;
use proftui_trace::model::{Category, GroupKind, LaneKind, SliceId, Trace};

pub(in crate::compat) use node::{NO_NODE, Node, NodeId};

/// A list of ids for each holder (a node or a thread's root), all lists in one vector.
#[derive(Debug, Default)]
struct Lists<T> {
    /// The start of each list in `ids`, by the number of the holder (a node or a thread's root); the last
    /// entry is the length of `ids`.
    starts: Vec<u32>,
    ids: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Builds the lists of `holders` holders (nodes and threads' roots), numbered from 0, from (holder, id)
    /// pairs; the ids of a holder keep their order.
    fn of(holders: usize, pairs: &[(u32, T)]) -> Self {
        let mut starts = vec![0_u32; holders + 1];
        pairs.iter().for_each(|pair| starts[pair.0 as usize + 1] += 1);
        for at in 0..holders {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut ids = vec![T::default(); pairs.len()];
        for &(holder, id) in pairs {
            ids[next[holder as usize] as usize] = id;
            next[holder as usize] += 1;
        }
        Self { starts, ids }
    }

    fn get(&self, holder: u32) -> &[T] {
        &self.ids[self.starts[holder as usize] as usize..self.starts[holder as usize + 1] as usize]
    }
}

/// The key that identifies and orders threads; those whose trees a file states come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ThreadKey {
    /// True if the thread's tree is found by nesting in time, false if the file states it.
    is_nested: bool,
    /// The number of the file that states the tree; for a tree found by time, of the lane's worker.
    owner: u16,
    /// The thread's number; `u64::MAX` if its id in the file is no number.
    number: u64,
    /// The number of the tree that the file states; for a tree found by time, of the lane's group (process).
    id: u32,
    /// The interned id of the thread in the file; empty for a tree that the file states.
    name: StrId,
}

/// A host event or a runtime call, with its thread.
#[derive(Clone, Copy, Debug)]
struct HostSlice {
    slice: SliceId,
    thread: ThreadKey,
}

/// The trees of host events of all threads in a scope, with the runtime calls, device work and memory events
/// of each holder (a node or a thread's root).
pub(in crate::compat) struct Forest<'a> {
    pub trace: &'a Trace,
    /// All nodes, thread by thread; parents come before their children.
    pub nodes: Vec<Node>,
    threads: u32,
    /// The child nodes of each holder (a node or a thread's root).
    children: Lists<NodeId>,
    /// The runtime calls directly within each holder (a node or a thread's root), not within its child nodes.
    calls: Lists<SliceId>,
    /// The memory events directly within each node, as indices into [`Trace::memory`]; none for a thread's
    /// root.
    memory: Lists<u32>,
    /// Pairs of a call (or host event) and one piece of device work that it launched, sorted by call, then in
    /// the order of the file; if the scope has streams, only work on these.
    work: Vec<(SliceId, SliceId)>,
    /// The nodes in the order in which Paddle's tables count them: thread by thread, a node before its
    /// children, the last of several children first.
    pub visit: Vec<NodeId>,
}

impl<'a> Forest<'a> {
    /// Builds the trees of the host events that start in `scope`, finds their runtime calls, device work and
    /// memory events, and sums up the nodes' device times.
    pub(in crate::compat) fn of(trace: &'a Trace, scope: &Scope) -> Self {
        let (mut hosts, calls) = host_slices(trace, scope);
        let mut threads: Vec<ThreadKey> = hosts.iter().chain(&calls).map(|host| host.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let slices = &trace.slices;
        hosts.sort_by_key(|host| {
            let id = host.slice;
            let time = (slices.start[id], std::cmp::Reverse(slices.end(id)));
            (host.thread, host.thread.is_nested.then_some(time), slices.origin[id])
        });
        let number = |key: &ThreadKey| saturate::<u32>(threads.binary_search(key).unwrap_or_default());
        let mut nodes: Vec<Node> = hosts
            .iter()
            .map(|host| Node {
                slice: host.slice,
                parent: NO_NODE,
                thread: number(&host.thread),
                kernel: 0,
                device: 0,
            })
            .collect();
        let mut node_of: Column<SliceId, NodeId> = vec![NO_NODE; slices.len()].into();
        (0..).zip(&nodes).for_each(|(at, node)| node_of[node.slice] = at);
        let calls: Vec<(SliceId, u32, bool)> =
            calls.iter().map(|call| (call.slice, number(&call.thread), call.thread.is_nested)).collect();

        let mut holders = explicit::Holders::new(trace, &node_of);
        explicit::parents(&mut nodes, &mut holders);
        let mut pairs = explicit::calls(&calls, &mut holders);
        let mut memory = explicit::memory(scope, &mut holders);
        let is_nested: Vec<bool> = threads.iter().map(|key| key.is_nested).collect();
        nest::find(trace, scope, &mut nodes, &is_nested, &calls, &mut pairs, &mut memory);

        let holders = nodes.len() + threads.len();
        let root =
            |holder: Option<NodeId>, thread: u32| holder.unwrap_or(saturate::<u32>(nodes.len()) + thread);
        let mut pairs: Vec<(u32, SliceId)> =
            pairs.iter().map(|&(holder, thread, call)| (root(holder, thread), call)).collect();
        pairs.sort_by_key(|&(holder, call)| (holder, slices.origin[call]));
        memory.sort_by_key(|&(holder, event)| (holder, trace.memory[event as usize].origin));
        let children: Vec<(u32, u32)> = (0..)
            .zip(&nodes)
            .map(|(id, node)| (root(Some(node.parent).filter(|&parent| parent != NO_NODE), node.thread), id))
            .collect();
        let mut forest = Self {
            trace,
            threads: saturate::<u32>(threads.len()),
            children: Lists::of(holders, &children),
            calls: Lists::of(holders, &pairs),
            memory: Lists::of(holders, &memory),
            work: explicit::work(trace, scope),
            nodes,
            visit: Vec::new(),
        };
        forest.add_up();
        forest.walk();
        forest
    }

    /// Sets the summed kernel and device times of all nodes, with those of their descendants.
    fn add_up(&mut self) {
        for id in (0..saturate::<NodeId>(self.nodes.len())).rev() {
            let (mut kernel, mut device) = (0, 0);
            for work in self.direct_work(id) {
                let dur = self.trace.slices.dur[work];
                device = dur.saturating_add(device);
                if self.trace.slices.category(work) == Category::Kernel {
                    kernel = dur.saturating_add(kernel);
                }
            }
            let node = &mut self.nodes[id as usize];
            (node.kernel, node.device) =
                (node.kernel.saturating_add(kernel), node.device.saturating_add(device));
            let Node { parent, kernel, device, .. } = *node;
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.kernel = parent.kernel.saturating_add(kernel);
                parent.device = parent.device.saturating_add(device);
            }
        }
    }

    /// Fills [`Forest::visit`] with all nodes.
    fn walk(&mut self) {
        let mut visit = Vec::with_capacity(self.nodes.len());
        for thread in 0..self.threads {
            let mut open: Vec<NodeId> = self.children.get(self.root(thread)).to_vec();
            while let Some(node) = open.pop() {
                visit.push(node);
                open.extend_from_slice(self.children.get(node));
            }
        }
        self.visit = visit;
    }

    /// The number of a thread's root among the holders (all nodes, then the threads' roots).
    pub(in crate::compat) fn root(&self, thread: u32) -> u32 {
        saturate::<u32>(self.nodes.len()) + thread
    }

    /// The numbers of all holders (nodes and threads' roots), thread by thread: the root, then the thread's
    /// nodes in the order of `visit`.
    pub(in crate::compat) fn holders(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.visit.iter().copied().peekable();
        let mut thread = None;
        std::iter::from_fn(move || {
            let own = |id: &NodeId| Some(self.nodes[*id as usize].thread) == thread;
            if let Some(node) = at.next_if(own) {
                return Some(node);
            }
            let next = thread.map_or(0, |thread| thread + 1);
            thread = Some(next);
            (next < self.threads).then(|| self.root(next))
        })
    }

    /// The number of threads; they are numbered from 0.
    pub(in crate::compat) fn threads(&self) -> u32 {
        self.threads
    }

    /// The child nodes directly below a holder (a node or a thread's root).
    pub(in crate::compat) fn children(&self, holder: u32) -> &[NodeId] {
        self.children.get(holder)
    }

    /// The runtime calls directly within a holder (a node or a thread's root), not within its child nodes.
    pub(in crate::compat) fn calls(&self, holder: u32) -> &[SliceId] {
        self.calls.get(holder)
    }

    /// The memory events directly within a node, as indices into [`Trace::memory`]; none for a thread's root.
    pub(in crate::compat) fn memory(&self, holder: u32) -> &[u32] {
        self.memory.get(holder)
    }

    /// The device work that a call (or host event) launched, in the order of the file; if the scope has
    /// streams, only work on these.
    pub(in crate::compat) fn work(&self, slice: SliceId) -> impl Iterator<Item = SliceId> + '_ {
        let from = self.work.partition_point(|pair| pair.0 < slice);
        self.work[from..].iter().take_while(move |pair| pair.0 == slice).map(|pair| pair.1)
    }

    /// The scope's device work launched by a node itself or by the runtime calls directly within it; for a
    /// thread's root, by these calls alone.
    pub(in crate::compat) fn direct_work(&self, holder: u32) -> impl Iterator<Item = SliceId> + '_ {
        let own = self.nodes.get(holder as usize).map(|node| node.slice);
        let slices = own.into_iter().chain(self.calls(holder).iter().copied());
        slices.flat_map(|slice| self.work(slice))
    }

    /// The node with this number, and the category of its slice.
    pub(in crate::compat) fn node(&self, id: NodeId) -> (&Node, Category) {
        let node = &self.nodes[id as usize];
        (node, self.trace.slices.category(node.slice))
    }

    /// The start and end of a slice.
    pub(in crate::compat) fn span(&self, slice: SliceId) -> Span {
        self.trace.slices.span(slice)
    }

    /// The spans of all nodes of a category, thread by thread.
    pub(in crate::compat) fn spans_of(&self, category: Category) -> Vec<Span> {
        let wanted = self.nodes.iter().filter(|node| self.trace.slices.category(node.slice) == category);
        wanted.map(|node| self.span(node.slice)).collect()
    }
}

/// The host events and the runtime calls that start in `scope` on threads, each with its thread.
fn host_slices(trace: &Trace, scope: &Scope) -> (Vec<HostSlice>, Vec<HostSlice>) {
    let (mut hosts, mut calls) = (Vec::new(), Vec::new());
    // Paddle has no ranges for what is outside of all steps.
    let marks: FxHashSet<SliceId> = trace.outside.iter().map(|outside| outside.slice).collect();
    for (lane_id, lane) in trace.lanes.iter_with_ids() {
        let group = &trace.groups[lane.group];
        if group.kind != GroupKind::Process || !matches!(lane.kind, LaneKind::Python | LaneKind::Thread) {
            continue;
        }
        let number = trace.strings.text(lane.tid).as_str().parse().unwrap_or(u64::MAX);
        let nested = ThreadKey {
            is_nested: true,
            owner: group.worker.get(),
            number,
            id: lane.group.get(),
            name: lane.tid,
        };
        for slice in scope.starting(trace, lane_id) {
            let thread = trace.lineage.tree_of(slice).map_or(nested, |id| {
                let tree = trace.lineage.trees[id as usize];
                ThreadKey {
                    is_nested: false,
                    owner: tree.file,
                    number: tree.thread,
                    id,
                    name: StrId::default(),
                }
            });
            let category = trace.slices.category(slice);
            if category.is_runtime() {
                calls.push(HostSlice { slice, thread });
            } else if !category.is_device_work() && !marks.contains(&slice) {
                hosts.push(HostSlice { slice, thread });
            }
        }
    }
    (hosts, calls)
}
