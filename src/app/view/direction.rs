//! The direction of a move.
//!
//! Must not know what moves.

/// The direction of a move in time, along links and flows, or in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To earlier times, from device work to its launch, from a backward operator to its forward one, to the
    /// start of a flow, to the previous entry of the history.
    Back,
    /// To later times, from a launch to its device work, from a forward operator to its backward one, to the
    /// end of a flow, to the next entry of the history.
    Forward,
}
