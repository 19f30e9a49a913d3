//! GPUs from outside of the program, on machines without any: why a trace has nothing of them, which other
//! tool has the recorder's variables, what the program's environment gets, how busy devices are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use proftui_trace::model::Warning;

use super::run::{Sandbox, python, read, said};

/// A range, so that there is a trace; the script's own text goes before it.
const RANGE: &str = "import _proftui\nt = _proftui.name(14, 'x')\n_proftui.begin(t)\n_proftui.end()\n";

/// What a trace says beside its events.
fn header(path: &Path, key: &str) -> Option<String> {
    let header = read(path).trace.meta.header;
    header.into_iter().find(|(known, _)| known == key).map(|(_, value)| value)
}

/// True on a machine with a driver: then other things are said.
fn has_driver() -> bool {
    let sandbox = Sandbox::new();
    let out = sandbox.proftui().arg("probe-gpu").output().unwrap();
    let has_driver = String::from_utf8_lossy(&out.stdout).starts_with("driver=");
    if has_driver {
        crate::skip::excused(
            "reasons without a driver",
            "this machine has a driver",
            "run on a machine without a GPU",
        );
    }
    has_driver
}

/// Compiles a library into the folder `lib`; `None` if there is no C compiler.
fn compiled(sandbox: &Sandbox, source: &Path, name: &str) -> Option<PathBuf> {
    let folder = sandbox.path("lib");
    std::fs::create_dir_all(&folder).unwrap();
    let target = folder.join(name);
    let options = ["-shared", "-fPIC", "-o"].map(OsStr::new);
    let files = [target.as_os_str(), source.as_os_str()];
    crate::tools::compile("a stand-in for the driver", options.into_iter().chain(files))?;
    Some(folder)
}

/// A driver for CUDA 12.4: what it does when it is loaded, and what it says of two devices.
fn driver(sandbox: &Sandbox, loaded: &str, init: i32) -> Option<PathBuf> {
    let text = format!(
        "#include <stdlib.h>\n__attribute__((constructor)) static void loaded(void) {{ {loaded} }}\n\
         int cuDriverGetVersion(int *version) {{ *version = 12040; return 0; }}\n\
         int cuInit(int flags) {{ return {init}; }}\nint cuDeviceGetCount(int *count) {{ *count = 2; return 0; }}\n"
    );
    compiled(sandbox, &sandbox.file("driver.c", &text), "libcuda.so.1")
}

/// A CUPTI of a version: what it does when it is subscribed to, and what it answers then.
fn cupti(sandbox: &Sandbox, version: u32, subscribed: &str, answer: u32) -> Option<String> {
    let text = format!(
        "#include <stdlib.h>\n#include <unistd.h>\n\
         int cuptiGetVersion(unsigned *version) {{ *version = {version}; return 0; }}\n\
         int cuptiSubscribe(void **handle, void *callback, void *datum) {{ {subscribed} return {answer}; }}\n\
         int cuptiActivityEnable(int kind) {{ return 0; }}\n\
         __attribute__((destructor)) static void gone(void) {{ abort(); }}\n"
    );
    let folder = compiled(sandbox, &sandbox.file("cupti.c", &text), "libcupti.so")?;
    Some(folder.join("libcupti.so").to_str().unwrap().to_owned())
}

#[test]
fn a_program_without_gpus_on_a_machine_without_any_sees_no_message() {
    if has_driver() {
        return;
    }
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&[], &["true"]);
    assert!(!said(&out).contains("GPU"), "{}", said(&out));
    let trace = &sandbox.traces()[0];
    assert_eq!(header(trace, "proftui.gpu.reason"), None);
    assert_eq!(read(trace).trace.quality.count(Warning::NoGpu), 0);
}

#[test]
fn the_reason_is_reported_everywhere_when_gpu_is_asked_for() {
    if has_driver() {
        return;
    }
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&["--gpu", "auto", "--format", "pb"], &["true"]);
    assert!(out.status.success());
    assert_eq!(
        said(&out)
            .matches("GPU: no working CUDA driver with a device was found; install the NVIDIA driver")
            .count(),
        1,
        "{}",
        said(&out)
    );
    let trace = &sandbox.traces()[0];
    assert_eq!(header(trace, "proftui.gpu.reason").as_deref(), Some("no_driver"));
    let quality = read(trace).trace.quality;
    let (_, entry) = quality.entries().find(|(warning, _)| *warning == Warning::NoGpu).expect("a note");
    assert!(entry.first.contains("libcuda.so.1") && quality.damage() == 0, "{}", entry.first);
    let info = sandbox.proftui().args(["info", "--format", "json"]).arg(trace).output().unwrap();
    assert!(String::from_utf8_lossy(&info.stdout).contains("\"W_NO_GPU\":{\"n\":1,\"damage\":false"));
}

