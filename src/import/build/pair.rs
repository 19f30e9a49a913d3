//! Closing what was begun: `B` with `E` on a thread, `b` with `e` and `S` with `F` of one id.
//!
//! A begin without an end runs to the end of its file and is marked; an end without a begin is counted as dropped.

use rustc_hash::FxHashMap;

use crate::base::intern::StrId;
use crate::base::time::Ns;
use crate::model::{Category, Origin, SliceFlags, Warning};

use super::batch::{FlowId, Staged, StagedInstant};
use super::stage::Stage;

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
    /// Points of one category, id and scope belong together; those of the old letters must have one name, too.
    pub cat: StrId,
    pub key_name: StrId,
    pub id: FlowId,
    pub scope: StrId,
    pub track: u32,
    pub name: StrId,
    pub origin: Origin,
}

impl AsyncPoint {
    fn key(&self) -> (StrId, StrId, FlowId, StrId) {
        (self.cat, self.key_name, self.id, self.scope)
    }
}

impl Stage {
    /// Pairs everything of the file that ends.
    pub(super) fn close_pairs(&mut self) {
        let end = self.files.last().and_then(|file| file.reach).map_or(0, |(_, to)| to);
        let end = end.min(self.bound.gate.last().max(self.bound.until.unwrap_or(Ns::MIN)));
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
            let track = self.tracks[point.track as usize].track;
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
            if end_origin != Origin::NONE {
                self.ends.insert(begin.origin, end_origin);
            }
            self.push_pair(&begin, point.ts, SliceFlags::default());
        }
        let mut open: Vec<_> = stacks.into_values().flatten().collect();
        open.sort_by_key(|begin| begin.origin);
        for begin in open {
            self.unmatched(begin.origin, "a begin without an end");
            self.push_pair(&begin, end, SliceFlags::OPEN);
        }
    }

    fn push_pair(&mut self, begin: &BeginEnd, end: Ns, flags: SliceFlags) {
        let (start, origin, category) = (begin.ts, begin.origin, begin.category);
        let (name, dur) = (begin.name.unwrap_or_default(), end.saturating_sub(start).max(0));
        let slice = Staged { start, dur, origin, name, tie: 0, category, flags, is_relative: false };
        self.put(begin.track, slice);
    }

    fn close_async(&mut self, end: Ns) {
        let mut points = std::mem::take(&mut self.async_points);
        let mut families: FxHashMap<_, u32> = FxHashMap::default();
        // Numbered in the file's order.
        points.sort_by_key(|point| point.origin);
        for point in &points {
            let next = families.len() as u32 + 1;
            families.entry(point.key()).or_insert(next);
        }
        points.sort_by_key(|point| point.ts);
        let mut stacks: FxHashMap<u32, Vec<AsyncPoint>> = FxHashMap::default();
        for point in points {
            let stack = stacks.entry(families[&point.key()]).or_default();
            match point.phase {
                b'b' | b'S' => stack.push(point),
                b'e' | b'F' => match stack.pop() {
                    Some(begin) => {
                        let family = families[&begin.key()];
                        self.push_async(&begin, family, point.ts, SliceFlags::default());
                    }
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
            self.push_async(&begin, families[&begin.key()], end, SliceFlags::OPEN);
        }
    }

    fn push_async(&mut self, begin: &AsyncPoint, family: u32, end: Ns, flags: SliceFlags) {
        let (start, origin, category) = (begin.ts, begin.origin, Category::Other);
        let (name, dur) = (begin.name, end.saturating_sub(start).max(0));
        let slice = Staged { start, dur, origin, name, tie: family, category, flags, is_relative: false };
        self.put(begin.track, slice);
    }

    fn drop_end(&mut self, origin: Origin, what: &str) {
        // Its begin may be in the part that was left out.
        if self.is_part() {
            self.bound.outside += 1;
            return;
        }
        self.quality.dropped += 1;
        self.unmatched(origin, what);
    }

    fn unmatched(&mut self, origin: Origin, what: &str) {
        if self.is_part() {
            return;
        }
        self.quality.note(Warning::Unmatched, Some(origin.offset()), || what.into());
    }
}
