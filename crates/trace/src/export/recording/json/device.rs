//! Writes device work with the flow ends that link it to its launches, events of unified memory, the lanes of
//! both, and device properties.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::content::Recording;
use super::super::device::{
    Device, DeviceWork, Devices, GraphName, LaunchConfig, Memcpy, Memset, Stream, WorkKind,
};
use super::super::launches::Launches;
use super::super::unified_memory::UnifiedMemory;
use super::external::External;
use super::host::label;
use super::slice::{Lane, Out, Slice};
use crate::export::ExportError;
use crate::model::nodetree::{UNIFIED_MEMORY, UNIFIED_MEMORY_LANE};
use proftui_base::saturate::saturate;

/// Colour of device work and of events of unified memory, as a colour name (`cname`) of Chrome's trace
/// viewer.
const COLOUR: &str = "cq_build_failed";
/// Added to a device's number to give its sort index: viewers then show devices below all processes.
const BELOW: u64 = 0x1000_0000;
/// Sort index of the lane with a device's events of unified memory: viewers then show it below the device's
/// streams.
const LAST: u64 = 0x1_0000_0000;

/// Writes all device work with the ends of the flows from its launches, all events of unified memory, and
/// metadata of their lanes.
pub(super) fn all(out: &mut Out<'_>, launches: &Launches, external: &External) -> Result<(), ExportError> {
    let recording = out.recording;
    let devices = &recording.devices;
    let nowhere = Stream::default();
    for (at, work) in (0_u32..).zip(&devices.work) {
        let stream = devices.streams.get(work.stream as usize).unwrap_or(&nowhere);
        let lane = Lane { pid: stream.device, tid: &stream.lane };
        let &DeviceWork { start, end, name, correlation, .. } = work;
        let slice = Slice { name, cat: category(work.kind), colour: COLOUR, lane, start, end };
        let waits = [("queued", work.queued), ("submitted", work.submitted)].map(|(key, time)| {
            if time == 0 { String::new() } else { format!(",\"{key}\":{}", out.time(time)) }
        });
        let (key, is_kineto) = (out.correlation_key(), out.is_kineto);
        out.slice(&slice, |text| {
            common_arguments(text, key, work, stream);
            external.push_work(text, at as usize);
            graph_arguments(text, devices.graph_name(work), recording);
            specific_arguments(text, work, devices, is_kineto);
            waits.iter().for_each(|wait| text.push_str(wait));
        })?;
        if launches.orphans.binary_search(&at).is_err() {
            // As Paddle does: the flow ends in the middle of the slice, at the start of one shorter than a
            // microsecond.
            // In Kineto's form at its start.
            let is_short = end.saturating_sub(start) < 1000;
            let (ts, more) = match (is_kineto, is_short) {
                (true, _) => (start, ",\"bp\":\"e\""),
                (false, true) => (start, ""),
                (false, false) => (start.midpoint(end), ",\"bp\":\"e\""),
            };
            out.launch_flow('f', correlation, lane, ts, more)?;
        }
    }
    let lane = json!(UNIFIED_MEMORY_LANE);
    for event in &devices.unified {
        let &UnifiedMemory { start, end, name, device, .. } = event;
        let on = Lane { pid: device, tid: &lane };
        let slice = Slice { name, cat: UNIFIED_MEMORY, colour: COLOUR, lane: on, start, end };
        out.slice(&slice, |text| {
            text.push(',');
            text.push_str(&event.arguments());
        })?;
    }
    for events in devices.unified.chunk_by(|one, next| one.device == next.device) {
        let number = events[0].device;
        let title = format!("Device {number} (GPU)");
        let is_named = devices.streams.iter().any(|stream| stream.device == number)
            || recording.threads.iter().any(|thread| thread.pid == number);
        let device = (!is_named).then_some((title.as_str(), BELOW + u64::from(number)));
        label(out, (number, &lane), device, (UNIFIED_MEMORY_LANE, LAST))?;
    }
    for stream in &devices.streams {
        let lane = json!(stream.lane);
        let device = format!("Device {} (GPU)", stream.device);
        let orders = (BELOW + u64::from(stream.device), u64::from(stream.lane));
        // In a container a process may have the number of a device: then the name written for the process is
        // kept.
        let is_taken = recording.threads.iter().any(|thread| thread.pid == stream.device);
        let device = (!is_taken).then_some((device.as_str(), orders.0));
        label(out, (stream.device, &lane), device, (&stream.title(), orders.1))?;
    }
    Ok(())
}

fn category(kind: WorkKind) -> &'static str {
    match kind {
        WorkKind::Kernel(_) | WorkKind::Graph | WorkKind::DeviceGraph(_) => "Kernel",
        WorkKind::Memcpy(_) => "Memcpy",
        WorkKind::Memset(_) => "Memset",
    }
}

