//! Measures the time of making flames: by each kind of frames, from both ends.
//!
//! `cargo bench -p proftui-benches --bench flame -- FILES`; without files, a trace of ten million slices that
//! is made in memory: two threads with operators in steps, and a stream with the kernels that they launched.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a test or bench knows its numbers, and has no users"
)]

use std::path::PathBuf;

use proftui_base::ids::Ids;
use proftui_base::intern::StrId;
use proftui_base::time::Span;
use proftui_insight::analysis::Scope;
use proftui_insight::analysis::flame::{Choice, Direction, Flame, Stacking, Weight};
use proftui_insight::analysis::views;
use proftui_trace::import::{Progress, Request, load};
use proftui_trace::model::{
    Category, Group, GroupId, GroupKind, Lane, LaneId, LaneKind, Links, Origin, Row, SliceFlags, SliceId,
    Trace, WorkerId,
};

use proftui_benches::files;
use proftui_benches::measure::{Times, is_full};

fn main() {
    files::go_to_root().expect("the repository");
    let paths: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    for path in &paths {
        println!("{}", path.display());
        measure(&load(&Request::new(vec![path]), &Progress::default()).expect("a trace").trace);
    }
    if paths.is_empty() {
        println!("made in memory");
        measure(&made(if is_full() { 10_000_000 } else { 10_000 }));
    }
}

fn measure(trace: &Trace) {
    let runs = if is_full() { 5 } else { 1 };
    let scope = Scope::default();
    println!("  {} slices, {} links", trace.slices.len(), trace.links.len());
    for stacking in Stacking::ALL {
        for direction in [Direction::TopDown, Direction::BottomUp] {
            let choice = Choice { stacking, direction, weight: Some(Weight::Host) };
            let times = Times::of(runs, || Flame::of(trace, &scope, choice));
            let frames = Flame::of(trace, &scope, choice).frames.len();
            println!("  {:22} {:10} {times}, {frames} frames", stacking.title(), direction.title());
        }
    }
    println!(
        "  table, by operator nesting        {}",
        Times::of(runs, || views::flame::table(trace, &scope, Choice::default()))
    );
    let whole = trace.main_span;
    let part =
        Scope { span: Some(Span { start: whole.start + whole.len() / 2, end: whole.end }), lanes: None };
    println!(
        "  the second half                   {}",
        Times::of(runs, || Flame::of(trace, &part, Choice::default()))
    );
}

/// Operators of a step on each thread. Each has two operators in it, one in the other, and innermost a call
/// that launches a kernel.
const OPERATORS: usize = 60;
/// Slices of a step: on both threads the step and operators with two in them and a call, and the kernels.
const OF_STEP: usize = 2 * (1 + 4 * OPERATORS) + 2 * OPERATORS;

/// A trace of about this many slices.
fn made(count: usize) -> Trace {
    let steps = count.div_ceil(OF_STEP);
    let mut trace = Trace { main_span: Span { start: 0, end: steps as i64 * 100_000 }, ..Trace::default() };
    trace.meta.workers.push("worker".into());
    let mut pairs: Vec<(SliceId, SliceId)> = Vec::new();
    let mut launches: Vec<(SliceId, i64)> = Vec::new();
    for (at, kind) in [LaneKind::Thread, LaneKind::Thread, LaneKind::Stream].into_iter().enumerate() {
        let lane = LaneId::from_index(at);
        let pid = trace.strings.intern(if kind == LaneKind::Stream { b"0" } else { b"1" });
        let tid = trace.strings.intern(at.to_string().as_bytes());
        let group_kind = if kind == LaneKind::Stream { GroupKind::Device } else { GroupKind::Process };
        trace.groups.push(Group {
            kind: group_kind,
            worker: WorkerId::new(0),
            pid,
            name: StrId::EMPTY,
            lanes: Ids::from(lane..lane + 1),
        });
        let (first_row, first) = (trace.rows.ids().end, trace.slices.ids().end);
        if kind == LaneKind::Stream {
            let row_first = trace.slices.ids().end;
            launches.sort_unstable_by_key(|launch| launch.1);
            for (number, &(launch, time)) in launches.iter().enumerate() {
                let name = trace.strings.intern(format!("kernel_{}", number % 37).as_bytes());
                pairs.push((launch, trace.slices.ids().end));
                push(&mut trace, (time, 150), name, Category::Kernel, SliceId::NONE);
            }
            trace.rows.push(Row { lane, first: row_first, len: launches.len() as u32 });
        } else {
            for depth in 0..5 {
                let row_first = trace.slices.ids().end;
                for step in 0..steps {
                    row_of_step(&mut trace, (lane, depth, step), &mut launches);
                }
                let len = trace.slices.ids().end - row_first;
                trace.rows.push(Row { lane, first: row_first, len });
            }
        }
        let (rows, slices) =
            (Ids::from(first_row..trace.rows.ids().end), Ids::from(first..trace.slices.ids().end));
        let depth = rows.len() as u32;
        trace.lanes.push(Lane {
            kind,
            group: GroupId::from_index(at),
            tid,
            name: StrId::EMPTY,
            rows,
            depth,
            slices,
            instants: 0..0,
            counter: None,
        });
    }
    trace.span = trace.main_span;
    trace.links = Links::new(pairs).expect("memory");
    trace
}

/// Adds what a row of a thread has in a step.
fn row_of_step(
    trace: &mut Trace,
    (lane, depth, step): (LaneId, usize, usize),
    launches: &mut Vec<(SliceId, i64)>,
) {
    let start = step as i64 * 100_000;
    if depth == 0 {
        let name = trace.strings.intern(if lane == LaneId::new(0) { b"step" } else { b"backward" });
        return push(trace, (start, 99_000), name, Category::UserDefined, SliceId::NONE);
    }
    for at in 0..OPERATORS {
        let category = if depth == 4 { Category::CudaRuntime } else { Category::Operator };
        let name = match depth {
            4 => trace.strings.intern(b"cudaLaunchKernel"),
            _ => trace.strings.intern(format!("aten::op{depth}_{}", at * 7 % 29).as_bytes()),
        };
        let (ts, dur) = (start + at as i64 * 1500 + depth as i64 * 10, 1200 - 200 * depth as i64);
        let above = trace.rows.last().expect("the row above").first;
        let parent = above + if depth == 1 { step } else { step * OPERATORS + at } as u32;
        if depth == 4 {
            launches.push((trace.slices.ids().end, ts + 20 + 600 * i64::from(lane.get())));
        }
        push(trace, (ts, dur), name, category, parent);
    }
}

/// Adds a slice.
fn push(trace: &mut Trace, (start, dur): (i64, i64), name: StrId, category: Category, parent: SliceId) {
    let slices = &mut trace.slices;
    slices.start.push(start);
    slices.dur.push(dur);
    slices.name.push(name);
    slices.category.push(category as u8);
    slices.flags.push(SliceFlags::default());
    slices.parent.push(parent);
    slices.correlation.push(0);
    slices.origin.push(Origin::NONE);
}
