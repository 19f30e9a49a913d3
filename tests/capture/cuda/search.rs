//! Which CUPTI is used where there are several, and whether `proftui doctor` says the same beforehand.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use proftui_trace::model::Category;

use super::rig::{Captured, Setting, cupti, fakes};
use crate::run::{Sandbox, python, said};

/// Two toolkits' files in one folder: CUPTI 13.5, which is tried first, and 12.9.
fn toolkit(sandbox: &Sandbox, fakes: &Path) -> PathBuf {
    let home = sandbox.path("home");
    let folder = home.join("extras/CUPTI/lib64");
    std::fs::create_dir_all(&folder).unwrap();
    for generation in ["13.5", "12.9"] {
        let file = cupti(fakes, generation);
        symlink(&file, folder.join(file.file_name().unwrap())).unwrap();
    }
    folder
}

/// Captures a program without the option that names CUPTI; `home` is the toolkit's folder.
fn capture(
    fakes: &Path,
    script: &str,
    arguments: &[&str],
    prepare: impl Fn(&Sandbox, &mut Command),
) -> Captured {
    let sandbox = Sandbox::new();
    toolkit(&sandbox, fakes);
    let setting = Setting { generation: Some("none"), script, options: &[] };
    let mut command = setting.command(&sandbox, fakes, "program", arguments);
    command.env("CUDA_HOME", sandbox.path("home"));
    prepare(&sandbox, &mut command);
    Captured::of(sandbox, command)
}

#[test]
fn the_next_copy_is_used_when_the_driver_refuses_the_first() {
    let Some(fakes) = fakes() else { return };
    for (script, words) in [
        ("only 13.5\nanswer cuptiSubscribe 15", "error 15 (CUPTI_ERROR_NOT_INITIALIZED)"),
        ("only 13.5\nanswer cuptiGetVersion 999", "error 999 (CUPTI_ERROR_UNKNOWN)"),
        ("only 13.5\nanswer cuptiActivityRegisterCallbacks 1", "cuptiActivityRegisterCallbacks"),
        ("only 13.5\nversion 17", "proftui needs API version 18"),
    ] {
        let captured = capture(fakes, script, &["--launches", "100"], |_, _| {});
        println!(
            "{script:?}: {} kernels, {:?}",
            captured.count(Category::Kernel),
            captured.fact("proftui.gpu.cupti")
        );
        assert_eq!(captured.count(Category::Kernel), 100, "{script}: {}", captured.said());
        let used = captured.fact("proftui.gpu.cupti").unwrap_or_default();
        assert!(used.ends_with("libcupti.so.12 (API 28)"), "{used}");
        let refused = captured.fact("proftui.gpu.cupti_refused").unwrap_or_default();
        assert!(refused.contains(words) && refused.contains("libcupti.so.13"), "{refused}");
        assert_eq!(captured.fact("proftui.gpu.reason"), None);
    }
}

#[test]
fn all_refusals_are_in_the_reason() {
    let Some(fakes) = fakes() else { return };
    let script = "only 13.5\nanswer cuptiSubscribe 15\nonly 12.9\nanswer cuptiSubscribe 999";
    let captured = capture(fakes, script, &["--launches", "10"], |_, _| {});
    let why = captured.fact("proftui.gpu.why").unwrap_or_default();
    assert_eq!(captured.fact("proftui.gpu.reason").as_deref(), Some("version"), "{}", captured.said());
    assert!(why.contains("libcupti.so.13, API 130500): error 15 (CUPTI_ERROR_NOT_INITIALIZED); "), "{why}");
    assert!(why.contains("libcupti.so.12, API 28): error 999 (CUPTI_ERROR_UNKNOWN)"), "{why}");
}

#[test]
fn what_another_copy_would_say_too_ends_the_search() {
    let Some(fakes) = fakes() else { return };
    for (words, code) in [
        ("other-subscriber nsys", "other_subscriber"),
        ("answer cuptiSubscribe 14", "other_subscriber"),
        ("answer cuptiSubscribe 35", "no_permission"),
        ("answer cuptiSubscribe 41", "not_supported"),
    ] {
        let captured = capture(fakes, &format!("only 13.5\n{words}"), &["--launches", "10"], |_, _| {});
        assert_eq!(captured.fact("proftui.gpu.reason").as_deref(), Some(code), "{}", captured.said());
        assert_eq!(captured.ledgers.len(), 1);
        assert_eq!(captured.count(Category::Kernel), 0);
    }
}

#[test]
fn no_second_copy_is_loaded_beside_the_programs_own() {
    let Some(fakes) = fakes() else { return };
    let own = cupti(fakes, "12.4");
    let arguments = ["--launches", "10", "--preload", own.to_str().unwrap()];
    let captured = capture(fakes, "only 12.4\nanswer cuptiSubscribe 15", &arguments, |_, _| {});
    let why = captured.fact("proftui.gpu.why").unwrap_or_default();
    assert_eq!(captured.fact("proftui.gpu.reason").as_deref(), Some("version"), "{}", captured.said());
    assert!(why.contains("no other copy is loaded beside the one that the program uses"), "{why}");
    assert!(!why.contains("libcupti.so.13"), "{why}");
    let used = capture(fakes, "", &arguments, |_, _| {});
    assert_eq!(used.fact("proftui.gpu.cupti"), Some(format!("{} (API 22)", own.display())));
}

