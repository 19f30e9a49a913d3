//! The order of exit handlers: CUPTI registers its own when it is loaded, and must not be called when they
//! have run.

use proftui_trace::model::Category;

use super::counts::row;
use super::rig::{GENERATIONS, Setting, cupti, fakes};
use crate::run::python;

/// How a program ends that runs its exit handlers.
const ENDS: [&str; 2] = ["return", "exit"];

#[test]
fn the_recorder_is_closed_before_cupti_is_gone() {
    let Some(fakes) = fakes() else { return };
    for generation in GENERATIONS {
        let library = cupti(fakes, generation);
        // A program that loads CUPTI before CUDA, and one that leaves that to the recorder.
        let loads: [&[&str]; 2] = [&[], &["--preload", library.to_str().unwrap()]];
        for (end, load) in ENDS.iter().flat_map(|end| loads.map(|load| (*end, load))) {
            for script in ["after-teardown crash", "after-teardown refuse"] {
                let setting = Setting { generation: Some(generation), script, options: &[] };
                let arguments = [&["--launches", "1500", "--end", end], load].concat();
                let captured = setting.capture(fakes, "program", &arguments);
                row(&format!("CUPTI {generation}, {end}, {script}"), &captured);
                assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
                assert_eq!(captured.count(Category::Kernel), 1500, "{}", captured.said());
                assert_eq!(captured.fact("proftui.gpu.reason"), None, "{}", captured.said());
            }
        }
    }
}

#[test]
fn python_without_our_hooks_too() {
    let (Some(fakes), Some(python)) = (fakes(), python()) else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/capture/cuda/fills.py");
    let captured = |generation, option| {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        setting.capture(fakes, python, &[option, script])
    };
    let rows =
        GENERATIONS.iter().flat_map(|generation| ["-I", "-E", "-S"].map(|option| (*generation, option)));
    for (generation, option) in rows {
        let captured = captured(generation, option);
        row(&format!("CUPTI {generation}, python {option}"), &captured);
        assert_eq!(captured.output.status.code(), Some(3), "{}", captured.said());
        assert_eq!(captured.count(Category::Memset), 500, "{}", captured.said());
    }
}

#[test]
fn without_cupti_the_recorder_is_closed_as_well() {
    let Some(fakes) = fakes() else { return };
    let setting = Setting { generation: Some("none"), ..Setting::default() };
    let captured = setting.capture(fakes, "program", &["--launches", "10", "--end", "exit"]);
    assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
    assert_eq!(captured.fact("proftui.gpu.reason").as_deref(), Some("no_cupti"));
    assert_eq!(captured.fact("proftui.incomplete"), None, "{}", captured.said());
}
