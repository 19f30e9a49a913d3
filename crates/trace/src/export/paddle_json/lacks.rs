//! Counts what Paddle's JSON lacks of a profile, and what of the JSON the protobuf has no field for, and
//! makes one line for the user of each kind of this.

use std::collections::BTreeMap;

use proftui_base::fmt;

/// What a file of Paddle's JSON lacks of a profile, and what of the file the protobuf leaves out, mostly as
/// counts.
#[derive(Default)]
pub(super) struct Lacks {
    /// Largest error of the times of slices, ns; at least 1 once it is set.
    pub error: i64,
    pub calls: u64,
    pub kernels: u64,
    pub copies: u64,
    pub memsets: u64,
    pub memory: u64,
    /// Number of host events with shapes, types or a call stack.
    pub supplements: u64,
    /// Number of pieces of device work for which no call was found by their correlation number.
    pub without_call: u64,
    /// Number of threads whose events are not in Paddle's order, and so are nested by time.
    pub by_time: u64,
    /// True if the file has properties of devices.
    pub has_devices: bool,
    /// By category, the number of host events of an unknown kind, which are written as `UserDefined`.
    unknown: BTreeMap<String, u64>,
    /// How often each thing was left out, by a text such as `argument x`.
    left_out: BTreeMap<String, u64>,
}

impl Lacks {
    /// Counts a piece of device work of kind 4 (kernel), 5 (copy) or 6 (memset).
    pub(super) fn work(&mut self, kind: u32) {
        match kind {
            5 => self.copies += 1,
            6 => self.memsets += 1,
            _ => self.kernels += 1,
        }
    }

    pub(super) fn unknown_kind(&mut self, category: &str) {
        *self.unknown.entry(category.into()).or_default() += 1;
    }

    pub(super) fn left_out(&mut self, what: String) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// The lines for the user: one on the error of times, and one for each other loss that occurred.
    pub(super) fn lines(&self) -> Vec<String> {
        let has_work = self.kernels + self.copies + self.memsets > 0;
        let known = [
            (1, format!("Paddle rounded starts within the trace by up to {} ns", self.error)),
            (self.memory, format!("memory events have times in whole microseconds ({})", self.memory)),
            (self.calls, format!("runtime calls lack their callback number ({}); 0 is written", self.calls)),
            (
                self.kernels,
                format!(
                    "kernels lack local memory, the times when they were queued, submitted and completed, \
                     and which part of their shared memory is dynamic ({}); 0 is written, and all shared \
                     memory as static",
                    self.kernels
                ),
            ),
            (
                self.copies,
                format!(
                    "copies lack the kinds of memory at both ends ({}); an empty text is written",
                    self.copies
                ),
            ),
            (
                self.memsets,
                format!("memsets lack their kind of memory ({}); an empty text is written", self.memsets),
            ),
            (
                self.supplements,
                format!(
                    "operators with shapes, data types or call stacks lack the operator's type and number \
                     and the time of the record ({}); an empty text, 0 and the operator's start are written",
                    self.supplements
                ),
            ),
            (
                u64::from(has_work && !self.has_devices),
                "the devices' properties are missing; none are written".into(),
            ),
            (
                self.without_call,
                format!(
                    "device work lacks its runtime call ({}); it is written below one call that stands for \
                     all such calls",
                    self.without_call
                ),
            ),
            (
                self.by_time,
                format!(
                    "the order of events does not state how they nest, on {}; they are nested by time",
                    fmt::counted(self.by_time, "thread")
                ),
            ),
        ];
        let known = known.into_iter().filter(|&(count, _)| count > 0).map(|(_, line)| line);
        let unknown = self.unknown.iter().map(|(category, count)| {
            format!("events of the unknown kind {category:?} are written as UserDefined ({count})")
        });
        let left_out = self.left_out.iter().map(|(what, count)| format!("left out: {what} ({count})"));
        known.chain(unknown).chain(left_out).collect()
    }
}
