//! The numbers of the printed report: of all threads merged, and thread by thread.
//!
//! By the old profiler's rules the total is the time of the top-level events, every ratio is relative to that
//! total, computation is the time of nested events with `compute` in their names, and the remaining time is
//! overhead. Must not know columns.

use proftui_base::time::{Ns, sum};
use proftui_trace::model::{LaneId, LaneKind, Trace};

use super::events::EventName;
use super::memory::{self, MemoryRow};
use super::options::{Detail, Options};
use super::tree::{Tree, of_lane};
use crate::analysis::Scope;
use crate::compat::bounds::{deep_rows, long_names};

/// One line of the Event Summary; times in ms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The row's name as printed, without indentation, such as `train`, `conv2d/compute` or `thread0::train`.
    pub name: String,
    /// The row's depth in the tree of events; 0 at the top.
    pub depth: usize,
    /// The number of calls.
    pub calls: u64,
    /// Summed time of the calls, ms: of the host, of devices or both, as the option `state` selects.
    pub total: f64,
    /// Summed host time of the calls, ms.
    pub cpu: f64,
    /// Summed time of the scope's device work launched within the calls, ms.
    pub gpu: f64,
    /// Time of the shortest call, ms: of the host, of devices or both, as the option `state` selects.
    pub min: f64,
    /// Time of the longest call, ms: of the host, of devices or both, as the option `state` selects.
    pub max: f64,
    /// Average time of a call, ms: of the host, of devices or both, as the option `state` selects.
    pub ave: f64,
    /// The ratio (1 for 100 %) of `total` to the summed time of the top-level rows of the thread or merged
    /// section.
    pub ratio: f64,
}

/// A line of the Overhead Summary or of the summary of copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// The line's name as printed.
    pub name: &'static str,
    /// The number of calls; 0 for computation and framework overhead, which are printed without a count.
    pub calls: u64,
    /// Summed time, ms: of the host, of devices or both, as the option `state` selects.
    pub total: f64,
    /// The ratio (1 for 100 %) of `total` to the time of all top-level events.
    pub ratio: f64,
}

/// The summaries of overhead and copies, which are printed above the events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overhead {
    /// The summed time of all top-level events, ms: of the host, of devices or both, as the option `state`
    /// selects.
    pub total: f64,
    /// Two lines of the Overhead Summary: computation time, and framework overhead (all other time).
    pub shares: Vec<Share>,
    /// The line of all copies, even if there are none; then a line for asynchronous and one for synchronous
    /// copies, each only if there are such copies.
    pub copies: Vec<Share>,
}

/// One section of the report: the tables of all its threads, merged or listed one by one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// True if the section merges all of several threads.
    pub is_merged: bool,
    /// The summaries of overhead and copies; `None` for a section that lists several threads one by one.
    pub overhead: Option<Overhead>,
    /// The lines of the Event Summary, parents before their children.
    pub rows: Vec<Row>,
}

/// The whole report of Paddle's old profiler, in the order printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The options with which the report was made.
    pub options: Options,
    /// If there are several threads, first a section that merges them; then, always, one that lists the
    /// threads one by one.
    pub sections: Vec<Section>,
    /// The lines of the memory report, grouped by the host or device of the memory; in each group those with
    /// most bytes allocated first.
    pub memory: Vec<MemoryRow>,
}

impl Report {
    /// Notes on the printed report, such as how many rows have very long names; empty if there is nothing to
    /// note.
    pub fn notes(&self) -> Vec<String> {
        let rows = || self.sections.iter().flat_map(|section| &section.rows);
        let long = long_names(rows().map(|row| row.name.as_str()));
        let deep = deep_rows(rows().map(|row| row.depth));
        self.note().map(str::to_owned).into_iter().chain(long).chain(deep).collect()
    }

    /// Why the report counts all time as framework overhead; `None` for a report that does not, or that has
    /// no time.
    pub fn note(&self) -> Option<&'static str> {
        let mut overheads = self.sections.iter().filter_map(|section| section.overhead.as_ref());
        let is_all = |overhead: &Overhead| {
            let computation = overhead.shares.first().map_or(0.0, |share| share.total);
            overhead.total > 0.0 && computation == 0.0
        };
        overheads.any(is_all).then_some(
            "Framework overhead is 100 % as in the original, which counts as computation only the time of \
             events with \"compute\" in their names inside other events: no time here. In --layout proftui \
             --view host, the framework's overhead is the column Nothing of a thread that runs steps.",
        )
    }
}

fn ms(ns: Ns) -> f64 {
    ns as f64 / 1e6
}

/// The ratio of two times; 0 unless `whole` is more than 0.
fn ratio(part: Ns, whole: Ns) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

/// Appends to `rows` a line for each node of a sorted tree, parents before children. The names of top-level
/// nodes get `prefix`.
fn lines(trace: &Trace, tree: &Tree, prefix: &str, options: Options, rows: &mut Vec<Row>) {
    let total = sum(tree.roots.iter().map(|&root| tree.nodes[root].total(options.state)));
    // The thread is part of the names at the top only.
    let own = |at: usize, depth: usize| {
        let own = tree.nodes[at].name.text(trace);
        if depth == 0 { format!("{prefix}{own}") } else { own }
    };
    let mut open: Vec<(usize, usize, Option<usize>)> =
        tree.roots.iter().rev().map(|&root| (root, 0, None)).collect();
    while let Some((at, depth, parent)) = open.pop() {
        let node = &tree.nodes[at];
        let name = match parent {
            Some(parent) if node.name.is_bare_inner() => {
                format!("{}/{}", own(parent, depth - 1), own(at, depth))
            }
            _ => own(at, depth),
        };
        let time = node.total(options.state);
        rows.push(Row {
            name,
            depth,
            calls: node.calls,
            total: ms(time),
            cpu: ms(node.cpu),
            gpu: ms(node.gpu),
            min: ms(node.min),
            max: ms(node.max),
            ave: ms(time) / node.calls.max(1) as f64,
            ratio: ratio(time, total),
        });
        open.extend(node.children.iter().rev().map(|&child| (child, depth + 1, Some(at))));
    }
}

