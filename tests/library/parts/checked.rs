//! The views of one part of a trace, each held against plain sums over the trace's slices.

use proftui_base::time::Span;
use proftui_insight::analysis::views::gpu::columns::columns;
use proftui_insight::analysis::{ColumnKind, Scope, Table, TableRow, VIEWS, Value, View};
use proftui_trace::model::{
    Category, GroupId, GroupKind, LaneId, LaneKind, SliceFlags, SliceId, Trace, WorkerId,
};
use std::collections::BTreeMap;

use super::host::Own;

/// A trace, a part of it, and the figures in which a view differs from the sums.
pub(super) struct Checked<'a> {
    pub(super) trace: &'a Trace,
    pub(super) scope: Scope,
    /// The part: the range of the scope within the trace.
    pub(super) start: i64,
    pub(super) end: i64,
    /// What shares in the part are of: all of it, or of the whole trace the run.
    run: (i64, i64),
    pub(super) faults: Vec<String>,
}

pub(super) type Spans = Vec<(i64, i64)>;

/// The time that at least one of the spans covers.
pub(super) fn covered(spans: &[(i64, i64)]) -> i64 {
    let mut edges: Vec<(i64, i32)> = spans.iter().flat_map(|&(start, end)| [(start, 1), (end, -1)]).collect();
    edges.sort_unstable();
    let (mut open, mut last, mut time) = (0, 0, 0);
    for (at, change) in edges {
        if open > 0 {
            time += at - last;
        }
        open += change;
        last = at;
    }
    time
}

impl<'a> Checked<'a> {
    pub(super) fn new(trace: &'a Trace, span: Option<Span>, lanes: Option<Vec<LaneId>>) -> Self {
        let whole = extent(trace);
        let asked = span.unwrap_or(whole);
        let (start, end) = (asked.start.max(whole.start), asked.end.min(whole.end));
        let of_trace = run(trace, whole);
        let is_whole = start <= of_trace.0 && of_trace.1 <= end;
        let run = if is_whole { of_trace } else { (start, end) };
        Self { trace, scope: Scope { span, lanes }, start, end, run, faults: Vec::new() }
    }

    fn part(&self) -> i64 {
        self.run.1 - self.run.0
    }

    /// What of spans is in the run.
    fn in_run(&self, spans: Spans) -> Spans {
        let cut = spans.into_iter().map(|(start, end)| (start.max(self.run.0), end.min(self.run.1)));
        cut.filter(|(start, end)| start < end).collect()
    }

    pub(super) fn view(&self, name: &str) -> Table {
        View::named(name).expect("a view").table(self.trace, &self.scope)
    }

    pub(super) fn same(&mut self, what: &str, ours: i64, plain: i64) {
        if ours != plain {
            self.faults.push(format!("{what}: {ours}, the plain sum is {plain}"));
        }
    }

    /// The slice's time in the part; `None` if it has none there and does not begin there.
    pub(super) fn cut(&self, id: SliceId) -> Option<(i64, i64)> {
        let (start, end) = (self.trace.slices.start[id], self.trace.slices.end(id));
        let inside = (start.max(self.start), end.min(self.end));
        (inside.0 < inside.1).then_some(inside)
    }

    pub(super) fn begins(&self, id: SliceId) -> bool {
        let start = self.trace.slices.start[id];
        self.scope.span.is_none_or(|span| span.start <= start && start < span.end)
    }

    /// The slices of the lanes for which `is_wanted` is true, within the scope's lanes.
    fn slices(&self, is_wanted: impl Fn(LaneKind, GroupId) -> bool) -> Vec<SliceId> {
        let lanes = self.trace.lanes.iter_with_ids();
        let wanted = lanes.filter(|(id, lane)| {
            is_wanted(lane.kind, lane.group)
                && self.scope.lanes.as_ref().is_none_or(|lanes| lanes.contains(id))
        });
        wanted.flat_map(|(_, lane)| lane.slices).collect()
    }

    fn cuts(&self, ids: &[SliceId], is_wanted: impl Fn(Category) -> bool) -> Spans {
        let wanted = ids.iter().filter(|&&id| is_wanted(self.trace.slices.category(id)));
        wanted.filter_map(|&id| self.cut(id)).collect()
    }

