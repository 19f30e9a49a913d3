//! Averages of small traces, whole: from the text of a file to rows.

#![allow(clippy::float_cmp, reason = "sums of small whole numbers are exact")]

use crate::analysis::Scope;
use crate::compat::torch::print::{TableOptions, render};
use crate::compat::torch::{Average, Averages, Grouping, Rules, averages};
use proftui_trace::import::{Progress, Request, load_bytes};

fn of(text: &str, rules: Rules, grouping: Grouping) -> Averages {
    let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
    averages(&loaded.trace, &loaded.texts, &Scope::default(), rules, grouping).expect("readable")
}

fn row<'a>(averages: &'a Averages, name: &str) -> &'a Average {
    averages.rows.iter().find(|row| row.name.as_str() == name).expect(name)
}

fn event(category: &str, name: &str, tid: u32, start: u32, dur: u32, args: &str) -> String {
    format!(
        r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":1,"tid":{tid},"ts":{start},"dur":{dur},"args":{{{args}}}}}"#
    )
}

fn trace(events: &[String]) -> String {
    format!("{{\"schemaVersion\":1,\"traceEvents\":[{}]}}", events.join(",\n"))
}

#[test]
fn overlap_gives_negative_self_time() {
    let text = trace(&[
        event("user_annotation", "ProfilerStep#1", 1, 0, 100, ""),
        event("cpu_op", "a", 1, 10, 80, ""),
        event("cpu_op", "b", 1, 50, 50, ""),
        event("user_annotation", "ProfilerStep#2", 1, 100, 50, ""),
    ]);
    let averages = of(&text, Rules::default(), Grouping::default());
    let step = row(&averages, "ProfilerStep*");
    assert_eq!((step.count, step.is_annotation), (2, true));
    assert!((step.self_cpu - 20.0).abs() < 1e-9, "100 less 80 less 50, and 50");
    assert!((averages.self_cpu_total() - 150.0).abs() < 1e-9);
}

