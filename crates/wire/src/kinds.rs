//! The kinds of ranges that Paddle does not have, in one byte as tags have them: what a program does that may
//! leave a device idle. Besides, Paddle's kind of collectives, and the form of their names.
//!
//! Paddle's own numbers are small. The Python hooks have all of these numbers but that of collections of
//! Python's garbage, too (`assets/python/_proftui_shim/ranges.py`).

/// A garbage collection of Python.
pub const GARBAGE_COLLECTION: u8 = 200;
/// Compiling code for a device or for a framework.
pub const COMPILE: u8 = 201;
/// Writing a checkpoint.
pub const CHECKPOINT: u8 = 202;
/// Importing a Python module.
pub const IMPORT: u8 = 203;

/// A collective of several processes: Paddle's number. The range's name has three parts with [`PART`] between
/// them: the operation, the group's name, and the number of its processes.
pub const COMMUNICATION: u8 = 12;
/// Separates the parts of the name of a collective's range.
pub const PART: char = '\u{1f}';

/// True for the kinds of which a program has ranges by chance, whatever it does: when memory is collected,
/// and how long an import takes, differs from run to run.
pub fn is_by_chance(kind: u16) -> bool {
    kind == GARBAGE_COLLECTION.into() || kind == IMPORT.into()
}
