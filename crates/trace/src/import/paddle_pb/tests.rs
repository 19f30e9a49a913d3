//! Tests reading Paddle's protobuf with files that are written here.

use std::io::Write;

use prost::Message;

use crate::import::{EventText, ImportError, Loaded, Progress, Request, load_bytes};
use crate::model::{Category, LaneKind, MemoryKind, SliceFlags, SliceId, Warning};

use crate::model::nodetree as pb;

fn bytes(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

fn host(id: i64, parentid: i64, name: &str, kind: u32, span: (u64, u64)) -> pb::HostTraceEventNodeProto {
    pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(parentid),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(bytes(name)),
            r#type: Some(kind),
            start_ns: Some(span.0),
            end_ns: Some(span.1),
            process_id: Some(42),
            thread_id: Some(7),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn launch(correlation: u32, kernel: &str) -> pb::CudaRuntimeTraceEventNodeProto {
    let device = pb::DeviceTraceEventProto {
        name: Some(bytes(kernel)),
        r#type: Some(4),
        start_ns: Some(300),
        end_ns: Some(900),
        device_id: Some(1),
        context_id: Some(1),
        stream_id: Some(13),
        correlation_id: Some(correlation),
        kernel_info: Some(pb::KernelEventInfoProto {
            grid_x: Some(8),
            occupancy: Some(0.5),
            ..Default::default()
        }),
        ..Default::default()
    };
    pb::CudaRuntimeTraceEventNodeProto {
        runtime_trace_event: Some(pb::CudaRuntimeTraceEventProto {
            name: Some(bytes("cudaLaunchKernel")),
            start_ns: Some(130),
            end_ns: Some(140),
            process_id: Some(42),
            thread_id: Some(7),
            correlation_id: Some(correlation),
            callback_id: Some(211),
            ..Default::default()
        }),
        device_nodes: vec![pb::DeviceTraceEventNodeProto { device_event: Some(device) }],
    }
}

/// A step with an operator, in it a kernel's launch and an allocation.
fn sample() -> pb::NodeTreesProto {
    let mut operator = host(2, 1, "matmul", 0, (110, 190));
    operator.runtime_nodes.push(launch(5, "gemm"));
    operator.mem_nodes.push(pb::MemTraceEventNodeProto {
        mem_event: Some(pb::MemTraceEventProto {
            timestamp_ns: Some(120),
            r#type: Some(2),
            addr: Some(4096),
            process_id: Some(42),
            thread_id: Some(7),
            increase_bytes: Some(512),
            place: Some(bytes("Place(gpu:1)")),
            peak_reserved: Some(600),
            ..Default::default()
        }),
    });
    operator.op_supplement_nodes.push(pb::OperatorSupplementEventNodeProto {
        op_supplement_event: Some(pb::OperatorSupplementEventProto {
            input_shapes: Some(pb::operator_supplement_event_proto::InputShapes {
                key: vec![b"X".to_vec()],
                shape_vecs: vec![pb::operator_supplement_event_proto::ShapeVector {
                    shapes: vec![pb::operator_supplement_event_proto::Shape { size: vec![4, 3] }],
                }],
            }),
            ..Default::default()
        }),
    });
    let nodes = vec![
        host(0, -1, "root node", 7, (0, u64::MAX)),
        host(1, 0, "ProfileStep#3", 2, (100, 200)),
        operator,
        host(3, 2, "matmul kernel launch", 16, (120, 180)),
    ];
    pb::NodeTreesProto {
        version: Some(bytes("1.0.2")),
        span_index: Some(1),
        thread_trees: vec![pb::ThreadNodeTreeProto { thread_id: Some(9), host_nodes: nodes }],
        extra_info: vec![
            pb::ExtraInfoMap { key: Some(bytes("7")), value: Some(bytes("main")) },
            pb::ExtraInfoMap { key: Some(bytes("System Cpu Utilization")), value: Some(bytes("0.25")) },
        ],
        device_property: vec![pb::DevicePropertyProto {
            id: Some(1),
            name: Some(bytes("H200")),
            ..Default::default()
        }],
        ..Default::default()
    }
}

fn load(bytes: &[u8]) -> Result<Loaded, ImportError> {
    load_bytes(bytes, &Request::default(), &Progress::default())
}

fn find(loaded: &Loaded, name: &str) -> SliceId {
    let names = loaded.trace.slices.ids().iter().find(|&id| loaded.trace.name(id).as_str() == name);
    names.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_record_is_there() {
    let loaded = load(&sample().encode_to_vec()).expect("a trace");
    let trace = &loaded.trace;
    assert_eq!((trace.slices.len(), trace.quality.entries().count()), (5, 0), "the root is no event");
    let (step, kernel, call) =
        (find(&loaded, "ProfileStep#3"), find(&loaded, "gemm"), find(&loaded, "cudaLaunchKernel"));
    assert_eq!(trace.lanes[trace.lane_of(step)].kind, LaneKind::Python);
    assert_eq!(trace.lanes[trace.lane_of(kernel)].kind, LaneKind::Stream);
    assert_eq!((trace.slices.start[call], trace.slices.dur[call]), (130, 10), "exact ns");
    assert_eq!(trace.links.launch_of(kernel), Some(call));
    let inner = find(&loaded, "matmul kernel launch");
    assert_eq!(trace.slices.category(inner), Category::KernelLaunch);
    assert!(trace.slices.flags[inner].has(SliceFlags::STATIC_GRAPH));
    assert_eq!(
        (trace.memory[0].kind, trace.memory[0].peak_reserved.get()),
        (MemoryKind::ReservedAllocate, Some(600))
    );
    assert_eq!(trace.steps[0].number, 3);
    assert_eq!((trace.devices[0].name.as_str(), trace.meta.producer.as_str()), ("H200", "paddle 1.0.2"));
    assert!(trace.lanes.iter().any(|lane| trace.lane_title(lane).contains("main")));

    let lineage = &trace.lineage;
    let operator = find(&loaded, "matmul");
    assert_eq!(lineage.trees[0].thread, 9);
    assert_eq!(lineage.holder[step], SliceId::NONE);
    assert_eq!((lineage.holder_of(inner), lineage.holder_of(call)), (Some(operator), Some(operator)));
    assert_eq!((lineage.holder_of(kernel), lineage.memory[0]), (Some(call), operator));
}

#[test]
fn copies_and_memsets_have_their_bytes() {
    let copy = |bytes| pb::MemcpyEventInfoProto { num_bytes: bytes, ..Default::default() };
    let memset = pb::MemsetEventInfoProto { num_bytes: Some(64), ..Default::default() };
    let mut trees = sample();
    let calls = &mut trees.thread_trees[0].host_nodes[2].runtime_nodes;
    let of = |number, name| {
        let mut call = launch(number, name);
        let event = call.device_nodes[0].device_event.as_mut().expect("an event");
        (event.kernel_info, event.r#type) = (None, Some(5));
        call
    };
    for (number, name, bytes) in [(6, "large", Some(5 << 30)), (7, "untold", None)] {
        let mut call = of(number, name);
        call.device_nodes[0].device_event.as_mut().expect("an event").memcpy_info = Some(copy(bytes));
        calls.push(call);
    }
    let mut call = of(8, "zeros");
    let event = call.device_nodes[0].device_event.as_mut().expect("an event");
    (event.memset_info, event.r#type) = (Some(memset), Some(6));
    calls.push(call);
    let loaded = load(&trees.encode_to_vec()).expect("a trace");
    let bytes = ["gemm", "large", "untold", "zeros"].map(|name| loaded.trace.copied(find(&loaded, name)));
    assert_eq!(bytes, [None, Some(5 << 30), None, Some(64)]);
}

#[test]
fn events_are_read_again() {
    let file = sample().encode_to_vec();
    let loaded = load(&file).expect("a trace");
    let shown = |name: &str| {
        let origin = loaded.trace.slices.origin[find(&loaded, name)];
        let EventText::Members(members) = loaded.texts.read(origin) else { panic!("no {name} again") };
        members
            .iter()
            .map(|member| format!("{}={}", member.name, member.value.line()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(shown("matmul").contains("input_shapes: {X: [[4, 3]]}"), "{}", shown("matmul"));
    assert!(shown("matmul kernel launch").contains("type=StaticKernelLaunch (16)"));
    assert!(shown("cudaLaunchKernel").contains("callback id: 211"));
    assert!(shown("gemm").contains("grid: [8, 0, 0]") && shown("gemm").contains("stream: 13"));
    let memory = loaded.texts.read(loaded.trace.memory[0].origin);
    assert!(
        matches!(memory, EventText::Members(members) if members.iter().any(|m| m.value.line().as_str().contains("512")))
    );
}

#[test]
fn packed_files_give_the_same() {
    let file = sample().encode_to_vec();
    let plain = load(&file).expect("a trace").trace.digest();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&file).expect("written");
    let gzip = gzip.finish().expect("written");
    let zstd = zstd::encode_all(file.as_slice(), 1).expect("packed");
    for packed in [gzip, zstd] {
        assert_eq!(load(&packed).expect("a trace").trace.digest(), plain);
    }
}

#[test]
fn events_of_every_kind_are_read_in_bulk() {
    let Loaded { trace, texts } = load(&sample().encode_to_vec()).expect("a trace");
    let origins: Vec<_> =
        trace.slices.origin.iter().copied().chain(trace.memory.iter().map(|event| event.origin)).collect();
    let mut seen = vec![String::new(); origins.len()];
    let missing = texts.visit(&origins, |at, event| {
        let cat = event.field(b"cat").expect("a kind").text().into_owned();
        seen[at] = String::from_utf8(cat).expect("UTF-8");
    });
    assert_eq!(missing.expect("readable"), 0);
    let kinds: Vec<String> = trace
        .slices
        .ids()
        .iter()
        .map(|id| trace.slices.category(id).name().to_owned())
        .chain(trace.memory.iter().map(|event| format!("{:?}", event.kind)))
        .collect();
    for (seen, kind) in seen.iter().zip(&kinds) {
        assert!(seen == kind || kind == "KernelLaunch" && seen.ends_with(kind), "{seen} is {kind}");
    }
}

#[test]
fn damage_costs_what_it_hits() {
    let file = sample().encode_to_vec();
    // Whatever is cut or changed, loading does not panic, and every missing event is counted.
    for cut in 0..file.len() {
        if let Ok(loaded) = load(&file[..cut]) {
            let whole = loaded.trace.slices.len() == 5 && loaded.trace.memory.len() == 1;
            assert!(whole || loaded.trace.quality.entries().next().is_some(), "cut at {cut}");
        }
    }
    for at in 0..file.len() {
        for change in [1_u8, 0x80, 0xff] {
            let mut damaged = file.clone();
            damaged[at] ^= change;
            if let Ok(loaded) = load(&damaged) {
                loaded.trace.digest();
                loaded.texts.visit(&loaded.trace.slices.origin, |_, _| {}).expect("bytes at hand");
            }
        }
    }
}

#[test]
fn what_makes_no_sense_is_counted() {
    let mut trees = sample();
    let nodes = &mut trees.thread_trees[0].host_nodes;
    nodes.push(host(4, 99, "orphan", 0, (10, 20)));
    nodes.push(host(5, 5, "its own parent", 0, (30, 20)));
    nodes.push(host(6, 2, "far", 0, (40, u64::MAX)));
    nodes.push(host(7, 2, "too far", 77, (u64::MAX, u64::MAX)));
    let mut node = host(8, 2, "no start", 0, (0, 0));
    node.host_trace_event.as_mut().expect("an event").start_ns = None;
    nodes.push(node);
    let loaded = load(&trees.encode_to_vec()).expect("a trace");
    let count = |warning: Warning| {
        loaded
            .trace
            .quality
            .entries()
            .find(|(known, _)| *known == warning)
            .map_or(0, |(_, entry)| entry.count)
    };
    assert_eq!(count(Warning::Protobuf), 2, "parents that are not there");
    assert_eq!((count(Warning::BadDur), count(Warning::BadTs)), (2, 2));
    assert_eq!((loaded.trace.quality.dropped, loaded.trace.slices.len()), (2, 8));
}

#[test]
fn deep_trees_are_only_long() {
    let mut trees = sample();
    let nodes = &mut trees.thread_trees[0].host_nodes;
    nodes.extend((4..20_000).map(|id| host(id, id - 1, "deep", 13, (120 + id as u64, 60_000 - id as u64))));
    let loaded = load(&trees.encode_to_vec()).expect("a trace");
    assert_eq!(loaded.trace.slices.len(), 5 + 19_996);
}

#[test]
fn what_is_beside_the_trees_is_bounded() {
    let mut trees = sample();
    let entry = |i: usize| pb::ExtraInfoMap { key: Some(bytes(&format!("k{i}"))), value: None };
    trees.extra_info.extend((0..70_000).map(entry));
    let loaded = load(&trees.encode_to_vec()).expect("a trace");
    assert!(loaded.trace.meta.header.len() < 66_000);
    assert!(loaded.trace.quality.entries().any(|(warning, _)| warning == Warning::Limit));
}
