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
        $(#[doc = $what] pub(super) const $name: f64 = $value;)+

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
}