#[test]
fn device_work_counts_for_its_operator_and_for_itself() {
    let text = trace(&[
        event("cpu_op", "outer", 1, 0, 100, r#""External id":1"#),
        event("cpu_op", "inner", 1, 10, 50, r#""External id":2"#),
        event("cuda_runtime", "launch", 1, 20, 10, r#""External id":2,"correlation":9"#),
        event("kernel", "k", 7, 40, 30, r#""External id":2,"correlation":9"#),
        event("gpu_user_annotation", "range", 7, 39, 31, r#""External id":1"#),
    ]);
    let averages = of(&text, Rules::default(), Grouping::default());
    let (outer, inner) = (row(&averages, "outer"), row(&averages, "inner"));
    assert_eq!((outer.device_total, outer.self_device), (30.0, 0.0));
    assert_eq!((inner.device_total, inner.self_device, inner.self_cpu), (30.0, 30.0, 40.0));
    assert_eq!((row(&averages, "k").self_device, row(&averages, "k").cpu_total), (30.0, 0.0));
    assert_eq!(averages.self_device_total(), 30.0);
    assert_eq!(of(&text, Rules::DeepLink, Grouping::default()).self_device_total(), 30.0);
    assert_eq!(averages.table().rows.len(), 5);
}

#[test]
fn shapes_distinguish_rows() {
    let text = trace(&[
        event("cpu_op", "mm", 1, 0, 10, r#""Input Dims":[[1,2],[[3,4],[5]],[]]"#),
        event("cpu_op", "mm", 1, 20, 10, r#""Input Dims":[[1,3],[],[]]"#),
        event("cpu_op", "mm", 1, 40, 10, ""),
    ]);
    assert_eq!(of(&text, Rules::default(), Grouping::default()).rows.len(), 1);
    let averages = of(&text, Rules::default(), Grouping { by_shape: true, by_stack: 0 });
    let shapes: Vec<&str> = averages.rows.iter().map(|row| row.shapes.as_str()).collect();
    assert_eq!(shapes, ["[[1, 2], [], []]", "[[1, 3], [], []]", ""]);
}

#[test]
fn nothing_and_almost_nothing() {
    let none = of(
        r#"[{"ph":"M","name":"process_name","pid":1,"args":{"name":"x"}},{"ph":"i","name":"x","ts":1,"pid":1,"tid":1,"s":"t"}]"#,
        Rules::default(),
        Grouping::default(),
    );
    assert!(none.rows.is_empty() && none.table().rows.is_empty());
    let one = of(&trace(&[event("kernel", "k", 1, 5, 0, "")]), Rules::default(), Grouping::default());
    assert_eq!((one.rows.len(), one.self_cpu_total(), one.self_device_total()), (1, 0.0, 0.0));
}

fn as_version(text: &str, version: &str) -> Averages {
    of(text, Rules::Torch(version.parse().expect("a version")), Grouping::default())
}

/// A trace of the newest version with an operator in a Python function in a range.
fn with_python(origin: &str) -> String {
    let events = [
        event("user_annotation", "range", 1, 0, 100, ""),
        event("python_function", "f", 1, 10, 80, origin),
        event("cpu_op", "a", 1, 20, 30, ""),
    ];
    format!(
        r#"{{"schemaVersion":1,"host_name":"h","baseTimeNanoseconds":0,"traceEvents":[{}],"traceName":"t"}}"#,
        events.join(",")
    )
}

#[test]
fn python_functions_count_as_the_version_says() {
    let text = with_python(r#""CallFrom":"g""#);
    for (version, rows, self_of_range) in
        [("2.4", 2, 70.0), ("2.11", 2, 70.0), ("2.12", 3, 20.0), ("2.14", 2, 20.0), ("2.15", 2, 20.0)]
    {
        let averages = as_version(&text, version);
        assert_eq!(
            (averages.rows.len(), row(&averages, "range").self_cpu),
            (rows, self_of_range),
            "{version}"
        );
    }
    // Without origins of calls, Python functions show a file of 2.12 or 2.13.
    let recognized = Rules::Recognized("2.15".parse().expect("a version"));
    assert_eq!(of(&with_python(""), recognized, Grouping::default()).rows.len(), 3);
}

#[test]
fn units_change_with_version_2_8() {
    let text = format!(
        r#"{{"schemaVersion":1,"profile_memory":1,"traceEvents":[{},
            {{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":5,"s":"t","args":{{"Bytes":2048,"Device Type":0}}}}]}}"#,
        event("cpu_op", "a", 1, 0, 10, "")
    );
    let printed = |version: &str| render(&as_version(&text, version), &TableOptions::default());
    assert!(printed("2.7").contains("2.00 Kb") && printed("2.8").contains("2.00 KB"));
    assert!(as_version(&text, "2.7").notes()[0].contains("as PyTorch 2.7 prints it"));
    assert!(!as_version(&text, "2.15").notes().iter().any(|note| note.contains("prints it")));
}

#[test]
fn what_ends_elsewhere_has_no_time_of_its_own() {
    let text = trace(&[
        event("user_annotation", "outer", 1, 0, 100, ""),
        event("user_annotation", "gloo:all_reduce", 1, 10, 50, ""),
        event("cpu_op", "open", 1, 70, 20, r#""finished":false"#),
    ]);
    let averages = as_version(&text, "2.15");
    assert_eq!(row(&averages, "outer").self_cpu, 100.0);
    for name in ["gloo:all_reduce", "open"] {
        assert_eq!((row(&averages, name).self_cpu, row(&averages, name).is_async), (0.0, true), "{name}");
    }
    let printed = render(&averages, &TableOptions::default());
    let line = printed.lines().find(|line| line.contains("gloo:all_reduce")).expect("a row");
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells[1..4], ["0.00%", "0.000us", "0"]);
}
