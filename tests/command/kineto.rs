//! Any trace becomes one in the form of PyTorch's profiler, with the same tables.

use serde_json::Value;

use crate::binary::{printed, proftui, said};
use crate::scratch::Scratch;

/// The events of a file without compression.
fn events(path: &str) -> Vec<Value> {
    let text = std::fs::read(path).expect("a file");
    let document: Value = serde_json::from_slice(&text).expect("JSON");
    document["traceEvents"].as_array().expect("events").clone()
}

#[test]
fn any_trace_becomes_one_of_pytorch_with_the_same_tables() {
    let folder = Scratch::new("kineto");
    for name in [
        "torch-transformer-gpu.paddle_trace.json.gz",
        "paddle-lenet-cpu.paddle_trace.json.gz",
        "guide-conv.pt.trace.json.gz",
    ] {
        let from = format!("demo-traces/{name}");
        let to = folder.path("worker.1.pt.trace.json");
        let output = proftui(&["convert", "--force", &from, &to]);
        assert!(output.status.success(), "{name}: {}", said(&output));
        for view in ["kernel", "operator", "device", "steps", "memory"] {
            let table = |path: &str| printed(&["summary", "--view", view, "--format", "csv", path]);
            assert_eq!(table(&to), table(&from), "{name}: {view}");
        }
        let verdict = |path: &str| printed(&["insights", path]).replace(path, "");
        assert_eq!(verdict(&to), verdict(&from), "{name}");
    }
}

#[test]
fn events_have_what_tools_ask_for() {
    let folder = Scratch::new("kineto-events");
    let to = folder.path("worker.1.pt.trace.json");
    let from = "demo-traces/torch-transformer-gpu.paddle_trace.json.gz";
    assert!(proftui(&["convert", from, &to]).status.success());
    let events = events(&to);
    for event in &events {
        assert!(event["ph"].is_string() && event["name"].is_string(), "{event}");
        assert!(event["ph"] != "X" || event["args"].is_object(), "{event}");
        let whole = event["ph"] != "X" || event["pid"].is_i64() && event["tid"].is_i64();
        assert!(whole, "{event}");
    }
    let of = |cat: &str| {
        events.iter().filter(|event| event["cat"] == cat && event["ph"] == "X").collect::<Vec<_>>()
    };
    let kernels = of("kernel");
    assert!(!kernels.is_empty() && !of("cpu_op").is_empty() && !of("cuda_runtime").is_empty());
    for kernel in kernels {
        let args = &kernel["args"];
        assert!(
            ["correlation", "device", "stream", "External id"].iter().all(|key| args[*key].is_i64()),
            "{kernel}"
        );
    }
    let steps = of("user_annotation").into_iter().filter_map(|event| event["name"].as_str());
    assert!(steps.filter(|name| name.starts_with("ProfilerStep#")).count() > 0);
    // An arrow ends where the work begins that it points to.
    let starts = |ph: &str| {
        let mut starts: Vec<(i64, String)> = events
            .iter()
            .filter(|event| event["ph"] == ph && event["cat"] == "ac2g")
            .map(|event| (event["id"].as_i64().expect("a number"), event["ts"].to_string()))
            .collect();
        starts.sort();
        starts
    };
    let (from, to) = (starts("s"), starts("f"));
    assert!(from.iter().map(|one| one.0).eq(to.iter().map(|one| one.0)) && !from.is_empty());
    let begins: std::collections::BTreeSet<String> = ["kernel", "gpu_memcpy", "gpu_memset"]
        .iter()
        .flat_map(|cat| of(cat))
        .map(|event| event["ts"].to_string())
        .collect();
    assert!(to.iter().all(|(_, ts)| begins.contains(ts)));
}

