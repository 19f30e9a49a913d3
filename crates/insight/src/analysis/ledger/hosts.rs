//! The ledger of host threads, for traces and parts without devices: for the thread of each worker that runs
//! the steps, its time in operators, and the rest of its recorded time divided by cause.
//!
//! Must not know devices.

use std::sync::Arc;

use rayon::prelude::*;

use proftui_trace::index::idle::{IdleBuilder, Piece};
use proftui_trace::model::{Category, Trace, WorkerId};

use super::DeviceLedger;
use super::cause::Cause;
use super::charge::{Bounds, Charger, cover};
use super::segments::{Segment, outermost};
use super::threads::Threads;
use crate::analysis::part::run::Run;
use crate::analysis::part::scope::Scope;

/// The ledgers of the host threads of a trace that run its steps, a thread for each worker.
#[derive(Debug, Default)]
pub struct Hosts(Vec<DeviceLedger>);

impl Hosts {
    /// The ledgers of a trace's threads, made when first asked for and kept with the trace.
    pub fn of(trace: &Trace) -> Arc<Self> {
        Arc::clone(trace.kept.get(|| Arc::new(Self::make(trace))))
    }

    fn make(trace: &Trace) -> Self {
        if !says_what_the_host_did(trace) {
            return Self::default();
        }
        let threads = Threads::of(trace);
        let workers: Vec<WorkerId> = trace.workers().iter().collect();
        let of_worker = |worker: WorkerId| {
            let thread = of_steps(trace, &threads, worker)?;
            Some(charge(trace, &threads, worker, thread))
        };
        Self(workers.into_par_iter().filter_map(of_worker).collect())
    }

    /// The ledgers of the threads of a scope's workers.
    pub fn in_scope<'a>(&'a self, trace: &Trace, scope: &Scope) -> impl Iterator<Item = &'a DeviceLedger> {
        let workers = scope.workers(trace);
        self.0.iter().filter(move |host| workers.binary_search(&host.worker).is_ok())
    }
}

/// True if the trace has operators, functions of Python or steps: other slices of threads do not say whether
/// the host worked or waited.
pub fn says_what_the_host_did(trace: &Trace) -> bool {
    let says = |lane: &proftui_trace::model::Lane| {
        lane.kind.is_host()
            && lane.slices.iter().any(|id| {
                let category = trace.slices.category(id);
                category.is_operator() || matches!(category, Category::PythonFunction | Category::Dataloader)
            })
    };
    !trace.steps.is_empty() || trace.lanes.iter().any(says)
}

/// The index in `threads` of the thread of a worker that runs its steps, else of that with most slices;
/// `None` if the worker has no thread.
fn of_steps(trace: &Trace, threads: &Threads, worker: WorkerId) -> Option<usize> {
    let step = trace.steps.iter().find(|step| step.worker == worker);
    let of_step = step.and_then(|step| threads.of_slice(trace, step.slice));
    let slices = |&at: &usize| -> usize {
        threads.all[at].lanes.iter().map(|&lane| trace.lanes[lane].slices.len()).sum()
    };
    of_step.or_else(|| threads.of_worker(worker).iter().copied().rev().max_by_key(slices))
}

/// Charges the recorded time of a thread: what is neither in operators nor in calls.
fn charge(trace: &Trace, threads: &Threads, worker: WorkerId, thread: usize) -> DeviceLedger {
    let bounds = Bounds::of(trace, &[]);
    let charger = Charger { trace, threads, worker, bounds, not_recorded: &[] };
    let run = Run::of(trace, worker);
    let mut builder = IdleBuilder::default();
    for &time in &run.recorded {
        let mut pieces: Vec<Segment<Cause>> = Vec::new();
        charger.ask(time, 0, thread, None, &mut pieces);
        cover(time, &mut pieces);
        let pieces = outermost(pieces);
        let is_work = |piece: &Segment<Cause>| matches!(piece.value, Cause::LaunchBound | Cause::CpuOperator);
        for gap in pieces.split(is_work).filter(|gap| !gap.is_empty()) {
            builder.gap(gap.iter().map(|piece| Piece { span: piece.span, cause: piece.value as u8 }));
        }
    }
    let lanes = threads.all[thread].lanes.clone();
    let group = trace.lanes[lanes[0]].group;
    DeviceLedger { group, worker, lanes, is_host: true, idle: builder.finish(), run }
}
