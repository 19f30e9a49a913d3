//! Tables of our own that need arguments: the files are read once more for those that are asked for.

use crate::analysis::launch::Launches;
use crate::analysis::shapes::Shapes;
use crate::analysis::{Scope, Table, View, kernel, operator};
use crate::cli::Failure;
use crate::import::{Loaded, VisitError};

/// What was read.
pub(super) struct Details {
    shapes: Option<Shapes>,
    launches: Option<Launches>,
}

impl Details {
    /// Reads the shapes of operators, how kernels were launched, both or neither.
    pub(super) fn read(
        loaded: &Loaded,
        scope: &Scope,
        (shapes, launches): (bool, bool),
    ) -> Result<Self, Failure> {
        let Loaded { trace, texts } = loaded;
        let fail = |error: VisitError| Failure(error.to_string());
        let shapes = shapes.then(|| Shapes::read(trace, texts, scope)).transpose().map_err(fail)?;
        let launches = launches.then(|| Launches::read(trace, texts, scope)).transpose().map_err(fail)?;
        Ok(Self { shapes, launches })
    }

    /// The view's table, with what was read for it.
    pub(super) fn table(&self, view: &View, loaded: &Loaded, scope: &Scope) -> Table {
        let trace = &loaded.trace;
        match (view.name, &self.shapes, &self.launches) {
            (operator::VIEW, Some(shapes), _) => operator::by_shape(trace, scope, shapes),
            (kernel::VIEW, _, Some(launches)) => kernel::by_launch(trace, scope, launches),
            _ => (view.run)(trace, scope),
        }
    }
}