    fn devices(&mut self) {
        let (device, busy, idle) = (self.view("device"), self.view("busy"), self.view("waits"));
        let groups: Vec<GroupId> = self
            .trace
            .groups
            .ids()
            .iter()
            .filter(|&group| self.trace.groups[group].kind == GroupKind::Device)
            .collect();
        let is_work = |id: &SliceId| self.trace.slices.category(*id).is_device_work();
        let mut plain: Vec<(GroupId, Vec<SliceId>)> = Vec::new();
        for group in groups {
            let ids = self.slices(|kind, of| kind == LaneKind::Stream && of == group);
            if ids.iter().any(is_work) {
                plain.push((group, ids));
            }
        }
        let rows: Vec<&TableRow> = device
            .rows
            .iter()
            .filter(|row| !matches!(&row.cells[0], Value::Text(name) if name.as_str().starts_with("CPU (")))
            .collect();
        self.same("devices", rows.len() as i64, plain.len() as i64);
        self.same("devices of busy", busy.rows.len() as i64, plain.len() as i64);
        if rows.len() != plain.len() || busy.rows.len() != plain.len() {
            return;
        }
        for ((row, busy_row), (_, ids)) in rows.iter().zip(&busy.rows).zip(&plain) {
            let all = self.in_run(self.cuts(ids, Category::is_device_work));
            let kernels = self.in_run(self.cuts(ids, |category| category == Category::Kernel));
            let kernels = covered(&kernels);
            let computing: Vec<SliceId> = ids
                .iter()
                .filter(|&&id| !self.trace.slices.flags[id].has(SliceFlags::COMMUNICATION))
                .copied()
                .collect();
            let compute = self.in_run(self.cuts(&computing, |category| category == Category::Kernel));
            let compute = covered(&compute);
            let time = covered(&all);
            let hull = all.iter().map(|span| span.1).max().unwrap_or(0)
                - all.iter().map(|span| span.0).min().unwrap_or(0);
            let begun = |is_wanted: fn(Category) -> bool| {
                let slices = &self.trace.slices;
                let is_in_run = |id: SliceId| self.run.0 <= slices.start[id] && slices.start[id] < self.run.1;
                let wanted = ids.iter().filter(|&&id| is_wanted(slices.category(id)));
                wanted.filter(|&&id| self.begins(id) && is_in_run(id)).count() as i64
            };
            let is_copy = |category| matches!(category, Category::Memcpy | Category::Memset);
            let of_device = [
                ("busy", kernels),
                ("busy_all", time),
                ("idle", self.part() - time),
                ("kernels", begun(|category| category == Category::Kernel)),
                ("copies", begun(is_copy)),
            ];
            for (id, plain) in of_device {
                self.same(&format!("device {id}"), number(&device, row, id), plain);
            }
            if let Value::Ratio(share) = row.cells[device.column("utilization").expect("a column")] {
                let differs = (share - time as f64 / self.part() as f64).abs() > 1e-12;
                self.same("device utilization differs", i64::from(differs), 0);
            }
            let of_busy = [
                ("idle", self.part() - time),
                ("between", hull - time),
                ("edges", self.part() - hull),
                ("compute", compute),
                ("other", time - compute),
            ];
            for (id, plain) in of_busy {
                self.same(&format!("busy {id}"), number(&busy, busy_row, id), plain);
            }
        }
        let of_streams: i64 = idle.rows.iter().map(|row| number(&idle, row, "idle")).sum();
        let mut plain_idle = 0;
        for lane in &self.trace.lanes {
            let ids: Vec<SliceId> = self.slices(|kind, _| kind == LaneKind::Stream);
            let ids: Vec<SliceId> = ids.into_iter().filter(|id| lane.slices.contains(*id)).collect();
            if ids.iter().any(|&id| self.trace.slices.category(id).is_device_work()) {
                let work = self.in_run(self.cuts(&ids, Category::is_device_work));
                plain_idle += self.part() - covered(&work);
            }
        }
        self.same("idle time of all streams", of_streams, plain_idle);
        if self.scope.lanes.is_none() {
            let third = (self.end - self.start) / 3;
            let edges = [self.start, self.start + third, self.start + 2 * third, self.end];
            let of_columns: i64 = columns(self.trace, &edges).iter().map(|column| column.busy).sum();
            let plain: i64 =
                plain.iter().map(|(_, ids)| covered(&self.cuts(ids, Category::is_device_work))).sum();
            self.same("minimap", of_columns, plain);
        }
    }