#[test]
fn a_framework_that_was_built_for_gpus_does_not_ask_for_one() {
    let Some(python) = python().filter(|_| !has_driver()) else { return };
    let sandbox = Sandbox::new();
    sandbox.file(
        "torch.py",
        "import types\n__version__ = '2.9.0+cu130'\nversion = types.SimpleNamespace(cuda='13.0')\n",
    );
    let script = sandbox.file("train.py", &format!("import torch\n{RANGE}"));
    let of = |options: &[&str]| {
        let out = sandbox.capture(options, &[python, script.to_str().unwrap()]);
        (said(&out).contains("GPU: no working CUDA driver"), sandbox.traces().pop().unwrap())
    };
    let (is_reported, trace) = of(&[]);
    assert!(!is_reported);
    assert_eq!(header(&trace, "proftui.cuda").as_deref(), Some("13.0"));
    assert_eq!(header(&trace, "proftui.gpu.why"), None);
    assert!(of(&["--gpu", "auto"]).0, "the user asks");
}

#[test]
fn the_reason_a_process_reports_is_taken() {
    let Some(python) = python() else { return };
    for (fact, code, damage) in [
        ("gpu.reason=no_cupti: tried /a, /b", "no_cupti", 0),
        ("gpu.reason=other_subscriber: cuptiSubscribe", "other_subscriber", 0),
        ("gpu.cupti=/a/libcupti.so.13 (API 130001)", "outside_window", 0),
    ] {
        let sandbox = Sandbox::new();
        let out = sandbox.capture(&[], &[python, "-c", &format!("{RANGE}_proftui.note(1, {fact:?})")]);
        let trace = &sandbox.traces()[0];
        assert_eq!(header(trace, "proftui.gpu.reason").as_deref(), Some(code), "{}", said(&out));
        assert_eq!(said(&out).matches("GPU: ").count(), 1, "{}", said(&out));
        assert_eq!(read(trace).trace.quality.damage(), damage);
    }
    let sandbox = Sandbox::new();
    let fact = format!("{RANGE}_proftui.note(1, 'gpu.reason=no_cupti: x')");
    let out = sandbox.capture(&["--gpu", "off"], &[python, "-c", &fact]);
    assert!(!said(&out).contains("GPU"), "no message with --gpu off: {}", said(&out));
}

#[test]
fn what_is_required_stops_before_the_program_starts() {
    if has_driver() {
        return;
    }
    let sandbox = Sandbox::new();
    let out = sandbox.capture(&["--require-gpu"], &["touch", "started"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("not started: no working CUDA driver"), "{}", said(&out));
    assert!(!sandbox.path("started").exists() && sandbox.runs() == 0);
    let taken = |value: &str| {
        let mut command = sandbox.proftui();
        command.env("CUDA_INJECTION64_PATH", value);
        said(&command.args(["capture", "--require-gpu", "--", "touch", "started"]).output().unwrap())
    };
    assert!(taken("/opt/other.so").contains("not started: another tool"));
    assert!(taken("none").contains("CUDA_INJECTION64_PATH is set to none"));
    assert!(!sandbox.path("started").exists());
    for options in
        [&["--require-gpu", "--gpu", "off"][..], &["--require-gpu", "--timer-only"], &["--cupti", "./none"]]
    {
        assert_eq!(sandbox.capture(options, &["true"]).status.code(), Some(2), "{options:?}");
    }
}

/// What the program has in its environment, of what is ours to set.
fn environment(sandbox: &Sandbox, options: &[&str], variables: &[(&str, &str)]) -> (Vec<String>, String) {
    let names = ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "KINETO_USE_DAEMON", "PROFTUI_CUPTI"];
    let mut command = sandbox.proftui();
    for name in names {
        command.env_remove(name);
    }
    let script = "env | grep -E 'INJECTION64|KINETO|PROFTUI_CUPTI' | sort";
    let out = command
        .envs(variables.iter().copied())
        .arg("capture")
        .args(options)
        .args(["--", "sh", "-c", script])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    // The recorder lies in the cache, wherever that is.
    let short = |line: &str| match line.split_once('=') {
        Some((name, path)) if path.ends_with("/libproftui_agent.so") => format!("{name}=agent"),
        _ => line.to_owned(),
    };
    (text.lines().map(short).collect(), said(&out))
}

