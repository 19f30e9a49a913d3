//! Makes protobuf messages of single events. All of Paddle's fields are set, since its readers demand them.
//!
//! Must not know trees.

use crate::model::copied::unwrapped_bytes;
use crate::model::nodetree::{
    CudaRuntimeTraceEventProto, DevicePropertyProto, DeviceTraceEventProto, HostTraceEventProto,
    KernelEventInfoProto, MemTraceEventProto, MemcpyEventInfoProto, MemsetEventInfoProto,
    OperatorSupplementEventNodeProto, OperatorSupplementEventProto,
    operator_supplement_event_proto as shapes,
};
use proftui_base::saturate::saturate;

use super::document::{Args, Device, Event};

/// A thread: process and thread id.
pub(super) type ThreadId = (u64, u64);

/// The event's name without the duration that Paddle appends: `matmul` of `matmul[1.250 ms]`.
pub(super) fn name(event: &Event) -> &str {
    own_name(&event.name)
}

fn own_name(text: &str) -> &str {
    let own = || {
        let (name, label) = text.strip_suffix(']')?.rsplit_once('[')?;
        let number = label.strip_suffix(" us").or_else(|| label.strip_suffix(" ms"))?;
        number.parse::<f64>().ok().map(|_| name)
    };
    own().unwrap_or(text)
}

pub(super) fn host(name: &str, kind: u32, (pid, tid): ThreadId, span: (u64, u64)) -> HostTraceEventProto {
    HostTraceEventProto {
        name: Some(name.into()),
        r#type: Some(kind),
        start_ns: Some(span.0),
        end_ns: Some(span.1),
        process_id: Some(pid),
        thread_id: Some(tid),
        ..Default::default()
    }
}

pub(super) fn call(
    name: &str,
    correlation: u32,
    (pid, tid): ThreadId,
    span: (u64, u64),
) -> CudaRuntimeTraceEventProto {
    CudaRuntimeTraceEventProto {
        name: Some(name.into()),
        start_ns: Some(span.0),
        end_ns: Some(span.1),
        process_id: Some(pid),
        thread_id: Some(tid),
        correlation_id: Some(correlation),
        callback_id: Some(0),
        ..Default::default()
    }
}

/// The message of a piece of device work of kind 4 (kernel), 5 (copy) or 6 (memset). `span` is start and end,
/// ns since 1970.
pub(super) fn device(event: &Event, kind: u32, span: (u64, u64)) -> DeviceTraceEventProto {
    let args = &*event.args;
    let stream = args.stream.or_else(|| event.tid.as_u64());
    let mut message = DeviceTraceEventProto {
        name: Some(name(event).into()),
        r#type: Some(kind),
        start_ns: Some(span.0),
        end_ns: Some(span.1),
        device_id: Some(args.device.or(event.pid).unwrap_or_default()),
        context_id: Some(args.context.unwrap_or_default()),
        stream_id: Some(stream.unwrap_or_default()),
        correlation_id: Some(args.correlation.unwrap_or_default()),
        ..Default::default()
    };
    match kind {
        5 => message.memcpy_info = Some(copy(event, span.1 - span.0)),
        6 => {
            message.memset_info = Some(MemsetEventInfoProto {
                num_bytes: Some(args.bytes.unwrap_or_default().cast_unsigned() & u64::from(u32::MAX)),
                memory_kind: Some(Vec::new()),
                value: Some(args.value.unwrap_or_default()),
                ..Default::default()
            });
        }
        _ => message.kernel_info = Some(kernel(args)),
    }
    message
}

fn kernel(args: &Args) -> KernelEventInfoProto {
    let [block_x, block_y, block_z] = args.block.unwrap_or_default().map(Some);
    let [grid_x, grid_y, grid_z] = args.grid.unwrap_or_default().map(Some);
    KernelEventInfoProto {
        block_x,
        block_y,
        block_z,
        grid_x,
        grid_y,
        grid_z,
        dynamic_shared_memory: Some(0),
        static_shared_memory: Some(args.shared.unwrap_or_default()),
        registers_per_thread: Some(args.registers.unwrap_or_default()),
        local_memory_per_thread: Some(0),
        local_memory_total: Some(0),
        queued: Some(0),
        submitted: Some(0),
        completed: Some(0),
        blocks_per_sm: Some(args.blocks.unwrap_or_default()),
        warps_per_sm: Some(args.warps.unwrap_or_default()),
        occupancy: Some(saturate::<f32>(args.occupancy.unwrap_or_default() / 100.0)),
        launch: None,
    }
}

