//! The names that our own recorder noted when a program created the nodes of a graph; they are in the
//! arguments of the device work.
//!
//! Must not know captures.

use proftui_base::saturate::saturate;
use proftui_trace::import::{Texts, VisitError};
use proftui_trace::model::{GraphLaunch, GraphLevel, GraphName, GraphRecord, Kept, Origin, SliceId, Trace};

use super::records::Records;
use super::replays::launches;

/// The key in a recording's header under which stands how many pieces of graph work have names.
const NAMED: &str = "proftui.gpu.graph_work_named";

/// Adds to a trace's `graph_names` the names that our recorder wrote into the arguments of graph work, and
/// the launches with such names.
///
/// # Errors
/// When the trace's files have changed or cannot be read again.
pub fn add_recorded(trace: &mut Trace, texts: &Texts) -> Result<(), VisitError> {
    // The header is that of the first file: of several files, any may have names.
    let has_names = trace.meta.files.len() > 1 || trace.meta.header.iter().any(|(key, _)| key == NAMED);
    if !trace.meta.producer.starts_with("proftui") || !has_names {
        return Ok(());
    }
    let launches = launches(trace);
    let origin = |id: SliceId| trace.slices.origin[id];
    let mut wanted: Vec<SliceId> = launches.iter().flat_map(|(_, work)| work.iter().copied()).collect();
    wanted.retain(|&id| origin(id) != Origin::NONE);
    wanted.sort_unstable_by_key(|&id| origin(id));
    let origins: Vec<Origin> = wanted.iter().map(|&id| origin(id)).collect();
    let mut read: Vec<(SliceId, Vec<u8>, Vec<u8>)> = Vec::new();
    texts.visit(&origins, |at, event| {
        let text =
            |name: &[u8]| event.argument(name).map(|value| value.text().into_owned()).unwrap_or_default();
        let (operator, range) = (text(b"graph operator"), text(b"graph range"));
        if !operator.is_empty() || !range.is_empty() {
            read.push((wanted[at], operator, range));
        }
    })?;
    if read.is_empty() {
        return Ok(());
    }
    let mut records = Records::of(std::mem::take(&mut trace.graph_names));
    let mut names: Vec<GraphName> = Vec::new();
    for (work, operator, range) in read {
        let [operator, annotation] = [operator, range].map(|text| trace.strings.intern(&text));
        let record = GraphRecord { operator, annotation, ..GraphRecord::default() };
        names.push(GraphName { work, level: GraphLevel::Recorded, record: records.number(record) });
    }
    names.sort_unstable_by_key(|name| name.work);
    let mut found = records.names;
    for (launch, work) in launches {
        let Some(first) = work.iter().copied().min_by_key(|&id| (trace.slices.start[id], id)) else {
            continue;
        };
        let has_name = |id: &&SliceId| names.binary_search_by_key(*id, |name| name.work).is_ok();
        let named = work.iter().filter(has_name).count();
        if named > 0 {
            found.launches.push(GraphLaunch {
                launch,
                first,
                work: saturate::<u32>(work.len()),
                outcome: Ok(GraphLevel::Recorded),
                pairs: saturate::<u32>(named),
                ambiguous: 0,
                without: saturate::<u32>(work.len() - named),
                left_over: 0,
                file: None,
            });
        }
    }
    found.add(names);
    trace.graph_names = found;
    // The trace has new strings.
    trace.kept = Kept::default();
    Ok(())
}
