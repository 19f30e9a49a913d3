//! What the arguments of events state about how well kernels use a device: the operations and bytes of the
//! operators that launched them, and how many warps and blocks they kept on it.
//!
//! Only the events that a judgement needs are read: operators whose operations can be counted and the kernels
//! that they launched, on devices with known peaks; and kernels that might have overlapped with the next one.
//! Must not know findings.

pub mod judge;
pub mod roofline;
pub mod serial;

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_trace::import::{RawEvent, Texts};
use proftui_trace::model::{self, Category, GroupId, Origin, SliceId, Trace};

use super::flops::{self, Formula, Inputs};
use super::launch_config::{OCCUPANCY, number};
use super::peaks::Peaks;
use super::shapes;
use super::traffic::{Traffic, traffic};
use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{self, Device, Work, WorkKind};

/// What an operator computes and moves, by its event's arguments.
#[derive(Clone, Copy, Debug)]
struct Counted {
    /// The operator's floating point operations; 0 for `aten::add` and `aten::mul`.
    flops: u64,
    traffic: Traffic,
    /// The id of the text of the operator's input shapes, in [`Efficiency::shapes`].
    shapes: StrId,
}

/// How full a kernel keeps the multiprocessors of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    /// Estimated achieved occupancy, 0 to 1; NaN where the event does not state it.
    pub(crate) occupancy: f64,
    /// Blocks per multiprocessor; NaN where the event does not state them.
    pub(crate) blocks_per_sm: f64,
}

/// What was read from the arguments of operators and kernels, to judge how well kernels use the device.
#[derive(Debug, Default)]
pub struct Efficiency {
    operators: FxHashMap<SliceId, Counted>,
    kernels: FxHashMap<SliceId, Filling>,
    /// Each distinct text of input shapes.
    shapes: Interner,
    /// Why the events could not be read, in words; empty where they could.
    failure: String,
}

impl Efficiency {
    /// Reads from the trace's files what is known of the operators and kernels by which the device work in
    /// `scope` is judged; with `is_all` also on devices without known peaks. If that fails, the reason is
    /// kept for `judge`.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope, is_all: bool) -> Self {
        let part = Part::new(trace, scope);
        let devices = work::devices(&part);
        let candidates =
            devices.iter().flat_map(|device| serial::pairs(trace, device)).map(|pair| pair.first.id);
        let mut wanted: Vec<SliceId> = launched(trace, &devices, is_all)
            .into_iter()
            .flat_map(|launched| [launched.operator, launched.kernel.id])
            .chain(candidates)
            .filter(|&id| trace.slices.origin[id] != Origin::NONE)
            .collect();
        wanted.sort_unstable_by_key(|&id| (trace.slices.origin[id], id));
        wanted.dedup();
        let origins: Vec<Origin> = wanted.iter().map(|&id| trace.slices.origin[id]).collect();
        let mut read = Self::default();
        if let Err(error) = texts.visit(&origins, |at, event| read.add(trace, wanted[at], event)) {
            read.failure = error.to_string();
        }
        read
    }

    fn add(&mut self, trace: &Trace, id: SliceId, event: &RawEvent<'_, '_>) {
        if trace.slices.category(id) == Category::Kernel {
            let occupancy = number(shapes::argument(event, &OCCUPANCY)) / 100.0;
            let blocks_per_sm = number(event.argument(b"blocks per SM"));
            self.kernels.insert(id, Filling { occupancy, blocks_per_sm });
            return;
        }
        let name = trace.strings.bytes(trace.slices.name[id]);
        let inputs = Inputs::of(event);
        let Some(formula) = Formula::of(name) else { return };
        let Some(traffic) = traffic(formula, &inputs) else { return };
        let flops = if formula == Formula::Elements { 0 } else { flops::flops(formula, &inputs) };
        if flops > 0 || formula == Formula::Elements {
            let shapes = self.shapes.intern(shapes::shapes(event).as_bytes());
            self.operators.insert(id, Counted { flops, traffic, shapes });
        }
    }

    /// How full a kernel keeps the multiprocessors; `None` if the kernel's event was not read.
    pub(crate) fn filling(&self, kernel: SliceId) -> Option<Filling> {
        self.kernels.get(&kernel).copied()
    }
}

/// A kernel, and the outermost operator around its launch that has a [`Formula`].
#[derive(Clone, Copy, Debug)]
struct Launched {
    operator: SliceId,
    kernel: Work,
    /// The group of lanes of the device on which the kernel ran.
    group: GroupId,
    /// What that device can achieve; `None` if that is not known.
    peaks: Option<&'static Peaks>,
}

/// The compute kernels of `devices` that were launched in operators with a [`Formula`]; sorted by operator.
/// Without `is_all` those of devices with known peaks.
fn launched(trace: &Trace, devices: &[Device], is_all: bool) -> Vec<Launched> {
    let formulas: Vec<StrId> =
        Formula::OPERATORS.iter().filter_map(|(name, _)| trace.strings.find(name)).collect();
    let has_formula =
        |&id: &SliceId| trace.slices.category(id).is_operator() && formulas.contains(&trace.slices.name[id]);
    let mut found = Vec::new();
    if formulas.is_empty() {
        return found;
    }
    for device in devices {
        let peaks = peaks_of(trace, device.group);
        if peaks.is_none() && !is_all {
            continue;
        }
        let computing = device.work.iter().filter(|work| work.kind == Some(WorkKind::Computation));
        found.extend(computing.filter_map(|kernel| {
            let operator = trace.slices.ancestors(kernel.launch?.id).filter(has_formula).last()?;
            Some(Launched { operator, kernel: *kernel, group: device.group, peaks })
        }));
    }
    found.sort_unstable_by_key(|launched| (launched.operator, launched.kernel.id));
    found
}

/// The peaks of the device of a group of lanes; `None` if they are not known, or if the group may stand for
/// devices with different peaks.
fn peaks_of(trace: &Trace, group: GroupId) -> Option<&'static Peaks> {
    let number = crate::analysis::part::location::device_number(trace, &trace.groups[group]);
    let is_own = |device: &&model::Device| device.id.to_string() == number;
    let has_own = trace.devices.iter().any(|device| is_own(&device));
    let mut known = trace.devices.iter().filter(|device| !has_own || is_own(device)).map(Peaks::of);
    let first = known.next()??;
    // Files of several ranks number their devices alike.
    known.all(|other| other.is_some_and(|other| std::ptr::eq(other, first))).then_some(first)
}
