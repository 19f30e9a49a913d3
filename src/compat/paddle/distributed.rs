//! Communication and computation, and how much of them ran at the same time.

use crate::analysis::time::{length, shared, union};
use crate::base::time::Span;
use rustc_hash::FxHashSet;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use crate::model::{Category, NONE, SliceId};

use super::Ground;
use super::forest::{Forest, NodeId};

/// Words in the names of operators that communicate.
const OPERATORS: [&str; 3] = ["allreduce", "broadcast", "rpc"];
/// Words in the names of kernels that communicate.
const KERNELS: [&str; 2] = ["nccl", "xccl"];

/// When there was communication and computation; joined.
pub(super) struct Spread {
    pub cpu: Vec<Span>,
    pub gpu: Vec<Span>,
    /// How many of them there were, equal ones counted once.
    pub cpu_calls: u64,
    pub gpu_calls: u64,
    pub computation: Vec<Span>,
}

pub(in crate::compat) fn has_word(forest: &Forest<'_>, slice: SliceId, words: &[&str]) -> bool {
    let name = forest.trace.strings.bytes(forest.trace.slices.name[slice as usize]);
    let name = String::from_utf8_lossy(name).to_lowercase();
    words.iter().any(|word| name.contains(word))
}

pub(in crate::compat) fn communicates(forest: &Forest<'_>, node: NodeId) -> bool {
    let (node, category) = forest.node(node);
    category == Category::Communication
        || category == Category::Operator && has_word(forest, node.slice, &OPERATORS)
}

/// Sorts a host's and its kernels' time into communication and computation. A kernel under an event that communicates
/// belongs to it; under any other its name decides. One that has both around it counts as both, as in Paddle.
pub(super) fn spread(forest: &Forest<'_>) -> Spread {
    let (mut cpu, mut gpu) = (FxHashSet::default(), FxHashSet::default());
    let mut computation = Vec::new();
    // True for nodes around which something communicates. Parents come before their children.
    let mut is_inside = vec![false; forest.nodes.len()];
    for id in 0..forest.nodes.len() as NodeId {
        let node = &forest.nodes[id as usize];
        let communicates = communicates(forest, id);
        if communicates {
            cpu.insert(forest.range(node.slice));
        }
        let is_around = communicates || node.parent != NONE && is_inside[node.parent as usize];
        is_inside[id as usize] = is_around;
        let kernels =
            forest.direct_work(id).filter(|&work| forest.trace.slices.category(work) == Category::Kernel);
        for kernel in kernels {
            let range = forest.range(kernel);
            if is_around {
                gpu.insert(range);
            }
            if communicates {
                continue;
            }
            if has_word(forest, kernel, &KERNELS) {
                gpu.insert(range);
            } else {
                computation.push(range);
            }
        }
    }
    let (cpu_calls, gpu_calls) = (cpu.len() as u64, gpu.len() as u64);
    let joined = |ranges: FxHashSet<Span>| union(ranges.into_iter().collect());
    let computation = union(computation);
    Spread { cpu: joined(cpu), gpu: joined(gpu), cpu_calls, gpu_calls, computation }
}

/// Four rows; nothing when nothing communicates.
pub(super) fn table(ground: &Ground<'_>) -> Option<Table> {
    let spread = spread(&ground.forest);
    let communication = union([spread.cpu, spread.gpu].concat());
    if communication.is_empty() {
        return None;
    }
    let all = length(&communication);
    let times = [
        ("ProfileStep", ground.total),
        ("Communication", all),
        ("Computation", length(&spread.computation)),
        ("Overlap", shared(&communication, &spread.computation)),
    ];
    let row = |(name, time)| {
        TableRow::new(vec![Value::text(name), Value::Duration(time), Value::share(time, ground.total)])
    };
    Some(Table {
        view: "distributed",
        title: "Distribution Summary",
        columns: vec![
            Column::new("name", "Name", ColumnKind::Text, "What the time was spent on"),
            Column::new("time", "Total Time", ColumnKind::Duration, "Time in which at least one such event ran"),
            Column::new("ratio", "Ratio (%)", ColumnKind::Ratio, "That time of the steps' time"),
        ],
        rows: times.into_iter().map(row).collect(),
        notes: vec![
            "Communication: host events and operators that communicate, the kernels they launch, and kernels of NCCL and XCCL.".into(),
            "Computation: all other kernels. Overlap: when both went on at once; what does not overlap holds the model up.".into(),
        ], ..Table::default() })
}
