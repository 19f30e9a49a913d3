//! Launch links: from each launching call to all device work with its correlation number.
//!
//! Both are of one file. Only files without correlation numbers are linked by the flows that their producers
//! wrote.

pub(super) mod flows;
mod pair;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::model::{Category, Links, SliceId, Slices};
use proftui_base::heap::{self, NoMemory};
use proftui_base::saturate::saturate;

/// Most entries per call in a large table indexed by correlation number; for sparser numbers there is a hash
/// map instead.
const SPARSE: usize = 8;
const NONE: u32 = u32::MAX;

/// A slice, its file, and its correlation number (0 without one).
#[derive(Clone, Copy)]
struct Correlated {
    id: SliceId,
    file: u16,
    correlation: u32,
}

/// The runtime and driver calls of one file by their correlation numbers. Of several calls with one number,
/// the first to start is kept.
#[derive(Default)]
struct Numbers {
    first: u32,
    /// Index of each call in the list of all calls, or [`NONE`], by correlation number less `first`. Empty
    /// when `map` has the calls.
    table: Vec<u32>,
    map: FxHashMap<u32, u32>,
}

impl Numbers {
    /// An empty index for `count` calls whose correlation numbers are from `first` to `last`.
    fn new(first: u32, last: u32, count: usize) -> Result<Self, NoMemory> {
        let range = last.saturating_sub(first) as usize + 1;
        let mut numbers = Self { first, ..Self::default() };
        if range / SPARSE <= count + 1000 {
            numbers.table = heap::try_filled(NONE, range)?;
        } else {
            heap::fallible(|| numbers.map.try_reserve(count))?;
        }
        Ok(numbers)
    }

    fn entry(&mut self, correlation: u32) -> &mut u32 {
        if self.table.is_empty() {
            return self.map.entry(correlation).or_insert(NONE);
        }
        &mut self.table[(correlation - self.first) as usize]
    }

    fn find(&self, correlation: u32) -> Option<u32> {
        let call = if self.table.is_empty() {
            self.map.get(&correlation)
        } else {
            self.table.get(correlation.checked_sub(self.first)? as usize)
        };
        call.copied().filter(|&call| call != NONE)
    }
}

/// The slices for whose category `is_wanted` is true, with their files and correlation numbers, in order of
/// slice ids.
fn correlated(slices: &Slices, is_wanted: fn(Category) -> bool) -> Result<Vec<Correlated>, NoMemory> {
    let wanted: Vec<bool> = (0..=u8::MAX).map(|category| is_wanted(Category::from_u8(category))).collect();
    let mut found = Vec::new();
    let count = slices.category.iter().filter(|&&category| wanted[usize::from(category)]).count();
    heap::try_reserve(&mut found, count)?;
    for (id, _) in slices.category.iter_with_ids().filter(|&(_, &category)| wanted[usize::from(category)]) {
        let (file, correlation) = (saturate::<u16>(slices.origin[id].file()), slices.correlation[id]);
        found.push(Correlated { id, file, correlation });
    }
    Ok(found)
}

/// Links launches to the device work of the same file with the same correlation number, and counts numbers of
/// calls, and device work, without a counterpart. `drawn` adds (launch, device work) pairs from flows.
///
/// # Errors
/// When there is no memory for the links.
pub(super) fn join(slices: &Slices, drawn: Vec<(SliceId, SliceId)>) -> Result<Links, NoMemory> {
    let (calls, work) = rayon::join(
        || correlated(slices, Category::is_runtime),
        || correlated(slices, Category::is_device_work),
    );
    let (mut calls, work) = (calls?, work?);
    calls.retain(|call| call.correlation != 0);
    let numbers = number(slices, &calls)?;

    // The device work of each call is counted first. Both lists are in order of slice numbers, so the links
    // are sorted, too.
    let launch = |work: &Correlated| {
        let found = || numbers.get(usize::from(work.file))?.find(work.correlation);
        (work.correlation != 0).then(found).flatten()
    };
    let mut launches: Vec<Option<u32>> = heap::try_filled(None, work.len())?;
    let found = launches.par_iter_mut().zip(&work).with_min_len(1 << 14);
    found.for_each(|(found, work)| *found = launch(work));
    let mut ends = heap::try_filled(0_u32, calls.len() + 1)?;
    launches.iter().flatten().for_each(|&call| ends[call as usize + 1] += 1);
    let used = ends.iter().filter(|&&count| count > 0).count();
    for call in 0..calls.len() {
        ends[call + 1] += ends[call];
    }
    let mut forward = heap::try_filled((SliceId::NONE, SliceId::NONE), ends[calls.len()] as usize)?;
    let mut backward = Vec::new();
    heap::try_reserve(&mut backward, forward.len())?;
    for (work, call) in work.iter().zip(&launches) {
        if let &Some(call) = call {
            let at = &mut ends[call as usize];
            forward[*at as usize] = (calls[call as usize].id, work.id);
            *at += 1;
            backward.push((work.id, calls[call as usize].id));
        }
    }
    let mut links = if drawn.is_empty() {
        Links::sorted(forward, backward)
    } else {
        let mut pairs = drawn;
        pairs.retain(|&(_, to)| slices.category(to).is_device_work());
        heap::try_grow(&mut pairs, forward.len())?;
        pairs.append(&mut forward);
        Links::new(pairs)?
    };
    let distinct: usize = numbers
        .iter()
        .map(|numbers| numbers.map.len() + numbers.table.iter().filter(|&&call| call != NONE).count())
        .sum();
    links.orphan_work = (work.len() - links.len()) as u64;
    links.idle_calls = (distinct - used) as u64;
    Ok(links)
}

/// Indexes `calls` by correlation number, one index per file. Of several calls with one number, the first to
/// start is kept.
fn number(slices: &Slices, calls: &[Correlated]) -> Result<Vec<Numbers>, NoMemory> {
    let mut ranges: Vec<(u32, u32, usize)> = Vec::new();
    for call in calls {
        let file = usize::from(call.file);
        if file >= ranges.len() {
            ranges.resize(file + 1, (u32::MAX, 0, 0));
        }
        let (first, last, count) = ranges[file];
        ranges[file] = (first.min(call.correlation), last.max(call.correlation), count + 1);
    }
    let of_range = |&(first, last, count): &(u32, u32, usize)| {
        if count == 0 { Ok(Numbers::default()) } else { Numbers::new(first, last, count) }
    };
    let mut numbers = ranges.iter().map(of_range).collect::<Result<Vec<Numbers>, NoMemory>>()?;
    for (index, call) in (0..).zip(calls) {
        let known = numbers[usize::from(call.file)].entry(call.correlation);
        let start = |index: u32| slices.start[calls[index as usize].id];
        // A driver call may repeat the number of the runtime call around it: the outer one is the launch.
        if *known == NONE || start(index) < start(*known) {
            *known = index;
        }
    }
    Ok(numbers)
}
