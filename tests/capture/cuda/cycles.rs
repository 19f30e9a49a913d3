//! Which work a cycle has where the device lags behind the program, and what CUPTI records after the last
//! cycle.

use proftui_trace::model::Category;

use super::rig::{Captured, GENERATIONS, Ledger, Setting, fakes};
use crate::run::python;

/// Twelve steps of ten fills.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/capture/cuda/steps.py");

/// Captures the program with this schedule.
fn capture(setting: Setting<'_>, schedule: &[&str], seconds: &str) -> Option<Captured> {
    let (fakes, python) = (fakes()?, python()?);
    let options = [&["--step-on", "__main__:step"], schedule].concat();
    let captured = Setting { options: &options, ..setting }.capture(fakes, python, &[PROGRAM, seconds]);
    assert_eq!(captured.output.status.code(), Some(0), "{}", captured.said());
    Some(captured)
}

#[test]
fn a_cycle_has_the_work_of_its_own_steps() {
    // A step takes the device 10 ms, and the program next to nothing.
    let script = "kernel-ns 1000000";
    for generation in GENERATIONS {
        for ready in ["0", "1"] {
            let setting = Setting { generation: Some(generation), script, ..Setting::default() };
            let schedule = ["--closed", "2", "--ready", ready, "--record", "2", "--repeat", "2"];
            let Some(captured) = capture(setting, &schedule, "0") else { return };
            assert_eq!(captured.traces.len(), 2, "{}", captured.said());
            for loaded in &captured.traces {
                let slices = &loaded.trace.slices;
                let is_fill = |&id: &_| slices.category(id) == Category::Memset;
                let fills: Vec<_> = slices.ids().iter().filter(is_fill).collect();
                assert_eq!(fills.len(), 20, "{generation}: {}", captured.said());
                let linked = fills.iter().filter(|&&id| loaded.trace.links.launch_of(id).is_some());
                assert_eq!(linked.count(), 20, "{generation}: {}", captured.said());
            }
        }
    }
}

#[test]
fn cupti_records_nothing_after_the_last_cycle() {
    for generation in GENERATIONS {
        let setting = Setting { generation: Some(generation), ..Setting::default() };
        let schedule = ["--closed", "1", "--ready", "1", "--record", "1", "--repeat", "1"];
        let Some(captured) = capture(setting, &schedule, "0.05") else { return };
        assert_eq!(captured.count(Category::Memset), 10, "{generation}: {}", captured.said());
        // What is recorded in vain is not delivered either: the calls show whether CUPTI goes on recording.
        let disabled = |ledger: &Ledger| ledger.calls.contains_key("cuptiActivityDisable");
        assert!(captured.ledgers.iter().any(disabled), "{generation}: {:?}", captured.ledgers);
    }
}
