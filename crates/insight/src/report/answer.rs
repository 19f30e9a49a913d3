//! The lines that say where the time of a recording went, for the end of a capture: at most nine, each left
//! out where it has nothing to say.
//!
//! Must not know how the numbers are found.

use crate::analysis::views::answer::{
    Allocated, Answer, Apart, Device, Excess, Host, Operator, Slowest, StartUp, State, Steps, What,
};
use proftui_base::fmt::{bytes, count, counted, duration, share};
use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::time::Ns;

/// Most columns of the terminal that a name takes; a longer name loses its middle.
const NAME: usize = 40;

/// The processor time of other threads, and that in which the thread of the steps had no processor, are said
/// more of if they are at least this share of the steps' time.
const NOTABLE: f64 = 0.05;

/// The lines, at most nine, that say where the time of a recording went.
pub fn lines(answer: &Answer) -> Vec<String> {
    let steps = answer.steps.as_ref();
    let first = |steps: &Steps| Some(compared("first", steps, steps.first.as_ref()?));
    let slowest = |steps: &Steps| Some(compared("slowest", steps, steps.slowest.as_ref()?));
    let of_steps =
        [steps.map(durations), steps.and_then(phases), steps.and_then(first), steps.and_then(slowest)];
    let last = [operators(&answer.operators), steps.and_then(loading), steps.and_then(unrecorded)];
    let measured = [steps.and_then(processor), steps.and_then(memory)];
    of_steps.into_iter().chain(last).chain(measured).flatten().collect()
}

/// The line on the number and durations of the steps, what ended them, and the time outside of them.
fn durations(steps: &Steps) -> String {
    let ended_by = steps.ended_by.as_ref().map(|what| format!(" (ended by {})", what.elide_middle(NAME)));
    let (start_up, teardown) = steps.left_out;
    let (passes, validation) = steps.validations;
    let outside = [
        (start_up > 0, format!("start-up {}{}", duration(start_up), consists_of(&steps.start_up))),
        (passes > 0, format!("{} {}", passes_of(passes), duration(validation))),
        (steps.recorder > 0, format!("the recorder {}", duration(steps.recorder))),
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
    let warm_up = steps.warm_up.map_or_else(String::new, |apart| match apart {
        Apart { count: 1, step, longest, .. } => format!("step {step} {}, then ", duration(longest)),
        Apart { numbers: (first, last), longest, .. } => {
            format!("steps {first}–{last} up to {}, then ", duration(longest))
        }
    });
    let outliers =
        steps.outliers.map_or_else(String::new, |Apart { count, step, longest, total, .. }| {
            let outliers = counted(count, "outlier");
            match count {
                1 => format!(", {outliers} of {} (step {step})", duration(longest)),
                _ => format!(
                    ", {outliers} of {} in all, the longest {} (step {step})",
                    duration(total),
                    duration(longest)
                ),
            }
        });
    let ended_by = ended_by.unwrap_or_default();
    format!("{}{ended_by}: {warm_up}{durations}{outliers}{outside}", counted(steps.count, "step"))
}

/// What a start-up consists of, in brackets; empty if nothing of it is recorded.
fn consists_of(start_up: &StartUp) -> String {
    let packages = start_up.packages.iter().map(|(name, time)| format!("{name} {}", duration(*time)));
    let packages: Vec<String> = packages.collect();
    let imports = format!("imports {}: {}", duration(start_up.imports), packages.join(", "));
    let parts = [
        (start_up.imports > 0, imports),
        (start_up.compiling > 0, format!("compiling {}", duration(start_up.compiling))),
        (start_up.collecting > 0, format!("garbage collection {}", duration(start_up.collecting))),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, text)| text).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}

fn passes_of(passes: u64) -> String {
    if passes == 1 { "1 validation pass".to_owned() } else { format!("{} validation passes", count(passes)) }
}

/// True if some steps are in no share.
fn is_apart(steps: &Steps) -> bool {
    steps.warm_up.is_some() || steps.outliers.is_some()
}

/// The line on how the time of the steps divides into phases; `None` without phases.
fn phases(steps: &Steps) -> Option<String> {
    let of = |(title, time): &(&str, i64)| format!("{} {}", title.to_lowercase(), share(*time, steps.total));
    let texts: Vec<String> = steps.phases.iter().map(of).collect();
    let which = if is_apart(steps) { "other steps" } else { "steps" };
    (!texts.is_empty()).then(|| format!("phases of the {which}: {}", texts.join(", ")))
}

