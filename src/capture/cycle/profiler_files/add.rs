//! Adds the GPU's events of files to the devices and threads of a cycle. Must not know files.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use proftui_base::saturate::saturate;
use proftui_trace::export::recording::device::{
    self, Device, DeviceWork, Devices, LaunchConfig, Stream, WorkKind,
};
use proftui_trace::export::recording::occupancy::occupancy;

use super::super::threads::Threads;
use super::events::{Call, Content, Details, Work};
use crate::capture::process::name_table::NameTable;

/// Identity of an event of a file: process index, start and end (ns since 1970), correlation, and for device
/// work the ids of device and stream.
type Known = (usize, (u64, u64), u32, Option<(u32, u32)>);

/// Adds events to the devices and threads of a cycle. Sorts the device work, if needed, when dropped.
pub(super) struct Adder<'a> {
    devices: &'a mut Devices,
    threads: &'a mut Threads,
    number: &'a dyn Fn(usize, u32) -> u32,
    /// Events of the files so far, by which duplicates are found.
    known: HashSet<Known>,
}

impl<'a> Adder<'a> {
    /// An adder without events; `number` returns a device's number in the recording by a process's index and
    /// the device's id.
    pub(super) fn new(
        devices: &'a mut Devices,
        threads: &'a mut Threads,
        number: &'a dyn Fn(usize, u32) -> u32,
    ) -> Self {
        Self { devices, threads, number, known: HashSet::new() }
    }

    /// Adds new events from a file of the process with index `of` and id `pid` and, if there is device work
    /// among them, the file's new devices; returns the number of added events.
    pub(super) fn add(&mut self, of: usize, pid: u32, content: Content, names: &mut NameTable) -> u64 {
        let Content { mut work, mut calls, .. } = content;
        let of_work = |work: &Work| (of, work.times, work.correlation, Some((work.device, work.stream)));
        let of_call = |call: &Call| (of, call.times, call.correlation, None);
        let keys: Vec<Known> = work.iter().map(of_work).chain(calls.iter().map(of_call)).collect();
        // Events of one file may be alike, and are several.
        work.retain(|work| !self.known.contains(&of_work(work)));
        calls.retain(|call| !self.known.contains(&of_call(call)));
        self.known.extend(keys);
        let added = (work.len() + calls.len()) as u64;
        for work in &mut work {
            work.device = (self.number)(of, work.device);
        }
        for (id, name) in content.devices.into_iter().map(|(id, name)| ((self.number)(of, id), name)) {
            if !work.is_empty() && !self.devices.all.iter().any(|device| device.id == id) {
                self.devices.all.push(Device { id, name, ..Device::default() });
                self.devices.all.sort_by_key(|device| device.id);
            }
        }
        let all = work.iter().map(|work| work.correlation).chain(calls.iter().map(|call| call.correlation));
        let offset = self.offset(all.filter(|&number| number != 0).min());
        let renumbered =
            |number: u32| if number == 0 { 0 } else { number.checked_add(offset).unwrap_or_default() };
        let mut configs = HashMap::new();
        for work in work {
            let name = names.bytes(&work.name);
            let stream = self.stream(pid, &work);
            let kind = self.details(&work, stream, &mut configs);
            self.devices.work.push(DeviceWork {
                start: work.times.0,
                end: work.times.1,
                queued: 0,
                submitted: 0,
                graph_node: 0,
                graph: 0,
                name,
                stream,
                correlation: renumbered(work.correlation),
                kind,
                is_cut: false,
            });
        }
        for call in calls {
            self.threads.entry((of, call.tid)).or_default().calls.push(device::Call {
                start: call.times.0,
                end: call.times.1,
                name: names.bytes(&call.name),
                correlation: renumbered(call.correlation),
                function: call.function,
                returned: 0,
            });
        }
        added
    }

    /// What to add to a file's correlations to distinguish them from the cycle's. `least` is the smallest
    /// nonzero correlation of the file.
    fn offset(&self, least: Option<u32>) -> u32 {
        let of_work = self.devices.work.iter().map(|work| work.correlation);
        let of_calls = self.threads.values().flat_map(|thread| &thread.calls).map(|call| call.correlation);
        let most = of_work.chain(of_calls).max().unwrap_or_default();
        if least.is_none_or(|least| least > most) { 0 } else { most }
    }

