//! Code that all fuzz targets use: a pool of one thread, loading, random numbers.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a fuzz target that cannot go on should stop")]

pub mod case;
pub mod containers;
pub mod disagree;
pub mod expect;
pub mod index;
pub mod model;
pub mod mutate;
pub mod named;
pub mod output;
pub mod protobuf;
pub mod readers;
pub mod screen;
pub mod text;

use proftui_trace::import::{ImportError, Loaded, Progress, Request, load_bytes};

/// Makes the fuzzing thread the only one of the thread pool: then no run waits for another thread.
pub fn one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the first pool");
}

/// Loads `bytes` on one thread.
pub fn load(bytes: &[u8]) -> Result<Loaded, ImportError> {
    load_with(bytes, 1, Some(64 << 10), false)
}

/// Loads `bytes` with the given number of threads, chunk size and parser.
pub fn load_with(
    bytes: &[u8],
    threads: usize,
    chunk: Option<usize>,
    is_tolerant: bool,
) -> Result<Loaded, ImportError> {
    // The memory limit must not depend on the machine.
    let max_memory = Some(1 << 40);
    let request = Request { threads: Some(threads), chunk, is_tolerant, max_memory, ..Request::default() };
    load_bytes(bytes, &request, &Progress::default())
}

/// A hash of the input, for choices that must be the same for equal inputs.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |all, &byte| (all ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// A fast pseudo-random generator; the same seed gives the same numbers.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A random number below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 33) as usize) % n.max(1)
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