fn copy(event: &Event, dur: u64) -> MemcpyEventInfoProto {
    MemcpyEventInfoProto {
        num_bytes: Some(unwrapped_bytes(event.args.bytes.unwrap_or_default(), event.args.bandwidth, dur)),
        // Paddle's name of a copy is the name of its kind.
        copy_kind: Some(name(event).into()),
        src_kind: Some(Vec::new()),
        dst_kind: Some(Vec::new()),
        ..Default::default()
    }
}

/// The message of a memory event at `time` (ns since 1970); `None` if its address is invalid.
pub(super) fn memory(args: &Args, kind: u32, (pid, tid): ThreadId, time: u64) -> Option<MemTraceEventProto> {
    Some(MemTraceEventProto {
        timestamp_ns: Some(time),
        r#type: Some(kind),
        addr: Some(if args.addr.is_empty() { 0 } else { args.addr.parse().ok()? }),
        process_id: Some(pid),
        thread_id: Some(tid),
        increase_bytes: Some(args.increase_bytes),
        place: Some(args.place.as_bytes().to_vec()),
        current_allocated: Some(args.current_allocated),
        current_reserved: Some(args.current_reserved),
        peak_allocated: Some(args.peak_allocated),
        peak_reserved: Some(args.peak_reserved),
        ..Default::default()
    })
}

/// The message with the shapes and types of an operator's inputs, and its call stack; `None` where all are
/// empty. `time` is the operator's start, ns since 1970.
pub(super) fn supplement(
    args: &Args,
    (pid, tid): ThreadId,
    time: u64,
) -> Option<OperatorSupplementEventNodeProto> {
    let (sizes, types) = (&args.input_shapes.0, &args.input_dtypes.0);
    if sizes.is_empty() && types.is_empty() && args.callstack.is_empty() {
        return None;
    }
    // A size that is not known is -1, which Paddle stores as an unsigned number.
    let shape =
        |size: &Vec<i64>| shapes::Shape { size: size.iter().map(|&size| size.cast_unsigned()).collect() };
    let bytes = |text: &String| text.as_bytes().to_vec();
    let event = OperatorSupplementEventProto {
        timestamp_ns: Some(time),
        op_type: Some(Vec::new()),
        process_id: Some(pid),
        thread_id: Some(tid),
        input_shapes: Some(shapes::InputShapes {
            key: sizes.iter().map(|(key, _)| bytes(key)).collect(),
            shape_vecs: sizes
                .iter()
                .map(|(_, all)| shapes::ShapeVector { shapes: all.iter().map(shape).collect() })
                .collect(),
        }),
        dtypes: Some(shapes::Dtypes {
            key: types.iter().map(|(key, _)| bytes(key)).collect(),
            dtype_vecs: types
                .iter()
                .map(|(_, all)| shapes::DtypeVector { dtype: all.iter().map(bytes).collect() })
                .collect(),
        }),
        callstack: Some(bytes(&args.callstack)),
        op_id: Some(0),
    };
    Some(OperatorSupplementEventNodeProto { op_supplement_event: Some(event) })
}

pub(super) fn property(device: &Device) -> DevicePropertyProto {
    DevicePropertyProto {
        id: Some(device.id),
        name: Some(device.name.as_bytes().to_vec()),
        total_global_memory: Some(device.total_global_mem),
        compute_major: Some(device.compute_major),
        compute_minor: Some(device.compute_minor),
        max_threads_per_block: Some(device.max_threads_per_block),
        max_threads_per_multiprocessor: Some(device.max_threads_per_multiprocessor),
        regs_per_block: Some(device.regs_per_block),
        regs_per_multiprocessor: Some(device.regs_per_multiprocessor),
        warp_size: Some(device.warp_size),
        shared_memory_per_block: Some(device.shared_mem_per_block),
        shared_memory_per_multiprocessor: Some(device.shared_mem_per_multiprocessor),
        sm_count: Some(device.sm_count),
        shared_memory_per_block_optin: Some(device.shared_mem_per_block_optin),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_no_part_of_names() {
        assert_eq!(own_name("matmul[12.250 us]"), "matmul");
        assert_eq!(own_name("a[0][1.000 ms]"), "a[0]");
        assert_eq!(own_name("a[0]"), "a[0]");
        assert_eq!(own_name("a[x us]"), "a[x us]");
    }
}
