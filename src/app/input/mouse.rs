//! What a mouse does, whatever library reads it; whether the terminal reports it, and where a drag began.
//!
//! Must not know what an action means.

use proftui_base::time::Ns;

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

/// The mouse, as far as the explorer has it.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    /// True while the terminal reports what the mouse does.
    is_on: bool,
    /// The time at which the left button went down on the timeline; none while it is up.
    dragged_from: Option<Ns>,
}

impl Pointer {
    /// A pointer with the button up; `is_on` is true if the terminal reports the mouse from the start.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, dragged_from: None }
    }

    /// Switches the mouse on or off; true if it is on now.
    pub(crate) fn toggle(&mut self) -> bool {
        self.is_on = !self.is_on;
        self.is_on
    }

    /// The time at which the left button went down on the timeline; none while it is up.
    pub(crate) fn dragged_from(&self) -> Option<Ns> {
        self.dragged_from
    }

    /// Notes that the left button went down at `t`.
    pub(crate) fn press(&mut self, t: Ns) {
        self.dragged_from = Some(t);
    }

    /// Notes that the left button went up; true if it had gone down on the timeline.
    pub(crate) fn release(&mut self) -> bool {
        self.dragged_from.take().is_some()
    }
}
