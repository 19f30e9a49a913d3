//! Device work of a recording, the host's CUDA calls, synchronizations and overheads, and the devices and
//! streams themselves.
//!
//! A recording may hold millions of kernels: what many of them share (a launch configuration, a stream) is
//! stored once, and device work refers to it by index. Must not know how any of it was recorded, nor how it
//! is written.

use std::collections::HashMap;

use super::operator_details::Text;
use super::unified_memory::UnifiedMemory;

/// One call of a device API, such as the CUDA runtime, on a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970.
    pub end: u64,
    /// Name of the function, as an index into the recording's names.
    pub name: u32,
    /// Correlation number, shared with the device work that the call launched; 0 where unknown.
    pub correlation: u32,
    /// CUPTI's callback id of the function (0 where not known), and bit 31 for the driver API.
    pub function: u32,
    /// The call's return code; 0 for success, and where it is not known.
    pub returned: u32,
}

/// A synchronization: a thread or stream waits for a device, stream or CUDA event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sync {
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970.
    pub end: u64,
    /// Kind of synchronization, such as `Stream Sync`, as an index into the recording's names.
    pub name: u32,
    /// Correlation number of the call that synchronized; 0 for none.
    pub correlation: u32,
    /// The context of the synchronization; `None` where the producer names none.
    pub context: Option<u32>,
    /// The stream that was waited for or that waits, by its id in its context; `None` where the producer
    /// names none.
    pub stream: Option<u32>,
    /// The id of the CUDA event that was waited for; `None` where the producer names none.
    pub event: Option<u32>,
    /// The id of the stream on which the CUDA event was last recorded before the wait, and the correlation
    /// number of the call that recorded it; `None` where not known.
    pub waited: Option<(u32, u32)>,
}

/// An overhead: time that the driver or CUPTI itself took on a thread, e.g. to flush buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// Start, ns since 1970.
    pub start: u64,
    /// End, ns since 1970.
    pub end: u64,
    /// Kind of overhead, such as `Buffer Flush`, as an index into the recording's names.
    pub name: u32,
    /// Correlation number of the call in which the overhead occurred; 0 for none.
    pub correlation: u32,
}

/// One allocation or release of memory, or one operation on a memory pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// When it happened, ns since 1970.
    pub time: u64,
    /// Address of the memory's first byte, or the address by which CUPTI knows a memory pool.
    pub address: u64,
    /// Size in bytes, negative for a release; for a memory pool the change of its size.
    pub bytes: i64,
    /// Where the memory is, in Paddle's notation, such as `Place(gpu:0)`; `Place(gpu_pool:0)` for a memory
    /// pool.
    pub place: String,
    /// Kind of the memory, such as `Device`, `Pinned` or `Pool`; empty for events of a framework's allocator.
    pub kind: &'static str,
    /// Bytes in use in `place` or in the memory pool after this event, as far as known.
    pub in_use: u64,
    /// Largest `in_use` up to this event, in `place` or the memory pool, as far as known.
    pub peak: u64,
    /// Bytes that a framework's allocator or a memory pool holds from the system after this event; 0 where
    /// none are stated.
    pub reserved: u64,
    /// Largest `reserved` up to this event, in `place` or the memory pool, as far as known.
    pub peak_reserved: u64,
    /// True where a framework's allocator states that it reserves memory from the system or returns it, and
    /// for operations on memory pools.
    pub is_reserved: bool,
    /// Correlation number of the call that caused the event; 0 for none.
    pub correlation: u32,
    /// Where the text of the event's arguments stands in the recording's details; empty where it has none.
    pub text: Text,
}

/// Device work: one kernel, copy, memset or whole graph that ran on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceWork {
    /// Start on the device, ns since 1970.
    pub start: u64,
    /// End on the device, ns since 1970.
    pub end: u64,
    /// When the launch was queued in the command buffer, ns since 1970; 0 for not known.
    pub queued: u64,
    /// When the command buffer was submitted to the device, ns since 1970; 0 for not known.
    pub submitted: u64,
    /// Id of the CUDA graph node that the work executes; 0 for none.
    pub graph_node: u64,
    /// Id of the CUDA graph that the work is part of, or that it is as a whole; 0 if none is known.
    pub graph: u32,
    /// Name of the kernel, copy, memset or graph, as an index into the recording's names.
    pub name: u32,
    /// The stream that the work ran on, as an index into [`Devices::streams`].
    pub stream: u32,
    /// Correlation number, shared with the call that launched the work; 0 for none.
    pub correlation: u32,
    /// Kernel, copy, memset or graph, with the index of its details where it has any.
    pub kind: WorkKind,
    /// True for device work whose end was not recorded.
    pub is_cut: bool,
}

