//! The buffers that CUPTI holds: lent to it, and not delivered yet. What is in them when a cycle closes is
//! lost to the cycle.
//!
//! They are read by a system call, into memory of our own: CUPTI may be writing to them, and another tool may
//! have freed them.

#![allow(unsafe_code, reason = "reads buffers to which CUPTI may be writing")]

use std::ptr;

use crate::cuda::functions::{Functions, OK};
use crate::cuda::interval::CaptureInterval;
use crate::cuda::records::{self, Class};
use crate::lock::Lock;

/// How many of the buffers that CUPTI holds are remembered at most.
const SLOTS: usize = 512;
const WORD: usize = size_of::<u64>();

/// Address and size, bytes, of the buffers that CUPTI holds, [`SLOTS`] at most; zeros for an unused slot.
static LENT: Lock<[(usize, usize); SLOTS]> = Lock::new([(0, 0); SLOTS]);

/// Remembers, if possible, a buffer of `bytes` bytes that CUPTI gets; neither null nor more than [`SLOTS`]
/// buffers.
pub(crate) fn lend(buffer: *mut u8, bytes: usize) {
    if !buffer.is_null()
        && let Some(mut lent) = LENT.take()
        && let Some(slot) = lent.iter_mut().find(|slot| slot.0 == 0)
    {
        *slot = (buffer.addr(), bytes);
    }
}

/// Forgets a buffer that CUPTI has returned.
pub(crate) fn take_back(buffer: *mut u8) {
    if let Some(mut lent) = LENT.take()
        && let Some(slot) = lent.iter_mut().find(|slot| slot.0 == buffer.addr())
    {
        *slot = (0, 0);
    }
}

/// Estimates how many records of the cycle `interval` are in buffers that CUPTI holds. `with_unfinished`:
/// records of device work and device events without a known end count, too.
pub(crate) fn count(cupti: &Functions, interval: &CaptureInterval, with_unfinished: bool) -> u64 {
    let Some(lent) = LENT.take() else { return 0 };
    let buffers = lent.iter().filter(|slot| slot.0 != 0);
    let of_buffer = |&(buffer, bytes): &(usize, usize)| {
        // Most are empty: then the first word says so.
        let is_empty = copy(buffer, WORD).is_none_or(|words| words[0] == 0);
        let mut copy = if is_empty { None } else { copy(buffer, bytes) }?;
        Some(of_copy(cupti, &mut copy, interval, with_unfinished))
    };
    buffers.filter_map(of_buffer).sum()
}

/// Copies `bytes` bytes (rounded down to whole words of 8 bytes) of this process's memory at `address`;
/// `None` if they cannot all be read.
fn copy(address: usize, bytes: usize) -> Option<Vec<u64>> {
    let mut words = vec![0_u64; bytes / WORD];
    let bytes = words.len() * WORD;
    let to = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: bytes };
    let from = libc::iovec { iov_base: ptr::without_provenance_mut(address), iov_len: bytes };
    // SAFETY: writes to memory of our own; what is read need not be there.
    let read = unsafe {
        libc::process_vm_readv(std::process::id().cast_signed(), &raw const to, 1, &raw const from, 1, 0)
    };
    (read == bytes.cast_signed()).then_some(words)
}

/// Counts the records of the cycle `interval` in the copy of a buffer, as [`count`] does.
fn of_copy(cupti: &Functions, copy: &mut [u64], interval: &CaptureInterval, with_unfinished: bool) -> u64 {
    let (buffer, bytes): (*mut u8, usize) = (copy.as_mut_ptr().cast(), size_of_val(copy));
    let (mut record, mut count, mut least) = (ptr::null_mut(), 0, 0);
    // SAFETY: the copy, and a pointer of our own.
    while unsafe { cupti.next_record(buffer, bytes, &raw mut record) } == OK {
        let at = record.addr().wrapping_sub(buffer.addr());
        if record.is_null() || at >= bytes || at < least {
            break;
        }
        least = at + 1;
        // SAFETY: within the copy, to which nobody writes.
        let record = unsafe { std::slice::from_raw_parts(record, bytes - at) };
        if !records::has_kind(record) {
            break;
        }
        let end = records::end(record);
        count += u64::from(match records::classify(record) {
            Class::DeviceWork(start) | Class::DeviceEvent(start) => {
                interval.has_work(interval.time(start)) && start != 0 && (end != 0 || with_unfinished)
            }
            // A call that returned after the cycle's end was not there to be delivered.
            Class::HostEvent(start) => {
                interval.has_call(interval.time(start)) && interval.has_call(interval.time(end))
            }
            Class::Untimed | Class::Description | Class::Unknown => false,
        });
    }
    count
}
