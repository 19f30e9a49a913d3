//! For how long the thread that runs the steps was on a processor, and for how long it was ready to run and
//! had none, as the recorder measured it.
//!
//! Must not know what the thread did.

use rustc_hash::FxHashMap;

use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{Step, Trace, WorkerId};

/// Where the thread that runs the steps was during the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Processor {
    /// Summed duration of the steps that were measured, ns.
    pub total: Ns,
    /// For how long the thread was on a processor, ns.
    pub on: Ns,
    /// For how long the thread was ready to run and had no processor, ns; `None` if the system does not say.
    pub ready: Option<Ns>,
    /// For how long the process's other threads were on processors, summed, ns.
    pub others: Ns,
    /// How many threads of the whole machine ran or were ready to run, on average over the recording, and
    /// how many processors it has; `None` if the trace does not say.
    pub load: Option<(f64, u64)>,
}

impl Processor {
    /// For how long the thread waited, ns; where `ready` is unknown, this includes it.
    pub fn waiting(&self) -> Ns {
        self.total.saturating_sub(self.on).saturating_sub(self.ready.unwrap_or_default()).max(0)
    }
}

/// Where a thread is: on a processor, ready to run without one, or waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// On a processor.
    Running,
    /// Ready to run, and no processor is free.
    Ready,
    /// Waiting for something else than a processor.
    Waiting,
}

/// In what state the thread that runs the steps was for most of the time by which `step` is longer than
/// `usual`, and for how much longer than in that step, ns; `None` if that is not known of both, or no state
/// has half of it.
pub(crate) fn state_of_excess(trace: &Trace, step: &Step, usual: &Step) -> Option<(State, Ns)> {
    let of = |step: &Step| {
        let found = find(trace, &[step])?;
        Some([(State::Running, found.on), (State::Ready, found.ready?), (State::Waiting, found.waiting())])
    };
    let more = of(step)?.into_iter().zip(of(usual)?).map(|((state, time), (_, usual))| (state, time - usual));
    let beyond = step.span.len().saturating_sub(usual.span.len());
    more.max_by_key(|(_, time)| *time).filter(|(_, time)| time.saturating_mul(2) >= beyond)
}

/// Sums up the processor time of `steps`; `None` if none of them was measured.
pub(crate) fn find(trace: &Trace, steps: &[&Step]) -> Option<Processor> {
    let lengths: FxHashMap<(WorkerId, u64), Ns> =
        steps.iter().map(|step| ((step.worker, step.number), step.span.len())).collect();
    let mut found = Processor { total: 0, on: 0, ready: Some(0), others: 0, load: load(trace) };
    for of in &trace.processor {
        let time = of.time;
        if time.last - time.first >= lengths.len() as u64 {
            continue;
        }
        // Of an element of several steps, all of them, or it says nothing of these.
        let of_step = |number: u64| lengths.get(&(of.worker, number)).copied();
        let Some(of_steps) = (time.first..=time.last).map(of_step).collect::<Option<Vec<Ns>>>() else {
            continue;
        };
        found.total = found.total.saturating_add(sum(of_steps));
        found.on = found.on.saturating_add(saturate(time.on));
        found.others = found.others.saturating_add(saturate(time.others));
        let both = found.ready.zip(time.ready);
        found.ready = both.map(|(sum, ready)| sum.saturating_add(saturate(ready)));
    }
    (found.total > 0).then_some(found)
}

/// How many threads ran or were ready to run on the machine, and on how many processors, as the trace's
/// header states it.
fn load(trace: &Trace) -> Option<(f64, u64)> {
    let fact = |name: &str| trace.meta.header.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let running: f64 = fact("proftui.running")?.parse().ok()?;
    let processors: u64 = fact("proftui.processors")?.parse().ok()?;
    (running.is_finite() && running >= 0.0 && processors > 0).then_some((running, processors))
}
