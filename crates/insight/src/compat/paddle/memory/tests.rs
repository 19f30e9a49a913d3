//! The order of sections and rows in a process with several devices.

use prost::Message;

use crate::analysis::{Scope, Table, TableRow, Value};
use crate::compat::paddle::{Options, print, summaries};
use proftui_trace::import::{Progress, Request, load_bytes};
use proftui_trace::model::nodetree as pb;

/// Numbers of kinds of host events.
const OPERATOR: u32 = 0;
const STEP: u32 = 2;
const INNER: u32 = 8;
const RANGE: u32 = 14;

/// Numbers of kinds of memory events.
const ALLOCATE: u32 = 0;
const RESERVE: u32 = 2;

fn node(id: i64, parent: i64, name: &str, kind: u32, span: (u64, u64)) -> pb::HostTraceEventNodeProto {
    pb::HostTraceEventNodeProto {
        id: Some(id),
        parentid: Some(parent),
        host_trace_event: Some(pb::HostTraceEventProto {
            name: Some(name.into()),
            r#type: Some(kind),
            start_ns: Some(span.0),
            end_ns: Some(span.1),
            process_id: Some(9),
            thread_id: Some(9),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// Adds a memory event of 256 bytes to a node.
fn hold(node: &mut pb::HostTraceEventNodeProto, kind: u32, location: &str) {
    let at = node.host_trace_event.as_ref().and_then(|event| event.start_ns);
    let event = pb::MemTraceEventProto {
        timestamp_ns: at,
        r#type: Some(kind),
        process_id: Some(9),
        thread_id: Some(9),
        increase_bytes: Some(256),
        place: Some(location.into()),
        peak_allocated: Some(512),
        peak_reserved: Some(1024),
        ..Default::default()
    };
    node.mem_nodes.push(pb::MemTraceEventNodeProto { mem_event: Some(event) });
}

/// One thread: a step with three operators, one of which allocates on one device and whose part allocates on
/// another.
fn sample() -> Vec<u8> {
    let mut early = node(2, 1, "early", OPERATOR, (10, 20));
    hold(&mut early, ALLOCATE, "Place(gpu:2)");
    let mut matmul = node(3, 1, "mat\tmul", OPERATOR, (30, 90));
    hold(&mut matmul, RESERVE, "Place(gpu:1)");
    hold(&mut matmul, ALLOCATE, "Place(gpu:1)");
    let mut range = node(4, 1, "range", RANGE, (100, 200));
    hold(&mut range, RESERVE, "Place(gpu:2)");
    hold(&mut range, RESERVE, "Place(cpu)");
    let mut inner = node(5, 3, "compute", INNER, (40, 80));
    hold(&mut inner, ALLOCATE, "Place(gpu:0)");
    let mut part = node(6, 3, "part", RANGE, (85, 88));
    hold(&mut part, ALLOCATE, "Place(gpu:1)");
    let host_nodes = vec![
        node(0, -1, "root node", 7, (0, u64::MAX)),
        node(1, 0, "ProfileStep#0", STEP, (0, 1000)),
        early,
        matmul,
        range,
        inner,
        part,
    ];
    let thread_trees = vec![pb::ThreadNodeTreeProto { thread_id: Some(9), host_nodes }];
    pb::NodeTreesProto { version: Some("1.0.2".into()), thread_trees, ..Default::default() }.encode_to_vec()
}

fn tables() -> Vec<Table> {
    let loaded = load_bytes(&sample(), &Request::default(), &Progress::default()).expect("a trace");
    summaries(&loaded.trace, &Scope::default(), Options::default(), |view| view == "memory")
}

/// Name, type, and number of allocations of a row.
fn brief(row: &TableRow) -> (String, &Value, &Value) {
    let Value::Text(name) = &row.cells[0] else { panic!("a name: {:?}", row.cells[0]) };
    (name.to_string(), &row.cells[1], &row.cells[2])
}

/// Paddle visits the last of several children first, gives an operator the memory events of its children
/// before its own, and lists a device from its first allocation on: reserved memory alone makes none.
#[test]
fn sections_and_rows_are_in_the_order_of_the_original() {
    let tables = tables();
    let sections: Vec<String> = tables[0].rows.iter().map(|row| brief(row).0).collect();
    assert_eq!(sections, ["Place(gpu:0)", "Place(gpu:1)", "Place(gpu:2)"]);
    let text = Value::text;
    let rows: Vec<_> = tables[0].rows[1].children.iter().map(brief).collect();
    let name = r"mat\tmul".to_owned();
    assert_eq!(
        rows,
        [
            (name.clone(), &text("Allocated"), &Value::Count(2)),
            ("part".into(), &text("Allocated"), &Value::Count(1)),
            (name, &text("Reserved"), &Value::Count(1)),
        ]
    );
    let of_last: Vec<_> = tables[0].rows[2].children.iter().map(|row| brief(row).0).collect();
    assert_eq!(of_last, ["early", "range"]);
}

/// Paddle prints a tab in a name as it is, which moves the columns behind it. Here it is an escape, as
/// everywhere, and the columns stand.
#[test]
fn a_tab_in_a_name_is_an_escape() {
    let text = print::render(&tables(), proftui_base::fmt::TimeUnit::Milli);
    let line = text.lines().find(|line| line.starts_with("mat")).expect("the operator");
    assert!(line.starts_with(&format!("{:<50}  Allocated     1  ", r"mat\tmul")), "{line:?}");
    assert!(!text.contains('\t'));
}
