//! The arguments of events in Paddle's words, for its readers.
//!
//! Nothing here needs to be exact: the message beside them is.

use serde_json::{Map, Value, json};

use crate::model::nodetree::{
    DeviceTraceEventProto, HostTraceEventNodeProto, MemTraceEventProto, NodeTreesProto,
};

use super::shown;

/// The earliest start of a host event that is no root, ns.
pub(super) fn zero(trees: &NodeTreesProto) -> u64 {
    let nodes = trees.thread_trees.iter().flat_map(|tree| &tree.host_nodes);
    let events = nodes.filter(|node| node.parentid() >= 0).filter_map(|node| node.host_trace_event.as_ref());
    events.filter_map(|event| event.start_ns).min().unwrap_or_default()
}

/// A time relative to the trace's start, `12.345 us`.
pub(super) fn relative(ns: u64, zero: u64) -> String {
    let (sign, ns) = if ns < zero { ("-", zero - ns) } else { ("", ns - zero) };
    format!("{sign}{}.{:03} us", ns / 1000, ns % 1000)
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

/// An operator's shapes, types and call stack.
pub(super) fn operator(node: &HostTraceEventNodeProto, arguments: &mut Value) {
    let is_operator = node.host_trace_event.as_ref().is_some_and(|event| event.r#type() == 0);
    if !is_operator {
        return;
    }
    let supplement = node.op_supplement_nodes.first().and_then(|node| node.op_supplement_event.as_ref());
    let (mut shapes, mut dtypes) = (Map::new(), Map::new());
    if let Some(of) = supplement.and_then(|supplement| supplement.input_shapes.as_ref()) {
        for (key, vector) in of.key.iter().zip(&of.shape_vecs) {
            let all: Vec<&Vec<u64>> = vector.shapes.iter().map(|shape| &shape.size).collect();
            shapes.insert(shown(key), json!(all));
        }
    }
    if let Some(of) = supplement.and_then(|supplement| supplement.dtypes.as_ref()) {
        for (key, vector) in of.key.iter().zip(&of.dtype_vecs) {
            let all: Vec<String> = vector.dtype.iter().map(|dtype| shown(dtype)).collect();
            dtypes.insert(shown(key), json!(all));
        }
    }
    arguments["input_shapes"] = Value::Object(shapes);
    arguments["input_dtypes"] = Value::Object(dtypes);
    arguments["callstack"] =
        json!(supplement.map_or_else(String::new, |supplement| shown(supplement.callstack())));
}

pub(super) fn device(event: &DeviceTraceEventProto) -> Value {
    let mut out = json!({
        "device": event.device_id(),
        "context": event.context_id(),
        "stream": event.stream_id(),
        "correlation id": event.correlation_id(),
    });
    if let Some(kernel) = &event.kernel_info {
        out["registers per thread"] = json!(kernel.registers_per_thread());
        let shared = u64::from(kernel.static_shared_memory()) + u64::from(kernel.dynamic_shared_memory());
        out["shared memory"] = json!(shared);
        out["blocks per SM"] = json!(kernel.blocks_per_sm());
        out["warps per SM"] = json!(kernel.warps_per_sm());
        out["grid"] = json!([kernel.grid_x(), kernel.grid_y(), kernel.grid_z()]);
        out["block"] = json!([kernel.block_x(), kernel.block_y(), kernel.block_z()]);
        out["theoretical achieved occupancy %"] = json!(kernel.occupancy() * 100.0);
    }
    if let Some(copy) = &event.memcpy_info {
        let dur = event.end_ns().saturating_sub(event.start_ns());
        out["bytes"] = json!(copy.num_bytes());
        out["memory bandwidth (GB/s)"] =
            json!(if dur > 0 { copy.num_bytes() as f64 / dur as f64 } else { 0.0 });
    }
    if let Some(fill) = &event.memset_info {
        out["bytes"] = json!(fill.num_bytes());
        out["value"] = json!(fill.value());
    }
    out
}

pub(super) fn memory_kind(kind: u32) -> &'static str {
    match kind {
        0 => "Allocate",
        1 => "Free",
        2 => "ReservedAllocate",
        _ => "ReservedFree",
    }
}

pub(super) fn memory(event: &MemTraceEventProto) -> Value {
    json!({
        "place": shown(event.place()),
        "addr": event.addr().to_string(),
        "increase_bytes": event.increase_bytes(),
        "current_allocated": event.current_allocated(),
        "current_reserved": event.current_reserved(),
        "peak_allocated": event.peak_allocated(),
        "peak_reserved": event.peak_reserved(),
    })
}
