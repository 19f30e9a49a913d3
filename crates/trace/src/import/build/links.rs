//! Launch links: from each launching call to all device work with its correlation number.
//!
//! Both are of one recording. Of several launches with one number, one of the process that owns the work is
//! taken, if that is known, and the last before the work that can launch it, if there is one. Only files
//! without correlation numbers are linked by the flows that their producers wrote.

mod calls;
pub(super) mod flows;
mod owner;
mod pair;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::model::{Category, Links, SliceId, Trace};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::Interner;

use self::calls::{Calls, Candidates, Correlated, correlated};
use self::owner::Owners;

/// The links, and for how many kernels, copies and memsets launches of several processes remain.
pub(super) struct Joined {
    pub links: Links,
    pub ambiguous: u64,
}

/// Links launches to the device work of the same recording with the same correlation number, and counts
/// numbers of calls, and device work, without a counterpart. `drawn` adds (launch, device work) pairs from
/// flows; `strings` has the names of slices. `is_recorded` says for each file whether it is proftui's.
///
/// # Errors
/// When there is no memory for the links.
pub(super) fn join(
    trace: &Trace,
    strings: &Interner,
    is_recorded: &[bool],
    drawn: Vec<(SliceId, SliceId)>,
) -> Result<Joined, NoMemory> {
    let (calls, work) = rayon::join(
        || correlated(trace, Category::is_runtime),
        || correlated(trace, Category::is_device_work),
    );
    let (calls, work) = (Calls::new(trace, strings, calls?)?, work?);
    let is_recorded: Vec<bool> =
        trace.cycles.iter().map(|cycle| is_recorded[usize::from(cycle.file)]).collect();
    let owners = Owners::of(&calls, &is_recorded, &work);

    // The device work of each call is counted first. Both lists are in order of slice numbers, so the links
    // are sorted, too.
    let ambiguous = AtomicU64::new(0);
    let mut launches: Vec<Option<u32>> = heap::try_filled(None, work.len())?;
    let found = launches.par_iter_mut().zip(&work).with_min_len(1 << 14);
    found.for_each(|(found, work)| *found = launch(&calls, &is_recorded, &owners, work, &ambiguous));
    let mut ends = heap::try_filled(0_u32, calls.list.len() + 1)?;
    launches.iter().flatten().for_each(|&call| ends[call as usize + 1] += 1);
    let used = ends.iter().filter(|&&count| count > 0).count();
    for call in 0..calls.list.len() {
        ends[call + 1] += ends[call];
    }
    let mut forward = heap::try_filled((SliceId::NONE, SliceId::NONE), ends[calls.list.len()] as usize)?;
    let mut backward = Vec::new();
    heap::try_reserve(&mut backward, forward.len())?;
    for (work, call) in work.iter().zip(&launches) {
        if let &Some(call) = call {
            let at = &mut ends[call as usize];
            forward[*at as usize] = (calls.list[call as usize].id, work.id);
            *at += 1;
            backward.push((work.id, calls.list[call as usize].id));
        }
    }
    let mut links = if drawn.is_empty() {
        Links::sorted(forward, backward)
    } else {
        let mut pairs = drawn;
        pairs.retain(|&(_, to)| trace.slices.category(to).is_device_work());
        heap::try_grow(&mut pairs, forward.len())?;
        pairs.append(&mut forward);
        Links::new(pairs)?
    };
    links.orphan_work = (work.len() - links.len()) as u64;
    links.idle_calls = calls.numbers().saturating_sub(used) as u64;
    Ok(Joined { links, ambiguous: ambiguous.into_inner() })
}

/// The launch of `work`, as an index in the list of calls; `None` without one. `is_recorded` says for each
/// recording whether it is proftui's. Counts in `ambiguous` where launches of several processes remain, of
/// which the nearest is taken ([`Calls::nearest`]).
fn launch(
    calls: &Calls<'_>,
    is_recorded: &[bool],
    owners: &[Option<Owners>],
    work: &Correlated,
    ambiguous: &AtomicU64,
) -> Option<u32> {
    let candidates = calls.candidates(work);
    let owners = owners.get(work.recording as usize).and_then(Option::as_ref);
    match (&candidates, owners) {
        (Candidates::None, _) => None,
        // The recorder repeats no number: as it does, the first is taken.
        (all, _) if is_recorded.get(work.recording as usize) == Some(&true) => {
            all.as_slice().first().copied()
        }
        (Candidates::One(call), None) => Some(*call),
        (_, None) => calls.nearest(work, candidates.as_slice(), |_| true),
        (_, Some(owners)) => {
            let all = candidates.as_slice();
            if let Some(owner) = owners.process(calls, work) {
                return calls.nearest(work, all, |call| calls.process(call) == owner);
            }
            if candidates.first_ones().iter().any(|&call| calls.process(call) != calls.process(all[0])) {
                ambiguous.fetch_add(1, Ordering::Relaxed);
            }
            calls.nearest(work, all, |_| true)
        }
    }
}
