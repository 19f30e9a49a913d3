//! Paddle's protobuf, taken as it is or made of arbitrary trees, and the checks of loading and converting it.
//!
//! Bytes that begin with a version, like Paddle's files, are loaded as they are; all other bytes choose how
//! to make a file. Must not know what the trees look like as JSON.

use arbitrary::{Arbitrary, Unstructured};
use proftui_trace::export::{decode, encode, from_json, write_json};
use proftui_trace::import::{ImportError, Loaded};
use proftui_trace::model::nodetree as pb;

use crate::{disagree, hash, load_with};

/// A chunk size that most inputs fit in, bytes.
const WHOLE: usize = 64 << 10;

/// Trees, and the damage done to their bytes.
#[derive(Arbitrary, Debug)]
struct Made {
    trees: Vec<(u8, Vec<Node>)>,
    extra: Vec<(u8, Vec<u8>)>,
    harm: Vec<(u16, u8)>,
    cut: Option<u16>,
}

/// The start and end of an event in few bits: mostly close together, sometimes at the limits of `u64`.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum When {
    At(u8, u8),
    Far(u64),
    Never,
}

#[derive(Arbitrary, Debug)]
struct Node {
    id: u8,
    parent: i8,
    kind: u8,
    lane: u8,
    name: u8,
    when: When,
    has_event: bool,
    calls: Vec<(u8, When, Vec<(u8, u8, When)>)>,
    memory: Vec<(u8, i32, When)>,
}

const NAMES: [&[u8]; 6] =
    [b"matmul dygraph", b"root node", b"ProfileStep#3", b"a\"\\\x1b[31m", b"\xff\xfe", b""];

impl When {
    fn span(self) -> (Option<u64>, Option<u64>) {
        match self {
            Self::At(start, len) => {
                (Some(1000 + u64::from(start)), Some(1000 + u64::from(start) + u64::from(len)))
            }
            Self::Far(number) => (Some(number), Some(number.rotate_left(7))),
            Self::Never => (None, None),
        }
    }
}

impl Node {
    fn message(&self) -> pb::HostTraceEventNodeProto {
        let (start_ns, end_ns) = self.when.span();
        let (process_id, thread_id) = (Some(u64::from(self.lane >> 6)), Some(u64::from(self.lane & 3)));
        let event = pb::HostTraceEventProto {
            name: Some(NAMES[usize::from(self.name) % NAMES.len()].to_vec()),
            r#type: Some(u32::from(self.kind % 20)),
            start_ns,
            end_ns,
            process_id,
            thread_id,
            ..Default::default()
        };
        let call = |(number, when, works): &(u8, When, Vec<(u8, u8, When)>)| {
            let (start_ns, end_ns) = when.span();
            let work = |(kind, stream, when): &(u8, u8, When)| {
                let (start_ns, end_ns) = when.span();
                let event = pb::DeviceTraceEventProto {
                    name: Some(b"kernel".to_vec()),
                    r#type: Some(u32::from(kind % 9)),
                    start_ns,
                    end_ns,
                    device_id: Some(u64::from(stream >> 6)),
                    stream_id: Some(u64::from(stream & 7)),
                    correlation_id: Some(u32::from(*number)),
                    ..Default::default()
                };
                pb::DeviceTraceEventNodeProto { device_event: Some(event) }
            };
            pb::CudaRuntimeTraceEventNodeProto {
                runtime_trace_event: Some(pb::CudaRuntimeTraceEventProto {
                    name: Some(b"cudaLaunchKernel".to_vec()),
                    start_ns,
                    end_ns,
                    process_id,
                    thread_id,
                    correlation_id: Some(u32::from(*number)),
                    ..Default::default()
                }),
                device_nodes: works.iter().map(work).collect(),
            }
        };
        let memory = |(kind, bytes, when): &(u8, i32, When)| pb::MemTraceEventNodeProto {
            mem_event: Some(pb::MemTraceEventProto {
                timestamp_ns: when.span().0,
                r#type: Some(u32::from(kind % 5)),
                increase_bytes: Some(i64::from(*bytes)),
                place: Some(b"Place(gpu:0)".to_vec()),
                process_id,
                thread_id,
                ..Default::default()
            }),
        };
        pb::HostTraceEventNodeProto {
            id: Some(i64::from(self.id)),
            parentid: Some(i64::from(self.parent)),
            host_trace_event: self.has_event.then_some(event),
            runtime_nodes: self.calls.iter().map(call).collect(),
            mem_nodes: self.memory.iter().map(memory).collect(),
            ..Default::default()
        }
    }
}

