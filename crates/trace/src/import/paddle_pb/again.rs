//! Reading an event again for display: nearly every field of its message.
//!
//! The number of the event's tag gives its kind. 4: a runtime call. 5: a memory event. 2: a host node, or
//! device work if the message's field 1 is itself a message. 1001: an event of unified memory. Must not know
//! which fields matter.

use prost::Message;

use crate::import::argument::{Argument, Value};
use proftui_base::text::SafeText;

use super::kinds;
use super::wire::{self, Fields, Kind};
use crate::model::nodetree as pb;

/// Reads the members of the JSON object at the start of the bytes; `None` if that fails.
type ReadJson = fn(&[u8]) -> Option<Vec<Argument>>;

/// Most keys of an operator's input shapes or data types that are shown, and most values of one key.
const SHOWN: usize = 1000;

fn number(name: &'static str, value: Option<impl ToString>) -> Option<Argument> {
    let value = Value::Plain(SafeText::from(value?.to_string()));
    Some(Argument { name: SafeText::from(name.to_owned()), value })
}

fn text(name: &'static str, value: Option<&Vec<u8>>) -> Option<Argument> {
    let value = Value::Text(SafeText::from_bytes(value?).into_owned());
    Some(Argument { name: SafeText::from(name.to_owned()), value })
}

fn object(name: &'static str, members: Option<Vec<Argument>>) -> Option<Argument> {
    let value = Value::Object(members?);
    Some(Argument { name: SafeText::from(name.to_owned()), value })
}

fn kind_argument(kind: Option<u32>) -> Option<Argument> {
    let kind = kind?;
    let shown = pb::kind_name(kind).map_or_else(|| kind.to_string(), |name| format!("{name} ({kind})"));
    number("type", Some(shown))
}

/// Reads the event at the start of `bytes`, from its tag on, for display; `read_json` reads arguments stored
/// as JSON. `None` if the event cannot be read.
pub(in crate::import) fn read_again(bytes: &[u8], read_json: ReadJson) -> Option<Vec<Argument>> {
    let node = Fields::of(bytes).next()?.ok()?;
    let inner = |wanted: u64| wire::last(node.bytes, wanted);
    match node.tag.number {
        2 if inner(1).is_some() => {
            pb::DeviceTraceEventProto::decode(inner(1)?).ok().map(|event| device(&event))
        }
        2 => {
            let event = pb::HostTraceEventProto::decode(inner(3)?).ok()?;
            let supplements = Fields::of(node.bytes).flatten().filter(|field| field.tag.number == 6);
            let supplements = supplements.filter_map(|field| {
                pb::OperatorSupplementEventNodeProto::decode(field.bytes).ok()?.op_supplement_event
            });
            let mut args = vec![
                number("node", numbered(node.bytes, 1)),
                number("parent", numbered(node.bytes, 2)),
                number("correlation id", event.correlation_id),
                number("context", event.context_id),
                number("stream", event.stream_id),
                number("event", event.event_id),
                number("wait_on_stream", event.wait_on_stream),
                number("wait_on_cuda_event_record_corr_id", event.wait_on_record),
            ];
            for supplement in supplements {
                supplement_args(&supplement, &mut args);
            }
            args.extend(own(event.arguments.as_ref(), read_json));
            Some(host(&event, args))
        }
        4 => pb::CudaRuntimeTraceEventProto::decode(inner(1)?).ok().map(|event| runtime(&event)),
        5 => pb::MemTraceEventProto::decode(inner(1)?).ok().map(|event| memory(&event, read_json)),
        1001 => {
            let event = pb::UnifiedMemoryProto::decode(node.bytes).ok()?;
            let args = members(own(event.arguments.as_ref(), read_json));
            Some(members([
                text("name", event.name.as_ref()),
                number("start_ns", event.start_ns),
                number("end_ns", event.end_ns),
                object("args", Some(args)),
            ]))
        }
        _ => None,
    }
}

/// The value of the message's first varint field numbered `wanted`; `None` without such a field.
fn numbered(bytes: &[u8], wanted: u64) -> Option<i64> {
    let mut fields = Fields::of(bytes).flatten();
    fields
        .find(|field| field.tag.number == wanted && field.tag.kind == Kind::Varint)
        .map(|field| field.value.cast_signed())
}

/// The arguments that a recorder added, stored as JSON in `text`; empty if there are none to be read.
fn own(text: Option<&Vec<u8>>, read_json: ReadJson) -> Vec<Option<Argument>> {
    let read = text.and_then(|text| read_json(text));
    read.into_iter().flatten().map(Some).collect()
}

fn members(fields: impl IntoIterator<Item = Option<Argument>>) -> Vec<Argument> {
    fields.into_iter().flatten().collect()
}

