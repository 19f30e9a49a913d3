//! What each event type (`ph`) becomes in the trace.

use proftui_trace::import::EventText;
use proftui_trace::model::{Category, LaneId, LaneKind, SliceFlags, Warning};

use super::{events, named, spans, warned};

fn span(name: &str, start: i64, dur: i64) -> (String, i64, i64) {
    (name.into(), start, dur)
}

#[test]
fn complete_events_are_exact() {
    let trace = events(&[
        r#"{"ph":"X","name":"a","ts":1712170298000123.456,"dur":0.001,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"b","ts":"1712170298000123.457","dur":"2","pid":"1","tid":"1"}"#,
    ]);
    let zero = 1_712_170_298_000_123_456;
    assert_eq!(spans(&trace), [span("a", zero, 1), span("b", zero + 1, 2_000)]);
    assert_eq!(trace.lanes.len(), 1, "text and number name the same thread");
}

#[test]
fn begin_and_end_pair_like_a_stack() {
    let trace = events(&[
        r#"{"ph":"E","ts":9,"pid":1,"tid":1}"#,
        r#"{"ph":"B","name":"outer","ts":1,"pid":1,"tid":1}"#,
        r#"{"ph":"B","name":"inner","ts":2,"pid":1,"tid":1}"#,
        r#"{"ph":"E","name":"inner","ts":4,"pid":1,"tid":1}"#,
        r#"{"ph":"B","name":"open","ts":10,"pid":1,"tid":1}"#,
        r#"{"ph":"E","ts":5,"pid":1,"tid":2}"#,
    ]);
    assert_eq!(
        spans(&trace),
        [span("outer", 1_000, 8_000), span("inner", 2_000, 2_000), span("open", 10_000, 0)]
    );
    assert_eq!(trace.slices.parent(named(&trace, "inner")), Some(named(&trace, "outer")));
    assert!(trace.slices.flags[named(&trace, "open")].has(SliceFlags::OPEN));
    assert_eq!((trace.quality.dropped, trace.quality.count(Warning::Unmatched)), (1, 2));
}

#[test]
fn at_one_time_the_file_decides() {
    let trace = events(&[
        r#"{"ph":"B","name":"a","ts":1,"pid":1,"tid":1}"#,
        r#"{"ph":"E","ts":2,"pid":1,"tid":1}"#,
        r#"{"ph":"B","name":"b","ts":2,"pid":1,"tid":1}"#,
        r#"{"ph":"E","ts":3,"pid":1,"tid":1}"#,
    ]);
    assert_eq!(spans(&trace), [span("a", 1_000, 1_000), span("b", 2_000, 1_000)]);
    assert!(warned(&trace).is_empty());
}

#[test]
fn asynchronous_events_pair_by_id_and_never_nest_across_ids() {
    let trace = events(&[
        r#"{"ph":"b","cat":"net","id":"0x1","name":"request","ts":1,"pid":1}"#,
        r#"{"ph":"b","cat":"net","id":"0x1","name":"part","ts":2,"pid":1}"#,
        r#"{"ph":"b","cat":"net","id2":{"local":"7"},"name":"other","ts":2,"pid":1}"#,
        r#"{"ph":"n","cat":"net","id":"0x1","name":"mark","ts":3,"pid":1}"#,
        r#"{"ph":"e","cat":"net","id":"0x1","name":"part","ts":4,"pid":1}"#,
        r#"{"ph":"e","cat":"net","id2":{"local":"7"},"name":"other","ts":5,"pid":1}"#,
        r#"{"ph":"e","cat":"net","id":"0x1","name":"request","ts":6,"pid":1}"#,
        r#"{"ph":"e","cat":"net","id":"0x9","name":"never begun","ts":6,"pid":1}"#,
        r#"{"ph":"S","cat":"old","id":1,"name":"legacy","ts":1,"pid":1}"#,
        r#"{"ph":"T","cat":"old","id":1,"name":"legacy","ts":2,"pid":1}"#,
        r#"{"ph":"F","cat":"old","id":1,"name":"legacy","ts":3,"pid":1}"#,
    ]);
    let [request, part, other] = ["request", "part", "other"].map(|name| named(&trace, name));
    assert_eq!(trace.slices.parent(part), Some(request));
    assert_eq!(trace.slices.parent(other), None, "another id is beside, not inside");
    assert_eq!(trace.slices.dur[named(&trace, "legacy")], 2_000);
    assert!(
        trace.lanes.iter().filter(|lane| !lane.slices.is_empty()).all(|lane| lane.kind == LaneKind::Async)
    );
    assert_eq!((trace.instants.len(), trace.quality.dropped), (2, 1));
    assert_eq!(trace.quality.count(Warning::Overlap), 0, "other ids may overlap");
}

