//! Completes the collected device records: synchronizations and memory events on their threads, correlations
//! unique across processes, times on the wall clock, device work in order.

use std::collections::HashMap;

use super::take::change;
use super::{DeviceCollector, enum_names, unified};
use crate::capture::process::Process;
use proftui_base::saturate::saturate;
use proftui_trace::export::recording::Thread;
use proftui_trace::export::recording::device::{Allocation, WorkKind};
use proftui_trace::export::recording::occupancy::occupancy;

use super::streams::Numbered;

impl DeviceCollector {
    /// Resolves threads, devices and times of the collected events, once all records are taken. `last` is the
    /// recording's end, ns of the monotonic clock.
    pub fn finish(&mut self, processes: &[&Process], last: u64) {
        let text = |of: usize, name: u32| processes[of].text(name);
        let numbered = self.streams.number(text, |of| processes[of].pid);
        self.resolve_devices(&numbered);
        self.cut(last);
        self.find_waited();
        self.assign_waits(processes);
        self.assign_memory(processes, &numbered);
        self.assign_pools(processes, |of, id| numbered.device(of, id));
        self.renumber();
        let offsets: Vec<i64> = processes.iter().map(|process| process.clock_offset(last)).collect();
        self.shift_clocks(&offsets);
        self.convert_unified(&numbered, &offsets);
        let devices = &mut self.devices;
        (devices.all, devices.streams, self.numbers) = (numbered.devices, numbered.streams, numbered.numbers);
        devices.work.sort_by_key(|work| (work.stream, work.start, std::cmp::Reverse(work.end)));
    }

    /// Computes the occupancy of launch configurations, and numbers the devices of memory copies as the
    /// recording does.
    fn resolve_devices(&mut self, numbered: &Numbered) {
        for (key, &at) in &self.config_indices {
            let launch = &mut self.devices.launch_configs[at as usize];
            let device = numbered.device_of(key.stream);
            launch.occupancy = device.and_then(|device| occupancy(launch, device));
        }
        let owner = |stream: u32| self.streams.owner(stream);
        for work in &self.devices.work {
            if let WorkKind::Memcpy(at) = work.kind {
                let devices = &mut self.devices.memcpys[at as usize].devices;
                let of = owner(work.stream);
                *devices = devices.map(|(from, to)| (numbered.device(of, from), numbered.device(of, to)));
            }
        }
    }

    /// Gives an end to events that had not ended, and marks device work among them as cut. The end is `last`,
    /// but for work after which its stream ran other work: a stream runs one after the other, so the start of
    /// the next is the latest end that can be.
    fn cut(&mut self, last: u64) {
        let mut starts: HashMap<u32, Vec<u64>> = HashMap::new();
        for work in self.devices.work.iter().filter(|work| work.end < work.start) {
            starts.entry(work.stream).or_default();
            self.counts.unfinished += 1;
        }
        if !starts.is_empty() {
            for work in &self.devices.work {
                starts.entry(work.stream).and_modify(|starts| starts.push(work.start));
            }
            starts.values_mut().for_each(|starts| starts.sort_unstable());
        }
        for work in self.devices.work.iter_mut().filter(|work| work.end < work.start) {
            let starts = starts.get(&work.stream).map_or(&[][..], Vec::as_slice);
            let next = starts.get(starts.partition_point(|&start| start <= work.start));
            (work.end, work.is_cut) = (next.map_or(last.max(work.start), |&next| next), true);
        }
        let threads = self.threads.values_mut();
        for thread in threads {
            thread.calls.iter_mut().for_each(|call| call.end = until(call.start, call.end, last));
            thread.syncs.iter_mut().for_each(|sync| sync.end = until(sync.start, sync.end, last));
            thread.overheads.iter_mut().for_each(|over| over.end = until(over.start, over.end, last));
        }
        self.waits.iter_mut().for_each(|(_, wait)| wait.end = until(wait.start, wait.end, last));
        self.host_nodes.iter_mut().for_each(|(_, node)| node.end = until(node.start, node.end, last));
        self.unified.iter_mut().for_each(|(_, _, event)| event.end = until(event.start, event.end, last));
    }

