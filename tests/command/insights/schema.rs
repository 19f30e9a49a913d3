//! Checks a value against `docs/insights.schema.json`, by the words of JSON Schema that the file uses. A word
//! that is not known here fails.

use proftui_insight::analysis::insights::Unused;
use proftui_insight::ask::Ask;
use proftui_insight::report::insights::{About, json};
use proftui_trace::import::{self, Progress, Request};
use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/insights.schema.json");

/// What is wrong with an answer; nothing if it is of the schema.
pub(super) fn check(answer: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let mut wrong = Vec::new();
    value(answer, &schema, "answer", &mut wrong);
    wrong
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        _ => panic!("the type {name} is not known"),
    }
}

fn value(of: &Value, schema: &Value, at: &str, wrong: &mut Vec<String>) {
    let none = serde_json::Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        match word.as_str() {
            "$schema" | "title" | "description" | "properties" => {}
            "type" => {
                let names: Vec<&str> = match rule {
                    Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                    one => one.as_str().into_iter().collect(),
                };
                if !names.iter().any(|name| is_of(of, name)) {
                    wrong.push(format!("{at} is no {rule}: {of}"));
                }
            }
            "enum" => {
                if !rule.as_array().expect("a list").contains(of) {
                    wrong.push(format!("{at} is {of}"));
                }
            }
            "minimum" => {
                if of.as_f64() < rule.as_f64() {
                    wrong.push(format!("{at} is {of}"));
                }
            }
            "required" => {
                let keys = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                let missing = keys.filter(|key| of.is_object() && of.get(key).is_none());
                wrong.extend(missing.map(|key| format!("{at} has no {key}")));
            }
            "items" => {
                for (number, item) in of.as_array().into_iter().flatten().enumerate() {
                    value(item, rule, &format!("{at}[{number}]"), wrong);
                }
            }
            "additionalProperties" => {
                for (key, item) in of.as_object().into_iter().flatten() {
                    match (properties.get(key), rule) {
                        (Some(_), _) => {}
                        (None, Value::Bool(false)) => wrong.push(format!("{at} has {key}")),
                        (None, schema) => value(item, schema, &format!("{at}.{key}"), wrong),
                    }
                }
            }
            _ => panic!("the word {word} of the schema is not known"),
        }
    }
    for (key, schema) in properties {
        if let Some(item) = of.get(key) {
            value(item, schema, &format!("{at}.{key}"), wrong);
        }
    }
}

/// Also the fields that most answers lack are of the schema.
#[test]
fn an_answer_with_every_field_is_of_the_schema() {
    let loaded = import::load(&Request::new([super::GPU]), &Progress::default()).expect("a trace");
    let answer = Ask::findings().of(&loaded).expect("an answer");
    let mut insights = answer.findings.expect("findings").insights;
    insights.serving.insert("decode", [3, 4, 5]);
    insights.incomplete.push("the file is cut off".into());
    let (group, title) = (insights.devices[0].0, "GPU 0".to_owned());
    insights.is_host = true;
    insights.unused.push(Unused { group, title, work: 3_000, counts: [0, 0, 2] });
    let finding = insights.findings[0].clone();
    insights.findings.resize(100, finding);
    let about = About { steps: Some((1, 9)), paths: &[], options: &[] };
    let answer = json(&loaded.trace, &insights, about, false);
    assert_eq!(check(&answer), Vec::<String>::new());
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let declared = schema["properties"].as_object().expect("fields").keys();
    let missing: Vec<&String> = declared.filter(|field| answer.get(field).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn what_is_wrong_is_found() {
    let good = serde_json::json!({
        "schema": "proftui.insights/2",
        "scope": {"start_ns": 0, "end_ns": 5, "run": {"start_ns": 0, "end_ns": 5}, "outside_ns": 0, "steps": null},
        "verdict": "", "of": "5 ns", "incomplete": [], "devices": [], "findings": [],
        "abstained": [{"rule": "late_rank", "why": "one rank"}],
    });
    assert_eq!(check(&good), Vec::<String>::new());
    for (pointer, bad) in [
        ("/schema", serde_json::json!("proftui.insights/0")),
        ("/scope/end_ns", serde_json::json!(1.5)),
        ("/incomplete", serde_json::json!([1])),
        ("/devices", serde_json::json!([{"device": 0}])),
        ("/abstained/0", serde_json::json!({"rule": "late_rank", "why": "one rank", "how": 1})),
    ] {
        let mut answer = good.clone();
        *answer.pointer_mut(pointer).expect("it is there") = bad;
        assert!(!check(&answer).is_empty(), "{pointer}");
    }
}
