//! Records as the recording holds them, their times still on the monotonic clock.

use proftui_wire::device::Record;
use proftui_wire::device::record::{Api, Kernel, Memcpy, Memory, Memset, Sync};

use super::super::process::Process;
use super::enum_names;
use super::{DeviceCollector, LaunchKey};
use crate::export::recording::device::{Call, Copy, Fill, Launch, Stall, What, Work};
use crate::model::nodetree::{OVERHEAD, SYNCHRONIZATION};

use super::super::naming::Names;

impl DeviceCollector {
    /// Takes a record of a process.
    pub(super) fn take(&mut self, of: usize, process: &Process, names: &mut Names, record: &Record) {
        match record {
            Record::Api(api) => self.call(of, process, names, api),
            Record::Kernel(kernel) => self.kernel(of, process, names, kernel),
            Record::Memcpy(copy) => self.copy(of, names, copy),
            Record::Memset(fill) => self.fill(of, names, fill),
            Record::Graph(graph) => {
                let stream = self.streams.stream(of, graph.device, graph.context, graph.stream);
                self.work(Work {
                    start: graph.start,
                    end: graph.end,
                    queued: 0,
                    submitted: 0,
                    graph_node: 0,
                    graph: graph.graph,
                    name: names.word(&format!("CUDA graph {}", graph.graph)),
                    stream,
                    correlation: graph.correlation,
                    what: What::Graph,
                    is_cut: false,
                });
            }
            Record::Sync(wait) => {
                self.reach(wait.start, wait.end);
                self.waits.push((of, stall(names, wait)));
            }
            Record::Overhead(overhead) => {
                self.reach(overhead.start, overhead.end);
                let stall = Stall {
                    start: overhead.start,
                    end: overhead.end,
                    kind: OVERHEAD,
                    name: names.word(enum_names::overhead(overhead.kind)),
                    correlation: overhead.correlation,
                    context: None,
                    stream: None,
                    event: None,
                };
                let tid = if overhead.tid == 0 { process.pid } else { overhead.tid };
                self.threads.entry((of, tid)).or_default().stalls.push(stall);
            }
            Record::Memory(memory) => {
                self.reach(memory.time, memory.time);
                self.memory.push((of, *memory));
            }
            Record::Device(device) => self.streams.learn_device(of, *device),
            Record::Stream(stream) => self.streams.learn_stream(of, *stream),
            Record::Name(name) => self.streams.learn_name(of, name),
            // Its device and streams tell all that is shown of it.
            Record::Context(_) => {}
        }
    }

    fn call(&mut self, of: usize, process: &Process, names: &mut Names, api: &Api) {
        self.reach(api.start, api.end);
        let name = if api.name == 0 {
            let api_of = if api.is_driver() { "driver" } else { "runtime" };
            names.word(&format!("CUDA {api_of} function {}", api.function & !Api::DRIVER))
        } else {
            names.number(of, process, api.name)
        };
        let call = Call {
            start: api.start,
            end: api.end,
            name,
            correlation: api.correlation,
            function: api.function,
            returned: api.returned,
        };
        self.threads.entry((of, api.tid)).or_default().calls.push(call);
    }

    fn kernel(&mut self, of: usize, process: &Process, names: &mut Names, kernel: &Kernel) {
        let stream = self.streams.stream(of, kernel.device, kernel.context, kernel.stream);
        let Kernel { grid, block, static_shared, dynamic_shared, registers, local, .. } = *kernel;
        let launches = &mut self.devices.launches;
        // How a launch fills a device depends on the device, and each stream is of one.
        let key = LaunchKey { stream, grid, block, static_shared, dynamic_shared, registers, local };
        let launch = *self.launches.entry(key).or_insert_with(|| {
            launches.push(Launch {
                grid,
                block,
                static_shared,
                dynamic_shared,
                registers,
                local,
                occupancy: None,
            });
            launches.len() as u32 - 1
        });
        self.work(Work {
            start: kernel.start,
            end: kernel.end,
            queued: kernel.queued,
            submitted: kernel.submitted,
            graph_node: kernel.graph_node,
            graph: kernel.graph,
            name: names.kernel(of, process, kernel.name),
            stream,
            correlation: kernel.correlation,
            what: What::Kernel(launch),
            is_cut: false,
        });
    }

    fn copy(&mut self, of: usize, names: &mut Names, copy: &Memcpy) {
        let stream = self.streams.stream(of, copy.device, copy.context, copy.stream);
        let (from, to) = copy.memories();
        let kind = enum_names::copy(copy.kind());
        let devices = (copy.source != copy.destination).then_some((copy.source, copy.destination));
        self.devices.copies.push(Copy {
            bytes: copy.bytes,
            kind,
            from: enum_names::memory(from.into()),
            to: enum_names::memory(to.into()),
            devices,
            copies: copy.copies,
            is_async: copy.is_async(),
        });
        self.work(Work {
            start: copy.start,
            end: copy.end,
            queued: 0,
            submitted: 0,
            graph_node: copy.graph_node,
            graph: copy.graph,
            name: names.word(kind),
            stream,
            correlation: copy.correlation,
            what: What::Copy(self.devices.copies.len() as u32 - 1),
            is_cut: false,
        });
    }

    fn fill(&mut self, of: usize, names: &mut Names, fill: &Memset) {
        let stream = self.streams.stream(of, fill.device, fill.context, fill.stream);
        self.devices.fills.push(Fill {
            bytes: fill.bytes,
            value: fill.value,
            kind: enum_names::memory(fill.memory().into()),
            is_async: fill.is_async(),
        });
        self.work(Work {
            start: fill.start,
            end: fill.end,
            queued: 0,
            submitted: 0,
            graph_node: fill.graph_node,
            graph: fill.graph,
            name: names.word(enum_names::FILL),
            stream,
            correlation: fill.correlation,
            what: What::Fill(self.devices.fills.len() as u32 - 1),
            is_cut: false,
        });
    }

    fn work(&mut self, work: Work) {
        self.reach(work.start, work.end);
        self.devices.work.push(work);
    }

    fn reach(&mut self, start: u64, end: u64) {
        self.last = self.last.max(start).max(end);
    }
}

fn stall(names: &mut Names, wait: &Sync) -> Stall {
    let told = |number: u32| Some(number).filter(|&number| number != u32::MAX);
    Stall {
        start: wait.start,
        end: wait.end,
        kind: SYNCHRONIZATION,
        name: names.word(enum_names::synchronization(wait.kind)),
        correlation: wait.correlation,
        context: told(wait.context),
        stream: told(wait.stream),
        event: told(wait.event),
    }
}

/// Encoded that a record took, below 0 where it gave them back.
pub(super) fn change(memory: &Memory) -> i64 {
    let bytes = i64::try_from(memory.bytes).unwrap_or(i64::MAX);
    if memory.operation == 2 { -bytes } else { bytes }
}
