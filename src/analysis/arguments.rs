//! The arguments of events that some tables need. A trace does not hold arguments, so they are read from the files, only those that
//! a table [`Needs`].
//!
//! Must not know which tables use them.

use crate::import::{Texts, VisitError};
use crate::model::Trace;

use super::launch_config::LaunchConfigs;
use super::scope::Scope;
use super::shapes::Shapes;

/// Which arguments a table needs; the default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The input shapes of operators.
    pub shapes: bool,
    /// The launch configurations of kernels, with blocks per multiprocessor and occupancy.
    pub launch_configs: bool,
}

impl Needs {
    /// No arguments.
    pub const NOTHING: Self = Self { shapes: false, launch_configs: false };

    /// True if whoever reads this reads all that is in `other`, too.
    pub fn covers(self, other: Self) -> bool {
        self.and(other) == self
    }

    /// What this or another table needs.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            shapes: self.shapes || other.shapes,
            launch_configs: self.launch_configs || other.launch_configs,
        }
    }
}

/// The arguments of the events in a scope, as far as they were read; what was not read is empty.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The input shapes of operators.
    pub shapes: Shapes,
    /// The launch configurations of kernels.
    pub launch_configs: LaunchConfigs,
}

impl Arguments {
    /// Reads the arguments needed of the events with time in `scope` from the trace's files. Takes about as long as reading the files
    /// once.
    ///
    /// # Errors
    /// When a file cannot be read again.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope, needs: Needs) -> Result<Self, VisitError> {
        let mut read = Self::default();
        if needs.shapes {
            read.shapes = Shapes::read(trace, texts, scope)?;
        }
        if needs.launch_configs {
            read.launch_configs = LaunchConfigs::read(trace, texts, scope)?;
        }
        Ok(read)
    }
}