impl Made {
    fn write(&self) -> Vec<u8> {
        let tree = |(thread, nodes): &(u8, Vec<Node>)| pb::ThreadNodeTreeProto {
            thread_id: Some(u64::from(*thread)),
            host_nodes: nodes.iter().map(Node::message).collect(),
        };
        let extra = |(key, value): &(u8, Vec<u8>)| pb::ExtraInfoMap {
            key: Some(key.to_string().into_bytes()),
            value: Some(value.clone()),
        };
        let mut bytes = encode(pb::NodeTreesProto {
            version: Some(b"1.0.2".to_vec()),
            span_index: Some(0),
            thread_trees: self.trees.iter().map(tree).collect(),
            extra_info: self.extra.iter().map(extra).collect(),
            ..Default::default()
        });
        let len = bytes.len();
        for &(at, byte) in &self.harm {
            bytes[usize::from(at) % len] ^= byte;
        }
        if let Some(cut) = self.cut {
            bytes.truncate(usize::from(cut));
        }
        bytes
    }
}

/// Loads and converts `bytes`, or the file that they describe, and checks the results.
pub fn check(bytes: &[u8]) {
    if bytes.first() == Some(&0x0a) {
        return judge(bytes);
    }
    let Ok(made) = Made::arbitrary_take_rest(Unstructured::new(bytes)) else { return };
    judge(&made.write());
}

fn load(bytes: &[u8]) -> Result<Loaded, ImportError> {
    let loaded = load_with(bytes, 1, Some(WHOLE), false);
    let small = disagree::chunk(hash(bytes));
    disagree::same(&format!("in chunks of {small}"), &loaded, &load_with(bytes, 1, Some(small), false));
    if let Ok(loaded) = &loaded {
        crate::model::holds(&loaded.trace);
        disagree::again(loaded);
        // The file's length bounds the number of events: the smallest is a tag and a length for the node, and
        // both for its event.
        let trace = &loaded.trace;
        let events = trace.slices.len() + trace.memory.len() + trace.quality.dropped as usize;
        assert!(events <= bytes.len() / 2, "{events} events of {} bytes", bytes.len());
    }
    loaded
}

fn judge(bytes: &[u8]) {
    let first = load(bytes);
    // Files that the schema's decoder accepts are also written again in Paddle's form.
    let Ok(trees) = decode(bytes) else { return };
    let events = events(&trees);
    let file = encode(trees.clone());
    // Files are recognised by their version; of two versions the last one is written.
    let version = trees.version();
    let is_known = version.len() <= 32
        && version.contains(&b'.')
        && version.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    if is_known {
        let loaded = load(&file);
        assert!(first.is_err() || loaded.is_ok(), "{bytes:02x?} loads, {file:02x?} does not");
        if let Ok(Loaded { trace, .. }) = &loaded {
            let found = (trace.slices.len() + trace.memory.len()) as u64 + trace.quality.dropped;
            assert_eq!(found, events, "events are slices, memory events or dropped: {trees:?}");
        }
    }
    let mut json = Vec::new();
    write_json(&trees, &mut json).expect("a vector takes all");
    let back = encode(from_json(&json).expect("what was written can be read"));
    assert_eq!(back, file, "there and back: {trees:?}");
    // JSON cuts and rounds times, so its model differs; it must still satisfy the rules for all models.
    if let Ok(loaded) = load_with(&json, 1, Some(WHOLE), false) {
        crate::model::holds(&loaded.trace);
    }
}

/// The number of events without roots, which are no events; a host node without its event counts as one.
fn events(trees: &pb::NodeTreesProto) -> u64 {
    let nodes = trees.thread_trees.iter().flat_map(|tree| &tree.host_nodes);
    let of_node = |node: &pb::HostTraceEventNodeProto| {
        let is_top = node.parentid.is_none_or(|parent| parent < 0);
        let is_root = node
            .host_trace_event
            .as_ref()
            .is_some_and(|event| is_top && (event.name() == b"root node" || event.end_ns() == u64::MAX));
        let calls = node.runtime_nodes.iter().filter(|call| call.runtime_trace_event.is_some()).count();
        let work = node.runtime_nodes.iter().flat_map(|call| &call.device_nodes);
        let work = work.filter(|work| work.device_event.is_some()).count();
        let memory = node.mem_nodes.iter().filter(|memory| memory.mem_event.is_some()).count();
        (usize::from(!is_root) + calls + work + memory) as u64
    };
    nodes.map(of_node).sum()
}
