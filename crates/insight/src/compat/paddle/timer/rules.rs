//! The rules of Paddle's benchmark timer (`paddle.profiler.timer`, the Perf Summary): its numbers from the
//! costs of steps.
//!
//! They are Paddle's exactly, oddities included. The summary skips ten steps, but adds up reader costs from
//! the eleventh step on and batch costs from the tenth on: the sum of batch costs has one batch more than its
//! divisor. A value that sets a new maximum never sets the minimum; if every value sets a maximum, the
//! minimum stays infinite. `analysis::views::perf` has the exact numbers. Must not know the text
//! (`proftui_wire::perf`) or a trace.

use proftui_wire::perf::{Measure, StepInfo, Summary};

/// Number of first steps that the Perf Summary skips. As in Paddle, the batch cost, rate and samples of the
/// last of them count nevertheless.
const SKIPPED: u64 = 10;

/// Maximum, minimum (by the rule of [`Record::update`]) and sum of one measure of the Perf Summary.
#[derive(Clone, Copy, Debug)]
struct Record {
    max: f64,
    min: f64,
    total: f64,
}

impl Default for Record {
    fn default() -> Self {
        Self { max: 0.0, min: f64::INFINITY, total: 0.0 }
    }
}

impl Record {
    /// Adds the value of one step. As in Paddle, a value that sets a new maximum does not set the minimum.
    fn update(&mut self, value: f64) {
        // As in Paddle, a new maximum is not compared with the minimum.
        if value > self.max {
            self.max = value;
        } else if value < self.min {
            self.min = value;
        }
        self.total += value;
    }

    /// Makes the summary's entry of this measure, with `avg` as its average.
    fn measure(self, avg: f64) -> Measure {
        Measure { avg, max: self.max, min: self.min }
    }
}

/// The sum and number of costs since `step_info` was last called, and the number of samples.
#[derive(Clone, Copy, Debug, Default)]
struct Average {
    /// Sum of the costs, seconds.
    total: f64,
    count: u64,
    samples: u64,
}

impl Average {
    /// Adds one cost in seconds, and a number of samples.
    fn add(&mut self, value: f64, samples: u64) {
        self.total += value;
        self.count += 1;
        self.samples += samples;
    }

    /// The mean cost, seconds; 0 if no cost was added.
    fn mean(self) -> f64 {
        if self.count == 0 { 0.0 } else { self.total / self.count as f64 }
    }
}

/// Paddle's benchmark timer: gets the costs of data loading and of steps, and computes their averages and the
/// Perf Summary.
#[derive(Clone, Debug)]
pub struct Timer {
    steps: u64,
    /// Number of samples in the tenth step and all later ones, for the Perf Summary.
    samples: u64,
    /// True once a step came without a number of samples: rates are then in steps per second.
    counts_steps: bool,
    /// The unit of rates as of the last call of `step_info`, such as `images/s`; `samples/s` before the
    /// first.
    unit: String,
    reader: Record,
    batch: Record,
    ips: Record,
    reader_average: Average,
    batch_average: Average,
}

impl Default for Timer {
    fn default() -> Self {
        Self {
            steps: 0,
            samples: 0,
            counts_steps: false,
            unit: "samples/s".into(),
            reader: Record::default(),
            batch: Record::default(),
            ips: Record::default(),
            reader_average: Average::default(),
            batch_average: Average::default(),
        }
    }
}

impl Timer {
    /// Records that data was loaded for `cost` seconds for the next step.
    pub fn reader(&mut self, cost: f64) {
        if self.steps >= SKIPPED {
            self.reader.update(cost);
        }
        self.reader_average.add(cost, 0);
    }

    /// Records the end of a step of `cost` seconds. Once `samples` is None, rates are in steps per second
    /// from then on.
    pub fn batch(&mut self, cost: f64, samples: Option<u64>) {
        self.steps += 1;
        self.counts_steps |= samples.is_none();
        let samples = samples.unwrap_or_default();
        if self.steps >= SKIPPED {
            self.batch.update(cost);
            self.samples += samples;
            let done = if self.counts_steps { 1.0 } else { samples as f64 };
            self.ips.update(done / cost);
        }
        self.batch_average.add(cost, samples);
    }

    /// Returns the averages since `step_info` was last called, and begins new averages. `unit` names the
    /// samples, such as `images`, here and in the Perf Summary.
    pub fn step_info(&mut self, unit: &str) -> StepInfo {
        self.unit = if self.counts_steps { "steps/s".into() } else { format!("{unit}/s") };
        let (reader, batch) =
            (std::mem::take(&mut self.reader_average), std::mem::take(&mut self.batch_average));
        let done = if self.counts_steps { batch.count } else { batch.samples };
        let ips = if batch.total > 0.0 { done as f64 / batch.total } else { 0.0 };
        StepInfo { reader: reader.mean(), batch: batch.mean(), ips, unit: self.unit.clone() }
    }

    /// The Perf Summary of the steps so far; None for ten steps or fewer.
    pub fn summary(&self) -> Option<Summary> {
        let n = self.steps.checked_sub(SKIPPED).filter(|&n| n > 0)? as f64;
        let (reader, batch) = (self.reader.total / n, self.batch.total / n);
        let done = if self.counts_steps { n } else { self.samples as f64 };
        Some(Summary {
            reader_ratio: if batch > 0.0 { reader / batch * 100.0 } else { 0.0 },
            unit: self.unit.clone(),
            reader: self.reader.measure(reader),
            batch: self.batch.measure(batch),
            ips: self.ips.measure(if self.batch.total > 0.0 { done / self.batch.total } else { 0.0 }),
        })
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "wholes and halves are exact")]
mod tests {
    use super::*;

    #[test]
    fn ten_steps_are_skipped_and_one_too_many_is_divided() {
        let mut timer = Timer::default();
        for step in 1..=11 {
            assert_eq!(timer.summary(), None, "before step {step}");
            timer.reader(0.5);
            timer.batch(2.0, Some(8));
        }
        let summary = timer.summary().expect("eleven steps");
        assert_eq!(summary.batch.avg, 4.0, "two samples by one step");
        assert_eq!((summary.reader.avg, summary.reader_ratio), (0.5, 12.5));
        assert_eq!(summary.ips.avg, 4.0, "the rate is exact");
        assert_eq!(summary.batch.min, 2.0, "the second sets no new maximum");
        timer = Timer::default();
        (1..=20).for_each(|step| timer.batch(f64::from(step), None));
        assert_eq!(
            timer.summary().expect("twenty steps").batch.min,
            f64::INFINITY,
            "each sets a new maximum"
        );
    }

    #[test]
    fn step_info_starts_anew() {
        let mut timer = Timer::default();
        timer.batch(1.0, Some(4));
        timer.batch(3.0, Some(4));
        let info = timer.step_info("images");
        assert_eq!((info.batch, info.ips, info.unit.as_str()), (2.0, 2.0, "images/s"));
        assert_eq!(timer.step_info("images").batch, 0.0);
        timer.batch(0.5, None);
        assert_eq!(
            timer.step_info("images"),
            StepInfo { reader: 0.0, batch: 0.5, ips: 2.0, unit: "steps/s".into() }
        );
    }
}
