//! The extension module `_proftui`, which a Python program's hooks call. No other module knows Python.
//!
//! - `api`: the functions of Python's stable C API that are used, looked up at run time.
//! - `module`: the extension module's functions; `count`: those by which the hooks count steps; `control`:
//!   those by which a program's own profiler selects the recorded steps.
//! - `collections`: the garbage collections of Python, as ranges.
//! - `functions`: the calls of Python functions that were chosen, as ranges.
//! - `hook`: callables that stand for functions of frameworks and scripts, without a frame.
//! - `binding`: describes these functions to Python, calls them, and converts their arguments and results.

mod api;
mod binding;
mod collections;
mod control;
mod count;
mod functions;
mod hook;
mod module;