    /// Kernels and copies by name, and device time by operator.
    fn work(&mut self) {
        let streams = self.slices(|kind, _| kind == LaneKind::Stream);
        let has_stream = self.scope.lanes.as_ref().is_none_or(|_| !streams.is_empty());
        let mut all = 0;
        for (view, is_wanted) in [
            ("kernel", (|category| category == Category::Kernel) as fn(Category) -> bool),
            ("memcpy", |category| matches!(category, Category::Memcpy | Category::Memset)),
        ] {
            let table = self.view(view);
            // Threads by themselves have the copies that they launched, which the view `memcpy` states.
            if view == "memcpy" && !has_stream {
                continue;
            }
            let mut plain: BTreeMap<String, (i64, i64)> = BTreeMap::new();
            for &id in streams.iter().filter(|&&id| is_wanted(self.trace.slices.category(id))) {
                let cut = self.cut(id);
                if cut.is_none() && !self.begins(id) {
                    continue;
                }
                let sums = plain.entry(self.trace.name(id).as_str().to_owned()).or_default();
                sums.0 += i64::from(self.begins(id));
                // Work inside work of the same name on its stream adds no time.
                let is_same = |around: SliceId| self.trace.name(around) == self.trace.name(id);
                if !self.trace.slices.ancestors(id).any(is_same) {
                    sums.1 += cut.map_or(0, |(start, end)| end - start);
                }
            }
            all += plain.values().map(|sums| sums.1).sum::<i64>();
            // Copies whose calls are in the part, and which run outside of it, have rows with host time
            // alone.
            let has_work =
                |row: &&TableRow| number(&table, row, "calls") > 0 || number(&table, row, "total") > 0;
            let host = table.column("host");
            let is_host =
                |row: &&TableRow| !has_work(row) && host.is_some_and(|at| row.cells[at] != Value::Empty);
            let listed = table.rows.iter().filter(has_work).count();
            self.same(&format!("rows of {view}"), listed as i64, plain.len() as i64);
            let of_host = table.rows.iter().filter(is_host).count();
            self.same(
                &format!("rows of {view} without work"),
                (table.rows.len() - listed) as i64,
                of_host as i64,
            );
            for row in &table.rows {
                let Value::Text(name) = &row.cells[0] else { continue };
                let (calls, time) = plain.get(name.as_str()).copied().unwrap_or_default();
                self.same(&format!("{view} {name}: calls"), number(&table, row, "calls"), calls);
                self.same(&format!("{view} {name}: total"), number(&table, row, "total"), time);
                let below: i64 = row.children.iter().map(|child| number(&table, child, "total")).sum();
                self.same(&format!("{view} {name}: owners"), below, time);
            }
        }
        // Where the scope has host lanes only, device work counts by its launch.
        if has_stream {
            let table = self.view("operator");
            let ours: i64 = table.rows.iter().map(|row| number(&table, row, "device_own")).sum();
            self.same("device time of all operators", ours, all);
        }
    }

    /// Host time by operator and by category.
    fn hosts(&mut self) {
        let table = self.view("operator");
        let mut plain: BTreeMap<String, (i64, Own, i64)> = BTreeMap::new();
        let slices = &self.trace.slices;
        for (lane, of_trace) in self.trace.lanes.iter_with_ids() {
            if self.scope.lanes.as_ref().is_some_and(|lanes| !lanes.contains(&lane)) {
                continue;
            }
            let mut by_name: BTreeMap<String, Spans> = BTreeMap::new();
            let inside = self.inside_operators(lane);
            for id in of_trace.slices.iter().filter(|&id| slices.category(id).is_operator()) {
                let name = self.trace.name(id).as_str().to_owned();
                let own = self.own(id, inside.get(&id).map_or(&[], Vec::as_slice));
                let sums = plain.entry(name.clone()).or_default();
                sums.0 += i64::from(self.begins(id));
                sums.1 = (sums.1.0 + own.0, sums.1.1 + own.1, sums.1.2 + own.2);
                by_name.entry(name).or_default().extend(self.cut(id));
            }
            for (name, spans) in by_name {
                plain.entry(name).or_default().2 += covered(&spans);
            }
        }
        let has_host = |row: &&TableRow| number(&table, row, "calls") > 0 || number(&table, row, "total") > 0;
        let listed = table.rows.iter().filter(has_host).count() as i64;
        let expected = plain.values().filter(|(calls, _, time)| *calls > 0 || *time > 0).count() as i64;
        self.same("operators with host time or calls", listed, expected);
        for row in &table.rows {
            let Value::Text(name) = &row.cells[0] else { continue };
            if name.as_str() == "(no operator)" {
                continue;
            }
            let (calls, own, time) = plain.get(name.as_str()).copied().unwrap_or_default();
            self.same(&format!("operator {name}: calls"), number(&table, row, "calls"), calls);
            for (id, plain) in [("own", own.0), ("own_runtime", own.1), ("own_waiting", own.2)] {
                self.same(&format!("operator {name}: {id}"), number(&table, row, id), plain);
            }
            self.same(&format!("operator {name}: total"), number(&table, row, "total"), time);
        }
    }

