//! Counts the work of a function: calls of the allocator, bytes that it takes, their peak, and the
//! processor's time.
//!
//! Allocations are counted by the allocator of this program. Instructions cannot be counted everywhere:
//! containers and virtual machines often have no counters, and valgrind is not installed on every machine.
//! Time of the processor, not of the clock on the wall, stands for them; only ratios of two of these times,
//! measured one after the other, are compared. Must not know what is measured.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn taken(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes as u64, Relaxed);
    let live = LIVE.fetch_add(bytes as u64, Relaxed).wrapping_add(bytes as u64);
    PEAK.fetch_max(live, Relaxed);
}

fn given_back(bytes: usize) {
    LIVE.fetch_sub(bytes as u64, Relaxed);
}

#[allow(
    unsafe_code,
    reason = "an allocator is unsafe by its interface; each call goes to the system's with the caller's own arguments"
)]
// SAFETY: every method passes its arguments on to `System` and returns what that returns; counting touches
// only atomics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        given_back(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given_back(layout.size());
        taken(size);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// Has glibc keep blocks of every size and use them again. Without this it gives large ones back to the
/// system at once, and the larger input alone pays for having them mapped anew. Does nothing with another C
/// library.
pub fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// `M_TRIM_THRESHOLD` and `M_MMAP_MAX` of glibc's `malloc.h`: bytes, and a number of blocks.
        const PARAMETERS: [(i32, i32); 2] = [(-1, i32::MAX), (-4, 0)];
        #[allow(unsafe_code, reason = "a call of the C library")]
        for (parameter, value) in PARAMETERS {
            unsafe extern "C" {
                fn mallopt(parameter: i32, value: i32) -> i32;
            }
            // SAFETY: this sets a number of the allocator and touches no memory of the program.
            unsafe { mallopt(parameter, value) };
        }
    }
}

/// The work of one call of a function.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Calls of the allocator.
    pub calls: u64,
    /// Bytes asked of the allocator.
    pub bytes: u64,
    /// Most bytes held at a time, more than before the call.
    pub peak: u64,
    /// Time of the processor, ns.
    pub time: u64,
}

impl Work {
    /// The lesser of each figure, of two calls of the same function.
    pub fn least(self, other: Self) -> Self {
        Self {
            calls: self.calls.min(other.calls),
            bytes: self.bytes.min(other.bytes),
            peak: self.peak.min(other.peak),
            time: self.time.min(other.time),
        }
    }
}

fn processor() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32).as_nanos() as u64
}

/// Measures one call.
pub fn measure(work: &mut dyn FnMut()) -> Work {
    let before = (CALLS.load(Relaxed), BYTES.load(Relaxed), LIVE.load(Relaxed));
    PEAK.store(before.2, Relaxed);
    let start = processor();
    work();
    Work {
        time: processor() - start,
        calls: CALLS.load(Relaxed) - before.0,
        bytes: BYTES.load(Relaxed) - before.1,
        peak: PEAK.load(Relaxed).saturating_sub(before.2),
    }
}
