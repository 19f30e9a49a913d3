//! The kinds of ranges that Paddle does not have, in one byte as tags have them: what a program does that may
//! leave a device idle, and calls of Python functions. Besides, Paddle's kind of collectives, and the form of
//! their names.
//!
//! Paddle's own numbers are small. The Python hooks have all of these numbers but that of collections of
//! Python's garbage, too (`assets/python/_proftui_shim/ranges.py`).

/// Kind of the range of a garbage collection of Python.
pub const GARBAGE_COLLECTION: u8 = 200;
/// Kind of the range of a compilation, or of measuring which variant of a kernel is fastest.
pub const COMPILE: u8 = 201;
/// Kind of the range of writing a checkpoint.
pub const CHECKPOINT: u8 = 202;
/// Kind of the range of importing a Python module, recorded if that took long.
pub const IMPORT: u8 = 203;
/// Kind of the range of a call of a Python function.
pub const FUNCTION: u8 = 204;

/// Kind of a record that is no range: its end and number are those of a step, and its start is a
/// [`pair`](crate::processor::pair): for how long the thread that ends steps was on a processor in the step,
/// and for how long it was ready to run and had none, both µs.
pub const PROCESSOR: u8 = 210;
/// As [`PROCESSOR`]: for how long the process's other threads were on processors, summed, µs, and the most
/// memory of the process that was resident at a time so far, KiB.
pub const PROCESS: u8 = 211;

/// Paddle's number for the kind of range of a collective, or of a transfer between processes.
pub const COMMUNICATION: u8 = 12;
/// Separates the operation, the group's name and the group's size in the name of a collective's range.
pub const PART: char = '\u{1f}';

/// True for kinds of ranges that occur by chance, differently in each run: garbage collections and imports.
pub fn is_by_chance(kind: u16) -> bool {
    kind == GARBAGE_COLLECTION.into() || kind == IMPORT.into()
}
