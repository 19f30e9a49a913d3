//! The schedule and the scheduler, held to what Paddle's profiler did, where its recorded runs stand beside
//! the checkout.

use proftui_wire::schedule::{Cycles, Schedule, State};
use proftui_wire::scheduler::{Action, Oddity, Scheduler};
use serde_json::Value;

fn oracle(name: &str) -> Option<Value> {
    let folder = crate::skip::shared("oracles/paddle/scheduler", "recorded schedules of Paddle")?;
    let text = std::fs::read(folder.join(name)).expect("the recorded runs");
    Some(serde_json::from_slice(&text).expect("JSON"))
}

/// Compares a schedule's states; how many there were.
fn compare(schedule: Schedule, case: &Value) -> u64 {
    let states = case["states"].as_array().expect("states");
    for (step, state) in (0..).zip(states) {
        assert_eq!(schedule.state(step) as u64, state.as_u64().expect("a number"), "step {step} of {case}");
    }
    states.len() as u64
}

#[test]
fn states_of_every_recorded_schedule() {
    let Some(cases) = oracle("make_scheduler.json") else { return };
    let (mut schedules, mut states) = (0, 0);
    for case in cases.as_array().expect("cases") {
        let number = |key: &str| case[key].as_u64().expect("a number");
        let schedule = Schedule::cycles(Cycles {
            skip_first: number("skip_first"),
            closed: number("closed"),
            ready: number("ready"),
            record: number("record"),
            repeat: number("repeat"),
        });
        let schedule = schedule.expect("Paddle took it");
        assert_eq!(u64::from(schedule.is_abrupt()), number("warns"), "{case}");
        states += compare(schedule, case);
        schedules += 1;
    }
    let tuples = oracle("tuple_scheduler.json").expect("beside the other");
    let mut pairs = 0;
    for case in tuples["tuples"].as_array().expect("cases") {
        // What lies before the first step is the first step there.
        let number = |at: usize| case["tuple"][at].as_i64().expect("a number").max(0) as u64;
        states += compare(Schedule::steps(number(0), number(1)).expect("Paddle took it"), case);
        pairs += 1;
    }
    println!("schedule: {schedules} schedules, {pairs} ranges, {states} states, 0 differ");
    assert!(schedules >= 200 && pairs > 5);
}

/// The calls of Paddle's tracer that correspond to our actions; its callback comes after them.
fn tracer_calls(actions: &[Action]) -> Vec<&'static str> {
    let mut calls: Vec<&str> = Vec::new();
    let mut is_ready = false;
    for action in actions {
        match action {
            Action::Prepare => calls.push("prepare"),
            Action::Start => calls.push("start"),
            Action::Discard => calls.extend(["start", "stop"]),
            Action::Stop { is_whole } => {
                calls.push("stop");
                is_ready = *is_whole;
            }
        }
    }
    calls.extend(is_ready.then_some("on_trace_ready"));
    calls
}

#[test]
fn actions_and_warnings_of_every_recorded_sequence() {
    let Some(cases) = oracle("transitions.json") else { return };
    let (mut sequences, mut actions, mut losses) = (0, 0, 0);
    for case in cases.as_array().expect("cases") {
        let mut log: Vec<Vec<String>> = vec![Vec::new()];
        for line in case["log"].as_array().expect("lines").iter().map(|line| line.as_str().expect("text")) {
            match line.strip_prefix('|') {
                Some(_) => log.push(Vec::new()),
                None => log.last_mut().unwrap().push(line.split('@').next().unwrap().to_owned()),
            }
        }
        let mut warnings = case["warnings"].as_array().expect("warnings").iter();
        let mut scheduler = Scheduler::default();
        let states = case["states"]
            .as_array()
            .expect("states")
            .iter()
            .map(|name| State::ALL.into_iter().find(|state| state.name() == name).expect("a state"));
        let states: Vec<State> = states.collect();
        let transitions = states.iter().map(|&state| scheduler.advance(state)).collect::<Vec<_>>();
        // Paddle keeps whatever is open at the end.
        let transitions = transitions.into_iter().chain([scheduler.finish(true)]);
        for (transition, log) in transitions.zip(&log) {
            assert_eq!(tracer_calls(transition.actions), *log, "{case}");
            actions += log.len();
            match transition.oddity {
                None => {}
                // Paddle warns that it loses the cycle; here nothing is lost.
                Some(Oddity::CutShort) => {
                    let theirs = warnings.next().and_then(Value::as_str).expect("a warning");
                    assert!(theirs.starts_with("Improper schedule: RECORD->"), "{theirs}");
                    losses += 1;
                }
                Some(oddity) => assert_eq!(Some(oddity.text()), warnings.next().and_then(Value::as_str)),
            }
        }
        assert!(warnings.next().is_none(), "{case}");
        sequences += 1;
    }
    println!(
        "scheduler: {sequences} sequences, {actions} actions, 0 differ; {losses} cycles kept that Paddle loses"
    );
    assert_eq!(sequences, 340);
}
