//! Which kernels of several ranks belong to one collective: the arguments of events state the process group
//! and the number of the collective in it.
//!
//! Must not know clocks or findings.

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_base::text::SafeText;
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{Origin, SliceId, Trace, WorkerId};

use crate::analysis::part::Part;
use crate::analysis::part::scope::Scope;
use crate::analysis::part::work::{self, WorkKind};

/// One rank's kernel in a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub worker: WorkerId,
    pub kernel: SliceId,
}

/// A collective with its kernels on several ranks, one a rank, in order of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    /// The process group, the same number for collectives of one group.
    pub group: StrId,
    pub members: Vec<Member>,
}

/// The collectives of a trace of several ranks in which every member waits for all others, such as
/// all-reduces.
#[derive(Debug, Default)]
pub struct Collectives {
    /// Those with two members and more, in order of groups and numbers.
    pub(crate) all: Vec<Collective>,
    /// Why the events could not be read, in words; empty where they could.
    pub(crate) failure: String,
}

/// A collective on one rank: its group, its number in the group, and how many kernels of the rank with that
/// number were before.
type Key = (StrId, i64, u32);

/// What the arguments of an event state.
#[derive(Clone, Copy)]
struct Stated {
    group: StrId,
    number: i64,
    is_symmetrical: bool,
}

impl Collectives {
    /// Reads from the trace's files which kernels of the ranks in `scope` belong together. Reads nothing for
    /// a trace of one rank. If reading fails, the reason is kept.
    pub(crate) fn read(trace: &Trace, texts: &Texts, scope: &Scope) -> Self {
        if trace.meta.workers.len() < 2 {
            return Self::default();
        }
        match read(trace, texts, scope) {
            Ok(all) => Self { all, failure: String::new() },
            Err(error) => Self { all: Vec::new(), failure: error.to_string() },
        }
    }
}

fn read(trace: &Trace, texts: &Texts, scope: &Scope) -> Result<Vec<Collective>, VisitError> {
    let part = Part::new(trace, scope);
    let mut kernels: Vec<(Member, Option<SliceId>)> = Vec::new();
    for device in work::devices(&part) {
        let of_device = device.work.iter().filter(|work| work.kind == Some(WorkKind::Communication));
        kernels.extend(of_device.filter(|work| work.begins).map(|work| {
            let member = Member { worker: device.worker, kernel: work.id };
            (member, work.launch.map(|launch| launch.id))
        }));
    }
    kernels.sort_unstable_by_key(|(member, _)| (trace.slices.start[member.kernel], member.kernel));
    let mut groups = Interner::default();
    let launched: Vec<Launched> = kernels.iter().map(|&(member, launch)| (member.kernel, launch)).collect();
    let stated = read_of_kernels(trace, texts, &launched, |event| stated(event, &mut groups))?;
    let mut counts: FxHashMap<(WorkerId, StrId, i64), u32> = FxHashMap::default();
    let mut found: FxHashMap<Key, Vec<Member>> = FxHashMap::default();
    for (member, _) in kernels {
        let Some(of) = stated.get(&member.kernel).filter(|of| of.is_symmetrical) else { continue };
        let before = counts.entry((member.worker, of.group, of.number)).or_default();
        found.entry((of.group, of.number, *before)).or_default().push(member);
        *before += 1;
    }
    let mut all: Vec<(Key, Vec<Member>)> =
        found.into_iter().filter(|(_, members)| members.len() > 1).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    Ok(all
        .into_iter()
        .map(|((group, ..), mut members)| {
            members.sort_unstable_by_key(|member| member.worker);
            Collective { group, members }
        })
        .collect())
}

/// What is stated of the collective of a kernel, in PyTorch's way; texts are empty where they are not stated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Described {
    /// The kind of collective, such as `allreduce`.
    pub collective: String,
    /// The name of the process group.
    pub group: String,
    /// The ranks of the process group, as a list in JSON.
    pub ranks: String,
    /// The number of ranks of the process group.
    pub size: Option<i64>,
    /// The number of the collective in its process group.
    pub sequence: Option<i64>,
    /// The type of the elements, such as `BFloat16`.
    pub dtype: String,
    /// The number of elements that go in.
    pub elements_in: Option<i64>,
    /// The number of elements that come out.
    pub elements_out: Option<i64>,
}

