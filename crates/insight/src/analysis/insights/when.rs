//! When a finding shows: in every step, in some, in the first, or once; and the time of a cause that comes
//! once, at the start of a run.
//!
//! Must not know rules.

use std::collections::BTreeMap;

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{Step, Trace, WorkerId};

use crate::analysis::part::Part;
use crate::analysis::thresholds::{ALIKE, MANY_STEPS, MOST_OF_TIME, ONCE, START};

/// A step with less than one part of so many of the most time of a step is not like that one.
const FEW: Ns = 5;
/// The most steps that are listed by their numbers.
const LISTED: usize = 3;

/// In which steps of a part a finding shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// The part has no steps; the number of pieces in which the finding shows.
    NoSteps(u64),
    /// In the only step of the part.
    Only,
    /// In every step, or about that.
    Every,
    /// In every n-th step: n, at least 2.
    EveryNth(u64),
    /// In the first step of the recording.
    First,
    /// In the steps with these numbers, at most three, of so many.
    Steps(Vec<u64>, u64),
    /// In so many steps of so many.
    Some(u64, u64),
}

impl When {
    /// When the finding shows that has the times `of_steps` (ns) in the steps with these numbers and lengths
    /// (ns), in order. `has_first` is true if the first of them is the first of the recording; `pieces`
    /// counts for a part without steps.
    pub fn of(of_steps: &[(u64, Ns, Ns)], has_first: bool, pieces: u64) -> Self {
        let all = sum(of_steps.iter().map(|&(_, ns, _)| ns));
        let length = sum(of_steps.iter().map(|&(.., length)| length));
        match of_steps.len() {
            0 => return Self::NoSteps(pieces),
            1 => return Self::Only,
            _ if all == 0 => return Self::NoSteps(pieces),
            _ => {}
        }
        // The fewest steps that hold most of the time, all others with half the time of the least of them,
        // and those that it fills about as much as all steps.
        let mut sorted: Vec<Ns> = of_steps.iter().map(|&(_, ns, _)| ns).collect();
        sorted.sort_unstable_by_key(|&ns| std::cmp::Reverse(ns));
        let largest = sorted[0];
        let mut held: Ns = 0;
        let fewest = sorted.iter().position(|&ns| {
            held = held.saturating_add(ns);
            held as f64 >= all as f64 * MOST_OF_TIME
        });
        let least = fewest.map_or(1, |at| (sorted[at] / 2).max(1));
        let is_pause = fewest.is_some_and(|at| 2 * (at + 1) < of_steps.len());
        let fills = |ns: Ns, of: Ns| ns as f64 / of.max(1) as f64;
        let shows = |&at: &usize| {
            let (_, ns, of) = of_steps[at];
            // A pause of few steps is no loss of all, however full of it the others are.
            let is_as_large = !is_pause || ns.saturating_mul(FEW) >= largest;
            ns >= least || fills(ns, of) >= fills(all, length) * ALIKE && is_as_large
        };
        let steps: Vec<usize> = (0..of_steps.len()).filter(shows).collect();
        let (count, of) = (steps.len() as u64, of_steps.len() as u64);
        let distance = steps.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(0);
        let is_regular = steps.len() > LISTED.min(2)
            && distance > 1
            && steps.windows(2).all(|pair| pair[1] - pair[0] == distance)
            && steps[0] < distance
            && steps[steps.len() - 1] + distance >= of_steps.len();
        match steps.as_slice() {
            [0] if has_first => Self::First,
            _ if is_regular => Self::EveryNth(distance as u64),
            _ if count as f64 >= of as f64 * MANY_STEPS => Self::Every,
            some if some.len() <= LISTED => Self::Steps(some.iter().map(|&at| of_steps[at].0).collect(), of),
            _ => Self::Some(count, of),
        }
    }

    /// True where the finding shows in some steps only, so that a sentence about it should say so.
    pub fn is_notable(&self) -> bool {
        !matches!(self, Self::NoSteps(_) | Self::Only | Self::Every)
    }

    /// In the fewest words, for a column: `every step`, `3 of 12`, `steps 7, 9`.
    pub fn short(&self) -> String {
        match self {
            Self::NoSteps(1) => "once".into(),
            Self::NoSteps(_) => "no steps".into(),
            Self::Only => "only step".into(),
            Self::Every => "every step".into(),
            Self::EveryNth(n) => format!("every {}", ordinal(*n)),
            Self::First => "first step".into(),
            Self::Steps(numbers, _) if numbers.len() == 1 => format!("step {}", numbers[0]),
            Self::Steps(numbers, _) => format!("steps {}", list(numbers)),
            Self::Some(count, of) => format!("{count} of {of}"),
        }
    }

