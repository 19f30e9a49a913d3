//! What stands beside events, and how their threads and times are written, in Paddle's words, for its readers.
//!
//! Nothing here needs to be exact: the messages are.

use serde_json::{Map, Value, json};

use crate::model::nodetree::NodeTreesProto;
use crate::model::nodetree::args::shown;

/// The earliest start of a host event that is no root, ns.
pub(super) fn zero(trees: &NodeTreesProto) -> u64 {
    let nodes = trees.thread_trees.iter().flat_map(|tree| &tree.host_nodes);
    let events = nodes.filter(|node| node.parentid() >= 0).filter_map(|node| node.host_trace_event.as_ref());
    events.filter_map(|event| event.start_ns).min().unwrap_or_default()
}

/// A thread's number with its layer.
pub(super) fn thread(tid: u64, is_python: bool) -> String {
    format!("{tid}({})", if is_python { "Python" } else { "C++" })
}

/// The name of a thread, or nothing.
pub(super) fn thread_name(trees: &NodeTreesProto, tid: u64) -> String {
    let key = tid.to_string();
    let entry = trees.extra_info.iter().find(|entry| entry.key() == key.as_bytes());
    entry.map_or_else(String::new, |entry| shown(entry.value()))
}

pub(super) fn extra_info(trees: &NodeTreesProto) -> Value {
    let entries = trees.extra_info.iter().map(|entry| (shown(entry.key()), json!(shown(entry.value()))));
    Value::Object(entries.collect::<Map<_, _>>())
}

pub(super) fn devices(trees: &NodeTreesProto) -> Value {
    let of = |device: &crate::model::nodetree::DevicePropertyProto| {
        json!({
            "id": device.id(),
            "name": shown(device.name()),
            "totalGlobalMem": device.total_global_memory(),
            "computeMajor": device.compute_major(),
            "computeMinor": device.compute_minor(),
            "maxThreadsPerBlock": device.max_threads_per_block(),
            "maxThreadsPerMultiprocessor": device.max_threads_per_multiprocessor(),
            "regsPerBlock": device.regs_per_block(),
            "regsPerMultiprocessor": device.regs_per_multiprocessor(),
            "warpSize": device.warp_size(),
            "sharedMemPerBlock": device.shared_memory_per_block(),
            "sharedMemPerMultiprocessor": device.shared_memory_per_multiprocessor(),
            "smCount": device.sm_count(),
            "sharedMemPerBlockOptin": device.shared_memory_per_block_optin(),
        })
    };
    Value::Array(trees.device_property.iter().map(of).collect())
}