/// A Python program that fills memory of a device.
const FILL: &str = "import ctypes\ncuda = ctypes.CDLL('libcuda.so.1')\nassert cuda.cuInit(0) == 0\n\
    for _ in range(10):\n    assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0\n";

/// A folder of Python's packages with two copies of CUPTI.
fn packages(sandbox: &Sandbox, fakes: &Path) -> PathBuf {
    let packages = sandbox.path("packages");
    for (part, generation) in [("cu12", "12.9"), ("cu13", "13.5")] {
        let (folder, file) = (packages.join("nvidia").join(part).join("lib"), cupti(fakes, generation));
        std::fs::create_dir_all(&folder).unwrap();
        symlink(&file, folder.join(file.file_name().unwrap())).unwrap();
    }
    packages
}

/// The lines of the doctor about CUPTI; `prepare` sets its environment.
fn doctor(sandbox: &Sandbox, fakes: &Path, script: &str, packages: &Path) -> Vec<String> {
    let mut command = sandbox.proftui();
    command
        .env("LD_LIBRARY_PATH", fakes)
        .env("FAKE_CUDA_SCRIPT", sandbox.file("doctor-script", script))
        .env("PYTHONPATH", packages)
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .args(["doctor", "--python", python().unwrap_or("python3")]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{text}{}", said(&output));
    text.lines().filter(|line| line.contains(" CUPTI ")).map(str::to_owned).collect()
}

#[test]
fn the_doctor_says_for_each_kind_of_program_what_a_capture_finds() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let sandbox = Sandbox::new();
    let packages = packages(&sandbox, fakes);
    let used = packages.join("nvidia/cu13/lib/libcupti.so.13").display().to_string();
    let script = "only 12.9\nanswer cuptiSubscribe 15";
    let lines = doctor(&sandbox, fakes, script, &packages);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0].starts_with("ok ") && lines[0].contains(&format!("Python programs: {used}")),
        "{lines:?}"
    );
    assert!(
        lines[0].contains("refused before it: cuptiSubscribe (") && lines[0].contains("error 15 ("),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("note ") && lines[1].contains("other programs: CUPTI was not found"),
        "{lines:?}"
    );

    let setting = Setting { generation: Some("none"), script, options: &[] };
    let of = |program: &str, arguments: &[&str]| {
        let sandbox = Sandbox::new();
        let mut command = setting.command(&sandbox, fakes, program, arguments);
        command.env("PYTHONPATH", &packages).env_remove("CUDA_HOME").env_remove("CUDA_PATH");
        Captured::of(sandbox, command)
    };
    let captured = of(python, &["-c", FILL]);
    assert_eq!(captured.count(Category::Memset), 10, "{}", captured.said());
    assert_eq!(captured.fact("proftui.gpu.cupti"), Some(format!("{used} (API 130500)")));
    let captured = of("program", &["--launches", "10"]);
    assert_eq!(captured.fact("proftui.gpu.reason").as_deref(), Some("no_cupti"), "{}", captured.said());
}

#[test]
fn who_requires_a_gpu_gets_the_search_of_the_program() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let sandbox = Sandbox::new();
    let (folder, file) = (sandbox.path("packages/nvidia/cu13/lib"), cupti(fakes, "13.5"));
    std::fs::create_dir_all(&folder).unwrap();
    symlink(&file, folder.join(file.file_name().unwrap())).unwrap();
    let setting = Setting { generation: Some("none"), script: "", options: &["--require-gpu"] };
    for (program, arguments, is_started) in
        [(python, ["-c", FILL], true), ("program", ["--launches", "10"], false)]
    {
        let inner = Sandbox::new();
        let mut command = setting.command(&inner, fakes, program, &arguments);
        command.env("PYTHONPATH", sandbox.path("packages")).env_remove("CUDA_HOME").env_remove("CUDA_PATH");
        let output = command.output().unwrap();
        assert_eq!(output.status.success(), is_started, "{program}: {}", said(&output));
        assert_eq!(
            said(&output).contains("not started: CUPTI was not found"),
            !is_started,
            "{}",
            said(&output)
        );
    }
}

#[test]
fn the_doctor_says_what_the_copy_refuses() {
    let (Some(fakes), Some(_)) = (fakes(), python()) else { return };
    let sandbox = Sandbox::new();
    let script = "refuse-kind 17 21\nanswer cuptiSetThreadIdType 27";
    let lines = doctor(&sandbox, fakes, script, &packages(&sandbox, fakes));
    let refused = "it refuses CUPTI's overhead: error 21 (CUPTI_ERROR_INVALID_KIND), the operating system's thread ids \
         in records: error 27";
    assert!(lines[0].starts_with("ok ") && lines[0].contains(refused), "{lines:?}");
}