/// What the program was doing when it created a node of a CUDA graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphName {
    /// The innermost operator that was open when the node, or the original of a copy, was created: its name,
    /// as an index into the recording's names; `None` if none is known.
    pub operator: Option<u32>,
    /// The innermost range that is no operator and was open when the node, or the original of a copy, was
    /// created: its name, as an index into the recording's names; `None` if none is known.
    pub range: Option<u32>,
}

/// Kind of device work, with the index of its details in [`Devices`] where it has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkKind {
    /// A kernel, or a whole graph from a file of JAX's profiler; index into [`Devices::launch_configs`].
    Kernel(u32),
    /// A copy of memory; index into [`Devices::memcpys`].
    Memcpy(u32),
    /// A memset; index into [`Devices::memsets`].
    Memset(u32),
    /// A whole CUDA graph that the host launched, recorded as one unit without its nodes.
    Graph,
    /// A whole CUDA graph that a graph launched on the device; index into [`Devices::device_launches`].
    DeviceGraph(u32),
}

/// The value of [`LaunchConfig::launched`] for a kernel that another kernel launched.
pub const BY_KERNEL: &str = "by a kernel";

/// Launch configuration of kernels, with the occupancy that follows from it; numbers that the producer does
/// not state are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaunchConfig {
    /// Number of blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Shared memory per block that the kernel declares, bytes; 0 where only the sum with the dynamic one is
    /// known.
    pub static_shared: u32,
    /// Shared memory per block that the launch requests on top, bytes; all of it where only the sum is known.
    pub dynamic_shared: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes.
    pub local: u32,
    /// Theoretical occupancy on the device; `None` where it cannot be computed.
    pub occupancy: Option<Occupancy>,
    /// How the kernel was launched, such as `cooperative` or [`BY_KERNEL`]; `None` for an ordinary launch, as
    /// far as known.
    pub launched: Option<&'static str>,
}

/// Occupancy of a device by a launch configuration, in the figures that Paddle's profiler writes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Occupancy {
    /// Blocks of the grid divided by the number of multiprocessors.
    pub blocks_per_sm: f64,
    /// Warps of the grid (its threads divided by the warp size) divided by the number of multiprocessors.
    pub warps_per_sm: f64,
    /// Resident threads per multiprocessor as a share of the most that it can hold, 0 to 1.
    pub share: f64,
}

/// Details of a copy of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memcpy {
    /// Bytes copied.
    pub bytes: u64,
    /// Direction, in Paddle's notation, such as `MEMCPY_HtoD`.
    pub kind: &'static str,
    /// CUPTI's kind of the source's memory, such as `Pageable`.
    pub from: &'static str,
    /// CUPTI's kind of the destination's memory, such as `Device`.
    pub to: &'static str,
    /// The recording's numbers of the source and the destination device; `None` where they are the same, or
    /// not stated.
    pub devices: Option<(u32, u32)>,
    /// Number of copies that this one stands for, `bytes` being the sum of theirs; 1 where the producer does
    /// not state it.
    pub copies: u64,
    /// True for an asynchronous copy, false for any other and where that is not stated.
    pub is_async: bool,
}

/// Details of a memset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memset {
    /// Bytes set.
    pub bytes: u64,
    /// The value to which the memory is set; 0 also where it is not stated.
    pub value: u32,
    /// CUPTI's kind of the memory, such as `Device`.
    pub kind: &'static str,
    /// True for an asynchronous memset, false for any other and where that is not stated.
    pub is_async: bool,
}

/// A CUDA stream, which becomes one lane of its device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Number of the stream's device in the recording.
    pub device: u32,
    /// Number of the stream's lane, unique within the device: usually the stream's id.
    pub lane: u32,
    /// CUPTI's id of the stream, unique within its context.
    pub id: u32,
    /// CUPTI's id of the stream's context.
    pub context: u32,
    /// Id of the process that owns the stream.
    pub pid: u32,
    /// Priority of the stream (lower is more urgent); `None` where it is not stated.
    pub priority: Option<i32>,
    /// The name that the program gave the stream or its context through NVTX; empty for none.
    pub name: String,
}

