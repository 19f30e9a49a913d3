//! Times as text and back: from the trace's start, from the step's start, by the wall clock, or raw.
//!
//! Must not know the screen.

use std::num::ParseIntError;

use proftui_base::fmt;
use proftui_base::time::{Ns, parse_scaled};
use proftui_trace::model::{Step, Trace, WorkerId};

/// The form in which times are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeFormat {
    /// Time since the start of the trace without far outliers; negative before that.
    #[default]
    Trace,
    /// Time since the start of the step that contains it, with the step's number; outside steps as
    /// [`Self::Trace`].
    Step,
    /// Time of day, UTC; as [`Self::Trace`] if the trace has no wall-clock time.
    Clock,
    /// The time itself in ns, from the trace's time 0.
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

    /// The time `t`, ns, as text that distinguishes times `resolution` ns apart. The form [`Self::Step`]
    /// counts from the start of steps of `worker`.
    pub fn show(self, trace: &Trace, worker: WorkerId, t: Ns, resolution: Ns) -> String {
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

/// The time of day, UTC, of `epoch` (ns since 1970), with as many digits as distinguish times `resolution` ns
/// apart.
fn clock(epoch: Ns, resolution: Ns) -> String {
    let day = epoch.rem_euclid(86_400_000_000_000);
    let (seconds, ns) = (day / 1_000_000_000, day % 1_000_000_000);
    let digits = (0..=9).find(|&digits| resolution >= 10_i64.pow(9 - digits)).unwrap_or(9) as usize;
    let fraction = format!("{ns:09}");
    let dot = if digits > 0 { "." } else { "" };
    format!("{:02}:{:02}:{:02}{dot}{}", seconds / 3600, seconds / 60 % 60, seconds % 60, &fraction[..digits])
}

/// The step of `worker` that starts last at or before the time `t`, if `t` is in it; else none.
pub fn step_at(trace: &Trace, worker: WorkerId, t: Ns) -> Option<&Step> {
    let after = trace.steps.partition_point(|step| step.span.start <= t);
    let latest = trace.steps[..after].iter().rev().find(|step| step.worker == worker);
    latest.filter(|step| step.span.contains(t))
}

/// Why a typed text is no time to go to; the message for the user is its `Display`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTime {
    /// A number without a unit, as it was typed; true if it may be meant as a step's number.
    NoUnit(String, bool),
    /// The number of a step that the trace lacks, and the lowest and highest number of the trace's steps, if
    /// any.
    NoStep(u64, Option<(u64, u64)>),
    /// Any other text, as it was typed.
    Other(String),
}

impl std::fmt::Display for NoTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoUnit(n, is_step) => {
                write!(f, "{n} has no unit: type {n}ns, {n}us, {n}ms or {n}s")?;
                if *is_step { write!(f, ", or #{n} for step {n}") } else { Ok(()) }
            }
            Self::NoStep(n, None) => write!(f, "no step {n} is loaded, nor any other step"),
            Self::NoStep(n, Some((first, last))) => {
                write!(f, "no step {n} is loaded; the lowest is {first}, the highest {last}")
            }
            Self::Other(text) => {
                write!(
                    f,
                    "\"{text}\" cannot be read as a time or step; type, for example, 12.5ms, +3us or #12"
                )
            }
        }
    }
}

impl std::error::Error for NoTime {}

/// The number of the step that is typed as `#12` or `step 12`; an error if no number follows, none for
/// another text.
fn step_number(text: &str) -> Option<Result<u64, ParseIntError>> {
    let number = text.strip_prefix('#').or_else(|| text.strip_prefix("step"))?;
    Some(number.trim().parse())
}

/// The first step with this number, preferably of `worker`; none if the trace has no such step.
fn step(trace: &Trace, worker: WorkerId, number: u64) -> Option<&Step> {
    let same = || trace.steps.iter().filter(|step| step.number == number);
    same().find(|step| step.worker == worker).or_else(|| same().next())
}

/// The step that a text such as `#12` or `step 12` names; none if it names no step of the trace.
pub fn typed_step<'t>(trace: &'t Trace, worker: WorkerId, text: &str) -> Option<&'t Step> {
    step(trace, worker, step_number(text.trim())?.ok()?)
}

