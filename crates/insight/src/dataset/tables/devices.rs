//! The table of devices: busy time, idle time, and the overlap of communication.

use proftui_trace::model::{GroupId, WorkerId};

use crate::analysis::part::device_time::{DeviceTime, Overlap, overlap};
use crate::analysis::part::work::in_run;
use crate::dataset::column::{Column, Value};
use crate::dataset::table::Of;

/// A device with its times in the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Device {
    worker: WorkerId,
    group: GroupId,
    time: DeviceTime,
    overlap: Overlap,
}

pub(super) static TABLE: Of<Device> = Of {
    name: "devices",
    about: "A device with work in the trace, and its times in the run of its worker",
    columns: COLUMNS,
    keys: |source| {
        let devices = in_run(&source.part).into_iter().map(|device| Device {
            worker: device.worker,
            group: device.group,
            time: DeviceTime::of(&device, source.part.run(device.worker)),
            overlap: overlap(&device),
        });
        Ok(Box::new(devices))
    },
};

const COLUMNS: &[Column<Device>] = &[
    Column::trace(),
    Column::worker(|_, device| device.worker),
    Column::new("device", "Number of the device", Value::Int(|_, device| i64::from(device.group.get()))),
    Column::new(
        "title",
        "Title of the device, as the explorer shows it",
        Value::Text(|source, device| Some(source.trace.group_title(&source.trace.groups[device.group]))),
    ),
    Column::new(
        "run_ns",
        "Time that shares of the device are of: busy_ns and idle_ns together, in ns",
        Value::Int(|_, device| device.time.part),
    ),
    Column::new(
        "busy_ns",
        "Time with at least one kernel, copy or memset, in ns",
        Value::Int(|_, device| device.time.busy),
    ),
    Column::new("idle_ns", "Time without work, in ns", Value::Int(|_, device| device.time.idle())),
    Column::new(
        "kernel_ns",
        "Time with at least one kernel, in ns",
        Value::Int(|_, device| device.time.kernels),
    ),
    Column::new(
        "computation_ns",
        "Time with at least one kernel that does not communicate, in ns",
        Value::Int(|_, device| device.time.compute),
    ),
    Column::new(
        "communication_ns",
        "Time with at least one communication kernel, in ns",
        Value::Int(|_, device| device.overlap.communication),
    ),
    Column::new(
        "hidden_ns",
        "Part of communication_ns with a computation kernel at the same time, in ns",
        Value::Int(|_, device| device.overlap.shared),
    ),
];
