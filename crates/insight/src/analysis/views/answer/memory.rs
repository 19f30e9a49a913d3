//! The most memory of the host and of devices, and in which step and phase that was.
//!
//! Must not know how memory is measured.

use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_trace::model::{MemoryEvent, Step, Trace};

use crate::analysis::part::phase::PHASES;

/// Memory grows if it does in more than half of the later half of at least this many steps.
const STEPS: usize = 20;
/// Memory grows if the later half of the steps adds at least this share of the peak.
const GROWS: f64 = 0.01;

/// The most memory of the host and of devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The most memory of the process that was resident, bytes; `None` if it was not measured.
    pub host: Option<Host>,
    /// The most memory in use on each device, as NVML states it, of all processes.
    pub devices: Vec<Device>,
    /// The most memory that the program had from the framework's allocator, of each device and the host.
    pub allocated: Vec<Allocated>,
}

/// The most memory of the process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    /// Bytes.
    pub peak: u64,
    /// The number of the step in which it was first so much; `None` if before the end of the first measured
    /// step.
    pub step: Option<u64>,
    /// By how much it grows in each step, bytes, on average over the later half; `None` if it does not.
    pub growth: Option<u64>,
}

/// The most memory in use on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// NVML's number of the device.
    pub number: u64,
    /// Bytes in use.
    pub most: u64,
    /// Bytes that the device has.
    pub total: u64,
}

/// The most memory that a program had from an allocator.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocated {
    /// The device or the host, as the trace names it, such as `device 0`.
    pub device: SafeText<'static>,
    /// Bytes.
    pub most: i64,
    /// The number of the step in which that was; `None` if in no step.
    pub step: Option<u64>,
    /// The title of the phase in which that was; `None` if in no phase.
    pub phase: Option<&'static str>,
}

/// Finds the most memory of a trace with these steps.
pub(super) fn find(trace: &Trace, steps: &[&Step]) -> Memory {
    Memory { host: host(trace), devices: devices(trace), allocated: allocated(trace, steps) }
}

fn host(trace: &Trace) -> Option<Host> {
    let times: Vec<_> = trace.processor.iter().map(|of| of.time).filter(|time| time.peak > 0).collect();
    let peak = times.iter().map(|time| time.peak).max()?;
    let at = times.iter().position(|time| time.peak == peak)?;
    let later = &times[times.len() / 2..];
    let grew = later.windows(2).filter(|two| two[1].peak > two[0].peak).count();
    let more = later.last()?.peak.saturating_sub(later.first()?.peak);
    let is_growing = times.len() >= STEPS && grew * 2 > later.len() && more as f64 >= GROWS * peak as f64;
    let steps = later.last()?.last.saturating_sub(later.first()?.last).max(1);
    Some(Host {
        peak: peak.saturating_mul(1024),
        step: Some(times[at].last).filter(|_| at > 0),
        growth: is_growing.then(|| more.saturating_mul(1024) / steps),
    })
}

fn devices(trace: &Trace) -> Vec<Device> {
    let header = || trace.meta.header.iter();
    let number = |key: &str, what: &str| -> Option<u64> {
        key.strip_prefix("proftui.gpu.")?.strip_suffix(what)?.parse().ok()
    };
    let total = |number: u64| {
        let key = format!("proftui.gpu.{number}.memory_total");
        header().find(|(name, _)| *name == key).and_then(|(_, value)| value.parse().ok())
    };
    let device = |(key, value): &(String, String)| {
        let number = number(key, ".memory_used_max")?;
        Some(Device { number, most: value.parse().ok()?, total: total(number)? })
    };
    header().filter_map(device).collect()
}

fn allocated(trace: &Trace, steps: &[&Step]) -> Vec<Allocated> {
    let mut most: Vec<&MemoryEvent> = Vec::new();
    for event in trace.memory.iter().filter(|event| event.allocated.get().is_some()) {
        match most.iter_mut().find(|of| of.place == event.place) {
            Some(of) if of.allocated.get() < event.allocated.get() => *of = event,
            Some(_) => {}
            None => most.push(event),
        }
    }
    let of = |event: &MemoryEvent| Allocated {
        device: trace.strings.text(event.place).into_owned(),
        most: event.allocated.get().unwrap_or_default(),
        step: steps.iter().find(|step| step.span.contains(event.ts)).map(|step| step.number),
        phase: phase(trace, event.ts),
    };
    let mut found: Vec<Allocated> = most.into_iter().map(of).filter(|of| of.most > 0).collect();
    found.sort_by(|one, other| one.device.as_str().cmp(other.device.as_str()));
    found
}

/// The title of the phase that any thread is in at a time.
fn phase(trace: &Trace, at: Ns) -> Option<&'static str> {
    let slices = &trace.slices;
    let of = |category| PHASES.iter().find(|(phase, _)| *phase == category).map(|(_, title)| *title);
    let lanes = trace.lanes.iter().filter(|lane| lane.kind.is_host());
    let mut ids = lanes.flat_map(|lane| lane.slices);
    ids.find_map(|id| of(slices.category(id)).filter(|_| slices.span(id).contains(at)))
}