/// The time, ns, that is typed as `12.5ms` (from where [`TimeFormat::Trace`] counts), `+3us` (from `cursor`)
/// or `#12` (the start of a step, preferably of `worker`).
pub fn parse(trace: &Trace, worker: WorkerId, cursor: Ns, text: &str) -> Result<Ns, NoTime> {
    let text = text.trim();
    let other = || NoTime::Other(text.to_owned());
    if let Some(number) = step_number(text) {
        let number = number.map_err(|_| other())?;
        return step(trace, worker, number).map(|step| step.span.start).ok_or_else(|| {
            let numbers = || trace.steps.iter().map(|step| step.number);
            NoTime::NoStep(number, numbers().min().zip(numbers().max()))
        });
    }
    let at = text.find(|c: char| c.is_alphabetic() || c == 'µ').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let number = number.trim();
    let shift = match unit.trim() {
        "" | "ns" => 0,
        "us" | "µs" | "μs" => 3,
        "ms" => 6,
        "s" => 9,
        _ => return Err(other()),
    };
    let ns = parse_scaled(number.as_bytes(), shift).ok_or_else(other)?;
    if unit.trim().is_empty() && number.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        let is_step = number.parse().is_ok_and(|n: u64| trace.steps.iter().any(|step| step.number == n));
        return Err(NoTime::NoUnit(number.to_owned(), is_step && !number.starts_with('+')));
    }
    let from = if number.starts_with(['+', '-']) { cursor } else { trace.main_span.start };
    from.checked_add(ns).ok_or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: WorkerId = WorkerId::new(0);
    use proftui_base::time::Span;
    use proftui_trace::model::Meta;

    fn trace() -> Trace {
        let step = |number, start, end| Step { number, span: Span { start, end }, ..Step::default() };
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
        let parse = |cursor, text| parse(&trace, FIRST, cursor, text);
        assert_eq!(parse(0, "12.5us"), Ok(13_500));
        assert_eq!(parse(0, "1 ms"), Ok(1_001_000));
        assert_eq!(parse(7_000, "+3µs"), Ok(10_000));
        assert_eq!(parse(7_000, "-3us"), Ok(4_000));
        assert_eq!(parse(0, "#13"), Ok(5_000));
        assert_eq!(parse(0, "step 12"), Ok(2_000));
        assert_eq!((parse(0, "0"), parse(7_000, "+0.0")), (Ok(1_000), Ok(7_000)), "0 is 0 in every unit");
    }

    #[test]
    fn what_is_no_time_is_refused_with_what_would_be() {
        let why = |text| parse(&trace(), FIRST, 0, text).map_err(|why| why.to_string()).expect_err("no time");
        assert_eq!(why("4"), "4 has no unit: type 4ns, 4us, 4ms or 4s");
        assert_eq!(why("12"), "12 has no unit: type 12ns, 12us, 12ms or 12s, or #12 for step 12");
        assert_eq!(why("+1.5"), "+1.5 has no unit: type +1.5ns, +1.5us, +1.5ms or +1.5s");
        assert_eq!(why("step 99"), "no step 99 is loaded; the lowest is 12, the highest 13");
        let wanted = "\"soon\" cannot be read as a time or step; type, for example, 12.5ms, +3us or #12";
        assert_eq!(why("soon"), wanted);
        assert_eq!(parse(&Trace::default(), FIRST, 0, "#1"), Err(NoTime::NoStep(1, None)));
    }

    #[test]
    fn a_step_is_one_of_the_worker_with_the_focus() {
        let mut trace = trace();
        let (span, second) = (Span { start: 6_000, end: 7_000 }, WorkerId::new(1));
        trace.steps.push(Step { number: 12, worker: second, span, ..Step::default() });
        assert_eq!(parse(&trace, second, 0, "#12"), Ok(6_000));
        assert_eq!(parse(&trace, second, 0, "#13"), Ok(5_000), "only the other worker has it");
    }

    #[test]
    fn shown_times() {
        let trace = trace();
        assert_eq!(TimeFormat::Trace.show(&trace, FIRST, 3_500, 100), "2.5 µs");
        assert_eq!(TimeFormat::Step.show(&trace, FIRST, 5_500, 100), "#13+500 ns");
        assert_eq!(TimeFormat::Clock.show(&trace, FIRST, 1_500_000, 1_000), "12:17:06.001500");
        assert_eq!(TimeFormat::Raw.show(&trace, FIRST, 1_500_000, 1), "1_500_000");
    }
}
