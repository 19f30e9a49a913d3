//! Requests and their answers, on demo traces.

#![allow(clippy::expect_used, reason = "a test that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

use std::sync::Arc;

use proftui_insight::analysis::ledger::Ledger;
use proftui_insight::analysis::{Scope, VIEWS, View};
use proftui_insight::ask::{Ask, AskError, Several, Time, TraceName, Within, open};
use proftui_trace::import::{Loaded, Progress, Request, load_bytes};
use proftui_trace::model::Trace;

const GPU: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../demo-traces/synthetic-gpu.json.gz");

fn gpu() -> Loaded {
    open(&Request::new([GPU]), &Progress::default()).expect("a trace")
}

#[test]
fn a_request_in_five_lines() -> Result<(), Box<dyn std::error::Error>> {
    let loaded = open(&Request::new([GPU]), &Progress::default())?;
    let answer = Ask::view("kernel")?.steps(11..13).sorted_by("calls").rows(3).of(&loaded)?;
    let table = &answer.tables[0].table;
    assert_eq!((table.view, table.rows.len()), ("kernel", 3));
    Ok(())
}

#[test]
fn answers_are_the_tables_of_the_views() {
    let loaded = gpu();
    let answer = Ask::everything().of(&loaded).expect("an answer");
    assert_eq!(answer.tables.len(), VIEWS.len());
    for (made, view) in answer.tables.iter().zip(VIEWS) {
        let table = view.table(&loaded.trace, &Scope::default());
        assert!(made.table == table, "{} differs", view.name);
    }
}

#[test]
fn findings_are_of_the_verdicts_part() {
    let loaded = gpu();
    let findings = Ask::findings().of(&loaded).expect("an answer").findings.expect("findings");
    let verdict = Ask::view("verdict").expect("a view").of(&loaded).expect("an answer");
    assert_eq!(findings.insights.verdict(), verdict.tables[0].table.headline);
    assert!(!findings.causes.rows.is_empty() && !findings.insights.findings.is_empty());
}

#[test]
fn what_the_trace_lacks_is_an_error_of_its_own() {
    let loaded = gpu();
    let of = |within: Within| {
        let ask = Ask { within, ..Ask::view("kernel").expect("a view") };
        ask.of(&loaded).map(|_| ()).expect_err("nothing there")
    };
    let lanes = Within { lanes: vec!["no such lane".into()], ..Within::default() };
    let steps = Within { time: Time::Steps(1_000_000..1_000_001), ..Within::default() };
    let rank = Within { rank: Some(77), ..Within::default() };
    assert!(matches!(of(lanes), AskError::NoLane { .. }));
    assert!(matches!(of(steps), AskError::NoStep { .. }));
    assert!(matches!(of(rank), AskError::NoRank { rank: 77, .. }));
    assert!(matches!(Ask::view("kernels of it").expect_err("no view"), AskError::NoView { .. }));
    let sorted = Ask::view("kernel").expect("a view").sorted_by("colour").of(&loaded);
    assert!(matches!(sorted.expect_err("no column"), AskError::NoColumn { .. }));
}

#[test]
fn a_rank_without_lanes_has_an_empty_table() {
    let text = br#"{"distributedInfo":{"rank":1},"traceEvents":[]}"#;
    let loaded = load_bytes(text, &Request::default(), &Progress::default()).expect("a trace");
    let within = Within { rank: Some(1), ..Within::default() };
    let ask = Ask { within, ..Ask::view("kernel").expect("a view") };
    assert!(ask.of(&loaded).expect("an answer").tables[0].table.rows.is_empty());
}

#[test]
fn the_ledger_of_a_trace_is_made_once() {
    let Loaded { trace, .. } = Trace::open(GPU).expect("a trace");
    assert!(Arc::ptr_eq(&Ledger::of(&trace), &Ledger::of(&trace)));
    assert!(!Ledger::of(&trace).devices.is_empty());
}

#[test]
fn a_grouping_is_read_and_built() {
    let loaded = gpu();
    let view = View::named("operator").expect("a view");
    let grouping = view.grouping("input-shape").expect("a grouping");
    let ask = Ask { views: vec![view], ..Ask::default() };
    let by_name = ask.clone().of(&loaded).expect("an answer");
    let by_shape = ask.grouped(view, grouping).of(&loaded).expect("an answer");
    let columns = |answer: &proftui_insight::ask::Answer| answer.tables[0].table.columns.len();
    assert!(columns(&by_shape) > columns(&by_name));
}

#[test]
fn answers_of_several_traces_stand_side_by_side() {
    let (loaded, ask) = (gpu(), Ask { each_worker: true, ..Ask::view("kernel").expect("a view") });
    let add = |several: &mut Several<'_>, name: &str| {
        let name = TraceName { path: name.into(), name: Some(name.to_owned()) };
        several.add(&loaded, name).expect("an answer");
    };
    let mut one = Several::new(&ask);
    add(&mut one, "a");
    assert_eq!(one.sources(), 1);
    assert!(matches!(one.joined(Some("calls")), Err(AskError::OnlyOne)));
    let two = || {
        let mut two = Several::new(&ask);
        ["a", "b"].iter().for_each(|name| add(&mut two, name));
        two
    };
    let [(table, scope)] = &two().joined(Some("calls")).expect("an answer")[..] else { panic!("one table") };
    let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_ref()).collect();
    assert!(titles.contains(&"a") && titles.contains(&"b"), "{titles:?}");
    assert_eq!(scope.as_array().map(Vec::len), Some(2));
    assert!(matches!(two().joined(Some("colour")), Err(AskError::NoNumbers { .. })));
}
