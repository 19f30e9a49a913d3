//! The arguments of events that some tables need. A trace does not hold arguments, so they are read from the
//! files: only those that a table [`Needs`].
//!
//! Must not know which tables use them.

pub(crate) mod call_stacks;
pub mod collectives;
pub mod efficiency;
pub(crate) mod flops;
pub mod launch_config;
pub mod peaks;
pub mod shapes;
pub mod stacks;
mod traffic;

use std::sync::Arc;

use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::Trace;

use crate::analysis::arguments::call_stacks::StackLines;
use crate::analysis::arguments::collectives::Collectives;
use crate::analysis::arguments::efficiency::Efficiency;
use crate::analysis::arguments::launch_config::LaunchConfigs;
use crate::analysis::arguments::shapes::Shapes;
use crate::analysis::arguments::stacks::Stacks;
use crate::analysis::part::scope::Scope;

/// Which arguments of events a table needs, by their kinds; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each kind of argument is needed or not, whatever the others are"
)]
pub struct Needs {
    /// True if the table needs the input shapes of operators, with their floating point operations.
    pub shapes: bool,
    /// True if the launch configurations of kernels are needed, with blocks per multiprocessor and occupancy.
    pub launch_configs: bool,
    /// How many of the innermost frames of the Python stacks around operators are needed; 0 for no stacks.
    pub stack: usize,
    /// True if the lines of code are needed from which operators were called.
    pub stack_lines: bool,
    /// True if what findings use is needed: [`Efficiency`] and [`Collectives`].
    pub findings: bool,
    /// True if what operators compute and move is needed, also on devices without known peaks.
    pub roofline: bool,
}

impl Needs {
    /// The needs of a table that uses no arguments of events.
    pub const NOTHING: Self = Self {
        shapes: false,
        launch_configs: false,
        stack: 0,
        stack_lines: false,
        findings: false,
        roofline: false,
    };

    /// True if these needs include all needs of `other`. Stacks are included only with the same number of
    /// frames.
    pub fn covers(self, other: Self) -> bool {
        self.and(other) == self && (other.stack == 0 || other.stack == self.stack)
    }

    /// These needs without those of `other`. The need of stacks stays, unless `other` has the same number of
    /// frames.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self {
            shapes: self.shapes && !other.shapes,
            launch_configs: self.launch_configs && !other.launch_configs,
            stack: if self.stack == other.stack { 0 } else { self.stack },
            stack_lines: self.stack_lines && !other.stack_lines,
            findings: self.findings && !other.findings,
            roofline: self.roofline && !other.roofline,
        }
    }

    /// What these needs or `other` include; of stacks, the larger number of frames.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            shapes: self.shapes || other.shapes,
            launch_configs: self.launch_configs || other.launch_configs,
            stack: self.stack.max(other.stack),
            stack_lines: self.stack_lines || other.stack_lines,
            findings: self.findings || other.findings,
            roofline: self.roofline || other.roofline,
        }
    }
}

/// The arguments of events that were read for a scope, by kind; kinds that were not read are empty.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The input shapes of operators, and their floating point operations.
    pub shapes: Arc<Shapes>,
    /// The launch configurations of kernels, with blocks per multiprocessor and occupancy.
    pub launch_configs: Arc<LaunchConfigs>,
    /// The Python stacks around operators.
    pub stacks: Arc<Stacks>,
    /// The lines of code from which operators were called, as far as they were read.
    pub stack_lines: Arc<StackLines>,
    /// How well kernels use the device; `None` if it was not read.
    pub efficiency: Option<Arc<Efficiency>>,
    /// What operators compute and move, also on devices without known peaks; `None` if it was not read.
    pub operators: Option<Arc<Efficiency>>,
    /// Which kernels of several ranks belong together; `None` if it was not read.
    pub collectives: Option<Arc<Collectives>>,
}

impl Arguments {
    /// Reads the arguments in `needs`, mostly from the trace's files, for what `scope` contains.
    ///
    /// # Errors
    /// When a file has changed or cannot be read; what findings use keeps the reason instead.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope, needs: Needs) -> Result<Self, VisitError> {
        Self::default().and_read(trace, texts, scope, needs)
    }

    /// Adds the arguments in `needs` to those that were read before, replacing those of the same kinds.
    ///
    /// # Errors
    /// When a file has changed or cannot be read; what findings use keeps the reason instead.
    pub(crate) fn and_read(
        mut self,
        trace: &Trace,
        texts: &Texts,
        scope: &Scope,
        needs: Needs,
    ) -> Result<Self, VisitError> {
        if needs.shapes {
            self.shapes = Arc::new(Shapes::read(trace, texts, scope)?);
        }
        if needs.launch_configs {
            self.launch_configs = Arc::new(LaunchConfigs::read(trace, texts, scope)?);
        }
        if needs.stack > 0 {
            self.stacks = Arc::new(Stacks::read(trace, texts, scope, needs.stack)?);
        }
        if needs.stack_lines {
            self.stack_lines = Arc::new(StackLines::read(trace, texts, scope)?);
        }
        if needs.findings {
            self = self.and_of_findings(trace, texts, scope);
        }
        if needs.roofline {
            self.operators = Some(Arc::new(Efficiency::read(trace, texts, scope, true)));
        }
        Ok(self)
    }

    /// Reads what findings about `scope` use. If that fails, what was to be read keeps the reason.
    pub fn of_findings(trace: &Trace, texts: &Texts, scope: &Scope) -> Self {
        Self::default().and_of_findings(trace, texts, scope)
    }

    fn and_of_findings(mut self, trace: &Trace, texts: &Texts, scope: &Scope) -> Self {
        self.efficiency = Some(Arc::new(Efficiency::read(trace, texts, scope, false)));
        self.collectives = Some(Arc::new(Collectives::read(trace, texts, scope)));
        self
    }
}
