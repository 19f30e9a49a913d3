//! Everything that the screen shows, as plain data. Only `update` changes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::VIEWS;
use crate::base::text::SafeText;
use crate::base::time::{Ns, Span};
use crate::import::{Loaded, Texts};
use crate::index::Index;
use crate::model::{RowId, SliceId, Trace};

use super::details::Details;
use super::geometry::{Geometry, PaneSize};
use super::growth::Loading;
use super::history::{History, Place};
use super::lines::{self, LineKind, Lines};
use super::minimap::Minimap;
use super::overlay::Overlay;
use super::panes::{Reach, TablePane};
use super::search::{self, Search};
use super::summing::Job;
use super::timefmt::TimeFormat;
use super::update::Outcome;
use super::view;

/// The trace and what was built over it; never changes while it is open.
#[derive(Debug)]
pub struct Session {
    /// The trace.
    pub trace: Trace,
    /// Where its events are read again.
    pub texts: Texts,
    /// The index of its rows.
    pub index: Index,
    /// Rows of device work, for the minimap.
    pub device_rows: Vec<RowId>,
    /// Rows of operators and calls, for the minimap.
    pub host_rows: Vec<RowId>,
    /// How many slices bear each name.
    pub name_counts: Vec<u32>,
}

impl Session {
    /// Indexes what was loaded.
    pub fn new(loaded: Loaded) -> Self {
        let Loaded { trace, texts } = loaded;
        let index = Index::build(&trace);
        let (device_rows, host_rows) = (lines::device_rows(&trace), lines::host_rows(&trace));
        let name_counts = search::count_names(&trace);
        Self { trace, texts, index, device_rows, host_rows, name_counts }
    }
}

/// What the lower part of the screen shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The selected event.
    #[default]
    Details,
    /// A summary, by its place in [`VIEWS`].
    Table(usize),
}

impl Pane {
    /// Every pane, in the order of the tabs.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Details).chain((0..VIEWS.len()).map(Self::Table))
    }

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::Details => "Details",
            Self::Table(view) => VIEWS[view].tab,
        }
    }

    /// The command that shows it.
    pub fn command(self) -> &'static str {
        match self {
            Self::Details => "pane.details",
            Self::Table(view) => VIEWS[view].command,
        }
    }
}

/// Which part of the screen the movement keys are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Region {
    /// The timeline.
    #[default]
    Timeline,
    /// The pane.
    Pane,
}

/// What is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// A slice.
    Slice(SliceId),
    /// A stretch of a row without a slice.
    Gap(RowId, Span),
    /// An instant, an index into `Trace::instants`.
    Instant(u32),
}

/// The explorer's state.
#[derive(Debug)]
pub struct State {
    /// The trace and what was built over it.
    pub session: Arc<Session>,
    /// The screen's columns and lines.
    pub size: (u16, u16),
    /// What the timeline shows.
    pub view: Span,
    /// The time cursor; always within the view.
    pub cursor: Ns,
    /// The lines and what was folded, pinned, hidden.
    pub lines: Lines,
    /// The line with the focus.
    pub focus: usize,
    /// The first line shown below the pinned ones.
    pub scroll: usize,
    /// What is selected.
    pub selection: Option<Selection>,
    /// The Details pane's content for the selection.
    pub details: Details,
    /// The pane shown.
    pub pane: Pane,
    /// How much room it takes.
    pub pane_size: PaneSize,
    /// Line of the Details pane with the focus.
    pub pane_line: usize,
    /// The summaries made so far, by their places in [`VIEWS`].
    pub tables: BTreeMap<usize, TablePane>,
    /// A summary to be made beside the loop, until it is taken.
    pub job: Option<Job>,
    /// What part of the trace summaries are of.
    pub reach: Reach,
    /// Which part the movement keys are for.
    pub region: Region,
    /// What lies over the screen.
    pub overlay: Option<Overlay>,
    /// The last search.
    pub search: Option<Search>,
    /// How busy the whole trace was, for the minimap's columns.
    pub minimap: Minimap,
    /// Views to go back to.
    pub history: History,
    /// How times are shown.
    pub time_format: TimeFormat,
    /// How far loading has come; none when the trace is whole.
    pub loading: Option<Loading>,
    /// One line to the person, until the next key.
    pub message: Option<SafeText<'static>>,
    /// True once the file is no longer what was loaded.
    pub has_changed: bool,
    /// Text for the clipboard, until it is sent.
    pub clip: Option<String>,
    /// What the person asked of the loop, until it is told.
    pub wants: Option<Outcome>,
}

