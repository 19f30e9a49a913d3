//! Converting an event to Paddle's JSON, with category and arguments only, for summaries that read many
//! events again.
//!
//! Must not know which arguments matter.

use prost::Message;
use serde_json::{Value, json};

use crate::model::nodetree as pb;
use crate::model::nodetree::args;

use super::wire::{Fault, Fields, last};

/// Converts the event at the start of `bytes`, from its tag on, to Paddle's JSON, with event type, category
/// and arguments only.
///
/// # Errors
/// When the event is incomplete or cannot be read.
pub(in crate::import) fn json(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let node = Fields::of(bytes).next().ok_or(Fault::End)??;
    let inner = |wanted: u64| last(node.bytes, wanted).ok_or(Fault::Bad);
    let event = match node.tag.number {
        2 if inner(1).is_ok() => device(&decode(inner(1)?)?),
        2 => host(node.bytes, decode(inner(3)?)?)?,
        4 => runtime(&decode(inner(1)?)?),
        5 => memory(&decode(inner(1)?)?),
        1001 => unified(&decode(node.bytes)?),
        _ => return Err(Fault::Bad),
    };
    Ok(event.to_string().into_bytes())
}

fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M, Fault> {
    M::decode(bytes).map_err(|_| Fault::Bad)
}

fn host(node: &[u8], event: pb::HostTraceEventProto) -> Result<Value, Fault> {
    let mut fields = Fields::of(node).flatten();
    let supplement =
        fields.find(|field| field.tag.number == 6).map(|field| decode(field.bytes)).transpose()?;
    let kind = event.true_type.unwrap_or(event.r#type());
    let cat = pb::kind_name(kind).unwrap_or("Other");
    let own = event.arguments.clone();
    let node = pb::HostTraceEventNodeProto {
        host_trace_event: Some(event),
        op_supplement_nodes: supplement.into_iter().collect(),
        ..pb::HostTraceEventNodeProto::default()
    };
    let mut arguments = json!({});
    args::operator(&node, &mut arguments);
    args::own(own.as_ref(), &mut arguments);
    Ok(json!({"ph": "X", "cat": cat, "args": arguments}))
}

fn runtime(event: &pb::CudaRuntimeTraceEventProto) -> Value {
    json!({"ph": "X", "cat": "CudaRuntime", "args": {"correlation id": event.correlation_id()}})
}

fn device(event: &pb::DeviceTraceEventProto) -> Value {
    let cat = pb::kind_name(event.r#type()).unwrap_or("Kernel");
    json!({"ph": "X", "cat": cat, "args": args::device(event)})
}

fn unified(event: &pb::UnifiedMemoryProto) -> Value {
    let mut arguments = json!({});
    args::own(event.arguments.as_ref(), &mut arguments);
    json!({"ph": "X", "cat": pb::UNIFIED_MEMORY, "args": arguments})
}

fn memory(event: &pb::MemTraceEventProto) -> Value {
    json!({"ph": "i", "cat": args::memory_kind(event.r#type()), "args": args::memory(event)})
}
