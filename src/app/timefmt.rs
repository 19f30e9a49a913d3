//! Times as text and back: from the trace's start, from the step's start, by the wall clock, or raw.
//!
//! Must not know the screen.

use crate::base::fmt;
use crate::base::time::{Ns, parse_scaled};
use crate::model::{Step, Trace};

/// The form in which times are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeFormat {
    /// Time since the start of the trace.
    #[default]
    Trace,
    /// Time since the start of the step that contains it, with the step's number; outside steps as [`Self::Trace`].
    Step,
    /// Time of day, UTC; as [`Self::Trace`] if the trace has no wall-clock time.
    Clock,
    /// The recorded time in ns.
    Raw,
}

impl TimeFormat {
    /// The next form; the first one after the last.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Trace => Self::Step,
            Self::Step => Self::Clock,
            Self::Clock => Self::Raw,
            Self::Raw => Self::Trace,
        }
    }

    /// The form's name on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trace => "from the trace's start",
            Self::Step => "from the step's start",
            Self::Clock => "clock time (UTC)",
            Self::Raw => "raw ns",
        }
    }

    /// The time `t`, ns, as text, with as many digits as distinguish times `resolution` ns apart; a step is one of `worker`.
    pub fn show(self, trace: &Trace, worker: u16, t: Ns, resolution: Ns) -> String {
        match self {
            Self::Trace => fmt::offset(t.saturating_sub(trace.main_span.start), resolution),
            Self::Step => match step_at(trace, worker, t) {
                Some(step) => format!("#{}+{}", step.number, fmt::offset(t - step.span.start, resolution)),
                None => fmt::offset(t.saturating_sub(trace.main_span.start), resolution),
            },
            Self::Clock => match trace.meta.epoch.and_then(|zero| zero.checked_add(t)) {
                Some(epoch) => clock(epoch, resolution),
                None => fmt::offset(t.saturating_sub(trace.main_span.start), resolution),
            },
            Self::Raw => {
                fmt::count(t.unsigned_abs()).replace(',', "_") + if t < 0 { " (negative)" } else { "" }
            }
        }
    }
}

/// The time of day, UTC, of `epoch` (ns since 1970), with as many digits as distinguish times `resolution` ns apart.
fn clock(epoch: Ns, resolution: Ns) -> String {
    let day = epoch.rem_euclid(86_400_000_000_000);
    let (seconds, ns) = (day / 1_000_000_000, day % 1_000_000_000);
    let digits = (0..=9).find(|&digits| resolution >= 10_i64.pow(9 - digits)).unwrap_or(9) as usize;
    let fraction = format!("{ns:09}");
    let dot = if digits > 0 { "." } else { "" };
    format!("{:02}:{:02}:{:02}{dot}{}", seconds / 3600, seconds / 60 % 60, seconds % 60, &fraction[..digits])
}

/// The step of `worker` that contains the time `t`; none between steps.
pub fn step_at(trace: &Trace, worker: u16, t: Ns) -> Option<&Step> {
    let after = trace.steps.partition_point(|step| step.span.start <= t);
    let latest = trace.steps[..after].iter().rev().find(|step| step.worker == worker);
    latest.filter(|step| step.span.contains(t))
}

/// Parses a typed time: `12.5ms` or `1.2 s` since the start of the trace, `+3us` or `-3us` relative to `cursor`, `#12` or `step
/// 12` for the start of a step; ns without a unit. None if `text` is no time or the trace lacks the step.
pub fn parse(trace: &Trace, cursor: Ns, text: &str) -> Option<Ns> {
    let text = text.trim();
    if let Some(number) = text.strip_prefix('#').or_else(|| text.strip_prefix("step")) {
        let number: u64 = number.trim().parse().ok()?;
        return trace.steps.iter().find(|step| step.number == number).map(|step| step.span.start);
    }
    let at = text.find(|c: char| c.is_alphabetic() || c == 'µ').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let shift = match unit.trim() {
        "" | "ns" => 0,
        "us" | "µs" | "μs" => 3,
        "ms" => 6,
        "s" => 9,
        _ => return None,
    };
    let number = number.trim();
    let ns = parse_scaled(number.as_bytes(), shift)?;
    let from = if number.starts_with(['+', '-']) { cursor } else { trace.main_span.start };
    from.checked_add(ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Span;
    use crate::model::Meta;

    fn trace() -> Trace {
        let step = |number, start, end| Step { number, worker: 0, slice: 0, span: Span { start, end } };
        let meta = Meta { epoch: Some(1_790_857_026_000_000_000), ..Meta::default() };
        let main_span = Span { start: 1_000, end: 10_000_000 };
        Trace {
            main_span,
            meta,
            steps: vec![step(12, 2_000, 5_000), step(13, 5_000, 9_000)],
            ..Trace::default()
        }
    }

    #[test]
    fn typed_times() {
        let trace = trace();
        assert_eq!(parse(&trace, 0, "12.5us"), Some(13_500));
        assert_eq!(parse(&trace, 0, "1 ms"), Some(1_001_000));
        assert_eq!(parse(&trace, 7_000, "+3µs"), Some(10_000));
        assert_eq!(parse(&trace, 7_000, "-3us"), Some(4_000));
        assert_eq!(parse(&trace, 0, "#13"), Some(5_000));
        assert_eq!(parse(&trace, 0, "step 12"), Some(2_000));
        assert_eq!(parse(&trace, 0, "step 99"), None);
        assert_eq!(parse(&trace, 0, "soon"), None);
    }

    #[test]
    fn shown_times() {
        let trace = trace();
        assert_eq!(TimeFormat::Trace.show(&trace, 0, 3_500, 100), "2.5 µs");
        assert_eq!(TimeFormat::Step.show(&trace, 0, 5_500, 100), "#13+500 ns");
        assert_eq!(TimeFormat::Clock.show(&trace, 0, 1_500_000, 1_000), "12:17:06.001500");
        assert_eq!(TimeFormat::Raw.show(&trace, 0, 1_500_000, 1), "1_500_000");
    }
}
