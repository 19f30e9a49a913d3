//! Other tools' numbers: each tool's tables, made by its own rules and printed as it prints them, one folder
//! per tool.
//!
//! A tool's folder holds its rules, its options if it has some, and its printer (`print`) if it prints text.
//! Our own summaries are in `analysis`, which must not use this module. Tests compare these tables with what
//! the tools printed, the tools' own faults included:
//!
//! - `torch` follows torch's Python code to the letter: sums of doubles of µs in torch's order, and its
//!   swapped columns of stacks and operations.
//! - `paddle` holds raw integers; averages and units are its printer's. Where Paddle raises an error, a table
//!   is made anyway. `paddle/timer` is Paddle's benchmark timer with all its rules.
//! - `fluid` adds up events by path, for any trace: parts of operators only where the producer wrote them,
//!   device time only where launches are linked. Its rows are printed to the byte.
//! - `visualdl` has the numbers of VisualDL's profiler pages, but for two faults, which it corrects.

mod bounds;
pub mod fluid;
pub mod paddle;
pub mod torch;
pub mod visualdl;
