//! Tables of our own that need arguments: the files are read once more for those that are asked for.

use crate::analysis::launch_config::LaunchConfigs;
use crate::analysis::shapes::Shapes;
use crate::analysis::{Scope, Table, View, allocation, kernel, operator};
use crate::cli::Failure;
use crate::import::{Loaded, VisitError};

use super::SummaryArgs;

/// Rows of a list of events, beside other views.
pub(super) const LISTED: usize = 20;

/// What was read, and how much is wanted.
pub(super) struct Details {
    /// Only the first rows of lists are shown, as they come.
    is_brief: bool,
    shapes: Option<Shapes>,
    launch_configs: Option<LaunchConfigs>,
}

impl Details {
    /// Reads the shapes of operators, the launch configurations of kernels, both or neither.
    pub(super) fn read(loaded: &Loaded, scope: &Scope, args: &SummaryArgs) -> Result<Self, Failure> {
        let (shapes, launch_configs) = (args.torch.by_shape(), args.group_by_launch);
        let Loaded { trace, texts } = loaded;
        let fail = |error: VisitError| Failure(error.to_string());
        let shapes = shapes.then(|| Shapes::read(trace, texts, scope)).transpose().map_err(fail)?;
        let launch_configs =
            launch_configs.then(|| LaunchConfigs::read(trace, texts, scope)).transpose().map_err(fail)?;
        let is_brief = args.is_brief() && args.sorted_by.is_none() && !args.filter.any();
        Ok(Self { is_brief, shapes, launch_configs })
    }

    /// The view's table, with what was read for it.
    pub(super) fn table(&self, view: &View, loaded: &Loaded, scope: &Scope) -> Table {
        let trace = &loaded.trace;
        match (view.name, &self.shapes, &self.launch_configs) {
            (operator::VIEW, Some(shapes), _) => operator::by_shape(trace, scope, shapes),
            (kernel::VIEW, _, Some(configs)) => kernel::by_launch_config(trace, scope, configs),
            (allocation::VIEW, ..) if self.is_brief => allocation::largest(trace, scope, LISTED),
            _ => (view.run)(trace, scope),
        }
    }
}
