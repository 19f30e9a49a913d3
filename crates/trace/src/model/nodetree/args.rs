//! The arguments (`args`) of events in Paddle's JSON, made from the messages of its protobuf, by the names
//! that Paddle's own readers look for.
//!
//! Must not know the rest of an event.

use serde_json::{Map, Value, json};

use super::{
    DeviceTraceEventProto, HostTraceEventNodeProto, HostTraceEventProto, MemTraceEventProto,
    OperatorSupplementEventProto,
};

/// Converts bytes to text; invalid UTF-8 becomes U+FFFD.
pub fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Adds the arguments from an operator's supplement to `arguments`, empty ones without a supplement. Does
/// nothing if `node` is no operator.
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

/// The arguments from an operator's supplement message, such as input shapes, input types and call stack.
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
    let mut arguments = vec![
        ("input_shapes", Value::Object(shapes)),
        ("input_dtypes", Value::Object(dtypes)),
        ("callstack", json!(shown(of.callstack()))),
    ];
    if let (Some(op_type), Some(op_id @ 1..)) = (&of.op_type, of.op_id) {
        arguments.extend([("op_type", json!(shown(op_type))), ("op_id", json!(op_id))]);
    }
    arguments
}

/// Adds the members of the JSON object `text` to `arguments`, replacing members of the same name. Does
/// nothing if `text` is no JSON object.
pub fn own(text: Option<&Vec<u8>>, arguments: &mut Value) {
    let Some(Ok(Value::Object(members))) = text.map(|text| serde_json::from_slice(text)) else { return };
    for (key, value) in members {
        arguments[key] = value;
    }
}

/// Adds to `arguments` the numbers that a synchronization states, such as its stream and CUDA event.
pub fn wait(event: &HostTraceEventProto, arguments: &mut Value) {
    let numbers = [
        ("correlation id", event.correlation_id),
        ("context", event.context_id),
        ("stream", event.stream_id),
        ("event", event.event_id),
        ("wait_on_stream", event.wait_on_stream),
        ("wait_on_cuda_event_record_corr_id", event.wait_on_record),
    ];
    for (key, number) in numbers {
        if let Some(number) = number {
            arguments[key] = json!(number);
        }
    }
}

/// The arguments of a piece of device work in Paddle's JSON, such as its device, stream and correlation
/// number.
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
        if let Some(how) = &kernel.launch {
            out["launch"] = json!(shown(how));
        }
        let figures = [
            ("blocks per SM", kernel.blocks_per_sm),
            ("warps per SM", kernel.warps_per_sm),
            ("theoretical achieved occupancy %", kernel.occupancy.map(|share| share * 100.0)),
        ];
        // A figure is missing where too little is known of the device.
        for (key, figure) in figures {
            if let Some(figure) = figure {
                out[key] = json!(figure);
            }
        }
    }
    if let Some(by) = &event.launch {
        out["launch"] = json!(shown(by));
    }
    if let Some(graph) = event.graph_id {
        out["graph id"] = json!(graph);
        out["graph node id"] = json!(event.graph_node_id());
        for (key, name) in [("graph operator", &event.graph_operator), ("graph range", &event.graph_range)] {
            if let Some(name) = name {
                out[key] = json!(shown(name));
            }
        }
    }
    if let Some(copy) = &event.memcpy_info {
        let dur = event.end_ns().saturating_sub(event.start_ns());
        out["bytes"] = json!(copy.num_bytes());
        out["memory bandwidth (GB/s)"] =
            json!(if dur > 0 { copy.num_bytes() as f64 / dur as f64 } else { 0.0 });
    }
    if let Some(memset) = &event.memset_info {
        out["bytes"] = json!(memset.num_bytes());
        out["value"] = json!(memset.value());
    }
    out
}

/// The name of a kind of memory event in Paddle's JSON (its `cat`), by the kind's number.
pub fn memory_kind(kind: u32) -> &'static str {
    match kind {
        0 => "Allocate",
        1 => "Free",
        2 => "ReservedAllocate",
        _ => "ReservedFree",
    }
}

/// The arguments of a memory event in Paddle's JSON, such as its address, bytes and totals.
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
