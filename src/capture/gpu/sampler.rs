//! How busy devices are, and how full: asked of the driver's management library (NVML), from outside of the program, on a thread
//! of our own. A machine without that library has none; one on which it hangs has no more samples.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use crate::capture::clock::{LOOK_INTERVAL, monotonic};

/// The library's file.
const LIBRARY: &str = "libnvidia-ml.so.1";
/// Samples that are kept: ten minutes of eight devices.
const SAMPLES: usize = 24_000;

/// A moment of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    /// ns of the monotonic clock.
    time: u64,
    /// Its number, as the driver counts.
    device: u32,
    /// Percent of the time since the last look in which a kernel ran; none where it does not tell, as when it is parted (MIG).
    busy: Option<u32>,
    /// Bytes of its memory that are taken, by whomever, and all there are; none where it does not tell.
    memory: Option<(u64, u64)>,
}

/// A device during a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Its number, as the driver counts.
    pub device: u32,
    /// Percent of the time in which a kernel ran, on average, and the most; none where it does not tell.
    pub busy: Option<(u32, u32)>,
    /// Its memory; none where it does not tell.
    pub memory: Option<Memory>,
}

/// The memory of a device during a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes that were taken, on average, and the most.
    pub used: (u64, u64),
    /// All bytes.
    pub total: u64,
}

#[derive(Debug, Default)]
struct Shared {
    is_wanted: AtomicBool,
    samples: Mutex<Vec<Sample>>,
}

/// Samples of all devices, taken while they are wanted.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    /// The thread ends when this is gone. Nobody waits for it.
    _stop: Sender<()>,
}

impl Sampler {
    /// Begins; none where there can be no thread.
    pub fn start() -> Option<Self> {
        let (stop, stopped) = bounded(0);
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("nvml".into()).spawn(move || sample(&theirs, &stopped));
        thread.ok().map(|_| Self { shared, _stop: stop })
    }

    /// Whether samples are taken from now on.
    pub fn want(&self, is_wanted: bool) {
        self.shared.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// The devices between two times, ns of the monotonic clock.
    pub fn between(&self, start: u64, end: u64) -> Vec<Use> {
        uses(&self.shared.samples.lock().unwrap_or_else(PoisonError::into_inner), start, end)
    }
}

/// How many devices there are samples of, or why there are none.
///
/// # Errors
/// When the library is not there, or does not work.
pub fn try_out() -> Result<u32, String> {
    open().and_then(|nvml| nvml.device_count()).map_err(|why| why.to_string())
}

fn open() -> Result<Nvml, NvmlError> {
    Nvml::builder().lib_path(LIBRARY.as_ref()).init()
}

/// Takes samples until nobody wants any.
fn sample(shared: &Shared, stopped: &Receiver<()>) {
    let Ok(nvml) = open() else { return };
    let devices = nvml.device_count().unwrap_or_default();
    loop {
        if shared.is_wanted.load(Ordering::Relaxed) {
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

fn take(nvml: &Nvml, number: u32) -> Option<Sample> {
    let device = nvml.device_by_index(number).ok()?;
    let busy = device.utilization_rates().ok().map(|rates| rates.gpu);
    let memory = device.memory_info().ok().map(|memory| (memory.used, memory.total));
    (busy.is_some() || memory.is_some()).then(|| Sample { time: monotonic(), device: number, busy, memory })
}

/// Each device's samples between two times. In a short cycle there may be none: then the next one that was taken soon after counts.
fn uses(samples: &[Sample], start: u64, end: u64) -> Vec<Use> {
    let soon = end.saturating_add(LOOK_INTERVAL.as_nanos() as u64);
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
        Some(Use {
            device,
            busy: average(busy.clone().map(u64::from)).map(|busy| busy as u32).zip(busy.max()),
            memory: memory.map(|(used, total)| Memory { used, total }),
        })
        .filter(|_| !within.is_empty())
    };
    devices.into_iter().filter_map(of).collect()
}

fn average(figures: impl Iterator<Item = u64>) -> Option<u64> {
    let (sum, n) = figures.fold((0_u128, 0_u128), |(sum, n), figure| (sum + u128::from(figure), n + 1));
    sum.checked_div(n).map(|average| average as u64)
}

/// What stands in a trace of a device: keys and values.
pub fn facts(of: &Use) -> Vec<(String, String)> {
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
        let of = |device: u32, busy: (u32, u32), used: (u64, u64)| Use {
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
    fn what_a_device_does_not_tell_is_no_figure() {
        let parted = Sample { busy: None, ..at(2, 0, 0, 5) };
        let found = uses(&[parted, Sample { time: 3, ..parted }], 2, 5);
        assert_eq!((found[0].busy, found.len()), (None, 1));
        let keys: Vec<String> = facts(&found[0]).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["used", "used_max", "total"].map(|what| format!("proftui.gpu.0.memory_{what}")));
        let once = uses(&[parted, at(3, 0, 40, 7)], 2, 5);
        assert_eq!(once[0].busy, Some((40, 40)), "of the times that it told");
    }

    #[test]
    fn a_short_cycle_has_the_next_sample_if_it_is_near() {
        let tick = LOOK_INTERVAL.as_nanos() as u64;
        let samples = [at(1, 0, 90, 1), at(5 + tick, 0, 50, 2), at(6 + tick, 0, 60, 3)];
        assert_eq!(uses(&samples, 2, 5)[0].busy, Some((50, 50)));
        assert_eq!(uses(&samples, 2, 4), []);
    }
}
