//! One trace as Paddle's protobuf and as its JSON gives the same tables.

use crate::analysis::{Scope, Table};
use crate::compat::visualdl::summaries;
use proftui_trace::export::{encode, write_json};
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::nodetree as pb;

/// The events of a thread as (parent's index, name, kind, start and end in ns); the first is the root.
type Events<'a> = &'a [(i64, &'a str, u32, (u64, u64))];

fn tree(pid: u64, tid: u64, events: Events<'_>) -> pb::ThreadNodeTreeProto {
    let root = (-1, "root node", 7, (0, u64::MAX));
    let nodes = (0..).zip(std::iter::once(&root).chain(events));
    let host_nodes = nodes.map(|(id, &(parent, name, kind, span))| pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(parent),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(name.into()),
            r#type: Some(kind),
            start_ns: Some(span.0),
            end_ns: Some(span.1),
            process_id: Some(pid),
            thread_id: Some(tid),
            ..Default::default()
        }),
        ..Default::default()
    });
    pb::ThreadNodeTreeProto { thread_id: Some(tid), host_nodes: host_nodes.collect() }
}

fn tables(file: &[u8]) -> Vec<Table> {
    let loaded = load_bytes(file, &Request::default(), &Progress::default()).expect("a trace");
    summaries(&loaded.trace, &loaded.texts, &Scope::default(), |_| true)
}

fn assert_alike(thread_trees: Vec<pb::ThreadNodeTreeProto>) {
    let trees = pb::NodeTreesProto {
        version: Some("1.0.2".into()),
        span_index: Some(0),
        thread_trees,
        ..Default::default()
    };
    let mut json = Vec::new();
    write_json(&trees, &mut json).expect("written");
    let (one, two) = (tables(&encode(trees)), tables(&json));
    assert!(one.iter().any(|table| table.title == "Execution Time Breakdown" && table.rows.len() == 2));
    for (one, two) in one.iter().zip(&two) {
        assert_eq!((one.title, &one.rows), (two.title, &two.rows));
    }
    assert_eq!(one.len(), two.len());
}

const FIRST: Events<'_> = &[
    (0, "ProfileStep#0", 2, (1_000, 5_000)),
    (0, "ProfileStep#1", 2, (5_000, 9_000)),
    (1, "forward", 9, (1_000, 3_000)),
    (2, "forward", 9, (5_000, 8_000)),
];
const SECOND: Events<'_> = &[
    (0, "ProfileStep#0", 2, (2_000, 5_500)),
    (0, "ProfileStep#1", 2, (5_500, 9_500)),
    (1, "backward", 10, (2_500, 4_000)),
];

/// The thread whose steps count is that with the lowest number, whichever process comes first.
#[test]
fn steps_of_threads_of_several_processes() {
    assert_alike(vec![tree(40, 41, FIRST), tree(30, 50, SECOND)]);
    assert_alike(vec![tree(30, 50, SECOND), tree(40, 41, FIRST)]);
    assert_alike(vec![tree(30, 41, SECOND), tree(40, 50, FIRST)]);
}

/// A step inside another event comes later in the protobuf, which is breadth first, than those that are in
/// none.
#[test]
fn steps_inside_other_events_are_in_order_of_time() {
    let events: Events<'_> = &[
        (0, "loop", 14, (1_000, 5_000)),
        (0, "ProfileStep#1", 2, (5_000, 9_000)),
        (1, "ProfileStep#0", 2, (1_000, 4_500)),
        (2, "forward", 9, (5_000, 8_000)),
        (3, "backward", 10, (2_000, 3_000)),
    ];
    assert_alike(vec![tree(30, 41, events)]);
}
