//! What the rules report about a part of a trace, with the sums behind it.
//!
//! Must not know rules, nor how findings are shown.

use std::collections::BTreeMap;

use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::GroupId;

use super::finding::{Abstained, Finding};
use super::unused::Unused;
use crate::analysis::ledger::{Cause, DeviceSums, Whole};
use crate::analysis::part::location::Subject;

/// What the rules report about a part of a trace, with the sums behind it.
#[derive(Clone, Debug)]
pub struct Insights {
    /// The kind of the devices, such as `GPU` or `TPU`.
    pub kind: &'static str,
    /// True if `devices` are host threads, whose work is their time in operators: the part has no devices
    /// with work.
    pub is_host: bool,
    /// The time range of the part.
    pub span: Span,
    /// The time from the start of the first worker's run in the part to the end of the last's.
    pub run: Span,
    /// What shares are of, in words, such as `steps 3–9 (1.210 s)`.
    pub denominator: String,
    /// True if the part has steps.
    pub(super) has_steps: bool,
    /// A sentence on what is outside of the run, if that is much of the recording; else empty.
    pub(super) outside_text: String,
    /// The sentence on where the thread of the steps was, if it was not on a processor for much of their
    /// time; empty otherwise.
    pub(super) processor_text: String,
    /// The recorded time of the part that is outside of the workers' runs, added up over workers, ns.
    pub outside: Ns,
    /// The devices that the scope selects, as groups, each with its time in the part's run: that with work,
    /// and the rest divided by cause. Without those of `unused`.
    pub devices: Vec<(GroupId, DeviceSums)>,
    /// Where each of `devices` is shown: the device, or the first lane of the host thread.
    pub subjects: Vec<Subject>,
    /// The devices with next to no work in the part, which are in no sum.
    pub unused: Vec<Unused>,
    /// The title of the only used device beside unused ones, without its model.
    pub(super) only: Option<String>,
    /// By the name of a kind of serving step, such as `decode`: the number of the part's steps, and the sums
    /// of their requests and of their tokens, as far as known.
    pub serving: BTreeMap<&'static str, [u64; 3]>,
    /// The findings: `not_recorded` first, costs that come once last, and else by what they save, the largest
    /// first.
    pub findings: Vec<Finding>,
    /// The rules that could not judge the part, each with the reason.
    pub abstained: Vec<Abstained>,
    /// Texts on data that the trace lacks, such as lost records; empty if none is known to be missing.
    pub incomplete: Vec<String>,
}

impl Insights {
    /// The time of all devices in the part that is charged to a cause, added up, ns.
    pub fn idle(&self, cause: Cause) -> Ns {
        sum(self.devices.iter().map(|(_, sums)| sums.of(cause).ns))
    }

    /// The sums of all devices' times, from which shares are computed.
    pub fn whole(&self) -> Whole {
        Whole::sum(self.devices.iter().map(|(_, sums)| sums.whole()))
    }
}
