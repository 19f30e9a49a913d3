//! Paddle's benchmark timer (`paddle.profiler.timer`), applied to the steps of a trace and the data loading
//! in each.
//!
//! Each step with data loading gives one reader cost: the time of data loading on the step's own thread.
//! `rules` are the timer's rules, `print` its text.

use proftui_wire::perf::{StepInfo, Summary};

use crate::analysis::Scope;
use crate::analysis::part::by_worker;
use crate::analysis::part::loading::Loading;
use proftui_trace::model::{Step, Trace, WorkerId};

pub mod print;
mod rules;

pub use rules::Timer;

/// The results of Paddle's benchmark timer for the steps of one worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Timed {
    /// The worker's name.
    pub worker: String,
    /// The number of the worker's steps that start in the scope.
    pub steps: usize,
    /// What `step_info` returns after all of the worker's steps in the scope.
    pub info: StepInfo,
    /// The Perf Summary; None for ten steps or fewer.
    pub summary: Option<Summary>,
}

/// Runs Paddle's benchmark timer over the steps in `scope` of each worker that has any. `samples` is the
/// number of samples per step; with None rates are in steps per second.
pub fn timed(trace: &Trace, scope: &Scope, samples: Option<u64>) -> Vec<Timed> {
    let loading = Loading::of(trace, scope);
    let workers = scope.workers(trace);
    let of_worker = |((number, worker), own): ((WorkerId, &String), Vec<&Step>)| {
        let is_own = |step: &&Step| scope.has_time(step.span.start);
        let mut timer = Timer::default();
        let mut steps = 0;
        let own: Vec<&Step> = match workers.binary_search(&number) {
            Ok(_) => own.into_iter().filter(is_own).collect(),
            Err(_) => Vec::new(),
        };
        for (step, reading) in own.iter().zip(loading.in_steps(trace, &own)) {
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
    let steps = by_worker(trace, trace.steps.iter());
    trace.meta.workers.iter_with_ids().zip(steps).filter_map(of_worker).collect()
}
