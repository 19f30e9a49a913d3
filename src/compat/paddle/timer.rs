//! What Paddle's benchmark timer would have said of a trace: its steps, and the loading of data in each, told to the timer.
//!
//! One reading a step: the time on the step's own thread in which data was loaded. Must not know the timer's rules.

use proftui_wire::perf::{StepInfo, Summary};

use crate::analysis::{Scope, perf};
use crate::model::{Step, Trace};

pub mod print;
mod rules;

pub use rules::Timer;

/// The timer of one worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The worker.
    pub worker: String,
    /// Its steps.
    pub steps: usize,
    /// What `step_info` says, asked once after all of them.
    pub info: StepInfo,
    /// The Perf Summary; none for ten steps or fewer.
    pub summary: Option<Summary>,
}

/// The timer of each worker that has steps in `scope`; with `samples` in each step, else steps are counted.
pub fn timed(trace: &Trace, scope: &Scope, samples: Option<u64>) -> Vec<Timed> {
    let of_worker = |(number, worker): (u16, &String)| {
        let is_own = |step: &&Step| {
            step.worker == number && scope.has_time(step.span.start) && scope.has_worker(trace, number)
        };
        let mut timer = Timer::default();
        let mut steps = 0;
        for step in trace.steps.iter().filter(is_own) {
            let reading = perf::loading(trace, scope, step);
            if reading > 0 {
                timer.reader(reading as f64 / 1e9);
            }
            timer.batch(step.span.len() as f64 / 1e9, samples);
            steps += 1;
        }
        let timed = || Timed {
            worker: worker.clone(),
            steps,
            info: timer.step_info("samples"),
            summary: timer.summary(),
        };
        (steps > 0).then(timed)
    };
    (0..).zip(&trace.meta.workers).filter_map(of_worker).collect()
}
