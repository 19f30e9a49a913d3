//! The summaries made so far, and what the user chose for them: what they cover, how rows are grouped, which
//! flame.
//!
//! A summary whose choice has changed stays until another one is made. Must not know which pane is shown, nor
//! when a job runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use proftui_insight::analysis::flame::{Choice, Direction, Stacking, Weight};
use proftui_insight::analysis::views::grouping;
use proftui_insight::analysis::vocabulary::short_names::ShortNames;
use proftui_insight::analysis::{Scope, Table, VIEWS};
use proftui_insight::ask::Known;

use super::arrange_job::Arranged;
use super::group_choice::GroupChoice;
use super::rows::{RowChoice, Rows};
use super::summary_job::{Summary, SummaryJob};
use super::table_pane::{NewTable, ScopeChoice, TablePane, shared};
use crate::app::session::Session;

/// True if the view with this index in [`VIEWS`] shows a flame.
pub(crate) fn is_flame(view: usize) -> bool {
    VIEWS[view].flame.is_some()
}

/// The summaries made so far, by the view's index in [`VIEWS`], and what the user chose for them.
#[derive(Debug, Default)]
pub struct Summaries {
    tables: BTreeMap<usize, TablePane>,
    /// The list of what the last search found, if one was asked for.
    found: Option<TablePane>,
    /// The groupings noted for views, each an index into the view's `groupings`; `None` stands for rows by
    /// name. A view without an entry has its initial grouping.
    groupings: BTreeMap<usize, Option<usize>>,
    /// What the user chose for flames: the weight and the direction. The field `stacking` is not used.
    flame: Choice,
    /// The arguments of events read for summaries, if any were read in this session.
    arguments: Option<Known>,
    /// What time summaries cover, as the user chose it.
    scope_choice: ScopeChoice,
    /// What lanes summaries cover, as the user chose them.
    group_choice: GroupChoice,
}

impl Summaries {
    /// The summary of the view with this index in [`VIEWS`], which may be outdated; none before it was made.
    pub(crate) fn table(&self, view: usize) -> Option<&TablePane> {
        self.tables.get(&view)
    }

    /// The summary of a view, to change what is shown of it; none before it was made.
    pub(crate) fn table_mut(&mut self, view: usize) -> Option<&mut TablePane> {
        self.tables.get_mut(&view)
    }

    /// The list of what the last search found; none if none was asked for.
    pub fn found(&self) -> Option<&TablePane> {
        self.found.as_ref()
    }

    /// The list of what the last search found, to change what is shown of it; none as for [`Self::found`].
    pub(crate) fn found_mut(&mut self) -> Option<&mut TablePane> {
        self.found.as_mut()
    }

    /// Keeps a table of what a search found, instead of the one before.
    pub(crate) fn keep_found(&mut self, table: Table, short: Arc<ShortNames>, is_snapshot: bool) {
        let rows = Rows::of(&table, &RowChoice::default(), &short);
        let mut pane = TablePane::default();
        pane.replace(NewTable { table: shared(table), rows, short, is_snapshot, ..NewTable::default() });
        self.found = Some(pane);
    }

    /// Forgets the list of what a search found; true if there was one.
    pub(crate) fn forget_found(&mut self) -> bool {
        self.found.take().is_some()
    }

    /// The time that summaries are about, as the user chose it.
    pub fn scope_choice(&self) -> ScopeChoice {
        self.scope_choice
    }

    /// The lanes that summaries are about, as the user chose them.
    pub fn group_choice(&self) -> GroupChoice {
        self.group_choice
    }

    /// Has summaries cover the time of `choice`, and marks all as outdated.
    pub(crate) fn choose_scope(&mut self, choice: ScopeChoice) {
        self.scope_choice = choice;
        self.outdate();
    }

    /// Has summaries cover the lanes of `choice`, and marks all as outdated.
    pub(crate) fn choose_group(&mut self, choice: GroupChoice) {
        self.group_choice = choice;
        self.outdate();
    }

    /// Marks all summaries as outdated: each is made again when it is needed.
    fn outdate(&mut self) {
        // No scope that the user can choose equals this one, which has no lanes: only groups with events are
        // offered.
        let nothing = Scope { span: None, lanes: Some(Vec::new()) };
        self.tables.values_mut().for_each(|pane| pane.scope = nothing.clone());
    }

    /// Prepares for a session that replaces another one: forgets the arguments read in the old one, has views
    /// that start grouped do so again, and does what [`Self::choose_group`] does.
    pub(crate) fn renew(&mut self, choice: GroupChoice) {
        self.arguments = None;
        self.groupings.retain(|&view, _| !VIEWS[view].starts_grouped);
        self.choose_group(choice);
    }

    /// The grouping that a view's rows are to have, an index into the view's `groupings`; none for rows by
    /// name.
    pub(crate) fn grouping(&self, view: usize) -> Option<usize> {
        let first = || VIEWS[view].starts_grouped.then_some(0);
        self.groupings.get(&view).copied().unwrap_or_else(first)
    }

