//! What the rules look at: a part of a trace with its ledger.
//!
//! Must not know rules.

use std::cell::OnceCell;

use crate::analysis::arguments::Arguments;
use crate::analysis::arguments::collectives::Collectives;
use crate::analysis::arguments::efficiency::Efficiency;
use crate::analysis::arguments::efficiency::judge::{Group, Unjudged, judge};
use crate::analysis::ledger::hosts::Hosts;
use crate::analysis::ledger::replay::Replay;
use crate::analysis::ledger::{Cause, DeviceLedger, DeviceSums, Ledger, Whole};
use crate::analysis::part::Part;
use crate::analysis::part::location::{Location, Subject};
use crate::analysis::part::work::{self, Device};

use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span, sum};
use proftui_trace::model::{GroupId, Trace};

use super::evidence::gap_around;
use super::finding::Severity;
use super::unused::{self, Unused};
use super::when::{Period, Periods, When};
use crate::analysis::thresholds::{CRITICAL, NAMED, NOTE, SAMPLED, WARNING};

/// A part of a trace that rules look at, with the idle time of its devices.
pub struct Context<'a> {
    /// The trace that the part is of.
    pub trace: &'a Trace,
    /// The part itself.
    pub part: Part<'a>,
    /// The devices that the scope selects ([`Ledger::in_scope`]), each with the sums of its time in the part,
    /// without those of `unused`.
    pub devices: Vec<(&'a DeviceLedger, DeviceSums)>,
    /// True if `devices` are host threads: the part has no devices with work.
    pub is_host: bool,
    /// The devices with next to no work.
    pub(super) unused: Vec<Unused>,
    /// The steps of the part.
    pub periods: Periods,
    /// The sums of the times of `devices`, from which shares are computed.
    pub whole: Whole,
    /// What was read of the arguments of events.
    read: &'a Arguments,
    work: OnceCell<Vec<Device>>,
    replay: OnceCell<Option<Replay>>,
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

    /// What the devices are called in a sentence: `GPU`, or `host` where there are none.
    pub fn subject(&self) -> &'static str {
        if self.is_host { "host" } else { self.kind() }
    }

    /// Makes the context of the part of `trace` that `scope` selects. `ledger` and `hosts` must be those
    /// of the whole trace.
    pub fn new(
        trace: &'a Trace,
        ledger: &'a Ledger,
        hosts: &'a Hosts,
        scope: &'a crate::analysis::Scope,
        read: &'a Arguments,
    ) -> Self {
        let part = Part::new(trace, scope);
        let mut devices: Vec<_> =
            ledger.in_scope(trace, scope).map(|device| (device, device.sums(part.span()))).collect();
        let is_host = devices.is_empty();
        if is_host {
            devices = hosts.in_scope(trace, scope).map(|host| (host, host.sums(part.span()))).collect();
        }
        let (devices, unused) = unused::split(&part, devices);
        let whole = Whole::sum(devices.iter().map(|(_, sums)| sums.whole()));
        let periods = Periods::of(&part);
        let (work, judged, replay) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { trace, part, devices, is_host, unused, periods, whole, read, work, replay, judged }
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

    /// The devices that have work on the scope's lanes, each with its work in the part's run.
    pub fn work(&self) -> &[Device] {
        self.work.get_or_init(|| work::in_run(&self.part))
    }

    /// True if most pieces of the work have no known launch.
    pub(super) fn mostly_without_launch(&self) -> bool {
        let work = || self.work().iter().flat_map(|device| &device.work);
        work().filter(|work| work.launch.is_none()).count() * 2 > work().count()
    }

    /// The time that would likely be saved without a cause, ns, by a replay of the launches of the only
    /// worker; `None` if that is not known.
    pub(super) fn likely(&self, cause: Cause) -> Option<Ns> {
        let replay = self.replay.get_or_init(|| {
            let [worker] = self.part.workers() else { return None };
            let [run] = self.part.run(*worker) else { return None };
            let devices: Vec<&DeviceLedger> = self.devices.iter().map(|(device, _)| *device).collect();
            if self.is_host { None } else { Replay::of(self.trace, &devices, *run) }
        });
        replay.as_ref()?.gain(cause)
    }

    /// The groups of operators that can be judged by the device's peaks, the group that attained least of
    /// them first. An error says why nothing can be judged.
    pub fn judged(&self) -> &Result<Vec<Group>, Unjudged> {
        self.judged.get_or_init(|| judge(self.trace, self.work(), self.efficiency()))
    }

    /// A time (ns) as a share of the devices' time in the part's run, where 1 is all of it.
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

    /// For each of `devices`, the time at the start of the run in which a cause comes once, if it does.
    pub fn once(&self, cause: Cause) -> Vec<Option<Span>> {
        let of_device = |(device, sums): &(&DeviceLedger, DeviceSums)| {
            // What is not known is no cost that comes once.
            if matches!(cause, Cause::NotRecorded | Cause::NotAttributable | Cause::NoRequests) {
                return None;
            }
            let time = |span: Span| device.idle.sums(span)[cause as usize].ns;
            self.periods.once(&self.part, device.worker, self.started(device, sums), time)
        };
        self.devices.iter().map(of_device).collect()
    }

    /// When a device has done a twentieth of its work in the part, ns.
    fn started(&self, device: &DeviceLedger, sums: &DeviceSums) -> Ns {
        let run = self.part.run(device.worker);
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ns::MIN };
        let done = |until: Ns| {
            let before = |time: &Span| Span { start: time.start, end: time.end.min(until).max(time.start) };
            let spans = run.iter().map(before);
            spans.map(|span| span.len() - sum(device.idle.sums(span).iter().map(|sum| sum.ns))).sum::<Ns>()
        };
        let (mut from, mut to) = (first.start, last.end);
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            if done(middle) < sums.work / 20 { from = middle } else { to = middle }
        }
        from
    }

    /// When a cause shows; of a cost that comes once, its only time, and else in the steps without it.
    pub fn when(&self, cause: Cause, is_once: bool) -> When {
        if is_once {
            return if self.periods.is_empty() { When::NoSteps(1) } else { When::First };
        }
        let once = self.once(cause);
        let (all, gaps) = self.idle(cause);
        if self.periods.is_empty() {
            return When::NoSteps(gaps);
        }
        if cause.is_of_device() || cause == Cause::NotAttributable {
            // A device may be steps behind the host: work belongs to the step that launched it.
            let is_wanted =
                |device: usize, span: Span| once[device].is_none_or(|once| !once.contains(span.start));
            let points = self.sampled(cause, all, SAMPLED, is_wanted);
            let launched = points.iter().map(|&(device, at)| {
                let device = self.devices[device].0;
                let call = gap_around(self.trace, device, at).and_then(|sides| sides.asked(self.trace));
                let span = call.map_or(at, |call| self.trace.slices.span(call));
                (device.worker, Span { start: span.start, end: span.start + 1 })
            });
            return self.periods.when_of(launched);
        }
        let of_period = |worker, period: Period| {
            let devices = self.devices.iter().zip(&once).filter(|((device, _), _)| device.worker == worker);
            let devices = devices.filter(|(_, once)| **once != Some(period.span));
            sum(devices.map(|((device, _), _)| device.idle.sums(period.span)[cause as usize].ns))
        };
        self.periods.when(gaps, once.iter().any(Option::is_some), of_period)
    }

    /// The device that has nearly all of a time (ns), which is given by the index of the device in `devices`;
    /// `None` if there is none, or the part has only one device.
    pub fn only_device(&self, time: impl Fn(usize) -> Ns) -> Option<GroupId> {
        if self.devices.len() < 2 {
            return None;
        }
        let times: Vec<Ns> = (0..self.devices.len()).map(time).collect();
        let all = sum(times.iter().copied());
        let (at, most) = times.iter().enumerate().max_by_key(|(_, ns)| **ns)?;
        (*most as f64 >= all as f64 * NAMED && all > 0).then(|| self.devices[at].0.group)
    }

    /// The `most` longest pieces of gaps in the run for which `is_wanted` is true and that are charged to a
    /// cause, the longest first; each with the index of its device in `devices`.
    pub fn pieces(
        &self,
        cause: Cause,
        most: usize,
        is_wanted: impl Fn(usize, Span) -> bool,
    ) -> Vec<(usize, Span)> {
        let mut found: Vec<(usize, Span)> = Vec::new();
        let keep_longest = |found: &mut Vec<(usize, Span)>| {
            found.sort_by_key(|(device, span)| (std::cmp::Reverse(span.len()), *device, span.start));
            found.truncate(most);
        };
        self.each_piece(cause, |number, span| {
            if is_wanted(number, span) {
                found.push((number, span));
            }
            if found.len() >= 4 * most.max(1024) {
                keep_longest(&mut found);
            }
        });
        keep_longest(&mut found);
        found
    }

    /// So many points of time, each a span of 1 ns with the index of its device in `devices`, chosen evenly
    /// over the time `all` (ns) that is charged to a cause in the run; without those in pieces for which
    /// `is_wanted` is false. Each stands for as much of the time.
    pub fn sampled(
        &self,
        cause: Cause,
        all: Ns,
        count: usize,
        is_wanted: impl Fn(usize, Span) -> bool,
    ) -> Vec<(usize, Span)> {
        let each = (all / saturate::<Ns>(count)).max(1);
        let mut found: Vec<(usize, Span)> = Vec::new();
        let (mut seen, mut next): (Ns, Ns) = (0, each / 2);
        self.each_piece(cause, |number, span| {
            if !is_wanted(number, span) {
                return;
            }
            while next < seen + span.len() {
                let at = span.start + (next - seen);
                found.push((number, Span { start: at, end: at + 1 }));
                next += each;
            }
            seen += span.len();
        });
        found
    }

    /// Calls `f` with each piece of a gap that is charged to a cause, cut to the run, and the index of its
    /// device in `devices`; in order of time on each device.
    fn each_piece(&self, cause: Cause, mut f: impl FnMut(usize, Span)) {
        for (number, (device, _)) in self.devices.iter().enumerate() {
            for &time in self.part.run(device.worker) {
                self.part.check();
                for piece in device.idle.within(time).map(|at| device.idle.piece(at)) {
                    if piece.cause == cause as u8 {
                        let Span { start, end } = piece.span;
                        f(number, Span { start: start.max(time.start), end: end.min(time.end) });
                    }
                }
            }
        }
    }

    /// A location: `span` on the device with index `device` in `devices`.
    pub fn location(&self, device: usize, span: Span) -> Location {
        Location { span, at: Some(Self::subject_of(self.devices[device].0)) }
    }

    /// Where a device, or the thread of a host's ledger, is shown.
    pub fn subject_of(device: &DeviceLedger) -> Subject {
        if device.is_host { Subject::Lane(device.lanes[0]) } else { Subject::Device(device.group) }
    }
}
