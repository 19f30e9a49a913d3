//! Kernels of several streams that ran one after the other and could overlap.
//!
//! Must not know other rules.

use crate::analysis::arguments::efficiency::serial::{self, Pair};
use crate::analysis::insights::context::Context;
use crate::analysis::insights::finding::{Number, Outcome};
use crate::analysis::insights::rule::{Look, Rule};
use crate::analysis::thresholds::FILLED;
use proftui_base::time::sum;
use proftui_trace::model::GroupId;

use super::beyond::{self, Draft};

pub(super) const RULE: Rule = Rule {
    id: "serial_streams",
    definition: "A computation kernel ran right after one of another stream although it was launched before \
        the first began, its stream was free and waited for no event, and the first had fewer blocks than \
        the device has multiprocessors: they might overlap. The shorter kernels of such pairs have 5 % of \
        the time and more.",
    source: "Definition of this program, from the records \"Stream Wait Event\" (torch.profiler with \
        enable_cuda_sync_events, proftui capture --cuda-sync-events).",
    caveats: &[
        "the legacy default stream can order other streams' work, and so can CUDA_DEVICE_MAX_CONNECTIONS=1, \
         which some programs need",
    ],
    advice: "Use no work on the legacy default stream beside other streams; raise \
        CUDA_DEVICE_MAX_CONNECTIONS.",
    look: Look::Work(find),
};

fn find(context: &Context<'_>, rule: &Rule) -> Outcome {
    let of_devices = context.work().iter();
    let pairs = of_devices.flat_map(|device| {
        serial::pairs(context.trace, device).into_iter().map(move |pair| (device.group, pair))
    });
    let mut pairs: Vec<(GroupId, Pair)> = pairs.collect();
    let time = |pairs: &[(GroupId, Pair)]| sum(pairs.iter().map(|(_, pair)| pair.shared()));
    if Context::severity(context.share(time(&pairs))).is_none() {
        return Outcome::Nothing;
    }
    if !serial::has_waits(context.trace) {
        return Outcome::Abstained(
            "waits of streams for events are not in the trace: what could overlap is not known".into(),
        );
    }
    let blocks = |pair: &Pair| {
        let filling = context.efficiency().and_then(|efficiency| efficiency.filling(pair.first.id));
        filling.map_or(f64::NAN, |filling| filling.blocks_per_sm)
    };
    if pairs.iter().all(|(_, pair)| blocks(pair).is_nan()) {
        return Outcome::Abstained(
            "the kernels' blocks per multiprocessor are not known, nor whether they leave room".into(),
        );
    }
    pairs.retain(|(_, pair)| blocks(pair) < FILLED);
    let time = time(&pairs);
    let share = context.share(time);
    let Some(severity) = Context::severity(share) else { return Outcome::Nothing };
    let second: Vec<_> = pairs.iter().map(|&(group, pair)| (group, pair.second.id)).collect();
    Draft {
        severity,
        title: "streams run one after another".into(),
        time: Some(time),
        what: "runs in kernels of different streams one after the other".into(),
        detail: ", which perhaps could overlap (of two, the shorter counts)".into(),
        saves: 0,
        basis: "whether the kernels would be slower side by side is not known",
        share,
        numbers: vec![Number::ns("time", time), Number::count("pairs", pairs.len() as u64)],
        seen: beyond::names(context, &second, 4),
        of: second,
        view: "kinds",
        ..Draft::default()
    }
    .of(context, rule)
}
