//! Closing what was begun: `B` with `E` on a thread, `b` with `e` and `S` with `F` of one id.
//!
//! A begin without an end runs to the end of its file and is marked; an end without a begin is counted as dropped.

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, Origin, SliceFlags, Warning};

use super::stage::{Stage, Staged, StagedInstant};

/// A `B` or an `E`.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeginEnd {
    pub ts: Ns,
    pub is_begin: bool,
    pub track: u32,
    pub name: Option<StrId>,
    pub category: Category,
    pub origin: Origin,
    /// True when the event has arguments.
    pub has_args: bool,
}

/// One of `b n e S T p F`.
#[derive(Clone, Copy, Debug)]
pub(super) struct AsyncPoint {
    pub ts: Ns,
    pub phase: u8,
    pub family: u32,
    pub track: u32,
    pub name: StrId,
    pub origin: Origin,
}

impl Stage {
    /// Pairs everything of the file that ends.
    pub(super) fn close_pairs(&mut self) {
        let end = self.files.last().and_then(|file| file.reach).map_or(0, |(_, to)| to);
        self.close_begin_ends(end);
        self.close_async(end);
    }

    fn close_begin_ends(&mut self, end: Ns) {
        let mut points = std::mem::take(&mut self.begin_ends);
        // Stable: at the same time the file's order decides.
        points.sort_by_key(|point| point.ts);
        // An end pairs by process and thread, whatever layer its category names.
        let mut stacks: FxHashMap<(StrId, StrId), Vec<BeginEnd>> = FxHashMap::default();
        for point in points {
            let track = self.tracks[point.track as usize];
            let stack = stacks.entry((track.pid, track.tid)).or_default();
            if point.is_begin {
                stack.push(point);
                continue;
            }
            let Some(begin) = stack.pop() else {
                self.drop_end(point.origin, "an end without a begin");
                continue;
            };
            if point.name.is_some() && point.name != begin.name {
                self.unmatched(point.origin, "an end of another name");
            }
            let end_origin = if point.has_args { point.origin } else { Origin::NONE };
            self.push_pair(&begin, point.ts, SliceFlags::default(), end_origin);
        }
        let mut open: Vec<_> = stacks.into_values().flatten().collect();
        open.sort_by_key(|begin| begin.origin);
        for begin in open {
            self.unmatched(begin.origin, "a begin without an end");
            self.push_pair(&begin, end, SliceFlags::OPEN, Origin::NONE);
        }
    }

    fn push_pair(&mut self, begin: &BeginEnd, end: Ns, flags: SliceFlags, end_origin: Origin) {
        self.slices.push(Staged {
            start: begin.ts,
            dur: end.saturating_sub(begin.ts).max(0),
            name: begin.name.unwrap_or_default(),
            track: begin.track,
            correlation: 0,
            family: 0,
            category: begin.category,
            flags,
            origin: begin.origin,
            end: end_origin,
        });
    }

    fn close_async(&mut self, end: Ns) {
        let mut points = std::mem::take(&mut self.async_points);
        points.sort_by_key(|point| point.ts);
        let mut stacks: FxHashMap<u32, Vec<AsyncPoint>> = FxHashMap::default();
        for point in points {
            let stack = stacks.entry(point.family).or_default();
            match point.phase {
                b'b' | b'S' => stack.push(point),
                b'e' | b'F' => match stack.pop() {
                    Some(begin) => self.push_async(&begin, point.ts, SliceFlags::default()),
                    None => self.drop_end(point.origin, "an asynchronous end without a begin"),
                },
                _ => self.instants.push(StagedInstant {
                    ts: point.ts,
                    track: point.track,
                    name: point.name,
                    origin: point.origin,
                }),
            }
        }
        let mut open: Vec<_> = stacks.into_values().flatten().collect();
        open.sort_by_key(|begin| begin.origin);
        for begin in open {
            self.unmatched(begin.origin, "an asynchronous begin without an end");
            self.push_async(&begin, end, SliceFlags::OPEN);
        }
        self.async_keys.clear();
    }

    fn push_async(&mut self, begin: &AsyncPoint, end: Ns, flags: SliceFlags) {
        self.slices.push(Staged {
            start: begin.ts,
            dur: end.saturating_sub(begin.ts).max(0),
            name: begin.name,
            track: begin.track,
            correlation: 0,
            family: begin.family,
            category: Category::Other,
            flags,
            origin: begin.origin,
            end: Origin::NONE,
        });
    }

    fn drop_end(&mut self, origin: Origin, what: &str) {
        self.quality.dropped += 1;
        self.unmatched(origin, what);
    }

    fn unmatched(&mut self, origin: Origin, what: &str) {
        self.quality.note(Warning::Unmatched, Some(origin.offset()), || what.into());
    }
}