    /// Calls, self time and total of all slices by name, and the time that each name covers.
    fn names(&mut self) {
        let table = self.view("names");
        let slices = &self.trace.slices;
        let mut plain: BTreeMap<String, [i64; 4]> = BTreeMap::new();
        let mut covering: BTreeMap<(String, WorkerId), Spans> = BTreeMap::new();
        for (lane, of_trace) in self.trace.lanes.iter_with_ids() {
            let is_left_out = self.scope.lanes.as_ref().is_some_and(|lanes| !lanes.contains(&lane));
            if is_left_out || of_trace.kind == LaneKind::StreamRanges {
                continue;
            }
            let is_counted = |id: &SliceId| !slices.flags[*id].has(SliceFlags::PROFILER);
            for id in of_trace.slices.iter().filter(is_counted) {
                let cut = self.cut(id);
                if cut.is_none() && !self.begins(id) {
                    continue;
                }
                let name = self.trace.name(id).as_str().to_owned();
                let sums = plain.entry(name.clone()).or_default();
                sums[0] += i64::from(self.begins(id));
                let Some(cut) = cut else { continue };
                let children: Spans = of_trace
                    .slices
                    .iter()
                    .filter(|&child| slices.parent(child) == Some(id))
                    .filter_map(|child| self.cut(child))
                    .map(|(start, end)| (start, end.min(cut.1)))
                    .filter(|(start, end)| start < end)
                    .collect();
                sums[1] += cut.1 - cut.0 - covered(&children);
                let mut around = slices.parent(id);
                while around.is_some_and(|around| self.trace.name(around) != self.trace.name(id)) {
                    around = around.and_then(|around| slices.parent(around));
                }
                sums[2] += if around.is_none() { cut.1 - cut.0 } else { 0 };
                let worker = self.trace.groups[of_trace.group].worker;
                covering.entry((name, worker)).or_default().extend(self.in_run(vec![cut]));
            }
        }
        for ((name, _), spans) in covering {
            plain.entry(name).or_default()[3] += covered(&spans);
        }
        self.same("names", table.rows.len() as i64, plain.len() as i64);
        for row in &table.rows {
            let Value::Text(name) = &row.cells[0] else { continue };
            let sums = plain.get(name.as_str()).copied().unwrap_or_default();
            for (id, plain) in ["calls", "own", "total", "covered"].into_iter().zip(sums) {
                self.same(&format!("name {name}: {id}"), number(&table, row, id), plain);
                let below: i64 = row.children.iter().map(|child| number(&table, child, id)).sum();
                if !row.children.is_empty() && id != "covered" {
                    self.same(&format!("name {name}: {id} of its lanes"), below, plain);
                }
            }
        }
    }

    fn steps(&mut self) {
        let table = self.view("steps");
        let streams = self.slices(|kind, _| kind == LaneKind::Stream);
        let mut wanted: Vec<_> = self
            .trace
            .steps
            .iter()
            .filter(|step| self.cut(step.slice).is_some() || self.begins(step.slice))
            .collect();
        if self.scope.lanes.is_some() {
            return;
        }
        wanted.sort_by_key(|step| step.worker);
        self.same("steps", table.rows.len() as i64, wanted.len() as i64);
        for (row, step) in table.rows.iter().zip(wanted) {
            let span = self.cut(step.slice).unwrap_or_default();
            self.same("time of a step", number(&table, row, "time"), span.1 - span.0);
            if matches!(row.cells[table.column("device_busy").expect("a column")], Value::Empty) {
                continue;
            }
            let inside: Spans = self
                .cuts(&streams, Category::is_device_work)
                .into_iter()
                .map(|(start, end)| (start.max(span.0), end.min(span.1)))
                .filter(|(start, end)| start < end)
                .collect();
            self.same("busy time of a step", number(&table, row, "device_busy"), covered(&inside));
            self.same(
                "idle time of a step",
                number(&table, row, "device_idle"),
                span.1 - span.0 - covered(&inside),
            );
        }
    }

