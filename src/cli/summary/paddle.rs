//! The options of Paddle's layout, and its tables.

use clap::error::ErrorKind;

use crate::analysis::{Scope, Table};
use crate::base::fmt::TimeUnit;
use crate::cli::load::tell;
use crate::cli::{Failure, print};
use crate::compat;
use crate::compat::paddle::{self, Options, SortKey};
use crate::import::Loaded;

use super::Unit;

/// The options of this layout, as messages name them.
pub(super) const FLAGS: &str = "--thread-sep, --no-op-detail and --batch-size";

/// The view of Paddle's benchmark timer, which is text and no part of its summary.
pub(super) const PERF: &str = "perf";

#[derive(Debug, clap::Args)]
pub(super) struct PaddleArgs {
    /// Keep threads apart (layout paddle)
    #[arg(long)]
    thread_sep: bool,
    /// Leave out what is inside operators (layout paddle)
    #[arg(long)]
    no_op_detail: bool,
    /// Samples in a step: `--view perf` then tells samples a second, not steps (layout paddle)
    #[arg(long, value_name = "N")]
    batch_size: Option<u64>,
}

impl PaddleArgs {
    /// True when one of them was given.
    pub(super) fn any(&self) -> bool {
        self.thread_sep || self.no_op_detail || self.batch_size.is_some()
    }

    /// True when steps have a number of samples.
    pub(super) fn has_batch_size(&self) -> bool {
        self.batch_size.is_some()
    }

    /// Prints what the benchmark timer says of a trace.
    pub(super) fn print_perf(&self, loaded: &Loaded, scope: &Scope) -> Result<(), Failure> {
        let timed = paddle::timer::timed(&loaded.trace, scope, self.batch_size);
        if timed.is_empty() {
            tell("there are no steps here, and Paddle's timer counts steps");
        }
        for one in timed.iter().filter(|one| one.summary.is_none()) {
            tell(&format!(
                "no Perf Summary of {}: Paddle's timer skips ten steps, and there are {}",
                one.worker, one.steps
            ));
        }
        print(&compat::paddle::timer::print::render(&timed))
    }

    /// How the tables are made. A key that Paddle does not have ends the program as any wrong option does.
    pub(super) fn options(&self, sorted_by: Option<&str>) -> Options {
        let key = |name: &str| {
            SortKey::named(name).unwrap_or_else(|| {
                let names: Vec<&str> = SortKey::ALL.iter().map(|(name, _)| *name).collect();
                let what = format!("--sorted-by {name}: layout paddle sorts by {}\n", names.join(", "));
                clap::Error::raw(ErrorKind::InvalidValue, what).exit()
            })
        };
        let sorted_by = sorted_by.map_or_else(SortKey::default, key);
        Options { sorted_by, by_thread: self.thread_sep, no_detail: self.no_op_detail }
    }
}

/// The unit asked for; Paddle's own is the millisecond.
pub(super) fn unit(unit: Option<Unit>) -> TimeUnit {
    unit.map_or(TimeUnit::Milli, Unit::time_unit)
}

/// The tables of `view`, or of all.
pub(super) fn tables(loaded: &Loaded, scope: &Scope, options: Options, view: &str) -> Vec<Table> {
    paddle::summaries(&loaded.trace, scope, options, |name| view == "all" || view == name)
}
