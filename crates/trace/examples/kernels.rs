//! Prints the kernels of a trace by name: calls and time, and of the longest one how its event stands in the
//! file.

use std::collections::BTreeMap;
use std::error::Error;

use proftui_trace::import::EventText;
use proftui_trace::model::{Category, SliceId, Trace};

/// The lines that are printed.
pub(crate) fn kernels(path: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let loaded = Trace::open(path)?;
    let (trace, slices) = (&loaded.trace, &loaded.trace.slices);

    // A slice is a number; what it has stands in columns: `slices.start`, `slices.name`,
    // `slices.category(id)` and so on.
    let all = slices.ids();
    let kernels: Vec<SliceId> = all.iter().filter(|&id| slices.category(id) == Category::Kernel).collect();
    let mut by_name: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for &id in &kernels {
        let (calls, time) = by_name.entry(trace.name(id).to_string()).or_default();
        *calls += 1;
        *time += slices.span(id).len();
    }
    let mut lines: Vec<String> =
        by_name.iter().map(|(name, (calls, time))| format!("{calls:>6} {time:>12} ns  {name}")).collect();

    // Arguments are not kept: the event is read again from the file.
    if let Some(&longest) = kernels.iter().max_by_key(|&&id| slices.span(id).len())
        && let EventText::Members(fields) = loaded.event(longest)
    {
        lines.extend(fields.iter().map(|field| format!("{}: {}", field.name, field.value.line())));
    }
    Ok(lines)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give the path of a trace")?;
    kernels(&path)?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
