//! Conversion between protobuf and JSON in both directions.

use std::io::Read;

use crate::model::nodetree as pb;

use super::{ExportError, Packing, decode, encode, from_json, pack, write_json};

fn host(id: i64, parentid: i64, name: &[u8], kind: u32) -> pb::HostTraceEventNodeProto {
    pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(parentid),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(name.to_vec()),
            r#type: Some(kind),
            start_ns: Some(1_700_000_000_123_456_789),
            end_ns: Some(if parentid < 0 { u64::MAX } else { 1_700_000_000_123_999_999 }),
            process_id: Some(4),
            thread_id: Some(u64::MAX),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn sample() -> pb::NodeTreesProto {
    let mut node = host(1, 0, b"quote \" and \\ and \xff", 15);
    let device = pb::DeviceTraceEventProto {
        name: Some(b"k".to_vec()),
        r#type: Some(4),
        kernel_info: Some(pb::KernelEventInfoProto {
            occupancy: Some(f32::INFINITY),
            blocks_per_sm: Some(0.1),
            completed: Some(0),
            ..Default::default()
        }),
        ..Default::default()
    };
    node.runtime_nodes.push(pb::CudaRuntimeTraceEventNodeProto {
        runtime_trace_event: Some(pb::CudaRuntimeTraceEventProto {
            callback_id: Some(9),
            ..Default::default()
        }),
        device_nodes: vec![pb::DeviceTraceEventNodeProto { device_event: Some(device) }],
    });
    node.mem_nodes.push(pb::MemTraceEventNodeProto {
        mem_event: Some(pb::MemTraceEventProto { increase_bytes: Some(-5), ..Default::default() }),
    });
    pb::NodeTreesProto {
        version: Some(b"1.0.2".to_vec()),
        span_index: Some(3),
        thread_trees: vec![
            pb::ThreadNodeTreeProto {
                thread_id: Some(1),
                host_nodes: vec![host(0, -1, b"root node", 7), node],
            },
            pb::ThreadNodeTreeProto::default(),
        ],
        extra_info: vec![pb::ExtraInfoMap { key: Some(b"k".to_vec()), value: None }],
        ..Default::default()
    }
}

fn as_json(trees: &pb::NodeTreesProto, packing: Packing) -> Vec<u8> {
    pack(Vec::new(), packing, |to| write_json(trees, to)).expect("written")
}

#[test]
fn nothing_is_lost() {
    let file = encode(sample());
    let trees = decode(&file).expect("decoded");
    assert_eq!(trees, sample());
    let json = as_json(&trees, Packing::None);
    assert_eq!(encode(from_json(&json).expect("read")), file);
    let value: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!((&value["span_indx"], &value["span_index"]), (&"3".into(), &"3".into()));
}

#[test]
fn kinds_that_paddle_refuses_have_their_own_field() {
    let file = encode(sample());
    let raw: pb::NodeTreesProto = prost::Message::decode(file.as_slice()).expect("decoded");
    let event = raw.thread_trees[0].host_nodes[1].host_trace_event.clone().expect("an event");
    assert_eq!((event.r#type, event.true_type), (Some(7), Some(15)));
}

#[test]
fn packed_text_is_the_text() {
    let trees = sample();
    let plain = as_json(&trees, Packing::None);
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(as_json(&trees, Packing::Gzip).as_slice())
        .read_to_end(&mut text)
        .expect("inflated");
    assert_eq!(text, plain);
    assert_eq!(zstd::decode_all(as_json(&trees, Packing::Zstd).as_slice()).expect("inflated"), plain);
    let long: Vec<u8> = (0..3_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let packed = pack(Vec::new(), Packing::Gzip, |to| Ok(to.write_all(&long)?)).expect("packed");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut text).expect("inflated");
    assert_eq!(text, long);
}

#[test]
fn other_json_is_refused() {
    assert!(matches!(from_json(b"{\"traceEvents\":[{\"ph\":\"X\"}]}"), Err(ExportError::NoMessages)));
    assert!(matches!(from_json(b"nonsense"), Err(ExportError::Json(_))));
    let early = b"{\"traceEvents\":[{\"args\":{\"mem_node\":{}}}]}";
    assert!(matches!(from_json(early), Err(ExportError::Order { .. })));
}
