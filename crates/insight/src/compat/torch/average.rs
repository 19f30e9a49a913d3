//! Averages by key (torch's `key_averages`), which are the rows of the table.
//!
//! Doubles are added in torch's order, since the order decides how an average half-way between two digits is
//! rounded.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_base::text::SafeText;
use proftui_trace::model::SliceId;

use super::event::{Event, FileEvents, Kind};
use super::options::{Python, Rules};
use super::read::Read;
use super::sums::{Sums, plain_sum};
use super::tree::Tree;
use super::version::Version;

/// One row of the averages, for the events with the same key, such as name and side (host or device). Times
/// are in µs.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says another thing of the row's events")]
pub struct Average {
    /// The name that the row's events share, as shown: `ProfilerStep*` for all training steps.
    pub name: SafeText<'static>,
    /// True if the row's events are on a device, such as work, waits and ranges.
    pub is_device: bool,
    /// True if the row's events are user annotations; always false by the rules of DeepLink and of torch
    /// before 2.5.
    pub is_annotation: bool,
    /// True if the row's first event ends on another thread, or may: its time is no part of the total.
    pub is_async: bool,
    /// Number of events.
    pub count: u64,
    /// Summed host time of the events, that of their children included, µs; 0 for events of a device.
    pub cpu_total: f64,
    /// Summed host time of the events less that of their children, µs; 0 for events of a device.
    pub self_cpu: f64,
    /// Summed time of device events, or of the device work that host events and those inside them launched,
    /// µs.
    pub device_total: f64,
    /// Summed time of device events, or of the device work that host events launched themselves, µs.
    pub self_device: f64,
    /// Bytes of host memory allocated minus released during the events, on any thread; 0 for events of a
    /// device.
    pub cpu_memory: i64,
    /// Bytes of host memory allocated minus released during the events, on any thread, less those of their
    /// children.
    pub self_cpu_memory: i64,
    /// Bytes of device memory allocated minus released during the events, on any thread; 0 for events of a
    /// device.
    pub device_memory: i64,
    /// Bytes of device memory allocated minus released during the events, on any thread, less those of their
    /// children.
    pub self_device_memory: i64,
    /// Summed floating point operations of the events, as far as known; 0 without [`Averages::has_flops`].
    pub flops: u64,
    /// The input shapes of the row's events, as text; empty if rows are not grouped by shape or the events
    /// have none.
    pub shapes: SafeText<'static>,
    /// The stack frames by which the row is grouped, innermost first; empty if there are none.
    pub stack: Arc<[SafeText<'static>]>,
    /// True if the row's first event has no parent in the tree of host events.
    pub is_top_level: bool,
    /// The slice of the row's longest event with a slice; None if no event has a slice.
    pub longest: Option<SliceId>,
}

impl Average {
    /// Average host time per event, children included, µs; 0 without events.
    pub fn cpu_time(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.cpu_total / self.count as f64 }
    }

    /// Average device time per event, children included, µs; 0 without events.
    pub fn device_time(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.device_total / self.count as f64 }
    }
}

/// The averages: all rows, and what applies to all of them.
#[derive(Clone, Debug)]
pub struct Averages {
    /// The rows, in the order of their first events until [`Averages::sort`] sorts them.
    pub rows: Vec<Average>,
    /// The tool whose rules made the rows.
    pub rules: Rules,
    /// The device's name in headings, in upper case; None if there are neither events nor memory of a device.
    pub device: Option<&'static str>,
    /// True if memory events count in the averages or the recording was asked for memory (`profile_memory`).
    pub has_memory: bool,
    /// True if the recording was asked to count floating point operations (`with_flops`).
    pub has_flops: bool,
    /// How many events are left out because they could not be read again from their file.
    pub unread: u64,
    /// True if the times of slices in some file are whole microseconds.
    pub is_coarse: bool,
}

impl Averages {
    /// True if at least one row has input shapes.
    pub(crate) fn is_by_shape(&self) -> bool {
        self.rows.iter().any(|row| !row.shapes.is_empty())
    }

    /// The sum of the self host times of all rows, µs, which is the 100 % of host time percentages.
    pub(crate) fn self_cpu_total(&self) -> f64 {
        plain_sum(self.rows.iter().map(|row| row.self_cpu))
    }

    /// Notes on an older version of torch, events that are left out, coarse times and shares above 100 %,
    /// each only if it applies.
    pub fn notes(&self) -> Vec<String> {
        let are = if self.unread == 1 { "event is" } else { "events are" };
        let unread = (self.unread > 0)
            .then(|| format!("{} {are} left out because arguments could not be read.", self.unread));
        let coarse = self.is_coarse.then(|| {
            "A file has times in whole microseconds: torch's own table may differ from this one.".into()
        });
        let older = match self.rules.version() {
            Some(version) if version != Version::LATEST => Some(format!(
                "The table is as PyTorch {version} prints it (--torch-version names another version)."
            )),
            _ => None,
        };
        let whole = self.self_cpu_total();
        let is_above = |row: &Average| row.is_top_level && row.cpu_total > whole * 1.000_001;
        let above = self.rows.iter().any(is_above).then(|| {
            "Shares exceed 100 %: torch's total lacks the own time of events without rows, such as Python \
             functions, and of those that end on other threads."
                .into()
        });
        older.into_iter().chain(unread).chain(coarse).chain(above).collect()
    }

