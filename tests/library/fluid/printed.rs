//! Reads reports of the old profiler back into numbers.

use proftui_insight::compat::fluid::{Overhead, Row, Section, Share};

/// What a printed report says.
pub struct Printed {
    pub sections: Vec<Section>,
}

fn number(text: &str) -> f64 {
    text.trim().trim_end_matches('%').parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// The value behind `label` in a line.
fn after<'a>(line: &'a str, label: &str) -> &'a str {
    let at = line.find(label).unwrap_or_else(|| panic!("no {label} in {line:?}")) + label.len();
    line[at..].split_whitespace().next().expect("a value")
}

fn share(line: &str, name: &'static str) -> Share {
    let calls = if line.contains("Calls: ") { number(after(line, "Calls: ")) as u64 } else { 0 };
    Share {
        name,
        calls,
        total: number(after(line, "Total: ")),
        ratio: number(after(line, "Ratio: ")) / 100.0,
    }
}

fn overhead(lines: &[&str]) -> Option<Overhead> {
    const SHARES: [&str; 2] = ["Computation time", "Framework overhead"];
    const COPIES: [&str; 3] = ["GpuMemcpy ", "GpuMemcpyAsync ", "GpuMemcpySync "];
    let total = lines.iter().find(|line| line.starts_with("Total time: "))?;
    let all = |names: &[&'static str]| {
        let of = |name: &&'static str| {
            let line = lines.iter().find(|line| line.trim_start().starts_with(*name))?;
            Some(share(line, name.trim_end()))
        };
        names.iter().filter_map(of).collect::<Vec<_>>()
    };
    Some(Overhead { total: number(after(total, "Total time: ")), shares: all(&SHARES), copies: all(&COPIES) })
}

/// All that a printed report of host times says.
pub fn read(text: &str) -> Printed {
    let body = text.split("------------------------->    Memory Profiling Report").next().expect("a body");
    let reports =
        body.split("------------------------->     Profiling Report     <-------------------------").skip(1);
    let sections = reports.map(|report| {
        let lines: Vec<&str> = report.lines().collect();
        let head = lines.iter().position(|line| line.starts_with("Event ")).expect("a heading");
        let width = lines[head].find("Calls").expect("a column");
        let rows = lines[head + 1..].iter().take_while(|line| !line.is_empty()).map(|line| {
            let (name, values) = line.split_at(width);
            let values: Vec<&str> = values.split_whitespace().collect();
            let [calls, total, min, max, ave, ratio] = values[..] else { panic!("{line}") };
            Row {
                depth: (name.len() - name.trim_start().len()) / 2,
                name: name.trim().into(),
                calls: calls.parse().expect("a count"),
                total: number(total),
                min: number(min),
                max: number(max),
                ave: number(ave),
                ratio: number(ratio),
                ..Row::default()
            }
        });
        Section {
            is_merged: report.contains("Note! This Report merge"),
            overhead: overhead(&lines[..head]),
            rows: rows.collect(),
        }
    });
    Printed { sections: sections.collect() }
}

/// A row of the guide with GPU columns, whose blanks the guide has folded: name, calls, total, CPU (ratio),
/// GPU (ratio), min, max, ave, ratio.
pub fn guide_row(line: &str) -> Option<Row> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, calls, total, cpu, _, gpu, _, min, max, ave, ratio] = words[..] else { return None };
    let value = |text: &str| text.parse::<f64>().ok();
    Some(Row {
        name: name.into(),
        depth: 0,
        calls: calls.parse().ok()?,
        total: value(total)?,
        cpu: value(cpu)?,
        gpu: value(gpu)?,
        min: value(min)?,
        max: value(max)?,
        ave: value(ave)?,
        ratio: value(ratio)?,
    })
}

/// True for the same text, or numbers that differ by one in the last digit: the guide's times are rounded
/// themselves.
pub fn is_alike(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    let bare = |text: &str| text.trim_matches(['(', ')']).parse::<f64>();
    let (Ok(a), Ok(b)) = (bare(ours), bare(theirs)) else { return false };
    (a - b).abs() <= 1.1e-5 * b.abs().max(0.1)
}
