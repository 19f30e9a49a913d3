//! Which pane the lower part of the screen shows, how large it is, and whether the movement keys act on it.
//!
//! Must not know what a pane contains.

use std::ptr;

use proftui_base::saturate::saturate;
use proftui_insight::analysis::VIEWS;

pub use super::kinds::{Pane, Region};
use super::topics::{self, Topic};
use crate::app::session::Session;
use crate::app::view::geometry::PaneSize;

/// The pane shown, its size, and the region with the focus.
#[derive(Debug)]
pub struct Panes {
    shown: Pane,
    /// True while the pane is one that [`Panes::show`] was called for, as when the user chooses a pane or
    /// marks a stretch, but for the verdict. Otherwise, selecting an event or gap in the timeline shows the
    /// Details pane.
    is_chosen: bool,
    /// The pane whose key was pressed last, while each key since was that one.
    asked: Option<Pane>,
    size: PaneSize,
    region: Region,
}

impl Panes {
    /// The panes of a newly opened trace, with the focus on the timeline.
    pub(crate) fn new(session: &Session) -> Self {
        let (size, region) = (PaneSize::default(), Region::default());
        Self { shown: Pane::first(session), is_chosen: false, asked: None, size, region }
    }

    /// The pane in the lower part of the screen.
    pub fn shown(&self) -> Pane {
        self.shown
    }

    /// The share of the screen that the pane takes.
    pub fn size(&self) -> PaneSize {
        self.size
    }

    /// The part of the screen that the movement keys act on.
    pub fn region(&self) -> Region {
        self.region
    }

    /// Has the movement keys act on a part of the screen.
    pub(crate) fn focus(&mut self, region: Region) {
        self.region = region;
    }

    /// Shows `pane` as the user's choice, also if panes are hidden; selections usually no longer replace it
    /// by the details, but for the verdict.
    pub(crate) fn show(&mut self, pane: Pane) {
        self.shown = pane;
        self.is_chosen = Some(pane) != Pane::verdict();
        self.asked = None;
        self.unhide();
    }

    /// Shows `pane`, whose key was pressed, as the user's choice; where it was pressed before, the next pane
    /// of its topic.
    pub(crate) fn show_by_key(&mut self, pane: Pane, session: &Session) {
        let topic = Topic::of(pane);
        let is_again = self.asked == Some(pane) && ptr::eq(Topic::of(self.shown), topic);
        let offered = topic.offered(self.shown, session);
        self.show(if is_again { beside(&offered, self.shown, 1) } else { pane });
        self.asked = Some(pane);
    }

    /// Shows the next (`by` 1) or previous (-1) pane that may have something to show, in the order of the
    /// tabs, going around at both ends, as the user's choice.
    pub(crate) fn show_next(&mut self, by: isize, session: &Session) {
        self.show(beside(&topics::offered(self.shown, session), self.shown, by));
    }

    /// Shows the Details pane for what was selected, unless the user chose the pane shown or it has the
    /// focus; a hidden pane stays hidden.
    pub(crate) fn offer_details(&mut self) {
        if !self.is_chosen && self.region == Region::Timeline {
            self.shown = Pane::Details;
        }
    }

    /// Shows the summary of a marked stretch, or keeps another summary that the user chose; a hidden pane is
    /// shown again.
    pub(crate) fn show_stretch(&mut self) {
        let of_stretch = VIEWS.iter().position(|view| view.of_stretch.is_some()).map(Pane::Table);
        let is_kept = self.is_chosen && matches!(self.shown, Pane::Table(_));
        self.show(of_stretch.filter(|_| !is_kept).unwrap_or(self.shown));
    }

    /// Shows the pane that comes first in the new `session`, unless [`Self::show`] was called before.
    pub(crate) fn start_again(&mut self, session: &Session) {
        if !self.is_chosen {
            self.shown = Pane::first(session);
        }
    }

    /// Shows a hidden pane again, in the small size; any other size stays.
    pub(crate) fn unhide(&mut self) {
        if self.size == PaneSize::Hidden {
            self.size = PaneSize::Small;
        }
    }

    /// Switches to the next size: small, large, hidden, small again. The movement keys act on the timeline
    /// once the pane is hidden.
    pub(crate) fn next_size(&mut self) {
        self.size = self.size.next();
        if self.size == PaneSize::Hidden {
            self.region = Region::Timeline;
        }
    }
}

/// The pane `by` positions after `pane` in `panes`, which has it, going around at both ends.
fn beside(panes: &[Pane], pane: Pane, by: isize) -> Pane {
    let here = saturate::<isize>(panes.iter().position(|other| *other == pane).unwrap_or_default());
    let at = (here + by).rem_euclid(saturate::<isize>(panes.len()).max(1));
    panes.get(saturate::<usize>(at)).copied().unwrap_or(pane)
}
