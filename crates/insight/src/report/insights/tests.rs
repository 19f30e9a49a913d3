//! The schema of the JSON is written from the declarations of its fields.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use proftui_base::fmt;

use super::{MOST_BYTES, schema};

/// The most columns of a line of the schema.
const COLUMNS: usize = 110;

/// Writes a value on one line if it fits there, or its parts on a line each.
fn write(value: &Json, indent: usize, before: &str, out: &mut String) {
    let line = format!("{:indent$}{before}{value}", "");
    let parts: Vec<(String, &Json)> = match value {
        _ if line.chars().count() < COLUMNS => return out.push_str(&line),
        Json::Object(fields) => fields.iter().map(|(key, value)| (format!("{key:?}: "), value)).collect(),
        Json::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        _ => return out.push_str(&line),
    };
    let (open, close) = if value.is_object() { ('{', '}') } else { ('[', ']') };
    out.push_str(&format!("{:indent$}{before}{open}\n", ""));
    for (number, (before, part)) in parts.iter().enumerate() {
        out.push_str(if number > 0 { ",\n" } else { "" });
        write(part, indent + 2, before, out);
    }
    out.push_str(&format!("\n{:indent$}{close}", ""));
}

#[test]
fn the_schema_states_the_limit_that_holds() {
    let about = schema()["properties"]["left_out"]["description"].to_string();
    assert!(about.contains(&format!("at most {} bytes", fmt::count(MOST_BYTES as u64))), "{about}");
}

#[test]
fn the_schema_has_the_fields_that_are_written() {
    let mut made = String::new();
    write(&schema(), 0, "", &mut made);
    made.push('\n');
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/insights.schema.json");
    if std::env::var_os("PROFTUI_UPDATE").is_some() {
        fs::write(&path, &made).expect("written");
    }
    let kept = fs::read_to_string(&path).expect("the schema");
    assert!(
        kept == made,
        "docs/insights.schema.json is not of the fields: PROFTUI_UPDATE=1 cargo test -p proftui-insight schema writes it"
    );
}
