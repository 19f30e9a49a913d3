//! The tables of the layout `proftui`, each in the grouping that the options ask for. Groupings need the arguments of events: then
//! the files are read a second time. A view printed by itself has the columns that need arguments without being asked, if the files
//! can be read again.
//!
//! Must not know how tables are printed.

use crate::cli::output::streams::Failure;
use proftui_insight::analysis::views::{allocation, grouping, kernel, names, operator};
use proftui_insight::analysis::{Arguments, Grouping, Needs, Scope, Table, View, flame, views};
use proftui_trace::import::Loaded;

use super::common::CommonArgs;

/// Number of rows, where all views are printed, of a table that lists events one by one.
pub(super) const LISTED: usize = 20;

/// The groupings asked for, and what they need of the arguments of a trace's events.
pub(super) struct Details {
    /// True where tables that list events one by one need only their [`LISTED`] largest rows.
    is_brief: bool,
    /// The options that ask for a grouping.
    asked: Asked,
    arguments: Arguments,
    /// What only the columns need that nobody asked for, or why it could not be read; `None` where no view has such columns.
    unasked: Option<Result<Arguments, String>>,
}

/// The options that ask for a grouping of a view's rows.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    /// Operators by the shapes of their inputs.
    pub(super) input_shape: bool,
    /// Operators by this many innermost frames of their Python stacks; 0 for no such grouping.
    pub(super) stack: usize,
    /// Kernels by launch configuration.
    pub(super) launch: bool,
    /// The flame.
    pub(super) flame: flame::Choice,
}

impl Asked {
    /// The grouping of the view's rows; `None` for rows by name.
    fn of(self, view: &View) -> Option<&'static Grouping> {
        let wanted = [
            (self.input_shape, operator::VIEW, grouping::INPUT_SHAPE),
            (self.stack > 0, operator::VIEW, grouping::STACK),
            (self.launch, kernel::VIEW, grouping::LAUNCH),
        ];
        let name = wanted.iter().find(|(is_asked, of, _)| *is_asked && *of == view.name)?.2;
        view.grouping(name)
    }
}

/// True where all views are printed and no `--row-limit` is given: then tables that list events one by one are cut to [`LISTED`]
/// rows.
pub(super) fn is_brief(args: &CommonArgs) -> bool {
    args.has_all_views() && args.limit.row_limit.is_none()
}

/// The grouping that only adds columns to a view, so that nobody has to ask for it; `None` if the view has none.
fn more(view: &View) -> Option<&'static Grouping> {
    view.groupings.first().filter(|_| view.starts_grouped)
}

impl Details {
    /// Reads the arguments that the groupings of these views need, if any of them is grouped; of a view printed by itself also those
    /// of its further columns.
    ///
    /// # Errors
    /// When a file cannot be read again.
    pub(super) fn read(
        loaded: &Loaded,
        scope: &Scope,
        args: &CommonArgs,
        asked: Asked,
        views: &[&View],
    ) -> Result<Self, Failure> {
        let needs = views.iter().filter_map(|view| asked.of(view)).map(|grouping| grouping.needs);
        let needs = Needs { stack: asked.stack, ..needs.fold(Needs::NOTHING, Needs::and) };
        let arguments = Arguments::read(&loaded.trace, &loaded.texts, scope, needs)
            .map_err(|error| Failure(error.to_string()))?;
        // With all views, the second pass over the files would cost more than the columns are worth.
        let unasked = views.iter().find_map(|view| more(view)).filter(|_| !args.has_all_views());
        let unasked = unasked.map(|grouping| {
            let read = Arguments::read(&loaded.trace, &loaded.texts, scope, grouping.needs);
            read.map_err(|error| error.to_string())
        });
        let is_brief = is_brief(args) && args.sorted_by.is_none() && !args.filter.any();
        Ok(Self { is_brief, asked, arguments, unasked })
    }

    /// Makes the table of a view, from the trace and the arguments that were read for it.
    pub(super) fn table(&self, view: &View, loaded: &Loaded, scope: &Scope) -> Table {
        let trace = &loaded.trace;
        match (self.asked.of(view), more(view), &self.unasked) {
            (Some(grouping), ..) => view.table_by(grouping, trace, None, scope, &self.arguments),
            (None, Some(grouping), Some(Ok(arguments))) => {
                view.table_by(grouping, trace, None, scope, arguments)
            }
            (None, Some(_), Some(Err(why))) => {
                let mut table = view.table(trace, scope);
                table
                    .notes
                    .push(format!("The columns that need the arguments of events are left out: {why}."));
                table
            }
            _ if view.name == allocation::VIEW && self.is_brief => {
                view.explained(allocation::largest(trace, scope, LISTED), trace, scope)
            }
            _ if view.name == names::VIEW && self.is_brief => {
                let mut table = view.table(trace, scope);
                // Only its largest rows are printed: of many ranks, the rows below all others would be most of the memory.
                table.rows.iter_mut().for_each(|row| row.children.clear());
                table
            }
            _ if view.name == views::flame::VIEW => view.flame(trace, scope, self.asked.flame),
            _ => view.table(trace, scope),
        }
    }
}
