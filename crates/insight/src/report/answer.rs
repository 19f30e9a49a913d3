//! The lines that say where the time of a recording went, for the end of a capture: at most six, each left
//! out where it has nothing to say.
//!
//! Must not know how the numbers are found.

use crate::analysis::views::answer::{Answer, Excess, Operator, Steps, What};
use proftui_base::fmt::{count, counted, duration, share};
use proftui_base::text::SafeText;

/// Most columns of the terminal that a name takes; a longer name loses its middle.
const NAME: usize = 40;

/// The lines, at most six, that say where the time of a recording went.
pub fn lines(answer: &Answer) -> Vec<String> {
    let steps = answer.steps.as_ref();
    let of_steps = [steps.map(durations), steps.and_then(phases), steps.and_then(slowest)];
    let last = [operators(&answer.operators), steps.and_then(loading), steps.and_then(unrecorded)];
    of_steps.into_iter().chain(last).flatten().collect()
}

/// The line on the number and durations of the steps, what ended them, and the time outside of them.
fn durations(steps: &Steps) -> String {
    let ended_by = steps.ended_by.as_ref().map(|what| format!(" (ended by {})", what.elide_middle(NAME)));
    let (start_up, teardown) = steps.left_out;
    let (passes, validation) = steps.validations;
    let outside = [
        (start_up > 0, format!("start-up {}", duration(start_up))),
        (passes > 0, format!("{} {}", passes_of(passes), duration(validation))),
        (teardown > 0, format!("teardown {}", duration(teardown))),
    ];
    let outside: Vec<String> =
        outside.into_iter().filter(|(is_there, _)| *is_there).map(|(_, text)| text).collect();
    let outside =
        if outside.is_empty() { String::new() } else { format!("; beside them {}", outside.join(", ")) };
    let durations = match steps.count {
        1 => duration(steps.p50),
        _ => format!("p50 {}, p99 {}", duration(steps.p50), duration(steps.p99)),
    };
    format!("{}{}: {durations}{outside}", counted(steps.count, "step"), ended_by.unwrap_or_default())
}

fn passes_of(passes: u64) -> String {
    if passes == 1 { "1 validation pass".to_owned() } else { format!("{} validation passes", count(passes)) }
}

/// The line on how the time of the steps divides into phases; `None` without phases.
fn phases(steps: &Steps) -> Option<String> {
    let of = |(title, time): &(&str, i64)| format!("{} {}", title.to_lowercase(), share(*time, steps.total));
    let texts: Vec<String> = steps.phases.iter().map(of).collect();
    (!texts.is_empty()).then(|| format!("phases of the steps: {}", texts.join(", ")))
}

/// The line on the slowest step and what took more time in it than in the median step; `None` if `steps` has
/// none.
fn slowest(steps: &Steps) -> Option<String> {
    let slowest = steps.slowest.as_ref()?;
    let held: Vec<String> = slowest.held.iter().map(|excess| held(steps, excess)).collect();
    let held = if held.is_empty() { String::new() } else { format!(": {}", held.join(", ")) };
    Some(format!(
        "slowest: step {} with {}, {} more than the median step{held}",
        slowest.number,
        duration(slowest.time),
        duration(slowest.beyond)
    ))
}

fn held(steps: &Steps, excess: &Excess) -> String {
    let what = match &excess.what {
        What::Loading => "data loading".to_owned(),
        What::Phase(title) => title.to_lowercase(),
        What::Named(name) => name.elide_middle(NAME).to_string(),
        What::Nothing if steps.phases.is_empty() => "other code".to_owned(),
        What::Nothing => "outside of phases".to_owned(),
    };
    format!("{what} +{}", duration(excess.time))
}

/// The line on the largest operators, each with its share of time; `None` if `operators` is empty.
fn operators(operators: &[Operator]) -> Option<String> {
    let first = operators.first()?;
    let of = |operator: &Operator| {
        let name: SafeText<'_> = operator.name.elide_middle(NAME);
        let on = if operator.is_device && !operators.iter().all(|other| other.is_device) {
            " (device)"
        } else {
            ""
        };
        format!("{name} {:.1}%{on}", operator.share * 100.0)
    };
    let texts: Vec<String> = operators.iter().map(of).collect();
    let all_on_device = first.is_device && operators.iter().all(|operator| operator.is_device);
    let has_device = operators.iter().any(|operator| operator.is_device);
    let of_what = match (all_on_device, has_device) {
        (true, _) => "device time",
        (false, true) => "own or device time",
        (false, false) => "own time",
    };
    Some(format!("largest operators, ordered without waits, share of {of_what}: {}", texts.join(", ")))
}