#[test]
fn the_driver_and_nvtx_find_the_recorder() {
    let sandbox = Sandbox::new();
    let both = ["CUDA_INJECTION64_PATH=agent", "NVTX_INJECTION64_PATH=agent"];
    assert_eq!(environment(&sandbox, &[], &[]).0, both);
    assert_eq!(environment(&sandbox, &["--nvtx", "off"], &[]).0, both[..1]);
    assert!(environment(&sandbox, &["--gpu", "off"], &[]).0.is_empty());
    assert!(environment(&sandbox, &["--timer-only"], &[]).0.is_empty());
    sandbox.file("libcupti.so", "");
    let found = environment(&sandbox, &["--cupti", "libcupti.so"], &[]).0;
    assert_eq!(found[2], format!("PROFTUI_CUPTI={}", sandbox.path("libcupti.so").display()));
    let (found, said) = environment(&sandbox, &[], &[("KINETO_USE_DAEMON", "1")]);
    assert_eq!(found, both);
    assert!(said.contains("KINETO_USE_DAEMON is removed from the program's environment"), "{said}");
}

#[test]
fn the_tool_that_is_there_already_stays() {
    let sandbox = Sandbox::new();
    let nsys = ("CUDA_INJECTION64_PATH", "/opt/nvidia/nsight-systems/libToolsInjection64.so");
    let (found, said) = environment(&sandbox, &[], &[nsys]);
    assert_eq!(found, [format!("{}={}", nsys.0, nsys.1), "NVTX_INJECTION64_PATH=agent".into()]);
    assert_eq!(said.matches("(Nsight Systems); GPU work cannot be recorded").count(), 1, "{said}");
    let trace = sandbox.traces().pop().unwrap();
    assert_eq!(header(&trace, "proftui.gpu.reason").as_deref(), Some("other_subscriber"));
    let (found, said) = environment(&sandbox, &[], &[("CUDA_INJECTION64_PATH", "none")]);
    assert_eq!(found, ["CUDA_INJECTION64_PATH=none", "NVTX_INJECTION64_PATH=agent"]);
    assert!(!said.contains("GPU"), "who says none means it: {said}");
}