    /// Index in `devices.streams` of the stream of process `pid` that `work` ran on; adds the stream if it is
    /// new.
    fn stream(&mut self, pid: u32, work: &Work) -> u32 {
        let &Work { device, context, stream: id, .. } = work;
        let streams = &mut self.devices.streams;
        let is_same = |stream: &Stream| {
            (stream.pid, stream.device, stream.id, stream.context) == (pid, device, id, context)
        };
        if let Some(at) = streams.iter().position(is_same) {
            return saturate::<u32>(at);
        }
        // Greater than any stream's own id.
        let others = (1..=u32::MAX).map(|n| id.wrapping_add(n.wrapping_mul(1_000_000)));
        let is_free =
            |lane: &u32| !streams.iter().any(|stream| (stream.device, stream.lane) == (device, *lane));
        let lane = std::iter::once(id).chain(others).find(is_free).unwrap_or(id);
        streams.push(Stream { device, lane, id, context, pid, ..Stream::default() });
        saturate::<u32>(streams.len()) - 1
    }

    /// Stores the details of work on the stream with index `stream`, and returns their kind and index;
    /// `configs` has the launch configurations of the file so far.
    fn details(&mut self, work: &Work, stream: u32, configs: &mut HashMap<ConfigKey, u32>) -> WorkKind {
        let Devices { all, launch_configs, memcpys, memsets, .. } = &mut *self.devices;
        match &work.details {
            Details::Kernel(config) => {
                let LaunchConfig { grid, block, dynamic_shared, registers, .. } = *config;
                let at =
                    *configs.entry((stream, grid, block, dynamic_shared, registers)).or_insert_with(|| {
                        let device = all.iter().find(|device| device.id == work.device);
                        let occupancy = device.and_then(|device| occupancy(config, device));
                        launch_configs.push(LaunchConfig { occupancy, ..*config });
                        saturate::<u32>(launch_configs.len()) - 1
                    });
                WorkKind::Kernel(at)
            }
            Details::Memcpy(memcpy) => {
                memcpys.push(*memcpy);
                WorkKind::Memcpy(saturate::<u32>(memcpys.len()) - 1)
            }
            Details::Memset(memset) => {
                memsets.push(*memset);
                WorkKind::Memset(saturate::<u32>(memsets.len()) - 1)
            }
        }
    }
}

/// Key of a kernel's launch configuration in a file: stream, grid, block, dynamic shared memory, registers.
type ConfigKey = (u32, [u32; 3], [u32; 3], u32, u32);

impl Drop for Adder<'_> {
    fn drop(&mut self) {
        if !self.known.is_empty() {
            self.devices.work.sort_by_key(|work| (work.stream, work.start, Reverse(work.end)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(correlation: u32) -> Content {
        let config = LaunchConfig { grid: [1; 3], block: [32, 1, 1], ..LaunchConfig::default() };
        let work = Work {
            times: (10, 20),
            name: b"k".to_vec(),
            correlation,
            device: 0,
            context: 1,
            stream: 7,
            details: Details::Kernel(config),
        };
        let call = Call { times: (5, 6), name: b"launch".to_vec(), correlation, function: 211, tid: 9 };
        let devices = vec![(0, "G".to_owned())];
        Content { work: vec![work], calls: vec![call], devices, faults: Vec::new() }
    }

    #[test]
    fn events_are_added_once_and_their_correlations_are_their_own() {
        let (mut devices, mut threads, mut names) =
            (Devices::default(), Threads::default(), NameTable::default());
        let number = |of, id| if of == 1 { id + 4 } else { id };
        let mut adder = Adder::new(&mut devices, &mut threads, &number);
        assert_eq!(adder.add(0, 42, content(3), &mut names), 2);
        assert_eq!(adder.add(0, 42, content(3), &mut names), 0, "of a second file");
        let mut twice = content(3);
        twice.work.extend(content(3).work);
        assert_eq!(adder.add(1, 43, content(3), &mut names), 2, "of another process");
        assert_eq!(adder.add(2, 44, twice, &mut names), 3, "two that are alike, in one file");
        drop(adder);
        let work: Vec<_> = devices.work.iter().map(|work| (work.stream, work.correlation)).collect();
        assert_eq!(work[..2], [(0, 3), (1, 6)]);
        let calls: Vec<_> =
            threads.values().flat_map(|thread| &thread.calls).map(|call| call.correlation).collect();
        assert_eq!(calls[..2], [3, 6]);
        let streams: Vec<_> =
            devices.streams.iter().map(|stream| (stream.pid, stream.id, stream.lane)).collect();
        assert_eq!(streams, [(42, 7, 7), (43, 7, 7), (44, 7, 1_000_007)]);
        let all: Vec<_> = devices.all.iter().map(|device| device.id).collect();
        assert_eq!(
            (all, devices.launch_configs.len()),
            (vec![0, 4], 3),
            "each process has a device of its own"
        );
    }
}