/// Reads from the trace's files what is stated of the collectives of kernels, by kernel.
///
/// # Errors
/// When a file has changed or cannot be read.
pub(crate) fn describe(
    trace: &Trace,
    texts: &Texts,
    kernels: &[Launched],
) -> Result<FxHashMap<SliceId, Described>, VisitError> {
    read_of_kernels(trace, texts, kernels, |event| {
        let text = |name: &[u8]| {
            let text = event.argument(name).map(RawValue::text).unwrap_or_default();
            SafeText::from_bytes(&text).to_string()
        };
        let number = |name: &[u8]| event.argument(name).and_then(RawValue::integer);
        let found = Described {
            collective: text(b"Collective name"),
            group: text(b"Process Group Name"),
            ranks: text(b"Process Group Ranks"),
            size: number(b"Group size"),
            sequence: number(b"Seq"),
            dtype: text(b"dtype"),
            elements_in: number(b"In msg nelems"),
            elements_out: number(b"Out msg nelems"),
        };
        (found != Described::default()).then_some(found)
    })
}

/// A kernel, and the call that launched it, if known.
pub(crate) type Launched = (SliceId, Option<SliceId>);

/// Reads what the events of kernels state, or else the operators around their launches, by kernel. `read`
/// returns `None` for an event that states nothing.
fn read_of_kernels<T>(
    trace: &Trace,
    texts: &Texts,
    kernels: &[Launched],
    mut read: impl FnMut(&RawEvent<'_, '_>) -> Option<T>,
) -> Result<FxHashMap<SliceId, T>, VisitError>
where
    T: Clone,
{
    let mut found = visit(trace, texts, kernels.iter().map(|&(kernel, _)| kernel), &mut read)?;
    // Where the kernel's event does not state it, that of the operator around its launch may.
    let operator = |launch: Option<SliceId>| {
        let comms = trace.strings.find(b"record_param_comms")?;
        trace.slices.ancestors(launch?).find(|&around| trace.slices.name[around] == comms)
    };
    let without = kernels.iter().filter(|(kernel, _)| !found.contains_key(kernel));
    let around: Vec<(SliceId, SliceId)> =
        without.filter_map(|&(kernel, launch)| Some((kernel, operator(launch)?))).collect();
    let of_operators = visit(trace, texts, around.iter().map(|&(_, around)| around), &mut read)?;
    let stated =
        around.iter().filter_map(|(kernel, around)| Some((*kernel, of_operators.get(around)?.clone())));
    found.extend(stated);
    Ok(found)
}

/// Reads what the events of `slices` state, by slice.
fn visit<T>(
    trace: &Trace,
    texts: &Texts,
    slices: impl Iterator<Item = SliceId>,
    read: &mut impl FnMut(&RawEvent<'_, '_>) -> Option<T>,
) -> Result<FxHashMap<SliceId, T>, VisitError> {
    let mut wanted: Vec<SliceId> = slices.filter(|&id| trace.slices.origin[id] != Origin::NONE).collect();
    wanted.sort_unstable_by_key(|&id| (trace.slices.origin[id], id));
    wanted.dedup();
    let origins: Vec<Origin> = wanted.iter().map(|&id| trace.slices.origin[id]).collect();
    let mut found = FxHashMap::default();
    texts.visit(&origins, |at, event| {
        if let Some(stated) = read(event) {
            found.insert(wanted[at], stated);
        }
    })?;
    Ok(found)
}

/// What an event states, in PyTorch's way; `None` if it lacks the group or the number.
fn stated(event: &RawEvent<'_, '_>, groups: &mut Interner) -> Option<Stated> {
    let number = event.argument(b"Seq")?.integer()?;
    // Versions of PyTorch count the groups of a process: groups of other ranks may have the same name.
    let name = event.argument(b"Process Group Name")?.text();
    let ranks = event.argument(b"Process Group Ranks").map(RawValue::text).unwrap_or_default();
    let group = [&name[..], b" ", &ranks[..]].concat();
    let kind = event.argument(b"Collective name").map(RawValue::text).unwrap_or_default();
    Some(Stated { group: groups.intern(&group), number, is_symmetrical: is_symmetrical(&kind) })
}

/// True for a collective that no rank leaves before all have come, by its name in PyTorch.
fn is_symmetrical(name: &[u8]) -> bool {
    let plain: Vec<u8> = name.iter().filter(|byte| **byte != b'_').map(u8::to_ascii_lowercase).collect();
    ["allreduce", "allgather", "reducescatter", "alltoall", "barrier"]
        .iter()
        .any(|part| memchr::memmem::find(&plain, part.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rank_leaves_a_symmetrical_collective_early() {
        for name in
            ["allreduce", "_allgather_base", "reduce_scatter_tensor_coalesced", "all_to_allv", "barrier"]
        {
            assert!(is_symmetrical(name.as_bytes()), "{name}");
        }
        for name in ["broadcast", "send", "recv", "reduce", "gather", "scatter", ""] {
            assert!(!is_symmetrical(name.as_bytes()), "{name}");
        }
    }
}
