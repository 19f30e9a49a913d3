//! Where the user is in a flame: the frame with the focus, and the frame that fills the pane.
//!
//! Must not know how a flame is drawn.

use proftui_base::intern::StrId;
use proftui_insight::analysis::flame::Flame;

/// A move of the focus from a frame of a flame to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the frame around the focused one.
    Out,
    /// To the heaviest frame directly in the focused one.
    In,
    /// To the next sibling of the focused frame, lighter or as heavy.
    Next,
    /// To the previous sibling of the focused frame, heavier or as heavy.
    Previous,
}

/// Where the user is in a flame; frames are indices into `Flame::frames`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Icicle {
    /// The frame with the focus.
    pub focus: u32,
    /// The frame that fills the pane; `None` where all are shown.
    pub zoom: Option<u32>,
}

impl Icicle {
    /// The focus and zoom in the flame `new`, on the frames of the same names as far as `new` has them; those
    /// of a new flame if the directions differ.
    #[must_use]
    pub(crate) fn within(self, old: &Flame, new: &Flame) -> Self {
        if old.direction != new.direction {
            return Self::default();
        }
        let found = |frame: u32| {
            let mut at = None;
            for step in old.frames.get(frame as usize).map_or_else(Vec::new, |_| old.path(frame)) {
                let name: StrId = old.frames[step as usize].name;
                let Some(next) = new.below(at).find(|&below| new.frames[below as usize].name == name) else {
                    break;
                };
                at = Some(next);
            }
            at
        };
        let zoom = self.zoom.and_then(found);
        Self { focus: found(self.focus).or(zoom).unwrap_or_default(), zoom }
    }

    /// Moves the focus by `step`, but not out of the frame that fills the pane; the focus stays if there is
    /// no frame to move to.
    pub(crate) fn go(&mut self, flame: &Flame, step: Step) {
        let Some(frame) = flame.frames.get(self.focus as usize) else { return };
        let is_top = self.zoom == Some(self.focus);
        let next = match step {
            Step::In => flame.below(Some(self.focus)).next(),
            _ if is_top => None,
            Step::Out => frame.parent,
            Step::Next => flame.below(frame.parent).find(|&beside| beside > self.focus),
            Step::Previous => flame.below(frame.parent).take_while(|&beside| beside < self.focus).last(),
        };
        self.focus = next.unwrap_or(self.focus);
    }

    /// Fills the pane with the focused frame; false, without a change, if that frame fills the pane already
    /// or has no frames in it.
    pub(crate) fn zoom_in(&mut self, flame: &Flame) -> bool {
        let has_frames = flame.below(Some(self.focus)).next().is_some();
        let zooms = has_frames && self.zoom != Some(self.focus);
        if zooms {
            self.zoom = Some(self.focus);
        }
        zooms
    }

    /// Zooms out to the frame around the frame that fills the pane, or to all frames. False if all are shown
    /// already.
    pub(crate) fn zoom_out(&mut self, flame: &Flame) -> bool {
        let Some(zoom) = self.zoom else { return false };
        self.zoom = flame.frames.get(zoom as usize).and_then(|frame| frame.parent);
        true
    }
}
