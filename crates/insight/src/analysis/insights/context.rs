//! What the rules look at: a part of a trace with its ledger.
//!
//! Must not know rules.

use std::cell::OnceCell;

use crate::analysis::arguments::Arguments;
use crate::analysis::arguments::collectives::Collectives;
use crate::analysis::arguments::efficiency::Efficiency;
use crate::analysis::arguments::efficiency::judge::{Group, Unjudged, judge};
use crate::analysis::ledger::{Cause, DeviceLedger, DeviceSums, Ledger, Whole};
use crate::analysis::part::Part;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::work::{self, Device};

use proftui_base::time::{Ns, Span};
use proftui_trace::model::Trace;

use super::finding::Severity;
use super::unused::{self, Unused};
use crate::analysis::thresholds::{CRITICAL, NOTE, WARNING};

/// A part of a trace that rules look at, with the idle time of its devices.
pub struct Context<'a> {
    /// The trace that the part is of.
    pub trace: &'a Trace,
    /// The part itself.
    pub part: Part<'a>,
    /// The devices that the scope selects ([`Ledger::in_scope`]), each with the sums of its time in the part,
    /// without those of `unused`.
    pub devices: Vec<(&'a DeviceLedger, DeviceSums)>,
    /// The devices with next to no work.
    pub(super) unused: Vec<Unused>,
    /// The sums of the times of `devices`, from which shares are computed.
    pub whole: Whole,
    /// What was read of the arguments of events.
    read: &'a Arguments,
    work: OnceCell<Vec<Device>>,
    judged: OnceCell<Result<Vec<Group>, Unjudged>>,
}

impl<'a> Context<'a> {
    /// The kind of the devices, such as `TPU`; `GPU` where they are of several kinds or of none known.
    pub fn kind(&self) -> &'static str {
        let groups = self.devices.iter().map(|(device, _)| &self.trace.groups[device.group]);
        let titles: Vec<String> = groups.map(|group| self.trace.group_title(group)).collect();
        let is_of = |title: &String, kind: &str| {
            title.split(" · ").any(|part| part.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' ')))
        };
        let is_kind = |kind: &&str| !titles.is_empty() && titles.iter().all(|title| is_of(title, kind));
        ["NPU", "TPU", "HPU", "XPU"].into_iter().find(is_kind).unwrap_or("GPU")
    }

    /// Makes the context of the part of `trace` that `scope` selects. `ledger` must be that of the whole
    /// trace.
    pub fn new(
        trace: &'a Trace,
        ledger: &'a Ledger,
        scope: &'a crate::analysis::Scope,
        read: &'a Arguments,
    ) -> Self {
        let part = Part::new(trace, scope);
        let devices: Vec<_> =
            ledger.in_scope(trace, scope).map(|device| (device, device.sums(part.span()))).collect();
        let (devices, unused) = unused::split(&part, devices);
        let whole = Whole::sum(devices.iter().map(|(_, sums)| sums.whole()));
        Self { trace, part, devices, unused, whole, read, work: OnceCell::new(), judged: OnceCell::new() }
    }

    /// What was read to judge how well kernels use the device; `None` where reading it was not tried.
    pub fn efficiency(&self) -> Option<&'a Efficiency> {
        self.read.efficiency.as_deref()
    }

    /// Which kernels of several ranks belong together; `None` where reading it was not tried.
    pub fn collectives(&self) -> Option<&'a Collectives> {
        self.read.collectives.as_deref()
    }

    /// The time in the part that is charged to a cause, ns, and the number of gaps with such time, each added
    /// up over the devices.
    pub fn idle(&self, cause: Cause) -> (Ns, u64) {
        let of = self.devices.iter().map(|(_, sums)| sums.of(cause));
        of.fold((0, 0), |(ns, gaps), sum| (ns.saturating_add(sum.ns), gaps + u64::from(sum.gaps)))
    }

    /// The devices that have work on the scope's lanes, each with that work as far as it is in the part.
    pub fn work(&self) -> &[Device] {
        self.work.get_or_init(|| work::devices(&self.part))
    }

    /// The groups of operators that can be judged by the device's peaks, the group that attained least of
    /// them first. An error says why nothing can be judged.
    pub fn judged(&self) -> &Result<Vec<Group>, Unjudged> {
        self.judged.get_or_init(|| judge(self.trace, self.work(), self.efficiency()))
    }

    /// A time (ns) as a share of the devices' time in the part without edges, where 1 is all of it.
    pub fn share(&self, ns: Ns) -> f64 {
        self.whole.share(ns)
    }

    /// The severity of a finding with this share of the time, where 1 is all of it; `None` below 5 %.
    pub fn severity(share: f64) -> Option<Severity> {
        match share {
            _ if share >= CRITICAL => Some(Severity::Critical),
            _ if share >= WARNING => Some(Severity::Warning),
            _ if share >= NOTE => Some(Severity::Note),
            _ => None,
        }
    }

    /// The `most` longest pieces of gaps in the part that are charged to a cause, the longest first; each
    /// with the index of its device in `devices`.
    pub fn pieces(&self, cause: Cause, most: usize) -> Vec<(usize, Span)> {
        let mut found: Vec<(usize, Span)> = Vec::new();
        let keep_longest = |found: &mut Vec<(usize, Span)>| {
            found.sort_by_key(|(device, span)| (std::cmp::Reverse(span.len()), *device, span.start));
            found.truncate(most);
        };
        for (number, (device, _)) in self.devices.iter().enumerate() {
            for at in device.idle.within(self.part.span()) {
                let piece = device.idle.piece(at);
                if piece.cause != cause as u8 {
                    continue;
                }
                let span = self.part.clip(piece.span);
                if !span.is_empty() {
                    found.push((number, span));
                }
                if found.len() >= 4 * most.max(1024) {
                    keep_longest(&mut found);
                }
            }
        }
        keep_longest(&mut found);
        found
    }

    /// A location: `span` on the device with index `device` in `devices`.
    pub fn location(&self, device: usize, span: Span) -> Location {
        Location { span, at: Some(Subject::Device(self.devices[device].0.group)) }
    }
}
