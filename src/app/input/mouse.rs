//! What a mouse does, whatever library reads it; whether the terminal reports it, and where a drag began.
//!
//! Must not know what an action means.

use proftui_base::time::Ns;

/// An action of the mouse, and the cell of the screen at which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// What the mouse did.
    pub action: MouseAction,
    /// The column of the screen, from 0 at the left.
    pub x: u16,
    /// The line of the screen, from 0 at the top.
    pub y: u16,
}

/// What a mouse can do, as far as the explorer uses it.
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

/// What the explorer remembers of the mouse: whether the terminal reports it, and where on the timeline a
/// drag began.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    /// True while the terminal is to report what the mouse does.
    is_on: bool,
    /// The trace's time, ns, at which the left button went down on the timeline; none before, and after
    /// [`release`](Self::release).
    dragged_from: Option<Ns>,
}

impl Pointer {
    /// A pointer with the button up; `is_on` is true if the terminal reports the mouse from the start.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, dragged_from: None }
    }

    /// Switches whether the terminal is to report the mouse, and returns true if it now is.
    pub(crate) fn toggle(&mut self) -> bool {
        self.is_on = !self.is_on;
        self.is_on
    }

    /// The trace's time, ns, at which the left button went down on the timeline; none before, and after
    /// [`release`](Self::release).
    pub(crate) fn dragged_from(&self) -> Option<Ns> {
        self.dragged_from
    }

    /// Notes that the left button went down on the timeline, at the trace's time `t`, ns.
    pub(crate) fn press(&mut self, t: Ns) {
        self.dragged_from = Some(t);
    }

    /// Notes that the left button went up; true if it had gone down on the timeline since the last call.
    pub(crate) fn release(&mut self) -> bool {
        self.dragged_from.take().is_some()
    }
}
