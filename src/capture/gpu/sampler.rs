//! Samples the utilization and memory use of devices by the driver's management library (NVML), from outside
//! the program, on a thread of its own that nothing waits for. Without the library, or if it hangs, there are
//! no samples.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use crate::capture::system::clock::{LOOK_INTERVAL, monotonic};
use proftui_base::saturate::saturate;

/// File name of NVML, the driver's management library.
const LIBRARY: &str = "libnvidia-ml.so.1";
/// About how many samples are kept at most, of all devices together: ten minutes of eight devices, sampled
/// five times a second.
const SAMPLES: usize = 24_000;

/// Utilization and memory use of one device at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    /// When the sample was taken, ns of the monotonic clock.
    time: u64,
    /// NVML's index of the device.
    device: u32,
    /// Percent of NVML's last sampling period in which a kernel ran; `None` if NVML does not report it.
    busy: Option<u32>,
    /// The device's memory in bytes, used and total; `None` if NVML does not report it.
    memory: Option<(u64, u64)>,
}

/// Utilization and memory use of one device during a period, such as a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// NVML's index of the device.
    pub device: u32,
    /// Percent of the time in which a kernel ran: average, rounded down, and maximum; `None` if no sample has
    /// it.
    pub busy: Option<(u32, u32)>,
    /// Memory use of the device; `None` if NVML does not report it.
    pub memory: Option<Memory>,
}

/// Memory use of one device during a period, such as a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes of memory in use: average, rounded down, and maximum of the samples.
    pub used: (u64, u64),
    /// Size of the device's memory, bytes.
    pub total: u64,
}

/// The state that the sampler and its thread share.
#[derive(Debug, Default)]
struct Shared {
    /// True while samples are to be taken.
    is_active: AtomicBool,
    /// The latest samples, in the order of their times.
    samples: Mutex<Vec<Sample>>,
}

/// Samples the utilization and memory use of all devices by NVML, on its own thread, while it is set active.
/// Dropping the value ends the thread.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    /// Dropping this sender ends the thread.
    _stop: Sender<()>,
}

impl Sampler {
    /// Starts the sampler's thread, which takes no samples before [`Sampler::set_active`]; `None` if the
    /// thread cannot be started.
    pub fn start() -> Option<Self> {
        let (stop, stopped) = bounded(0);
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("nvml".into()).spawn(move || sample(&theirs, &stopped));
        thread.ok().map(|_| Self { shared, _stop: stop })
    }

    /// Sets whether samples are taken from now on.
    pub fn set_active(&self, is_active: bool) {
        self.shared.is_active.store(is_active, Ordering::Relaxed);
    }

    /// Utilization and memory use of each device, by its samples from `start` to `end`, ns of the monotonic
    /// clock, or else by its first sample shortly after; devices without either are left out.
    pub fn between(&self, start: u64, end: u64) -> Vec<Usage> {
        uses(&self.shared.samples.lock().unwrap_or_else(PoisonError::into_inner), start, end)
    }
}

/// Loads NVML, and returns the number of devices that it reports.
///
/// # Errors
/// If NVML cannot be loaded, or does not work.
pub fn try_out() -> Result<u32, NvmlError> {
    open().and_then(|nvml| nvml.device_count())
}

fn open() -> Result<Nvml, NvmlError> {
    Nvml::builder().lib_path(LIBRARY.as_ref()).init()
}