#[test]
fn counters_hold_until_the_next_sample() {
    let trace = events(&[
        r#"{"ph":"C","name":"load","ts":1,"pid":1,"args":{"cpu":1,"gpu":"2.5"}}"#,
        r#"{"ph":"C","name":"load","ts":3,"pid":1,"args":{"cpu":4}}"#,
        r#"{"ph":"C","name":"bad","ts":3,"pid":1,"args":{"x":"many"}}"#,
        r#"{"ph":"C","name":"none","ts":3,"pid":1}"#,
    ]);
    assert_eq!(trace.counters.len(), 2);
    let cpu = trace.counters.iter().find(|c| trace.strings.bytes(c.series) == b"cpu").expect("a series");
    assert_eq!((cpu.at(2_999), cpu.at(3_000)), (Some(1.0), Some(4.0)));
    assert_eq!(trace.quality.count(Warning::Counter), 2);
}

#[test]
fn instants_marks_and_the_rest_are_counted() {
    let trace = events(&[
        r#"{"ph":"i","name":"a","ts":1,"pid":1,"tid":1,"s":"g"}"#,
        r#"{"ph":"I","name":"b","ts":2,"pid":1,"tid":1}"#,
        r#"{"ph":"R","name":"navigationStart","ts":3,"pid":1,"tid":1}"#,
        r#"{"ph":"P","name":"sample","ts":4,"pid":1,"tid":1}"#,
        r#"{"ph":"N","name":"object","ts":4,"pid":1,"tid":1,"id":1}"#,
        r#"{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"first"}}"#,
        r#"{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"last one wins"}}"#,
        r#"{"ph":"?","ts":1}"#,
        r#"{"ph":"X","name":"no time","pid":1,"tid":1}"#,
        r"{}",
    ]);
    assert_eq!(trace.instants.len(), 3);
    assert_eq!(trace.quality.dropped, 2);
    assert_eq!(warned(&trace), [Warning::BadTs, Warning::UnknownEventType]);
    assert_eq!(trace.meta.event_types["M"], 2);
    assert!(trace.lane_title(&trace.lanes[LaneId::new(0)]).contains("last one wins"));
}

#[test]
fn unusable_durations_keep_the_slice() {
    let trace = events(&[
        r#"{"ph":"X","name":"missing","ts":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"negative","ts":2,"dur":-1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"endless","ts":3,"dur":9223372036854775,"pid":1,"tid":2}"#,
    ]);
    assert_eq!(trace.slices.len(), 3);
    assert_eq!(trace.slices.dur[named(&trace, "negative")], 0);
    assert!(trace.slices.flags.iter().all(|flags| flags.has(SliceFlags::BAD_DURATION)));
    assert_eq!(trace.slices.end(named(&trace, "endless")), i64::MAX, "saturates, never wraps");
}

#[test]
fn overlaps_keep_both_slices_whole() {
    let trace = events(&[
        r#"{"ph":"X","cat":"kernel","name":"first","ts":0.0,"dur":10,"pid":0,"tid":7}"#,
        r#"{"ph":"X","cat":"kernel","name":"second","ts":5.0,"dur":10,"pid":0,"tid":7}"#,
    ]);
    let lane = &trace.lanes[LaneId::new(0)];
    assert_eq!((lane.rows.len(), lane.depth), (2, 1));
    let second = named(&trace, "second");
    assert_eq!(trace.slices.dur[second], 10_000, "never clipped");
    assert!(trace.slices.flags[second].has(SliceFlags::OVERFLOW));
    assert_eq!(warned(&trace), [Warning::Overlap]);
    assert_eq!(trace.slices.category(second), Category::Kernel);
}

