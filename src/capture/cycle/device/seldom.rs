//! Adds to the collection what few programs do: graphs that the device launches, functions that the host
//! executes as nodes of CUDA graphs, and operations on memory pools. The latter two have arguments, so they
//! join their threads once the recording's details are there.

use std::collections::HashMap;
use std::fmt::Write as _;

use proftui_base::saturate::saturate;
use proftui_wire::device::record::{DeviceGraph, HostNode, Pool};

use super::{DeviceCollector, enum_names};
use crate::capture::process::Process;
use crate::capture::process::name_table::NameTable;
use proftui_trace::export::recording::Range;
use proftui_trace::export::recording::device::{Allocation, DeviceWork, WorkKind};
use proftui_trace::export::recording::operator_details::OperatorDetails;

/// Name of the ranges of functions that the host executes as nodes of CUDA graphs.
const FUNCTION: &str = "CUDA graph host function";
/// Paddle's number of the kind `UserDefined`, which the ranges of CUDA graphs' host functions have.
const USER: u16 = 7;
/// CUPTI's number of the operation that destroys a memory pool.
const DESTROYED: u32 = 2;

impl DeviceCollector {
    /// Adds a CUDA graph that another graph launched on the device, as device work; `of` is the index of the
    /// process.
    pub(super) fn device_graph(&mut self, of: usize, names: &mut NameTable, graph: &DeviceGraph) {
        let by = format!("by CUDA graph {}, {}", graph.launcher, enum_names::device_launch(graph.launch));
        let launches = &mut self.devices.device_launches;
        let at = launches.iter().position(|known| *known == by).unwrap_or_else(|| {
            launches.push(by);
            launches.len() - 1
        });
        let stream = self.streams.stream(of, graph.device, graph.context, graph.stream);
        self.work(DeviceWork {
            start: graph.start,
            end: graph.end,
            queued: 0,
            submitted: 0,
            graph_node: 0,
            graph: graph.graph,
            name: names.text(&format!("CUDA graph {}", graph.graph)),
            stream,
            correlation: 0,
            kind: WorkKind::DeviceGraph(saturate::<u32>(at)),
            is_cut: false,
        });
    }

    /// Assigns operations on memory pools to threads by correlation. Replaces their device ids, and those of
    /// host functions, by the recording's: `number` takes a process's index and a device's id.
    pub(super) fn assign_pools(&mut self, processes: &[&Process], number: impl Fn(usize, u32) -> u32) {
        let callers = self.callers(self.pools.iter().map(|(of, _, pool)| (*of, pool.correlation)));
        for (of, tid, pool) in &mut self.pools {
            let caller = callers.get(&(*of, pool.correlation)).copied().flatten();
            *tid = caller.unwrap_or(processes[*of].pid);
            pool.device = number(*of, pool.device);
        }
        self.host_nodes.iter_mut().for_each(|(of, node)| node.device = number(*of, node.device));
    }

    /// Moves the operations on memory pools and the host functions of CUDA graphs to their threads. Call this
    /// after [`DeviceCollector::finish`]; `details` are the recording's.
    pub fn attach(&mut self, processes: &[&Process], names: &mut NameTable, details: &mut OperatorDetails) {
        let mut pools = std::mem::take(&mut self.pools);
        pools.sort_by_key(|(_, _, pool)| pool.time);
        let mut known: HashMap<(usize, u64), Held> = HashMap::new();
        for (of, tid, pool) in pools {
            let held = known.entry((of, pool.address)).or_default();
            let mut allocation = held.operation(&pool);
            allocation.text = details.keep(&pool_arguments(&pool));
            self.threads.entry((of, tid)).or_default().allocations.push(allocation);
        }
        for (of, node) in std::mem::take(&mut self.host_nodes) {
            let name = details.add(names.text(FUNCTION), &function_arguments(&node));
            let (start, end) = (node.start, node.end);
            let range = Range { start, end, kind: USER, name, is_cut: false, has_begun_before: false };
            let tid = if node.tid == 0 { processes[of].pid } else { node.tid };
            self.threads.entry((of, tid)).or_default().ranges.push(range);
        }
    }
}

/// What a memory pool holds from the device, and the peaks of its size and of its use so far, bytes.
#[derive(Clone, Copy, Default)]
struct Held {
    size: u64,
    peak_size: u64,
    peak_used: u64,
}

impl Held {
    /// Converts an operation on the pool, and remembers the pool's new size and peaks.
    fn operation(&mut self, pool: &Pool) -> Allocation {
        let size = if pool.operation == DESTROYED { 0 } else { pool.size };
        let bytes = size.cast_signed().saturating_sub(self.size.cast_signed());
        (self.size, self.peak_size) = (size, self.peak_size.max(size));
        self.peak_used = self.peak_used.max(pool.used);
        Allocation {
            time: pool.time,
            address: pool.address,
            bytes,
            place: enum_names::pool(pool.device),
            kind: if pool.is_managed == 0 { "Pool" } else { "Managed pool" },
            in_use: pool.used,
            peak: self.peak_used,
            reserved: size,
            peak_reserved: self.peak_size,
            is_reserved: true,
            correlation: pool.correlation,
            ..Allocation::default()
        }
    }
}

/// The arguments of an operation on a memory pool, as members of a JSON object.
fn pool_arguments(pool: &Pool) -> String {
    const OWN: u32 = 1;
    const TRIMMED: u32 = 3;
    let mut text = format!("\"pool operation\":\"{}\"", enum_names::pool_operation(pool.operation));
    if pool.kind == OWN {
        let Pool { size, used, threshold, .. } = pool;
        let _ = write!(text, ",\"pool size\":{size},\"pool used\":{used},\"release threshold\":{threshold}");
    } else {
        text.push_str(",\"imported\":true");
    }
    if pool.operation == TRIMMED {
        let _ = write!(text, ",\"bytes to keep\":{}", pool.least);
    }
    text
}

/// The arguments of an execution of a graph's function, as members of a JSON object.
fn function_arguments(node: &HostNode) -> String {
    let HostNode { graph, graph_node, device, context, stream, correlation, .. } = node;
    format!(
        "\"graph id\":{graph},\"graph node \
         id\":{graph_node},\"device\":{device},\"context\":{context},\"stream\":{stream},\"correlation \
         id\":{correlation}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_takes_and_gives_back_what_its_size_changes_by() {
        let mut held = Held::default();
        let of = |operation, size, used| Pool { operation, size, used, kind: 1, ..Pool::default() };
        let mut found = Vec::new();
        for pool in [of(1, 0, 0), of(3, 64, 32), of(3, 32, 32), of(2, 32, 0)] {
            let event = held.operation(&pool);
            found.push((event.bytes, event.reserved, event.in_use, event.peak_reserved, event.peak));
        }
        assert_eq!(
            found,
            [(0, 0, 0, 0, 0), (64, 64, 32, 64, 32), (-32, 32, 32, 64, 32), (-32, 0, 0, 64, 32)]
        );
        let trimmed = pool_arguments(&of(3, 64, 32));
        let expected = "\"pool operation\":\"trimmed\",\"pool size\":64,\"pool used\":32,\"release threshold\":0,\"bytes to keep\":0";
        assert_eq!(trimmed, expected);
        let imported = Pool { operation: 1, kind: 2, ..Pool::default() };
        assert_eq!(pool_arguments(&imported), "\"pool operation\":\"created\",\"imported\":true");
    }
}