impl Stream {
    /// Title of the stream's lane: its number; the stream's id, context and process where the id is another
    /// number; the priority if it is not 0; the name, if any.
    pub fn title(&self) -> String {
        let mut title = format!("stream {}", self.lane);
        if self.lane != self.id {
            title += &format!(", {} of context {} of process {}", self.id, self.context, self.pid);
        }
        if let Some(priority) = self.priority.filter(|&priority| priority != 0) {
            title += &format!(", priority {priority}");
        }
        if !self.name.is_empty() {
            title += &format!(", {}", self.name);
        }
        title
    }
}

/// Properties of a device; 0, or an empty text, for those that are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Number of the device in the recording.
    pub id: u32,
    /// Product name.
    pub name: String,
    /// Number of multiprocessors.
    pub processors: u32,
    /// Compute capability: major, minor.
    pub capability: (u32, u32),
    /// Threads per warp.
    pub warp: u32,
    /// Most resident warps per multiprocessor.
    pub warps: u32,
    /// Most resident blocks per multiprocessor.
    pub blocks: u32,
    /// Registers per multiprocessor.
    pub registers: u32,
    /// Shared memory per multiprocessor, bytes.
    pub shared: u32,
    /// Most threads per block.
    pub block_threads: u32,
    /// Most registers per block.
    pub block_registers: u32,
    /// Most shared memory per block, bytes.
    pub block_shared: u32,
    /// Size of the device's memory, bytes.
    pub memory: u64,
    /// Bandwidth of the device's memory, kB/s.
    pub bandwidth: u64,
    /// UUID of the device as NVIDIA's tools print it (`GPU-...`, of a MIG instance `MIG-...`); empty where it
    /// is not known.
    pub uuid: String,
}

/// Everything that devices did in a recording, with the devices and streams themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Devices {
    /// The devices of which properties are known, sorted by number; the device of a stream may be missing.
    pub all: Vec<Device>,
    /// The streams of all devices, to which device work refers by index.
    pub streams: Vec<Stream>,
    /// Device work, sorted by stream, then start, then the longer first.
    pub work: Vec<DeviceWork>,
    /// Launch configurations, to which kernels refer by index.
    pub launch_configs: Vec<LaunchConfig>,
    /// Details of copies, one entry per copy.
    pub memcpys: Vec<Memcpy>,
    /// Details of memsets, one entry per memset.
    pub memsets: Vec<Memset>,
    /// What launched the graphs that the device launched, such as `by CUDA graph 3, tail`, each text once.
    pub device_launches: Vec<String>,
    /// Events of unified memory, sorted by device, then start, then the longer first.
    pub unified: Vec<UnifiedMemory>,
    /// The operator and range in which CUDA graph nodes were created, by the stream of the node's work (an
    /// index into `streams`) and the node's id.
    pub graph_names: HashMap<(u32, u64), GraphName>,
}

impl Devices {
    /// The operator and the range in which the work's CUDA graph node was created; both `None` for other
    /// work, or where nothing is known.
    pub fn graph_name(&self, work: &DeviceWork) -> GraphName {
        self.graph_names.get(&(work.stream, work.graph_node)).copied().unwrap_or_default()
    }

    /// How a piece of work was launched, or what launched it, where that is not an ordinary launch by the
    /// host; else `None`.
    pub fn launched(&self, work: &DeviceWork) -> Option<&str> {
        match work.kind {
            WorkKind::Kernel(at) => self.launch_configs.get(at as usize)?.launched,
            WorkKind::DeviceGraph(at) => self.device_launches.get(at as usize).map(String::as_str),
            WorkKind::Memcpy(_) | WorkKind::Memset(_) | WorkKind::Graph => None,
        }
    }

    /// True for work that a kernel or graph launched on the device, without a call of the host.
    pub(crate) fn is_launched_there(&self, work: &DeviceWork) -> bool {
        matches!(work.kind, WorkKind::DeviceGraph(_)) || self.launched(work) == Some(BY_KERNEL)
    }
}
