//! The table of memory events: allocations and releases.

use proftui_trace::model::{MemoryEvent, MemoryKind};

use crate::dataset::column::{Column, Value};
use crate::dataset::source::Source;
use crate::dataset::table::Of;

pub(super) static TABLE: Of<usize> = Of {
    name: "allocations",
    about: "An allocation or a release of memory",
    columns: COLUMNS,
    keys: |source| Ok(Box::new(0..source.trace.memory.len())),
};

/// The kinds of memory events, as the column `kind` has them.
const KINDS: [(MemoryKind, &str); 4] = [
    (MemoryKind::Allocate, "allocate"),
    (MemoryKind::Free, "free"),
    (MemoryKind::ReservedAllocate, "reserved_allocate"),
    (MemoryKind::ReservedFree, "reserved_free"),
];

const COLUMNS: &[Column<usize>] = &[
    Column::trace(),
    Column::worker(|source, at| source.worker_of(event(source, at).lane)),
    Column::new(
        "lane",
        "Number of the lane of the thread",
        Value::Int(|source, at| i64::from(event(source, at).lane.get())),
    ),
    Column::new(
        "kind",
        "allocate, free: between the program and the allocator; reserved_allocate, reserved_free: between \
         the allocator and the system",
        Value::OneOf(
            || KINDS.iter().map(|(_, name)| *name).collect(),
            |source, at| KINDS.iter().position(|(kind, _)| *kind == event(source, at).kind),
        ),
    ),
    Column::new("time_ns", "Time of the event, in ns", Value::Int(|source, at| event(source, at).ts)),
    Column::new(
        "bytes",
        "Bytes, as the trace states them: usually negative for a release; 0 where it does not",
        Value::Int(|source, at| event(source, at).bytes),
    ),
    Column::new(
        "address",
        "Address of the memory, 0 where not known; one above 2^63 is negative",
        Value::Int(|source, at| event(source, at).address.cast_signed()),
    ),
    Column::new(
        "place",
        "Where the memory is, such as Place(gpu:0), device 0 or CPU",
        Value::String(|source, at| Some(event(source, at).place)),
    ),
    Column::new(
        "allocated_bytes",
        "Bytes that the program has from the allocator after the event, where stated",
        Value::MaybeInt(|source, at| event(source, at).allocated.get()),
    ),
    Column::new(
        "reserved_bytes",
        "Bytes that the allocator has from the system after the event, where stated",
        Value::MaybeInt(|source, at| event(source, at).reserved.get()),
    ),
];

fn event<'a>(source: &Source<'a>, at: usize) -> &'a MemoryEvent {
    &source.trace.memory[at]
}