    /// The sum of self device times, µs, which is 100 % of device time percentages: by torch's rules of
    /// device rows without annotations, by DeepLink's of host rows.
    pub(crate) fn self_device_total(&self) -> f64 {
        let counts = |row: &&Average| {
            if self.rules.is_deeplink() { !row.is_device } else { row.is_device && !row.is_annotation }
        };
        plain_sum(self.rows.iter().filter(counts).map(|row| row.self_device))
    }
}

/// The key of a row: events with equal keys share the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    name: StrId,
    is_device: bool,
    is_annotation: bool,
    shapes: StrId,
    stack: StrId,
}

/// Makes the averages from the events of one file after the other.
#[derive(Debug)]
pub(super) struct Builder {
    averages: Averages,
    /// For each key the index of its row.
    index: FxHashMap<Key, usize>,
    /// The key of each row.
    keys: Vec<Key>,
    /// For each row the length of its longest event that has a slice, ns; -1 before there is one.
    longest: Vec<i64>,
}

impl Builder {
    /// Creates a builder without rows, for `rules` and what `read` found.
    pub(super) fn new(rules: Rules, read: &Read) -> Self {
        let device = if rules.is_deeplink() { read.device.and(Some("CUDA")) } else { read.device };
        let averages = Averages {
            rows: Vec::new(),
            rules,
            device,
            has_memory: read.has_memory,
            has_flops: read.has_flops,
            unread: read.unread,
            is_coarse: read.files.iter().any(|file| !file.events.is_empty() && !file.has_decimals),
        };
        Self { averages, index: FxHashMap::default(), keys: Vec::new(), longest: Vec::new() }
    }

    /// Adds the events of one file to their rows, without those that `tree` removed and, by most rules,
    /// Python functions. `tree` must be made of the same events.
    pub(super) fn add(&mut self, file: &FileEvents, tree: &Tree) {
        let sums = Sums::new(file, tree);
        for (at, event) in file.events.iter().enumerate() {
            let is_left_out = event.kind == Kind::Python && self.averages.rules.python() != Python::Rows;
            if !tree.has(at) || is_left_out {
                continue;
            }
            let row = self.row(event, tree.parent(at).is_none());
            row.count += 1;
            row.cpu_total += sums.cpu(at);
            row.device_total += sums.device(at);
            row.flops = row.flops.saturating_add(event.flops);
            row.self_device += sums.self_device(at);
            if event.kind.is_device() {
                continue;
            }
            row.cpu_memory = row.cpu_memory.saturating_add(event.memory[0]);
            row.device_memory = row.device_memory.saturating_add(event.memory[1]);
            if event.is_async() {
                continue;
            }
            row.self_cpu += sums.self_cpu(at);
            let [cpu, device] = sums.self_memory(at);
            row.self_cpu_memory = row.self_cpu_memory.saturating_add(cpu);
            row.self_device_memory = row.self_device_memory.saturating_add(device);
        }
    }

    /// The row of `event`, added if the key is new; updates the row's longest slice. `is_top_level` is for a
    /// new row.
    fn row(&mut self, event: &Event, is_top_level: bool) -> &mut Average {
        let is_annotation = event.kind.is_annotation() && self.averages.rules.has_annotations_apart();
        let (name, is_device, is_async) = (event.name, event.kind.is_device(), event.is_async());
        let key = Key { name, is_device, is_annotation, shapes: event.shapes, stack: event.stack };
        let rows = &mut self.averages.rows;
        let at = *self.index.entry(key).or_insert_with(|| {
            rows.push(Average { is_device, is_annotation, is_async, is_top_level, ..Average::default() });
            self.keys.push(key);
            self.longest.push(-1);
            rows.len() - 1
        });
        let length = event.end - event.start;
        if length > self.longest[at] && event.slice != SliceId::NONE {
            self.longest[at] = length;
            rows[at].longest = Some(event.slice);
        }
        &mut rows[at]
    }

    /// Sets the names, shapes and stacks of all rows from `strings`, and returns the averages.
    pub(super) fn finish(mut self, strings: &Interner) -> Averages {
        let text = |id: StrId| strings.text(id).into_owned();
        let frames = |stack: StrId| {
            let frames = strings.bytes(stack).split(|&byte| byte == b'\n').filter(|frame| !frame.is_empty());
            frames.map(|frame| SafeText::from_bytes(frame).into_owned()).collect()
        };
        // Events within a backward function all have the stack of its forward operator.
        let mut stacks: FxHashMap<StrId, Arc<[SafeText<'static>]>> = FxHashMap::default();
        for (row, key) in self.averages.rows.iter_mut().zip(self.keys) {
            row.name = text(key.name);
            row.shapes = text(key.shapes);
            row.stack = Arc::clone(stacks.entry(key.stack).or_insert_with(|| frames(key.stack)));
        }
        self.averages
    }
}

#[cfg(test)]
mod tests;
