//! What a mouse does, whatever library reads it.
//!
//! Must not know what it means.

/// What a mouse did on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// What the mouse did: a button, the wheel or a movement.
    pub action: MouseAction,
    /// The column, from 0.
    pub x: u16,
    /// The line, from 0.
    pub y: u16,
}

/// What a mouse can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAction {
    /// The left button goes down.
    Press,
    /// The mouse moves with the left button down.
    Drag,
    /// The left button goes up.
    Release,
    /// The wheel moves away from the user.
    WheelUp,
    /// The wheel moves towards the user.
    WheelDown,
}
