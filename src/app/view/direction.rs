//! The direction of a move.
//!
//! Must not know what moves.

/// The direction of a move in time, along links and flows, or in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To earlier times, such as from device work to its launch, or back in the history.
    Back,
    /// To later times, such as from a launch to its device work, or forward in the history.
    Forward,
}
