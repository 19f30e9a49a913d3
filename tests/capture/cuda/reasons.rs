//! Why there is nothing of a GPU in a trace, or not all: said in the trace and on stderr, with what to do.

use super::rig::{GENERATIONS, Setting, fakes};

/// The reason, the generation of CUPTI, the words of the script, options, the program and what it does.
type Row = (&'static str, &'static str, &'static str, &'static [&'static str], &'static [&'static str]);
const LAUNCHES: &[&str] = &["program", "--launches", "10"];
const ROWS: [Row; 21] = [
    ("no_cupti", "none", "", &[], LAUNCHES),
    ("version", "12.9", "version 17", &[], LAUNCHES),
    ("other_subscriber", "13.5", "other-subscriber nsys", &[], LAUNCHES),
    ("no_permission", "13.5", "answer cuptiSubscribe 35", &[], LAUNCHES),
    ("no_permission", "12.9", "refuse-kind 10 35", &[], LAUNCHES),
    ("version", "12.9", "refuse-kind 10 21", &[], LAUNCHES),
    ("version", "12.4", "answer cuptiSubscribe 15", &[], LAUNCHES),
    ("other_subscriber", "12.9", "answer cuptiSubscribe 14", &[], LAUNCHES),
    ("other_subscriber", "13.5", "answer cuptiSubscribe 14\nother-subscriber proton", &[], LAUNCHES),
    ("other_subscriber", "11.8", "refuse-kind 10 14", &[], LAUNCHES),
    ("other_subscriber", "12.9", "answer cuptiSubscribe 36", &[], LAUNCHES),
    ("not_supported", "12.9", "answer cuptiActivityRegisterCallbacks 38", &[], LAUNCHES),
    ("not_supported", "13.5", "refuse-kind 10 47", &[], LAUNCHES),
    ("not_supported", "13.5", "answer cuptiSubscribe 45", &[], LAUNCHES),
    ("cupti_error", "12.4", "answer cuptiActivityRegisterCallbacks 8", &[], LAUNCHES),
    ("cupti_error", "13.5", "answer cuptiGetVersion 999", &[], LAUNCHES),
    ("no_cuda_call", "13.5", "", &["--gpu", "auto"], &["nvtx"]),
    ("nothing_delivered", "13.5", "answer cuptiActivityFlushAll 999", &[], LAUNCHES),
    ("nothing_delivered", "12.4", "flush-ms 9000", &["--gpu-wait", "500ms"], LAUNCHES),
    ("outside_window", "13.5", "", &[], &["program", "--launches", "0"]),
    ("dropped", "13.5", "drop 10", &[], LAUNCHES),
];

#[test]
fn each_reason_is_reported() {
    let Some(fakes) = fakes() else { return };
    for (code, generation, script, options, program) in ROWS {
        let setting = Setting { generation: Some(generation), script, options };
        let captured = setting.capture(fakes, program[0], &program[1..]);
        assert!(captured.output.status.success(), "{code}: {}", captured.said());
        let (reported, why) =
            (captured.fact("proftui.gpu.reason"), captured.fact("proftui.gpu.why").unwrap_or_default());
        println!("{code:16} {why}");
        assert_eq!(reported.as_deref(), Some(code), "{}", captured.said());
        assert!(captured.said().contains(&why), "{}", captured.said());
        // CUPTI's number and its name of what went wrong, and the tool that is in the way.
        let mut words = script.lines().next().unwrap_or_default().split(' ');
        if let (Some("answer" | "refuse-kind"), Some(number)) = (words.next(), words.next_back()) {
            assert!(why.contains(&format!("error {number} (CUPTI_ERROR_")), "{why}");
        }
        assert_eq!(why.contains("proton"), script.contains("proton"), "{why}");
    }
}

#[test]
fn another_tool_is_named_where_it_is_known() {
    let Some(fakes) = fakes() else { return };
    for (generation, is_known) in [("12.9", false), ("13.5", true)] {
        let setting = Setting { generation: Some(generation), script: "other-subscriber nsys", options: &[] };
        let why = setting.capture(fakes, LAUNCHES[0], &LAUNCHES[1..]).fact("proftui.gpu.why");
        let why = why.unwrap_or_default();
        println!("CUPTI {generation}: {why}");
        assert_eq!(why.contains("another one is active: nsys"), is_known, "{why}");
    }
}

#[test]
fn without_a_driver_that_is_the_reason() {
    let Some(fakes) = fakes() else { return };
    // Where there is nothing of the fakes there is no driver, unless the machine has one.
    let setting = Setting { generation: Some("none"), options: &["--gpu", "auto"], ..Setting::default() };
    let captured = setting.capture(&fakes.join("nvidia"), "/bin/sh", &["-c", "exit 3"]);
    assert_eq!(captured.output.status.code(), Some(3), "{}", captured.said());
    let (reported, why) =
        (captured.fact("proftui.gpu.reason"), captured.fact("proftui.gpu.why").unwrap_or_default());
    println!("{:16} {why}", reported.as_deref().unwrap_or("none"));
    let is_expected = |code: &str| ["no_driver", "no_cuda_call"].contains(&code);
    assert!(reported.as_deref().is_some_and(is_expected), "{}", captured.said());
    assert!(captured.said().contains(&why), "{}", captured.said());
}

#[test]
fn nvidias_own_cupti_without_a_driver_harms_nothing() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let real = format!("real/{generation}");
        let setting = Setting { generation: Some(&real), ..Setting::default() };
        let captured = setting.capture(fakes, LAUNCHES[0], &LAUNCHES[1..]);
        assert!(captured.output.status.success(), "{generation}: {}", captured.said());
        let why = captured.fact("proftui.gpu.why").unwrap_or_default();
        println!("CUPTI {generation}, NVIDIA's own: {why}");
        let code = captured.fact("proftui.gpu.reason");
        let expected = if generation.starts_with("13.") { "cupti_error" } else { "version" };
        assert_eq!(code.as_deref(), Some(expected), "{generation}: {}", captured.said());
        assert!(why.contains("libcupti"), "says which: {why}");
    }
}
