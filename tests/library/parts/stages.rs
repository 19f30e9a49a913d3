//! The matrix of categories and phases: every row adds up to what the category has in the steps, and with the
//! rest to `overview`.

use std::collections::BTreeMap;

use proftui_insight::analysis::{Table, TableRow, Value};
use proftui_trace::model::{Category, LaneKind, SliceFlags, SliceId, WorkerId};

use super::checked::{Checked, covered, number};

/// The ids of the phases' columns.
const PHASES: [&str; 5] = ["dataloader", "forward", "backward", "optimization", "other"];

impl Checked<'_> {
    /// The time of a category's events within the steps, by a plain sum: events inside another of the
    /// category add none.
    fn in_steps(&self) -> BTreeMap<&'static str, i64> {
        let slices = &self.trace.slices;
        let mut found = BTreeMap::new();
        let is_counted = |id: &SliceId| {
            let lane = &self.trace.lanes[self.trace.lane_of(*id)];
            lane.kind != LaneKind::StreamRanges && !slices.flags[*id].has(SliceFlags::PROFILER)
        };
        for id in slices.ids().iter().filter(is_counted) {
            let category = slices.category(id);
            let Some((start, end)) = self.cut(id) else { continue };
            if slices.ancestors(id).any(|around| slices.category(around) == category) {
                continue;
            }
            let steps = self.trace.steps.iter().map(|step| step.span);
            let time = if category.is_device_work() {
                let launch = self.trace.links.launch_of(id).map(|launch| slices.start[launch]);
                let is_inside = launch.is_some_and(|launch| steps.clone().any(|step| step.contains(launch)));
                if is_inside { end - start } else { 0 }
            } else {
                let inside = steps.map(|step| (step.start.max(start), step.end.min(end)));
                covered(&inside.filter(|(start, end)| start < end).collect::<Vec<_>>())
            };
            *found.entry(category.name()).or_default() += time;
        }
        found
    }

    /// The matrix of the whole lanes of a part.
    pub(super) fn stages(&mut self) {
        if self.scope.lanes.is_some() {
            return;
        }
        let (table, overview) = (self.view("stages"), self.view("overview"));
        if table.rows.is_empty() {
            let steps = self.trace.steps.iter();
            let has_step =
                steps.clone().any(|step| self.cut(step.slice).is_some() || self.begins(step.slice));
            return self.same("steps without a matrix", i64::from(has_step), 0);
        }
        let in_steps = self.in_steps();
        for row in &table.rows {
            let name = name(row);
            let phases: i64 = PHASES.iter().map(|id| number(&table, row, id)).sum();
            let total = number(&table, row, "total");
            self.same(&format!("phases of {name}"), phases, total);
            self.same(&format!("{name} in steps"), total, in_steps.get(name).copied().unwrap_or_default());
            let whole = row_of(&overview, name).map_or(0, |row| number(&overview, row, "time"));
            self.same(
                &format!("{name} in and outside of steps"),
                total + number(&table, row, "outside"),
                whole,
            );
        }
        let phases = [Category::Dataloader, Category::Forward, Category::Backward, Category::Optimization]
            .map(Category::name);
        let rows = overview.rows.iter().filter(|row| !phases.contains(&name(row))).count();
        self.same("rows of the matrix", table.rows.len() as i64, rows as i64);
        self.phases(&table);
        self.launched();
    }

    /// The host time of the steps in each phase is that of the view `model`. So is the device work in the whole
    /// trace: here its time in the part counts, there the whole work of each launch in the part.
    fn phases(&mut self, table: &Table) {
        let model = self.view("model");
        let titles = ["Data loading", "Forward", "Backward", "Optimizer", "Other"];
        for (id, title) in PHASES.iter().zip(titles) {
            let of_model = row_of(&model, title)
                .map_or((0, 0), |row| (number(&model, row, "total"), number(&model, row, "device")));
            let steps = row_of(table, Category::ProfileStep.name()).map_or(0, |row| number(table, row, id));
            self.same(&format!("{title}: time of steps"), steps, of_model.0);
            // `model` leaves out work inside work of its name, the matrix work inside work of its category.
            let is_flat = |work: SliceId| self.trace.slices.parent(work).is_none();
            let is_whole = self.scope.span.is_none();
            if is_whole
                && self
                    .trace
                    .slices
                    .ids()
                    .iter()
                    .filter(|&id| self.trace.slices.category(id).is_device_work())
                    .all(is_flat)
            {
                let is_work = |row: &&TableRow| ["Kernel", "Memcpy", "Memset"].contains(&name(row));
                let device: i64 = table.rows.iter().filter(is_work).map(|row| number(table, row, id)).sum();
                self.same(&format!("{title}: device work"), device, of_model.1);
            }
        }
    }
}

impl Checked<'_> {
    /// In the view `model`, the device time of the steps is the length of all work that they launch in the part,
    /// and rows of their own have the time of other work in the part's steps, by whether its launch is known.
    pub(super) fn launched(&mut self) {
        let slices = &self.trace.slices;
        let steps = self.trace.steps.iter().map(|step| (step.worker, step.span));
        let inside: Vec<(WorkerId, (i64, i64))> = steps
            .map(|(worker, span)| (worker, (span.start.max(self.start), span.end.min(self.end))))
            .filter(|(_, (start, end))| start < end)
            .collect();
        let (mut launched, mut others, mut unknown) = (0, 0, 0);
        let is_outer =
            |id: SliceId| slices.ancestors(id).all(|around| slices.name[around] != slices.name[id]);
        for id in slices.ids().iter().filter(|&id| slices.category(id).is_device_work() && is_outer(id)) {
            let launch = self.trace.links.launch_of(id);
            let worker = self.trace.groups[self.trace.lanes[self.trace.lane_of(id)].group].worker;
            let own = || inside.iter().filter(|(of, _)| *of == worker).map(|(_, span)| *span);
            let is_own = |start: i64| own().any(|span| span.0 <= start && start < span.1);
            if launch.is_some_and(|launch| is_own(slices.start[launch])) {
                launched += slices.dur[id];
            } else {
                let cut = |(start, end): (i64, i64)| (slices.start[id].max(start), slices.end(id).min(end));
                let time = if launch.is_some() { &mut others } else { &mut unknown };
                *time += covered(&own().map(cut).filter(|(start, end)| start < end).collect::<Vec<_>>());
            }
        }
        let model = self.view("model");
        let device = |title| row_of(&model, title).map_or(0, |row| number(&model, row, "device"));
        let found = [device("Step"), device("Launched earlier"), device("Launch not known")];
        self.same("device work launched in the steps", found[0], launched);
        self.same("device work launched by no step", found[1], others);
        self.same("device work without a launch", found[2], unknown);
    }
}

fn name(row: &TableRow) -> &str {
    match &row.cells[0] {
        Value::Text(name) => name.as_str(),
        _ => "",
    }
}

fn row_of<'a>(table: &'a Table, wanted: &str) -> Option<&'a TableRow> {
    table.rows.iter().find(|row| name(row) == wanted)
}
