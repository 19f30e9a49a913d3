//! The input of all of Paddle's tables.

use proftui_base::time::Ns;

use super::forest::Forest;
use super::options::Options;

/// The input of every table: the trees of a trace, the options, and the time of the steps.
pub(super) struct Context<'a> {
    pub forest: Forest<'a>,
    pub options: Options,
    /// The time in which at least one step ran, ns; most ratios are relative to this time.
    pub total: Ns,
}
