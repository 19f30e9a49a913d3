//! The explorer's state: everything that the screen shows, as plain data. Only `update` changes it.
//!
//! Must not know commands or messages; effects that a change asks for are gathered here until the update
//! hands them over.

use std::sync::Arc;

use proftui_base::fmt::TimeUnit;
use proftui_base::time::Ns;

use super::session::Session;
use crate::app::finding::search::{Others, Search};
use crate::app::input::bindings::{self, Keys};
use crate::app::marking::marks::{KeptMark, Marks};
use crate::app::pane::overlay::{Overlay, Prompt};
use crate::app::pane::panes::Panes;
use crate::app::pane::selected::Selected;
use crate::app::pane::stretch::Stretch;
use crate::app::pane::summaries::Summaries;
use crate::app::session::loading::{Loading, Shown};
use crate::app::session::traces::Traces;
use crate::app::view::color::ColorBy;
use crate::app::view::geometry::{Geometry, Wants};
use crate::app::view::minimap::{Minimap, MinimapJob};
use crate::app::view::timefmt::TimeFormat;
use crate::app::view::timeline::Timeline;
use crate::app::wires::jobs::Slots;
use crate::app::wires::message::Message;
use crate::app::wires::msg::Effect;

/// The explorer's state once there is a trace to show.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, no state machine")]
pub struct State {
    /// The trace with its index and counts.
    pub session: Arc<Session>,
    /// The screen's columns and lines.
    pub size: (u16, u16),
    /// The keys in force.
    pub keys: Arc<Keys>,
    /// True while the terminal reports what the mouse does.
    pub(super) has_mouse: bool,
    /// The time at which the left button went down on the timeline; none while it is up.
    pub(super) dragged_from: Option<Ns>,
    /// What the colours of events mean.
    pub color_by: ColorBy,
    /// The time shown, the lines, and the one with the focus.
    pub timeline: Timeline,
    /// What is selected, and its details.
    pub selected: Selected,
    /// The pane shown, its size, and the region that the movement keys act on.
    pub panes: Panes,
    /// The location, as text, that the explorer goes to once the whole trace is loaded.
    pub(super) opening_location: Option<String>,
    /// The summaries made so far, and what the user chose for them.
    pub summaries: Summaries,
    /// The marked stretch of time; none if none is marked.
    pub stretch: Option<Stretch>,
    /// The marks that the user set.
    pub marks: Marks,
    /// The marks of an earlier session, until the whole trace is loaded; none if marks are not kept in a
    /// file.
    pub(super) opening_marks: Option<Vec<KeptMark>>,
    /// True if every change of the marks is written to the file of the session.
    pub(super) keeps_marks: bool,
    /// Marks of an earlier session whose location the trace lacks; they stay in the file.
    pub(super) lost_marks: Vec<KeptMark>,
    /// The open prompt, list or help; none if none is open.
    pub overlay: Option<Overlay>,
    /// The last search with the events it found; none after it was cleared.
    pub search: Option<Search>,
    /// How events are shown that it did not find.
    pub others: Others,
    /// How busy the whole trace was, for the minimap's columns.
    pub minimap: Minimap,
    /// The form in which times are shown.
    pub time_format: TimeFormat,
    /// The unit of durations in panes; none for the unit that suits each one.
    pub unit: Option<TimeUnit>,
    /// The load in progress; none if nothing is being loaded.
    pub loading: Option<Loading>,
    /// The message in the footer, shown until the next key press.
    pub message: Option<Message>,
    /// True once a file has changed on disk since it was loaded.
    pub has_changed: bool,
    /// The traces of the directory that was opened, of which one is shown.
    pub traces: Traces,
    /// False where the trace came through a pipe, which cannot be read again.
    pub can_reload: bool,
    /// The command chosen in the palette, by its index in the command table; none once it runs.
    pub(super) chosen_command: Option<usize>,
    /// The jobs that run on other threads, and those wanted next.
    pub(super) jobs: Slots,
    /// True while bracketed paste is on in the terminal.
    pub(super) is_paste_marked: bool,
    /// The effects asked for so far; `update` takes and returns them.
    pub(super) effects: Vec<Effect>,
}

