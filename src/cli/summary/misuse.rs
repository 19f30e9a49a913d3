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
        /// Names of given options that the layout does not take, such as `--merged`.
        options: Vec<String>,
        /// The names of the layouts that take these options.
        layouts: Vec<String>,
    },
    /// The layout has no such view.
    #[error("this layout has no view {view}; it has the views all, {}", known.join(", "))]
    NoView {
        /// The view asked for.
        view: String,
        /// The names of the layout's views, with their aliases.
        known: Vec<String>,
    },
    /// An option is given that needs a view, and `--view` does not name that view.
    #[error("{option} needs --view {view}")]
    View {
        /// The option, such as `--batch-size`.
        option: &'static str,
        /// The name of the view that the option needs.
        view: &'static str,
    },
    /// A format of flames, `speedscope` or `folded`, is given, and the view asked for is not flame.
    #[error("--format {format} needs --view {}", views::flame::VIEW)]
    FlameFormat {
        /// The name of the format, such as `folded`.
        format: String,
    },
    /// `--csv-raw` is given, and the format is not CSV.
    #[error("--csv-raw needs --format csv")]
    NoCsv,
    /// An option that groups operators is given, but no view of operators is printed.
    #[error("{option} needs --view operator or all, --layout torch or --layout deeplink")]
    NoOperators {
        /// The option, such as `--group-by-stack`.
        option: &'static str,
    },
    /// Operators are to be grouped by input shape and by stack, but the layout groups by one of them only.
    #[error(
        "--group-by-input-shape with --group-by-stack needs --layout torch or --layout deeplink: the layout \
         proftui groups by one of them"
    )]
    TwoGroupings,
    /// `--sorted-by` has a key by which the layout does not sort.
    #[error("--sorted-by {key}: the layout {layout} sorts by {}", known.join(", "))]
    SortKey {
        /// The key that `--sorted-by` has.
        key: String,
        /// The name of the layout.
        layout: &'static str,
        /// The keys by which the layout sorts.
        known: Vec<&'static str>,
    },
    /// The layout `fluid` is asked for in another format than text tables.
    #[error("--layout fluid prints text only; --format json, csv and markdown need another layout")]
    FluidFormat,
    /// The text of Paddle's benchmark timer is asked for in another format than text tables.
    #[error("--layout paddle --view perf prints text only; other formats need --layout proftui")]
    PerfFormat,
}

/// `needs` after one option, `need` after several.
fn needs(options: &[String]) -> &'static str {
    if options.len() > 1 { "need" } else { "needs" }
}
