//! What the columns are computed from: the trace, and what is computed of all of it once.
//!
//! Must not know columns.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;
use proftui_trace::import::{Loaded, Texts as Files};
use proftui_trace::model::{Category, LaneId, SliceId, Step, Trace, WorkerId};

use crate::analysis::Scope;
use crate::analysis::ledger::Ledger;
use crate::analysis::part::Part;
use crate::analysis::part::by_worker;
use crate::analysis::part::nesting::Repeats;
use crate::analysis::part::own_time::own_times;
use crate::analysis::part::owner::Owners;
use crate::analysis::views::operator::OwnTimes;
use crate::analysis::views::steps::{self, StepTimes};

use super::communication::Row;

/// The different texts of a column of codes, by code.
pub type Texts = Arc<Vec<String>>;

/// A loaded trace, with its name in the column `trace`.
pub struct Source<'a> {
    /// The name of the trace.
    pub name: String,
    pub(super) trace: &'a Trace,
    pub(super) files: &'a Files,
    /// The whole trace.
    pub(super) part: Part<'a>,
    pub(super) ledger: Arc<Ledger>,
    /// The lane of each slice.
    lanes: OnceLock<Vec<LaneId>>,
    counted: OnceLock<Vec<Ns>>,
    self_times: OnceLock<Vec<Ns>>,
    own_times: OnceLock<OwnTimes<'a>>,
    step_times: OnceLock<Vec<StepTimes<'a>>>,
    pub(super) collectives: OnceLock<Vec<Row>>,
    /// The steps of each worker, in order of time.
    steps: Vec<Vec<&'a Step>>,
    strings: OnceLock<(Vec<u32>, Texts)>,
}

/// The scope of a whole trace.
static WHOLE: Scope = Scope { span: None, lanes: None };

/// Slices of one kind and name are the same in sums of time by name.
#[derive(PartialEq, Eq, Hash)]
enum Same {
    Work(StrId),
    Operator(StrId),
    Other(Category, StrId),
}

impl<'a> Source<'a> {
    /// Makes the source of the tables of a trace.
    pub fn new(loaded: &'a Loaded, name: String) -> Self {
        let Loaded { trace, texts } = loaded;
        let part = Part::new(trace, &WHOLE);
        Self {
            name,
            trace,
            files: texts,
            ledger: Ledger::of(trace),
            lanes: OnceLock::new(),
            counted: OnceLock::new(),
            self_times: OnceLock::new(),
            own_times: OnceLock::new(),
            step_times: OnceLock::new(),
            collectives: OnceLock::new(),
            steps: by_worker(trace, part.steps_at_any_time()),
            strings: OnceLock::new(),
            part,
        }
    }

    /// The worker of a lane.
    pub(super) fn worker_of(&self, lane: LaneId) -> WorkerId {
        self.trace.groups[self.trace.lanes[lane].group].worker
    }

    /// The lane of a slice.
    pub(super) fn lane_of(&self, id: SliceId) -> LaneId {
        self.lanes.get_or_init(|| {
            let mut lanes = vec![LaneId::default(); self.trace.slices.len()];
            for row in &self.trace.rows {
                lanes[row.slices().indices()].fill(row.lane);
            }
            lanes
        })[id.index()]
    }

    /// The time by which a slice adds to sums of time by name, ns: its time in the trace's main span; 0 for a
    /// slice in one of the same kind and name, and on lanes that repeat events of other lanes.
    pub(super) fn counted(&self, id: SliceId) -> Ns {
        self.counted.get_or_init(|| {
            let slices = &self.trace.slices;
            let same = |_: LaneId, id: SliceId| {
                let (category, name) = (slices.category(id), slices.name[id]);
                Some(match category {
                    _ if category.is_device_work() => Same::Work(name),
                    _ if category.is_operator() => Same::Operator(name),
                    _ => Same::Other(category, name),
                })
            };
            let repeats = Repeats::of(&self.part, same);
            let counted = |id: SliceId| {
                let lane = self.lane_of(id);
                let is_left_out = self.trace.lanes[lane].kind.repeats() || repeats.has(lane, id);
                if is_left_out { 0 } else { self.part.clip(slices.span(id)).len() }
            };
            (0..slices.len()).into_par_iter().map(SliceId::from_index).map(counted).collect()
        })[id.index()]
    }

    /// The time of a slice that no slice inside it covers, ns, in the trace's main span.
    pub(super) fn self_time(&self, id: SliceId) -> Ns {
        self.self_times.get_or_init(|| {
            let mut all = vec![0; self.trace.slices.len()];
            let lanes: Vec<LaneId> = self.trace.lanes.ids().iter().collect();
            let times = lanes.par_iter().map(|&lane| own_times(&self.part, lane)).collect::<Vec<_>>();
            for (&lane, times) in lanes.iter().zip(times) {
                all[self.trace.lanes[lane].slices.indices()].copy_from_slice(&times);
            }
            all
        })[id.index()]
    }

    /// The own times of operators.
    pub(super) fn own_times(&self) -> &OwnTimes<'a> {
        self.own_times.get_or_init(|| OwnTimes::of(&self.part))
    }

    /// The times of the steps, worker by worker.
    pub(super) fn step_times(&self) -> &[StepTimes<'a>] {
        self.step_times.get_or_init(|| steps::times(&self.part))
    }

    /// The communication kernels, which the keys of their table make; none before.
    pub(super) fn collectives(&self) -> &[Row] {
        self.collectives.get().map_or(&[], Vec::as_slice)
    }

    /// Finds who launched device work.
    pub(super) fn owners(&self) -> Owners<'_> {
        Owners::of(&self.part)
    }

    /// The step of the slice's worker in which the slice begins.
    pub(super) fn step_of(&self, id: SliceId) -> Option<&'a Step> {
        let worker = self.worker_of(self.lane_of(id));
        let steps = self.steps.get(worker.index())?;
        let start = self.trace.slices.start[id];
        let step = steps[..steps.partition_point(|step| step.span.start <= start)].last()?;
        step.span.contains(start).then_some(step)
    }

    /// The strings of the trace, each once, as tables show them.
    pub(super) fn strings(&self) -> Texts {
        Arc::clone(&self.coded().1)
    }

    /// The index in [`Self::strings`] of a string of the trace.
    pub(super) fn code(&self, id: StrId) -> u32 {
        self.coded().0[id.index()]
    }

    fn coded(&self) -> &(Vec<u32>, Texts) {
        self.strings.get_or_init(|| {
            let mut codes = Vec::with_capacity(self.trace.strings.len());
            let mut texts = Vec::new();
            let mut known: FxHashMap<String, u32> = FxHashMap::default();
            for id in self.trace.strings.ids() {
                let text = self.trace.string_or(id, "(unnamed)").to_string();
                let code = *known.entry(text).or_insert_with_key(|text| {
                    texts.push(text.clone());
                    saturate::<u32>(texts.len() - 1)
                });
                codes.push(code);
            }
            (codes, Arc::new(texts))
        })
    }
}
