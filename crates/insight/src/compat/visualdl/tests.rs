//! Tests of the tables for small traces.

mod formats;

use crate::analysis::{Scope, Table, TableRow, Value};
use proftui_trace::import::{Progress, Request, load_bytes};

use super::summaries;

fn tables(events: &str) -> Vec<Table> {
    let text = format!("{{\"schemaVersion\":1,\"traceEvents\":[{events}]}}");
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    summaries(&loaded.trace, &loaded.texts, &Scope::default(), |_| true)
}

fn host(tid: u32, cat: &str, name: &str, start: u64, end: u64) -> String {
    let dur = end - start;
    format!(
        "{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{name}\",\"pid\":9,\"tid\":{tid},\"ts\":{start}.000,\"dur\":{dur}}}"
    )
}

fn launch(tid: u32, correlation: u64, at: u64, name: &str, start: u64, end: u64) -> String {
    let dur = end - start;
    format!(
        r#"{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":{tid},"ts":{at}.000,"dur":1,"args":{{"correlation":{correlation}}}}},
        {{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{start},"dur":{dur},"args":{{"correlation":{correlation},"grid":[4,1,1],"blocks per SM":0.5,"est. achieved occupancy %":25}}}}"#
    )
}

fn find<'a>(tables: &'a [Table], title: &str) -> &'a Table {
    tables.iter().find(|table| table.title == title).unwrap_or_else(|| panic!("no {title}"))
}

fn row<'a>(rows: &'a [TableRow], name: &str) -> &'a TableRow {
    rows.iter().find(|row| row.cells[0] == Value::text(name)).unwrap_or_else(|| panic!("no {name}"))
}

fn cell<'a>(tables: &'a [Table], title: &str, name: &str, column: &str) -> &'a Value {
    let table = find(tables, title);
    &row(&table.rows, name).cells[table.column(column).expect("a column")]
}

#[test]
fn threads_without_steps_belong_to_the_step_that_holds_them() {
    let us = |n: i64| Value::Duration(n * 1_000);
    let tables = tables(
        &[
            host(1, "user_annotation", "ProfilerStep#1", 0, 100),
            host(1, "cpu_op", "own", 10, 20),
            launch(1, 1, 15, "h884gemm", 60, 110),
            host(2, "cpu_op", "other", 15, 40),
            launch(2, 2, 20, "ncclAllReduce", 90, 130),
            host(2, "cpu_op", "late", 200, 210),
        ]
        .join(","),
    );
    assert_eq!(cell(&tables, "Event Summary", "Operator", "calls"), &Value::Count(3), "also that in no step");
    assert_eq!(cell(&tables, "Event Summary", "Operator", "time"), &us(30 + 10), "shared time counts once");
    assert_eq!(cell(&tables, "Execution Summary", "Other", "gpu_total"), &us(70));
    assert_eq!(cell(&tables, "Distributed", "All", "overlap"), &us(20));
    assert_eq!(cell(&tables, "Distributed", "1", "others"), &us(100 - 50 - 40 + 20));
    assert_eq!(cell(&tables, "GPU Kernels", "h884gemm", "tensor_cores"), &Value::text("yes"));
    assert_eq!(cell(&tables, "GPU Kernels by Launch", "h884gemm", "grid"), &Value::text("[4,1,1]"));
    assert_eq!(cell(&tables, "GPU Kernels", "h884gemm", "occupancy"), &Value::Ratio(0.25));
    assert_eq!(
        cell(&tables, "Configuration and Devices", "Tensor core share", "value"),
        &Value::Ratio(5.0 / 9.0)
    );
    assert_eq!(cell(&tables, "Configuration and Devices", "SM efficiency", "value"), &Value::Ratio(0.45));
}

#[test]
fn traces_without_steps_time_or_anything_have_tables() {
    let none = tables(&host(1, "cpu_op", "op", 10, 20));
    assert!(find(&none, "Execution Summary").notes[0].contains("no steps"));
    assert_eq!(find(&none, "Operators").rows.len(), 1);
    let instant = tables(&host(1, "user_annotation", "ProfilerStep#1", 5, 5));
    assert_eq!(find(&instant, "Execution Summary").rows.len(), 2, "the step, and its remaining time");
    assert!(tables("").iter().all(|table| table.view != "operator"));
}
