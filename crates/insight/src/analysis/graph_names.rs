//! Names for the device work that graphs launched, from traces of the graphs' captures and from our own
//! recorder.
//!
//! While a graph is captured, its kernels are launched one by one, inside operators and modules, but not
//! executed. A replay executes them by one launch. The names of both sequences pair them:
//!
//! - `captures` finds the captured graphs of a trace, `taken` what is around each captured launch;
//! - `replays` finds the launches of graphs in the trace that is shown;
//! - `choose` finds the capture of a launch, `pairing` and `align` the partners, `naming` what these give;
//! - `recorded` reads the names that our recorder noted.
//!
//! Nothing is guessed: a launch of which less than 95 % agrees with a capture has no names, and of several
//! possible partners only what they have in common is a name. Must not know how the names are shown.

mod align;
mod captures;
mod choose;
mod key;
mod naming;
mod pairing;
mod recorded;
mod records;
mod replays;
mod sizes;
mod taken;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_trace::model::{GraphLaunch, GraphLevel, GraphName, GraphRecord, Kept, SliceId, Trace, Unnamed};

pub use captures::Captures;
pub use recorded::add_recorded;

use choose::{Choice, Chooser};
use naming::Named;
use records::Records;
use replays::{Replay, Replays};

/// What captures give for the device work of a trace: outcomes for launches, and names, whose texts are
/// numbers in the strings of the captures.
#[derive(Debug, Default)]
struct Found {
    launches: Vec<GraphLaunch>,
    names: Vec<(SliceId, GraphLevel, GraphRecord)>,
    lost_after: Vec<SliceId>,
}

/// True if the trace has launch calls of graphs with device work, for which names can be looked for.
pub(crate) fn has_launches(trace: &Trace) -> bool {
    replays::launches(trace).iter().any(|(launch, _)| launch.is_some())
}

/// Adds what `captures` give for the device work of a trace to its `graph_names`: names, and an outcome for
/// each launch of a graph. Work that has a name keeps it, unless a capture gives one of a surer level. Drops
/// what was computed from the trace and kept.
pub fn add(trace: &mut Trace, captures: &Captures) {
    let found = find(trace, captures);
    let mut records = Records::of(std::mem::take(&mut trace.graph_names));
    let first_file = saturate::<u32>(records.names.files.len());
    records.names.files.extend(captures.files.iter().map(|file| file.path.clone()));
    let file = |file: Option<u32>| file.map(|file| file + first_file);
    let mut names: Vec<GraphName> = Vec::with_capacity(found.names.len());
    for (work, level, record) in found.names {
        let mut text = |id: StrId| trace.strings.intern(captures.strings.bytes(id));
        let record = GraphRecord {
            operator: text(record.operator),
            shapes: text(record.shapes),
            module: text(record.module),
            class: text(record.class),
            frame: text(record.frame),
            annotation: text(record.annotation),
            file: file(record.file),
        };
        names.push(GraphName { work, level, record: records.number(record) });
    }
    let mut named = records.names;
    let launches = found.launches.into_iter().map(|launch| GraphLaunch { file: file(launch.file), ..launch });
    named.launches.extend(launches);
    named.launches.sort_by_key(|launch| (trace.slices.start[launch.first], launch.first));
    named.lost_after.extend(found.lost_after);
    named.lost_after.sort_unstable();
    named.lost_after.dedup();
    named.add(names);
    trace.graph_names = named;
    // The trace has new strings.
    trace.kept = Kept::default();
}

/// Finds the names that captures give to the device work of a trace, and the outcome for each launch of a
/// graph; launches all of whose work has a name are left out.
fn find(trace: &Trace, captures: &Captures) -> Found {
    let mut found = Found::default();
    if captures.is_empty() {
        return found;
    }
    let replays = Replays::of(trace, &captures.strings);
    let mut chooser = Chooser::new(trace, captures, &replays);
    // Launches of the same work that replay the same capture are paired once.
    let mut known: FxHashMap<(u32, Choice), Named> = FxHashMap::default();
    for (at, replay) in replays.all.iter().enumerate() {
        if replay.work.iter().all(|&id| trace.graph_names.of(id).is_some()) {
            continue;
        }
        let (choice, fit) = match chooser.choose(at) {
            Ok(chosen) => chosen,
            Err(why) => {
                found.launches.push(refused(replay, why));
                continue;
            }
        };
        let named = known.entry((replay.sequence, choice.clone())).or_insert_with(|| {
            let graphs: Vec<_> = choice.graphs.iter().map(|&graph| &captures.graphs[graph]).collect();
            Named::of(&replays.sequences[replay.sequence as usize], &graphs, fit, choice.has_shapes)
        });
        let files = || choice.graphs.iter().map(|&graph| captures.graphs[graph].file);
        let file = files().next().filter(|&first| files().all(|file| file == first));
        found.launches.push(GraphLaunch {
            outcome: Ok(named.level),
            pairs: named.pairs,
            ambiguous: named.ambiguous,
            without: named.without,
            left_over: named.left_over,
            file,
            ..refused(replay, Unnamed::Unlike)
        });
        let with_name = replay.work.iter().zip(&named.names);
        found
            .names
            .extend(with_name.filter_map(|(&id, name)| name.map(|(level, record)| (id, level, record))));
        found.lost_after.extend(named.lost_after.iter().map(|&at| replay.work[at]));
    }
    found
}

/// The outcome for a launch whose work gets no names, for the reason `why`.
fn refused(replay: &Replay, why: Unnamed) -> GraphLaunch {
    GraphLaunch {
        launch: replay.launch,
        first: replay.work[0],
        work: saturate::<u32>(replay.work.len()),
        outcome: Err(why),
        pairs: 0,
        ambiguous: 0,
        without: saturate::<u32>(replay.work.len()),
        left_over: 0,
        file: None,
    }
}
