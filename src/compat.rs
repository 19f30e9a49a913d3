//! Other tools' numbers: each tool's tables, made by its own rules and printed as it prints them, one folder per tool.
//!
//! A tool's folder holds its rules, its options and its printer (`print`), where it has a text of its own. Our own
//! summaries are in `analysis`, which must not use this module.

pub mod fluid;
pub mod paddle;
pub mod torch;
pub mod visualdl;