    /// Launching calls, and host time of steps.
    fn calls(&mut self) {
        if self.scope.lanes.is_some() {
            return;
        }
        let links = self.trace.links.all();
        let time = |id: SliceId| self.cut(id).map_or(0, |(start, end)| end - start);
        let (mut work, mut work_time) = (0, 0);
        let mut launches: Vec<SliceId> = Vec::new();
        for &(launch, id) in links {
            work += i64::from(self.begins(id));
            work_time += time(id);
            launches.push(launch);
        }
        launches.sort_unstable();
        launches.dedup();
        let calls = launches.iter().filter(|&&id| self.begins(id)).count() as i64;
        let call_time: i64 = launches.iter().map(|&id| time(id)).sum();
        let steps: i64 = self.trace.steps.iter().map(|step| time(step.slice)).sum();
        let table = self.view("launches");
        for (id, plain) in
            [("work", work), ("work_time", work_time), ("calls", calls), ("call_time", call_time)]
        {
            let ours: i64 = table.rows.iter().map(|row| number(&table, row, id)).sum();
            self.same(&format!("launches {id}"), ours, plain);
        }
        let table = self.view("model");
        let ours = table.rows.first().map_or(0, |row| number(&table, row, "total"));
        self.same("host time of all steps", ours, steps);
        let phases: i64 = table.rows.iter().skip(1).map(|row| number(&table, row, "total")).sum();
        self.same("host time of all phases", phases, steps);
    }

    /// In every view: shares from 0 to 1, and no negative time.
    fn laws(&mut self) {
        for view in VIEWS.iter().filter(|view| view.name != "quality") {
            let table = view.table(self.trace, &self.scope);
            let mut rows: Vec<&TableRow> = table.rows.iter().collect();
            while let Some(row) = rows.pop() {
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    let is_bad = match cell {
                        // The producer's own figures of processors are as it wrote them.
                        Value::Ratio(share) => !(0.0..=1.0 + 1e-9).contains(share) && view.name != "device",
                        Value::Duration(time) => *time < 0,
                        _ => false,
                    };
                    if is_bad && column.kind != ColumnKind::Text {
                        self.faults.push(format!("{} {}: {cell:?}", view.name, column.id));
                    }
                }
                rows.extend(&row.children);
            }
        }
    }

    pub(super) fn run(mut self, has_laws: bool) -> Vec<String> {
        self.devices();
        self.work();
        self.hosts();
        self.threads();
        self.names();
        self.steps();
        self.calls();
        self.stages();
        if has_laws {
            self.laws();
        }
        let (from, to) = (self.start, self.end);
        self.faults.iter().map(|fault| format!("[{from}, {to}) {:?}: {fault}", self.scope.lanes)).collect()
    }
}

/// From the first step to the last or to the end of the device work launched in steps (of all later work if no
/// launch is known), if the trace, which must have one worker, has steps; else its extent.
fn run(trace: &Trace, whole: Span) -> (i64, i64) {
    let Some(steps) =
        trace.steps.iter().map(|step| step.span.union(trace.slices.span(step.slice))).reduce(Span::union)
    else {
        return (whole.start, whole.end);
    };
    let mut end = steps.end;
    let is_work = |id: &SliceId| trace.slices.category(*id).is_device_work() && trace.slices.dur[*id] > 0;
    let work: Vec<SliceId> = trace.slices.ids().iter().filter(is_work).collect();
    let has_launches = work.iter().any(|&id| trace.links.launch_of(id).is_some());
    let until = if has_launches { steps.end } else { whole.end };
    for id in work {
        let launched = trace.slices.start[trace.links.launch_of(id).unwrap_or(id)];
        if steps.start <= launched && launched < until {
            end = end.max(trace.slices.end(id));
        }
    }
    (steps.start.max(whole.start), end.min(whole.end))
}

/// The extent of the slices that have a length, the profiler's own span left out.
pub(super) fn extent(trace: &Trace) -> Span {
    let slices = &trace.slices;
    let has_length = |id: &SliceId| slices.dur[*id] > 0 && !slices.flags[*id].has(SliceFlags::PROFILER);
    let spans = slices.ids().iter().filter(has_length).map(|id| slices.span(id));
    spans.reduce(Span::union).unwrap_or(trace.span)
}

pub(super) fn number(table: &Table, row: &TableRow, id: &str) -> i64 {
    match row.cells[table.column(id).unwrap_or_else(|| panic!("a column {id}"))] {
        Value::Duration(time) => time,
        Value::Count(count) => count as i64,
        _ => 0,
    }
}
