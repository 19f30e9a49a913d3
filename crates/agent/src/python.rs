//! The extension module `_proftui`: what a Python program's hooks call. Of all modules, this one alone knows Python.
//!
//! - `api`: the functions of Python that are used, found by name at run time; all are of the stable interface.
//! - `module`: the module's own functions.

mod api;
mod module;
mod steering;
