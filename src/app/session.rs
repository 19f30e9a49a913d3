//! A loaded trace with everything that the explorer computes from it once: the index of its rows, the idle
//! time of its devices, the order of its lanes, the rows of the minimap, the frequency of names, the short
//! names of kernels. Also defines the selection.
//!
//! Must not know the screen.

pub mod loading;
pub mod order;
pub mod renumber;
pub mod roles;
pub mod source;
pub mod traces;
use std::mem::take;
use std::sync::Arc;

use proftui_base::dispose::dispose;
use proftui_base::ids::{Column, Ids};
use proftui_base::intern::StrId;
use proftui_base::time::Span;
use proftui_insight::analysis::ledger::{DeviceLedger, Ledger};
use proftui_insight::analysis::search::name_counts;
use proftui_insight::analysis::vocabulary::short_names::ShortNames;
use proftui_trace::import::{Loaded, Texts};
use proftui_trace::index::Index;
use proftui_trace::model::{GroupId, GroupKind, LaneKind, RowId, SliceId, Trace};

use crate::app::session::order::Order;
use crate::app::session::roles::Roles;

/// A loaded trace or a snapshot, with what the explorer computes from it once.
#[derive(Debug)]
pub struct Session {
    /// The trace as it was loaded.
    pub trace: Trace,
    /// The texts of the trace's files, from which an event's arguments are read again.
    pub texts: Texts,
    /// The index of the trace's rows.
    pub index: Index,
    /// The idle time of the trace's devices, by cause.
    pub ledger: Arc<Ledger>,
    /// The order in which groups and lanes are shown at first.
    pub order: Arc<Order>,
    /// What lanes are for.
    pub roles: Arc<Roles>,
    /// The short names of kernels.
    pub short_names: Arc<ShortNames>,
    /// All rows of the streams of the trace's devices.
    pub device_rows: Vec<RowId>,
    /// The rows from which the minimap computes how busy host threads are.
    pub host_rows: Vec<RowId>,
    /// How many slices have each name, by the number of the name in the trace's strings.
    pub name_counts: Column<StrId, u32>,
}

/// From this number of slices, lanes and strings together on, a session is usually freed on a new thread.
const DISPOSED_PARTS: usize = 10_000;

impl Drop for Session {
    fn drop(&mut self) {
        if self.trace.slices.len() + self.trace.lanes.len() + self.trace.strings.len() >= DISPOSED_PARTS {
            let parts = (take(&mut self.trace), take(&mut self.texts), take(&mut self.index));
            dispose((parts, take(&mut self.ledger), take(&mut self.name_counts)));
        }
    }
}

impl Session {
    /// Makes a session of a loaded trace, and computes the rest of its fields.
    pub fn new(loaded: Loaded) -> Self {
        let Loaded { trace, texts } = loaded;
        let (index, (ledger, short_names)) =
            rayon::join(|| Index::build(&trace), || (Ledger::of(&trace), Arc::new(ShortNames::of(&trace))));
        let (device_rows, host_rows) = (device_rows(&trace), host_rows(&trace));
        let name_counts = name_counts(&trace);
        let order = Arc::new(Order::of(&trace, &index, &ledger));
        let roles = Arc::new(Roles::of(&trace, &order));
        Self { trace, texts, index, ledger, order, roles, short_names, device_rows, host_rows, name_counts }
    }

    /// The idle time of the device with this group; none for a group without device work.
    pub fn device(&self, group: GroupId) -> Option<&DeviceLedger> {
        self.ledger.devices.iter().find(|device| device.group == group)
    }
}

/// The slice, gap or instant that is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// A slice: an event with a start and a length.
    Slice(SliceId),
    /// A gap: a time range of a row that no slice covers.
    Gap(RowId, Span),
    /// A gap of a device, by the device's group: a time in which none of its streams has work.
    Idle(GroupId, Span),
    /// An instant, by its index in `Trace::instants`.
    Instant(u32),
}

/// All rows of the streams of all devices.
fn device_rows(trace: &Trace) -> Vec<RowId> {
    let is_stream = |lane: &&proftui_trace::model::Lane| {
        lane.kind == LaneKind::Stream && trace.groups[lane.group].kind == GroupKind::Device
    };
    trace.lanes.iter().filter(is_stream).flat_map(|lane| lane.rows).collect()
}

/// The rows by which host threads count as busy: usually all but the outermost row of each thread.
fn host_rows(trace: &Trace) -> Vec<RowId> {
    let rows = |kind: LaneKind| -> Vec<RowId> {
        let lanes = trace.lanes.iter().filter(|lane| lane.kind == kind);
        let below =
            |rows: Ids<RowId>| if rows.len() > 1 { Ids::from(rows.start + 1..rows.end) } else { rows };
        lanes.flat_map(|lane| below(lane.rows)).collect()
    };
    let threads = rows(LaneKind::Thread);
    // A recording of phases alone has them on lanes of Python.
    if threads.is_empty() { rows(LaneKind::Python) } else { threads }
}
