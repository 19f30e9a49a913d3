//! The rules, one file each: what each looks for, where the definition is from, and what can make it wrong.
//!
//! Must not know how findings are shown.

mod beyond;
mod idle;
mod kernel_names;

mod allocator;
mod allocator_retries;
mod blocking_copy;
mod blocking_sync;
mod checkpoint;
mod communication;
mod compile;
mod cpu_operator;
mod data_loading;
mod exposed_copy;
mod garbage_collection;
mod graph;
mod host_python;
mod launch_bound;
mod launch_delay;
mod low_occupancy;
mod memory_growth;
mod no_tensor_cores;
mod not_recorded;
mod outlier_step;
mod ranks;
mod serial_streams;
mod slow_kernel_variant;
mod small_kernels;
mod under_the_roof;
mod unfused_optimizer;
mod waits_for_stream;

use super::rule::Rule;

/// All rules.
pub const RULES: &[Rule] = &[
    not_recorded::RULE,
    data_loading::RULE,
    blocking_sync::RULE,
    blocking_copy::RULE,
    launch_bound::RULE,
    host_python::RULE,
    cpu_operator::RULE,
    allocator::RULE,
    garbage_collection::RULE,
    compile::RULE,
    checkpoint::RULE,
    waits_for_stream::RULE,
    launch_delay::RULE,
    graph::RULE,
    communication::RULE,
    exposed_copy::RULE,
    outlier_step::RULE,
    small_kernels::RULE,
    unfused_optimizer::RULE,
    no_tensor_cores::RULE,
    slow_kernel_variant::RULE,
    under_the_roof::RULE,
    low_occupancy::RULE,
    serial_streams::RULE,
    memory_growth::RULE,
    allocator_retries::RULE,
    ranks::LATE_RANK,
    ranks::STRAGGLER,
];
