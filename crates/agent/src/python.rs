//! The extension module `_proftui`, which a Python program's hooks call. No other module knows Python.
//!
//! - `api`: the functions of Python's stable C API that are used, looked up at run time.
//! - `module`: the extension module's own functions; `control`: those by which a program's own profiler says what is recorded;
//!   `binding`: how functions of both are described, called, and have their arguments and results converted.

mod api;
mod binding;
mod control;
mod module;
