//! The numbers of the printed report: merged over threads, and thread by thread.
//!
//! As that profiler has it: only what lies within nothing adds up to the total, every ratio is to that total,
//! computation is what is called so below the top, and everything else is overhead. Must not know columns.

use crate::base::time::{Ns, sum};
use crate::model::{LaneId, LaneKind, Trace};

use super::events::EventName;
use super::memory::{self, MemoryRow};
use super::options::{Detail, Options};
use super::tree::{Tree, of_lane};
use crate::analysis::Scope;

/// One line of the Event Summary; times in ms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its name as printed, without blanks before it.
    pub name: String,
    /// How deep it lies, 0 at the top.
    pub depth: usize,
    /// Calls.
    pub calls: u64,
    /// The time that counts.
    pub total: f64,
    /// Host time.
    pub cpu: f64,
    /// Device time.
    pub gpu: f64,
    /// Shortest call.
    pub min: f64,
    /// Longest call.
    pub max: f64,
    /// Average call.
    pub ave: f64,
    /// Total of the total of all at the top of its thread.
    pub ratio: f64,
}

/// A part of the total: calls, ms, ratio.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Share {
    /// Its name.
    pub name: &'static str,
    /// Calls.
    pub calls: u64,
    /// Time, ms.
    pub total: f64,
    /// Time of the total.
    pub ratio: f64,
}

/// The summaries above the events: overhead and copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overhead {
    /// All time at the top, ms.
    pub total: f64,
    /// Computation and everything else.
    pub shares: Vec<Share>,
    /// Copies: all, those that do not wait, those that do.
    pub copies: Vec<Share>,
}

/// One report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// True for all threads as one.
    pub is_merged: bool,
    /// Overhead and copies; a report of several threads one by one has none.
    pub overhead: Option<Overhead>,
    /// Its lines.
    pub rows: Vec<Row>,
}

/// The reports that are printed, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What was asked for.
    pub options: Options,
    /// Merged first where there are several threads, then thread by thread.
    pub sections: Vec<Section>,
    /// Memory taken and given back.
    pub memory: Vec<MemoryRow>,
}

fn ms(ns: Ns) -> f64 {
    ns as f64 / 1e6
}

fn ratio(part: Ns, whole: Ns) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

/// Appends the lines of one tree, sorted; `prefix` stands before the names at the top.
fn lines(trace: &Trace, tree: &Tree, prefix: &str, options: Options, rows: &mut Vec<Row>) {
    let total = sum(tree.roots.iter().map(|&root| tree.nodes[root].total(options.state)));
    let mut open: Vec<(usize, usize, Option<String>)> =
        tree.roots.iter().rev().map(|&root| (root, 0, None)).collect();
    while let Some((at, depth, parent)) = open.pop() {
        let node = &tree.nodes[at];
        // The last part of its path, of which the first carries the thread.
        let own = node.name.text(trace);
        let own = if parent.is_none() { format!("{prefix}{own}") } else { own };
        let name = match parent {
            Some(parent) if node.name.is_inner() => format!("{parent}/{own}"),
            _ => own.clone(),
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
        open.extend(node.children.iter().rev().map(|&child| (child, depth + 1, Some(own.clone()))));
    }
}

fn overhead(trace: &Trace, tree: &Tree, options: Options) -> Overhead {
    let total = sum(tree.roots.iter().map(|&root| tree.nodes[root].total(options.state)));
    // Whether it lies at the top, and whether within computation, whose time is counted already. Parents come first.
    let mut places = vec![(true, false); tree.nodes.len()];
    let (mut compute, mut asynchronous, mut waiting) = (0, (0, 0), (0, 0));
    for (at, node) in tree.nodes.iter().enumerate() {
        let name = node.name.text(trace);
        let time = node.total(options.state);
        let (is_root, is_counted) = places[at];
        node.children
            .iter()
            .for_each(|&child| places[child] = (false, is_counted || name.ends_with("compute")));
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

/// The threads that have events, by number: as told by a profile of that profiler, else in the order in which they began.
fn threads(trace: &Trace, mut trees: Vec<(LaneId, Tree)>) -> Vec<(u64, Tree)> {
    let lane = |lane: LaneId| &trace.lanes[lane as usize];
    let told = |lane_id: LaneId| trace.strings.text(lane(lane_id).tid).as_str().parse().ok();
    let numbers: Option<Vec<u64>> = trees.iter().map(|&(lane, _)| told(lane)).collect();
    let begin = |lane_id: LaneId| trace.slices.start[lane(lane_id).slices.start as usize];
    let numbers = numbers.filter(|_| trace.meta.producer == "fluid").unwrap_or_else(|| {
        trees.sort_by_key(|&(lane, _)| begin(lane));
        (0..trees.len() as u64).collect()
    });
    let mut numbered: Vec<(u64, Tree)> =
        numbers.into_iter().zip(trees.into_iter().map(|(_, tree)| tree)).collect();
    // The last to begin is printed first.
    numbered.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    numbered
}

/// True for what was not asked for. Overhead is of everything all the same.
fn is_hidden(name: EventName, options: Options) -> bool {
    options.detail == Detail::Default && name.is_detail()
}

/// The report of a trace.
pub fn report(trace: &Trace, scope: &Scope, options: Options) -> Report {
    let hosts = (0..trace.lanes.len() as LaneId)
        .filter(|&lane| trace.lanes[lane as usize].kind == LaneKind::Thread && scope.has_lane(lane));
    let trees = hosts.map(|lane| (lane, of_lane(trace, scope, lane, options.state)));
    let trees: Vec<_> = trees.filter(|(_, tree)| !tree.nodes.is_empty()).collect();
    let threads = threads(trace, trees);
    let mut sections = Vec::new();
    if threads.len() > 1 {
        let (mut all, mut shown) = (Tree::default(), Tree::default());
        for (place, (_, tree)) in threads.iter().enumerate() {
            all.merge(tree, place, |_| false);
            shown.merge(tree, place, |name| is_hidden(name, options));
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
