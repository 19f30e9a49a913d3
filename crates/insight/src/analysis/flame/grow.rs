//! Makes the tree of all frames of a part of a trace: a tree for each thread, with the device work launched
//! in it, and then one tree of all of them.
//!
//! Must not know which frames are shown.

use rayon::prelude::*;

use crate::analysis::part::Part;
use crate::analysis::part::threads::Threads;
use proftui_trace::model::{LaneId, LaneKind};

use super::choice::Stacking;
use super::names::Names;
use super::tree::Tree;
use super::walk::walk;
use super::work::Work;

/// Makes one tree of the frames of a part and of its device work, which is below the frame that launched it
/// if there is one.
pub(super) fn tree(part: &Part<'_>, stacking: Stacking) -> Tree {
    let trace = part.trace();
    let names = Names::of(trace, stacking);
    let work = Work::of(part, &names);
    let mut lanes: Vec<LaneId> = part.lanes().iter().copied().chain(work.launching()).collect();
    lanes.sort_unstable();
    lanes.dedup();
    let threads = Threads::of(trace);
    let of_lanes = threads.of_lanes(lanes.iter().copied()).into_iter().map(|at| threads.all()[at].clone());
    let asynchronous = lanes.iter().filter(|&&lane| trace.lanes[lane].kind == LaneKind::Async);
    let threads: Vec<Vec<LaneId>> = of_lanes.chain(asynchronous.map(|&lane| vec![lane])).collect();
    let of_thread = |lanes: &Vec<LaneId>| {
        let has_frames = |lane: LaneId| trace.lanes[lane].slices.iter().any(|id| names.frame(id).is_some());
        let matters = |&lane: &LaneId| has_frames(lane) || work.may_be_of(lane);
        let lanes: Vec<LaneId> = lanes.iter().copied().filter(matters).collect();
        let mut walked = walk(part, &names, &lanes);
        work.add_launched(&mut walked);
        walked.tree
    };
    let trees: Vec<Tree> = threads.par_iter().map(of_thread).collect();
    let mut all = trees.into_iter().reduce(|mut all, one| {
        all.merge(&one);
        all
    });
    let all = all.get_or_insert_default();
    work.add_others(all);
    std::mem::take(all)
}
