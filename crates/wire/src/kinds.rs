//! The kinds of ranges that Paddle does not have, in one byte as tags have them: what a program does that may
//! leave a device idle. Besides, Paddle's kind of collectives, and the form of their names.
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

/// Kind of the range of a collective, or of a transfer between two processes: Paddle's number. The range's
/// name has three parts with [`PART`] between them: the operation, the name of the group of processes, and
/// how many processes the group has.
pub const COMMUNICATION: u8 = 12;
/// Separates the parts of the name of a collective's range.
pub const PART: char = '\u{1f}';

/// True for garbage collections and imports: whether, and for how long, a program has ranges of these kinds
/// differs from run to run.
pub fn is_by_chance(kind: u16) -> bool {
    kind == GARBAGE_COLLECTION.into() || kind == IMPORT.into()
}
