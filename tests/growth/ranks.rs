//! Ranks: the tables that `summary` makes of a directory of ranks, of every view. Ten times as many ranks of
//! the same size are at most [`BOUND`] times the work: what is made of one rank visits no other, and what is
//! made of all of them is made once.
//!
//! Must not know how work is counted.

use std::hint::black_box;

use proftui_insight::analysis::table::compare::{self, NamedTable};
use proftui_insight::analysis::views::names;
use proftui_insight::analysis::{Scope, VIEWS, View};
use proftui_trace::import::{Loaded, Progress, Request, load};
use proftui_trace::model::{Kept, LaneId};

use super::events::Events;
use super::meter::{Work, measure};
use super::scratch::Scratch;

/// Most times the work for ten times as many ranks.
const BOUND: f64 = 15.0;
/// The same of the time, of which chance decides more.
const TIME_BOUND: f64 = 18.0;
/// The index of the time among the figures.
const TIME: usize = 3;
/// Ranks of the smaller directory.
const RANKS: usize = 40;
/// How often a view is measured anew if its work seems to grow too much.
const AGAIN: usize = 12;
/// Work of the larger directory that is too little to be compared: calls, bytes, bytes, ns.
const LITTLE: [u64; 4] = [20_000, 4 << 20, 1 << 20, 4_000_000];
const FIGURES: [&str; 4] = ["allocations", "bytes", "peak", "time"];

/// The trace of one of some ranks: steps, ranges, operators in operators, launches, kernels, copies and
/// memory events.
fn trace(rank: usize, ranks: usize) -> String {
    let mut events = Events::default();
    for step in 0..2 {
        let start = 1_000 * step;
        events.slice("user_annotation", &format!("ProfilerStep#{step}"), 1, (start, 990), "");
        events.slice("user_annotation", "forward", 1, (start + 1, 700), "");
        for i in 0..6 {
            let (ts, id) = (start + 10 + 100 * i, 10 * step + i);
            events.operator("aten::linear", (ts, 90));
            events.operator(&format!("aten::op{i}"), (ts + 1, 80));
            events.launch(id, (ts + 2, 5));
            let (cat, name) = if i == 5 { ("gpu_memcpy", "Memcpy DtoD") } else { ("kernel", "gemm") };
            events.work(cat, name, (0, 7 + i % 2), id, (ts + 10, 60));
            events.point(
                'i',
                "[memory]",
                ts + 20,
                &format!(
                    r#","s":"t","args":{{"Total Allocated":{ts},"Total Reserved":{ts},"Bytes":64,"Addr":{id},"Device Id":0,"Device Type":1}}"#
                ),
            );
        }
    }
    let stated = format!(r#"{{"distributedInfo":{{"rank":{rank},"world_size":{ranks}}},"#);
    events.torch().replacen('{', &stated, 1)
}

/// A loaded directory of ranks.
struct Ranks {
    loaded: Loaded,
    /// The scope of each rank.
    scopes: Vec<Scope>,
}

impl Ranks {
    fn new(ranks: usize) -> Self {
        let folder = Scratch::new("ranks");
        for rank in 0..ranks {
            folder.file(&format!("r{rank:04}.json"), trace(rank, ranks));
        }
        let request = Request { threads: Some(1), ..Request::new([folder.path("")]) };
        let loaded = load(&request, &Progress::default()).expect("a trace");
        let trace = &loaded.trace;
        assert_eq!(trace.meta.workers.len(), ranks, "each file is a rank");
        let worker = |lane: LaneId| trace.groups[trace.lanes[lane].group].worker;
        let scope = |rank: usize| Scope::of_lanes(trace, |lane| worker(lane).index() == rank);
        let scopes = (0..ranks).map(scope).collect();
        Self { loaded, scopes }
    }

    /// Measures the tables of a view, as `summary` makes them: of each rank, put side by side, or of all of
    /// them together.
    fn measure(&mut self, view: &View) -> Work {
        // What a summary keeps for others is made anew each time.
        self.loaded.trace.kept = Kept::default();
        let trace = &self.loaded.trace;
        measure(&mut || {
            if view.compared.is_empty() {
                drop(black_box(view.table(trace, &Scope::default())));
                return;
            }
            let named = self.scopes.iter().enumerate();
            let tables: Vec<NamedTable> = named
                .map(|(rank, scope)| {
                    let mut table = view.table(trace, scope);
                    // A row per thread below each name has a cell for each rank: that is the output's own
                    // size.
                    if view.name == names::VIEW {
                        table.rows.iter_mut().for_each(|row| row.children.clear());
                    }
                    NamedTable { title: format!("rank {rank}"), table }
                })
                .collect();
            // A row per step of each rank has a cell for each rank, too.
            if view.name != "steps" {
                let column = compare::comparable_column(&tables, view.compared);
                drop(black_box(column.and_then(|column| compare::side_by_side(&tables, column))));
            }
        })
    }
}

/// The bound of a figure, by its index.
fn bound(at: usize) -> f64 {
    if at == TIME { TIME_BOUND } else { BOUND }
}

/// The ratio of each figure; 0 where there is too little to compare.
fn ratios(small: Work, large: Work) -> [f64; 4] {
    let figures = |work: Work| [work.calls, work.bytes, work.peak, work.time];
    let (small, large) = (figures(small), figures(large));
    std::array::from_fn(
        |at| {
            if large[at] < LITTLE[at] { 0.0 } else { large[at] as f64 / small[at].max(1) as f64 }
        },
    )
}

/// The views whose work grows too much, each with its ratios.
pub fn failures() -> Vec<String> {
    let [mut small, mut large] = [RANKS, 10 * RANKS].map(Ranks::new);
    let mut failures = Vec::new();
    println!(
        "\ntimes the work of a view for {} instead of {RANKS} ranks: {}",
        10 * RANKS,
        FIGURES.join(", ")
    );
    for view in VIEWS {
        let (mut few, mut many) = (small.measure(view), large.measure(view));
        for _ in 0..AGAIN {
            if !exceeds(ratios(few, many)) {
                break;
            }
            (few, many) = (few.least(small.measure(view)), many.least(large.measure(view)));
        }
        let found = ratios(few, many);
        println!("{:44}{:>12.1}{:>12.1}{:>12.1}{:>12.1}", view.name, found[0], found[1], found[2], found[3]);
        let too_many = found.iter().zip(FIGURES).enumerate().filter(|(at, (ratio, _))| **ratio > bound(*at));
        failures.extend(too_many.map(|(_, (ratio, figure))| {
            format!("view {} of ranks: {ratio:.1} times the {figure}", view.name)
        }));
    }
    failures
}

fn exceeds(ratios: [f64; 4]) -> bool {
    ratios.iter().enumerate().any(|(at, &ratio)| ratio > bound(at))
}
