//! Paddle's distributed view: the time of communication, of computation, and of both at once.

use crate::analysis::part::time::{length, shared, union};
use proftui_base::saturate::saturate;
use proftui_base::time::Span;
use rustc_hash::FxHashSet;

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::{Table, TableRow, Value};
use proftui_trace::model::{Category, SliceId};

use super::context::Context;
use super::forest::{Forest, NO_NODE, NodeId};

/// An event of category Operator communicates if its name, in lower case, contains one of these texts.
const OPERATORS: [&str; 3] = ["allreduce", "broadcast", "rpc"];
/// A kernel communicates if its name, in lower case, contains one of these texts.
const KERNELS: [&str; 2] = ["nccl", "xccl"];

/// The times in which communication and computation ran; spans are sorted and disjoint.
pub(super) struct Communication {
    /// The spans in which at least one communicating host event ran.
    pub cpu: Vec<Span>,
    /// The spans in which at least one communicating kernel ran.
    pub gpu: Vec<Span>,
    /// Number of communicating host events; events with equal spans count once.
    pub cpu_calls: u64,
    /// Number of communicating kernels; kernels with equal spans count once.
    pub gpu_calls: u64,
    /// The spans in which at least one computing kernel ran.
    pub computation: Vec<Span>,
}

/// True if a slice's name, in whatever case, contains one of `texts`, which must be in lower case.
pub(in crate::compat) fn name_contains(forest: &Forest<'_>, slice: SliceId, texts: &[&str]) -> bool {
    let name = forest.trace.strings.bytes(forest.trace.slices.name[slice]);
    let name = String::from_utf8_lossy(name).to_lowercase();
    texts.iter().any(|text| name.contains(text))
}

/// True for events of category Communication, and of category Operator if their names contain one of
/// [`OPERATORS`].
pub(in crate::compat) fn communicates(forest: &Forest<'_>, node: NodeId) -> bool {
    let (node, category) = forest.node(node);
    category == Category::Communication
        || category == Category::Operator && name_contains(forest, node.slice, &OPERATORS)
}

/// Collects the spans of communication and computation. As in Paddle, most kernels launched by events that
/// only lie inside a communicating one count as both.
pub(super) fn communication(forest: &Forest<'_>) -> Communication {
    let (mut cpu, mut gpu) = (FxHashSet::default(), FxHashSet::default());
    let mut computation = Vec::new();
    // True for nodes that communicate or are inside one that does. Parents come before their children.
    let mut is_inside = vec![false; forest.nodes.len()];
    for id in 0..saturate::<NodeId>(forest.nodes.len()) {
        let node = &forest.nodes[id as usize];
        let communicates = communicates(forest, id);
        if communicates {
            cpu.insert(forest.span(node.slice));
        }
        let is_around = communicates || node.parent != NO_NODE && is_inside[node.parent as usize];
        is_inside[id as usize] = is_around;
        let kernels =
            forest.direct_work(id).filter(|&work| forest.trace.slices.category(work) == Category::Kernel);
        for kernel in kernels {
            let range = forest.span(kernel);
            if is_around {
                gpu.insert(range);
            }
            if communicates {
                continue;
            }
            if name_contains(forest, kernel, &KERNELS) {
                gpu.insert(range);
            } else {
                computation.push(range);
            }
        }
    }
    let (cpu_calls, gpu_calls) = (cpu.len() as u64, gpu.len() as u64);
    let joined = |ranges: FxHashSet<Span>| union(ranges.into_iter().collect());
    let computation = union(computation);
    Communication { cpu: joined(cpu), gpu: joined(gpu), cpu_calls, gpu_calls, computation }
}

/// Builds the table of four rows (steps, communication, computation, overlap); `None` if communication took
/// no time.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    let Communication { cpu, gpu, computation, .. } = communication(&context.forest);
    let communication = union([cpu, gpu].concat());
    if communication.is_empty() {
        return None;
    }
    let all = length(&communication);
    let times = [
        ("ProfileStep", context.total),
        ("Communication", all),
        ("Computation", length(&computation)),
        ("Overlap", shared(&communication, &computation)),
    ];
    let row = |(name, time)| {
        TableRow::new(vec![Value::text(name), Value::Duration(time), Value::share(time, context.total)])
    };
    Some(Table {
        view: "distributed",
        title: "Distribution Summary",
        columns: vec![
            Column::new(
                "name",
                "Name",
                ColumnKind::Text,
                "Kind of time: steps, communication, computation, or communication and computation at once",
            ),
            Column::new(
                "time",
                "Total Time",
                ColumnKind::Duration,
                "Time in which at least one event of the kind ran; of Overlap, both kinds at once",
            ),
            Column::new(
                "ratio",
                "Ratio (%)",
                ColumnKind::Ratio,
                "Time divided by the time in which at least one step ran",
            ),
        ],
        rows: times.into_iter().map(row).collect(),
        notes: vec![
            "Communication: host events of that category, operators with allreduce, broadcast or rpc in \
             their names, the kernels that these launch, and kernels of NCCL and XCCL that other host events \
             launch."
                .into(),
            "Computation: kernels launched by innermost host events that do not communicate, except those of \
             NCCL and XCCL. Overlap: communication and computation ran at once."
                .into(),
        ],
        ..Table::default()
    })
}
