//! Averages of a [`Timer`] as text, in the format of Paddle's benchmark timer: one line about any number of
//! steps, and a table over all steps after the warm-up.
//!
//! Times are in seconds, rates per second. `compat` computes the numbers that Paddle's own timer would print,
//! and prints them by the same functions.

use crate::timer::{Sum, Timer};

/// The average times and the rate of some steps; 0 where there is nothing to average.
#[derive(Clone, Debug, PartialEq)]
pub struct StepInfo {
    /// Average time for which a step waited for data, s; for a loaded trace, over the steps that loaded data.
    pub reader: f64,
    /// Average time of a step, s.
    pub batch: f64,
    /// Samples per second; steps per second unless the number of samples is known for every step.
    pub ips: f64,
    /// The unit of `ips`, such as `images/s` or `steps/s`.
    pub unit: String,
}

/// Average, largest and smallest value of a time or rate over some steps, in its unit; from `compat`, as
/// Paddle's timer computes them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// Average over the steps.
    pub avg: f64,
    /// Largest value of a step; that of a rate may be estimated.
    pub max: f64,
    /// Smallest value of a step, or what Paddle's timer takes for it; that of a rate may be estimated.
    pub min: f64,
}

/// The contents of Paddle's Perf Summary, a table over all steps after the warm-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Share of the steps' time for which they waited for data, percent.
    pub reader_ratio: f64,
    /// The unit of `ips`, such as `images/s` or `steps/s`.
    pub unit: String,
    /// Time for which a step waited for data, s.
    pub reader: Measure,
    /// Time of a step, s.
    pub batch: Measure,
    /// Samples per second; steps per second unless the number of samples is known for every step.
    pub ips: Measure,
}

/// Computes the averages over the steps of `sum`; `unit` names a sample, such as `images`.
pub fn step_info(sum: &Sum, unit: &str) -> StepInfo {
    let (reader, batch) = (seconds(sum.reader), seconds(sum.batch));
    let average = |total: f64| if sum.steps == 0 { 0.0 } else { total / sum.steps as f64 };
    let ips = if batch > 0.0 { done(sum) * sum.steps as f64 / batch } else { 0.0 };
    StepInfo { reader: average(reader), batch: average(batch), ips, unit: counted(sum, unit) }
}

/// Computes the contents of the Perf Summary; `None` without steps after the warm-up. `unit` names a sample,
/// such as `images`.
pub fn summary(timer: &Timer, unit: &str) -> Option<Summary> {
    let sum = &timer.later;
    if sum.steps == 0 {
        return None;
    }
    let info = step_info(sum, unit);
    let rate = |ns: u64| if ns > 0 { done(sum) / seconds(ns) } else { 0.0 };
    Some(Summary {
        reader_ratio: if info.batch > 0.0 { info.reader / info.batch * 100.0 } else { 0.0 },
        unit: info.unit,
        reader: Measure { avg: info.reader, max: seconds(sum.reader_max), min: seconds(sum.reader_min) },
        batch: Measure { avg: info.batch, max: seconds(sum.batch_max), min: seconds(sum.batch_min) },
        ips: Measure { avg: info.ips, max: rate(sum.batch_min), min: rate(sum.batch_max) },
    })
}

/// The average number of samples of a step; 1 unless the number of samples is known for every step.
fn done(sum: &Sum) -> f64 {
    if has_samples(sum) { sum.samples as f64 / sum.steps as f64 } else { 1.0 }
}

/// The unit of a rate: `<unit>/s`, or `steps/s` unless the number of samples is known for every step.
fn counted(sum: &Sum, unit: &str) -> String {
    format!("{}/s", if has_samples(sum) { unit } else { "steps" })
}

/// True if there are steps, and the number of samples is known for every one of them.
fn has_samples(sum: &Sum) -> bool {
    sum.steps > 0 && sum.counted == sum.steps
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

impl StepInfo {
    /// The average times and the rate as text without a line break; values of 0 are left out.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.reader != 0.0 {
            out.push_str(&format!(" reader_cost: {:.5} s", self.reader));
        }
        if self.batch != 0.0 {
            out.push_str(&format!(" batch_cost: {:.5} s", self.batch));
        }
        if self.ips != 0.0 {
            out.push_str(&format!(" ips: {:.3} {}", self.ips, self.unit));
        }
        out
    }
}

impl Summary {
    /// The Perf Summary as lines of text, in Paddle's format.
    pub fn text(&self) -> String {
        let mut out = center("Perf Summary", 100, '=') + "\n";
        if self.reader_ratio != 0.0 {
            out.push_str(&format!("Reader Ratio: {:.3}%\n", self.reader_ratio));
        }
        out.push_str(&format!("Time Unit: s, IPS Unit: {}\n", self.unit));
        out.push_str(&row(["", "avg", "max", "min"]));
        if self.reader.avg != 0.0 {
            out.push_str(&measure("reader_cost", &self.reader));
        }
        out.push_str(&measure("batch_cost", &self.batch));
        out.push_str(&measure("ips", &self.ips));
        out
    }
}

/// Centres `text` in `width` characters as Python's `str.center` does.
fn center(text: &str, width: usize, fill: char) -> String {
    let pad = width.saturating_sub(text.chars().count());
    let left = pad / 2 + (pad & width & 1);
    let blanks = |count| std::iter::repeat_n(fill, count);
    blanks(left).chain(text.chars()).chain(blanks(pad - left)).collect()
}

fn row(cells: [&str; 4]) -> String {
    let cells = cells.map(|cell| center(cell, 15, ' '));
    format!("| {} |\n", cells.join(" | "))
}

fn measure(title: &str, values: &Measure) -> String {
    let [avg, max, min] = [values.avg, values.max, values.min].map(|value| format!("{value:.5}"));
    row([title, &avg, &max, &min])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centred_as_python_does() {
        assert_eq!(center("ab", 5, ' '), "  ab ");
        assert_eq!(center("abc", 6, ' '), " abc  ");
        assert_eq!(center("toolong", 3, ' '), "toolong");
    }

    #[test]
    fn zero_values_are_left_out() {
        let info = StepInfo { reader: 0.0, batch: 0.25, ips: 4.0, unit: "steps/s".into() };
        assert_eq!(info.text(), " batch_cost: 0.25000 s ips: 4.000 steps/s");
    }

    #[test]
    fn a_growing_series_has_a_smallest_value_and_its_own_average() {
        let mut timer = Timer::default();
        (1..=10).for_each(|_| timer.add(1, 0, 4));
        assert_eq!(summary(&timer, "images"), None, "ten steps are left out");
        (1..=4).for_each(|step| timer.add(step * 1_000_000_000, 500_000_000, 4));
        let summary = summary(&timer, "images").expect("steps after them");
        assert_eq!(summary.batch, Measure { avg: 2.5, max: 4.0, min: 1.0 });
        assert_eq!(summary.ips, Measure { avg: 1.6, max: 4.0, min: 1.0 });
        assert_eq!((summary.reader_ratio, summary.unit.as_str()), (20.0, "images/s"));
        timer.add(1_000_000_000, 0, 0);
        assert_eq!(step_info(&timer.later, "images").unit, "steps/s");
    }
}
