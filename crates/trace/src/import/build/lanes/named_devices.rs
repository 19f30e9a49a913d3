//! Processes whose names say that they are devices, as XLA and rocprof name them: at the end of a file their
//! lanes become those of devices.

use rustc_hash::FxHashMap;

use crate::import::build::builder::{Naming, TraceBuilder};
use crate::import::build::input::LaneKey;
use crate::import::dialect::devices::{self, Device};
use crate::import::dialect::is_communication_kernel;
use crate::model::{Category, GroupKind, LaneKind, SliceFlags};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

use super::AFTER_STREAMS;

impl TraceBuilder {
    /// Moves the lanes of processes that are devices by their names to the devices, sets the categories of
    /// their slices, and moves the ends of their flows, for the file that is being closed.
    pub(crate) fn apply_device_names(&mut self) {
        let number = self.files.len() - 1;
        let of_file = self.processes.iter().filter(|((file, _), _)| usize::from(*file) == number);
        let mut found: FxHashMap<StrId, Device> = FxHashMap::default();
        let mut callers: Vec<StrId> = Vec::new();
        for (&(_, pid), naming) in of_file {
            let name = self.strings.bytes(naming.name);
            if let Some(device) = Device::named(name) {
                found.insert(pid, device);
            } else if devices::has_runtime_calls(name) {
                callers.push(pid);
            }
        }
        if found.is_empty() {
            return;
        }
        let own: Vec<usize> = (self.first_lane(number)..self.lanes.len())
            .filter(|&lane| self.lanes[lane].key.group == GroupKind::Process)
            .collect();
        let is_stream = |lane: &usize| devices::is_stream(self.strings.bytes(self.name_of_thread(*lane)));
        let with_streams: Vec<StrId> =
            own.iter().filter(|lane| is_stream(lane)).map(|&lane| self.lanes[lane].key.pid).collect();
        let mut moved: FxHashMap<(StrId, StrId), (StrId, StrId)> = FxHashMap::default();
        for lane in own {
            let key = self.lanes[lane].key;
            if callers.contains(&key.pid) && key.kind == LaneKind::Thread {
                self.set_categories(lane, |_| Category::CudaRuntime);
            }
            let Some(device) = found.get(&key.pid).filter(|_| key.kind == LaneKind::Thread) else { continue };
            let name = self.name_of_thread(lane);
            let thread = self.strings.bytes(name);
            let kind = devices::lane(device.producer, thread, with_streams.contains(&key.pid));
            let has_steps = devices::has_steps(thread);
            let pid = self.strings.intern(device.id.as_bytes());
            if kind == LaneKind::Stream {
                self.set_categories(lane, devices::work);
            } else {
                let category = if has_steps { Category::ProfileStep } else { Category::UserDefined };
                self.set_categories(lane, |_| category);
            }
            let tid = self.lane_of_device(&key, name, kind);
            self.move_to_device(lane, pid, tid, kind);
            moved.insert((key.pid, key.tid), (pid, tid));
        }
        for flow in self.flows.iter_mut().rev().take_while(|flow| flow.origin.file() == number) {
            if let Some(&(pid, tid)) = moved.get(&(flow.pid, flow.tid)) {
                (flow.pid, flow.tid) = (pid, tid);
            }
        }
    }

    /// The name that metadata gives the thread of a lane, for all its layers; [`StrId::EMPTY`] without one.
    fn name_of_thread(&self, lane: usize) -> StrId {
        let LaneKey { file, pid, tid, .. } = self.lanes[lane].key;
        self.threads.get(&(file, pid, tid, None)).map_or(StrId::EMPTY, |naming| naming.name)
    }

    /// The id of a lane on a device, which is its title: the name of the thread, such as `Stream
    /// #13(Compute)`; without a name the old id.
    fn lane_of_device(&mut self, key: &LaneKey, name: StrId, kind: LaneKind) -> StrId {
        if name == StrId::EMPTY {
            return key.tid;
        }
        let title = self.strings.text(name).to_string();
        let is_range = kind == LaneKind::StreamRanges && !title.contains(' ');
        if is_range { self.strings.intern(format!("XLA {title}").as_bytes()) } else { name }
    }

    fn move_to_device(&mut self, lane: usize, pid: StrId, tid: StrId, kind: LaneKind) {
        let old = self.lanes[lane].key;
        let key = LaneKey { pid, tid, group: GroupKind::Device, kind, ..old };
        self.lanes[lane].key = key;
        self.lane_ids.remove(&old);
        self.lane_ids.insert(key, saturate::<u32>(lane));
        let naming = self.processes.get(&(old.file, old.pid)).copied().unwrap_or_default();
        self.processes.entry((old.file, pid)).or_insert(Naming { name: StrId::EMPTY, ..naming });
        let thread = self.threads.get(&(old.file, old.pid, old.tid, None)).copied().unwrap_or_default();
        let number = std::str::from_utf8(self.strings.bytes(old.tid)).ok().and_then(|tid| tid.parse().ok());
        let order = thread.sort.or(number).unwrap_or_default().clamp(0, AFTER_STREAMS - 1);
        let after = if kind == LaneKind::Stream { 0 } else { AFTER_STREAMS };
        self.threads.insert((old.file, pid, tid, None), Naming { sort: Some(after + order), ..thread });
    }

    /// Gives the lane's slices of [`Category::Other`] the category that `category` has for their names, and
    /// flags kernels that communicate.
    fn set_categories(&mut self, lane: usize, category: impl Fn(&[u8]) -> Category) {
        let mut known: FxHashMap<StrId, (Category, bool)> = FxHashMap::default();
        let strings = &self.strings;
        for slice in self.lanes[lane].slices.iter_mut().filter(|slice| slice.category == Category::Other) {
            let (category, communicates) = *known.entry(slice.name).or_insert_with(|| {
                let name = strings.bytes(slice.name);
                let category = category(name);
                (category, category == Category::Kernel && is_communication_kernel(name))
            });
            slice.category = category;
            if communicates {
                slice.flags = slice.flags.with(SliceFlags::COMMUNICATION);
            }
        }
    }
}