/// Appends the arguments that work of any kind can have, such as its device, stream and correlation number.
fn common_arguments(text: &mut String, key: &str, work: &DeviceWork, stream: &Stream) {
    let Stream { device, context, id, .. } = stream;
    let correlation = work.correlation;
    let _ =
        write!(text, ",\"device\":{device},\"context\":{context},\"stream\":{id},\"{key}\":{correlation}");
    if work.graph != 0 {
        let _ = write!(text, ",\"graph id\":{}", work.graph);
    }
    if work.graph_node != 0 {
        let _ = write!(text, ",\"graph node id\":{}", work.graph_node);
    }
    if let Some(priority) = stream.priority {
        let _ = write!(text, ",\"priority\":{priority}");
    }
    if work.is_cut {
        text.push_str(r#","cut":"open when the recording ended""#);
    }
}

/// Appends the operator and the range in which the work's CUDA graph node was created, as far as `graph` has
/// them.
fn graph_arguments(text: &mut String, graph: GraphName, recording: &Recording) {
    for (key, name) in [("graph operator", graph.operator), ("graph range", graph.range)] {
        if let Some(name) = name {
            let name = String::from_utf8_lossy(recording.name(name));
            let _ = write!(text, ",\"{key}\":{}", json!(name));
        }
    }
}

/// Appends the arguments that only some kinds of work have, by the work's details in `devices`.
fn specific_arguments(text: &mut String, work: &DeviceWork, devices: &Devices, is_kineto: bool) {
    match work.kind {
        WorkKind::Kernel(at) => {
            if let Some(launch) = devices.launch_configs.get(at as usize) {
                kernel_arguments(text, launch, is_kineto);
            }
        }
        WorkKind::Memcpy(at) => {
            if let Some(memcpy) = devices.memcpys.get(at as usize) {
                memcpy_arguments(text, memcpy, work.end.saturating_sub(work.start));
            }
        }
        WorkKind::Memset(at) => {
            if let Some(memset) = devices.memsets.get(at as usize) {
                let Memset { bytes, value, kind, is_async } = memset;
                let _ = write!(
                    text,
                    ",\"bytes\":{bytes},\"value\":{value},\"memory kind\":\"{kind}\",\"async\":{is_async}"
                );
            }
        }
        WorkKind::Graph | WorkKind::DeviceGraph(_) => text.push_str(r#","nodes":"not told""#),
    }
    if let Some(launched) = devices.launched(work) {
        let _ = write!(text, ",\"launch\":\"{launched}\"");
    }
}

fn kernel_arguments(text: &mut String, launch: &LaunchConfig, is_kineto: bool) {
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let LaunchConfig { static_shared, dynamic_shared, registers, local, .. } = launch;
    let shared = u64::from(*static_shared) + u64::from(*dynamic_shared);
    let _ = write!(
        text,
        ",\"registers per thread\":{registers},\"shared memory\":{shared},\"grid\":[{gx},{gy},{gz}],\
         \"block\":[{bx},{by},{bz}],\"static shared memory\":{static_shared},\
         \"dynamic shared memory\":{dynamic_shared},\"local memory per thread\":{local}"
    );
    if let Some(occupancy) = launch.occupancy {
        // Rounded to f32, as the protobuf has them.
        let [blocks, warps, percent] =
            [occupancy.blocks_per_sm, occupancy.warps_per_sm, occupancy.share * 100.0].map(saturate::<f32>);
        let how = if is_kineto { "est." } else { "theoretical" };
        let _ = write!(
            text,
            ",\"blocks per SM\":{blocks},\"warps per SM\":{warps},\
             \"{how} achieved occupancy %\":{percent}"
        );
    }
}

/// Appends the arguments of a copy; `dur` is its duration, ns, for the bandwidth.
fn memcpy_arguments(text: &mut String, memcpy: &Memcpy, dur: u64) {
    let Memcpy { bytes, kind, from, to, copies, is_async, .. } = memcpy;
    // Bytes per ns are GB per s.
    let bandwidth = if dur > 0 { *bytes as f64 / dur as f64 } else { 0.0 };
    let _ = write!(
        text,
        ",\"bytes\":{bytes},\"memory bandwidth (GB/s)\":{bandwidth:.3},\"copy kind\":\"{kind}\",\
         \"from\":\"{from}\",\"to\":\"{to}\",\"async\":{is_async}"
    );
    if let Some((source, destination)) = memcpy.devices {
        let _ = write!(text, ",\"from device\":{source},\"to device\":{destination}");
    }
    if *copies > 1 {
        let _ = write!(text, ",\"copies\":{copies}");
    }
}

/// Makes a device's entry of `deviceProperties`: Paddle's keys, and `uuid` and `memoryBandwidth` (bytes per
/// second), which proftui adds; for PyTorch's tools also `numSms`.
pub(super) fn properties(device: &Device, is_kineto: bool) -> Value {
    let mut all = json!({
        "id": device.id,
        "name": device.name,
        "totalGlobalMem": device.memory,
        "computeMajor": device.capability.0,
        "computeMinor": device.capability.1,
        "maxThreadsPerBlock": device.block_threads,
        "maxThreadsPerMultiprocessor": u64::from(device.warps) * u64::from(device.warp),
        "regsPerBlock": device.block_registers,
        "regsPerMultiprocessor": device.registers,
        "warpSize": device.warp,
        "sharedMemPerBlock": device.block_shared,
        "sharedMemPerMultiprocessor": device.shared,
        "smCount": device.processors,
        "sharedMemPerBlockOptin": device.block_shared,
        "uuid": device.uuid,
        "memoryBandwidth": device.bandwidth.saturating_mul(1000),
    });
    if is_kineto {
        all["numSms"] = json!(device.processors);
    }
    all
}
