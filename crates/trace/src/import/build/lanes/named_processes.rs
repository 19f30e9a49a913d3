//! Processes whose names say what their events are, as in Ascend's traces: at the end of a file their lanes
//! become those of devices.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::dialect::ascend::{self, Process};
use crate::model::{Category, GroupKind, LaneKind, SliceFlags};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;

use super::AFTER_STREAMS;
use crate::import::build::builder::TraceBuilder;
use crate::import::build::input::{LaneKey, Slice};

impl TraceBuilder {
    /// If the file that is being closed is Ascend's: moves lanes of device processes and their flows' ends to
    /// the devices, sets categories of slices, and marks the file as Ascend's.
    pub(crate) fn apply_process_names(&mut self) {
        if self.strings.find(ascend::DEVICE).is_none() {
            return;
        }
        let number = self.files.len() - 1;
        let lanes: Vec<(usize, Process)> = (self.first_lane(number)..self.lanes.len())
            .filter_map(|lane| Some((lane, self.process(&self.lanes[lane].key)?)))
            .collect();
        let devices = self.devices(&lanes);
        if devices.is_empty() {
            return;
        }
        if let Some(file) = self.files.last_mut() {
            file.header.is_ascend = true;
        }
        // Some versions write collectives on the streams, too: their own lanes then repeat those.
        let has_collectives = lanes.iter().any(|&(lane, process)| {
            let is_collective = |slice: &Slice| ascend::is_collective(self.strings.bytes(slice.name));
            process == Process::Device && self.lanes[lane].slices.iter().any(is_collective)
        });
        let mut moved = Moved::default();
        for (lane, process) in lanes {
            let is_thread = self.lanes[lane].key.kind == LaneKind::Thread;
            match process {
                Process::Device if is_thread => {
                    self.move_lane(lane, &devices, LaneKind::Stream, &mut moved);
                    self.categorize(lane, ascend::task);
                }
                Process::Collectives if is_thread => {
                    let (name, tid) = (self.thread_name(lane), self.lanes[lane].key.tid);
                    let is_plane =
                        ascend::is_plane(self.strings.bytes(if name == StrId::EMPTY { tid } else { name }));
                    let repeats = is_plane || has_collectives;
                    let kind = if repeats { LaneKind::StreamRanges } else { LaneKind::Stream };
                    self.move_lane(lane, &devices, kind, &mut moved);
                    if !repeats {
                        self.categorize(lane, |_| Category::Kernel);
                        self.lanes[lane].slices.iter_mut().for_each(Slice::set_communication);
                    }
                }
                Process::Overlap if is_thread => {
                    self.move_lane(lane, &devices, LaneKind::StreamRanges, &mut moved);
                }
                Process::Runtime => self.categorize(lane, |_| Category::CudaRuntime),
                Process::Device | Process::Collectives | Process::Overlap => {}
            }
        }
        for flow in self.flows.iter_mut().rev().take_while(|flow| flow.origin.file() == number) {
            if let Some(&(pid, tid)) = moved.lanes.get(&(flow.pid, flow.tid)) {
                (flow.pid, flow.tid) = (pid, tid);
            }
        }
    }

    fn process(&self, key: &LaneKey) -> Option<Process> {
        let naming = self.processes.get(&(key.file, key.pid))?;
        Process::named(self.strings.bytes(naming.name))
    }

    /// Device titles, such as `NPU 0`, by the ids of the processes that belong to the devices; empty when no
    /// process has a device's streams.
    fn devices(&mut self, lanes: &[(usize, Process)]) -> FxHashMap<StrId, StrId> {
        let mut of_kind: [Vec<StrId>; 3] = [const { Vec::new() }; 3];
        for &(lane, process) in lanes {
            let processes = match process {
                Process::Device => &mut of_kind[0],
                Process::Collectives => &mut of_kind[1],
                Process::Overlap => &mut of_kind[2],
                Process::Runtime => continue,
            };
            let pid = self.lanes[lane].key.pid;
            if !processes.contains(&pid) {
                processes.push(pid);
            }
        }
        let titles: Vec<StrId> = (0..)
            .zip(&of_kind[0])
            .map(|(index, &pid)| {
                let number = ascend::device_number(self.strings.bytes(pid)).unwrap_or(index);
                self.strings.intern(format!("NPU {number}").as_bytes())
            })
            .collect();
        let Some(&last) = titles.last() else { return FxHashMap::default() };
        let titled = |processes: &Vec<StrId>| -> Vec<(StrId, StrId)> {
            let titles = titles.iter().copied().chain(std::iter::repeat(last));
            processes.iter().copied().zip(titles).collect()
        };
        of_kind.iter().flat_map(titled).collect()
    }