    /// Converts the events of unified memory to the recording's form, with times on the wall clock, and sorts
    /// them.
    fn convert_unified(&mut self, numbered: &Numbered, offsets: &[i64]) {
        for (of, name, mut event) in std::mem::take(&mut self.unified) {
            let offset = offsets.get(of).copied().unwrap_or_default();
            for time in [&mut event.start, &mut event.end] {
                *time = time.checked_add_signed(offset).unwrap_or(*time);
            }
            let number = |id| numbered.numbers.get(&(of, id)).copied();
            let first = self.streams.first_device(of).map_or(0, |id| numbered.device(of, id));
            self.devices.unified.push(unified::converted(&event, name, first, number));
        }
        self.devices.unified.sort_by_key(|event| (event.device, event.start, std::cmp::Reverse(event.end)));
    }

    /// Finds, for pairs of a process's index and a correlation other than 0, the id of the thread that made
    /// the call; `None` if the call is not known.
    pub(super) fn callers(
        &self,
        wanted: impl Iterator<Item = (usize, u32)>,
    ) -> HashMap<(usize, u32), Option<u32>> {
        let wanted = wanted.filter(|&(_, number)| number != 0);
        let mut callers: HashMap<(usize, u32), Option<u32>> = wanted.map(|key| (key, None)).collect();
        if callers.is_empty() {
            return callers;
        }
        for (&(of, tid), thread) in &self.threads {
            for call in &thread.calls {
                if let Some(caller) = callers.get_mut(&(of, call.correlation)) {
                    *caller = Some(tid);
                }
            }
        }
        callers
    }

    /// Sets `waited` of waits for CUDA events: stream and correlation of the call that last recorded the
    /// event before the wait.
    fn find_waited(&mut self) {
        let mut records: HashMap<(usize, u32, u32), Vec<(u32, u32)>> = HashMap::new();
        for (of, event) in std::mem::take(&mut self.events) {
            let of_event = records.entry((of, event.context, event.event)).or_default();
            of_event.push((event.correlation, event.stream));
        }
        records.values_mut().for_each(|records| records.sort_unstable());
        for (of, wait) in &mut self.waits {
            let (Some(context), Some(event)) = (wait.context, wait.event) else { continue };
            let Some(records) = records.get(&(*of, context, event)) else { continue };
            let before = records.partition_point(|record| record.0 < wait.correlation);
            let last = before.checked_sub(1).and_then(|at| records.get(at)).or(records.last());
            let is_before = |record: &&(u32, u32)| wait.correlation.wrapping_sub(record.0) < 1 << 31;
            wait.waited = last.filter(is_before).map(|&(correlation, stream)| (stream, correlation));
        }
    }

    /// Assigns each synchronization to the thread whose call has its correlation, or to the process's main
    /// thread if no call has.
    fn assign_waits(&mut self, processes: &[&Process]) {
        let callers = self.callers(self.waits.iter().map(|(of, wait)| (*of, wait.correlation)));
        for (of, wait) in std::mem::take(&mut self.waits) {
            let caller = callers.get(&(of, wait.correlation)).copied().flatten();
            let tid = caller.unwrap_or(processes[of].pid);
            self.threads.entry((of, tid)).or_default().syncs.push(wait);
        }
    }

