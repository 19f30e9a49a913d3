//! Lanes of host processes that become lanes of devices: moving them, the ends of their flows, and the
//! categories of their slices.
//!
//! Must not know by which names a device is recognised.

use rustc_hash::FxHashMap;

use crate::import::build::builder::{Naming, TraceBuilder};
use crate::import::build::input::{LaneKey, Slice};
use crate::model::{Category, GroupKind, LaneKind, SliceFlags};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

/// The new process id and thread id of each moved lane, by its old process id and thread id.
#[derive(Default)]
pub(super) struct Moved(FxHashMap<(StrId, StrId), (StrId, StrId)>);

/// Where a lane moves to.
pub(super) struct Target {
    /// The device's id.
    pub pid: StrId,
    /// The lane's id on the device.
    pub tid: StrId,
    pub kind: LaneKind,
    /// The name of the device's process.
    pub process: StrId,
    /// The position among the device's lanes; `None`: as the thread's.
    pub sort: Option<i64>,
}

impl TraceBuilder {
    /// The name that metadata gives the thread of a lane; [`StrId::EMPTY`] without one.
    pub(super) fn thread_name(&self, lane: usize) -> StrId {
        let LaneKey { file, pid, tid, kind, .. } = self.lanes[lane].key;
        let name =
            |layer| self.threads.get(&(file, pid, tid, layer)).map_or(StrId::EMPTY, |naming| naming.name);
        Some(name(Some(kind))).filter(|&name| name != StrId::EMPTY).unwrap_or_else(|| name(None))
    }

    /// Makes a lane one of a device, and notes that in `moved`.
    pub(super) fn move_to_device(&mut self, lane: usize, to: &Target, moved: &mut Moved) {
        let old = self.lanes[lane].key;
        let key = LaneKey { pid: to.pid, tid: to.tid, group: GroupKind::Device, kind: to.kind, ..old };
        self.lanes[lane].key = key;
        self.lane_ids.remove(&old);
        self.lane_ids.insert(key, saturate::<u32>(lane));
        let naming = self.processes.get(&(old.file, old.pid)).copied().unwrap_or_default();
        self.processes.entry((old.file, to.pid)).or_insert(Naming { name: to.process, ..naming });
        let thread = self.threads.get(&(old.file, old.pid, old.tid, None)).copied().unwrap_or_default();
        let sort = to.sort.or(thread.sort);
        self.threads.insert((old.file, to.pid, to.tid, None), Naming { sort, ..thread });
        moved.0.insert((old.pid, old.tid), (to.pid, to.tid));
    }

    /// Moves the ends of flows on `moved` lanes, for the file that is being closed.
    pub(super) fn move_flows(&mut self, moved: &Moved) {
        let number = self.files.len() - 1;
        for flow in self.flows.iter_mut().rev().take_while(|flow| flow.origin.file() == number) {
            if let Some(&(pid, tid)) = moved.0.get(&(flow.pid, flow.tid)) {
                (flow.pid, flow.tid) = (pid, tid);
            }
        }
    }

    /// Gives the lane's slices of [`Category::Other`] the category that `category` has for their names, and
    /// flags the kernels among them that communicate by `communicates`.
    pub(super) fn categorize(
        &mut self,
        lane: usize,
        category: impl Fn(&[u8]) -> Category,
        communicates: impl Fn(&[u8]) -> bool,
    ) {
        let mut known: FxHashMap<StrId, (Category, bool)> = FxHashMap::default();
        let strings = &self.strings;
        for slice in self.lanes[lane].slices.iter_mut().filter(|slice| slice.category == Category::Other) {
            let (category, communicates) = *known.entry(slice.name).or_insert_with(|| {
                let name = strings.bytes(slice.name);
                let category = category(name);
                (category, category == Category::Kernel && communicates(name))
            });
            slice.category = category;
            if communicates {
                slice.set_communication();
            }
        }
    }
}

impl Slice {
    /// Flags the slice as communication.
    pub(super) fn set_communication(&mut self) {
        self.flags = self.flags.with(SliceFlags::COMMUNICATION);
    }
}
