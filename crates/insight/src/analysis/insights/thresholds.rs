//! The thresholds of all rules, in one table, which `proftui insights --explain` and the docs print.
//!
//! Must not know rules.

/// A threshold.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// The rule, or `severity`.
    pub rule: &'static str,
    /// What is compared with the value.
    pub what: &'static str,
    /// The value.
    pub value: f64,
    /// Its unit: `share`, `ns`, `count`.
    pub unit: &'static str,
}

macro_rules! thresholds {
    ($($name:ident $rule:literal $what:literal $value:literal $unit:literal;)+) => {
        $(#[doc = $what] pub const $name: f64 = $value;)+

        /// All thresholds.
        pub const THRESHOLDS: &[Threshold] =
            &[$(Threshold { rule: $rule, what: $what, value: $value, unit: $unit }),+];
    };
}

thresholds! {
    NOTE "severity" "From this share of the part less its edges on a finding is a note; below it, it is not shown." 0.05 "share";
    WARNING "severity" "From this share on a finding is a warning." 0.10 "share";
    CRITICAL "severity" "From this share on a finding is critical." 0.20 "share";
    NAMED "severity" "A name is given as the reason only if it holds this share of the finding's time." 0.80 "share";
    HIDDEN "communication" "Communication of which this share is hidden is no finding." 0.70 "share";
    SMALL "small_kernels" "Kernels are small below this mean duration; also those of an unfused optimizer." 10000.0 "ns";
    SMALL_LEAST "small_kernels" "The least number of kernels." 100.0 "count";
    OPTIMIZER_LAUNCHES "unfused_optimizer" "The least number of kernels that an optimizer launches a step." 200.0 "count";
    SIMT "no_tensor_cores" "The least share of the kernels' time." 0.15 "share";
    ROOF "under_the_roof" "Operators that get less than this share of what the device can achieve." 0.50 "share";
    OCCUPIED "low_occupancy" "Kernels with less occupancy, of those that `under_the_roof` reports." 0.25 "share";
    OCCUPIED_LEAST "low_occupancy" "The least share of the time of those kernels." 0.50 "share";
    FILLED "serial_streams" "Blocks per multiprocessor below which a kernel leaves room for another." 1.0 "count";
    OUTLIER_STEPS "outlier_step" "The least number of steps; also for the growth of memory." 5.0 "count";
    GROWTH "memory_growth" "The least growth, bytes." 32_000_000.0 "count";
    RETRIES "allocator_retries" "The least number of retries." 2.0 "count";
}
