//! Flames: the frames of a part of a trace as trees, top-down or bottom-up, by what they weigh; device work
//! hangs below what launched it.
//!
//! A walk through each thread (`walk`) makes a tree in which equal names below the same frame are one
//! (`tree`, `names`); device work is added to the frames of its launches (`work`). From that tree, `frames`
//! makes the flame that panes, tables and files show. All of it takes time about in proportion to the number
//! of slices. Must not know how a flame is drawn or written.

pub mod choice;
pub mod frames;
mod grow;
mod names;
mod order;
mod tree;
mod walk;
mod work;

pub use choice::{Choice, Direction, Stacking, Weight};
pub use frames::{Flame, Frame};

#[cfg(test)]
mod tests;