impl State {
    /// The initial state over a session, on a screen of `size` (columns, lines): the viewport shows the
    /// steps, or in a trace without steps the trace without far outliers; nothing is selected.
    pub fn new(session: Session, size: (u16, u16)) -> Self {
        Self::while_loading(session, size, None)
    }

    /// The same while the rest of the trace is loaded, if it is.
    pub(super) fn while_loading(session: Session, size: (u16, u16), loading: Option<Loading>) -> Self {
        let mut state = Self {
            timeline: Timeline::new(&session, size.1),
            selected: Selected::default(),
            panes: Panes::new(&session),
            opening_location: None,
            summaries: Summaries::default(),
            stretch: None,
            marks: Marks::default(),
            overlay: None,
            search: None,
            others: Others::default(),
            minimap: Minimap::default(),
            time_format: TimeFormat::default(),
            unit: None,
            loading,
            message: None,
            has_changed: false,
            traces: Traces::default(),
            can_reload: true,
            chosen_command: None,
            jobs: Slots::default(),
            is_paste_marked: false,
            effects: Vec::new(),
            keys: Arc::default(),
            color_by: ColorBy::default(),
            has_mouse: false,
            dragged_from: None,
            opening_marks: None,
            keeps_marks: false,
            lost_marks: Vec::new(),
            size,
            session: Arc::new(session),
        };
        state.resize(size);
        state.refresh_table();
        state
    }

    /// Adapts the state to a screen of `size` (columns, lines).
    pub(super) fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        self.scroll_to_focus();
        let columns = self.geometry().minimap.width;
        if self.minimap.device.len() != columns as usize {
            let job = MinimapJob { session: Arc::clone(&self.session), columns };
            // Until it is there, the lines of the minimap are empty.
            self.minimap = self.jobs.minimap.start(job).unwrap_or_default();
        }
    }

    /// The areas of the screen's regions at its present size and pane size.
    pub fn geometry(&self) -> Geometry {
        let wants = Wants { labels: self.timeline.lines().label_width(), pane: self.wanted_pane_rows() };
        Geometry::of(self.size.0, self.size.1, self.panes.size(), wants)
    }

    /// The lines that are on the screen, top to bottom, as indices into the timeline's lines.
    pub fn visible_lines(&self) -> impl Iterator<Item = usize> {
        self.timeline.visible(&self.session, self.geometry().timeline.height.into())
    }

    /// Scrolls so that the focused line and, if there is room, the line above it are on the screen.
    pub(super) fn scroll_to_focus(&mut self) {
        let height = self.geometry().timeline.height.into();
        self.timeline.scroll_to_focus(&self.session, height);
    }

    /// Gives lines to the rows that have events in the viewport.
    pub(super) fn settle_rows(&mut self) {
        if self.timeline.settle_rows() {
            self.scroll_to_focus();
        }
    }

    /// The time that one column of the timeline covers, ns; at least 1.
    pub fn ns_per_column(&self) -> Ns {
        self.timeline.ns_per_column(self.geometry().timeline.width)
    }

    /// The number of the worker that the focused line belongs to; 0 if there is no line.
    pub fn worker(&self) -> u16 {
        let trace = &self.session.trace;
        self.timeline.focused_group(trace).map_or(0, |group| trace.groups[group as usize].worker)
    }

    /// The open prompt; none if no prompt is open.
    pub fn prompt(&self) -> Option<&Prompt> {
        match &self.overlay {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// True while the trace on the screen is a snapshot: what it lacks may still come.
    pub fn is_snapshot(&self) -> bool {
        self.loading.is_some_and(|loading| loading.shown == Shown::Snapshot)
    }

    /// Names the keys of the first steps, until the next key.
    pub(super) fn say_hint(&mut self) {
        let key = |binding| self.keys.label(binding);
        let hint = format!(
            "{} selects events, {} searches, {} marks a stretch of time, {} lists all keys",
            key(bindings::NEXT_EVENT),
            key(bindings::SEARCH),
            key(bindings::STRETCH),
            key(bindings::HELP)
        );
        self.message = Some(Message::new(hint));
    }

    /// Shows a message until the next key.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.message = Some(Message::new(message));
    }
}
