//! Events of a binary format: numbers and bytes, where JSON gives tokens.
//!
//! The same gate, tables and counts as for an event of JSON. Must not know which format they come from.

use crate::base::time::Ns;
use crate::import::chrome::dialect;
use crate::model::lineage::{Branch, Tree};
use crate::model::{Category, Device, GroupKind, LaneKind, MemoryKind, Origin, SliceFlags, Warning};

use super::batch::{FlowId, FlowPoint, NameTag, PointKind, Staged, TagValue, Track};
use super::clerk::Clerk;
use super::memory::StagedMemory;
use super::stage::Stage;

/// The lane that an event belongs on: a thread of a process, or a stream of a device.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Spot {
    pub pid: u64,
    pub tid: u64,
    pub group: GroupKind,
    pub kind: LaneKind,
}

/// A slice.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Range<'a> {
    pub name: &'a [u8],
    pub category: Category,
    pub flags: SliceFlags,
    pub spot: Spot,
    /// ns; none when missing.
    pub start: Option<u64>,
    pub end: Option<u64>,
    /// 0 without one.
    pub correlation: u32,
    /// Byte at which the event stands.
    pub offset: u64,
}

/// A memory event.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct Allocation<'a> {
    /// ns; none when missing.
    pub ts: Option<u64>,
    pub kind: MemoryKind,
    pub spot: Spot,
    pub place: &'a [u8],
    pub address: u64,
    pub bytes: i64,
    pub allocated: Option<u64>,
    pub reserved: Option<u64>,
    pub peak_allocated: Option<u64>,
    pub peak_reserved: Option<u64>,
    /// Byte at which the event stands.
    pub offset: u64,
}

fn signed(number: Option<u64>) -> Option<i64> {
    number.and_then(|number| i64::try_from(number).ok())
}

impl Clerk {
    fn spot(&mut self, spot: Spot) -> u32 {
        let pid = self.strings.intern(spot.pid.to_string().as_bytes());
        let tid = self.strings.intern(spot.tid.to_string().as_bytes());
        self.track_number(Track { file: self.file, pid, tid, group: spot.group, kind: spot.kind })
    }

    /// Counts an event without a usable time.
    fn no_time(&mut self, name: &[u8], offset: u64) {
        self.drop_element(Warning::BadTs, offset, &show(name));
    }

    /// Takes a slice; where it stands if it was let in.
    pub(in crate::import) fn range(&mut self, range: &Range<'_>) -> Option<Origin> {
        self.batch.phases.0[usize::from(b'X')] += 1;
        let Some(start) = signed(range.start) else {
            self.no_time(range.name, range.offset);
            return None;
        };
        let mut flags = range.flags;
        let dur = match range.end {
            Some(end) if end >= start as u64 && end <= Ns::MAX as u64 => end as Ns - start,
            unusable => {
                flags = flags.with(SliceFlags::BAD_DURATION);
                self.batch.quality.note(Warning::BadDur, Some(range.offset), || show(range.name));
                if unusable.is_some_and(|end| end > Ns::MAX as u64) { Ns::MAX - start } else { 0 }
            }
        };
        self.reach(start, start + dur);
        if start > self.gate.last() || start + dur < self.gate.from() {
            self.batch.outside += 1;
            return None;
        }
        let track = self.spot(range.spot);
        let name = self.strings.intern(range.name);
        let tie = self.tie(u64::from(range.correlation));
        let category = range.category;
        if category == Category::Kernel && self.facts(name).communicates {
            flags = flags.with(SliceFlags::COMMUNICATION);
        }
        self.batch.has_correlations |= tie != 0 && category.is_device_work();
        let origin = Origin::new(self.file, range.offset);
        self.pile(track, Staged { start, dur, origin, name, tie, category, flags, is_relative: false });
        Some(origin)
    }

