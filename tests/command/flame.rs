//! The files of flames for other programs, by the real binary: speedscope's format as its schema states it,
//! folded stacks, and that both have the frames and weights of the table.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::binary::{json, proftui};

const GPU: &str = "demo-traces/synthetic-gpu.json.gz";
const CPU: &str = "demo-traces/torch-cnn-cpu.pt.trace.json.gz";
/// Options of every kind of flame.
const KINDS: [&[&str]; 6] = [
    &[],
    &["--weight", "device"],
    &["--weight", "bytes"],
    &["--weight", "count", "--frames", "stack"],
    &["--frames", "module"],
    &["--bottom-up", "--frames", "stack"],
];

fn printed(format: &str, options: &[&str], trace: &str) -> String {
    let out = proftui(&[&["summary", "--view", "flame", "--format", format], options, &[trace]].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8")
}

/// The weight of each stack that weighs something by itself, its names with `;` between them, from the table.
fn stacks(options: &[&str], trace: &str) -> BTreeMap<String, i64> {
    fn add(rows: &Value, around: &str, found: &mut BTreeMap<String, i64>) {
        for row in rows.as_array().expect("rows") {
            let name = row["cells"][0].as_str().expect("a name").replace(';', ":");
            let path = if around.is_empty() { name } else { format!("{around};{name}") };
            let own = row["cells"][2].as_i64().expect("a weight");
            if own > 0 {
                *found.entry(path.clone()).or_default() += own;
            }
            add(&row["children"], &path, found);
        }
    }
    let table = json(&[&["summary", "--view", "flame", "--format", "json"], options, &[trace]].concat());
    let mut found = BTreeMap::new();
    add(&table["rows"], "", &mut found);
    found
}

/// Checks that an object has the required keys and no others than the optional ones.
fn keys<'a>(value: &'a Value, required: &[&str], optional: &[&str]) -> &'a Map<String, Value> {
    let object = value.as_object().expect("an object");
    for key in required {
        assert!(object.contains_key(*key), "no {key} in {object:?}");
    }
    for key in object.keys() {
        assert!(
            required.contains(&key.as_str()) || optional.contains(&key.as_str()),
            "{key} is not in the schema"
        );
    }
    object
}

/// Holds a file against speedscope's schema (`file-format-spec.ts`) and the rules that its comments state;
/// returns the weight of each stack.
fn valid(text: &str) -> BTreeMap<String, i64> {
    let file: Value = serde_json::from_str(text).expect("JSON");
    keys(&file, &["$schema", "shared", "profiles"], &["name", "activeProfileIndex", "exporter"]);
    assert_eq!(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
    assert!(file["name"].is_string() && file["exporter"].as_str().expect("text").starts_with("proftui@"));
    let frames = keys(&file["shared"], &["frames"], &[])["frames"].as_array().expect("frames");
    for frame in frames {
        assert!(keys(frame, &["name"], &["file", "line", "col"])["name"].is_string());
    }
    let profiles = file["profiles"].as_array().expect("profiles");
    assert!((file["activeProfileIndex"].as_u64().expect("an index") as usize) < profiles.len());
    let mut found: BTreeMap<String, i64> = BTreeMap::new();
    for profile in profiles {
        keys(profile, &["type", "name", "unit", "startValue", "endValue", "events"], &[]);
        assert_eq!(profile["type"], "evented");
        let units = ["none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"];
        assert!(units.contains(&profile["unit"].as_str().expect("a unit")) && profile["name"].is_string());
        let mut open: Vec<String> = Vec::new();
        let mut at = profile["startValue"].as_i64().expect("a number");
        for event in profile["events"].as_array().expect("events") {
            keys(event, &["type", "at", "frame"], &[]);
            let (now, frame) =
                (event["at"].as_i64().expect("a number"), event["frame"].as_u64().expect("an index"));
            let name = frames[frame as usize]["name"].as_str().expect("a name").replace(';', ":");
            assert!(now >= at, "events are in order");
            if now > at {
                *found.entry(open.join(";")).or_default() += now - at;
            }
            at = now;
            match event["type"].as_str() {
                Some("O") => open.push(name),
                Some("C") => assert_eq!(open.pop(), Some(name), "the innermost frame is closed"),
                other => panic!("no type of event: {other:?}"),
            }
        }
        assert!(open.is_empty(), "every frame is closed");
        assert_eq!(profile["endValue"].as_i64(), Some(at));
    }
    found
}

#[test]
fn files_have_the_frames_of_the_table() {
    for trace in [GPU, CPU] {
        for options in KINDS {
            let want = stacks(options, trace);
            assert_eq!(valid(&printed("speedscope", options, trace)), want, "{options:?}");
            let folded = printed("folded", options, trace);
            let line = |line: &str| {
                let (stack, weight) = line.rsplit_once(' ').expect("a stack and a weight");
                (stack.to_owned(), weight.parse::<i64>().expect("a number"))
            };
            let mut found: BTreeMap<String, i64> = BTreeMap::new();
            folded.lines().map(line).for_each(|(stack, weight)| *found.entry(stack).or_default() += weight);
            assert_eq!(found, want, "{options:?}");
            assert!(trace == CPU || !want.is_empty(), "{options:?}");
        }
    }
}

#[test]
fn what_is_not_about_flames_is_refused() {
    let refused = |args: &[&str]| {
        let out = proftui(&[&["summary"], args, &[GPU]].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{error}");
        error
    };
    assert!(refused(&["--format", "folded"]).contains("--format folded needs --view flame"));
    assert!(refused(&["--view", "kernel", "--format", "speedscope"]).contains("needs --view flame"));
    assert!(refused(&["--view", "names", "--bottom-up"]).contains("--bottom-up needs --view flame"));
    assert!(refused(&["--layout", "paddle", "--weight", "host"]).contains("--weight needs --layout proftui"));
    let out = proftui(&["summary", "--view", "flame", "--format", "folded", GPU, CPU]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stderr).contains("about the sum of several (--merged)"));
}
