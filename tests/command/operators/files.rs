//! Files of operators as torch's profiler and Paddle's write them. Times count from a given one, ns.

use proftui_trace::export::encode;
use proftui_trace::model::nodetree as pb;

/// A little of everything that Kineto writes, one text of it broken as real ones are.
pub fn kineto(from: u64) -> Vec<u8> {
    let base = from / 1_000_000_000 * 1_000_000_000;
    let ts = |ns: u64| {
        let ns = from - base + ns;
        format!("{}.{:03}", ns / 1000, ns % 1000)
    };
    let slice = |cat: &str, name: &str, tid: u32, start: u64, len: u64, args: &str| {
        let dur = format!("{}.{:03}", len / 1000, len % 1000);
        format!(
            "{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{name}\",\"pid\":40,\"tid\":{tid},\"ts\":{},\"dur\":{dur},\"args\":{{{args}}}}}",
            ts(start)
        )
    };
    let memory = |at: u64, kind: u32, device: i32, addr: u64, bytes: i64, total: i64| {
        format!(
            "{{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":40,\"tid\":40,\"ts\":{},\"args\":{{\
             \"Total Reserved\":0,\"Total Allocated\":{total},\"Bytes\":{bytes},\"Device Id\":{device},\"Device Type\":{kind},\
             \"Addr\":{addr},\"Ev Idx\":90}}}}",
            ts(at)
        )
    };
    let linear = "\"External id\":2,\"Sequence number\":7,\"Fwd thread id\":0,\"odd\":\"a\u{1}b\",\
                  \"Concrete Inputs\":[\"\",\"\",\"\",\"True\"],\"Input type\":[\"float\",\"float\",\"float\",\"Scalar\"],\
                  \"Input Dims\":[[32,64],[128,64],[128],[]],\"Ev Idx\":1";
    let addmm = "\"External id\":3,\"Sequence number\":7,\"Fwd thread id\":0,\"Input type\":[\"float\",\"float\",\"float\"],\
                 \"Input Dims\":[[128],[32,64],[64,128]],\"Ev Idx\":2";
    let backward = "\"External id\":5,\"Sequence number\":7,\"Fwd thread id\":1,\"Ev Idx\":4";
    let engine = "\"External id\":4,\"Sequence number\":7,\"Fwd thread id\":1,\"Ev Idx\":3";
    let events = [
        slice("user_annotation", "ProfilerStep#9", 40, 900, 899_000, "\"External id\":7"),
        slice("user_annotation", "load", 40, 2_000, 6_000, "\"External id\":1,\"Ev Idx\":0"),
        slice("cpu_op", "aten::linear", 40, 10_000, 90_125, linear),
        slice("cpu_op", "aten::addmm", 40, 20_000, 60_000, addmm),
        slice("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 41, 300_000, 50_000, engine),
        slice("cpu_op", "AddmmBackward0", 41, 301_000, 40_000, backward),
        slice("cpu_op", "record_param_comms", 41, 360_000, 9_000, "\"External id\":6,\"Ev Idx\":5"),
        slice(
            "cpu_op",
            "aten::item",
            40,
            400_000,
            5_000,
            "\"External id\":8,\"Input Dims\":[[]],\"Input type\":[\"Scalar\"],\"Ev Idx\":6",
        ),
        // As torch calls it: it ends within the range that it begins.
        slice(
            "python_function",
            "profiler.py(9): __enter__",
            40,
            1_500,
            1_000,
            "\"Python id\":3,\"Ev Idx\":8",
        ),
        memory(5_000, 0, -1, 512, 64, 64),
        memory(49_999, 0, -1, 4096, 8192, 8192),
        memory(61_000, 0, -1, 9216, -4096, 4096),
        memory(71_000, 1, 1, 77_777, 512, 512),
        slice("python_function", "train.py(3): step", 40, 8_500, 400_000, "\"Python id\":4,\"Ev Idx\":7"),
        slice("cuda_runtime", "cudaLaunchKernel", 40, 40_000, 1_000, "\"correlation\":9"),
        slice("kernel", "gemm", 7, 60_000, 30_000, "\"correlation\":9,\"External id\":3"),
    ];
    let head = format!(
        "{{\"schemaVersion\":1,\"deviceProperties\":[],\"record_shapes\":1,\"profile_memory\":1,\"with_flops\":1,\
         \"with_stack\":0,\"baseTimeNanoseconds\":{base},\"traceEvents\":["
    );
    let text = format!("{head}{}]}}", events.join(","));
    // No text may say this in JSON, nor in UTF-8.
    let mut bytes = text.into_bytes();
    bytes.iter_mut().filter(|byte| **byte == 1).for_each(|byte| *byte = 0xff);
    bytes
}

/// Ranges that a program names, as Kineto writes them: from, to, and whether they had ended.
pub fn annotations(from: u64, name: &str, ranges: &[(u64, u64, bool)]) -> Vec<u8> {
    let events = ranges.iter().map(|&(start, end, has_ended)| {
        let args = if has_ended { "" } else { "\"finished\":false" };
        let (ts, len) = (from + start, end - start);
        format!(
            "{{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"{name}\",\"pid\":40,\"tid\":40,\"ts\":{}.{:03},\
             \"dur\":{}.{:03},\"args\":{{{args}}}}}",
            ts / 1000, ts % 1000, len / 1000, len % 1000
        )
    });
    let events: Vec<String> = events.collect();
    format!("{{\"schemaVersion\":1,\"traceEvents\":[{}]}}", events.join(",")).into_bytes()
}

/// The details that Paddle records of [`paddle`]'s operator.
pub fn supplement(from: u64) -> pb::OperatorSupplementEventProto {
    use pb::operator_supplement_event_proto::{DtypeVector, Dtypes, InputShapes, Shape, ShapeVector};
    let text = |text: &str| text.as_bytes().to_vec();
    let shape = |size: &[u64]| Shape { size: size.to_vec() };
    pb::OperatorSupplementEventProto {
        timestamp_ns: Some(from + 10_000),
        op_type: Some(text("matmul")),
        process_id: Some(40),
        thread_id: Some(40),
        input_shapes: Some(InputShapes {
            key: vec![text("X"), text("Y")],
            shape_vecs: vec![
                ShapeVector { shapes: vec![shape(&[32, 64])] },
                ShapeVector { shapes: vec![shape(&[64, 10]), shape(&[])] },
            ],
        }),
        dtypes: Some(Dtypes {
            key: vec![text("X")],
            dtype_vecs: vec![DtypeVector { dtype: vec![text("float32")] }],
        }),
        callstack: Some(text("train.py:3")),
        op_id: Some(11),
    }
}

/// A step with an operator, its stages, memory; phases and ranges that our hooks record, too.
pub fn paddle(from: u64) -> Vec<u8> {
    let host = |id: i64, parent: i64, name: &str, kind: u32, span: (u64, u64)| pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(parent),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(name.into()),
            r#type: Some(kind),
            start_ns: Some(from + span.0),
            end_ns: Some(from + span.1),
            process_id: Some(40),
            thread_id: Some(40),
            ..Default::default()
        }),
        ..Default::default()
    };
    let memory = |at: u64, kind: u32, bytes: i64| pb::MemTraceEventNodeProto {
        mem_event: Some(pb::MemTraceEventProto {
            timestamp_ns: Some(from + at),
            r#type: Some(kind),
            addr: Some(4096),
            process_id: Some(40),
            thread_id: Some(40),
            increase_bytes: Some(bytes),
            place: Some("Place(cpu)".into()),
            current_allocated: Some(1000),
            current_reserved: Some(2000),
            peak_allocated: Some(3000),
            peak_reserved: Some(4000),
            ..Default::default()
        }),
    };
    let mut operator = host(5, 2, "matmul dygraph", 0, (10_000, 90_000));
    operator.op_supplement_nodes =
        vec![pb::OperatorSupplementEventNodeProto { op_supplement_event: Some(supplement(from)) }];
    operator.mem_nodes = vec![memory(20_000, 0, 256), memory(21_000, 2, 4096)];
    let mut root = host(0, -1, "root node", 7, (0, 0));
    if let Some(event) = &mut root.host_trace_event {
        (event.start_ns, event.end_ns) = (Some(0), Some(u64::MAX));
    }
    let nodes = vec![
        root,
        host(1, 0, "ProfileStep#0", 2, (900, 900_000)),
        host(2, 1, "Net", 9, (9_000, 95_000)),
        host(3, 1, "mine", 14, (2_100, 7_900)),
        host(4, 1, "gather", 7, (3_000, 4_000)),
        operator,
        host(6, 5, "matmul infer_meta", 8, (11_000, 12_000)),
        host(7, 5, "matmul kernel launch", 15, (13_000, 80_000)),
    ];
    encode_as_paddle(pb::NodeTreesProto {
        version: Some("1.0.2".into()),
        span_index: Some(0),
        thread_trees: vec![pb::ThreadNodeTreeProto { thread_id: Some(40), host_nodes: nodes }],
        ..Default::default()
    })
}

/// Paddle itself writes kinds that its reader refuses.
fn encode_as_paddle(trees: pb::NodeTreesProto) -> Vec<u8> {
    let decoded = proftui_trace::export::decode(&encode(trees)).expect("protobuf");
    prost::Message::encode_to_vec(&decoded)
}
