//! What all of Paddle's tables are made from.

use crate::base::time::Ns;

use super::forest::Forest;
use super::options::Options;

/// The trees of a trace, and what else every table needs.
pub(super) struct Context<'a> {
    pub forest: Forest<'a>,
    pub options: Options,
    /// The time in which at least one step ran, ns: the whole of most ratios.
    pub total: Ns,
}
