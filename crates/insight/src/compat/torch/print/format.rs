//! Numbers as torch prints them: times, shares, bytes, operations.

use crate::compat::torch::Rules;
use proftui_base::fmt::TimeUnit;
use proftui_base::saturate::saturate;

/// The unit symbols of memory sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryUnits {
    /// `GB`, `MB`, `KB`, `B`.
    Upper,
    /// `Gb`, `Mb`, `Kb`, `b`, as in torch 2.7 and before.
    Lower,
}

impl MemoryUnits {
    /// The unit symbols that the tool with these rules prints.
    pub(super) fn of(rules: Rules) -> Self {
        if rules.has_lower_units() { Self::Lower } else { Self::Upper }
    }
}

/// How times and memory sizes are printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// The unit of all times; None chooses a unit for each time by its size.
    pub time: Option<TimeUnit>,
    pub memory: MemoryUnits,
}

impl Units {
    /// Prints a time given in µs, with three decimals and the unit (`_format_time`, `override_time_unit`).
    pub(super) fn time(self, micros: f64) -> String {
        let unit = self.time.unwrap_or(match micros {
            _ if micros >= 1_000_000.0 => TimeUnit::Second,
            _ if micros >= 1000.0 => TimeUnit::Milli,
            _ => TimeUnit::Micro,
        });
        match unit {
            TimeUnit::Second => format!("{:.3}s", micros / 1_000_000.0),
            TimeUnit::Milli => format!("{:.3}ms", micros / 1000.0),
            TimeUnit::Micro => format!("{micros:.3}us"),
            TimeUnit::Nano => format!("{:.3}ns", micros * 1000.0),
        }
    }

    /// Prints an amount of memory given in bytes (`_format_memory`); units are powers of 1024.
    pub(super) fn memory(self, bytes: i64) -> String {
        let [giga, mega, kilo, one] = match self.memory {
            MemoryUnits::Upper => ["GB", "MB", "KB", "B"],
            MemoryUnits::Lower => ["Gb", "Mb", "Kb", "b"],
        };
        let scaled = |shift: u32, unit| format!("{:.2} {unit}", bytes as f64 / f64::from(1_u32 << shift));
        match bytes.unsigned_abs() {
            n if n >= 1 << 30 => scaled(30, giga),
            n if n >= 1 << 20 => scaled(20, mega),
            n if n >= 1 << 10 => scaled(10, kilo),
            _ => format!("{bytes} {one}"),
        }
    }
}

/// Prints `part` as a share of `whole` in percent (`_format_time_share`); `NaN` if the whole is 0.
pub(super) fn share(part: f64, whole: f64) -> String {
    if whole == 0.0 { "NaN".into() } else { format!("{:.2}%", part * 100.0 / whole) }
}

/// The unit of the column of floating point operations, as a factor and a heading (`auto_scale_flops`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlopScale {
    /// The factor by which a number of operations is multiplied to get the number in the heading's unit.
    factor: f64,
    pub heading: &'static str,
}

impl FlopScale {
    /// Chooses the scale that suits `smallest`, the smallest positive number of operations in the rows.
    pub(super) fn of(smallest: u64) -> Self {
        const SCALES: [(f64, &str); 6] = [
            (1.0, "Total FLOPs"),
            (1e-3, "Total KFLOPs"),
            (1e-6, "Total MFLOPs"),
            (1e-9, "Total GFLOPs"),
            (1e-12, "Total TFLOPs"),
            (1e-15, "Total PFLOPs"),
        ];
        let scale = saturate::<usize>(((smallest as f64).log10() / 3.0).clamp(0.0, 5.0));
        let (factor, heading) = SCALES[scale.min(5)];
        Self { factor, heading }
    }

    /// Prints a number of operations in this scale; `--` for 0.
    pub(super) fn text(self, flops: u64) -> String {
        if flops == 0 { "--".into() } else { format!("{:8.3}", flops as f64 * self.factor) }
    }
}