#[test]
fn how_busy_devices_are_is_measured_from_outside() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake-cuda/nvml.c");
    let Some(folder) = compiled(&sandbox, &source, "libnvidia-ml.so.1") else { return };
    let script = format!(
        "import os, time\n{RANGE}_proftui.begin(t)\nfor n in range(6000):\n    if os.path.exists('asked'): break\n    time.sleep(0.01)\n_proftui.end()\n"
    );
    let script = sandbox.file("train.py", &script);
    let out = sandbox
        .proftui()
        .env("LD_LIBRARY_PATH", folder)
        .env("FAKE_NVML_ASKED", sandbox.path("asked"))
        .args(["capture", "--", python, script.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", said(&out));
    let trace = &sandbox.traces()[0];
    let of = |key: &str| header(trace, &format!("proftui.gpu.{key}"));
    assert_eq!(of("0.utilization_max").as_deref(), Some("0.60"));
    let average: f64 = of("0.utilization").unwrap().parse().unwrap();
    assert!((0.4..0.6).contains(&average), "{average}");
    let mib = |n: u64| Some((n << 20).to_string());
    assert_eq!(
        (of("0.memory_used"), of("1.memory_used_max"), of("1.memory_total")),
        (mib(100), mib(200), mib(1000))
    );
    assert_eq!(of("1.utilization").as_deref(), Some("0.00"));
    assert_eq!(of("2.utilization"), None);
}

/// Runs the binary with what was compiled.
fn with(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    sandbox.proftui().env("LD_LIBRARY_PATH", sandbox.path("lib")).args(arguments).output().unwrap()
}

/// The first line with these words.
fn line_of(findings: &str, what: &str) -> String {
    findings.lines().find(|line| line.contains(what)).unwrap_or_default().to_owned()
}

#[test]
fn without_a_driver_cupti_is_not_asked() {
    let sandbox = Sandbox::new();
    // It would be killed as soon as it is asked for its version, as CUPTI 13.2 is.
    let source =
        sandbox.file("cupti.c", "#include <stdlib.h>\nint cuptiGetVersion(unsigned *version) { abort(); }\n");
    let Some(folder) = (!has_driver()).then(|| compiled(&sandbox, &source, "libcupti.so")).flatten() else {
        return;
    };
    let library = folder.join("libcupti.so").display().to_string();
    let findings = with(&sandbox, &["doctor", "--cupti", &library, "--python", python().unwrap_or_default()]);
    let findings = String::from_utf8_lossy(&findings.stdout).into_owned();
    let line = line_of(&findings, " CUPTI ");
    assert!(
        line.starts_with("note ") && line.contains("not tried, since CUPTI is only asked where"),
        "{findings}"
    );
    assert!(line.contains(&format!("{library}: not tried, since")), "{findings}");
}

#[test]
fn doctor_and_who_requires_see_driver_devices_and_cupti() {
    let sandbox = Sandbox::new();
    let Some((_, library)) = driver(&sandbox, "", 0).zip(cupti(&sandbox, 22, "", 0)) else { return };
    let run = ["capture", "--require-gpu", "--cupti", &library, "--", "true"];
    let out = with(&sandbox, &run);
    assert!(out.status.success(), "{}", said(&out));
    assert!(said(&out).contains("GPU: no CUDA call was seen"), "{}", said(&out));
    let doctor = ["doctor", "--cupti", &library, "--python", python().unwrap_or_default()];
    let findings = String::from_utf8_lossy(&with(&sandbox, &doctor).stdout).into_owned();
    let line = |what: &str| line_of(&findings, what);
    assert!(line("GPU driver").starts_with("ok    GPU driver  supports CUDA 12.4"), "{findings}");
    assert!(line("GPU driver").ends_with("2 devices"), "{findings}");
    assert!(line("CUPTI").starts_with("ok ") && line("CUPTI").contains("API 22 (CUDA 12.4)"), "{findings}");

    cupti(&sandbox, 130_001, "", 15);
    let out = with(&sandbox, &run);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("API 130001 (CUDA 13.0); the driver supports CUDA 12.4"), "{}", said(&out));
    let findings = String::from_utf8_lossy(&with(&sandbox, &doctor).stdout).into_owned();
    assert!(findings.lines().any(|line| line.starts_with("no    CUPTI")), "{findings}");
    assert!(findings.contains("error 15 (CUPTI_ERROR_NOT_INITIALIZED)"), "{findings}");

    for (subscribed, words) in [
        (
            "abort();",
            "(CUDA 12.4); the driver supports CUDA 12.4: the test process that loads CUPTI ended: killed by \
             signal 6",
        ),
        ("for (;;) pause();", "the driver supports CUDA 12.4: it does not return"),
    ] {
        cupti(&sandbox, 22, subscribed, 0);
        let findings = String::from_utf8_lossy(&with(&sandbox, &doctor).stdout).into_owned();
        assert!(line_of(&findings, "CUPTI").starts_with("no ") && findings.contains(words), "{findings}");
        assert!(line_of(&findings, "GPU driver").starts_with("ok "), "{findings}");
    }

    driver(&sandbox, "", 100);
    let out = with(&sandbox, &run);
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("the driver's devices cannot be counted: error 100"), "{}", said(&out));
}

#[test]
fn a_driver_that_kills_who_loads_it_harms_no_capture() {
    let sandbox = Sandbox::new();
    if driver(&sandbox, "abort();", 0).is_none() {
        return;
    }
    let out = with(&sandbox, &["capture", "--gpu", "auto", "--", "sh", "-c", "exit 3"]);
    assert_eq!(out.status.code(), Some(3));
    assert!(
        said(&out).contains("no working CUDA driver") && said(&out).contains("ended with signal: 6"),
        "{}",
        said(&out)
    );
    assert_eq!(sandbox.traces().len(), 1);
}
