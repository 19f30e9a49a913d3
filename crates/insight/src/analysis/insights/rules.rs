//! The rules: what each looks for, where the definition is from, and what can make it wrong. Those that only
//! report the idle time of a cause are rows of one table (`idle`); each other one has a file, and the two
//! about several ranks have one together (`ranks`).
//!
//! Must not know how findings are shown.

mod advice;
mod beyond;
mod cpu_operators;
mod idle;

mod allocator_retries;
mod communication;
mod exposed_copy;
mod layout_conversion;
mod low_occupancy;
mod memory_growth;
mod no_tensor_cores;
mod not_recorded;
mod outlier_step;
mod ranks;
mod serial_streams;
mod slow_kernel_variant;
mod small_copies;
mod small_kernels;
mod under_the_roof;
mod unfused_attention;
mod unfused_optimizer;

use crate::analysis::ledger::Cause;

use super::context::Context;
use super::finding::Outcome;
use super::rule::{Look, Rule};

/// All rules, in the order in which `--explain` prints them.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [&not_recorded::RULE].into_iter().chain(idle::RULES).chain(OF_WORK)
}

/// Applies one rule to a part of a trace.
pub(super) fn look(context: &Context<'_>, rule: &Rule) -> Outcome {
    match rule.look {
        Look::Idle { cause: Cause::CpuOperator, .. } if context.is_host => cpu_operators::find(context, rule),
        Look::Idle { cause, title, says, host } => {
            idle::find(context, rule, idle::Words { cause, title, says, host })
        }
        Look::Work(find) => find(context, rule),
    }
}

/// All rules with [`Look::Work`] but `not_recorded`, in the order in which they are explained.
const OF_WORK: &[Rule] = &[
    communication::RULE,
    exposed_copy::RULE,
    small_copies::RULE,
    outlier_step::RULE,
    small_kernels::RULE,
    unfused_optimizer::RULE,
    unfused_attention::RULE,
    no_tensor_cores::RULE,
    slow_kernel_variant::RULE,
    layout_conversion::RULE,
    under_the_roof::RULE,
    low_occupancy::RULE,
    serial_streams::RULE,
    memory_growth::RULE,
    allocator_retries::RULE,
    ranks::LATE_RANK,
    ranks::STRAGGLER,
];