    /// Takes a memory event; where it stands if it was let in.
    pub(in crate::import) fn allocation(&mut self, event: &Allocation<'_>) -> Option<Origin> {
        self.batch.phases.0[usize::from(b'i')] += 1;
        let Some(ts) = signed(event.ts) else {
            self.no_time(b"[memory]", event.offset);
            return None;
        };
        self.reach(ts, ts);
        if ts > self.gate.last() || ts < self.gate.from() {
            self.batch.outside += 1;
            return None;
        }
        let device = dialect::place_device(event.place);
        let origin = Origin::new(self.file, event.offset);
        let staged = StagedMemory {
            ts,
            kind: event.kind,
            bytes: event.bytes,
            address: event.address,
            allocated: signed(event.allocated).into(),
            reserved: signed(event.reserved).into(),
            peak_allocated: signed(event.peak_allocated).into(),
            peak_reserved: signed(event.peak_reserved).into(),
            origin,
            track: self.spot(event.spot),
            place: self.strings.intern(event.place),
            device: device.map(|n| self.strings.intern(n.to_string().as_bytes())),
        };
        self.batch.memory.push(staged);
        Some(origin)
    }

    /// Takes an end of an arrow from an operator to its backward: that of the slice that stands at `offset`.
    pub(in crate::import) fn backward_arrow(
        &mut self,
        phase: u8,
        id: u32,
        spot: Spot,
        start: u64,
        offset: u64,
    ) {
        self.batch.phases.0[usize::from(phase)] += 1;
        let Some(ts) = signed(Some(start)) else { return };
        if ts > self.gate.last() || ts < self.gate.from() {
            self.batch.outside += 1;
            return;
        }
        let word = self.strings.intern(b"fwdbwd");
        let pid = self.strings.intern(spot.pid.to_string().as_bytes());
        let tid = self.strings.intern(spot.tid.to_string().as_bytes());
        let text = id.to_string();
        let id = FlowId::number(text.as_bytes()).unwrap_or_default();
        let (kind, carrier) = (PointKind::ForwardBackward, Origin::new(self.file, offset));
        let (cat, name, file) = (word, word, self.file);
        let point = FlowPoint { ts, id, cat, name, pid, tid, file, phase, encloses: true, kind, carrier };
        self.batch.flows.push(point);
    }

    /// Names a thread.
    pub(in crate::import) fn name_thread(&mut self, pid: u64, tid: u64, name: &[u8]) {
        self.name_lane(pid, tid, None, name);
    }

    /// Names a stream of a device.
    pub(in crate::import) fn name_stream(&mut self, device: u64, stream: u64, name: &[u8]) {
        self.name_lane(device, stream, Some(LaneKind::Stream), name);
    }

    fn name_lane(&mut self, pid: u64, tid: u64, kind: Option<LaneKind>, name: &[u8]) {
        let pid = self.strings.intern(pid.to_string().as_bytes());
        let tid = self.strings.intern(tid.to_string().as_bytes());
        let what = TagValue::Name(self.strings.intern(name));
        self.batch.tags.push(NameTag { pid, thread: Some((tid, kind)), what });
    }
}

impl Stage {
    /// Says that the open file's times are whole nanoseconds.
    pub(in crate::import) fn set_exact(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.header.is_exact = true;
            file.is_fine = true;
        }
    }

    /// Adds an entry to the header of the open file.
    pub(in crate::import) fn header_entry(&mut self, key: &[u8], value: &[u8]) {
        if let Some(file) = self.files.last_mut() {
            file.header.add(key, value);
        }
    }

    /// Adds a device to the header of the open file.
    pub(in crate::import) fn device(&mut self, device: Device) {
        if let Some(file) = self.files.last_mut() {
            file.header.devices.push(device);
        }
    }

    /// Opens a tree; its number.
    pub(in crate::import) fn begin_tree(&mut self, file: u16) -> u32 {
        self.trees.push(Tree { file, thread: 0 });
        self.trees.len() as u32 - 1
    }

    /// Says which thread a tree is of.
    pub(in crate::import) fn name_tree(&mut self, tree: u32, thread: u64) {
        if let Some(tree) = self.trees.get_mut(tree as usize) {
            tree.thread = thread;
        }
    }

    /// Notes which slice holds another event.
    pub(in crate::import) fn branch(&mut self, branch: Branch) {
        self.branches.push(branch);
    }
}

/// A name in a few words, for an example.
fn show(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(60)]).into_owned()
}
