//! The report of Paddle's old profiler as text, to the letter.
//!
//! The layout is that of its later versions, which print an Overhead Summary. Must not know how the numbers
//! are made.

pub mod number;

use crate::compat::bounds::{LEVELS, name_width, pad};
use crate::compat::fluid::{MemoryRow, Options, Overhead, Report, Row, Section, Share, State};

use number::general;

/// Width of most columns of numbers in the Event, Overhead and `GpuMemCpy` Summary, in characters.
const DATA: usize = 12;
/// Width of the names in the Overhead and the `GpuMemCpy` Summary, in characters.
const SHARE: usize = 25;
/// Width of the column of names in the memory report, in characters; a longer name is printed whole.
const MEMORY_NAME: usize = 55;
/// Width of a column of numbers in the memory report, in characters.
const MEMORY_DATA: usize = 18;
/// By how many characters the column of names in the Event Summary is wider than [`name_width`] of its names.
const GAP: usize = 8;

/// Appends a line with a title between dashes, and an empty line.
fn heading(out: &mut String, title: &str) {
    out.push_str(&format!("{0} {title} {0}\n\n", "-".repeat(25)));
}

/// Makes the text of the whole report: its sections, then the memory report.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    report.sections.iter().for_each(|section| render_section(section, report.options, &mut out));
    render_memory(&report.memory, &mut out);
    out
}

/// Appends the memory report: title, column headings, a line per row, and an empty line.
fn render_memory(rows: &[MemoryRow], out: &mut String) {
    out.push_str(
        "\n------------------------->    Memory Profiling Report     <-------------------------\n\n",
    );
    let mut line = |cells: [&str; 5]| {
        pad(out, cells[0], MEMORY_NAME);
        cells[1..].iter().for_each(|cell| pad(out, cell, MEMORY_DATA));
        out.push('\n');
    };
    line(["Event", "Alloc Calls", "Size(MB)", "Free Calls", "Size(MB)"]);
    let megabytes = |bytes: i64| general(bytes as f64 / f64::from(1 << 20));
    for row in rows {
        let (allocations, releases) = (row.allocations.to_string(), row.releases.to_string());
        line([&row.name, &allocations, &megabytes(row.allocated), &releases, &megabytes(row.released)]);
    }
    out.push('\n');
}

/// Appends one section of the report: heading, the summaries of overhead and copies if the section has them,
/// the Event Summary.
pub(crate) fn render_section(section: &Section, options: Options, out: &mut String) {
    out.push_str("\n------------------------->     Profiling Report     <-------------------------\n\n");
    if section.is_merged {
        out.push_str("Note! This Report merge all thread info into one.\n");
    }
    out.push_str(&format!("Place: {}\nTime unit: ms\n", options.state.place()));
    out.push_str(&format!("Sorted by {} in descending order in the same thread\n\n", options.key.domain()));
    if let Some(overhead) = &section.overhead {
        render_overhead(overhead, out);
    }
    out.push('\n');
    heading(out, "      Event Summary      ");
    let width = name_width(section.rows.iter().map(|row| row.name.as_str())) + GAP;
    pad(out, "Event", width);
    out.push_str(&format!("{:<DATA$}{:<DATA$}", "Calls", "Total"));
    if options.state == State::All {
        out.push_str(&format!("{:<1$}{2:<1$}", "CPU Time (Ratio)", 2 * DATA, "GPU Time (Ratio)"));
    }
    ["Min.", "Max.", "Ave.", "Ratio."].iter().for_each(|title| out.push_str(&format!("{title:<DATA$}")));
    out.push('\n');
    section.rows.iter().for_each(|row| render_row(row, options.state, width, out));
}

/// Appends the summaries of overhead and copies.
fn render_overhead(overhead: &Overhead, out: &mut String) {
    heading(out, "    Overhead Summary     ");
    out.push_str(&format!("Total time: {}\n", general(overhead.total)));
    let percent = |share: &Share| general(share.ratio * 100.0);
    for share in &overhead.shares {
        let name = format!("  {}", share.name);
        out.push_str(&format!(
            "{name:<SHARE$}Total: {:<DATA$}Ratio: {}%\n",
            general(share.total),
            percent(share)
        ));
    }
    out.push('\n');
    heading(out, "    GpuMemCpy Summary    ");
    for (i, share) in overhead.copies.iter().enumerate() {
        let name = format!("{}{}", if i == 0 { "" } else { "  " }, share.name);
        let (calls, total) = (share.calls, general(share.total));
        out.push_str(&format!(
            "{name:<SHARE$}Calls: {calls:<DATA$}Total: {total:<DATA$}Ratio: {}%\n",
            percent(share)
        ));
    }
}

/// Appends one line of the Event Summary; `width` is the width of the column of names, in characters.
pub fn render_row(row: &Row, state: State, width: usize, out: &mut String) {
    pad(out, &format!("{}{}", "  ".repeat(row.depth.min(LEVELS)), row.name), width);
    out.push_str(&format!("{:<DATA$}{:<DATA$}", row.calls, general(row.total)));
    if state == State::All {
        for time in [row.cpu, row.gpu] {
            let share = if row.total > 0.0 { time / row.total } else { 0.0 };
            out.push_str(&format!("{:<1$}", format!("{time:.6} ({share:.6})"), 2 * DATA));
        }
    }
    for value in [row.min, row.max, row.ave, row.ratio] {
        out.push_str(&format!("{:<DATA$}", general(value)));
    }
    out.push('\n');
}