/// The line on a step and what took more time in it than in the median step. `title` says which step it is.
fn compared(title: &str, steps: &Steps, step: &Slowest) -> String {
    let held: Vec<String> = step.held.iter().map(|excess| held(steps, excess)).collect();
    let held = if held.is_empty() { String::new() } else { format!(": {}", held.join(", ")) };
    let state = step.state.map_or_else(String::new, |(state, time)| {
        let what = match state {
            State::Running => "on a processor",
            State::Ready => "ready without a processor",
            State::Waiting => "waiting",
        };
        format!("; its thread {what} +{}", duration(time))
    });
    format!(
        "{title}: step {} with {}, {} more than the median step{held}{state}",
        step.number,
        duration(step.time),
        duration(step.beyond)
    )
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
    let which = if is_apart(steps) { "other steps" } else { "steps" };
    Some(format!("data loading in the {which}: {part} (most in step {}: {longest})", loading.step))
}

/// The line on [`Steps::unrecorded`]; `None` without it.
fn unrecorded(steps: &Steps) -> Option<String> {
    let found = steps.unrecorded.as_ref()?;
    let (part, longest) = (share(found.total, steps.total), duration(found.longest));
    let times = match found.count {
        1 => String::new(),
        times => format!("{} times, the longest ", count(times)),
    };
    let which = if is_apart(steps) { "other steps'" } else { "steps'" };
    Some(format!(
        "long stretches in no recorded operator, call or data loading: {part} of the {which} time \
         ({times}{longest} in step {})",
        found.step
    ))
}

/// The line on where the thread that runs the steps was; `None` if that was not measured.
fn processor(steps: &Steps) -> Option<String> {
    let found = steps.processor.as_ref()?;
    let of = |time: Ns| share(time, found.total);
    let is_notable = |time: Ns| time as f64 >= NOTABLE * found.total as f64;
    let load = found.load.filter(|_| found.ready.is_some_and(is_notable));
    let load = load.map_or_else(String::new, |(running, processors)| {
        format!(
            " ({running:.1} threads ready or running on the machine's {})",
            counted(processors, "processor")
        )
    });
    let rest = found.ready.map_or_else(
        || format!("waited, also for one, for {}", of(found.waiting())),
        |ready| {
            format!("was ready without one for {}{load}, and waited for {}", of(ready), of(found.waiting()))
        },
    );
    let others = if is_notable(found.others) {
        let processors = found.others as f64 / found.total as f64;
        format!("; the process's other threads used {processors:.2} processors")
    } else {
        String::new()
    };
    let which = if is_apart(steps) { "the other steps" } else { "the steps" };
    Some(format!("in {which} their thread was on a processor for {}, {rest}{others}", of(found.on)))
}

