//! The top of VisualDL's overview page: the devices, and how busy they and the host's processors were.

use crate::analysis::table::{Column, ColumnKind};
use crate::analysis::vocabulary::tensor_cores::uses_tensor_cores;
use crate::analysis::{Table, TableRow, Value};
use crate::compat::paddle::utilization::header_share;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, Device};

use super::context::Context;

/// Sums over the kernels whose launch is known.
#[derive(Default)]
struct Kernels {
    /// Summed time of all kernels, ns.
    time: Ns,
    /// Summed time of the kernels that, by their names, use tensor cores, ns.
    tensor_cores: Ns,
    /// Sum over kernels of time (ns) × occupancy (0 to 1); NaN if the occupancy of a kernel is unknown.
    occupied: f64,
    /// Sum over kernels of time (ns) × min(1, blocks per multiprocessor); NaN if the blocks of a kernel are
    /// unknown.
    efficient: f64,
}

fn kernels(context: &Context<'_>) -> Kernels {
    let forest = &context.forest;
    let slices = &forest.trace.slices;
    let mut sums = Kernels::default();
    for kernel in forest.holders().flat_map(|holder| forest.direct_work(holder)) {
        if slices.category(kernel) != Category::Kernel {
            continue;
        }
        let dur = slices.dur[kernel];
        sums.time = sums.time.saturating_add(dur);
        if uses_tensor_cores(forest.trace, slices.name[kernel]) {
            sums.tensor_cores = sums.tensor_cores.saturating_add(dur);
        }
        let launch = context.attributes.launch_configs.of(kernel);
        sums.occupied += launch.map_or(f64::NAN, |launch| launch.occupancy) * dur as f64;
        // f64::min would drop a NaN.
        let blocks = launch.map_or(f64::NAN, |launch| launch.blocks_per_sm);
        sums.efficient += if blocks > 1.0 { 1.0 } else { blocks } * dur as f64;
    }
    sums
}

/// Builds the table at the top of VisualDL's overview: a row for each property of the machine, the devices
/// and the trace.
pub(super) fn table(context: &Context<'_>) -> Table {
    let trace = context.forest.trace;
    let step = context.step_phases.time();
    let share = |part: f64, whole: Ns| {
        let share = part / whole as f64;
        if whole > 0 && share.is_finite() { Value::Ratio(share) } else { Value::Empty }
    };
    let mut rows = Vec::new();
    let mut row = |name: &str, text: Option<String>, value: Value| {
        let text = text.filter(|text| !text.is_empty()).map_or(Value::Empty, |text| Value::text(&text));
        rows.push(TableRow::new(vec![Value::text(name), text, value]));
    };
    row("Workers", Some(context.workers.to_string()), Value::Empty);
    let shares = ["Process Cpu Utilization", "System Cpu Utilization"].map(|key| header_share(trace, key));
    let mut lacks_some = !context.is_first && shares.iter().any(|share| *share != Value::Empty);
    let [process, system] = shares.map(|share| if context.is_first { share } else { Value::Empty });
    row("CPU process utilization", None, process);
    row("CPU system utilization", None, system);
    let sums = kernels(context);
    let has_kernels = sums.time > 0;
    // Devices and headers are not kept by rank: where devices differ, only the first rank's is known.
    let kind = |device: &Device| (device.name.clone(), device.memory, device.capability.clone());
    let first = trace.devices.first().map(kind);
    let is_one_kind = trace.devices.iter().all(|device| Some(kind(device)) == first);
    let device = trace.devices.first().filter(|_| context.is_first || is_one_kind);
    lacks_some |= !context.is_first && !is_one_kind;
    if has_kernels || device.is_some() {
        row("GPU", device.map(|device| device.name.clone()), Value::Empty);
        let memory = device.filter(|device| device.memory > 0);
        let memory = memory.map(|device| format!("{:.1} GB", device.memory as f64 / f64::from(1_u32 << 30)));
        row("GPU memory", memory, Value::Empty);
        row("GPU compute capability", device.map(|device| device.capability.clone()), Value::Empty);
        let busy = context.events.kernels().into_iter().fold(0, Ns::saturating_add);
        row("GPU utilization", None, share(busy as f64, step));
        row("SM efficiency", None, share(sums.efficient, step));
        row("Achieved occupancy", None, share(sums.occupied, sums.time));
        row("Tensor core share", None, share(sums.tensor_cores as f64, sums.time));
    }
    let mut notes = Vec::new();
    if has_kernels {
        notes.push(
            "GPU utilization is the time in which kernels launched within host events ran, summed over all \
             phases and the time outside of them, divided by the host time of the steps; kernels that end \
             after the phase that launched them, or were launched outside of all steps, can raise this \
             share above 100%. Achieved occupancy is an estimate made at launch."
                .into(),
        );
    }
    if step == 0 {
        notes.push(
            "There are no steps (ProfileStep), or their time is 0: shares of the steps' time are not \
             available."
                .into(),
        );
    }
    if lacks_some {
        notes.push(
            "Processor utilization, and what differs between devices, is known of the first rank only."
                .into(),
        );
    } else if trace.devices.len() > 1 && context.workers == 1 {
        notes.push(
            "The trace has several devices: GPU name, memory and compute capability are those of the \
             first; the kernels of all devices count."
                .into(),
        );
    }
    if let (true, Some(why)) = (has_kernels, &context.attributes.error) {
        notes.push(format!("SM efficiency and achieved occupancy are not available: {why}."));
    }
    Table {
        view: "overview",
        title: "Configuration and Devices",
        columns: vec![
            Column::new("name", "Name", ColumnKind::Text, "Property of the machine, the devices or the run"),
            Column::new("text", "Value", ColumnKind::Text, "Value of the property, unless it is a share"),
            Column::new(
                "value",
                "Share",
                ColumnKind::Ratio,
                "Value of the property, if the value is a share",
            ),
        ],
        rows,
        notes,
        ..Table::default()
    }
}
