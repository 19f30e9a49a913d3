//! Which rows `proftui summary` shows of our own tables, by the real binary: filters, listings of single
//! events.

use serde_json::Value;

use crate::binary::{json, proftui};
use crate::scratch::Scratch;

const GPU: &str = "demo-traces/synthetic-gpu.json.gz";

fn summary(args: &[&str]) -> Value {
    json(&[&["summary", "--format", "json"], args].concat())
}

/// The table's rows, each as the values of its columns by their ids.
fn rows(table: &Value) -> Vec<serde_json::Map<String, Value>> {
    let ids: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|column| column["id"].as_str().unwrap()).collect();
    let named = |row: &Value| {
        let cells = row["cells"].as_array().unwrap().iter().cloned();
        ids.iter().map(|id| (*id).to_owned()).zip(cells).collect()
    };
    table["rows"].as_array().unwrap().iter().map(named).collect()
}

#[test]
fn allocations_are_chosen_by_text_and_size() {
    let all = rows(&summary(&["--view", "allocations", GPU]));
    assert_eq!(all.len(), 168);
    let sizes: Vec<i64> = all.iter().map(|row| row["size"].as_i64().unwrap()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "the largest first");
    let some = rows(&summary(&["--view", "allocations", "--min-size", "6M", "--max-size", "24M", GPU]));
    let inside = sizes.iter().filter(|size| (6 << 20..=24 << 20).contains(*size)).count();
    assert!(inside > 0 && inside < all.len());
    assert_eq!(some.len(), inside);
    let named = rows(&summary(&["--view", "allocations", "--name", "MMBackward0", GPU]));
    assert!(
        !named.is_empty()
            && named.iter().all(|row| row["freed_by"].as_str().unwrap().ends_with("mmBackward0")
                || row["freed_by"] == "MmBackward0")
    );
    for row in &named {
        let [taken, held, freed] = ["taken", "held", "freed"].map(|id| row[id].as_i64().unwrap());
        assert_eq!(taken + held, freed);
    }
}

#[test]
fn beside_other_views_a_list_is_cut() {
    let all = summary(&[GPU]);
    let find =
        |view: &str| all.as_array().unwrap().iter().find(|table| table["view"] == view).unwrap().clone();
    assert_eq!(rows(&find("allocations")).len(), 20);
    assert!(
        find("allocations")["notes"].to_string().contains(
            "The 148 smallest allocations are left out: --view allocations lists more allocations."
        )
    );
    let whole = summary(&["--row-limit", "-1", GPU]);
    let find =
        |view: &str| whole.as_array().unwrap().iter().find(|table| table["view"] == view).unwrap().clone();
    assert_eq!(rows(&find("allocations")).len(), 168);
}

#[test]
fn a_name_is_looked_for_in_every_table() {
    for table in summary(&["--name", "addmm", GPU]).as_array().unwrap() {
        for row in table["rows"].as_array().unwrap() {
            assert!(row.to_string().to_lowercase().contains("addmm"), "{}: {row}", table["view"]);
        }
    }
    let wrong: [(&[&str], i32, &str); 2] = [
        (&["summary", "--view", "kernel", "--min-size", "5", GPU], 1, "allocations"),
        (&["summary", "--layout", "torch", "--name", "mm", GPU], 2, "visualdl"),
    ];
    for (args, status, word) in wrong {
        let out = proftui(args);
        assert_eq!(out.status.code(), Some(status));
        assert!(String::from_utf8_lossy(&out.stderr).contains(word));
    }
}

#[test]
fn operators_are_distinguished_by_the_shapes_of_their_inputs() {
    const CPU: &str = "demo-traces/torch-cnn-cpu.pt.trace.json.gz";
    let table = summary(&["--view", "operator", "--group-by-input-shape", CPU]);
    let plain = summary(&["--view", "operator", CPU]);
    let (shaped, plain) = (rows(&table), rows(&plain));
    assert_eq!(shaped.len(), plain.len());
    for (row, plain) in shaped.iter().zip(&plain) {
        assert!(plain.iter().all(|(id, value)| row[id] == *value), "the same but for what is new");
    }
    let names: Vec<&str> = shaped.iter().map(|row| row["name"].as_str().unwrap()).collect();
    let at = names.iter().position(|name| *name == "aten::conv2d").expect("a convolution");
    let below =
        rows(&serde_json::json!({"columns": table["columns"], "rows": table["rows"][at]["children"]}));
    let sum = |id: &str| below.iter().map(|row| row[id].as_u64().unwrap()).sum::<u64>();
    assert!(below.len() > 1 && below.iter().all(|row| row["name"].as_str().unwrap().starts_with("[[")));
    assert_eq!(
        (shaped[at]["calls"].as_u64(), shaped[at]["flops"].as_u64()),
        (Some(sum("calls")), Some(sum("flops")))
    );
    // Shapes are distinguished as torch does, and a rate is by host time where no device works.
    let torch = summary(&["--layout", "torch", "--sorted-by", "count", "--group-by-input-shape", CPU]);
    let counts = rows(&torch).iter().filter(|row| row["name"] == "aten::conv2d").count();
    assert_eq!(counts, below.len());
    let rate = shaped[at]["flops"].as_f64().unwrap() / shaped[at]["total"].as_f64().unwrap() * 1e9;
    assert!((shaped[at]["flops_rate"].as_f64().unwrap() - rate).abs() <= 1.0);
    for wrong in [
        &["summary", "--view", "kernel", "--group-by-input-shape", CPU][..],
        &["summary", "--layout", "paddle", "--group-by-input-shape", CPU],
    ] {
        assert_eq!(proftui(wrong).status.code(), Some(2));
    }
}

#[test]
fn kernels_are_distinguished_by_how_they_were_launched() {
    let table = summary(&["--view", "kernel", "--group-by-launch", GPU]);
    let kernels = rows(&table);
    assert_eq!(kernels.len(), rows(&summary(&["--view", "kernel", GPU])).len());
    let mut stated = 0;
    for (row, json) in kernels.iter().zip(table["rows"].as_array().unwrap()) {
        let below = rows(&serde_json::json!({"columns": table["columns"], "rows": json["children"]}));
        let calls: u64 = below.iter().map(|row| row["calls"].as_u64().unwrap()).sum();
        assert_eq!(Some(calls), row["calls"].as_u64(), "{row:?}");
        stated += below.iter().filter(|row| row["registers"].is_u64() && row["occupancy"].is_f64()).count();
    }
    assert!(stated > 0);
    let wrong = proftui(&["summary", "--view", "operator", "--group-by-launch", GPU]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn names_that_differ_in_the_middle_are_printed_apart() {
    let folder = Scratch::new("alike");
    let long = "cutlass_80_tensorop_s1688gemm";
    let event = |(number, tile): (usize, &str)| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"void cutlass::Kernel2<{long}_{tile}_tn_align4>(cutlass::Kernel2<{long}_tn_align4>::Params)","pid":0,"tid":7,"ts":{ts},"dur":9,"args":{{"device":0,"stream":7}}}}"#,
            ts = number * 10
        )
    };
    let events: Vec<String> = ["128x128", "128x256", "256x128"].into_iter().enumerate().map(event).collect();
    let path = folder.file("alike.json", format!("[{}]", events.join(",")));
    let text = String::from_utf8(proftui(&["summary", "--view", "kernel", &path]).stdout).unwrap();
    for tile in ["128x128", "128x256", "256x128"] {
        assert_eq!(text.matches(&format!("{tile}_")).count(), 1, "{text}");
    }
    assert!(text.lines().filter(|line| line.starts_with("void cutlass")).count() == 3, "{text}");
}
