//! Processes whose names say what their events are, as in Ascend's traces: at the end of a file their lanes
//! become those of devices.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::import::dialect::ascend::{self, Process};
use crate::import::dialect::is_communication_kernel;
use crate::model::{Category, LaneKind};
use proftui_base::intern::StrId;

use super::AFTER_STREAMS;
use super::moved::{Moved, Target};
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
        let (mut moved, mut titles) = (Moved::default(), FxHashSet::default());
        for (lane, process) in lanes {
            let is_thread = self.lanes[lane].key.kind == LaneKind::Thread;
            match process {
                Process::Device if is_thread => {
                    self.move_lane(lane, &devices, LaneKind::Stream, &mut titles, &mut moved);
                    self.categorize(lane, ascend::task, is_communication_kernel);
                }
                Process::Collectives if is_thread => {
                    let (name, tid) = (self.thread_name(lane), self.lanes[lane].key.tid);
                    let is_plane =
                        ascend::is_plane(self.strings.bytes(if name == StrId::EMPTY { tid } else { name }));
                    let repeats = is_plane || has_collectives;
                    let kind = if repeats { LaneKind::StreamRanges } else { LaneKind::Stream };
                    self.move_lane(lane, &devices, kind, &mut titles, &mut moved);
                    if !repeats {
                        self.categorize(lane, |_| Category::Kernel, |_| true);
                    }
                }
                Process::Overlap if is_thread => {
                    self.move_lane(lane, &devices, LaneKind::StreamRanges, &mut titles, &mut moved);
                }
                Process::Runtime => self.categorize(lane, |_| Category::CudaRuntime, |_| false),
                Process::Device | Process::Collectives | Process::Overlap => {}
            }
        }
        self.move_flows(&moved);
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

    /// Moves a lane to the device of its process, as a lane of kind `kind`, and notes the move in `moved`.
    /// `titles`: the devices' titles and the titles of moved lanes of collectives or overlap analysis, to
    /// make repeated titles distinct. Does nothing where `devices` lacks the process.
    fn move_lane(
        &mut self,
        lane: usize,
        devices: &FxHashMap<StrId, StrId>,
        kind: LaneKind,
        titles: &mut FxHashSet<(StrId, StrId)>,
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
            if !titles.insert((pid, tid)) {
                let number = self.strings.text(old.tid).to_string();
                tid = self.strings.intern(format!("{title} ({number})").as_bytes());
            }
        }
        // After the streams: collectives, then what repeats.
        let rank = if kind == LaneKind::StreamRanges { 2 } else { 1 };
        let thread = self.threads.get(&(old.file, old.pid, old.tid, None)).copied().unwrap_or_default();
        let order = thread.sort.unwrap_or_default().clamp(0, AFTER_STREAMS - 1);
        let sort = (!is_stream).then_some(rank * AFTER_STREAMS + order);
        self.move_to_device(lane, &Target { pid, tid, kind, process: naming.name, sort }, moved);
    }
}
