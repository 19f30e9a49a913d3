//! Processes whose names say that they are devices, as XLA and rocprof name them: at the end of a file their
//! lanes become those of devices.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::import::build::builder::{Naming, TraceBuilder};
use crate::import::build::input::{LaneKey, Slice};
use crate::import::dialect::devices::{self, Process};
use crate::model::{Category, GroupKind, LaneKind};
use proftui_base::intern::StrId;

use super::AFTER_STREAMS;
use super::moved::{Moved, Target};

impl TraceBuilder {
    /// Moves the lanes of processes that are devices by their names to the devices, sets the categories of
    /// their slices and of calls of runtimes, and moves the ends of their flows, for the file that is being
    /// closed.
    pub(crate) fn apply_device_names(&mut self) {
        let number = self.files.len() - 1;
        let of_file = self.processes.iter().filter(|((file, _), _)| usize::from(*file) == number);
        let named = |(&(_, pid), naming): (&(u16, StrId), &Naming)| {
            Some((pid, Process::named(self.strings.bytes(naming.name))?))
        };
        let found: FxHashMap<StrId, Process> = of_file.filter_map(named).collect();
        if found.is_empty() {
            return;
        }
        let own: Vec<usize> = (self.first_lane(number)..self.lanes.len())
            .filter(|&lane| self.lanes[lane].key.kind == LaneKind::Thread)
            .filter(|&lane| self.lanes[lane].key.group == GroupKind::Process)
            .collect();
        let is_stream = |lane: &usize| devices::is_stream(self.strings.bytes(self.thread_name(*lane)));
        let with_streams: Vec<StrId> =
            own.iter().filter(|lane| is_stream(lane)).map(|&lane| self.lanes[lane].key.pid).collect();
        let mut moved = Moved::default();
        for lane in own {
            let key = self.lanes[lane].key;
            match found.get(&key.pid) {
                Some(Process::Device(device)) => {
                    let name = self.thread_name(lane);
                    let thread = self.strings.bytes(name);
                    let kind = devices::lane(device.producer, thread, with_streams.contains(&key.pid));
                    let category: fn(&[u8]) -> Category = match kind {
                        LaneKind::Stream => devices::work,
                        _ if devices::has_steps(thread) => |_| Category::ProfileStep,
                        _ => |_| Category::UserDefined,
                    };
                    let sort = Some(self.order(&key, kind));
                    let has_loops = kind == LaneKind::Stream && devices::has_operations(thread);
                    let pid = self.strings.intern(device.id.as_bytes());
                    if has_loops {
                        self.mark_loops(lane);
                    }
                    self.categorize(lane, category, devices::communicates);
                    let tid = self.lane_of_device(&key, name, kind);
                    let process = StrId::EMPTY;
                    self.move_to_device(lane, &Target { pid, tid, kind, process, sort }, &mut moved);
                }
                Some(Process::Calls) => self.categorize(lane, |_| Category::CudaRuntime, |_| false),
                Some(Process::Host) => {
                    self.categorize(
                        lane,
                        |name| devices::on_host(name).unwrap_or(Category::Other),
                        |_| false,
                    );
                }
                None => {}
            }
        }
        self.move_flows(&moved);
    }

    /// Gives operations that enclose others, such as loops and their bodies, the category of ranges: what a
    /// device does in them are the operations inside.
    fn mark_loops(&mut self, lane: usize) {
        let slices = &mut self.lanes[lane].slices;
        let end = |slice: &Slice| slice.start.saturating_add(slice.dur);
        slices.sort_by_key(|slice| (slice.start, Reverse(end(slice))));
        let mut last: Option<usize> = None;
        for at in 0..slices.len() {
            let (start, stop) = (slices[at].start, end(&slices[at]));
            if slices[at].dur == 0 {
                continue;
            }
            if let Some(outer) = last.and_then(|last| slices.get_mut(last))
                && start < end(outer)
                && stop <= end(outer)
            {
                outer.category = Category::UserDefined;
            }
            last = Some(at);
        }
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

    /// The position of a thread's lane among those of its device: after the streams unless it is one.
    fn order(&self, key: &LaneKey, kind: LaneKind) -> i64 {
        let sort = self.threads.get(&(key.file, key.pid, key.tid, None)).and_then(|thread| thread.sort);
        let number = std::str::from_utf8(self.strings.bytes(key.tid)).ok().and_then(|tid| tid.parse().ok());
        let order = sort.or(number).unwrap_or_default().clamp(0, AFTER_STREAMS - 1);
        if kind == LaneKind::Stream { order } else { AFTER_STREAMS + order }
    }
}