    /// As the end of a sentence: `in every step`, `once (step 10)`; empty for a part without steps, or with
    /// only one.
    pub fn phrase(&self) -> String {
        match self {
            Self::NoSteps(1) => "once".into(),
            Self::NoSteps(_) | Self::Only => String::new(),
            Self::Every => "in every step".into(),
            Self::EveryNth(n) => format!("in every {} step", ordinal(*n)),
            Self::First => "in the first step".into(),
            Self::Steps(numbers, _) if numbers.len() == 1 => format!("once (step {})", numbers[0]),
            Self::Steps(numbers, _) => format!("in steps {}", list(numbers)),
            Self::Some(count, of) => format!("in {count} of {of} steps"),
        }
    }
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// A number as `2nd`, `4th`.
fn ordinal(n: u64) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

/// A step with the time until the next one of its worker begins; that of the last lasts until the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The number of the step.
    pub number: u64,
    /// The time from the start of the step to that of the next.
    pub span: Span,
}

/// The time of a finding in the steps of each number, and the length of these steps, ns.
#[derive(Default)]
struct ByNumber(BTreeMap<u64, (Ns, Ns)>);

impl ByNumber {
    fn add(&mut self, period: Period, time: Ns) {
        let (of_finding, length) = self.0.entry(period.number).or_default();
        *of_finding = of_finding.saturating_add(time);
        *length = length.saturating_add(period.span.len());
    }

    fn list(self) -> Vec<(u64, Ns, Ns)> {
        self.0.into_iter().map(|(number, (time, length))| (number, time, length)).collect()
    }
}

/// The steps of each worker of a part as periods, by the worker's index, and whether the first is the first
/// that was recorded.
#[derive(Debug)]
pub struct Periods {
    of_workers: Vec<Vec<Period>>,
    /// True if the part has the first step of a worker's recording.
    pub has_first: bool,
}

impl Periods {
    /// The periods of the steps of a part.
    pub fn of(part: &Part<'_>) -> Self {
        let trace = part.trace();
        let mut has_first = false;
        let of_worker = |(worker, steps): (WorkerId, Vec<&Step>)| {
            let run = part.run(worker);
            let end = run.last().map_or(Ns::MIN, |time| time.end);
            has_first |= steps.first().is_some_and(|step| is_first(trace, step));
            let next = steps.iter().skip(1).map(|step| step.span.start).chain([end]);
            let period = |(step, next): (&&Step, Ns)| {
                // Between two recorded times nothing is known of the step.
                let recorded = run.iter().find(|time| time.contains(step.span.start));
                let until = recorded.map_or(next, |time| next.min(time.end));
                let span = part.clip(Span { start: step.span.start, end: until.max(step.span.start) });
                Period { number: step.number, span }
            };
            steps.iter().zip(next).map(period).collect()
        };
        let of_workers = trace.workers().iter().zip(part.steps_by_worker()).map(of_worker).collect();
        Self { of_workers, has_first }
    }

    /// The periods of a worker, in order of time.
    pub fn of_worker(&self, worker: WorkerId) -> &[Period] {
        self.of_workers.get(worker.index()).map_or(&[], Vec::as_slice)
    }

    /// True if no worker has a step in the part.
    pub fn is_empty(&self) -> bool {
        self.of_workers.iter().all(Vec::is_empty)
    }

    /// The numbers of the first and the last step; `None` without steps.
    pub fn range(&self) -> Option<(u64, u64)> {
        let numbers = || self.of_workers.iter().flatten().map(|period| period.number);
        Some((numbers().min()?, numbers().max()?))
    }

    /// When a finding shows whose time in a period of a worker is `time`, ns, and which has so many `pieces`.
    /// With `after_first` the first step does not count.
    pub fn when(&self, pieces: u64, after_first: bool, time: impl Fn(WorkerId, Period) -> Ns) -> When {
        let mut by_number = ByNumber::default();
        for (worker, periods) in self.of_workers.iter().enumerate() {
            for &period in periods.iter().skip(usize::from(after_first)) {
                by_number.add(period, time(WorkerId::from_index(worker), period));
            }
        }
        When::of(&by_number.list(), self.has_first && !after_first, pieces)
    }

