//! What happened on devices: their work with the arrows that lead to it, their streams, their properties.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::Recording;
use super::super::device::{Copy, Device, Devices, Fill, Launch, Stream, What, Work};
use super::super::join::Joined;
use super::host::label;
use super::slice::{Out, Slice, Spot};
use crate::export::ExportError;

/// The colour of device work.
const COLOUR: &str = "cq_build_failed";
/// Devices stand below all processes.
const BELOW: u64 = 0x1000_0000;

/// All of it.
pub(super) fn all(out: &mut Out<'_>, recording: &Recording, joined: &Joined) -> Result<(), ExportError> {
    let devices = &recording.devices;
    let nowhere = Stream::default();
    for (at, work) in (0_u32..).zip(&devices.work) {
        let stream = devices.streams.get(work.stream as usize).unwrap_or(&nowhere);
        let spot = Spot { pid: stream.device, tid: &stream.lane };
        let &Work { start, end, name, correlation, .. } = work;
        let slice = Slice { name, cat: category(work.what), colour: COLOUR, spot, start, end };
        let waits = [("queued", work.queued), ("submitted", work.submitted)].map(|(key, time)| {
            if time == 0 { String::new() } else { format!(",\"{key}\":\"{}\"", out.time(time)) }
        });
        out.slice(&slice, |text| {
            place(text, work, stream);
            detail(text, work, devices);
            waits.iter().for_each(|wait| text.push_str(wait));
        })?;
        if joined.orphans.binary_search(&at).is_err() {
            // As Paddle does: work that is too short to have a middle is led to at its start.
            let is_short = end.saturating_sub(start) < 1000;
            let (ts, more) = if is_short { (start, "") } else { (start.midpoint(end), ",\"bp\":\"e\"") };
            out.arrow('f', correlation, spot, ts, more)?;
        }
    }
    for stream in &devices.streams {
        let lane = json!(stream.lane);
        let device = format!("Device {} (GPU)", stream.device);
        let orders = (BELOW + u64::from(stream.device), u64::from(stream.lane));
        // In a container a process may have the number of a device; then the name is the process's.
        let is_taken = recording.threads.iter().any(|thread| thread.pid == stream.device);
        let device = (!is_taken).then_some((device.as_str(), orders.0));
        label(out, (stream.device, &lane), device, (&stream.title(), orders.1))?;
    }
    Ok(())
}

fn category(what: What) -> &'static str {
    match what {
        What::Kernel(_) | What::Graph => "Kernel",
        What::Copy(_) => "Memcpy",
        What::Fill(_) => "Memset",
    }
}

/// Where the work ran, and what it belongs to.
fn place(text: &mut String, work: &Work, stream: &Stream) {
    let Stream { device, context, id, .. } = stream;
    let correlation = work.correlation;
    let _ = write!(
        text,
        ",\"device\":{device},\"context\":{context},\"stream\":{id},\"correlation id\":{correlation}"
    );
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

fn detail(text: &mut String, work: &Work, devices: &Devices) {
    match work.what {
        What::Kernel(at) => {
            if let Some(launch) = devices.launches.get(at as usize) {
                kernel(text, launch);
            }
        }
        What::Copy(at) => {
            if let Some(copied) = devices.copies.get(at as usize) {
                copy(text, copied, work.end.saturating_sub(work.start));
            }
        }
        What::Fill(at) => {
            if let Some(fill) = devices.fills.get(at as usize) {
                let Fill { bytes, value, kind, is_async } = fill;
                let _ = write!(
                    text,
                    ",\"bytes\":{bytes},\"value\":{value},\"memory kind\":\"{kind}\",\"async\":{is_async}"
                );
            }
        }
        What::Graph => text.push_str(r#","nodes":"not told""#),
    }
}

fn kernel(text: &mut String, launch: &Launch) {
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let Launch { static_shared, dynamic_shared, registers, local, .. } = launch;
    let shared = u64::from(*static_shared) + u64::from(*dynamic_shared);
    let _ = write!(
        text,
        ",\"registers per thread\":{registers},\"shared memory\":{shared},\"grid\":[{gx},{gy},{gz}],\
         \"block\":[{bx},{by},{bz}],\"static shared memory\":{static_shared},\
         \"dynamic shared memory\":{dynamic_shared},\"local memory per thread\":{local}"
    );
    if let Some(told) = launch.occupancy {
        // As exact as the other form has them.
        let [blocks, warps, percent] =
            [told.blocks_per_sm, told.warps_per_sm, told.share * 100.0].map(|figure| figure as f32);
        let _ = write!(
            text,
            ",\"blocks per SM\":{blocks},\"warps per SM\":{warps},\
             \"theoretical achieved occupancy %\":{percent}"
        );
    }
}

fn copy(text: &mut String, copy: &Copy, dur: u64) {
    let Copy { bytes, kind, from, to, copies, is_async, .. } = copy;
    // Bytes by ns are GB by s.
    let bandwidth = if dur > 0 { *bytes as f64 / dur as f64 } else { 0.0 };
    let _ = write!(
        text,
        ",\"bytes\":{bytes},\"memory bandwidth (GB/s)\":{bandwidth:.3},\"copy kind\":\"{kind}\",\
         \"from\":\"{from}\",\"to\":\"{to}\",\"async\":{is_async}"
    );
    if let Some((source, destination)) = copy.devices {
        let _ = write!(text, ",\"from device\":{source},\"to device\":{destination}");
    }
    if *copies > 1 {
        let _ = write!(text, ",\"copies\":{copies}");
    }
}

/// What a device is, under Paddle's keys and, behind them, ours.
pub(super) fn properties(device: &Device) -> Value {
    json!({
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
    })
}
