//! How busy devices are, and how full: asked of the driver's management library (NVML), from outside of the program, on a thread
//! of our own. A machine without that library has none; one on which it hangs has no more samples.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;

use crate::capture::{TICK, monotonic};

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
    /// Percent of the time since the last look in which a kernel ran.
    busy: u32,
    /// Bytes of its memory that are taken, by whomever.
    used: u64,
    /// Bytes of its memory.
    total: u64,
}

/// A device during a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Its number, as the driver counts.
    pub device: u32,
    /// Percent of the time in which a kernel ran, on average, and the most.
    pub busy: (u32, u32),
    /// Bytes of its memory that were taken, on average, and the most.
    pub used: (u64, u64),
    /// Bytes of its memory.
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
        if stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

fn take(nvml: &Nvml, number: u32) -> Option<Sample> {
    let device = nvml.device_by_index(number).ok()?;
    let (rates, memory) = (device.utilization_rates(), device.memory_info());
    if rates.is_err() && memory.is_err() {
        return None;
    }
    let busy = rates.map_or(0, |rates| rates.gpu);
    let (used, total) = memory.map_or((0, 0), |memory| (memory.used, memory.total));
    Some(Sample { time: monotonic(), device: number, busy, used, total })
}

/// Each device's samples between two times. In a short cycle there may be none: then the next one that was taken soon after counts.
fn uses(samples: &[Sample], start: u64, end: u64) -> Vec<Use> {
    let soon = end.saturating_add(TICK.as_nanos() as u64);
    let mut devices: Vec<u32> = samples.iter().map(|sample| sample.device).collect();
    devices.sort_unstable();
    devices.dedup();
    let of = |device: u32| {
        let own = samples.iter().filter(|sample| sample.device == device && sample.time >= start);
        let mut within: Vec<&Sample> = own.clone().filter(|sample| sample.time <= end).collect();
        within.extend(own.clone().find(|sample| sample.time <= soon).filter(|_| within.is_empty()));
        let n = within.len() as u64;
        let busy = within.iter().map(|sample| u64::from(sample.busy)).sum::<u64>().checked_div(n)?;
        Some(Use {
            device,
            busy: (busy as u32, within.iter().map(|sample| sample.busy).max()?),
            used: (
                within.iter().map(|sample| u128::from(sample.used)).sum::<u128>().checked_div(n.into())?
                    as u64,
                within.iter().map(|sample| sample.used).max()?,
            ),
            total: within.last()?.total,
        })
    };
    devices.into_iter().filter_map(of).collect()
}

/// What stands in a trace of a device: keys and values.
pub fn facts(of: &Use) -> [(String, String); 5] {
    let key = |what: &str| format!("proftui.gpu.{}.{what}", of.device);
    let share = |percent: u32| format!("{:.2}", f64::from(percent) / 100.0);
    [
        (key("utilization"), share(of.busy.0)),
        (key("utilization_max"), share(of.busy.1)),
        (key("memory_used"), of.used.0.to_string()),
        (key("memory_used_max"), of.used.1.to_string()),
        (key("memory_total"), of.total.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: u64, device: u32, busy: u32, used: u64) -> Sample {
        Sample { time, device, busy, used, total: 100 }
    }

    #[test]
    fn a_cycle_has_its_own_samples() {
        let samples = [at(1, 0, 90, 1), at(2, 0, 10, 4), at(2, 1, 0, 7), at(3, 0, 31, 8), at(9, 0, 99, 99)];
        let first = Use { device: 0, busy: (20, 31), used: (6, 8), total: 100 };
        let second = Use { device: 1, busy: (0, 0), used: (7, 7), total: 100 };
        assert_eq!(uses(&samples, 2, 5), [first, second]);
        assert_eq!(facts(&first)[0], ("proftui.gpu.0.utilization".into(), "0.20".into()));
        let texts = facts(&first).map(|(_, value)| value);
        assert_eq!(texts, ["0.20", "0.31", "6", "8", "100"]);
    }

    #[test]
    fn a_short_cycle_has_the_next_sample_if_it_is_near() {
        let tick = TICK.as_nanos() as u64;
        let samples = [at(1, 0, 90, 1), at(5 + tick, 0, 50, 2), at(6 + tick, 0, 60, 3)];
        assert_eq!(uses(&samples, 2, 5)[0].busy, (50, 50));
        assert_eq!(uses(&samples, 2, 4), []);
    }
}
