//! Which pane the lower part of the screen shows, how large it is, and whether the movement keys act on it.
//!
//! Must not know what a pane contains.

use proftui_base::saturate::saturate;
use proftui_insight::analysis::ledger::hosts::says_what_the_host_did;
use proftui_insight::analysis::{VIEWS, View};

use crate::app::session::Session;
use crate::app::view::geometry::PaneSize;

/// The content of the lower part of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The details of the selected event or gap.
    #[default]
    Details,
    /// The summary of a view, by the view's index in [`VIEWS`].
    Table(usize),
}

impl Pane {
    /// Every pane, in the order of the tabs.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Details).chain((0..VIEWS.len()).map(Self::Table))
    }

    /// The pane of the verdict, the view that says what limits the run; none if there is no such view.
    pub fn verdict() -> Option<Self> {
        View::verdict().map(Self::Table)
    }

    /// The pane that is shown first: the verdict or, in a trace that says neither what a device nor what the
    /// host did, the details.
    pub(crate) fn first(session: &Session) -> Self {
        let says = !session.ledger.devices.is_empty() || says_what_the_host_did(&session.trace);
        Self::verdict().filter(|_| says).unwrap_or_default()
    }

    /// The pane's name on its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Details => "Details",
            Self::Table(view) => VIEWS[view].tab,
        }
    }
}

/// The part of the screen that the movement keys act on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Region {
    /// The timeline with its lines.
    #[default]
    Timeline,
    /// The pane in the lower part of the screen.
    Pane,
}

/// The pane shown, its size, and the region with the focus.
#[derive(Debug)]
pub struct Panes {
    shown: Pane,
    /// True once [`Panes::show`] was called, as when the user chooses a pane or marks a stretch. Before that,
    /// selecting an event or gap shows the Details pane.
    is_chosen: bool,
    size: PaneSize,
    region: Region,
}

impl Panes {
    /// The panes of a newly opened trace, with the focus on the timeline.
    pub(crate) fn new(session: &Session) -> Self {
        let (size, region) = (PaneSize::default(), Region::default());
        Self { shown: Pane::first(session), is_chosen: false, size, region }
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
    /// by the details.
    pub(crate) fn show(&mut self, pane: Pane) {
        self.shown = pane;
        self.is_chosen = true;
        self.unhide();
    }

    /// Shows the next (`by` 1) or previous (-1) pane in the order of the tabs, going around at both ends, as
    /// the user's choice.
    pub(crate) fn show_next(&mut self, by: isize) {
        let all: Vec<Pane> = Pane::all().collect();
        let here = saturate::<isize>(all.iter().position(|pane| *pane == self.shown).unwrap_or_default());
        self.show(all[(here + by).rem_euclid(saturate::<isize>(all.len())) as usize]);
    }

    /// Shows the Details pane for what was selected, unless [`Self::show`] was called before; a hidden pane
    /// stays hidden.
    pub(crate) fn offer_details(&mut self) {
        if !self.is_chosen {
            self.shown = Pane::Details;
        }
    }

    /// Shows the Details pane instead of the verdict; any other pane stays.
    pub(crate) fn leave_verdict(&mut self) {
        if Some(self.shown) == Pane::verdict() {
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