/// Makes the summaries of overhead and copies from a tree of all events.
fn overhead(trace: &Trace, tree: &Tree, options: Options) -> Overhead {
    let total = sum(tree.roots.iter().map(|&root| tree.nodes[root].total(options.state)));
    // For each node: whether it is at the top, and whether it is inside computation, which is already
    // counted. Parents come first.
    let mut flags = vec![(true, false); tree.nodes.len()];
    let (mut compute, mut asynchronous, mut waiting) = (0, (0, 0), (0, 0));
    for (at, node) in tree.nodes.iter().enumerate() {
        let name = node.name.text(trace);
        let time = node.total(options.state);
        let (is_root, is_counted) = flags[at];
        node.children
            .iter()
            .for_each(|&child| flags[child] = (false, is_counted || name.ends_with("compute")));
        if !is_root && !is_counted && name.contains("compute") {
            compute = time.saturating_add(compute);
        }
        let copies = match () {
            () if name.contains("GpuMemcpyAsync") => &mut asynchronous,
            () if name.contains("GpuMemcpySync") => &mut waiting,
            () => continue,
        };
        *copies = (copies.0 + node.calls, time.saturating_add(copies.1));
    }
    let share = |name, (calls, time)| Share { name, calls, total: ms(time), ratio: ratio(time, total) };
    let all = (asynchronous.0 + waiting.0, waiting.1.saturating_add(asynchronous.1));
    let parts = [share("GpuMemcpyAsync", asynchronous), share("GpuMemcpySync", waiting)];
    Overhead {
        total: ms(total),
        shares: vec![
            share("Computation time", (0, compute)),
            share("Framework overhead", (0, total.saturating_sub(compute))),
        ],
        copies: std::iter::once(share("GpuMemcpy", all))
            .chain(parts.into_iter().filter(|share| share.calls > 0))
            .collect(),
    }
}

/// Returns the trees with their threads' numbers, the largest first: as a file of the old profiler states
/// them, else counted from 0 by the start of each thread's first slice.
fn threads(trace: &Trace, mut trees: Vec<(LaneId, Tree)>) -> Vec<(u64, Tree)> {
    let lane = |lane: LaneId| &trace.lanes[lane];
    let stated = |lane_id: LaneId| trace.strings.text(lane(lane_id).tid).as_str().parse().ok();
    let numbers: Option<Vec<u64>> = trees.iter().map(|&(lane, _)| stated(lane)).collect();
    let begin = |lane_id: LaneId| trace.slices.start[lane(lane_id).slices.start];
    let numbers = numbers.filter(|_| trace.meta.producer == "fluid").unwrap_or_else(|| {
        trees.sort_by_key(|&(lane, _)| begin(lane));
        (0..trees.len() as u64).collect()
    });
    let mut numbered: Vec<(u64, Tree)> =
        numbers.into_iter().zip(trees.into_iter().map(|(_, tree)| tree)).collect();
    // The old profiler prints the last thread first.
    numbered.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    numbered
}

/// True for events of this name if the options leave them out of the Event Summary; the summaries of overhead
/// and copies include them.
fn is_hidden(name: EventName, options: Options) -> bool {
    options.detail == Detail::Default && name.is_inner()
}

/// Makes the report of the host threads and memory events in `scope`.
pub fn report(trace: &Trace, scope: &Scope, options: Options) -> Report {
    let hosts = trace
        .lanes
        .ids()
        .iter()
        .filter(|&lane| trace.lanes[lane].kind == LaneKind::Thread && scope.has_lane(lane));
    let trees = hosts.map(|lane| (lane, of_lane(trace, scope, lane, options.state)));
    let trees: Vec<_> = trees.filter(|(_, tree)| !tree.nodes.is_empty()).collect();
    let threads = threads(trace, trees);
    let mut sections = Vec::new();
    if threads.len() > 1 {
        let (mut all, mut shown) = (Tree::default(), Tree::default());
        for (position, (_, tree)) in threads.iter().enumerate() {
            all.merge(tree, position, |_| false);
            shown.merge(tree, position, |name| is_hidden(name, options));
        }
        shown.sort(options.key, options.state);
        let mut rows = Vec::new();
        lines(trace, &shown, "", options, &mut rows);
        sections.push(Section { is_merged: true, overhead: Some(overhead(trace, &all, options)), rows });
    }
    let mut rows = Vec::new();
    for (number, tree) in &threads {
        let mut shown = Tree::default();
        shown.merge(tree, 0, |name| is_hidden(name, options));
        shown.sort(options.key, options.state);
        lines(trace, &shown, &format!("thread{number}::"), options, &mut rows);
    }
    let alone = match threads.as_slice() {
        [] => Some(overhead(trace, &Tree::default(), options)),
        [(_, tree)] => Some(overhead(trace, tree, options)),
        _ => None,
    };
    sections.push(Section { is_merged: false, overhead: alone, rows });
    Report { options, sections, memory: memory::rows(trace, scope) }
}