    /// The name that metadata gives the thread of the lane with index `lane`; [`StrId::EMPTY`] without one.
    fn thread_name(&self, lane: usize) -> StrId {
        let LaneKey { file, pid, tid, kind, .. } = self.lanes[lane].key;
        let name =
            |layer| self.threads.get(&(file, pid, tid, layer)).map_or(StrId::EMPTY, |naming| naming.name);
        Some(name(Some(kind))).filter(|&name| name != StrId::EMPTY).unwrap_or_else(|| name(None))
    }

    /// Moves a lane to the device of its process, as a lane of kind `kind`, and notes the move in `moved`.
    /// Does nothing where `devices` lacks the process.
    fn move_lane(
        &mut self,
        lane: usize,
        devices: &FxHashMap<StrId, StrId>,
        kind: LaneKind,
        moved: &mut Moved,
    ) {
        let old = self.lanes[lane].key;
        let Some(&pid) = devices.get(&old.pid) else { return };
        let naming = self.processes.get(&(old.file, old.pid)).copied().unwrap_or_default();
        let mut tid = old.tid;
        let is_stream = naming.name == self.strings.find(ascend::DEVICE).unwrap_or_default();
        if !is_stream {
            let process = self.strings.text(naming.name).to_string();
            let name = self.thread_name(lane);
            let thread = self.strings.text(if name == StrId::EMPTY { old.tid } else { name }).to_string();
            let title = if thread.contains(&process) { thread } else { format!("{process}: {thread}") };
            tid = self.strings.intern(title.as_bytes());
            if !moved.titles.insert((pid, tid)) {
                let number = self.strings.text(old.tid).to_string();
                tid = self.strings.intern(format!("{title} ({number})").as_bytes());
            }
        }
        let key = LaneKey { pid, tid, group: GroupKind::Device, kind, ..old };
        self.lanes[lane].key = key;
        self.lane_ids.remove(&old);
        self.lane_ids.insert(key, saturate::<u32>(lane));
        self.processes.entry((old.file, pid)).or_insert(naming);
        let mut thread = self.threads.get(&(old.file, old.pid, old.tid, None)).copied().unwrap_or_default();
        if !is_stream {
            // After the streams: collectives, then what repeats.
            let rank = if kind == LaneKind::StreamRanges { 2 } else { 1 };
            thread.sort =
                Some(rank * AFTER_STREAMS + thread.sort.unwrap_or_default().clamp(0, AFTER_STREAMS - 1));
        }
        self.threads.insert((old.file, pid, tid, None), thread);
        moved.lanes.insert((old.pid, old.tid), (pid, tid));
    }

    /// Categorizes the lane's slices of [`Category::Other`] with `category`, which takes their names, and
    /// flags the collective kernels among them as communication.
    fn categorize(&mut self, lane: usize, category: impl Fn(&[u8]) -> Category) {
        let mut known: FxHashMap<StrId, (Category, bool)> = FxHashMap::default();
        let strings = &self.strings;
        for slice in self.lanes[lane].slices.iter_mut().filter(|slice| slice.category == Category::Other) {
            let (category, is_collective) = *known.entry(slice.name).or_insert_with(|| {
                let name = strings.bytes(slice.name);
                (category(name), ascend::is_collective(name))
            });
            slice.category = category;
            if is_collective && category == Category::Kernel {
                slice.set_communication();
            }
        }
    }
}

impl Slice {
    fn set_communication(&mut self) {
        self.flags = self.flags.with(SliceFlags::COMMUNICATION);
    }
}

/// The lanes that were moved to devices.
#[derive(Default)]
struct Moved {
    /// The new process id and thread id of each moved lane, by its old process id and thread id.
    lanes: FxHashMap<(StrId, StrId), (StrId, StrId)>,
    /// The device's title and the title of each moved lane of collectives or overlap analysis, to make
    /// repeated titles distinct.
    titles: FxHashSet<(StrId, StrId)>,
}
