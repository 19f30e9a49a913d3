//! Which records CUPTI is asked for, what it answers, and the memory that it may take.

use serde_json::Value;

use super::rig::{Captured, GENERATIONS, Setting, fakes};

/// CUPTI's number of the kind of the driver's calls.
const DRIVER: u32 = 4;

/// True for a CUPTI that can switch single calls off.
fn can_switch(generation: &str) -> bool {
    !matches!(generation, "11.8" | "12.4")
}

/// The program makes calls of the runtime, which calls the driver. It creates two streams, which is not kept
/// of the driver.
#[test]
fn calls_that_are_not_kept_are_not_recorded_where_cupti_can_do_that() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), script: "api both", ..Setting::default() };
        let arguments = ["--launches", "100", "--streams", "3", "--no-sync"];
        let captured = setting.capture(fakes, "program", &arguments);
        assert!(captured.output.status.success(), "{}", captured.said());
        let made = captured.delivered(DRIVER);
        println!("CUPTI {generation}: {made} calls of the driver recorded");
        // The recorder itself waits for the device, which is kept.
        assert!(
            (100..=101).contains(&(made - if can_switch(generation) { 0 } else { 2 })),
            "{generation}: {made}"
        );
        assert_eq!(captured.fact("proftui.gpu.cupti_failed"), None, "{generation}");
    }
}

#[test]
fn answers_are_in_the_header() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let script =
            "refuse-kind 17 21\nanswer cuptiSetThreadIdType 27\nanswer cuptiActivityEnableDriverApi 27";
        let setting = Setting { generation: Some(generation), script, ..Setting::default() };
        let captured = setting.capture(fakes, "program", &["--launches", "10"]);
        let fact = |key| captured.fact(key).unwrap_or_default();
        let answers = fact("proftui.gpu.cupti_answers");
        assert!(
            answers.starts_with("cuptiSubscribe: 0, cuptiSetThreadIdType: 27, attribute 9=0: "),
            "{answers}"
        );
        assert!(answers.contains("attribute 2=41: 0, ") && answers.contains(", kind 8: 0, "), "{answers}");
        let kinds = fact("proftui.gpu.cupti_kinds");
        assert!(kinds.starts_with("kind 10: 0, ") && kinds.contains(", kind 17: 21"), "{kinds}");
        let failed = if can_switch(generation) { "cuptiActivityEnableDriverApi: 27" } else { "" };
        assert_eq!(fact("proftui.gpu.cupti_failed"), failed);
    }
}

#[test]
fn the_memory_that_cupti_takes_is_limited_or_the_hosts() {
    let Some(fakes) = fakes() else { return };
    for (limit, expected) in [
        ("8M", "attribute 6=1: 0, attribute 2=2: 0"),
        ("1G", "attribute 2=335: 0"),
        ("0", "attribute 8=1: 0"),
    ] {
        let setting = Setting { options: &["--gpu-memory-limit", limit], ..Setting::default() };
        let captured = setting.capture(fakes, "program", &["--launches", "10"]);
        let answers = captured.fact("proftui.gpu.cupti_answers").unwrap_or_default();
        assert!(answers.contains(&format!("attribute 9=0: 0, {expected}, cuptiActivityReg")), "{answers}");
    }
}

/// The arguments of all events of a category, in all traces.
fn arguments(captured: &Captured, category: &str) -> Vec<Value> {
    let events = captured.events().into_iter().filter(|event| event["cat"] == category);
    events.map(|mut event| event["args"].take()).collect()
}

#[test]
fn cooperative_launches_are_marked() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        let launches = |arguments_of: &[&str]| {
            let captured = setting.capture(fakes, "program", arguments_of);
            arguments(&captured, "Kernel").iter().map(|kernel| kernel["launch"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(launches(&["--launches", "5", "--cooperative"]), vec!["cooperative"; 5], "{generation}");
        assert_eq!(launches(&["--launches", "5"]), vec![Value::Null; 5], "{generation}");
    }
}

/// An event is recorded on streams 7 and 13 alternately; the other one waits for it. Correlation numbers
/// begin again in the middle.
#[test]
fn a_wait_for_an_event_names_the_stream_that_recorded_it_last() {
    let Some(fakes) = fakes() else { return };
    for (generation, script) in
        GENERATIONS.into_iter().flat_map(|of| [(of, ""), (of, "correlation 4294967285")])
    {
        let setting = Setting { generation: Some(generation), script, options: &["--cuda-sync-events"] };
        let captured = setting.capture(fakes, "program", &["--events", "8", "--streams", "2"]);
        assert!(captured.output.status.success(), "{}", captured.said());
        let waits = arguments(&captured, "Synchronization");
        let waits: Vec<_> = waits.iter().filter(|wait| wait["event"].is_u64()).collect();
        assert_eq!(waits.len(), 8, "{generation}: {}", captured.said());
        for wait in waits {
            let (waiting, waited) = (wait["stream"].as_u64().unwrap(), wait["wait_on_stream"].as_u64());
            assert_eq!(waited, Some(if waiting == 7 { 13 } else { 7 }), "{generation}, {script}: {wait}");
            let (call, record) =
                (wait["correlation id"].as_u64(), wait["wait_on_cuda_event_record_corr_id"].as_u64());
            let before = call.unwrap_or_default().wrapping_sub(1) & u64::from(u32::MAX);
            assert_eq!(record, Some(before), "{generation}, {script}: {wait}");
        }
    }
}
