//! Tables of the layout `proftui` that need the arguments of events. If an option asks for such a table, the files are read a
//! second time.
//!
//! Must not know how tables are printed.

use crate::analysis::launch_config::LaunchConfigs;
use crate::analysis::shapes::Shapes;
use crate::analysis::{Scope, Table, View, allocation, kernel, operator};
use crate::cli::streams::Failure;
use crate::import::{Loaded, VisitError};

use super::common::CommonArgs;

/// Number of rows, where all views are printed, of a table that lists events one by one.
pub(super) const LISTED: usize = 20;

/// What the tables asked for need of the arguments of a trace's events.
pub(super) struct Details {
    /// True where tables that list events one by one need only their [`LISTED`] largest rows.
    is_brief: bool,
    shapes: Option<Shapes>,
    launch_configs: Option<LaunchConfigs>,
}

/// True where all views are printed and no `--row-limit` is given: then tables that list events one by one are cut to [`LISTED`]
/// rows.
pub(super) fn is_brief(args: &CommonArgs) -> bool {
    args.has_all_views() && args.limit.row_limit.is_none()
}

impl Details {
    /// Reads the shapes of operators' inputs (`--group-by-input-shape`) and the launch configurations of kernels (`by_launch`),
    /// each only if asked for.
    ///
    /// # Errors
    /// When a file cannot be read again.
    pub(super) fn read(
        loaded: &Loaded,
        scope: &Scope,
        args: &CommonArgs,
        by_launch: bool,
    ) -> Result<Self, Failure> {
        let (shapes, launch_configs) = (args.shapes.group_by_input_shape, by_launch);
        let Loaded { trace, texts } = loaded;
        let fail = |error: VisitError| Failure(error.to_string());
        let shapes = shapes.then(|| Shapes::read(trace, texts, scope)).transpose().map_err(fail)?;
        let launch_configs =
            launch_configs.then(|| LaunchConfigs::read(trace, texts, scope)).transpose().map_err(fail)?;
        let is_brief = is_brief(args) && args.sorted_by.is_none() && !args.filter.any();
        Ok(Self { is_brief, shapes, launch_configs })
    }

    /// Makes the table of a view, from the trace and the arguments that were read for it.
    pub(super) fn table(&self, view: &View, loaded: &Loaded, scope: &Scope) -> Table {
        let trace = &loaded.trace;
        match (view.name, &self.shapes, &self.launch_configs) {
            (operator::VIEW, Some(shapes), _) => {
                view.explained(operator::by_shape(trace, scope, shapes), scope)
            }
            (kernel::VIEW, _, Some(configs)) => {
                view.explained(kernel::by_launch_config::table(trace, scope, configs), scope)
            }
            (allocation::VIEW, ..) if self.is_brief => {
                view.explained(allocation::largest(trace, scope, LISTED), scope)
            }
            _ => view.table(trace, scope),
        }
    }
}