    /// Assigns memory events to threads by correlation, and computes the memory in use after each event and
    /// its peak, by process and place.
    fn assign_memory(&mut self, processes: &[&Process], numbered: &Numbered) {
        let callers = self.callers(self.memory.iter().map(|(of, memory)| (*of, memory.correlation)));
        let mut events = std::mem::take(&mut self.memory);
        events.sort_by_key(|(_, memory)| memory.time);
        let mut in_use: HashMap<(usize, String), (u64, u64)> = HashMap::new();
        for (of, memory) in events {
            let place = enum_names::place(memory.kind, numbered.device(of, memory.device));
            let bytes = change(&memory);
            let (now, peak) = in_use.entry((of, place.clone())).or_default();
            *now = now.saturating_add_signed(bytes);
            *peak = (*peak).max(*now);
            let allocation = Allocation {
                time: memory.time,
                address: memory.address,
                bytes,
                place,
                kind: enum_names::memory(memory.kind),
                in_use: *now,
                peak: *peak,
                correlation: memory.correlation,
                ..Allocation::default()
            };
            let caller = callers.get(&(of, memory.correlation)).copied().flatten();
            let tid = caller.unwrap_or(processes[of].pid);
            self.threads.entry((of, tid)).or_default().allocations.push(allocation);
        }
    }

    /// Makes correlations unique across processes; 0 stays 0.
    fn renumber(&mut self) {
        let mut of: Vec<usize> = self.threads.keys().map(|key| key.0).collect();
        of.extend((0..self.streams.streams()).map(|stream| self.streams.owner(stream)));
        of.sort_unstable();
        of.dedup();
        if of.len() < 2 {
            return;
        }
        let mut known: HashMap<(usize, u32), u32> = HashMap::new();
        let mut anew = |of: usize, number: &mut u32| {
            if *number != 0 {
                let next = saturate::<u32>(known.len()) + 1;
                *number = *known.entry((of, *number)).or_insert(next);
            }
        };
        for (&(of, _), thread) in &mut self.threads {
            thread.calls.iter_mut().for_each(|call| anew(of, &mut call.correlation));
            for sync in &mut thread.syncs {
                anew(of, &mut sync.correlation);
                if let Some((_, record)) = &mut sync.waited {
                    anew(of, record);
                }
            }
            thread.overheads.iter_mut().for_each(|overhead| anew(of, &mut overhead.correlation));
            thread.allocations.iter_mut().for_each(|memory| anew(of, &mut memory.correlation));
        }
        self.pools.iter_mut().for_each(|(of, _, pool)| anew(*of, &mut pool.correlation));
        self.host_nodes.iter_mut().for_each(|(of, node)| anew(*of, &mut node.correlation));
        for work in &mut self.devices.work {
            anew(self.streams.owner(work.stream), &mut work.correlation);
        }
    }

    /// Converts the times of most events from the monotonic to the wall clock. `offsets` are the clock
    /// offsets of the processes, ns, by their index.
    fn shift_clocks(&mut self, offsets: &[i64]) {
        let shift = |of: usize, times: &mut [&mut u64]| {
            let offset = offsets.get(of).copied().unwrap_or_default();
            times.iter_mut().for_each(|time| **time = time.checked_add_signed(offset).unwrap_or(**time));
        };
        for (&(of, _), thread) in &mut self.threads {
            let Thread { calls, syncs, overheads, allocations, .. } = thread;
            calls.iter_mut().for_each(|call| shift(of, &mut [&mut call.start, &mut call.end]));
            syncs.iter_mut().for_each(|sync| shift(of, &mut [&mut sync.start, &mut sync.end]));
            overheads.iter_mut().for_each(|over| shift(of, &mut [&mut over.start, &mut over.end]));
            allocations.iter_mut().for_each(|memory| shift(of, &mut [&mut memory.time]));
        }
        self.pools.iter_mut().for_each(|(of, _, pool)| shift(*of, &mut [&mut pool.time]));
        for (of, node) in &mut self.host_nodes {
            shift(*of, &mut [&mut node.start, &mut node.end]);
        }
        for work in &mut self.devices.work {
            let of = self.streams.owner(work.stream);
            shift(of, &mut [&mut work.start, &mut work.end]);
            // 0 means an unknown time, and is not converted.
            for time in [&mut work.queued, &mut work.submitted] {
                if *time != 0 {
                    shift(of, &mut [time]);
                }
            }
        }
    }
}

/// The end of an event, or, if the event had not ended (`end` is before `start`), the later of `start` and
/// `last`.
fn until(start: u64, end: u64, last: u64) -> u64 {
    if end < start { last.max(start) } else { end }
}
