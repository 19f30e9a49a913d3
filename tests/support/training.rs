//! The recording of a training process: four threads, three streams, a graph, copies, synchronization,
//! memory.

use proftui_wire::device::Record;
use proftui_wire::device::record::{
    Api, Context, Graph, Kernel, Memcpy, Memory, Memset, Name, Overhead, Stream, Sync,
};
use proftui_wire::log::{self, Event};

use super::spool::Spool;

/// How many records of each kind [`training`] wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Put {
    pub calls: usize,
    pub kernels: usize,
    pub copies: usize,
    pub memsets: usize,
    /// Synchronizations and overheads.
    pub waits: usize,
    pub memory: usize,
    /// Device work without a launching call.
    pub orphans: usize,
    /// Launching calls without device work.
    pub idle: usize,
}

/// Writes one step that launches `kernels` kernels, and a few more by a graph.
pub fn training(spool: &mut Spool, kernels: usize) -> Put {
    let (step, forward) = (spool.name("ProfileStep#0"), spool.name("Net"));
    let end = 20_000 + 2_000 * kernels as u64;
    spool.ranges(spool.pid, &[(2, step, 1_000, end), (9, forward, 2_000, end - 1_000)]);
    let mut training = Training { spool, put: Put::default(), correlation: 0 };
    training.kernels(kernels);
    let at = end - 15_000;
    training.graph(at);
    training.copies(at + 2_000);
    training.waits(at + 5_000);
    training.memory(at + 7_000);
    training.loose(at + 8_000);
    let put = training.put;
    describe_device(spool);
    let counts = log::DeviceCounts {
        cycle: 1,
        kept: spool.kept,
        dropped: 3,
        outside: 2,
        ..log::DeviceCounts::default()
    };
    spool.log(end, Event::Device(counts));
    put
}

struct Training<'a> {
    spool: &'a mut Spool,
    put: Put,
    correlation: u32,
}

impl Training<'_> {
    /// Adds an API call of a thread; returns its correlation number.
    fn call(&mut self, thread: u32, name: &str, start: u64, len: u64) -> u32 {
        self.correlation += 1;
        self.put.calls += 1;
        let (name, tid, correlation) = (self.spool.name(name), self.spool.pid + thread, self.correlation);
        let api = Api { name, start, end: start + len, tid, correlation, function: 211, returned: 0 };
        self.spool.put(&Record::Api(api));
        correlation
    }

    fn kernels(&mut self, kernels: usize) {
        let mangled = |n: usize| format!("_Z{}gemm_{n}IfEvPT_i", 5 + n.to_string().len());
        let names: Vec<u32> = (0..20).map(|n| self.spool.name(&mangled(n))).collect();
        for at in 0..kernels {
            let start = 3_000 + 2_000 * at as u64;
            let call = if at % 10 == 3 { "cuLaunchKernel" } else { "cudaLaunchKernel" };
            let correlation = self.call((at % 4) as u32, call, start, 900);
            self.put.kernels += 1;
            self.spool.put(&Record::Kernel(Kernel {
                name: names[at % names.len()],
                start: start + 1_500,
                end: start + 1_500 + 1_800,
                stream: 7 + 6 * (at % 3) as u32,
                context: 1,
                correlation,
                grid: [264, 1, 1],
                block: [256, 1, 1],
                registers: 128,
                dynamic_shared: 1024,
                ..Kernel::default()
            }));
        }
    }

    fn graph(&mut self, at: u64) {
        let correlation = self.call(0, "cudaGraphLaunch", at, 500);
        let name = self.spool.name("_Z6gemm_0IfEvPT_i");
        for node in 1..=5 {
            let start = at + 600 + 100 * node;
            self.put.kernels += 1;
            self.spool.put(&Record::Kernel(Kernel {
                name,
                start,
                end: start + 90,
                stream: 13,
                context: 1,
                correlation,
                graph: 3,
                graph_node: 0x3_0000_0000 + node,
                grid: [1, 1, 1],
                block: [32, 1, 1],
                ..Kernel::default()
            }));
        }
    }

    fn copies(&mut self, at: u64) {
        for (at, kinds_and_flags) in [(at, 0x0100_0301_u32), (at + 1_000, 0x0002_0302)] {
            let correlation = self.call(0, "cudaMemcpyAsync", at, 300);
            self.put.copies += 1;
            self.spool.put(&Record::Memcpy(Memcpy {
                kinds_and_flags,
                start: at + 400,
                end: at + 900,
                bytes: 1 << 20,
                stream: 7,
                context: 1,
                correlation,
                copies: 1,
                ..Memcpy::default()
            }));
        }
        let correlation = self.call(0, "cudaMemsetAsync", at + 2_000, 300);
        self.put.memsets += 1;
        self.spool.put(&Record::Memset(Memset {
            kind_and_flags: 3,
            start: at + 2_400,
            end: at + 2_500,
            bytes: 4096,
            value: 7,
            stream: 19,
            context: 1,
            correlation,
            ..Memset::default()
        }));
    }

    fn waits(&mut self, at: u64) {
        let correlation = self.call(0, "cudaStreamSynchronize", at, 800);
        self.put.waits += 2;
        let (start, end, tid) = (at + 100, at + 700, self.spool.pid);
        let wait = Sync { kind: 3, start, end, context: 1, stream: 7, event: u32::MAX, correlation };
        self.spool.put(&Record::Sync(wait));
        let (start, end) = (at + 1_000, at + 1_100);
        self.spool.put(&Record::Overhead(Overhead { kind: 0x1_0000, start, end, tid, correlation: 0 }));
    }

    fn memory(&mut self, at: u64) {
        let correlation = self.call(1, "cudaMalloc", at, 400);
        for (operation, time) in [(1, at + 200), (2, at + 900)] {
            self.put.memory += 1;
            self.spool.put(&Record::Memory(Memory {
                operation,
                time,
                address: 0x7f00_0000_0000,
                bytes: 1 << 21,
                context: 1,
                correlation,
                kind: 3,
                ..Memory::default()
            }));
        }
    }

    /// A call whose launch was captured into a graph, and a graph that was launched before the recording
    /// began.
    fn loose(&mut self, at: u64) {
        self.call(0, "cudaLaunchKernel", at, 100);
        self.put.idle += 1;
        self.put.kernels += 1;
        self.put.orphans += 1;
        self.spool.put(&Record::Graph(Graph {
            graph: 9,
            start: at + 500,
            end: at + 800,
            stream: 13,
            context: 1,
            correlation: 900_000_000,
            device: 0,
        }));
    }
}

/// Describes streams, context and device, after the records that refer to them.
fn describe_device(spool: &mut Spool) {
    let priority = (-5_i32).cast_unsigned();
    spool.put(&Record::Stream(Stream { id: 13, context: 1, priority, flags: 2, ..Stream::default() }));
    spool.put(&Record::Context(Context { id: 1, device: 0, stream: 7, parent: 0 }));
    let name = spool.name("copies");
    spool.put(&Record::Name(Name {
        name,
        object: 5,
        process_or_device: 0,
        thread_or_context: 1,
        stream: 19,
    }));
    spool.device(0, 0x0102_0304);
}