impl State {
    /// The first screen of a session.
    pub fn new(session: Session, size: (u16, u16)) -> Self {
        let trace = &session.trace;
        let lines = Lines::new(trace);
        let focus = lines.first_focus(trace);
        let whole = view::fit(trace.main_span, trace.span);
        let cursor = trace.steps.first().map_or(trace.main_span.start, |step| step.span.start);
        let mut state = Self {
            view: whole,
            cursor: cursor.clamp(whole.start, whole.end - 1),
            lines,
            focus,
            scroll: 0,
            selection: None,
            details: Details::default(),
            pane: Pane::default(),
            pane_size: PaneSize::default(),
            pane_line: 0,
            tables: BTreeMap::new(),
            job: None,
            reach: Reach::default(),
            region: Region::default(),
            overlay: None,
            search: None,
            minimap: Minimap::default(),
            history: History::default(),
            time_format: TimeFormat::default(),
            loading: None,
            message: None,
            has_changed: false,
            clip: None,
            wants: None,
            size,
            session: Arc::new(session),
        };
        state.resize(size);
        state
    }

    /// The screen has another size.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        self.scroll_to_focus();
        let columns = self.geometry().minimap.width;
        if self.minimap.device.len() != columns as usize {
            self.minimap = Minimap::of(&self.session, columns);
        }
    }

    /// How the screen is divided now.
    pub fn geometry(&self) -> Geometry {
        Geometry::of(self.size.0, self.size.1, self.pane_size)
    }

    /// The time that one column covers, ns; at least 1.
    pub fn grain(&self) -> Ns {
        (self.view.len() / Ns::from(self.geometry().timeline.width.max(1))).max(1)
    }

    /// The worker whose lines have the focus.
    pub fn worker(&self) -> u16 {
        let trace = &self.session.trace;
        let group = self.lines.get(self.focus).map(|line| match line.kind {
            LineKind::Group(group) => group,
            LineKind::Row(lane, _) | LineKind::Counter(lane, _) | LineKind::Marks(lane) => {
                trace.lanes[lane as usize].group
            }
        });
        group.map_or(0, |group| trace.groups[group as usize].worker)
    }

    /// The selected slice.
    pub fn selected_slice(&self) -> Option<SliceId> {
        match self.selection {
            Some(Selection::Slice(id)) => Some(id),
            _ => None,
        }
    }

    /// Where the person is, for the history.
    pub fn place(&self) -> Place {
        let line = self.lines.get(self.focus).map(|line| line.kind);
        Place { view: self.view, cursor: self.cursor, line, selection: self.selection }
    }

    /// Says something until the next key.
    pub fn say(&mut self, message: impl Into<String>) {
        self.message = Some(SafeText::from(message.into()));
    }

    /// The lines of the timeline now on the screen, top to bottom: pinned ones, then from `scroll`.
    pub fn visible_lines(&self) -> impl Iterator<Item = usize> {
        let height = self.geometry().timeline.height as usize;
        let pinned = self.lines.pinned_len().min(height / 2);
        let from = self.scroll.max(pinned);
        (0..pinned).chain((from..self.lines.len()).take(height - pinned))
    }

    /// Scrolls so that the line with the focus is on the screen.
    pub fn scroll_to_focus(&mut self) {
        let height = self.geometry().timeline.height as usize;
        let pinned = self.lines.pinned_len().min(height / 2);
        self.focus = self.focus.min(self.lines.len().saturating_sub(1));
        let room = height.saturating_sub(pinned).max(1);
        let last = self.lines.len().saturating_sub(room).max(pinned);
        if self.focus >= pinned {
            // A line of context above brings the heading of a group into sight, where there is room for it.
            let context = usize::from(room > 1);
            let highest = self.focus.saturating_sub(context).max(pinned);
            let lowest = (self.focus + 1).saturating_sub(room).min(highest);
            self.scroll = self.scroll.clamp(lowest, highest);
        }
        self.scroll = self.scroll.clamp(pinned, last);
    }
}
