//! What Paddle's benchmark timer prints, to the letter.
//!
//! Must not know how the numbers come about.

use crate::analysis::paddle::Timed;
use crate::analysis::paddle_timer::{Measure, StepInfo, Summary};

/// The line that `step_info` gives.
pub fn step_info(info: &StepInfo) -> String {
    let mut out = String::new();
    if info.reader != 0.0 {
        out.push_str(&format!(" reader_cost: {:.5} s", info.reader));
    }
    if info.batch != 0.0 {
        out.push_str(&format!(" batch_cost: {:.5} s", info.batch));
    }
    if info.ips != 0.0 {
        out.push_str(&format!(" ips: {:.3} {}", info.ips, info.unit));
    }
    out
}

/// `text` in the middle of `width` as Python's `str.center` puts it: of an odd number of blanks the extra one goes to the
/// left where the width is odd.
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

/// The Perf Summary that is printed when the timer stops.
pub fn summary(summary: &Summary) -> String {
    let mut out = center("Perf Summary", 100, '=') + "\n";
    if summary.reader_ratio != 0.0 {
        out.push_str(&format!("Reader Ratio: {:.3}%\n", summary.reader_ratio));
    }
    out.push_str(&format!("Time Unit: s, IPS Unit: {}\n", summary.unit));
    out.push_str(&row(["", "avg", "max", "min"]));
    if summary.reader.avg != 0.0 {
        out.push_str(&measure("reader_cost", &summary.reader));
    }
    out.push_str(&measure("batch_cost", &summary.batch));
    out.push_str(&measure("ips", &summary.ips));
    out
}

/// Both, for each worker; the workers are named where there are several.
pub fn render(timed: &[Timed]) -> String {
    let of_worker = |one: &Timed| {
        let name = if timed.len() > 1 { format!("{}\n", one.worker) } else { String::new() };
        let summary = one.summary.as_ref().map(summary).unwrap_or_default();
        format!("{name}{}\n{summary}", step_info(&one.info))
    };
    timed.iter().map(of_worker).collect()
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
    fn what_is_nothing_is_left_out() {
        let info = StepInfo { reader: 0.0, batch: 0.25, ips: 4.0, unit: "steps/s".into() };
        assert_eq!(step_info(&info), " batch_cost: 0.25000 s ips: 4.000 steps/s");
    }
}
