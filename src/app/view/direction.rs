//! The direction of a move.
//!
//! Must not know what moves.

/// The direction of a move in time, along links or in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To earlier times, from device work to its launch, to the previous entry of the history.
    Back,
    /// To later times, from a launch to its device work, to the next entry of the history.
    Forward,
}