#[test]
fn an_excerpt_has_the_tables_of_its_part() {
    let folder = Scratch::new("kineto-excerpt");
    let to = folder.path("worker.1.pt.trace.json");
    for (name, steps) in
        [("torch-transformer-gpu.paddle_trace.json.gz", "9:11"), ("synthetic-gpu.json.gz", "11:13")]
    {
        let from = format!("demo-traces/{name}");
        assert!(proftui(&["convert", "--force", "--steps", steps, &from, &to]).status.success());
        for view in ["overview", "kernel", "operator", "model", "device", "steps", "copies", "memory"] {
            // Devices that have memory come in the order in which a file has them.
            let table = |path: &str| {
                let text = printed(&["summary", "--view", view, "--steps", steps, "--format", "csv", path]);
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(table(&to), table(&from), "{name}: {view}");
        }
        let all = events(&to);
        let whole: Value = serde_json::from_slice(&std::fs::read(&to).expect("a file")).expect("JSON");
        assert!(whole["excerpt"]["left_out"].as_u64() > Some(100), "{}", whole["excerpt"]);
        // Links are whole: each kernel has its launch, and each arrow two ends.
        let count = |ph: &str| all.iter().filter(|event| event["ph"] == ph && event["cat"] == "ac2g").count();
        assert_eq!((count("s"), count("f") > 100), (count("f"), true));
        let info = printed(&["info", &to]);
        let links = info.lines().find(|line| line.starts_with("links")).expect("a line");
        assert!(links.ends_with(", 0 events of it without a launch"), "{links}");
    }
    let refused = |args: &[&str]| {
        let output = proftui(&[&["convert", "--force"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        said(&output)
    };
    assert!(refused(&["--steps", "900:901", "demo-traces/synthetic-gpu.json.gz", &to]).contains("no step"));
    let pb = folder.path("out.json");
    let from = "demo-traces/paddle-lenet-cpu.paddle_trace.json.gz";
    assert!(refused(&["--steps", "1:2", from, &pb]).contains("only .pt.trace.json"));
}

#[test]
fn what_is_not_one_whole_trace_is_refused() {
    let folder = Scratch::new("kineto-refused");
    let rank = |rank: u32| {
        format!(
            r#"{{"distributedInfo":{{"rank":{rank},"world_size":2}},"traceEvents":[
                {{"ph":"X","cat":"cpu_op","name":"a","pid":{rank},"tid":1,"ts":1,"dur":2}}]}}"#
        )
    };
    std::fs::create_dir(folder.path("ranks")).expect("a folder");
    for number in 0..2 {
        std::fs::write(folder.path(&format!("ranks/rank{number}.pt.trace.json")), rank(number))
            .expect("written");
    }
    let to = folder.path("out.pt.trace.json");
    let output = proftui(&["convert", &folder.path("ranks"), &to]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("2 ranks or processes: convert each by itself, with --rank N"),
        "{}",
        said(&output)
    );
    let events =
        (0..200_000).map(|at| format!(r#"{{"ph":"X","name":"a","pid":1,"tid":1,"ts":{at},"dur":0.5}}"#));
    let events = events.collect::<Vec<_>>().join(",");
    let large = folder.path("large.json");
    std::fs::write(&large, format!("[{events}]")).expect("written");
    let output = proftui(&["convert", "--max-memory", "8M", &large, &to]);
    assert!(said(&output).contains("raise --max-memory"), "{}", said(&output));
    assert!(!std::path::Path::new(&to).exists());
}

/// A trace whose program, host and user are named `secret` wherever a profiler writes them.
const SECRETS: &str = r#"{"schemaVersion":1,"host_name":"secret-host","trace_id":"secret","command":"secret",
"baseTimeNanoseconds":1790857026000000000,"distributedInfo":{"rank":3,"world_size":8,"pg_config":[{"pg_desc":"secret"}]},
"traceEvents":[
{"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python3 /home/secret/train.py"}},
{"ph":"M","name":"thread_name","pid":7,"tid":7,"args":{"name":"secret-thread"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":7,"tid":7,"ts":100,"dur":900},
{"ph":"X","cat":"user_annotation","name":"secret range","pid":7,"tid":7,"ts":110,"dur":800,"args":{"prompt":"secret"}},
{"ph":"X","cat":"python_function","name":"/home/secret/train.py(9): secret_main","pid":7,"tid":7,"ts":105,"dur":890,
 "args":{"Python id":1,"Call stack":"secret"}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":200,"dur":50,
 "args":{"External id":5,"Input Dims":[[2,3],[3,4]],"Concrete Inputs":["","secret"],"Module Hierarchy":"secret"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":210,"dur":9,"args":{"correlation":11}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":230,"dur":30,
 "args":{"device":0,"stream":7,"correlation":11,"External id":5}},
{"ph":"i","s":"t","cat":"secret","name":"secret moment","pid":7,"tid":7,"ts":240,"args":{"secret":1}},
{"ph":"C","name":"secret counter","pid":7,"tid":7,"ts":250,"args":{"secret series":4}},
{"ph":"b","cat":"secret","id":1,"name":"secret task","pid":7,"tid":7,"ts":260},
{"ph":"e","cat":"secret","id":1,"name":"secret task","pid":7,"tid":7,"ts":270}]}"#;

#[test]
fn an_anonymous_trace_has_no_name_of_the_program() {
    let folder = Scratch::new("anonymous");
    let (from, to) = (folder.path("secret-trace.json"), folder.path("a.pt.trace.json"));
    std::fs::write(&from, SECRETS).expect("a file");
    let output = proftui(&["convert", "--anonymize", &from, &to]);
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(&to).expect("a file");
    assert!(!text.contains("secret"), "{text}");
    assert!(!text.contains("baseTimeNanoseconds") && text.contains(r#""anonymous":true"#), "{text}");
    for kept in ["ProfilerStep#4", "aten::mm", "cudaLaunchKernel", "\"gemm\"", "[[2,3],[3,4]]", "\"rank\":3"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    let events = events(&to);
    assert!(events.iter().any(|event| event["ph"] == "X" && event["ts"] == 0), "times count from 0");
    for view in ["kernel", "operator", "steps"] {
        let table = |path: &str| printed(&["summary", "--view", view, "--format", "csv", path]);
        assert_eq!(table(&to), table(&from), "{view}");
    }
    // Without the option, all of it stays.
    assert!(proftui(&["convert", "--force", &from, &to]).status.success());
    let text = std::fs::read_to_string(&to).expect("a file");
    assert!(text.matches("secret").count() > 15, "{text}");
}

#[test]
fn a_rank_of_a_folder_is_a_file_with_its_own_header() {
    let folder = Scratch::new("rank");
    for rank in [3, 5] {
        let text = SECRETS
            .replace("\"rank\":3", &format!("\"rank\":{rank}"))
            .replace("gemm", &format!("gemm{rank}"));
        std::fs::create_dir_all(folder.path("job")).expect("a folder");
        std::fs::write(folder.path(&format!("job/rank{rank}.json")), text).expect("a file");
    }
    let (job, to) = (folder.path("job"), folder.path("one.pt.trace.json"));
    let refused = proftui(&["convert", &job, &to]);
    assert!(
        said(&refused).contains("2 ranks or processes: convert each by itself, with --rank N"),
        "{}",
        said(&refused)
    );
    let missing = proftui(&["convert", "--rank", "4", &job, &to]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(said(&missing).contains("rank 3, rank 5"), "{}", said(&missing));
    assert!(proftui(&["convert", "--rank", "5", &job, &to]).status.success());
    let text = std::fs::read_to_string(&to).expect("a file");
    assert!(text.contains("\"rank\":5") && text.contains("gemm5") && !text.contains("gemm3"), "{text}");
    let whole = printed(&["summary", "--view", "kernel", "--format", "csv", &folder.path("job/rank5.json")]);
    assert_eq!(printed(&["summary", "--view", "kernel", "--format", "csv", &to]), whole);
}
