//! Adds device records to the collector in the recording's form, with times still on the monotonic clock.

use proftui_base::saturate::saturate;
use proftui_wire::device::Record;
use proftui_wire::device::record::{self, Api, Kernel, Memory};

use super::graph_names::GraphNames;
use super::{DeviceCollector, LaunchKey, enum_names};
use crate::capture::process::Process;
use proftui_trace::export::recording::Thread;
use proftui_trace::export::recording::device::{
    Call, DeviceWork, GraphName, LaunchConfig, Memcpy, Memset, Overhead, Sync, WorkKind,
};

use crate::capture::process::name_table::NameTable;

impl DeviceCollector {
    /// Adds what the recording needs of a device record of `process`, whose index is `of`.
    pub(super) fn take(&mut self, of: usize, process: &Process, names: &mut NameTable, record: &Record) {
        match record {
            Record::Api(api) => self.call(of, process, names, api),
            Record::Kernel(kernel) => self.kernel(of, process, names, kernel),
            Record::Memcpy(copy) => self.memcpy(of, process, names, copy),
            Record::Memset(memset) => self.memset(of, process, names, memset),
            Record::Graph(graph) => {
                let stream = self.streams.stream(of, graph.device, graph.context, graph.stream);
                self.work(DeviceWork {
                    start: graph.start,
                    end: graph.end,
                    queued: 0,
                    submitted: 0,
                    graph_node: 0,
                    graph: graph.graph,
                    name: names.text(&format!("CUDA graph {}", graph.graph)),
                    stream,
                    correlation: graph.correlation,
                    kind: WorkKind::Graph,
                    is_cut: false,
                });
            }
            Record::Sync(wait) => {
                self.extend(wait.start, wait.end);
                self.waits.push((of, sync(names, wait)));
            }
            Record::Overhead(overhead) => {
                self.extend(overhead.start, overhead.end);
                let tid = if overhead.tid == 0 { process.pid } else { overhead.tid };
                let Thread { overheads, .. } = self.threads.entry((of, tid)).or_default();
                overheads.push(Overhead {
                    start: overhead.start,
                    end: overhead.end,
                    name: names.text(enum_names::overhead(overhead.kind)),
                    correlation: overhead.correlation,
                });
            }
            Record::Memory(memory) => {
                self.extend(memory.time, memory.time);
                self.memory.push((of, *memory));
            }
            Record::DeviceGraph(graph) => self.device_graph(of, names, graph),
            Record::Unified(event) => {
                self.extend(event.start, event.end);
                self.unified.push((of, names.text(enum_names::unified(event.kind)), *event));
            }
            Record::Pool(pool) => {
                self.extend(pool.time, pool.time);
                self.pools.push((of, 0, *pool));
            }
            Record::HostNode(node) => {
                self.extend(node.start, node.end);
                self.host_nodes.push((of, *node));
            }
            Record::Event(event) => self.events.push((of, *event)),
            Record::Device(device) => self.streams.learn_device(of, *device),
            Record::Stream(stream) => self.streams.learn_stream(of, *stream),
            Record::Name(name) => self.streams.learn_name(of, name),
            // A context needs no record of its own: its device and streams have all that is shown of it.
            Record::Context(_) => {}
        }
    }

