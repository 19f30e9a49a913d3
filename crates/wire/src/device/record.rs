//! The records of a device chunk: one list of their fields, from which both the writing and the reading are
//! generated.
//!
//! A record is a sequence of 64-bit words. The first word holds the kind (u16), the record's length in words
//! (u16) and one 32-bit field of the record; other 32-bit fields stand in pairs, the first one in the lower
//! half. A reader ignores words beyond those that it knows, so records may grow at their ends.
//!
//! Times are ns of the monotonic clock; an end of 0 is not known, as of work that had not ended when the
//! cycle did. Enum values (kinds of copies, memory, synchronization and overhead; flags) are CUPTI's. Names
//! are numbers in the process's list of names, 0 for none. `correlation` is the number that a launching call
//! shares with its device work, 0 for none.

mod encoded;

pub use encoded::{Encoded, MAX_WORDS};

use crate::chunk::u32_at;
use encoded::Field;

/// Generates the types of records, the enum [`Record`], and their decoding and encoding. Input, for each
/// type: `Name = kind, length in words { byte_offset field: type, … }`.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident = $kind:literal, $words:literal {
        $($(#[$about:meta])* $at:literal $field:ident: $type:ty,)*
    })*) => {
        /// A decoded record of a device chunk.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Record {
            $($(#[$doc])* $name($name),)*
        }

        impl Record {
            /// Decodes a record from its bytes; `None` if its kind is unknown or it is shorter than its kind
            /// requires.
            pub fn read(bytes: &[u8]) -> Option<Self> {
                match u32_at(bytes, 0) & 0xffff {
                    $($kind if bytes.len() >= $words * 8 => Some(Self::$name($name::read(bytes))),)*
                    _ => None,
                }
            }

            /// Encodes the record.
            #[inline]
            pub fn encode(&self) -> Encoded {
                match self {
                    $(Self::$name(record) => record.encode(),)*
                }
            }
        }

        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs, reason = "a field without a comment is what its name says")]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl $name {
            /// Number that identifies this kind of record in a file.
            pub const KIND: u16 = $kind;
            /// Length of the record in 64-bit words, the first word included.
            pub const WORDS: usize = $words;

            fn read(bytes: &[u8]) -> Self {
                Self { $($field: <$type as Field>::read(bytes, $at),)* }
            }

            /// Encodes the record.
            #[inline]
            pub fn encode(&self) -> Encoded {
                const {
                    assert!($words <= MAX_WORDS);
                    $(
                        assert!($at >= 4 && $at + size_of::<$type>() <= $words * 8);
                        assert!($at % align_of::<$type>() == 0);
                    )*
                }
                let mut words = [0; MAX_WORDS];
                words[0] = u64::from(Self::KIND) | ($words as u64) << 16;
                $(Field::write(self.$field, &mut words, $at);)*
                Encoded { words, len: $words }
            }
        })*
    };
}

