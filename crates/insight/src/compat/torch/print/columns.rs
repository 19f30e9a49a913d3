//! The columns of torch's printed table: selection, widths, headings and cells.

use crate::compat::torch::{Average, Averages};
use proftui_base::text::SafeText;

use super::format::{FlopScale, Units, share};
use super::grid::Width;
use super::options::{SHAPES_WIDTH, SOURCE_WIDTH, TableOptions};

/// Width of a column of numbers, in characters.
const NUMBER: usize = 12;
/// Characters by which a column of texts is usually wider than its longest text.
const ROOM: usize = 4;

/// The columns of one printed table: which it has, their widths in characters, and how their values are
/// printed.
#[derive(Debug)]
pub(super) struct Columns {
    units: Units,
    /// Most characters of a printed name, dots included; below 3 only the three dots are printed.
    name_limit: usize,
    /// Width of the column of names.
    name: usize,
    /// The device's name in headings of times; None if the table has no columns of device time.
    device: Option<&'static str>,
    has_memory: bool,
    /// The device's name in headings of memory; None if the table has no columns of device memory.
    device_memory: Option<&'static str>,
    /// Width of the column of input shapes; None if the table has no such column.
    shapes: Option<usize>,
    /// Width of the column of source locations; None if the table has no such column.
    source: Option<usize>,
    /// The scale in which floating point operations are printed; None if the table has no column of them.
    flops: Option<FlopScale>,
    /// The time that is 100 % of host time percentages, µs.
    cpu_total: f64,
    /// The time that is 100 % of device time percentages, µs.
    device_total: f64,
}

/// The number of characters of a text.
fn length(text: &SafeText<'_>) -> usize {
    text.as_str().chars().count()
}

impl Columns {
    /// Chooses the columns and their widths for a table.
    pub(super) fn new(averages: &Averages, options: &TableOptions, units: Units) -> Self {
        let rows = &averages.rows;
        let longest = |of: &dyn Fn(&Average) -> usize| rows.iter().map(of).max().unwrap_or(0) + ROOM;
        // Missing shapes are printed as `[]`.
        let shapes = longest(&|row| length(&row.shapes).max(2)).min(SHAPES_WIDTH);
        let source = longest(&|row| row.stack.iter().map(length).max().unwrap_or(0)).min(SOURCE_WIDTH);
        let smallest = rows.iter().map(|row| row.flops).filter(|&flops| flops > 0).min();
        let has_device = rows.iter().any(|row| row.self_device > 0.0);
        let has_device_memory = averages.has_memory && rows.iter().any(|row| row.self_device_memory > 0);
        Self {
            units,
            name_limit: options.name_width,
            name: longest(&|row| length(&row.name)).min(options.name_width),
            device: averages.device.filter(|_| has_device),
            has_memory: averages.has_memory,
            device_memory: averages.device.filter(|_| has_device_memory),
            shapes: averages.is_by_shape().then_some(shapes),
            source: rows.iter().any(|row| !row.stack.is_empty()).then_some(source),
            flops: smallest.filter(|_| averages.has_flops).map(FlopScale::of),
            cpu_total: averages.self_cpu_total(),
            device_total: averages.self_device_total(),
        }
    }

    /// The device's name in headings; None if the table has no columns of device time.
    pub(super) fn device(&self) -> Option<&'static str> {
        self.device
    }

    /// True if the table has a column of source locations.
    pub(super) fn has_stack(&self) -> bool {
        self.source.is_some()
    }

    /// The widths and alignments of all columns, from left to right.
    pub(super) fn widths(&self) -> Vec<Width> {
        let right = |columns| Width { columns, is_left: false };
        let mut widths = vec![right(self.name)];
        widths.extend(self.numbers().iter().map(|_| right(NUMBER)));
        widths.extend(self.shapes.map(right));
        widths.extend(self.source.map(|columns| Width { columns, is_left: true }));
        widths.extend(self.flops.map(|_| right(NUMBER)));
        widths
    }

    /// The headings of the columns of numbers from host times to the number of calls.
    fn numbers(&self) -> Vec<String> {
        let mut out: Vec<String> =
            ["Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"].map(String::from).into();
        if let Some(device) = self.device {
            out.extend([
                format!("Self {device}"),
                format!("Self {device} %"),
                format!("{device} total"),
                format!("{device} time avg"),
            ]);
        }
        if self.has_memory {
            out.extend(["CPU Mem", "Self CPU Mem"].map(String::from));
        }
        if let Some(device) = self.device_memory {
            out.extend([format!("{device} Mem"), format!("Self {device} Mem")]);
        }
        out.push("# of Calls".into());
        out
    }

    /// The headings of all columns, from left to right.
    pub(super) fn headings(&self) -> Vec<String> {
        let mut out = vec!["Name".to_owned()];
        out.extend(self.numbers());
        out.extend(self.shapes.map(|_| "Input Shapes".into()));
        out.extend(self.source.map(|_| "Source Location".into()));
        out.extend(self.flops.map(|scale| scale.heading.into()));
        out
    }

    /// The printed cells of a row in torch's order, which is not quite the order of the headings.
    pub(super) fn cells(&self, row: &Average) -> Vec<String> {
        let time = |micros| self.units.time(micros);
        let memory = |bytes| self.units.memory(bytes);
        let mut out = vec![
            self.cut_name(&row.name),
            share(row.self_cpu, self.cpu_total),
            time(row.self_cpu),
            // torch prints the number 0 for events that end on other threads.
            if row.is_async { "0".into() } else { share(row.cpu_total, self.cpu_total) },
            time(row.cpu_total),
            time(row.cpu_time()),
        ];
        if self.device.is_some() {
            out.extend([
                time(row.self_device),
                share(row.self_device, self.device_total),
                time(row.device_total),
                time(row.device_time()),
            ]);
        }
        if self.has_memory {
            out.extend([memory(row.cpu_memory), memory(row.self_cpu_memory)]);
        }
        if self.device_memory.is_some() {
            out.extend([memory(row.device_memory), memory(row.self_device_memory)]);
        }
        out.push(row.count.to_string());
        if let Some(width) = self.shapes {
            let shapes = if row.shapes.is_empty() { "[]" } else { row.shapes.as_str() };
            out.push(shapes.chars().take(width).collect());
        }
        // torch heads the source before the operations and prints the operations before the source.
        out.extend(self.flops.map(|scale| scale.text(row.flops)));
        if self.source.is_some() {
            out.push(row.stack.first().map(|frame| self.frame(frame)).unwrap_or_default());
        }
        out
    }

    /// A name as it is printed: its first `name_limit` - 3 characters and three dots, or the whole name if it
    /// is shorter than that number.
    fn cut_name(&self, name: &SafeText<'_>) -> String {
        let kept = self.name_limit.saturating_sub(3);
        if length(name) >= kept {
            name.as_str().chars().take(kept).collect::<String>() + "..."
        } else {
            name.to_string()
        }
    }

    /// A stack frame as it is printed: cut at the front if it is longer than its column is wide.
    pub(super) fn frame(&self, frame: &SafeText<'_>) -> String {
        let width = self.source.unwrap_or_default();
        let length = length(frame);
        if length <= width {
            return frame.to_string();
        }
        let tail = |skipped: usize| frame.as_str().chars().skip(skipped).collect::<String>();
        if width > 3 { format!("...{}", tail(length - width + 3)) } else { tail(length - width) }
    }
}