/// The line on the most memory; `None` if none was measured.
fn memory(Steps { memory, recorder, .. }: &Steps) -> Option<String> {
    let size = |of: u64| bytes(saturate(of));
    // Peaks are of the process, in which a framework's tracer writes its events.
    let included = if *recorder > 0 { ", the recorder's included" } else { "" };
    let host = memory.host.map(|Host { peak, step, growth }| {
        let step = step.map_or_else(String::new, |step| format!(" (first in step {step})"));
        let growth =
            growth.map_or_else(String::new, |growth| format!(", which grows by {} a step", size(growth)));
        format!("{} of the host{included}{step}{growth}", size(peak))
    });
    let devices = memory.devices.iter().map(|&Device { number, most, total }| {
        format!("{} of {} on GPU {number}, by all processes", size(most), size(total))
    });
    let allocated = memory.allocated.iter().map(|Allocated { device, most, step, phase }| {
        let step = step.map(|step| format!("step {step}"));
        let when: Vec<String> = step.into_iter().chain(phase.map(str::to_lowercase)).collect();
        let when = if when.is_empty() { String::new() } else { format!(" ({})", when.join(", ")) };
        format!("{} allocated at {}{when}", bytes(*most), device.elide_middle(NAME))
    });
    let texts: Vec<String> = host.into_iter().chain(devices).chain(allocated).collect();
    (!texts.is_empty()).then(|| format!("most memory: {}", texts.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::views::answer::{Loading, Memory, Processor, Unrecorded};

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
            warm_up: None,
            outliers: None,
            first: None,
            processor: None,
            memory: Memory::default(),
            start_up: StartUp::default(),
            p50: 10_000_000,
            p99: 45_000_000,
            total: 100_000_000,
            phases: vec![("Data loading", 15_000_000), ("Forward", 55_000_000), ("Other", 30_000_000)],
            slowest: Some(Slowest {
                number: 3,
                time: 45_000_000,
                beyond: 35_000_000,
                held,
                state: Some((State::Waiting, 29_000_000)),
            }),
            loading: Some(Loading { total: 15_000_000, longest: 7_000_000, step: 3 }),
            unrecorded: Some(Unrecorded { total: 30_000_000, count: 1, longest: 30_000_000, step: 3 }),
            left_out: (3_104_000_000, 210_000_000),
            validations: (2, 4_200_000_000),
            recorder: 33_000_000,
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
                 2 validation passes 4.200 s, the recorder 33.00 ms, teardown 210.0 ms",
                "phases of the steps: data loading 15.0%, forward 55.0%, other 30.0%",
                "slowest: step 3 with 45.00 ms, 35.00 ms more than the median step: outside of phases +30.00 ms, aten::mm +5.000 ms; \
                 its thread waiting +29.00 ms",
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
            steps: Some(Steps { loading: None, slowest: None, unrecorded: Some(unrecorded), ..steps() }),
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
    fn steps_that_say_nothing_of_the_loop_are_apart() {
        let apart = |count, numbers, longest, step| Apart { count, numbers, longest, step, total: longest };
        let with = |warm_up, outliers| {
            let start_up = StartUp {
                imports: 2_200_000_000,
                packages: vec![(name("torch"), 1_900_000_000), (name("numpy"), 200_000_000)],
                compiling: 300_000_000,
                collecting: 0,
            };
            let steps = Steps {
                warm_up: Some(warm_up),
                outliers,
                start_up,
                validations: (0, 0),
                recorder: 0,
                ..steps()
            };
            lines(&Answer { steps: Some(steps), operators: Vec::new() })
        };
        let one = with(apart(1, (0, 0), 1_770_000_000, 0), Some(apart(1, (7, 7), 90_000_000, 7)));
        assert_eq!(
            one[0],
            "1,200 steps (ended by optimizer: torch.optim.SGD): step 0 1.770 s, then p50 10.00 ms, p99 45.00 ms, \
             1 outlier of 90.00 ms (step 7); beside them start-up 3.104 s (imports 2.200 s: torch 1.900 s, \
             numpy 200.0 ms; compiling 300.0 ms), teardown 210.0 ms"
        );
        assert!(one[1].starts_with("phases of the other steps: "), "{one:?}");
        let several = with(apart(3, (0, 2), 1_770_000_000, 1), Some(apart(12, (7, 900), 90_000_000, 8)));
        assert!(several[0].contains("steps 0–2 up to 1.770 s, then p50"), "{several:?}");
        assert!(
            several[0].contains(", 12 outliers of 90.00 ms in all, the longest 90.00 ms (step 8)"),
            "{several:?}"
        );
    }

    #[test]
    fn waiting_computing_and_having_no_processor_differ() {
        let of = |ready, others| {
            let load = Some((9.04, 2));
            let found = Processor { total: 100_000_000, on: 38_000_000, ready, others, load };
            processor(&Steps { processor: Some(found), ..steps() }).expect("a line")
        };
        assert_eq!(
            of(Some(22_000_000), 95_000_000),
            "in the steps their thread was on a processor for 38.0%, was ready without one for 22.0% (9.0 threads \
             ready or running on the machine's 2 processors), and waited for 40.0%; the process's other threads used 0.95 \
             processors"
        );
        assert_eq!(
            of(Some(1_000_000), 4_000_000),
            "in the steps their thread was on a processor for 38.0%, was ready without one for 1.0%, and waited \
             for 61.0%"
        );
        assert!(of(None, 0).ends_with("for 38.0%, waited, also for one, for 62.0%"), "{}", of(None, 0));
    }

    #[test]
    fn the_most_memory_is_of_the_host_and_of_devices() {
        let host = Host { peak: 3 << 30, step: Some(12), growth: Some(2 << 20) };
        let all = Memory {
            host: Some(host),
            devices: vec![Device { number: 0, most: 20 << 30, total: 80 << 30 }],
            allocated: vec![Allocated {
                device: name("cuda:0"),
                most: 18 << 30,
                step: Some(5),
                phase: Some("Forward"),
            }],
        };
        let size = |of: i64| bytes(of << 20);
        let of = |memory: Memory, recorder| super::memory(&Steps { memory, recorder, ..steps() });
        assert_eq!(
            of(all, 0),
            Some(format!(
                "most memory: {} of the host (first in step 12), which grows by {} a step; {} of {} on GPU 0, by \
                 all processes; {} allocated at cuda:0 (step 5, forward)",
                size(3 << 10),
                size(2),
                size(20 << 10),
                size(80 << 10),
                size(18 << 10)
            ))
        );
        let only = Memory { host: Some(Host { step: None, growth: None, ..host }), ..Memory::default() };
        assert_eq!(of(only, 0), Some(format!("most memory: {} of the host", size(3 << 10))));
        let only = Memory { host: Some(host), ..Memory::default() };
        let with_ours = of(only, 7).expect("a line");
        assert!(
            with_ours.contains(" of the host, the recorder's included (first in step 12)"),
            "{with_ours}"
        );
        assert_eq!(of(Memory::default(), 0), None);
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
            recorder: 0,
            count: 1,
            ..steps()
        };
        let found = lines(&Answer { steps: Some(bare), operators: Vec::new() });
        assert_eq!(found, ["1 step: 10.00 ms"]);
        assert!(lines(&Answer { steps: None, operators: Vec::new() }).is_empty());
    }
}