fn host(event: &pb::HostTraceEventProto, args: Vec<Option<Argument>>) -> Vec<Argument> {
    members([
        text("name", event.name.as_ref()),
        kind_argument(event.true_type.or(event.r#type)),
        number("start_ns", event.start_ns),
        number("end_ns", event.end_ns),
        number("process_id", event.process_id),
        number("thread_id", event.thread_id),
        object("args", Some(members(args))),
    ])
}

fn supplement_args(event: &pb::OperatorSupplementEventProto, args: &mut Vec<Option<Argument>>) {
    let keyed = |keys: &[Vec<u8>], values: Vec<String>| {
        let named = keys.iter().zip(values).take(SHOWN).map(|(key, value)| Argument {
            name: SafeText::from_bytes(key).into_owned(),
            value: Value::Array(SafeText::from(value)),
        });
        named.collect::<Vec<_>>()
    };
    let shapes = event.input_shapes.as_ref().map(|shapes| {
        let of = |shape: &pb::operator_supplement_event_proto::Shape| format!("{:?}", shape.size);
        let vectors = shapes.shape_vecs.iter().map(|vector| {
            let all: Vec<String> = vector.shapes.iter().take(SHOWN).map(of).collect();
            format!("[{}]", all.join(", "))
        });
        keyed(&shapes.key, vectors.collect())
    });
    let dtypes = event.dtypes.as_ref().map(|dtypes| {
        let vectors = dtypes.dtype_vecs.iter().map(|vector| {
            let all = vector.dtype.iter().take(SHOWN).map(|dtype| SafeText::from_bytes(dtype).to_string());
            format!("[{}]", all.collect::<Vec<_>>().join(", "))
        });
        keyed(&dtypes.key, vectors.collect())
    });
    args.push(object("input_shapes", shapes));
    args.push(object("input_dtypes", dtypes));
    args.push(text("callstack", event.callstack.as_ref().filter(|stack| !stack.is_empty())));
    args.push(text("op_type", event.op_type.as_ref()));
    args.push(number("op_id", event.op_id));
    args.push(number("timestamp_ns", event.timestamp_ns));
}

fn runtime(event: &pb::CudaRuntimeTraceEventProto) -> Vec<Argument> {
    let args = members([
        number("correlation id", event.correlation_id),
        number("callback id", event.callback_id),
        number("returned", event.returned),
    ]);
    members([
        text("name", event.name.as_ref()),
        number("start_ns", event.start_ns),
        number("end_ns", event.end_ns),
        number("process_id", event.process_id),
        number("thread_id", event.thread_id),
        object("args", Some(args)),
    ])
}

fn device(event: &pb::DeviceTraceEventProto) -> Vec<Argument> {
    let mut args = vec![
        number("device", event.device_id),
        number("context", event.context_id),
        number("stream", event.stream_id),
        number("correlation id", event.correlation_id),
        number("graph id", event.graph_id),
        number("graph node id", event.graph_node_id),
        text("graph operator", event.graph_operator.as_ref()),
        text("graph range", event.graph_range.as_ref()),
        text("launch", event.launch.as_ref()),
        number("cut", event.is_cut.map(|_| "open when the recording ended")),
    ];
    if let Some(kernel) = &event.kernel_info {
        let three = |x: u32, y: u32, z: u32| Some(format!("[{x}, {y}, {z}]"));
        args.extend([
            number("grid", three(kernel.grid_x(), kernel.grid_y(), kernel.grid_z())),
            number("block", three(kernel.block_x(), kernel.block_y(), kernel.block_z())),
            number("registers per thread", kernel.registers_per_thread),
            number("dynamic shared memory", kernel.dynamic_shared_memory),
            number("static shared memory", kernel.static_shared_memory),
            number("local memory per thread", kernel.local_memory_per_thread),
            number("local memory total", kernel.local_memory_total),
            number("blocks per SM", kernel.blocks_per_sm),
            number("warps per SM", kernel.warps_per_sm),
            number("theoretical occupancy", kernel.occupancy),
            text("launch", kernel.launch.as_ref()),
            number("queued", kernel.queued),
            number("submitted", kernel.submitted),
            number("completed", kernel.completed),
        ]);
    }
    if let Some(copy) = &event.memcpy_info {
        args.extend([
            number("bytes", copy.num_bytes),
            text("copy kind", copy.copy_kind.as_ref()),
            text("from", copy.src_kind.as_ref()),
            text("to", copy.dst_kind.as_ref()),
            number("async", copy.is_async),
            number("from device", copy.source_device),
            number("to device", copy.destination_device),
            number("copies", copy.copies),
        ]);
    }
    if let Some(fill) = &event.memset_info {
        args.extend([
            number("bytes", fill.num_bytes),
            text("memory kind", fill.memory_kind.as_ref()),
            number("value", fill.value),
            number("async", fill.is_async),
        ]);
    }
    members([
        text("name", event.name.as_ref()),
        kind_argument(event.r#type),
        number("start_ns", event.start_ns),
        number("end_ns", event.end_ns),
        object("args", Some(members(args))),
    ])
}

fn memory(event: &pb::MemTraceEventProto, read_json: ReadJson) -> Vec<Argument> {
    let kind = kinds::memory(event.r#type(), event.increase_bytes());
    let mut args = members([
        number("type", Some(format!("{kind:?}"))),
        text("place", event.place.as_ref()),
        number("addr", event.addr),
        number("increase_bytes", event.increase_bytes),
        number("current_allocated", event.current_allocated),
        number("current_reserved", event.current_reserved),
        number("peak_allocated", event.peak_allocated),
        number("peak_reserved", event.peak_reserved),
        text("memory kind", event.memory_kind.as_ref()),
        number("correlation id", event.correlation_id),
    ]);
    args.extend(own(event.arguments.as_ref(), read_json).into_iter().flatten());
    members([
        number("timestamp_ns", event.timestamp_ns),
        number("process_id", event.process_id),
        number("thread_id", event.thread_id),
        object("args", Some(args)),
    ])
}
