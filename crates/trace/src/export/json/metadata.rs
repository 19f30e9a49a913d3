//! Writes the metadata that Paddle's readers expect beside events: extra info, device properties, names of
//! threads.
//!
//! This JSON need not be exact: the protobuf is made again from the messages that events carry whole.

use serde_json::{Map, Value, json};

use crate::model::nodetree::NodeTreesProto;
use crate::model::nodetree::args::shown;

/// The time that relative times count from: the earliest start of a host node that is no root, ns; 0 where
/// there is none.
pub(super) fn zero(trees: &NodeTreesProto) -> u64 {
    let nodes = trees.thread_trees.iter().flat_map(|tree| &tree.host_nodes);
    let events = nodes.filter(|node| node.parentid() >= 0).filter_map(|node| node.host_trace_event.as_ref());
    events.filter_map(|event| event.start_ns).min().unwrap_or_default()
}

/// The `tid` of one of a thread's two lanes: the thread's number with `(Python)` or `(C++)`.
pub(super) fn thread(tid: u64, is_python: bool) -> String {
    format!("{tid}({})", if is_python { "Python" } else { "C++" })
}

/// The name of the thread with number `tid`, by its entry in the extra info; empty if it has none.
pub(super) fn thread_name(trees: &NodeTreesProto, tid: u64) -> String {
    let key = tid.to_string();
    let entry = trees.extra_info.iter().find(|entry| entry.key() == key.as_bytes());
    entry.map_or_else(String::new, |entry| shown(entry.value()))
}

/// The extra info of `trees` as a JSON object.
pub(super) fn extra_info(trees: &NodeTreesProto) -> Value {
    let entries = trees.extra_info.iter().map(|entry| (shown(entry.key()), json!(shown(entry.value()))));
    Value::Object(entries.collect::<Map<_, _>>())
}

/// The properties of the devices of `trees` as a JSON array.
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
