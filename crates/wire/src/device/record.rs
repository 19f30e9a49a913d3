//! The records of devices: one list of what each holds, from which both the writing and the reading of it are made.
//!
//! A record is words of eight bytes. In the first, below kind and length, stands a number of the record's own; numbers of 32
//! bits stand in pairs, the first one below. A reader takes longer records for what it knows of them. Numbers that stand for
//! something (kinds of copies, of memory, of synchronisation, flags) are CUPTI's. Names are numbers in the process's list, 0 for
//! none. An end of 0 is that of work which had not ended when the cycle did.

use crate::chunk::{u32_at, u64_at};

/// Longest record, words.
pub const LONGEST: usize = 16;

/// A record's bytes, of which the first so many words count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The words.
    pub words: [u64; LONGEST],
    /// How many count.
    pub len: usize,
}

impl Bytes {
    /// The words that count.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }

    /// As they stand in a file.
    pub fn to_vec(&self) -> Vec<u8> {
        self.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// How a field's number stands among the words.
trait Field: Sized {
    fn read(bytes: &[u8], at: usize) -> Self;
    fn write(self, words: &mut [u64; LONGEST], at: usize);
}

impl Field for u32 {
    fn read(bytes: &[u8], at: usize) -> Self {
        u32_at(bytes, at)
    }

    #[inline]
    fn write(self, words: &mut [u64; LONGEST], at: usize) {
        words[at / 8] |= u64::from(self) << (8 * (at % 8));
    }
}

impl Field for u64 {
    fn read(bytes: &[u8], at: usize) -> Self {
        u64_at(bytes, at)
    }

    #[inline]
    fn write(self, words: &mut [u64; LONGEST], at: usize) {
        words[at / 8] = self;
    }
}

impl<const N: usize> Field for [u32; N] {
    fn read(bytes: &[u8], at: usize) -> Self {
        std::array::from_fn(|which| u32_at(bytes, at + 4 * which))
    }

    #[inline]
    fn write(self, words: &mut [u64; LONGEST], at: usize) {
        for (which, number) in self.into_iter().enumerate() {
            number.write(words, at + 4 * which);
        }
    }
}

/// Each record's kind and words, then its fields: a byte's place, a name, a type.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident = $kind:literal, $words:literal {
        $($(#[$about:meta])* $at:literal $field:ident: $type:ty,)*
    })*) => {
        /// A record.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Record {
            $($(#[$doc])* $name($name),)*
        }

        impl Record {
            /// Reads one; none for a kind that is not known here, or too few bytes for it.
            pub fn read(bytes: &[u8]) -> Option<Self> {
                match u32_at(bytes, 0) & 0xffff {
                    $($kind if bytes.len() >= $words * 8 => Some(Self::$name($name::read(bytes))),)*
                    _ => None,
                }
            }

            /// Its bytes.
            #[inline]
            pub fn bytes(&self) -> Bytes {
                match self {
                    $(Self::$name(record) => record.bytes(),)*
                }
            }
        }

        $($(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[allow(missing_docs, reason = "fields that say nothing of themselves are what they are called")]
        pub struct $name {
            $($(#[$about])* pub $field: $type,)*
        }

        impl $name {
            /// The number of the kind.
            pub const KIND: u16 = $kind;
            /// Words of the whole record.
            pub const WORDS: usize = $words;

            fn read(bytes: &[u8]) -> Self {
                Self { $($field: <$type as Field>::read(bytes, $at),)* }
            }

            /// Its bytes.
            #[inline]
            pub fn bytes(&self) -> Bytes {
                const {
                    assert!($words <= LONGEST);
                    $(
                        assert!($at >= 4 && $at + size_of::<$type>() <= $words * 8);
                        assert!($at % align_of::<$type>() == 0);
                    )*
                }
                let mut words = [0; LONGEST];
                words[0] = u64::from(Self::KIND) | ($words as u64) << 16;
                $(Field::write(self.$field, &mut words, $at);)*
                Bytes { words, len: $words }
            }
        })*
    };
}

records! {
    /// A call of the runtime or the driver.
    Api = 1, 5 {
        /// Name of the function; 0 where only its number is known.
        4 name: u32,
        8 start: u64,
        16 end: u64,
        /// Thread that called, as the system numbers it.
        24 tid: u32,
        /// Ties the call to the work that it launched.
        28 correlation: u32,
        /// What it returned; 0 for success.
        32 returned: u32,
        /// CUPTI's number of the function, with [`Api::DRIVER`] for the driver's, else the runtime's.
        36 function: u32,
    }
    /// A kernel.
    Kernel = 2, 14 {
        4 name: u32,
        8 start: u64,
        16 end: u64,
        /// When it was queued, and submitted; 0 for not known.
        24 queued: u64,
        32 submitted: u64,
        40 device: u32,
        44 context: u32,
        48 stream: u32,
        52 correlation: u32,
        56 grid: [u32; 3],
        68 block: [u32; 3],
        /// Shared memory of a block, bytes.
        80 static_shared: u32,
        84 dynamic_shared: u32,
        /// Registers of a thread.
        88 registers: u32,
        /// Local memory of a thread, bytes.
        92 local: u32,
        /// Node of the graph that launched it; 0 for none.
        96 graph_node: u64,
        104 graph: u32,
        /// Channel of the hardware.
        108 channel: u32,
    }
    /// Memory was copied.
    Memcpy = 3, 10 {
        /// From lowest to highest byte: the kind of the copy, of the source, of the destination, flags (1: asynchronous).
        4 how: u32,
        8 start: u64,
        16 end: u64,
        24 bytes: u64,
        32 device: u32,
        36 context: u32,
        40 stream: u32,
        44 correlation: u32,
        48 graph_node: u64,
        56 graph: u32,
        60 channel: u32,
        /// Devices that it went between; `device` both where there is but one.
        64 source: u32,
        68 destination: u32,
        /// Copies that the record stands for, of which `bytes` is the sum; 1 where CUPTI does not tell.
        72 copies: u64,
    }
    /// Memory was set.
    Memset = 4, 8 {
        /// The kind of memory in the lower half, flags above (1: asynchronous).
        4 how: u32,
        8 start: u64,
        16 end: u64,
        24 bytes: u64,
        32 device: u32,
        36 context: u32,
        40 stream: u32,
        44 correlation: u32,
        48 graph_node: u64,
        56 graph: u32,
        /// What it was set to.
        60 value: u32,
    }
    /// Somebody waited for a device.
    Synchronization = 5, 5 {
        /// For what: 1 event, 2 stream waits for event, 3 stream, 4 context.
        4 how: u32,
        8 start: u64,
        16 end: u64,
        24 context: u32,
        /// [`u32::MAX`] for none.
        28 stream: u32,
        /// [`u32::MAX`] for none.
        32 event: u32,
        36 correlation: u32,
    }
    /// What recording itself cost.
    Overhead = 6, 4 {
        /// What it was spent on.
        4 how: u32,
        8 start: u64,
        16 end: u64,
        /// Thread; 0 where it is of none.
        24 tid: u32,
        28 correlation: u32,
    }
    /// Memory was taken or given back.
    Memory = 7, 8 {
        /// 1 taken, 2 given back.
        4 how: u32,
        8 time: u64,
        16 address: u64,
        24 bytes: u64,
        32 device: u32,
        36 context: u32,
        40 stream: u32,
        44 correlation: u32,
        /// The kind of memory.
        48 memory: u32,
        /// 1 for in the order of a stream.
        52 is_async: u32,
        56 name: u32,
    }
    /// A graph ran, where its nodes are not told.
    Graph = 8, 5 {
        4 graph: u32,
        8 start: u64,
        16 end: u64,
        24 device: u32,
        28 context: u32,
        32 stream: u32,
        36 correlation: u32,
    }
    /// What a device is.
    Device = 9, 13 {
        4 id: u32,
        8 name: u32,
        /// Multiprocessors.
        12 processors: u32,
        /// Compute capability.
        16 major: u32,
        20 minor: u32,
        /// Threads of a warp.
        24 warp: u32,
        /// Limits of a multiprocessor: warps, blocks, registers, bytes of shared memory.
        28 warps: u32,
        32 blocks: u32,
        36 registers: u32,
        40 shared: u32,
        /// Limits of a block: threads, registers, bytes of shared memory.
        44 block_threads: u32,
        48 block_registers: u32,
        52 block_shared: u32,
        /// Clock, kHz.
        56 clock: u32,
        /// Cache, bytes.
        60 cache: u32,
        /// Memory, bytes.
        64 memory: u64,
        /// Bandwidth of the memory, kB/s.
        72 bandwidth: u64,
        /// What identifies it everywhere, as the driver writes its bytes.
        80 uuid: [u32; 4],
        /// 1 for a part of a device (MIG).
        96 is_part: u32,
    }
    /// What a context is.
    Context = 10, 3 {
        4 id: u32,
        8 device: u32,
        /// Its default stream.
        12 stream: u32,
        /// The context that it is a part of; 0 for none, or not known.
        16 parent: u32,
    }
    /// What a stream is.
    Stream = 11, 3 {
        4 id: u32,
        8 context: u32,
        12 priority: u32,
        /// 1 default, 2 does not wait for the default stream, 3 null stream.
        16 flags: u32,
        20 correlation: u32,
    }
    /// What a thread, a device, a context or a stream is called.
    Name = 12, 3 {
        4 name: u32,
        /// 1 process, 2 thread, 3 device, 4 context, 5 stream.
        8 of: u32,
        /// Where `of` is 1 or 2: the process; else the device.
        12 owner: u32,
        /// Where `of` is 2: the thread; else the context.
        16 part: u32,
        20 stream: u32,
    }
}

impl Api {
    /// The bit that tells the driver's functions.
    pub const DRIVER: u32 = 1 << 31;

    /// True for a function of the driver.
    pub fn is_driver(&self) -> bool {
        self.function & Self::DRIVER != 0
    }
}

impl Memcpy {
    /// The kind of the copy.
    pub fn kind(&self) -> u8 {
        self.how as u8
    }

    /// The kinds of memory that it goes from and to.
    pub fn memories(&self) -> (u8, u8) {
        ((self.how >> 8) as u8, (self.how >> 16) as u8)
    }

    /// True where the program did not wait for it.
    pub fn is_async(&self) -> bool {
        self.how >> 24 & 1 != 0
    }
}

impl Memset {
    /// The kind of memory.
    pub fn memory(&self) -> u16 {
        self.how as u16
    }

    /// True where the program did not wait for it.
    pub fn is_async(&self) -> bool {
        self.how >> 16 & 1 != 0
    }
}
