//! The options of Paddle's layout, and its tables.

use clap::error::ErrorKind;

use crate::analysis::paddle::{self, Options, SortKey};
use crate::analysis::{Scope, Table};
use crate::import::Loaded;
use crate::report::paddle::TimeUnit;

use super::Unit;

/// The options of this layout, as messages name them.
pub(super) const FLAGS: &str = "--thread-sep and --no-op-detail";

#[derive(Debug, clap::Args)]
pub(super) struct PaddleArgs {
    /// Keep threads apart (layout paddle)
    #[arg(long)]
    thread_sep: bool,
    /// Leave out what is inside operators (layout paddle)
    #[arg(long)]
    no_op_detail: bool,
}

impl PaddleArgs {
    /// True when one of them was given.
    pub(super) fn any(&self) -> bool {
        self.thread_sep || self.no_op_detail
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
    match unit {
        Some(Unit::S) => TimeUnit::Second,
        None | Some(Unit::Ms) => TimeUnit::Milli,
        Some(Unit::Us) => TimeUnit::Micro,
        Some(Unit::Ns) => TimeUnit::Nano,
    }
}

/// The tables of `view`, or of all.
pub(super) fn tables(loaded: &Loaded, scope: &Scope, options: Options, view: &str) -> Vec<Table> {
    paddle::summaries(&loaded.trace, scope, options, |name| view == "all" || view == name)
}
