//! The text of the Perf Summary: how long steps took, how long they waited for data, and how many samples or
//! steps there were per second.

use proftui_wire::timer::{Sum, Timer};

/// The text of a timer's Perf Summary: how long steps took and waited for data, and how many samples or steps
/// there were per second; `None` without steps.
pub fn summary(timer: &Timer) -> Option<String> {
    let (sum, is_later) = timer.best();
    let Sum { steps, batch, reader, .. } = *sum;
    if steps == 0 {
        return None;
    }
    let seconds = |ns: u64| ns as f64 / 1e9;
    let average = |total: u64| seconds(total) / steps as f64;
    let row =
        |name: &str, [avg, max, min]: [f64; 3]| format!("{name:<12} {avg:>12.5} {max:>12.5} {min:>12.5}\n");
    let mut text = format!("Perf Summary of {steps} step{}", if steps == 1 { "" } else { "s" });
    if is_later {
        text.push_str(&format!(" (the first {} left out)", timer.all.steps - steps));
    }
    text.push('\n');
    if batch > 0 && reader > 0 {
        text.push_str(&format!("Reader Ratio: {:.3}%\n", reader as f64 / batch as f64 * 100.0));
    }
    // Samples per second if every step reported its number of samples, else steps per second.
    let per_step = if sum.counted == steps { sum.samples as f64 / steps as f64 } else { 1.0 };
    let unit = if sum.counted == steps { "samples/s" } else { "steps/s" };
    let rate = |ns: f64| if ns > 0.0 { per_step / ns } else { 0.0 };
    text.push_str(&format!("Time Unit: s, IPS Unit: {unit}\n"));
    text.push_str(&format!("{:<12} {:>12} {:>12} {:>12}\n", "", "avg", "max", "min"));
    if reader > 0 {
        text.push_str(&row(
            "reader_cost",
            [average(reader), seconds(sum.reader_max), seconds(sum.reader_min)],
        ));
    }
    text.push_str(&row("batch_cost", [average(batch), seconds(sum.batch_max), seconds(sum.batch_min)]));
    let fastest = rate(seconds(sum.batch_min));
    text.push_str(&row("ips", [rate(average(batch)), fastest, rate(seconds(sum.batch_max))]));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_of_the_steps_they_name() {
        let mut timer = Timer::default();
        (0..14).for_each(|step| timer.add(if step < 10 { 900_000_000 } else { 20_000_000 }, 5_000_000, 32));
        let text = summary(&timer).expect("steps");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "Perf Summary of 4 steps (the first 10 left out)");
        assert_eq!(lines[1], "Reader Ratio: 25.000%");
        assert_eq!(lines[2], "Time Unit: s, IPS Unit: samples/s");
        assert_eq!(lines[4], "reader_cost       0.00500      0.00500      0.00500");
        assert_eq!(lines[5], "batch_cost        0.02000      0.02000      0.02000");
        assert_eq!(lines[6], "ips            1600.00000   1600.00000   1600.00000");
        assert_eq!(summary(&Timer::default()), None);
    }
}
