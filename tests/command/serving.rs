//! Steps of serving engines, summaries without warm-up and steps from repeating launches, on the command
//! line.

use crate::binary::{json, printed, proftui, said};
use crate::scratch::Scratch;

/// Decodes of 4 requests of these lengths, µs, one after the other, each with a launch of four kernels.
fn trace(scratch: &Scratch, name: &str, lengths: &[u32]) -> String {
    let (mut start, mut events) = (0, Vec::new());
    for (number, length) in (1..).zip(lengths) {
        events.push(format!(
            r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":1,"tid":1,"ts":{start},"dur":{length}}},
            {{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,"ts":{start},"dur":2,"args":{{"correlation":{number}}}}}"#
        ));
        events.extend((0..4).map(|at| {
            let ts = start + 3 + 2 * at;
            format!(r#"{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{ts},"dur":1,"args":{{"correlation":{number}}}}}"#)
        }));
        start += length + 10;
    }
    scratch.file("trace.json", format!("[{}]", events.join(",")))
}

/// The exit status, and what was printed on standard error.
fn failed(args: &[&str]) -> (Option<i32>, String) {
    let out = proftui(args);
    (out.status.code(), said(&out))
}

#[test]
fn steps_of_an_engine_are_steps_of_every_command() {
    let scratch = Scratch::new("serving");
    let path = &trace(&scratch, "step[DECODE bs=4]", &[900, 400, 50, 51, 50, 49]);
    assert!(printed(&["info", path]).contains("\nsteps        6 (6 decode)\n"));
    let table = json(&["summary", "--format", "json", "--view", "serving", "--steps", "2:", path]);
    let ids = table["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap());
    let cells = table["rows"][0]["cells"].as_array().unwrap();
    let found: Vec<String> = ids
        .zip(cells)
        .filter(|(id, _)| ["step", "steps", "tokens", "device", "bubble"].contains(id))
        .map(|(id, cell)| format!("{id} {cell}"))
        .collect();
    assert_eq!(found, ["step \"decode 4\"", "steps 4", "tokens 16", "device 16000", "bubble 160000"]);
    assert!(printed(&["summary", "--view", "serving", path]).contains("decode 4 "));
    let steps = json(&["summary", "--format", "json", "--view", "steps", path]);
    assert_eq!(steps["rows"].as_array().unwrap().len(), 6);
    assert_eq!(steps["rows"][5]["cells"].as_array().unwrap().last().unwrap(), "decode 4");
    let tables = json(&["summary", "--layout", "visualdl", "--format", "json", path]);
    let of_steps =
        |table: &&serde_json::Value| table["columns"][0]["id"] == "step" && table["view"] == "model";
    let rows = tables.as_array().unwrap().iter().find(of_steps).unwrap()["rows"].as_array().unwrap().clone();
    let numbers: Vec<_> = rows.iter().map(|row| row["cells"][0].clone()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5], "by their number, not by the batch size in the name");
}

#[test]
fn the_warm_up_is_left_out_in_every_layout() {
    let scratch = Scratch::new("steady");
    let path = &trace(&scratch, "step[DECODE bs=4]", &[900, 400, 50, 51, 50, 49]);
    let note = "--steady left out the first 2 of 6 steps, the warm-up: each is longer than the median of the comparable later steps by more than 3 MAD and 5 %, or fewer than 3 comparable steps follow it.";
    for view in ["serving", "kernel", "overview"] {
        let table = json(&["summary", "--format", "json", "--steady", "--view", view, path]);
        assert_eq!(table["scope"]["start"], 1_320_000, "{view}");
        assert!(
            table["notes"].as_array().unwrap().iter().any(|text| text == note),
            "{view}: {}",
            table["notes"]
        );
    }
    let (status, text) = failed(&["summary", "--steady", "--layout", "torch", path]);
    assert_eq!((status, text.contains(note)), (Some(0), true), "{text}");
    assert_eq!(failed(&["summary", "--steady", "--steps", "2:", path]).0, Some(2));
    let path = &trace(&scratch, "loop", &[900, 400, 50, 51, 50, 49]);
    let (status, text) = failed(&["summary", "--steady", path]);
    assert_eq!(
        (status, text.contains("no steps in what is loaded and asked for: --steady needs them")),
        (Some(1), true),
        "{text}"
    );
}

#[test]
fn repeating_launches_are_offered_and_are_steps_on_demand() {
    let scratch = Scratch::new("repeating");
    let path = &trace(&scratch, "loop", &[50, 50, 50, 50]);
    let offer = "repeating    4 repetitions of 1 launch on thread 1 (100 % of its launches with work), perhaps steps: --steps-from launches";
    assert!(printed(&["info", path]).contains(offer), "{}", printed(&["info", path]));
    assert_eq!(json(&["info", "--format", "json", path])["repeating"][0]["repetitions"], 4);
    assert_eq!(
        json(&["summary", "--format", "json", "--view", "steps", path])["rows"].as_array().unwrap().len(),
        0
    );
    let steps = json(&["summary", "--format", "json", "--view", "steps", "--steps-from", "launches", path]);
    assert_eq!(steps["rows"].as_array().unwrap().len(), 4);
    let note = steps["notes"].as_array().unwrap().last().unwrap().as_str().unwrap();
    assert!(note.starts_with("Steps inferred from repeating launches, not marked: 4 repetitions"), "{note}");
    let info = printed(&["info", "--steps-from", "launches", path]);
    assert!(info.contains("4; among them, inferred from repeating launches"), "{info}");
    let marked = &trace(&scratch, "step[DECODE bs=4]", &[50, 50, 50, 50]);
    let (status, text) = failed(&["summary", "--steps-from", "launches", marked]);
    assert_eq!((status, text.contains("changes nothing: the trace marks steps")), (Some(0), true), "{text}");
}
