//! What a program does between two pieces of work is the cause of the device's idle time.

use proftui_base::time::Ns;
use proftui_insight::analysis::ledger::{Cause, Ledger};
use proftui_trace::model::Category;

use super::rig::{Setting, fakes};
use crate::run::{named, python};

#[test]
fn idle_time_has_the_recorded_cause() {
    let (Some(python), Some(fakes)) = (python(), fakes()) else { return };
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/capture/cuda/causes/causes.py");
    let captured = Setting::default().capture(fakes, python, &["-B", program]);
    assert!(captured.output.status.success(), "{}", captured.said());
    assert_eq!(String::from_utf8_lossy(&captured.output.stdout), "[] slow\n");
    let trace = &captured.traces[0].trace;
    let ledger = Ledger::of(trace);
    let sums = ledger.devices[0].sums(trace.span);
    for (category, name, cause) in [
        (Category::GarbageCollection, "gc: generation 2", Cause::GarbageCollection),
        (Category::Import, "import slow", Cause::HostPython),
        (Category::Checkpoint, "safetensors.torch.save_file", Cause::Checkpoint),
        (Category::Compile, "compile: kernel", Cause::Compile),
    ] {
        let names = named(&captured.traces[0], category);
        assert!(names.iter().any(|one| one == name), "{category:?}: {names:?}");
        let slices = &trace.slices;
        let ids = slices
            .ids()
            .iter()
            .filter(|&id| slices.category(id) == category && trace.name(id).to_string() == name);
        let recorded: Ns = ids.map(|id| slices.span(id).len()).max().unwrap();
        let charged = sums.of(cause).ns;
        println!("{name}: {recorded} ns, charged to {}: {charged} ns", cause.id());
        assert!(charged as f64 >= 0.9 * recorded as f64, "{name}: {charged} of {recorded} ns");
    }
}
