//! The kinds of ranges that Paddle does not have, in one byte as tags have them: what a program does that may leave a device idle.
//!
//! Paddle's own numbers are small. The Python hooks have these numbers, too (`ranges.py`).

/// A garbage collection of Python.
pub const GARBAGE_COLLECTION: u8 = 200;
/// Compiling code for a device or for a framework.
pub const COMPILE: u8 = 201;
/// Writing a checkpoint.
pub const CHECKPOINT: u8 = 202;
/// Importing a Python module.
pub const IMPORT: u8 = 203;