    /// When a finding shows that is about these spans of workers.
    pub fn when_of(&self, spans: impl IntoIterator<Item = (WorkerId, Span)>) -> When {
        let mut times: Vec<Vec<Ns>> = self.of_workers.iter().map(|periods| vec![0; periods.len()]).collect();
        let mut pieces = 0;
        for (worker, span) in spans {
            pieces += 1;
            let Some(periods) = self.of_workers.get(worker.index()) else { continue };
            let at = periods.partition_point(|period| period.span.start <= span.start);
            if let Some(time) = at.checked_sub(1).and_then(|at| times[worker.index()].get_mut(at)) {
                *time = time.saturating_add(span.len().max(1));
            }
        }
        let mut by_number = ByNumber::default();
        for (periods, times) in self.of_workers.iter().zip(times) {
            for (&period, time) in periods.iter().zip(times) {
                by_number.add(period, time);
            }
        }
        When::of(&by_number.list(), self.has_first, pieces)
    }

    /// The time at the start of a worker's run in which a cause comes once, if it does: the first recorded
    /// step, if it has several times as much of the cause as the steps after it. `time` is that of the cause
    /// in a span, ns. Without steps in the trace, the time before the device has done its first work, up to
    /// `started` (ns), if it has most of the cause.
    pub fn once(
        &self,
        part: &Part<'_>,
        worker: WorkerId,
        started: Ns,
        time: impl Fn(Span) -> Ns,
    ) -> Option<Span> {
        if part.trace().steps.is_empty() {
            let run = part.run(worker);
            let all = sum(run.iter().map(|&span| time(span)));
            let start = Span { start: run.first()?.start, end: started.max(run.first()?.start) };
            return Some(start).filter(|&start| all > 0 && time(start) as f64 >= all as f64 * START);
        }
        let (first, others) = self.of_worker(worker).split_first()?;
        let step = part.steps_by_worker().get(worker.index())?.first().copied()?;
        if !is_first(part.trace(), step) {
            return None;
        }
        // A step that the end of the recording cuts to next to nothing says nothing.
        let is_step = |period: &&Period| period.span.len() * 20 >= first.span.len();
        let mut usual: Vec<Ns> = others.iter().filter(is_step).map(|period| time(period.span)).collect();
        if usual.is_empty() {
            return None;
        }
        let middle = usual.len() / 2;
        let usual = *usual.select_nth_unstable(middle).1;
        let own = time(first.span);
        (own > 0 && own as f64 > usual as f64 * ONCE).then_some(first.span)
    }
}

/// True for the first step that was recorded of its worker.
fn is_first(trace: &Trace, step: &Step) -> bool {
    let first = trace.steps.iter().find(|other| other.worker == step.worker);
    first.is_some_and(|first| first.span.start == step.span.start && first.slice == step.slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn when(times: &[Ns]) -> String {
        let of_steps: Vec<(u64, Ns, Ns)> =
            (5..).zip(times).map(|(number, &ns)| (number, ns, 1_000)).collect();
        When::of(&of_steps, true, 3).phrase()
    }

    #[test]
    fn a_pause_is_not_a_steady_loss() {
        assert_eq!(when(&[9, 10, 11, 8, 10, 12]), "in every step");
        assert_eq!(when(&[0, 0, 0, 0, 0, 500, 1, 1]), "once (step 10)");
        assert_eq!(when(&[400, 2, 1, 2, 1]), "in the first step");
        assert_eq!(when(&[0, 10, 0, 0, 10, 0, 0, 0, 0, 0]), "in steps 6, 9");
        assert_eq!(when(&[0, 10, 0, 0, 10, 0, 0, 10, 0]), "in every 3rd step");
        assert_eq!(when(&[0, 10, 9, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0]), "in 4 of 13 steps");
        assert_eq!(when(&[10]), "");
        assert_eq!(When::of(&[], false, 1).short(), "once");
        let of_long_steps = [(5, 31, 62), (6, 169, 340)];
        assert_eq!(
            When::of(&of_long_steps, true, 3).phrase(),
            "in every step",
            "a longer step has more of it"
        );
        let paused = [(5, 10, 10), (6, 3_000, 3_000), (7, 10, 10)];
        assert_eq!(When::of(&paused, true, 3).phrase(), "once (step 6)", "each is filled with it");
        let one_large: Vec<Ns> = (0..100).map(|at| if at == 50 { 500 } else { 10 }).collect();
        assert_eq!(when(&one_large), "in every step", "the other steps have twice the time of the large one");
    }
}
