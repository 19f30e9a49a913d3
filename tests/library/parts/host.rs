//! The host's time of one part of a trace, by other means than the views: sets of spans and their measure.
//!
//! The time of a level is what its spans and those before it cover, less what those before it cover.

use proftui_base::intern::StrId;
use std::collections::{BTreeMap, BTreeSet};

use proftui_insight::analysis::{TableRow, Value};
use proftui_trace::model::{Category, GroupId, LaneId, LaneKind, SliceId};

use super::checked::{Checked, Spans, covered, number};

/// The columns of the view `host` by which its time is divided, with the time of the whole before them.
const COLUMNS: [&str; 7] = ["time", "waiting", "calls", "operators", "loading", "ranges", "nothing"];

/// The own time of operators of one name: all of it, in calls, waiting.
pub(super) type Own = (i64, i64, i64);

impl Checked<'_> {
    /// The innermost slice around one for which `is_wanted` is true.
    fn around(&self, id: SliceId, is_wanted: impl Fn(Category) -> bool) -> Option<SliceId> {
        let slices = &self.trace.slices;
        let mut around = slices.parent(id);
        while around.is_some_and(|around| !is_wanted(slices.category(around))) {
            around = around.and_then(|around| slices.parent(around));
        }
        around
    }

    /// True for a call that no other call of its operator contains.
    fn is_outer_call(&self, id: SliceId) -> bool {
        let around = self.around(id, |category| category.is_runtime() || category.is_operator());
        let category = |id| self.trace.slices.category(id);
        category(id).is_runtime() && !around.is_some_and(|around| category(around).is_runtime())
    }

    fn waits(&self, id: SliceId) -> bool {
        let name = self.trace.name(id);
        name.as_str().ends_with("Synchronize") || name.as_str() == "cudaMemcpy"
    }

    /// The slices of a lane inside each operator, without those inside an operator that it contains.
    pub(super) fn inside_operators(&self, lane: LaneId) -> BTreeMap<SliceId, Vec<SliceId>> {
        let mut found: BTreeMap<SliceId, Vec<SliceId>> = BTreeMap::new();
        for id in self.trace.lanes[lane].slices {
            if let Some(operator) = self.around(id, Category::is_operator) {
                found.entry(operator).or_default().push(id);
            }
        }
        found
    }

    /// The own time of an operator, given the slices inside it.
    pub(super) fn own(&self, operator: SliceId, inside: &[SliceId]) -> Own {
        let Some(cut) = self.cut(operator) else { return Own::default() };
        let spans = |is_wanted: &dyn Fn(SliceId) -> bool| -> Spans {
            let cuts = inside.iter().filter(|&&id| is_wanted(id)).filter_map(|&id| self.cut(id));
            cuts.map(|(start, end)| (start, end.min(cut.1))).filter(|(start, end)| start < end).collect()
        };
        let operators = spans(&|id| self.trace.slices.category(id).is_operator());
        let calls = spans(&|id| self.is_outer_call(id));
        let waits = spans(&|id| self.is_outer_call(id) && self.waits(id));
        let beside = |spans: Spans| covered(&[spans, operators.clone()].concat()) - covered(&operators);
        (cut.1 - cut.0 - covered(&operators), beside(calls), beside(waits))
    }

    /// The times of the threads' rows, in any order, and the law that every row's times add up to its whole.
    pub(super) fn threads(&mut self) {
        let table = self.view("host");
        let of_row = |row: &TableRow| COLUMNS.map(|id| number(&table, row, id));
        let mut ours: Vec<[i64; 7]> = table.rows.iter().map(of_row).collect();
        for row in &table.rows {
            let below: Vec<[i64; 7]> = row.children.iter().map(of_row).collect();
            for times in below.iter().chain([&of_row(row)]) {
                self.same("the activities of a thread", times[1..].iter().sum(), times[0]);
            }
            let runs_steps =
                matches!(row.cells[table.column("steps").expect("a column")], Value::Count(n) if n > 0);
            for (at, id) in COLUMNS.iter().enumerate().filter(|(at, _)| runs_steps || (1..6).contains(at)) {
                let whole = of_row(row)[at];
                if !below.is_empty() {
                    self.same(
                        &format!("the steps of a thread: {id}"),
                        below.iter().map(|row| row[at]).sum(),
                        whole,
                    );
                }
            }
        }
        let mut plain = self.plain_threads();
        ours.sort_unstable();
        plain.sort_unstable();
        if ours != plain {
            self.faults.push(format!("threads: {ours:?}, plainly {plain:?}"));
        }
    }

    fn plain_threads(&self) -> Vec<[i64; 7]> {
        let trace = self.trace;
        let is_inside = |slice: SliceId| self.cut(slice).is_some() || self.begins(slice);
        let steps: Vec<SliceId> =
            trace.steps.iter().map(|step| step.slice).filter(|&id| is_inside(id)).collect();
        let times: Spans = if trace.steps.is_empty() {
            vec![(self.start, self.end)]
        } else {
            steps.iter().filter_map(|&step| self.cut(step)).collect()
        };
        let mut threads: BTreeMap<(GroupId, StrId), (bool, Vec<SliceId>)> = BTreeMap::new();
        // A thread is in the scope with all its lanes if one of them is.
        let mut inside = BTreeSet::new();
        for (id, lane) in trace.lanes.iter_with_ids() {
            if matches!(lane.kind, LaneKind::Thread | LaneKind::Python) {
                threads.entry((lane.group, lane.tid)).or_default().1.extend(lane.slices);
                if self.scope.lanes.as_ref().is_none_or(|lanes| lanes.contains(&id)) {
                    inside.insert((lane.group, lane.tid));
                }
            }
        }
        threads.retain(|thread, _| inside.contains(thread));
        for &step in &steps {
            let lane = &trace.lanes[trace.lane_of(step)];
            if let Some(thread) = threads.get_mut(&(lane.group, lane.tid)) {
                thread.0 = true;
            }
        }
        let of_thread = |(runs_steps, ids): &(bool, Vec<SliceId>)| {
            let mut found = [0; 7];
            found[0] = covered(&times);
            let (mut before, mut spans): (i64, Spans) = (0, Vec::new());
            for (level, time) in found.iter_mut().enumerate().take(6).skip(1) {
                for cut in
                    ids.iter().filter(|&&id| self.level(id) == Some(level)).filter_map(|&id| self.cut(id))
                {
                    let inside = times.iter().map(|time| (time.0.max(cut.0), time.1.min(cut.1)));
                    spans.extend(inside.filter(|(start, end)| start < end));
                }
                *time = covered(&spans) - before;
                before += *time;
            }
            found[6] = found[0] - before;
            (before > 0 || *runs_steps && found[0] > 0).then_some(found)
        };
        threads.values().filter_map(of_thread).collect()
    }

    /// The column of [`COLUMNS`] that a slice's time counts for, unless another slice's comes before.
    fn level(&self, id: SliceId) -> Option<usize> {
        match self.trace.slices.category(id) {
            category if category.is_runtime() => {
                self.is_outer_call(id).then(|| if self.waits(id) { 1 } else { 2 })
            }
            Category::Operator | Category::PythonOp => Some(3),
            Category::Dataloader => Some(4),
            Category::UserDefined | Category::PythonUserDefined | Category::Communication => Some(5),
            _ => None,
        }
    }
}