    /// Adds a CUDA call to the thread that made it.
    fn call(&mut self, of: usize, process: &Process, names: &mut NameTable, api: &Api) {
        self.extend(api.start, api.end);
        let name = if api.name == 0 {
            let api_of = if api.is_driver() { "driver" } else { "runtime" };
            names.text(&format!("CUDA {api_of} function {}", api.function & !Api::DRIVER))
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

    /// Adds a kernel as device work; kernels on one stream share equal launch configurations.
    fn kernel(&mut self, of: usize, process: &Process, names: &mut NameTable, kernel: &Kernel) {
        let stream = self.streams.stream(of, kernel.device, kernel.context, kernel.stream);
        let Kernel { grid, block, static_shared, dynamic_shared, registers, local, launch: how, .. } =
            *kernel;
        let configs = &mut self.devices.launch_configs;
        // Occupancy depends on the device, and a stream belongs to one device.
        let key = LaunchKey { stream, grid, block, static_shared, dynamic_shared, registers, local, how };
        let launch = *self.config_indices.entry(key).or_insert_with(|| {
            configs.push(LaunchConfig {
                grid,
                block,
                static_shared,
                dynamic_shared,
                registers,
                local,
                occupancy: None,
                launched: enum_names::launched(how),
            });
            saturate::<u32>(configs.len()) - 1
        });
        self.name_graph_work(of, process, names, stream, kernel.graph_node);
        self.work(DeviceWork {
            start: kernel.start,
            end: kernel.end,
            queued: kernel.queued,
            submitted: kernel.submitted,
            graph_node: kernel.graph_node,
            graph: kernel.graph,
            name: names.kernel(of, process, kernel.name),
            stream,
            correlation: kernel.correlation,
            kind: WorkKind::Kernel(launch),
            is_cut: false,
        });
    }

    /// Adds a memory copy as device work, with its details.
    fn memcpy(&mut self, of: usize, process: &Process, names: &mut NameTable, copy: &record::Memcpy) {
        let stream = self.streams.stream(of, copy.device, copy.context, copy.stream);
        let (from, to) = copy.memories();
        let kind = enum_names::copy(copy.kind());
        let devices = (copy.source != copy.destination).then_some((copy.source, copy.destination));
        self.devices.memcpys.push(Memcpy {
            bytes: copy.bytes,
            kind,
            from: enum_names::memory(from.into()),
            to: enum_names::memory(to.into()),
            devices,
            copies: copy.copies,
            is_async: copy.is_async(),
        });
        self.name_graph_work(of, process, names, stream, copy.graph_node);
        self.work(DeviceWork {
            start: copy.start,
            end: copy.end,
            queued: 0,
            submitted: 0,
            graph_node: copy.graph_node,
            graph: copy.graph,
            name: names.text(kind),
            stream,
            correlation: copy.correlation,
            kind: WorkKind::Memcpy(saturate::<u32>(self.devices.memcpys.len()) - 1),
            is_cut: false,
        });
    }

    /// Adds a memset as device work, with its details.
    fn memset(&mut self, of: usize, process: &Process, names: &mut NameTable, memset: &record::Memset) {
        let stream = self.streams.stream(of, memset.device, memset.context, memset.stream);
        self.devices.memsets.push(Memset {
            bytes: memset.bytes,
            value: memset.value,
            kind: enum_names::memory(memset.memory().into()),
            is_async: memset.is_async(),
        });
        self.name_graph_work(of, process, names, stream, memset.graph_node);
        self.work(DeviceWork {
            start: memset.start,
            end: memset.end,
            queued: 0,
            submitted: 0,
            graph_node: memset.graph_node,
            graph: memset.graph,
            name: names.text(enum_names::MEMSET),
            stream,
            correlation: memset.correlation,
            kind: WorkKind::Memset(saturate::<u32>(self.devices.memsets.len()) - 1),
            is_cut: false,
        });
    }

    /// Stores the names of the operator and range in which the program created the CUDA graph node `node`, as
    /// far as known; 0 is no node.
    fn name_graph_work(
        &mut self,
        of: usize,
        process: &Process,
        names: &mut NameTable,
        stream: u32,
        node: u64,
    ) {
        if node == 0 {
            return;
        }
        let faults = &mut self.faults;
        let known = self.graph_names.entry(of).or_insert_with(|| GraphNames::read(process, faults));
        self.devices.graph_names.entry((stream, node)).or_insert_with(|| {
            let (operator, range) = known.of(node);
            let mut name = |number: u32| (number != 0).then(|| names.number(of, process, number));
            GraphName { operator: name(operator), range: name(range) }
        });
    }

    /// Adds a piece of device work, and extends the collection's latest time.
    pub(super) fn work(&mut self, work: DeviceWork) {
        self.extend(work.start, work.end);
        self.devices.work.push(work);
    }

    /// Raises the collection's latest time to these times, if they are later; ns of the monotonic clock.
    fn extend(&mut self, start: u64, end: u64) {
        self.last = self.last.max(start).max(end);
    }
}

/// Converts a synchronization to the recording's form, without `waited`.
fn sync(names: &mut NameTable, wait: &record::Sync) -> Sync {
    let known = |number: u32| Some(number).filter(|&number| number != u32::MAX);
    Sync {
        start: wait.start,
        end: wait.end,
        name: names.text(enum_names::sync(wait.kind)),
        correlation: wait.correlation,
        context: known(wait.context),
        stream: known(wait.stream),
        event: known(wait.event),
        waited: None,
    }
}

/// Bytes by which a memory record changes the memory in use: negative for a release.
pub(super) fn change(memory: &Memory) -> i64 {
    let bytes = i64::try_from(memory.bytes).unwrap_or(i64::MAX);
    if memory.operation == 2 { -bytes } else { bytes }
}
