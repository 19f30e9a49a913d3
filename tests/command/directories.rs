//! Directories: which of their files are one trace, and which files are taken at all: the real binary.

use serde_json::{Value, json};

use crate::binary::{self, printed, proftui, said};
use crate::scratch::Scratch;

/// An hour in µs.
const HOUR: u64 = 3_600_000_000;
/// A day of 2025 in µs since the Unix epoch.
const DAY: u64 = 1_751_410_800_000_000;

/// A trace that begins at `ts` µs: an operator of process `pid` and a kernel that it launches, of `dur` µs.
fn trace(header: &str, pid: u32, ts: u64, dur: u64) -> String {
    let event = |cat: &str, name: &str, tid: u32, at: u64, dur: u64| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","ts":{at},"dur":{dur},"pid":{pid},"tid":{tid},"args":{{"correlation":1}}}}"#
        )
    };
    let events = [
        event("cpu_op", "aten::mm", 9, ts, 50),
        event("cuda_runtime", "cudaLaunchKernel", 9, ts + 1, 5),
        event("kernel", "gemm", 7, ts + 10, dur),
    ];
    format!(r#"{{{header}"traceEvents":[{}]}}"#, events.join(","))
}

fn ranked(rank: u32, size: u32) -> String {
    format!(r#""distributedInfo":{{"backend":"nccl","rank":{rank},"world_size":{size}}},"#)
}

trait Folders {
    fn put(&self, name: &str, content: &str);
    fn infos(&self) -> Vec<Value>;
    fn files(&self) -> Vec<Vec<String>>;
}

impl Folders for Scratch {
    /// Writes a file; its folders are made.
    fn put(&self, name: &str, content: &str) {
        let path = std::path::PathBuf::from(self.path(name));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }

    /// What `info` prints of the directory, per trace.
    fn infos(&self) -> Vec<Value> {
        let lines = printed(&["info", "--format", "json", &self.path("")]);
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The files of each trace of the directory, without the path of the directory.
    fn files(&self) -> Vec<Vec<String>> {
        let file = |path: &Value| {
            let path =
                path.as_str().expect("a path").strip_prefix(&self.path("")).expect("inside").to_owned();
            path.trim_start_matches('/').to_owned()
        };
        let files = |info: &Value| {
            info["trace"]["files"].as_array().expect("several traces").iter().map(file).collect()
        };
        self.infos().iter().map(files).collect()
    }
}

/// Two captures of different processes, four hours apart.
fn unrelated() -> Scratch {
    let folder = Scratch::new("unrelated");
    folder.put("late.json", &trace("", 77, DAY + 4 * HOUR, 300));
    folder.put("early.json", &trace("", 66, DAY, 100));
    folder
}

#[test]
fn unrelated_traces_are_printed_one_by_one() {
    let folder = unrelated();
    assert_eq!(folder.files(), [["early.json"], ["late.json"]]);
    for (at, info) in folder.infos().iter().enumerate() {
        assert_eq!((&info["trace"]["number"], &info["trace"]["of"]), (&json!(at + 1), &json!(2)));
        assert_eq!((&info["slices"], &info["cycles"]), (&json!(3), &json!(1)));
        let length = info["span_ns"][1].as_i64().expect("ns") - info["span_ns"][0].as_i64().expect("ns");
        assert!(length < 1_000_000, "{length} ns");
    }
    let text = printed(&["info", &folder.path("")]);
    assert!(text.starts_with("trace        1 of 2 traces in the directory\nfile "), "{text}");
    assert!(text.contains("\n\ntrace        2 of 2 traces in the directory\nfile "), "{text}");

    let directory = folder.path("");
    let kernels = binary::json(&["summary", "--format", "json", "--view", "kernel", &directory]);
    let titles: Vec<&str> =
        kernels["columns"].as_array().expect("columns").iter().filter_map(|c| c["title"].as_str()).collect();
    assert_eq!(titles[1..3], ["early.json", "late.json"]);
    assert_eq!(kernels["rows"][0]["cells"], json!(["gemm", 100_000, 300_000, 200_000, 3.0]));

    let said = said(&proftui(&["summary", "--layout", "torch", &directory]));
    assert!(said.contains("2 traces") && said.contains("early.json"), "{said}");
}

#[test]
fn whoever_names_the_files_gets_one_trace() {
    let folder = unrelated();
    let (early, late, directory) = (folder.path("early.json"), folder.path("late.json"), folder.path(""));
    let info = binary::json(&["info", "--format", "json", &early, &late]);
    assert_eq!((&info["trace"], &info["cycles"], &info["slices"]), (&Value::Null, &json!(2), &json!(6)));
    let merged = binary::json(&["summary", "--format", "json", "--view", "kernel", "--merged", &directory]);
    assert_eq!(merged["rows"][0]["cells"][2], 400_000);
    let cycle = binary::json(&["info", "--format", "json", "--cycle", "0", &directory]);
    assert_eq!(cycle["slices"], 6);
}

/// Kineto's times count from a base that the header states; Paddle's and those of older versions are dates.
#[test]
fn files_with_and_without_a_base_share_one_clock() {
    let folder = Scratch::new("bases");
    let based = folder.path("based.json");
    folder.put("based.json", &trace(&format!(r#""baseTimeNanoseconds":{DAY}000,"#), 66, 5, 100));
    folder.put("dates.json", &trace("", 77, DAY + 1_000, 100));
    for paths in [vec![folder.path("")], vec![based, folder.path("dates.json")]] {
        let mut args = vec!["info", "--format", "json"];
        args.extend(paths.iter().map(String::as_str));
        let info = binary::json(&args);
        let length = info["span_ns"][1].as_i64().expect("ns") - info["span_ns"][0].as_i64().expect("ns");
        assert_eq!((&info["slices"], length, &info["warn"]), (&json!(6), 1_105_000, &json!([])));
    }
}

#[test]
fn ranks_with_wrong_clocks_are_one_run() {
    let folder = Scratch::new("clocks");
    folder.put("a.json", &trace(&ranked(0, 2), 66, DAY, 100));
    folder.put("b.json", &trace(&ranked(1, 2), 77, DAY + 4 * HOUR, 100));
    let infos = folder.infos();
    assert_eq!((infos.len(), &infos[0]["workers"]), (1, &json!(["rank 0", "rank 1"])));
    // The next day the same ranks ran again, as other processes.
    folder.put("c.json", &trace(&ranked(0, 2), 88, DAY + 24 * HOUR, 100));
    folder.put("d.json", &trace(&ranked(1, 2), 99, DAY + 28 * HOUR, 100));
    assert_eq!(folder.files(), [["a.json", "b.json"], ["c.json", "d.json"]]);
    let kernels = binary::json(&[
        "summary",
        "--format",
        "json",
        "--view",
        "kernel",
        "--name",
        "gemm",
        &folder.path(""),
    ]);
    let titles: Vec<&str> =
        kernels["columns"].as_array().expect("columns").iter().filter_map(|c| c["title"].as_str()).collect();
    let of = |files: &str| [0, 1].map(|rank| format!("{files} and 1 more · rank {rank}"));
    assert_eq!(titles[1..5], [of("a.json"), of("c.json")].concat());
}

#[test]
fn cycles_of_a_process_are_one_run() {
    let folder = Scratch::new("cycles");
    for (number, hours) in [0, 5, 11].into_iter().enumerate() {
        let name = format!("host_66.{number}.pt.trace.json");
        folder.put(&name, &trace("", 66, DAY + hours * HOUR, 100));
    }
    let infos = folder.infos();
    assert_eq!((infos.len(), &infos[0]["cycles"], &infos[0]["workers"]), (1, &json!(3), &json!(["host_66"])));
}

#[test]
fn a_file_that_was_merged_from_the_ranks_is_left_out() {
    let folder = Scratch::new("merged");
    for rank in [0, 1] {
        folder.put(&format!("1763-TP-{rank}.trace.json"), &trace(&ranked(rank, 2), 60 + rank, DAY, 100));
    }
    folder.put("merged-1763.trace.json", &trace("", 66, DAY, 100));
    let infos = folder.infos();
    assert_eq!(
        (infos.len(), &infos[0]["slices"], &infos[0]["warn"]),
        (1, &json!(6), &json!(["W_FILE_COPY"]))
    );
    let first = infos[0]["quality"]["W_FILE_COPY"]["first"].as_str().expect("an example");
    assert!(first.contains("merged-1763.trace.json has the events of 1763-TP-0.trace.json again"), "{first}");
}

#[test]
fn runs_of_a_log_directory_are_traces_of_their_own() {
    let folder = Scratch::new("logs");
    // Within a minute: what parts them is the folder.
    for (second, run) in ["2026_01_01_00_00_00", "2026_01_01_00_00_30"].iter().enumerate() {
        let ts = DAY + 30_000_000 * second as u64;
        folder.put(&format!("plugins/profile/{run}/a.trace.json"), &trace(&ranked(0, 2), 66, ts, 100));
        folder.put(&format!("plugins/profile/{run}/b.trace.json"), &trace(&ranked(1, 2), 77, ts, 100));
        folder.put(&format!("plugins/profile/{run}/a.xplane.pb"), "");
    }
    let files = folder.files();
    assert_eq!(files.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2], "{files:?}");
    let one =
        binary::json(&["info", "--format", "json", &folder.path("plugins/profile/2026_01_01_00_00_30")]);
    assert_eq!(one["workers"], json!(["rank 0", "rank 1"]));

    let folder = Scratch::new("tensorboard");
    folder.put("log/resnet/h_66.17.pt.trace.json", &trace("", 66, DAY, 100));
    folder.put("log/resnet/hparams.json", "{}");
    let info = &folder.infos()[0];
    assert_eq!((&info["slices"], &info["workers"], &info["warn"]), (&json!(3), &json!(["h_66"]), &json!([])));
}

#[test]
fn folders_of_ascend_are_the_ranks_of_one_run() {
    let folder = Scratch::new("ascend");
    for rank in [0, 1] {
        let process = format!("node_{}_20260101000000123_ascend_pt", 66 + rank);
        folder.put(
            &format!("{process}/ASCEND_PROFILER_OUTPUT/trace_view.json"),
            &trace("", 66 + rank, DAY, 100),
        );
        folder.put(&format!("{process}/ASCEND_PROFILER_OUTPUT/communication.json"), r#"{"step1":{}}"#);
        folder.put(&format!("{process}/profiler_info_{rank}.json"), "{}");
        folder.put(&format!("{process}/profiler_metadata.json"), "{}");
    }
    let infos = folder.infos();
    assert_eq!(infos.len(), 1);
    assert_eq!((&infos[0]["workers"], &infos[0]["warn"]), (&json!(["rank 0", "rank 1"]), &json!([])));
}

#[test]
fn files_that_are_no_traces_hide_none() {
    let folder = unrelated();
    folder.put("config.json", r#"{"lr":0.1}"#);
    folder.put("empty.json", "");
    let infos = folder.infos();
    assert_eq!(infos.len(), 2);
    assert_eq!((&infos[0]["warn"], &infos[1]["warn"]), (&json!(["W_FILE_SKIPPED"]), &json!([])));
}

#[test]
fn runs_are_found_beside_files_that_are_no_traces() {
    let folder = Scratch::new("results");
    folder.put("config.json", r#"{"model_type":"bert"}"#);
    folder.put("runs/a/h_66.17.pt.trace.json", &trace("", 66, DAY, 100));
    folder.put("runs/b/h_77.18.pt.trace.json", &trace("", 77, DAY + HOUR, 100));
    let infos = folder.infos();
    let slices: Vec<_> = infos.iter().map(|info| &info["slices"]).collect();
    assert_eq!(slices, [&json!(3), &json!(3)]);
    assert_eq!((&infos[0]["warn"], &infos[1]["warn"]), (&json!(["W_FILE_SKIPPED"]), &json!([])));
    // A trace beside it is what the directory stands for, whatever its name.
    folder.put("mine.json", &trace("", 66, DAY, 100));
    let infos = folder.infos();
    assert_eq!((infos.len(), &infos[0]["slices"]), (1, &json!(3)));
}

#[test]
fn real_captures_of_two_models_are_two_traces() {
    let Some(folder) =
        crate::skip::shared("traces/tracelens/tests/traces/h100", "two real captures in one directory")
    else {
        return;
    };
    let lines = printed(&["info", "--format", "json", folder.to_str().expect("UTF-8")]);
    let lengths = lines.lines().map(|line| {
        let info: Value = serde_json::from_str(line).expect("JSON");
        info["span_ns"][1].as_i64().expect("ns") - info["span_ns"][0].as_i64().expect("ns")
    });
    let lengths: Vec<i64> = lengths.collect();
    assert!(lengths.len() >= 2 && lengths.iter().all(|&length| length < 1_000_000_000), "{lengths:?}");
}

/// Makes a pipe with a name.
fn pipe(path: &str) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).expect("a pipe");
}

/// Runs the program for 60 seconds at most.
fn in_time(args: &[&str]) -> std::process::Output {
    let mut command = std::process::Command::new("timeout");
    command.args(["60", binary::BINARY]).args(args).stdin(std::process::Stdio::null());
    let output = command.output().expect("timeout runs");
    assert_ne!(output.status.code(), Some(124), "{args:?} hangs");
    output
}

#[test]
fn pipes_beside_a_trace_are_not_waited_for() {
    // A launch of a graph, whose names are looked for in the folder of captures.
    let event = |ph: &str, cat: &str, name: &str, ts: u64, more: &str| {
        format!(
            r#"{{"ph":"{ph}","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":5,"args":{{"correlation":1{more}}}}}"#
        )
    };
    let events = [
        event("X", "cuda_runtime", "cudaGraphLaunch", 1, ""),
        event("X", "kernel", "k", 10, r#","device":0,"stream":7,"graph node id":3"#),
        event("X", "kernel", "k", 20, r#","device":0,"stream":7,"graph node id":4"#),
    ];
    let folder = Scratch::new("captures-of-pipes");
    folder.put("run/a.json", &format!("[{}]", events.join(",")));
    folder.put("run/capture_traces/notes", "");
    pipe(&folder.path("run/capture_traces/execution_details.json"));
    pipe(&folder.path("run/capture_traces/x.json"));
    let path = folder.path("run/a.json");
    for command in [&["info"][..], &["summary"], &["insights"], &["render"]] {
        for path in [&path, &folder.path("run")] {
            let output = in_time(&[command, &[path]].concat());
            assert!(output.status.success(), "{command:?}: {}", said(&output));
        }
    }
    let info = in_time(&["info", &path]);
    let info = String::from_utf8_lossy(&info.stdout);
    assert!(info.contains("it is a pipe, no regular file"), "{info}");
    // A folder that is named must be readable; a pipe that is named is read.
    let named = in_time(&["info", "--capture-trace", &folder.path("run/capture_traces"), &path]);
    assert!(!named.status.success() && said(&named).contains("it is a pipe"), "{}", said(&named));
}

#[test]
fn settings_themes_and_sessions_are_regular_files_of_some_length() {
    let folder = Scratch::new("odd-settings");
    pipe(&folder.path("pipe.toml"));
    folder.put("long.toml", &" ".repeat((4 << 20) + 1));
    let file = |name: &str| folder.path(name);
    for (name, why) in [
        (file("pipe.toml"), "it is a pipe, no regular file"),
        ("/dev/zero".to_owned(), "it is a device, no regular file"),
        (file("long.toml"), "the file is larger than 4.00 MiB"),
    ] {
        for option in ["--config", "--theme"] {
            let output = in_time(&["config", option, &name]);
            let line = said(&output);
            assert!(
                !output.status.success() && line.contains(why) && line.lines().count() == 1,
                "{option}: {line}"
            );
        }
    }
    assert!(in_time(&["config", "--config", "/dev/null"]).status.success());
}

#[test]
fn what_settings_say_is_escaped_in_messages() {
    let folder = Scratch::new("escapes");
    folder.put("theme.toml", "base = \"\\u001b]52;c;eA==\\u0007\"\n");
    folder.put("config.toml", "[keys]\n\"\\u001b[2J\" = [\"x\"]\n");
    for (option, file) in [("--theme", "theme.toml"), ("--config", "config.toml")] {
        let output = in_time(&["config", option, &folder.path(file)]);
        let line = said(&output);
        assert!(!output.status.success() && line.contains("\\x1b"), "{line:?}");
        assert!(line.trim_end().chars().all(|c| !c.is_control()), "{line:?}");
    }
}

#[test]
fn only_regular_files_of_a_directory_are_opened() {
    let (folder, elsewhere) = (Scratch::new("odd-files"), Scratch::new("elsewhere"));
    folder.put("a.json", &trace("", 5, DAY, 100));
    elsewhere.put("far.json", &trace("", 6, DAY, 100));
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, folder.path(name)).expect("a link");
    };
    link(&elsewhere.path("far.json"), "followed.json");
    folder.put("folder.json/notes", "");
    pipe(&folder.path("pipe.json"));
    pipe(&folder.path("pipe.trace.json.gz"));
    let _listener = std::os::unix::net::UnixListener::bind(folder.path("socket.json")).expect("a socket");
    link("/dev/zero", "device.json");
    link("nothing", "dangling.json");
    link("loop.json", "loop.json");
    for command in [&["info", "--format", "json"][..], &["info", "--format", "json", "--from", "0s"]] {
        let output = in_time(&[command, &[&folder.path("")]].concat());
        assert!(output.status.success(), "{}", said(&output));
        let info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(info["slices"], json!(6), "of the file and of the one that is linked");
        assert_eq!(info["quality"]["W_FILE_SKIPPED"]["n"], json!(6), "{}", info["quality"]);
    }
    let summary = in_time(&["summary", &folder.path("")]);
    assert!(summary.status.success(), "{}", said(&summary));
}

#[test]
fn a_directory_of_pipes_is_refused_and_their_writers_go_on_waiting() {
    let folder = Scratch::new("pipes");
    let path = folder.path("pipe.json");
    pipe(&path);
    let mut command = std::process::Command::new("sh");
    let writer = command.args(["-c", r#"printf '%s' "$1" > "$0""#, &path, &trace("", 5, DAY, 100)]);
    let mut writer = writer.spawn().expect("sh runs");
    for command in ["info", "summary"] {
        let output = in_time(&[command, &folder.path("")]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("pipe.json: it is a pipe"), "{}", said(&output));
        assert_eq!(said(&output).lines().count(), 1);
    }
    assert!(writer.try_wait().expect("its state").is_none(), "nobody opened the pipe");
    let named = in_time(&["info", "--format", "json", &path]);
    assert!(named.status.success(), "a pipe that is named is read: {}", said(&named));
    assert!(writer.wait().expect("its end").success());
    writer = command.spawn().expect("sh runs");
    folder.put("more/a.json", &trace("", 6, DAY, 100));
    let both = in_time(&["info", "--format", "json", &folder.path("more"), &path]);
    let info: Value = serde_json::from_slice(&both.stdout).expect("JSON");
    assert_eq!(info["slices"], json!(6), "also beside a directory");
    assert!(writer.wait().expect("its end").success());
}

#[test]
fn folders_are_searched_once_and_a_search_that_ends_early_says_so() {
    let folder = Scratch::new("many-folders");
    folder.put("runs/0/h_1.2.pt.trace.json", &trace("", 5, DAY, 100));
    for (target, name) in [("runs", "again"), (".", "around"), ("..", "runs/up")] {
        std::os::unix::fs::symlink(target, folder.path(name)).expect("a link");
    }
    let info = binary::json(&["info", "--format", "json", &folder.path("")]);
    assert_eq!((&info["slices"], &info["warn"]), (&json!(3), &json!([])), "links name the same folder");
    for number in 0..1001 {
        std::fs::create_dir(folder.path(&format!("runs/{number}x"))).expect("a folder");
    }
    let info = binary::json(&["info", "--format", "json", &folder.path("")]);
    assert_eq!(info["slices"], json!(3));
    let skipped = &info["quality"]["W_FILE_SKIPPED"]["first"];
    assert!(skipped.as_str().expect("a note").contains("only the first 1000 folders"), "{skipped}");
}
