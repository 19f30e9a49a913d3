//! The arguments of events in the words of Paddle's JSON: what its own readers look for in them.
//!
//! Must not know what stands around them in a file.

use serde_json::{Map, Value, json};

use super::{
    DeviceTraceEventProto, HostTraceEventNodeProto, HostTraceEventProto, MemTraceEventProto,
    OperatorSupplementEventProto,
};

/// Bytes as text.
pub fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// An operator's shapes, types and call stack.
pub fn operator(node: &HostTraceEventNodeProto, arguments: &mut Value) {
    let is_operator = node.host_trace_event.as_ref().is_some_and(|event| event.r#type() == 0);
    if !is_operator {
        return;
    }
    let supplement = node.op_supplement_nodes.first().and_then(|node| node.op_supplement_event.as_ref());
    let nothing = OperatorSupplementEventProto::default();
    for (key, value) in supplemented(supplement.unwrap_or(&nothing)) {
        arguments[key] = value;
    }
}

/// What stands in a supplement: always the three that Paddle writes; what was called where calls have numbers.
pub fn supplemented(of: &OperatorSupplementEventProto) -> Vec<(&'static str, Value)> {
    let (mut shapes, mut dtypes) = (Map::new(), Map::new());
    if let Some(of) = &of.input_shapes {
        for (key, vector) in of.key.iter().zip(&of.shape_vecs) {
            let all: Vec<&Vec<u64>> = vector.shapes.iter().map(|shape| &shape.size).collect();
            shapes.insert(shown(key), json!(all));
        }
    }
    if let Some(of) = &of.dtypes {
        for (key, vector) in of.key.iter().zip(&of.dtype_vecs) {
            let all: Vec<String> = vector.dtype.iter().map(|dtype| shown(dtype)).collect();
            dtypes.insert(shown(key), json!(all));
        }
    }
    let mut told = vec![
        ("input_shapes", Value::Object(shapes)),
        ("input_dtypes", Value::Object(dtypes)),
        ("callstack", json!(shown(of.callstack()))),
    ];
    if let (Some(op_type), Some(op_id @ 1..)) = (&of.op_type, of.op_id) {
        told.extend([("op_type", json!(shown(op_type))), ("op_id", json!(op_id))]);
    }
    told
}

/// What a producer told in words of its own: the members of the object that `text` is.
pub fn own(text: Option<&Vec<u8>>, arguments: &mut Value) {
    let Some(Ok(Value::Object(members))) = text.map(|text| serde_json::from_slice(text)) else { return };
    for (key, value) in members {
        arguments[key] = value;
    }
}

/// What a wait was for.
pub fn wait(event: &HostTraceEventProto, arguments: &mut Value) {
    let told = [
        ("correlation id", event.correlation_id),
        ("context", event.context_id),
        ("stream", event.stream_id),
        ("event", event.event_id),
    ];
    for (key, number) in told {
        if let Some(number) = number {
            arguments[key] = json!(number);
        }
    }
}

/// What is told of a piece of device work.
pub fn device(event: &DeviceTraceEventProto) -> Value {
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
        out["grid"] = json!([kernel.grid_x(), kernel.grid_y(), kernel.grid_z()]);
        out["block"] = json!([kernel.block_x(), kernel.block_y(), kernel.block_z()]);
        let told = [
            ("blocks per SM", kernel.blocks_per_sm),
            ("warps per SM", kernel.warps_per_sm),
            ("theoretical achieved occupancy %", kernel.occupancy.map(|share| share * 100.0)),
        ];
        // Where too little is known of a device there is none of them.
        for (key, figure) in told {
            if let Some(figure) = figure {
                out[key] = json!(figure);
            }
        }
    }
    if let Some(graph) = event.graph_id {
        out["graph id"] = json!(graph);
        out["graph node id"] = json!(event.graph_node_id());
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

/// What a memory event does, as a category.
pub fn memory_kind(kind: u32) -> &'static str {
    match kind {
        0 => "Allocate",
        1 => "Free",
        2 => "ReservedAllocate",
        _ => "ReservedFree",
    }
}

/// What is told of a memory event.
pub fn memory(event: &MemTraceEventProto) -> Value {
    let mut arguments = json!({
        "place": shown(event.place()),
        "addr": event.addr().to_string(),
        "increase_bytes": event.increase_bytes(),
        "current_allocated": event.current_allocated(),
        "current_reserved": event.current_reserved(),
        "peak_allocated": event.peak_allocated(),
        "peak_reserved": event.peak_reserved(),
    });
    if let Some(kind) = &event.memory_kind {
        arguments["memory kind"] = json!(shown(kind));
    }
    own(event.arguments.as_ref(), &mut arguments);
    arguments
}
