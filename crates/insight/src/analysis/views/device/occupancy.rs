//! Occupancy and SM efficiency of a device, from what the profiler stated in the arguments of each kernel.
//!
//! Occupancy is the mean of the kernels' achieved occupancy (warps on a multiprocessor, as a share of the
//! most that it holds), weighted by their time, as in the device summary of VisualDL and "Est. Achieved
//! Occupancy" of torch-tb-profiler. SM efficiency is, as torch-tb-profiler's "Est. SM Efficiency", the mean
//! over time of the blocks per multiprocessor of the kernels that run, at most 1, with idle time as 0: the
//! share of the multiprocessors that have work. Kernels that run at once share the multiprocessors, so the
//! share never exceeds the device's utilization. Must not know tables.

use crate::analysis::arguments::launch_config::LaunchConfigs;
use crate::analysis::part::work::{Device, WorkKind};
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

/// One block per multiprocessor as a fixed-point number, so that sums do not depend on the order of kernels.
const ONE: i64 = 1 << 40;

/// The occupancy and SM efficiency of a device in a part of a trace, with counts of kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures {
    /// Mean achieved occupancy of the kernels that state it, weighted by their time in the part, 0 to 1;
    /// `None` if unknown.
    pub occupancy: Option<f64>,
    /// Share of the multiprocessors with work, averaged over the run, 0 to 1; `None` if
    /// unknown.
    pub sm_efficiency: Option<f64>,
    /// Number of kernels in the part.
    pub kernels: u64,
    /// Number of kernels in the part that state no valid occupancy.
    pub without_occupancy: u64,
    /// Number of kernels in the part that state no valid blocks per multiprocessor.
    pub without_blocks: u64,
}

impl Figures {
    /// The figures of `device`. `time` is that of the run of its worker, ns.
    pub(super) fn of(device: &Device, time: Ns, configs: &LaunchConfigs) -> Self {
        let mut figures = Self::default();
        let (mut occupied, mut with_occupancy) = (0.0, 0.0);
        // Times at which the blocks per multiprocessor change, in units of 1 / ONE, and by how much.
        let mut changes: Vec<(Ns, i64)> = Vec::new();
        for kernel in device.work.iter().filter(|work| work.kind.is_some_and(|kind| kind != WorkKind::Memory))
        {
            figures.kernels += 1;
            let stated = configs.of(kernel.id);
            match stated.map(|stated| stated.occupancy).filter(|share| (0.0..=1.0).contains(share)) {
                Some(share) => {
                    occupied += share * kernel.dur() as f64;
                    with_occupancy += kernel.dur() as f64;
                }
                None => figures.without_occupancy += 1,
            }
            match stated.map(|stated| stated.blocks_per_sm).filter(|blocks| *blocks >= 0.0) {
                Some(blocks) => {
                    let blocks = saturate::<i64>(blocks.min(1.0) * ONE as f64);
                    changes.extend([(kernel.span.start, blocks), (kernel.span.end, -blocks)]);
                }
                None => figures.without_blocks += 1,
            }
        }
        figures.occupancy = (with_occupancy > 0.0).then(|| occupied / with_occupancy);
        let has_time = changes.iter().any(|change| change.0 != changes[0].0);
        figures.sm_efficiency =
            (has_time && time > 0).then(|| weighted(changes) as f64 / ONE as f64 / time as f64);
        figures
    }
}

/// The blocks per multiprocessor, at most [`ONE`], integrated over time in ns. `changes` are times (ns), each
/// with the change in blocks.
fn weighted(mut changes: Vec<(Ns, i64)>) -> i128 {
    changes.sort_unstable();
    let (mut blocks, mut last, mut all) = (0_i64, 0, 0_i128);
    for (at, change) in changes {
        all += i128::from(blocks.clamp(0, ONE)) * (i128::from(at) - i128::from(last));
        blocks = blocks.saturating_add(change);
        last = at;
    }
    all
}