/// The line on waiting for data in the steps; `None` if it took little or no time.
fn loading(steps: &Steps) -> Option<String> {
    let loading = steps.loading.as_ref()?;
    let (part, longest) = (share(loading.total, steps.total), duration(loading.longest));
    Some(format!("data loading in the steps: {part} (most in step {}: {longest})", loading.step))
}

/// The line on [`Steps::unrecorded`]; `None` without it.
fn unrecorded(steps: &Steps) -> Option<String> {
    let found = steps.unrecorded.as_ref()?;
    let (part, longest) = (share(found.total, steps.total), duration(found.longest));
    let times = match found.count {
        1 => String::new(),
        times => format!("{} times, the longest ", count(times)),
    };
    Some(format!(
        "long stretches in no recorded operator, call or data loading: {part} of the steps' time \
         ({times}{longest} in step {})",
        found.step
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::views::answer::{Loading, Slowest, Unrecorded};

    fn name(text: &str) -> SafeText<'static> {
        SafeText::new(text).into_owned()
    }

    fn steps() -> Steps {
        let held = vec![
            Excess { what: What::Nothing, time: 30_000_000 },
            Excess { what: What::Named(name("aten::mm")), time: 5_000_000 },
        ];
        Steps {
            ended_by: Some(name("optimizer: torch.optim.SGD")),
            count: 1_200,
            p50: 10_000_000,
            p99: 45_000_000,
            total: 100_000_000,
            phases: vec![("Data loading", 15_000_000), ("Forward", 55_000_000), ("Other", 30_000_000)],
            slowest: Some(Slowest { number: 3, time: 45_000_000, beyond: 35_000_000, held }),
            loading: Some(Loading { total: 15_000_000, longest: 7_000_000, step: 3 }),
            unrecorded: Some(Unrecorded { total: 30_000_000, count: 1, longest: 30_000_000, step: 3 }),
            left_out: (3_104_000_000, 210_000_000),
            validations: (2, 4_200_000_000),
        }
    }

    #[test]
    fn each_number_has_its_line() {
        let operator = |text: &str, share: f64, is_device: bool| Operator {
            name: name(text),
            time: 1,
            share,
            is_device,
        };
        let operators = vec![operator("aten::mm", 0.412, true), operator("aten::add", 0.05, false)];
        let found = lines(&Answer { steps: Some(steps()), operators });
        assert_eq!(
            found,
            [
                "1,200 steps (ended by optimizer: torch.optim.SGD): p50 10.00 ms, p99 45.00 ms; beside them start-up 3.104 s, \
                 2 validation passes 4.200 s, teardown 210.0 ms",
                "phases of the steps: data loading 15.0%, forward 55.0%, other 30.0%",
                "slowest: step 3 with 45.00 ms, 35.00 ms more than the median step: outside of phases +30.00 ms, aten::mm +5.000 ms",
                "largest operators, ordered without waits, share of own or device time: aten::mm 41.2% (device), aten::add 5.0%",
                "data loading in the steps: 15.0% (most in step 3: 7.000 ms)",
                "long stretches in no recorded operator, call or data loading: 30.0% of the steps' time \
                 (30.00 ms in step 3)",
            ]
        );
    }

    #[test]
    fn unrecorded_time_is_not_called_waiting() {
        let unrecorded = Unrecorded { total: 100_000_000, count: 1_200, longest: 45_000_000, step: 3 };
        let found = lines(&Answer {
            steps: Some(Steps { loading: None, unrecorded: Some(unrecorded), ..steps() }),
            operators: Vec::new(),
        });
        assert_eq!(
            found.last().map(String::as_str),
            Some(
                "long stretches in no recorded operator, call or data loading: 100.0% of the steps' time \
                 (1,200 times, the longest 45.00 ms in step 3)"
            )
        );
        assert!(!found.concat().contains("waiting"));
    }

    #[test]
    fn a_line_with_nothing_to_say_is_left_out() {
        let bare = Steps {
            ended_by: None,
            phases: Vec::new(),
            slowest: None,
            loading: None,
            unrecorded: None,
            left_out: (0, 0),
            validations: (0, 0),
            count: 1,
            ..steps()
        };
        let found = lines(&Answer { steps: Some(bare), operators: Vec::new() });
        assert_eq!(found, ["1 step: 10.00 ms"]);
        assert!(lines(&Answer { steps: None, operators: Vec::new() }).is_empty());
    }
}
