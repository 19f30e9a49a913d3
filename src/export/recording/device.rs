//! What devices did, and what the host had to do with it, as it is written.
//!
//! A million kernels is normal: what many share (a grid and block, a stream) stands once and is told by its place in a list.

use super::details::Text;
use super::occupancy::Occupancy;

/// A call of the runtime or the driver, on the thread that made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// ns since 1970.
    pub start: u64,
    /// ns since 1970.
    pub end: u64,
    /// Its name, by its place among the recording's.
    pub name: u32,
    /// Ties it to the work that it launched; 0 for none.
    pub correlation: u32,
    /// The producer's number of the function.
    pub function: u32,
    /// What it returned; 0 for success.
    pub returned: u32,
}

/// Time of a thread that a device or the recording itself took: a wait, an overhead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// ns since 1970.
    pub start: u64,
    /// ns since 1970.
    pub end: u64,
    /// [`crate::model::nodetree::SYNCHRONIZATION`] or [`crate::model::nodetree::OVERHEAD`].
    pub kind: u32,
    /// Its name, by its place among the recording's.
    pub name: u32,
    /// Ties it to the call in which it happened; 0 for none.
    pub correlation: u32,
    /// What was waited for, where it was that.
    pub context: Option<u32>,
    /// What was waited for, where it was that.
    pub stream: Option<u32>,
    /// What was waited for, where it was that.
    pub event: Option<u32>,
}

/// Memory of a device, or that devices reach, was taken or given back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// ns since 1970.
    pub time: u64,
    /// Where it begins.
    pub address: u64,
    /// Bytes; negative for a release.
    pub bytes: i64,
    /// Where it is, in Paddle's words: `Place(gpu:0)`.
    pub place: String,
    /// What kind of memory it is, where the device's driver told of it; else empty.
    pub kind: &'static str,
    /// Taken less given back in this place, never below 0: since the recording began, or as a framework's allocator counts.
    pub in_use: u64,
    /// The most that `in_use` was.
    pub peak: u64,
    /// What a framework's allocator holds of the system's memory, and the most of it.
    pub reserved: u64,
    /// See `reserved`.
    pub peak_reserved: u64,
    /// True where an allocator took memory from the system, or gave it back.
    pub is_reserved: bool,
    /// Ties it to the call that did it; 0 for none.
    pub correlation: u32,
    /// What else is told of it, in the recording's details.
    pub text: Text,
}

/// Work of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// ns since 1970.
    pub start: u64,
    /// ns since 1970.
    pub end: u64,
    /// When it was queued, and submitted, ns since 1970; 0 for not known.
    pub queued: u64,
    /// See `queued`.
    pub submitted: u64,
    /// The node of the graph that it is; 0 for none.
    pub graph_node: u64,
    /// The graph; 0 for none.
    pub graph: u32,
    /// Its name, by its place among the recording's.
    pub name: u32,
    /// Where it ran, by its place in the list of streams.
    pub stream: u32,
    /// Ties it to the call that launched it; 0 for none.
    pub correlation: u32,
    /// What it was.
    pub what: What,
    /// True for work that had not ended when the recording did.
    pub is_cut: bool,
}

/// What a piece of work was; the rest of what is told of it by its place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A kernel: its launch.
    Kernel(u32),
    /// Memory was copied.
    Copy(u32),
    /// Memory was set.
    Fill(u32),
    /// A whole graph, of which the nodes are not told.
    Graph,
}

/// How kernels were launched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Launch {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Shared memory of a block, bytes.
    pub static_shared: u32,
    /// Shared memory of a block that the launch asked for, bytes.
    pub dynamic_shared: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Local memory of a thread, bytes.
    pub local: u32,
    /// How it fills its device; none where too little is known of that.
    pub occupancy: Option<Occupancy>,
}

/// What was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copy {
    /// Bytes.
    pub bytes: u64,
    /// In Paddle's words: `MEMCPY_HtoD`.
    pub kind: &'static str,
    /// The kind of memory it came from: `Pageable`.
    pub from: &'static str,
    /// The kind of memory it went to.
    pub to: &'static str,
    /// Devices that it went between, where they are two.
    pub devices: Option<(u32, u32)>,
    /// Copies that it stands for.
    pub copies: u64,
    /// True where the program did not wait for it.
    pub is_async: bool,
}

/// What was filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fill {
    /// Bytes.
    pub bytes: u64,
    /// What it was set to.
    pub value: u32,
    /// The kind of memory.
    pub kind: &'static str,
    /// True where the program did not wait for it.
    pub is_async: bool,
}

/// A stream: a lane of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// The device's number.
    pub device: u32,
    /// The lane's number: the stream's own, or another where two contexts or processes have the same number.
    pub lane: u32,
    /// Its own number, in its context.
    pub id: u32,
    /// Context.
    pub context: u32,
    /// Process.
    pub pid: u32,
    /// Its priority; none where it is not told.
    pub priority: Option<i32>,
    /// What it is called; empty where nobody said.
    pub name: String,
}

impl Stream {
    /// What its lane is called.
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

/// What a device is, as far as it is known; 0 for what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// Its number in the recording.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Multiprocessors.
    pub processors: u32,
    /// Compute capability, before and behind the point.
    pub capability: (u32, u32),
    /// Threads of a warp.
    pub warp: u32,
    /// Limits of a multiprocessor: warps, blocks, registers, bytes of shared memory.
    pub warps: u32,
    /// See `warps`.
    pub blocks: u32,
    /// See `warps`.
    pub registers: u32,
    /// See `warps`.
    pub shared: u32,
    /// Limits of a block: threads, registers, bytes of shared memory.
    pub block_threads: u32,
    /// See `block_threads`.
    pub block_registers: u32,
    /// See `block_threads`.
    pub block_shared: u32,
    /// Memory, bytes.
    pub memory: u64,
    /// Bandwidth of the memory, kB/s.
    pub bandwidth: u64,
    /// What identifies it everywhere, as `GPU-...`; empty where it is not told.
    pub uuid: String,
}

/// Everything that devices did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Devices {
    /// The devices.
    pub all: Vec<Device>,
    /// Their streams.
    pub streams: Vec<Stream>,
    /// Their work, by stream and start.
    pub work: Vec<Work>,
    /// How kernels were launched, each way once.
    pub launches: Vec<Launch>,
    /// What is told of copies.
    pub copies: Vec<Copy>,
    /// What is told of fills.
    pub fills: Vec<Fill>,
}