    /// Chooses the grouping of a view's rows, an index into the view's `groupings`; none for rows by name.
    pub(crate) fn group_by(&mut self, view: usize, grouping: Option<usize>) {
        self.groupings.insert(view, grouping);
    }

    /// Forgets the grouping noted for a view, which then has its initial grouping; false if no grouping was
    /// noted.
    pub(crate) fn group_as_at_first(&mut self, view: usize) -> bool {
        self.groupings.remove(&view).is_some()
    }

    /// What the flame of a view is to show, as the user chose; the default for a view without a flame.
    fn flame_choice(&self, view: usize) -> Choice {
        if !is_flame(view) {
            return Choice::default();
        }
        let grouping = self.grouping(view).and_then(|at| VIEWS[view].groupings.get(at));
        let stacking = match grouping.map(|grouping| grouping.name) {
            Some(grouping::STACK) => Stacking::Stack,
            Some(grouping::MODULE) => Stacking::Modules,
            _ => Stacking::Operators,
        };
        Choice { stacking, ..self.flame }
    }

    /// Chooses the next weight of flames and returns it. `shown` counts as the current weight if the user has
    /// chosen none.
    pub(crate) fn next_weight(&mut self, shown: Option<Weight>) -> Weight {
        let next = self.flame.weight.or(shown).unwrap_or_default().next();
        self.flame.weight = Some(next);
        next
    }

    /// Chooses the other direction of flames, top-down or bottom-up; returns it.
    pub(crate) fn flip_flame(&mut self) -> Direction {
        self.flame.direction = match self.flame.direction {
            Direction::TopDown => Direction::BottomUp,
            Direction::BottomUp => Direction::TopDown,
        };
        self.flame.direction
    }

    /// True if the summary of a view exists for `scope`, with the grouping and flame that are chosen now.
    pub(crate) fn is_made(&self, view: usize, scope: &Scope) -> bool {
        let (grouping, flame) = (self.grouping(view), self.flame_choice(view));
        let is_it =
            |pane: &TablePane| pane.scope == *scope && pane.grouping == grouping && pane.flame == flame;
        self.tables.get(&view).is_some_and(is_it)
    }

    /// True if a view has a summary and is to have a grouping, and no arguments that suffice for it in
    /// `scope` were read so far, even if it needs none.
    pub(crate) fn awaits_arguments(&self, view: usize, scope: &Scope) -> bool {
        self.tables.contains_key(&view)
            && self.grouping(view).is_some_and(|at| {
                let needs = VIEWS[view].groupings[at].needs;
                !self.arguments.as_ref().is_some_and(|known| known.suffice(needs, scope))
            })
    }

    /// The job of making the summary of a view for `scope`, with the grouping and flame that are chosen now;
    /// none if that summary exists already.
    pub(crate) fn to_make(&self, session: &Arc<Session>, view: usize, scope: Scope) -> Option<SummaryJob> {
        if self.is_made(view, &scope) {
            return None;
        }
        let (grouping, flame) = (self.grouping(view), self.flame_choice(view));
        let pane = self.tables.get(&view);
        let is_regrouped = pane.is_some_and(|pane| pane.grouping != grouping);
        let choice =
            pane.map_or_else(RowChoice::default, |pane| pane.wanted.clone().for_another(is_regrouped));
        let focused = pane.filter(|_| is_regrouped).and_then(TablePane::focused_name);
        let (session, known) = (Arc::clone(session), self.arguments.clone());
        let is_stretch = self.scope_choice == ScopeChoice::Stretch;
        Some(SummaryJob { session, view, grouping, flame, scope, is_stretch, known, choice, focused })
    }

    /// Stores a summary that a job made. If its rows could not be grouped, chooses rows by name for the view,
    /// and returns the grouping's title and the reason.
    pub(crate) fn keep(&mut self, summary: Summary, is_snapshot: bool) -> Option<(&'static str, String)> {
        let Summary { job, table, rows, lines_of_focused, failure } = summary;
        let SummaryJob { session, view, mut grouping, scope, flame, known, .. } = job;
        let short = Arc::clone(&session.short_names);
        let failure = failure.map(|why| {
            self.group_by(view, None);
            let failed = grouping.take().and_then(|at| VIEWS[view].groupings.get(at));
            (failed.map_or("", |one| one.title), why)
        });
        self.arguments = known.or(self.arguments.take());
        let new = NewTable { table, rows, short, grouping, scope, is_snapshot, flame, lines_of_focused };
        let pane = self.tables.entry(view).or_insert_with(|| {
            let mut pane = TablePane::default();
            // A flame is drawn before it is listed.
            pane.choice.chart = is_flame(view).then_some(0);
            pane
        });
        pane.replace(new);
        failure
    }

    /// Shows rows that a job arranged, unless their table was replaced meanwhile.
    pub(crate) fn take_rows(&mut self, Arranged { table, rows }: Arranged) {
        let mut panes = self.tables.values_mut().chain(&mut self.found);
        if let Some(pane) = panes.find(|pane| Arc::ptr_eq(&pane.table, &table)) {
            pane.show(rows);
        }
    }

    /// Forgets all summaries.
    #[cfg(test)]
    pub(crate) fn forget(&mut self) {
        self.tables.clear();
    }
}