records! {
    /// A call of a function of the CUDA runtime or driver.
    Api = 1, 5 {
        /// The function's name, as a number in the process's list of names; 0 if not known.
        4 name: u32,
        8 start: u64,
        16 end: u64,
        /// Id of the calling thread, usually as the operating system numbers threads.
        24 tid: u32,
        28 correlation: u32,
        /// The function's return value; 0 is success.
        32 returned: u32,
        /// CUPTI's number of the function, with the bit [`Api::DRIVER`] for functions of the driver.
        36 function: u32,
    }
    /// An execution of a kernel.
    Kernel = 2, 15 {
        4 name: u32,
        8 start: u64,
        16 end: u64,
        /// When the launch was queued in the command buffer, ns; 0 if unknown.
        24 queued: u64,
        /// When the command buffer was submitted to the device, ns; 0 if unknown.
        32 submitted: u64,
        40 device: u32,
        44 context: u32,
        48 stream: u32,
        52 correlation: u32,
        /// Size of the grid in x, y and z, blocks.
        56 grid: [u32; 3],
        /// Size of a block in x, y and z, threads.
        68 block: [u32; 3],
        /// Shared memory per block that the kernel declares statically, bytes.
        80 static_shared: u32,
        /// Shared memory per block that the launch asked for dynamically, bytes.
        84 dynamic_shared: u32,
        /// Registers per thread.
        88 registers: u32,
        /// Local memory per thread, bytes.
        92 local: u32,
        /// Id of the CUDA graph node that launched the kernel; 0 if no graph did.
        96 graph_node: u64,
        /// Id of the CUDA graph that launched the kernel; 0 if no graph did.
        104 graph: u32,
        /// Id of the hardware channel on which the kernel ran; 0 also if unknown.
        108 channel: u32,
        /// How the kernel was launched: 0 as usual, 1 cooperatively, 2 cooperatively on several devices,
        /// [`Kernel::BY_KERNEL`] by a kernel.
        112 launch: u32,
    }
    /// A copy of memory.
    Memcpy = 3, 10 {
        /// Four bytes, from lowest to highest: kind of copy, kind of the source memory, kind of the
        /// destination memory, flags (1: asynchronous).
        4 kinds_and_flags: u32,
        8 start: u64,
        16 end: u64,
        24 bytes: u64,
        32 device: u32,
        36 context: u32,
        40 stream: u32,
        44 correlation: u32,
        /// Id of the CUDA graph node that launched the copy; 0 if no graph did.
        48 graph_node: u64,
        56 graph: u32,
        /// Id of the hardware channel on which the copy ran.
        60 channel: u32,
        /// Id of the device copied from; equal to `device` for a copy that is not between two devices.
        64 source: u32,
        /// Id of the device copied to; equal to `device` for a copy that is not between two devices.
        68 destination: u32,
        /// Number of copies that this record stands for; `bytes` is the sum over all of them.
        72 copies: u64,
    }
    /// A memset, executed by a device.
    Memset = 4, 8 {
        /// Kind of memory in the lower 16 bits, flags in the upper 16 (1: asynchronous).
        4 kind_and_flags: u32,
        8 start: u64,
        16 end: u64,
        24 bytes: u64,
        32 device: u32,
        36 context: u32,
        40 stream: u32,
        44 correlation: u32,
        /// Id of the CUDA graph node that launched the memset; 0 if no graph did.
        48 graph_node: u64,
        56 graph: u32,
        /// Value that the memory was set to.
        60 value: u32,
    }
    /// A synchronization: a thread waited for a context, a stream or an event, or a stream waited for an
    /// event.
    Sync = 5, 5 {
        /// Kind of synchronization: 1 a thread waited for an event, 2 a stream for an event, 3 a thread for a
        /// stream, 4 a thread for a context.
        4 kind: u32,
        8 start: u64,
        16 end: u64,
        24 context: u32,
        /// Id of the stream that waited (kind 2) or was waited for (kind 3); [`u32::MAX`] if no stream is
        /// involved.
        28 stream: u32,
        /// Id of the event that was waited for; [`u32::MAX`] if no event is involved.
        32 event: u32,
        36 correlation: u32,
    }
    /// Time that the driver or CUPTI took from the program, such as for compilation, flushing buffers or
    /// loading modules.
    Overhead = 6, 4 {
        /// CUPTI's number for the kind of overhead, such as 1 for compilation by the driver.
        4 kind: u32,
        8 start: u64,
        16 end: u64,
        /// Id of the thread that lost the time; 0 if the time is not attributed to a thread.
        24 tid: u32,
        28 correlation: u32,
    }
    /// An allocation or a release of memory by CUDA, on a device or on the host.
    Memory = 7, 8 {
        /// Kind of operation: 1 allocation, 2 release.
        4 operation: u32,
        8 time: u64,
        16 address: u64,
        24 bytes: u64,
        32 device: u32,
        36 context: u32,
        40 stream: u32,
        44 correlation: u32,
        /// CUPTI's number for the kind of memory: 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, 6
        /// device static, 7 managed static.
        48 kind: u32,
        /// 1 if the operation is done in the order of a stream (`cudaMallocAsync`), else 0.
        52 is_async: u32,
        /// Name of the variable that occupies the memory, as a number in the process's list of names; 0 if
        /// CUPTI reports none.
        56 name: u32,
    }
    /// An execution of a whole CUDA graph, recorded instead of the executions of its nodes.
    Graph = 8, 5 {
        4 graph: u32,
        8 start: u64,
        16 end: u64,
        24 device: u32,
        28 context: u32,
        32 stream: u32,
        36 correlation: u32,
    }
    /// A device's properties.
    Device = 9, 13 {
        4 id: u32,
        8 name: u32,
        /// Number of multiprocessors (SMs) of the device.
        12 processors: u32,
        /// Compute capability, major version.
        16 major: u32,
        /// Compute capability, minor version.
        20 minor: u32,
        /// Threads per warp.
        24 warp: u32,
        /// Most warps that can be resident on a multiprocessor.
        28 warps: u32,
        /// Most blocks that can be resident on a multiprocessor.
        32 blocks: u32,
        /// Registers per multiprocessor.
        36 registers: u32,
        /// Shared memory per multiprocessor, bytes.
        40 shared: u32,
        /// Most threads per block.
        44 block_threads: u32,
        /// Most registers per block.
        48 block_registers: u32,
        /// Most shared memory per block, bytes.
        52 block_shared: u32,
        /// Core clock, kHz.
        56 clock: u32,
        /// Size of the L2 cache, bytes.
        60 cache: u32,
        /// Size of the global memory, bytes.
        64 memory: u64,
        /// Bandwidth of the global memory, kB/s.
        72 bandwidth: u64,
        /// The UUID of the device or of its MIG instance: 16 bytes, as four little-endian numbers.
        80 uuid: [u32; 4],
        /// 1 for a MIG instance (a partition of a device), else 0.
        96 is_mig: u32,
    }
    /// A CUDA context's properties.
    Context = 10, 3 {
        4 id: u32,
        8 device: u32,
        /// Id of the context's default (null) stream.
        12 stream: u32,
        /// Id of the context that this one is a part of (as green contexts are); 0 for none or unknown.
        16 parent: u32,
    }
    /// A stream's properties.
    Stream = 11, 3 {
        4 id: u32,
        8 context: u32,
        /// The stream's priority, as the bits of an `i32`.
        12 priority: u32,
        /// CUPTI's stream flag: 1 default, 2 non-blocking (does not wait for the default stream), 3 null
        /// stream.
        16 flags: u32,
        20 correlation: u32,
    }
    /// A CUDA event was recorded on a stream; the record has no time.
    Event = 13, 3 {
        4 event: u32,
        8 context: u32,
        12 stream: u32,
        16 correlation: u32,
    }
    /// An event of unified memory: a migration, page faults, thrashing, throttling or a remote mapping.
    Unified = 14, 7 {
        /// CUPTI's number for the kind of event: 1 a migration from host to device, 2 from device to host, 3
        /// a page fault of the host, 4 of a device, 5 thrashing, 6 throttling, 7 a remote mapping, 8 a
        /// migration between devices.
        4 kind: u32,
        8 start: u64,
        /// When the event ended, ns; for kinds 3, 5 and 7, which have no end, its start.
        16 end: u64,
        /// For kind 4 the number of groups of page faults for the same page; for kinds 1, 2, 5, 7 and 8 a
        /// number of bytes.
        24 value: u64,
        /// Address of the memory that the event is about.
        32 address: u64,
        /// Id of the device from which memory moved (kinds 2 and 8) or on which the event was (kinds 4 and
        /// 6); for kind 5 bit n is set for device n.
        40 source: u32,
        /// Id of the device to which memory moved (kinds 1 and 8) or was mapped (kind 7).
        44 destination: u32,
        /// CUPTI's flags for the event, such as the cause of a migration or the kind of access that faulted.
        48 cause: u32,
    }
    /// A memory pool was created, destroyed or trimmed.
    Pool = 15, 9 {
        /// Kind of operation: 1 creation, 2 destruction, 3 trimming.
        4 operation: u32,
        8 time: u64,
        16 address: u64,
        /// Bytes that the pool holds after its creation or trimming; of no meaning for its destruction, and
        /// for an imported pool.
        24 size: u64,
        /// Bytes of the pool that are in use; of no meaning for an imported pool.
        32 used: u64,
        /// Release threshold: bytes up to which the pool keeps memory that is not in use; of no meaning for
        /// an imported pool.
        40 threshold: u64,
        /// For a trimming, how many bytes the pool was to keep at least; of no meaning for other operations.
        48 least: u64,
        56 device: u32,
        60 correlation: u32,
        /// 1 for a pool that the process made, 2 for a pool that it imported from another process.
        64 kind: u32,
        /// 1 for a pool of managed memory, else 0; always 0 before CUDA 13.0.
        68 is_managed: u32,
    }
    /// An execution, on the host, of a function that is a node of a CUDA graph.
    HostNode = 16, 7 {
        /// Id of the thread that executed the function; 0 if unknown.
        4 tid: u32,
        8 start: u64,
        16 end: u64,
        24 graph_node: u64,
        32 graph: u32,
        36 device: u32,
        40 context: u32,
        /// Id of the stream that waited for the function.
        44 stream: u32,
        48 correlation: u32,
    }
    /// An execution of a whole CUDA graph that a CUDA graph launched on the device.
    DeviceGraph = 17, 6 {
        4 graph: u32,
        8 start: u64,
        16 end: u64,
        24 device: u32,
        28 context: u32,
        32 stream: u32,
        /// Id of the CUDA graph that launched this one.
        36 launcher: u32,
        /// CUPTI's number for the mode of the launch: 1 fire and forget, 2 tail, 3 fire and forget as a
        /// sibling.
        40 launch: u32,
    }
    /// A name that the program gave a process, a thread, a device, a context or a stream.
    Name = 12, 3 {
        4 name: u32,
        /// Kind of the named object: 1 process, 2 thread, 3 device, 4 context, 5 stream.
        8 object: u32,
        /// Process id of a process or a thread (`object` 1 and 2), else device id.
        12 process_or_device: u32,
        /// Thread id of a thread (`object` 2), context id of a context or a stream (4 and 5).
        16 thread_or_context: u32,
        /// Stream id of a stream (`object` 5).
        20 stream: u32,
    }
}