/// The loop of the sampler's thread: takes samples while the sampler is active, until it is dropped. Ends at
/// once if NVML cannot be loaded, or does not work.
fn sample(shared: &Shared, stopped: &Receiver<()>) {
    let Ok(nvml) = open() else { return };
    let devices = nvml.device_count().unwrap_or_default();
    loop {
        if shared.is_active.load(Ordering::Relaxed) {
            let taken: Vec<Sample> = (0..devices).filter_map(|device| take(&nvml, device)).collect();
            let mut samples = shared.samples.lock().unwrap_or_else(PoisonError::into_inner);
            if samples.len() >= SAMPLES {
                samples.drain(..SAMPLES / 2);
            }
            samples.extend(taken);
        }
        if stopped.recv_timeout(LOOK_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

/// Takes a sample of the device with NVML's index `number`; `None` if NVML reports neither its utilization
/// nor its memory.
fn take(nvml: &Nvml, number: u32) -> Option<Sample> {
    let device = nvml.device_by_index(number).ok()?;
    let busy = device.utilization_rates().ok().map(|rates| rates.gpu);
    let memory = device.memory_info().ok().map(|memory| (memory.used, memory.total));
    (busy.is_some() || memory.is_some()).then(|| Sample { time: monotonic(), device: number, busy, memory })
}

/// Utilization and memory use of each device, in the order of NVML's indices, by its samples from `start` to
/// `end`, ns of the monotonic clock, or else by its first sample shortly after; devices without either are
/// left out.
fn uses(samples: &[Sample], start: u64, end: u64) -> Vec<Usage> {
    let soon = end.saturating_add(saturate::<u64>(LOOK_INTERVAL.as_nanos()));
    let mut devices: Vec<u32> = samples.iter().map(|sample| sample.device).collect();
    devices.sort_unstable();
    devices.dedup();
    let of = |device: u32| {
        let own = samples.iter().filter(|sample| sample.device == device && sample.time >= start);
        let mut within: Vec<&Sample> = own.clone().filter(|sample| sample.time <= end).collect();
        within.extend(own.clone().find(|sample| sample.time <= soon).filter(|_| within.is_empty()));
        let busy = within.iter().filter_map(|sample| sample.busy);
        let used = within.iter().filter_map(|sample| Some(sample.memory?.0));
        let total = within.iter().rev().find_map(|sample| Some(sample.memory?.1));
        let memory = average(used.clone()).zip(used.max()).zip(total);
        Some(Usage {
            device,
            busy: average(busy.clone().map(u64::from)).map(saturate::<u32>).zip(busy.max()),
            memory: memory.map(|(used, total)| Memory { used, total }),
        })
        .filter(|_| !within.is_empty())
    };
    devices.into_iter().filter_map(of).collect()
}

/// The average, rounded down; `None` if there are no figures.
fn average(figures: impl Iterator<Item = u64>) -> Option<u64> {
    let (sum, n) = figures.fold((0_u128, 0_u128), |(sum, n), figure| (sum + u128::from(figure), n + 1));
    sum.checked_div(n).map(saturate::<u64>)
}

/// The facts for a trace about a device's utilization and memory use: keys, such as
/// `proftui.gpu.0.utilization`, and values, shares from 0 to 1 or bytes.
pub fn facts(of: &Usage) -> Vec<(String, String)> {
    let share = |percent: u32| format!("{:.2}", f64::from(percent) / 100.0);
    let mut facts = Vec::new();
    let mut add =
        |what: &str, value: String| facts.push((format!("proftui.gpu.{}.{what}", of.device), value));
    if let Some((average, most)) = of.busy {
        add("utilization", share(average));
        add("utilization_max", share(most));
    }
    if let Some(Memory { used: (average, most), total }) = of.memory {
        add("memory_used", average.to_string());
        add("memory_used_max", most.to_string());
        add("memory_total", total.to_string());
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64, device: u32, busy: u32, used: u64) -> Sample {
        Sample { time, device, busy: Some(busy), memory: Some((used, 100)) }
    }

    #[test]
    fn a_cycle_has_its_own_samples() {
        let samples = [at(1, 0, 90, 1), at(2, 0, 10, 4), at(2, 1, 0, 7), at(3, 0, 31, 8), at(9, 0, 99, 99)];
        let of = |device: u32, busy: (u32, u32), used: (u64, u64)| Usage {
            device,
            busy: Some(busy),
            memory: Some(Memory { used, total: 100 }),
        };
        let (first, second) = (of(0, (20, 31), (6, 8)), of(1, (0, 0), (7, 7)));
        assert_eq!(uses(&samples, 2, 5), [first, second]);
        assert_eq!(facts(&first)[0], ("proftui.gpu.0.utilization".into(), "0.20".into()));
        let texts: Vec<String> = facts(&first).into_iter().map(|(_, value)| value).collect();
        assert_eq!(texts, ["0.20", "0.31", "6", "8", "100"]);
    }

    #[test]
    fn what_nvml_does_not_report_is_no_figure() {
        let without_busy = Sample { busy: None, ..at(2, 0, 0, 5) };
        let found = uses(&[without_busy, Sample { time: 3, ..without_busy }], 2, 5);
        assert_eq!((found[0].busy, found.len()), (None, 1));
        let keys: Vec<String> = facts(&found[0]).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["used", "used_max", "total"].map(|what| format!("proftui.gpu.0.memory_{what}")));
        let once = uses(&[without_busy, at(3, 0, 40, 7)], 2, 5);
        assert_eq!(once[0].busy, Some((40, 40)), "of the samples that have it");
    }

    #[test]
    fn a_short_cycle_has_the_next_sample_if_it_is_near() {
        let tick = LOOK_INTERVAL.as_nanos() as u64;
        let samples = [at(1, 0, 90, 1), at(5 + tick, 0, 50, 2), at(6 + tick, 0, 60, 3)];
        assert_eq!(uses(&samples, 2, 5)[0].busy, Some((50, 50)));
        assert_eq!(uses(&samples, 2, 4), []);
    }
}
