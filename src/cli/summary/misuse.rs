//! Why options of `proftui summary` do not go together.
//!
//! Must not know which layout asks.

use proftui_insight::analysis::views;

/// Options that do not go together, as a message for the user.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum Misuse {
    /// Options are given that the layout does not take.
    #[error("{} {} --layout {}", options.join(" and "), needs(options), layouts.join(" or "))]
    Layout {
        /// The options, such as `--merged`.
        options: Vec<String>,
        /// The names of the layouts that take them.
        layouts: Vec<String>,
    },
    /// The layout has no such view.
    #[error("this layout has no view {view}; it has all, {}", known.join(", "))]
    NoView {
        /// The view asked for.
        view: String,
        /// The views that there are, with their other names.
        known: Vec<String>,
    },
    /// An option is given that needs a view.
    #[error("{option} needs --view {view}")]
    View {
        /// The option, such as `--batch-size`.
        option: &'static str,
        /// The name of the view.
        view: &'static str,
    },
    /// A format of flames is given without the view that has flames.
    #[error("--format {format} needs --view {}", views::flame::VIEW)]
    FlameFormat {
        /// The name of the format.
        format: String,
    },
    /// The option of the format CSV is given with another format.
    #[error("--csv-raw needs --format csv")]
    NoCsv,
    /// The option groups operators, and another view is asked for.
    #[error("{option} needs --view operator, --layout torch or --layout deeplink")]
    NoOperators {
        /// The option.
        option: &'static str,
    },
    /// Operators are to be grouped by two things, of which the layout takes one.
    #[error(
        "--group-by-input-shape with --group-by-stack needs --layout torch or --layout deeplink: the layout \
         proftui groups by one of them"
    )]
    TwoGroupings,
    /// The layout sorts by other keys.
    #[error("--sorted-by {key}: the layout {layout} sorts by {}", known.join(", "))]
    SortKey {
        /// The key asked for.
        key: String,
        /// The name of the layout.
        layout: &'static str,
        /// The keys that there are.
        known: Vec<&'static str>,
    },
    /// The layout `fluid` is asked for in another format.
    #[error("--layout fluid prints text only; --format json, csv and markdown need another layout")]
    FluidFormat,
    /// The text of Paddle's benchmark timer is asked for in another format.
    #[error(
        "--layout paddle --view perf prints text only; --layout proftui prints the view perf in all formats"
    )]
    PerfFormat,
}

/// The verb for these options.
fn needs(options: &[String]) -> &'static str {
    if options.len() > 1 { "need" } else { "needs" }
}
