//! The busy time of all devices in adjacent columns of time, for the minimap; each column has the figures
//! that [`DeviceTime`](crate::analysis::part::device_time::DeviceTime) has of the same part.
//!
//! One pass over the device work in order of time, without a copy of it. Must not know the screen.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use rayon::prelude::*;

use proftui_base::ids::IdIter;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{LaneKind, SliceId, Trace};

use crate::analysis::part::run::Run;

/// The busy and the recorded time of all devices in one column, an interval of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The time in which at least one kernel, copy or memset ran on a device, added up over devices, ns.
    pub busy: Ns,
    /// The recorded time, added up over the devices that have work in the trace, ns.
    pub recorded: Ns,
}

impl Column {
    /// Busy time as a share of the recorded time, 0 to 1; 0 if nothing was recorded.
    pub fn share(self) -> f32 {
        if self.recorded > 0 { saturate::<f32>(self.busy as f64 / self.recorded as f64) } else { 0.0 }
    }
}

/// Measures the busy and the recorded time of all devices in each column between consecutive `edges` (ns,
/// ascending).
pub fn columns(trace: &Trace, edges: &[Ns]) -> Vec<Column> {
    let empty = || vec![Column::default(); edges.len().saturating_sub(1)];
    let of_device = |group: &proftui_trace::model::Group| {
        let lanes = group.lanes.iter().map(|lane| &trace.lanes[lane]);
        let rows = lanes.filter(|lane| lane.kind == LaneKind::Stream).flat_map(|lane| lane.rows);
        let rows: Vec<_> = rows.map(|row| trace.rows[row].slices().iter()).collect();
        let mut columns = empty();
        let mut is_device = false;
        union_of(trace, rows, |span| {
            is_device = true;
            spread(edges, span, |at, time| columns[at].busy = time.saturating_add(columns[at].busy));
        });
        if is_device {
            for &window in &Run::of(trace, group.worker).recorded {
                spread(edges, window, |at, time| {
                    columns[at].recorded = time.saturating_add(columns[at].recorded);
                });
            }
        }
        columns
    };
    let add = |mut all: Vec<Column>, one: Vec<Column>| {
        for (sum, column) in all.iter_mut().zip(one) {
            sum.busy = sum.busy.saturating_add(column.busy);
            sum.recorded = sum.recorded.saturating_add(column.recorded);
        }
        all
    };
    trace.groups.par_iter().map(of_device).reduce(empty, add)
}

/// Calls `visit` for each span of the union of the device work in `rows`, in order of time. Each row must be
/// sorted by start.
fn union_of(trace: &Trace, rows: Vec<IdIter<SliceId>>, mut visit: impl FnMut(Span)) {
    let slices = &trace.slices;
    let next = |row: &mut IdIter<SliceId>| {
        row.find(|&id| slices.category(id).is_device_work() && slices.dur[id] > 0)
    };
    let mut rows = rows;
    let mut heads = BinaryHeap::new();
    for (number, row) in rows.iter_mut().enumerate() {
        heads.extend(next(row).map(|id| Reverse((slices.start[id], number, id))));
    }
    let mut open: Option<Span> = None;
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((start, number, id)) = *head;
        // Most devices have one row: replacing the only head moves nothing.
        match next(&mut rows[number]) {
            Some(id) => *head = Reverse((slices.start[id], number, id)),
            None => drop(PeekMut::pop(head)),
        }
        match &mut open {
            Some(span) if start <= span.end => span.end = span.end.max(slices.end(id)),
            _ => {
                let ended = open.replace(slices.span(id));
                ended.into_iter().for_each(&mut visit);
            }
        }
    }
    open.into_iter().for_each(visit);
}

/// Calls `add` with the index of each column between consecutive `edges` that `span` overlaps, and the
/// overlap, ns.
fn spread(edges: &[Ns], span: Span, mut add: impl FnMut(usize, Ns)) {
    let first = edges.partition_point(|&edge| edge <= span.start).saturating_sub(1);
    for (at, edge) in edges.windows(2).enumerate().skip(first) {
        if edge[0] >= span.end {
            break;
        }
        let time = span.end.min(edge[1]).saturating_sub(span.start.max(edge[0]));
        if time > 0 {
            add(at, time);
        }
    }
}
