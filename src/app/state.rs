//! The explorer's state: everything that the screen shows. Each of its nouns owns its fields and the changes
//! to them; here is what follows from several. Only `update` changes it once it is shown.
//!
//! Must not know which command or event asks for a change; effects that a change asks for are gathered here
//! until the update hands them over.

pub mod asked;
pub mod crumbs;

use std::sync::Arc;

use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;
use proftui_insight::analysis::Scope;
use proftui_insight::analysis::part::phase::at::{PhaseAt, phase_at};
use proftui_trace::model::{Step, WorkerId};

use super::session::Session;
use crate::app::finding::Finding;
use crate::app::input::bindings::Keys;
use crate::app::input::mouse::Pointer;
use crate::app::marking::keeping::Kept;
use crate::app::marking::marks::Marks;
use crate::app::pane::answer;
use crate::app::pane::clicks::Clicks;
use crate::app::pane::dialog::Dialog;
use crate::app::pane::findings;
use crate::app::pane::panes::{Pane, Panes};
use crate::app::pane::selected::Selected;
use crate::app::pane::stretch::Stretch;
use crate::app::pane::summaries::Summaries;
use crate::app::pane::table_pane::{Half, ScopeChoice, TablePane};
use crate::app::session::source::Source;
use crate::app::view::geometry::{Geometry, Wants, answer_lines};
use crate::app::view::looks::Looks;
use crate::app::view::minimap::{Minimap, MinimapJob};
use crate::app::view::timeline::Timeline;
use crate::app::wires::jobs::Slots;
use crate::app::wires::message::Message;
use crate::app::wires::msg::Effect;

/// How many rows, and how many notes, are counted at most to see how many lines a pane needs.
const PANE_ROWS: usize = 1000;

/// The explorer's state once there is a trace to show.
#[derive(Debug)]
pub struct State {
    /// The trace on the screen, with what is computed from it once.
    pub session: Arc<Session>,
    /// Where the trace on the screen comes from, and the traces to choose from.
    pub source: Source,
    /// The screen's columns and lines.
    pub size: (u16, u16),
    /// The keys that run commands: the defaults, with the user's changes.
    pub keys: Arc<Keys>,
    /// What the explorer remembers of the mouse, such as where a drag began.
    pub(super) pointer: Pointer,
    /// What colours mean, in which form times are shown, and the unit of durations.
    pub looks: Looks,
    /// The viewport, the cursor, the lines and the line with the focus.
    pub timeline: Timeline,
    /// How busy devices and host threads were over time, for each column of the minimap.
    pub minimap: Minimap,
    /// What is selected, and its details.
    pub selected: Selected,
    /// The pane shown, its size, and the region that the movement keys act on.
    pub panes: Panes,
    /// The summaries made so far, and what the user chose for them.
    pub summaries: Summaries,
    /// The marked stretch of time; none if none is marked.
    pub stretch: Option<Stretch>,
    /// The user's marks, also those of an earlier session.
    pub marks: Marks,
    /// The last search with the events it found, and how all other events are shown.
    pub finding: Finding,
    /// The open prompt, list or help, if any.
    pub dialog: Dialog,
    /// What clicks on the screen ask for.
    pub clicks: Clicks,
    /// The message in the footer, if any.
    pub message: Option<Message>,
    /// True once the user has pressed a key, moved the mouse or pasted: until then a larger snapshot or the
    /// whole trace is opened anew.
    pub(super) is_used: bool,
    /// What an earlier session kept of the trace, until that is restored.
    pub(super) earlier: Option<Kept>,
    /// True once what an earlier session kept is restored, so that this session is kept, too.
    pub(super) is_kept: bool,
    /// The jobs that run on other threads, and those wanted next.
    pub(super) jobs: Slots,
    /// The effects asked for that `update` has not returned yet.
    pub(super) effects: Vec<Effect>,
}

impl State {
    /// The initial state over a session, on a screen of `size` (columns, lines).
    pub fn new(session: Session, size: (u16, u16)) -> Self {
        Self::with_source(session, size, Source::new(None))
    }

