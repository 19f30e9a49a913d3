//! Rows by Python stack, in our own layout and in torch's, by the real binary.

use serde_json::Value;

use crate::binary::{json, proftui};
use crate::scratch::Scratch;

/// How many convolutions the module has; each is a module of its own.
const CONVOLUTIONS: usize = 20;

/// The frames of a convolution as our hook of `Module.__call__` leaves them, innermost first.
fn frames(at: usize) -> Vec<String> {
    vec![
        format!("<built-in method conv2d of type object at 0x7f{at:04x}>"),
        "torch/nn/modules/conv.py(546): _conv_forward".into(),
        "torch/nn/modules/conv.py(564): forward".into(),
        "torch/nn/modules/module.py(1791): _call_impl".into(),
        "torch/nn/modules/module.py(1783): _wrapped_call_impl".into(),
        format!("nn.Module: Conv2d_{at}"),
        "train.py(12): forward".into(),
    ]
}

/// A recording of convolutions, whose stacks are arguments or, if `as_functions`, Python functions around
/// them. The gradient of each is computed later within a hook of ours; a flow goes there.
fn recording(folder: &Scratch, as_functions: bool) -> String {
    let event = |cat: &str, name: &str, tid: &str, ts: usize, dur: usize, args: &str| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":"{tid}","ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        )
    };
    let stack = |frames: &[String]| {
        if as_functions { String::new() } else { format!(r#""Call stack":"{}""#, frames.join(";")) }
    };
    let mut events = Vec::new();
    for at in 0..CONVOLUTIONS {
        let (frames, ts) = (frames(at), 1000 * at);
        if as_functions {
            for (depth, frame) in frames.iter().rev().enumerate() {
                events.push(event("python_function", frame, "1(Python)", ts + depth, 500 - 2 * depth, ""));
            }
        }
        events.push(event("Operator", "aten::conv2d", "1(C++)", ts + 10, 100, &stack(&frames)));
        let back = 1000 * (at + CONVOLUTIONS);
        let hook: Vec<String> = ["torch/_tensor.py(2): backward", "_proftui_shim/wrappers.py(126): call"]
            .map(String::from)
            .into();
        events.push(event("Operator", "ConvolutionBackward0", "1(C++)", back + 10, 100, &stack(&hook)));
        events.push(event("Operator", "aten::convolution_backward", "1(C++)", back + 20, 50, &stack(&hook)));
        for (ph, ts) in [("s", ts + 10), ("f", back + 10)] {
            events.push(format!(
                r#"{{"ph":"{ph}","cat":"forward_backward","name":"fwdbwd","id":{at},"bp":"e","pid":1,"tid":"1(C++)","ts":{ts}}}"#
            ));
        }
    }
    let text = format!(
        r#"{{"schemaVersion":"1.0.2","span_index":"0","ExtraInfo":{{"proftui.version":"1"}},"traceEvents":[{}]}}"#,
        events.join(",")
    );
    folder.file(&format!("{as_functions}.json"), text)
}

fn name(row: &Value) -> &str {
    row["cells"][0].as_str().expect("a name")
}

fn rows(table: &Value) -> &[Value] {
    table["rows"].as_array().expect("rows")
}

#[test]
fn five_frames_keep_the_convolutions_of_a_recording_apart() {
    let folder = Scratch::new("stacks");
    let path = recording(&folder, false);
    let table = json(&["summary", "--format", "json", "--layout", "torch", "--group-by-stack", "5", &path]);
    let convolutions: Vec<&Value> = rows(&table).iter().filter(|row| name(row) == "aten::conv2d").collect();
    assert_eq!(convolutions.len(), CONVOLUTIONS);
    let text = convolutions[0].to_string();
    assert!(
        text.contains("_call_impl; nn.Module: Conv2d_") && !text.contains("_wrapped_call_impl"),
        "{text}"
    );
}

#[test]
fn own_rows_have_the_stacks_of_functions_or_arguments_without_our_hooks() {
    let folder = Scratch::new("stacks");
    for as_functions in [true, false] {
        let path = recording(&folder, as_functions);
        let of = |depth: &str| {
            json(&["summary", "--format", "json", "--view", "operator", "--group-by-stack", depth, &path])
        };
        let table = of("5");
        assert_eq!(rows(&table).len(), 3);
        for row in rows(&table) {
            // Gradients have the stacks of the convolutions that they are of.
            let below = row["children"].as_array().expect("stacks");
            assert_eq!(below.len(), CONVOLUTIONS, "{as_functions}: {row}");
            for (at, stack) in (0..CONVOLUTIONS).map(|at| (at, format!("nn.Module: Conv2d_{at}"))) {
                let found = below.iter().filter(|row| name(row).ends_with(&stack)).count();
                assert_eq!(found, 1, "{at}");
            }
            let text = name(&below[0]);
            let start =
                "<built-in method conv2d of type object> < torch/nn/modules/conv.py(546): _conv_forward < ";
            assert!(text.starts_with(start) && !text.contains("_wrapped_call_impl"), "{text}");
        }
        // The same convolutions by less of their stacks, and by none.
        let children = |table: &Value| rows(table)[0]["children"].as_array().map_or(0, Vec::len);
        assert_eq!(children(&of("4")), 1);
        assert_eq!(of("0"), json(&["summary", "--format", "json", "--view", "operator", &path]));
    }
}

#[test]
fn stacks_that_a_trace_lacks_are_said_to_be_missing() {
    let path = "demo-traces/synthetic-gpu.json.gz";
    let plain = "demo-traces/hostile-names.json.gz";
    for (path, is_any) in [(path, true), (plain, false)] {
        let table =
            json(&["summary", "--format", "json", "--view", "operator", "--group-by-stack", "3", path]);
        let stacks = rows(&table).iter().flat_map(|row| row["children"].as_array().into_iter().flatten());
        let known = stacks.filter(|row| name(row).contains(" < ")).count();
        assert_eq!(known > 0, is_any, "{path}");
    }
}

#[test]
fn options_that_do_not_suit_each_other_are_refused() {
    let path = "demo-traces/synthetic-gpu.json.gz";
    for (wrong, word) in [
        (&["--view", "kernel", "--group-by-stack", "3"][..], "--view operator"),
        (&["--group-by-input-shape", "--group-by-stack", "3"], "--layout torch"),
        (&["--layout", "paddle", "--group-by-stack", "3"], "--layout proftui"),
    ] {
        let out = proftui(&[&["summary", path], wrong].concat());
        assert_eq!(out.status.code(), Some(2), "{wrong:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains(word), "{wrong:?}");
    }
}
