//! The table of links: launches with their device work, and the flows that producers record.

use proftui_trace::model::{FlowKind, SliceId};

use crate::dataset::column::{Column, Value};
use crate::dataset::table::Of;

/// A link with its kind, an index into [`KINDS`].
type Link = (SliceId, SliceId, usize);

const KINDS: [&str; 3] = ["launch", "forward_backward", "flow"];

pub(super) static TABLE: Of<Link> = Of {
    name: "links",
    about: "A link from one slice to another: a launch to its device work, or a flow that the producer \
        recorded",
    columns: COLUMNS,
    keys: |source| {
        let launches = source.trace.links.all().iter().map(|&(launch, work)| (launch, work, 0));
        let flows = source
            .trace
            .flows
            .iter()
            .map(|flow| (flow.from, flow.to, if flow.kind == FlowKind::ForwardBackward { 1 } else { 2 }));
        Ok(Box::new(launches.chain(flows)))
    },
};

const COLUMNS: &[Column<Link>] = &[
    Column::trace(),
    Column::worker(|source, link| source.worker_of(source.lane_of(link.0))),
    Column::new(
        "kind",
        "launch: from a call to the device work that it started; forward_backward: from a forward operator \
         to that of its gradient; flow: any other flow",
        Value::OneOf(|| KINDS.to_vec(), |_, link| Some(link.2)),
    ),
    Column::new(
        "from_slice",
        "Number of the slice that the link starts from",
        Value::Int(|_, link| i64::from(link.0.get())),
    ),
    Column::new(
        "to_slice",
        "Number of the slice that the link ends at",
        Value::Int(|_, link| i64::from(link.1.get())),
    ),
];
