//! Buffers of kernel records, walked as CUPTI would walk them: the records of the interval are on disk.

use std::fs;
use std::path::Path;

use proftui_wire::device::record::Name;
use proftui_wire::device::{Chunk, Header};

use super::super::records::kind;
use super::*;
use crate::process;

/// Bytes of a kernel's record.
const KERNEL: usize = 208;

/// Stands for `cuptiActivityGetNextRecord`, for a buffer of kernel records alone.
unsafe extern "C" fn next(buffer: *mut u8, valid: usize, record: *mut *mut u8) -> u32 {
    // SAFETY: the pointer that the code under test holds.
    let last = unsafe { *record };
    let at = if last.is_null() { 0 } else { last.addr() - buffer.addr() + KERNEL };
    if at >= valid {
        return NO_MORE;
    }
    // SAFETY: within the buffer.
    unsafe { *record = buffer.add(at) };
    OK
}

/// A buffer of kernel records that start at 1, 2, 3 and so on, all of one name.
fn kernels(count: usize, name: &'static std::ffi::CStr) -> Vec<u8> {
    let mut buffer = vec![0; count * KERNEL];
    for (at, record) in buffer.chunks_exact_mut(KERNEL).enumerate() {
        record[..4].copy_from_slice(&kind::CONCURRENT_KERNEL.to_ne_bytes());
        record[16..24].copy_from_slice(&(at as u64 + 1).to_ne_bytes());
        record[104..112].copy_from_slice(&name.as_ptr().expose_provenance().to_ne_bytes());
    }
    buffer
}

/// Later than any wait of these tests.
fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

fn functions() -> Functions {
    // SAFETY: this process has no CUPTI, so there is no function.
    let mut cupti = unsafe { Functions::of(ptr::null_mut()) };
    cupti.next_record = Some(next);
    cupti
}

/// Tests that a buffer's records are in files if they are of the interval, and counted else. `folder` is that
/// of the open process; `cycle` is one that has no records yet.
pub(crate) fn records_of_the_interval_are_on_disk(folder: &Path, cycle: u64) {
    let cupti = functions();
    let reader = Reader { cupti: &cupti, version: 28, wants_driver: false };
    let mut buffer = kernels(2000, c"a kernel");
    open(CaptureInterval { start: 101, ..CaptureInterval::new(cycle, 0, false) });
    assert_eq!((end(cycle, 0), end(cycle, 9), end(cycle + 1, 0)), (Some(true), Some(false), None));
    end_devices(cycle, 1601);
    // SAFETY: a buffer that `next` walks through.
    unsafe { take(reader, buffer.as_mut_ptr(), buffer.len()) };
    let taken = close(cycle, soon());
    let expected = Counts { cycle, kept: 1500, outside: 500, ..Counts::default() };
    assert_eq!((taken.counts, taken.work, taken.is_torn), (expected, 1500, false));
    let mut starts = Vec::new();
    for index in 0.. {
        let header = Header { cycle: cycle as u32, index, pid: std::process::id() };
        let Ok(bytes) = fs::read(folder.join(header.file())) else { break };
        let chunk = Chunk::read(&bytes).expect("a chunk");
        assert_eq!(chunk.header, header);
        for record in chunk.records() {
            let Record::Kernel(kernel) = record else { panic!("{record:?}") };
            assert_eq!(kernel.name, process::name("a kernel"));
            starts.push(kernel.start);
        }
    }
    assert_eq!(starts, (101..1601).collect::<Vec<u64>>());

    // After the cycle nothing is kept.
    // SAFETY: as above.
    unsafe { take(reader, buffer.as_mut_ptr(), buffer.len()) };
    assert_eq!(close(cycle, soon()).counts, Counts { cycle, outside: 2000, ..Counts::default() });
    closing_waits_for_buffers_under_delivery(reader, cycle + 1);
}

fn closing_waits_for_buffers_under_delivery(reader: Reader<'_>, cycle: u64) {
    let mut buffer = kernels(20, c"a kernel");
    // Its start is unknown.
    buffer[16..24].copy_from_slice(&0_u64.to_ne_bytes());
    open(CaptureInterval::new(cycle, 1, false));
    let held = SINK.take().expect("free");
    let taken = thread::scope(|scope| {
        // SAFETY: a buffer that `next` walks through.
        scope.spawn(|| unsafe { take(reader, buffer.as_mut_ptr(), buffer.len()) });
        while DELIVERING.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let closed = scope.spawn(|| close(cycle, soon()));
        // A `close` that did not wait would be over by then.
        thread::sleep(50 * PAUSE);
        drop(held);
        closed.join().expect("no panic")
    });
    assert_eq!(taken.counts, Counts { cycle, kept: 19, lost: 1, ..Counts::default() });
}

#[test]
fn the_last_name_of_an_object_holds() {
    let name = |name, stream| {
        Record::Name(Name { name, object: 5, thread_or_context: 1, stream, ..Name::default() })
    };
    let mut sink = Box::new(Sink::new());
    for name in [name(1, 7), name(1, 8), name(2, 7), name(1, 7), name(1, 8)] {
        sink.describe(&name);
    }
    assert_eq!(sink.descriptions, [name(1, 8).encode(), name(1, 7).encode()]);
}
