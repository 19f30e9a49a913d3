//! The numbers that decide something, in one table, which `proftui insights --explain` and the docs print.
//!
//! Must not know who compares with them.

use proftui_base::time::Ns;

/// A number with which something is compared, and what that decides.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// The rule, the cause, or what else it belongs to.
    pub rule: &'static str,
    /// What is compared with the value.
    pub what: &'static str,
    /// The number that is compared with.
    pub value: f64,
    /// The unit of the value: `share`, `ns`, `bytes`, `count`.
    pub unit: &'static str,
}

macro_rules! thresholds {
    ($($name:ident: $kind:ty = $value:literal $unit:literal, $rule:literal: $what:literal;)+) => {
        $(#[doc = $what] pub const $name: $kind = $value;)+

        /// All thresholds.
        pub const THRESHOLDS: &[Threshold] =
            &[$(Threshold { rule: $rule, what: $what, value: $value as f64, unit: $unit }),+];
    };
}

thresholds! {
    NOTE: f64 = 0.05 "share", "severity": "From this share of the part less its edges on a finding is a \
        note; below it, it is not shown.";
    WARNING: f64 = 0.10 "share", "severity": "From this share on a finding is a warning.";
    CRITICAL: f64 = 0.20 "share", "severity": "From this share on a finding is critical.";
    NAMED: f64 = 0.80 "share", "severity": "A name is given as the reason only if it holds this share of the \
        finding's time.";
    SECOND_CAUSE: f64 = 0.20 "share", "verdict": "The second cause is named from this share of the idle time \
        on.";
    UNRECORDED_WAIT: Ns = 200_000 "ns", "not_recorded": "The least time for which the host waits for a \
        device without recorded work.";
    QUEUED_START: Ns = 10_000 "ns", "launch_delay": "The time that work which was launched before a gap may \
        take to begin; also the least bound of a delay.";
    FEW_DELAY: Ns = 25_000 "ns", "launch_delay": "The bound of a delay where fewer delays of a kind of work \
        are known than the next number says.";
    DELAYS: usize = 20 "count", "launch_delay": "The least number of delays of a kind of work from which its \
        bound is computed: twice their median.";
    GRAPH_DELAY: Ns = 50_000 "ns", "launch_delay": "The least bound of the delay of a graph.";
    FOLLOWING: Ns = 100_000 "ns", "launch_delay": "The longest distance at which a device follows its \
        thread; beyond it the work was queued.";
    LONG_OPERATOR: Ns = 200_000 "ns", "cpu_operator": "The least length of an operator without a launch, or \
        of a collective on the host.";
    BETWEEN: Ns = 100_000 "ns", "host_python": "Between operators and calls that are less than this apart \
        the thread dispatches work.";
    READ_VALUE: u64 = 1024 "bytes", "blocking_sync": "A copy of at most this size that waits is a \
        synchronization: the program reads a value.";
    HIDDEN: f64 = 0.70 "share", "communication": "Communication of which this share is hidden is no finding.";
    SMALL: f64 = 10_000.0 "ns", "small_kernels": "Kernels are small below this mean duration; also those of \
        an unfused optimizer.";
    SMALL_LEAST: f64 = 100.0 "count", "small_kernels": "With fewer kernels than this the rule reports \
        nothing.";
    OPTIMIZER_LAUNCHES: f64 = 200.0 "count", "unfused_optimizer": "The least number of kernels that an \
        optimizer launches a step.";
    SIMT: f64 = 0.15 "share", "no_tensor_cores": "The least share of the kernels' time.";
    ROOF: f64 = 0.50 "share", "under_the_roof": "Operators that get less than this share of what the device \
        can achieve.";
    JUDGED: Ns = 10_000 "ns", "under_the_roof": "The least time of an operator's kernels; shorter ones are \
        not judged.";
    KERNEL_START: f64 = 5_000.0 "ns", "under_the_roof": "The time that a kernel of any size takes to start \
        and to end, which counts as achievable.";
    IMPOSSIBLE: f64 = 1.10 "share", "under_the_roof": "From more than this share of the peak on, the peak is \
        wrong, and the rule abstains.";
    CACHED: f64 = 4.0 "count", "under_the_roof": "Tensors of less than this many times the cache may be in \
        it, and then memory is no limit.";
    OCCUPIED: f64 = 0.25 "share", "low_occupancy": "Kernels with less occupancy, of those that \
        `under_the_roof` reports.";
    OCCUPIED_LEAST: f64 = 0.50 "share", "low_occupancy": "The least share of the time of those kernels; also \
        of those with few blocks.";
    FILLED: f64 = 1.0 "count", "serial_streams": "Blocks per multiprocessor below which a kernel leaves room \
        for another.";
    BACK_TO_BACK: Ns = 10_000 "ns", "serial_streams": "The longest idle time between two kernels that could \
        overlap.";
    OUTLIER_STEPS: f64 = 5.0 "count", "outlier_step": "With fewer steps than this the rule reports nothing, \
        and neither does `memory_growth`.";
    DEVIATIONS: Ns = 3 "count", "outlier_step": "Median absolute deviations above the median from which a \
        step is an outlier; also of a step of the warm-up.";
    GROWTH: f64 = 32_000_000.0 "bytes", "memory_growth": "The least growth.";
    RETRIES: f64 = 2.0 "count", "allocator_retries": "The least number of retries.";
}
