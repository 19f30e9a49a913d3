//! Kernels far from the device's peaks that keep few warps on it.
//!
//! Must not know other rules, but the operators that `under_the_roof` reports.

use crate::analysis::arguments::efficiency::Filling;
use crate::analysis::arguments::efficiency::judge::Unjudged;
use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome, title};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::thresholds::{FILLED, OCCUPIED, OCCUPIED_LEAST};
use crate::analysis::vocabulary::kernel_class::KernelClasses;
use proftui_base::time::{Ns, sum};
use proftui_trace::model::{GroupId, KernelClass, SliceId};

use super::beyond::{self, Draft};
use super::under_the_roof::{far_below, lost};

pub(super) const RULE: Rule = Rule {
    id: "low_occupancy",
    definition: "Of the time of the kernels that under_the_roof reports, half and more is in those with less \
        than 25 % of the warps that a multiprocessor can hold, whose times add up to 5 % of the time and \
        more. Kernels of matrix products and attention count only with fewer blocks than the device has \
        multiprocessors.",
    source: "Occupancy as the profiler estimated it. Alone it is no finding: the fastest kernels of matrix \
        products have little.",
    caveats: &[
        "a kernel may need its registers and shared memory; the estimate knows grids and limits, not what \
         ran",
    ],
    advice: "Give each launch more blocks (larger batches, split-K), or use kernels with fewer registers.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let groups = match far_below(context) {
        Ok(groups) => groups,
        Err(Unjudged::Nothing) => return Outcome::Nothing,
        Err(Unjudged::Unknown(_)) => {
            let kernels = sum(beyond::kernels(context).map(|(_, work)| work.dur()));
            let why = "under_the_roof cannot be judged, and occupancy alone says nothing";
            let is_small = Context::severity(context.share(kernels)).is_none();
            return if is_small { Outcome::Nothing } else { Outcome::Abstained(why.into()) };
        }
    };
    let dur = |id: SliceId| context.trace.slices.dur[id];
    let all: Vec<_> = groups.iter().flat_map(|group| group.kernels.iter().copied()).collect();
    let total = sum(all.iter().map(|&(_, id)| dur(id)));
    if Context::severity(context.share(lost(context, &groups))).is_none() {
        return Outcome::Nothing;
    }
    let filling = |id: SliceId| context.efficiency().and_then(|efficiency| efficiency.filling(id));
    // With as many blocks as multiprocessors, an occupancy of 0 is impossible: the profiler did not know it.
    let is_known = |filling: &Filling| filling.occupancy > 0.0 || filling.blocks_per_sm < FILLED;
    let filling =
        |id: SliceId| filling(id).filter(|filling| !filling.occupancy.is_nan() && is_known(filling));
    let stated = |&(_, id): &(GroupId, SliceId)| filling(id).is_some();
    if !all.iter().any(stated) {
        return Outcome::Abstained("the occupancy of the kernels far below the peaks is not known".into());
    }
    // The fastest kernels of matrix products and attention work in tiles, with few warps of many registers.
    let mut classes = KernelClasses::of(context.trace);
    let mut is_tiled =
        |id: SliceId| matches!(classes.class(id), KernelClass::Matrix | KernelClass::Attention);
    let mut is_low = |&(_, id): &(GroupId, SliceId)| {
        filling(id).is_some_and(|filling| {
            filling.occupancy < OCCUPIED && (filling.blocks_per_sm < FILLED || !is_tiled(id))
        })
    };
    let low: Vec<_> = all.into_iter().filter(|of| is_low(of)).collect();
    let time: Ns = sum(low.iter().map(|&(_, id)| dur(id)));
    let covered = beyond::covered(context, &low);
    let share = context.share(covered);
    let held = time as f64 / total.max(1) as f64;
    let Some(severity) = Context::severity(share).filter(|_| held >= OCCUPIED_LEAST) else {
        return Outcome::Nothing;
    };
    let names = beyond::names(context, &low, 4);
    let is_small =
        |&&(_, id): &&(GroupId, SliceId)| filling(id).is_some_and(|filling| filling.blocks_per_sm < FILLED);
    let small = sum(low.iter().filter(is_small).map(|&(_, id)| dur(id))) as f64 / time.max(1) as f64;
    let weighted =
        |&(_, id): &(GroupId, SliceId)| filling(id).map_or(0.0, |filling| filling.occupancy) * dur(id) as f64;
    let occupancy = low.iter().map(weighted).sum::<f64>() / time.max(1) as f64;
    let because = if small >= OCCUPIED_LEAST {
        "; half of this time and more in kernels with fewer blocks than the device has multiprocessors"
    } else {
        ""
    };
    Draft {
        severity,
        title: title("too few blocks: X", beyond::main(&names)),
        time: Some(covered),
        what: "runs in kernels far below the peaks with few warps".into(),
        detail: format!(": {:.0} % of those that the device can hold{because}", occupancy * 100.0),
        saves: 0,
        basis: "the rule under_the_roof counts the time",
        share,
        numbers: vec![
            Number::ns("time", time),
            Number::ratio("occupancy", occupancy),
            Number::ratio("fewer_blocks_than_multiprocessors", small),
            Number::count("kernels", low.len() as u64),
        ],
        seen: names,
        of: low,
        view: "kernel",
        ..Draft::default()
    }
    .of(context, rule)
}
