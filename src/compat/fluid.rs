//! The report of Paddle's old profiler (`fluid.profiler`), of any trace as far as its events allow.
//!
//! `options` is what that profiler could be asked for, `events` says which slices are its events and what they are
//! called, `tree` adds them up by path, `report` makes the numbers of the printed report. Those numbers are floats of
//! milliseconds, as printed. Only `print` knows the text.

pub mod events;
pub mod memory;
pub mod options;
pub mod print;
pub mod report;
pub mod tree;

pub use memory::MemoryRow;
pub use options::{Detail, Options, SortKey, State};
pub use report::{Overhead, Report, Row, Section, Share, report};
