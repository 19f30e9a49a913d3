//! Pairing begin and end events: those of a thread in nested order, asynchronous ones by their id.
//!
//! A slice without an end event lasts to the last begin or end of a slice in its file, at most to the end of
//! the loaded time range, and is marked open. An end event without a begin event is counted as dropped, or as
//! left out where events were left out.

use rustc_hash::FxHashMap;

use crate::model::{Category, Origin, SliceFlags, Warning};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

use crate::import::build::builder::TraceBuilder;
use crate::import::build::input::{AsyncKind, AsyncPoint, BeginEnd, Instant, Slice};

impl TraceBuilder {
    /// Makes slices of begin and end events, and instants of asynchronous instant events, of the file that is
    /// being closed. A begin event without an end gives an open slice.
    ///
    /// # Errors
    /// When there is no memory to pair them.
    pub(crate) fn close_pairs(&mut self) -> Result<(), NoMemory> {
        let end = self.files.last().and_then(|file| file.length).map_or(0, |(_, to)| to);
        let end = end.min(self.bound.range.last());
        self.close_begin_ends(end)?;
        self.close_async(end)
    }

    fn close_begin_ends(&mut self, end: Ns) -> Result<(), NoMemory> {
        let mut points = std::mem::take(&mut self.begin_ends);
        // Stable: at the same time the file's order decides.
        heap::try_sort_by_key(&mut points, |point| point.ts)?;
        // End events pair by process and thread only: the layer that their category implies is ignored.
        let mut stacks: FxHashMap<(StrId, StrId), Vec<BeginEnd>> = FxHashMap::default();
        for point in points {
            let key = self.lanes[point.lane as usize].key;
            let stack = stacks.entry((key.pid, key.tid)).or_default();
            if point.is_begin {
                heap::try_push(stack, point)?;
                continue;
            }
            let Some(begin) = stack.pop() else {
                self.drop_end(point.origin, "an unpaired end event");
                continue;
            };
            if point.name.is_some() && point.name != begin.name {
                self.unmatched(point.origin, "an end event paired with a begin event of another name");
            }
            if point.has_args {
                heap::fallible(|| self.ends.try_reserve(1))?;
                self.ends.insert(begin.origin, point.origin);
            }
            self.push_pair(&begin, point.ts, SliceFlags::default())?;
        }
        let mut open = heap::try_collect(stacks.into_values().flatten())?;
        open.sort_unstable_by_key(|begin| begin.origin);
        for begin in open {
            self.unmatched(begin.origin, "an unpaired begin event");
            self.push_pair(&begin, end, SliceFlags::OPEN)?;
        }
        Ok(())
    }

    fn push_pair(&mut self, begin: &BeginEnd, end: Ns, flags: SliceFlags) -> Result<(), NoMemory> {
        let slice = Slice {
            start: begin.ts,
            dur: end.saturating_sub(begin.ts).max(0),
            origin: begin.origin,
            name: begin.name.unwrap_or_default(),
            correlation: 0,
            async_group: 0,
            category: begin.category,
            flags,
            is_relative: false,
        };
        self.put(begin.lane, slice)
    }

    fn close_async(&mut self, end: Ns) -> Result<(), NoMemory> {
        let mut points = std::mem::take(&mut self.async_points);
        let mut groups: FxHashMap<_, u32> = FxHashMap::default();
        // Groups are numbered in the file's order.
        points.sort_unstable_by_key(|point| point.origin);
        for point in &points {
            heap::fallible(|| groups.try_reserve(1))?;
            let next = saturate::<u32>(groups.len()) + 1;
            groups.entry(point.group_key()).or_insert(next);
        }
        heap::try_sort_by_key(&mut points, |point| point.ts)?;
        let mut stacks: FxHashMap<u32, Vec<AsyncPoint>> = FxHashMap::default();
        for point in points {
            let group = groups[&point.group_key()];
            heap::fallible(|| stacks.try_reserve(1))?;
            let stack = stacks.entry(group).or_default();
            match point.kind {
                AsyncKind::Begin => heap::try_push(stack, point)?,
                AsyncKind::End => match stack.pop() {
                    Some(begin) => self.push_async(&begin, group, point.ts, SliceFlags::default())?,
                    None => self.drop_end(point.origin, "an unpaired asynchronous end event"),
                },
                AsyncKind::Instant => {
                    let AsyncPoint { ts, lane, name, origin, .. } = point;
                    heap::try_push(&mut self.instants, Instant { ts, lane, name, origin })?;
                }
            }
        }
        let mut open = heap::try_collect(stacks.into_values().flatten())?;
        open.sort_unstable_by_key(|begin| begin.origin);
        for begin in open {
            self.unmatched(begin.origin, "an unpaired asynchronous begin event");
            self.push_async(&begin, groups[&begin.group_key()], end, SliceFlags::OPEN)?;
        }
        Ok(())
    }

    fn push_async(
        &mut self,
        begin: &AsyncPoint,
        async_group: u32,
        end: Ns,
        flags: SliceFlags,
    ) -> Result<(), NoMemory> {
        let slice = Slice {
            start: begin.ts,
            dur: end.saturating_sub(begin.ts).max(0),
            origin: begin.origin,
            name: begin.name,
            correlation: 0,
            async_group,
            category: Category::Other,
            flags,
            is_relative: false,
        };
        self.put(begin.lane, slice)
    }

    /// Counts an end event without a begin event as left out where the trace may lack events, else as
    /// dropped. `what` is the example for the warning.
    fn drop_end(&mut self, origin: Origin, what: &str) {
        if self.is_partial() {
            self.bound.outside += 1;
            return;
        }
        self.quality.dropped += 1;
        self.unmatched(origin, what);
    }

    /// Warns of the event at `origin`, whose counterpart is missing or has another name, with `what` as the
    /// example. Does nothing where the trace may lack events.
    fn unmatched(&mut self, origin: Origin, what: &str) {
        if self.is_partial() {
            return;
        }
        self.quality.note(Warning::Unmatched, Some(origin.offset()), || what.into());
    }
}
