//! The input of all of Paddle's tables.

use proftui_base::time::Ns;

use super::forest::Forest;
use super::options::Options;

/// The input of every table of Paddle's summary: the trees of a trace, the options, and the time in which
/// steps ran.
pub(super) struct Context<'a> {
    pub forest: Forest<'a>,
    pub options: Options,
    /// The time in which at least one of the steps in the scope ran, ns.
    pub total: Ns,
}