#[test]
fn an_outlier_does_not_hide_the_rest() {
    let mut list: Vec<String> = (0..100)
        .map(|i| {
            format!(
                r#"{{"ph":"X","name":"a","ts":{},"dur":1,"pid":1,"tid":1}}"#,
                1_700_000_000_000_000_u64 + i
            )
        })
        .collect();
    list.push(r#"{"ph":"X","name":"zero","ts":0,"dur":1,"pid":1,"tid":1}"#.into());
    let trace = events(&list.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(trace.main_span.len(), 100_000);
    assert_eq!(trace.span.start, 0);
    assert_eq!(warned(&trace), [Warning::Outlier]);
}

#[test]
fn few_slices_far_from_the_others_are_outliers_by_their_distance() {
    // 400 slices within 4 ms, and some 20 s later.
    let list = |strays: u64| {
        let times = (0..400).map(|at| 1_000_000 + at * 10).chain((0..strays).map(|at| 21_000_000 + at * 10));
        let event = |ts: u64| format!(r#"{{"ph":"X","name":"a","ts":{ts},"dur":5,"pid":1,"tid":1}}"#);
        times.map(event).collect::<Vec<String>>()
    };
    let of = |strays| events(&list(strays).iter().map(String::as_str).collect::<Vec<_>>());
    let trace = of(1);
    assert_eq!((trace.main_span.len(), warned(&trace)), (3_995_000, vec![Warning::Outlier]));
    let lengths = trace.quality.entries().map(|(_, entry)| entry.first.as_str()).collect::<String>();
    assert!(lengths.contains("3.995 ms without") && lengths.contains("20.00 s with"), "{lengths}");
    let trace = of(20);
    assert_eq!(warned(&trace), [], "as many are a part of the trace");
    assert!(trace.main_span.len() > 20_000_000_000);
}

#[test]
fn an_end_may_carry_arguments() {
    let text = br#"[{"ph":"B","name":"a","ts":1,"pid":1,"tid":1,"args":{"x":1}},
        {"ph":"E","ts":2,"pid":1,"tid":1,"args":{"status":"done"}},
        {"ph":"B","name":"b","ts":3,"pid":1,"tid":1},{"ph":"E","ts":4,"pid":1,"tid":1}]"#;
    let loaded = super::load_bytes(&super::gzip(text)).expect("loads");
    let trace = &loaded.trace;
    let end = trace.end_origin(named(trace, "a")).expect("an end with arguments");
    let EventText::Members(members) = loaded.texts.read(end) else { panic!("gone") };
    assert!(members.iter().any(|member| member.value.line().as_str() == "{status: done}"));
    assert_eq!(trace.end_origin(named(trace, "b")), None);
}

#[test]
fn absurd_numbers_neither_wrap_nor_panic() {
    let extremes = ["-9223372036854775.807", "9223372036854775.807", "0"];
    let mut list = Vec::new();
    for ts in extremes {
        for dur in extremes {
            list.push(format!(r#"{{"ph":"X","cat":"kernel","name":"a","ts":{ts},"dur":{dur},"pid":9223372036854775807,"tid":-1,"args":{{"correlation":18446744073709551615}}}}"#));
        }
        list.push(format!(r#"{{"ph":"i","name":"[memory]","ts":{ts},"pid":1,"tid":1,"args":{{"Bytes":9223372036854775807}}}}"#));
        list.push(format!(r#"{{"ph":"C","name":"c","ts":{ts},"pid":1,"args":{{"v":1e308}}}}"#));
    }
    let trace = events(&list.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(trace.slices.len(), 9);
    for id in trace.slices.ids() {
        assert!(trace.slices.end(id) >= trace.slices.start[id]);
        assert!(trace.self_time(id) >= 0);
    }
}
