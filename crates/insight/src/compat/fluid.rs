//! The report of Paddle's old profiler (`fluid.profiler`), made from the events of any trace.
//!
//! `options` are that profiler's options, `events` decides which slices are its events and names them, `tree`
//! adds them up by path, `report` makes the numbers of the printed report: floats of milliseconds, as
//! printed. Only `print` knows the text.

pub mod events;
pub mod memory;
pub mod options;
pub mod print;
pub mod report;
pub mod tree;

pub use memory::MemoryRow;
pub use options::{Detail, Options, SortKey, State};
pub use report::{Overhead, Report, Row, Section, Share, report};
