//! The communication kernels of a trace, with what is stated of their collectives.
//!
//! Must not know tables.

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::{GroupId, SliceId, WorkerId};

use crate::analysis::arguments::collectives::{Described, describe};
use crate::analysis::part::Part;
use crate::analysis::part::time::{shared, union};
use crate::analysis::part::work::{Device, Work, WorkKind, in_run};

/// A communication kernel.
#[derive(Debug)]
pub(super) struct Row {
    pub worker: WorkerId,
    pub device: GroupId,
    pub kernel: SliceId,
    /// The time in the run that no earlier communication kernel of the device covers, ns.
    pub counted: Ns,
    /// The part of `counted` with a computation kernel at the same time, ns.
    pub hidden: Ns,
    pub described: Described,
}

/// The communication kernels, device by device, in order of start.
///
/// # Errors
/// When a file of the trace has changed or cannot be read.
pub(super) fn rows(part: &Part<'_>, texts: &Texts) -> Result<Vec<Row>, VisitError> {
    let devices = in_run(part);
    let is_wanted = |work: &&Work| work.kind == Some(WorkKind::Communication);
    let mut kernels: Vec<_> = devices
        .iter()
        .flat_map(|device| device.work.iter().filter(is_wanted))
        .map(|work| (work.id, work.launch.map(|launch| launch.id)))
        .collect();
    kernels.sort_unstable();
    kernels.dedup();
    let mut described = describe(part.trace(), texts, &kernels)?;
    let mut rows = Vec::new();
    for device in &devices {
        for (kernel, (counted, hidden)) in times(device) {
            let described = described.remove(&kernel).unwrap_or_default();
            rows.push(Row {
                worker: device.worker,
                device: device.group,
                kernel,
                counted,
                hidden,
                described,
            });
        }
    }
    Ok(rows)
}

/// For each communication kernel of a device, in order of start: the time that no earlier one covers, and
/// how much of it computation hides, ns.
fn times(device: &Device) -> Vec<(SliceId, (Ns, Ns))> {
    let computation = union(device.spans(|work| work.kind == Some(WorkKind::Computation)));
    let mut found: Vec<(SliceId, (Ns, Ns))> = Vec::new();
    let mut known: FxHashMap<SliceId, usize> = FxHashMap::default();
    let mut until = Ns::MIN;
    for work in device.work.iter().filter(|work| work.kind == Some(WorkKind::Communication)) {
        let own = Span { start: work.span.start.max(until), end: work.span.end.max(until) };
        until = until.max(work.span.end);
        let at = *known.entry(work.id).or_insert_with(|| {
            found.push((work.id, (0, 0)));
            found.len() - 1
        });
        let from = computation.partition_point(|span| span.end <= own.start);
        let to = computation.partition_point(|span| span.start < own.end).max(from);
        found[at].1.0 += own.len();
        found[at].1.1 += shared(&[own], &computation[from..to]);
    }
    found
}