    /// The initial state as [`Self::new`] makes it, with a session that came from `source`.
    pub(super) fn with_source(session: Session, size: (u16, u16), source: Source) -> Self {
        let mut state = Self {
            source,
            size,
            keys: Arc::default(),
            pointer: Pointer::default(),
            looks: Looks::default(),
            timeline: Timeline::new(&session, size.1),
            minimap: Minimap::default(),
            selected: Selected::default(),
            panes: Panes::new(&session),
            summaries: Summaries::default(),
            stretch: None,
            marks: Marks::default(),
            finding: Finding::default(),
            dialog: Dialog::default(),
            clicks: Clicks::default(),
            message: None,
            is_used: false,
            earlier: None,
            is_kept: false,
            jobs: Slots::default(),
            effects: Vec::new(),
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

    /// The areas of the screen's regions, for the present sizes of screen and pane.
    pub fn geometry(&self) -> Geometry {
        let wants = Wants {
            labels: self.timeline.lines().label_width(),
            answer: self.wanted_answer_rows(),
            pane: self.wanted_pane_rows(),
            timeline: Some(self.timeline.lines().list().len()),
            taller: self.timeline.taller_rows(&self.session.trace),
        };
        Geometry::of(self.size.0, self.size.1, self.panes.size(), wants)
    }

    /// How many of the minimap's `columns` columns stand for what is read of the trace: all, except while a
    /// snapshot of files is shown whose sizes are known.
    pub fn read_columns(&self, columns: u16) -> u16 {
        let loading = self.source.loading().filter(|_| self.source.is_snapshot());
        let percent = loading.and_then(|loading| loading.progress.percent()).unwrap_or(100);
        saturate::<u16>(u64::from(columns) * percent / 100).clamp(columns.min(1), columns)
    }

    /// The summary with the answer to what limits the run, of the part for which it was made last; none
    /// before that, or if nothing is said of the trace.
    pub fn answer(&self) -> Option<&TablePane> {
        let Some(Pane::Table(view)) = Pane::verdict() else { return None };
        self.summaries.table(view).filter(|pane| !pane.table.headline.is_empty())
    }

    /// How many lines the answer gets; 0 if nothing is said of the trace.
    fn wanted_answer_rows(&self) -> usize {
        let (width, height) = self.size;
        let (first, all) = match self.answer() {
            Some(pane) => {
                let columns = usize::from(width).saturating_sub(2).max(1);
                let lines = |text: &str| SafeText::new(text).wrap_at_spaces(columns).take(4).count();
                let text = answer::text(pane);
                (lines(text.split(". ").next().unwrap_or_default()), lines(&text))
            }
            // What is being made.
            None => (2, 3 * usize::from(Pane::verdict() == Some(self.panes.shown()))),
        };
        answer_lines(height, first, all)
    }

    /// The summary of the present pane, or the list of what the last search found, even while the pane is
    /// hidden. None for the Details pane, or if the table has not been made.
    pub fn table(&self) -> Option<&TablePane> {
        match self.panes.shown() {
            Pane::Details => None,
            Pane::Table(view) => self.summaries.table(view),
            Pane::Found => self.summaries.found(),
        }
    }

    /// The summary of the present pane, to change what is shown of it; none as for [`Self::table`].
    pub(super) fn table_mut(&mut self) -> Option<&mut TablePane> {
        match self.panes.shown() {
            Pane::Details => None,
            Pane::Table(view) => self.summaries.table_mut(view),
            Pane::Found => self.summaries.found_mut(),
        }
    }

    /// Calls `change` with the summary of the present pane, if there is one.
    pub(super) fn in_table(&mut self, change: impl FnOnce(&mut TablePane)) {
        if let Some(pane) = self.table_mut() {
            change(pane);
        }
    }

    /// How many lines the pane's content could use; none if that is not known, or the content fills any room.
    fn wanted_pane_rows(&self) -> Option<usize> {
        let width = usize::from(self.size.0).saturating_sub(2);
        let lines = |text: &str| SafeText::new(text).wrap_at_spaces(width).count();
        match (self.panes.shown(), self.table()) {
            (Pane::Details, _) => self.selected.selection().is_none().then_some(1),
            (Pane::Found, None) => Some(1),
            (Pane::Table(_), None) => None,
            (_, Some(pane)) => {
                let is_table = matches!(pane.halves(self.size.0), (Half::Table, None));
                let notes: usize = pane.table.notes.iter().take(PANE_ROWS).map(|note| lines(note)).sum();
                let rows = pane.rows.len().min(PANE_ROWS);
                if Some(self.panes.shown()) == Pane::verdict() && rows > 0 {
                    return Some(findings::lines(pane, self.size.0).len());
                }
                let headline = lines(&pane.table.headline);
                is_table.then(|| (headline + 1 + rows + notes).max(2))
            }
        }
    }

    /// The scope that the user's choices of time and lanes stand for now. None while the choice of time
    /// stands for none, such as for a selection where nothing is selected.
    pub(super) fn scope(&self) -> Option<Scope> {
        let (trace, group_choice) = (&self.session.trace, self.summaries.group_choice());
        let span = match self.summaries.scope_choice() {
            ScopeChoice::Whole => None,
            ScopeChoice::Screen => Some(self.timeline.viewport()),
            ScopeChoice::Selection => Some(self.selected.span(&self.session.trace)?),
            ScopeChoice::Stretch => {
                Some(self.stretch.map(|stretch| stretch.span).filter(|span| !span.is_empty())?)
            }
            ScopeChoice::Step => Some(self.step_of_scope()?.span),
            ScopeChoice::Phase => Some(self.phase_of_scope()?.span),
        };
        Some(Scope { span, lanes: group_choice.lanes(trace) })
    }

    /// The last step that starts at or before the cursor, of the worker of the lanes that summaries cover or,
    /// for all lanes, of the focused line.
    fn step_of_scope(&self) -> Option<&Step> {
        let trace = &self.session.trace;
        let worker = self.summaries.group_choice().worker(trace).unwrap_or_else(|| self.worker());
        let steps = trace.steps.iter().filter(|step| step.worker == worker);
        steps.rev().find(|step| step.span.start <= self.timeline.cursor())
    }

    /// The phase of that step at the cursor.
    pub(super) fn phase_of_scope(&self) -> Option<PhaseAt> {
        phase_at(&self.session.trace, self.step_of_scope()?, self.timeline.cursor())
    }

    /// The lines that are on the screen, one for each of its rows, top to bottom, as indices into the
    /// timeline's lines.
    pub fn visible_lines(&self) -> impl Iterator<Item = usize> {
        self.timeline.on_screen(&self.session, self.geometry().timeline.height.into()).into_iter()
    }

    /// Scrolls, if needed, to bring the focused line onto the screen.
    pub(super) fn scroll_to_focus(&mut self) {
        let height = self.geometry().timeline.height.into();
        self.timeline.scroll_to_focus(&self.session, height);
    }

    /// Adapts to the viewport which rows take a line of the screen; may scroll to the focused line.
    pub(super) fn settle_rows(&mut self) {
        if self.timeline.settle_rows() {
            self.scroll_to_focus();
        }
    }

    /// The time that one column of the timeline covers, ns, rounded down; at least 1.
    pub fn ns_per_column(&self) -> Ns {
        self.timeline.ns_per_column(self.geometry().timeline.width)
    }

    /// The number of the worker that the focused line belongs to; 0 if there is no line.
    pub fn worker(&self) -> WorkerId {
        let trace = &self.session.trace;
        self.timeline.focused_group(trace).map_or(WorkerId::default(), |group| trace.groups[group].worker)
    }

    /// Shows `message` in the footer, instead of the message shown before.
    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.message = Some(Message::new(message));
    }
}
