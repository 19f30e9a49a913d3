//! The runtime and driver calls of each recording by their correlation numbers.
//!
//! A producer numbers the calls of one process during one recording. A recording here is what one file has of
//! one worker: files that were merged from several processes, or from several recordings of one process, have
//! a number several times.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::import::dialect::launch::{Launches, launches};
use crate::model::{Category, GroupId, SliceId, Trace, WorkerId};
use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::Interner;
use proftui_base::saturate::saturate;
use proftui_base::time::Ns;

/// Most entries per call in a large table indexed by correlation number; for sparser numbers there is a hash
/// map instead.
const SPARSE: usize = 8;
/// How many entries a table may have beyond [`SPARSE`]: little memory even for each of many recordings.
const FEW: usize = 64;
/// With how many launches of one number work is compared, so that no input takes time by the square of its
/// events.
const COMPARED: usize = 1024;
const NONE: u32 = u32::MAX;

/// A slice, the number of its recording, and its correlation number (0 without one).
#[derive(Clone, Copy)]
pub(super) struct Correlated {
    pub id: SliceId,
    pub recording: u32,
    pub correlation: u32,
}

/// The slices for whose category `is_wanted` is true, in order of slice ids. Recordings are numbered as
/// `trace.cycles`.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn correlated(
    trace: &Trace,
    is_wanted: fn(Category) -> bool,
) -> Result<Vec<Correlated>, NoMemory> {
    let slices = &trace.slices;
    let wanted: Vec<bool> = (0..=u8::MAX).map(|category| is_wanted(Category::from_u8(category))).collect();
    let mut found = Vec::new();
    let count = slices.category.iter().filter(|&&category| wanted[usize::from(category)]).count();
    heap::try_reserve(&mut found, count)?;
    let numbered = (0..).zip(&trace.cycles).map(|(number, cycle)| ((cycle.file, cycle.worker), number));
    let numbers: FxHashMap<(u16, WorkerId), u32> = numbered.collect();
    for lane in &trace.lanes {
        let worker = trace.groups[lane.group].worker;
        let mut known = None;
        for id in lane.slices.iter().filter(|&id| wanted[usize::from(slices.category[id])]) {
            let file = saturate::<u16>(slices.origin[id].file());
            let recording = match known {
                Some((of, recording)) if of == file => recording,
                _ => match numbers.get(&(file, worker)) {
                    Some(&recording) => recording,
                    None => continue,
                },
            };
            known = Some((file, recording));
            found.push(Correlated { id, recording, correlation: slices.correlation[id] });
        }
    }
    Ok(found)
}

/// The calls of one recording by their correlation numbers.
#[derive(Default)]
struct Numbers {
    first: u32,
    /// Index of a call in the list of all calls, or [`NONE`], by correlation number less `first`. Empty when
    /// `map` has the calls.
    table: Vec<u32>,
    map: FxHashMap<u32, u32>,
    /// For numbers that several launches have: all of them, in order of start.
    repeated: FxHashMap<u32, Vec<u32>>,
    /// The processes with launches, in order.
    processes: Vec<GroupId>,
}

impl Numbers {
    /// An empty index for `count` calls whose correlation numbers are from `first` to `last`.
    fn new(first: u32, last: u32, count: usize) -> Result<Self, NoMemory> {
        let range = last.saturating_sub(first) as usize + 1;
        let mut numbers = Self { first, ..Self::default() };
        if range / SPARSE <= count + FEW {
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

/// The calls of all recordings that have correlation numbers.
pub(super) struct Calls<'a> {
    pub trace: &'a Trace,
    /// In order of slice ids.
    pub list: Vec<Correlated>,
    /// What each call of `list` can launch.
    launches: Vec<Launches>,
    /// By the number of the recording.
    numbers: Vec<Numbers>,
}

impl<'a> Calls<'a> {
    /// Indexes the calls in `list`, whose names are in `strings`.
    ///
    /// # Errors
    /// When there is no memory for the index.
    pub(super) fn new(
        trace: &'a Trace,
        strings: &Interner,
        mut list: Vec<Correlated>,
    ) -> Result<Self, NoMemory> {
        list.retain(|call| call.correlation != 0);
        let mut of_name = heap::try_filled(None, strings.len())?;
        let launched = |call: &Correlated| {
            let name = trace.slices.name[call.id];
            *of_name[name.index()].get_or_insert_with(|| launches(strings.bytes(name)))
        };
        let launches = heap::try_collect(list.iter().map(launched))?;
        let mut ranges: Vec<(u32, u32, usize)> = Vec::new();
        for call in &list {
            let recording = call.recording as usize;
            if recording >= ranges.len() {
                ranges.resize(recording + 1, (u32::MAX, 0, 0));
            }
            let (first, last, count) = ranges[recording];
            ranges[recording] = (first.min(call.correlation), last.max(call.correlation), count + 1);
        }
        let of_range = |&(first, last, count): &(u32, u32, usize)| {
            if count == 0 { Ok(Numbers::default()) } else { Numbers::new(first, last, count) }
        };
        let numbers = ranges.iter().map(of_range).collect::<Result<Vec<Numbers>, NoMemory>>()?;
        let mut calls = Self { trace, list, launches, numbers };
        for index in 0..saturate::<u32>(calls.list.len()) {
            calls.add(index)?;
        }
        calls.finish();
        Ok(calls)
    }

    fn add(&mut self, index: u32) -> Result<(), NoMemory> {
        let Correlated { recording, correlation, .. } = self.list[index as usize];
        let entry = self.numbers[recording as usize].entry(correlation);
        let known = *entry;
        if known == NONE {
            *entry = index;
            return Ok(());
        }
        let can_launch = self.can_launch(index);
        if can_launch && !self.can_launch(known) {
            *self.numbers[recording as usize].entry(correlation) = index;
            return Ok(());
        }
        if !can_launch {
            return Ok(());
        }
        let all = self.numbers[recording as usize].repeated.get(&correlation);
        let all = all.map_or(std::slice::from_ref(&known), Vec::as_slice);
        // Usually there is no other launch. Calls that are one with another in the middle are found at the
        // end.
        let mut ends = [0, all.len() - 1].into_iter();
        if let Some(at) = ends.find(|&at| self.is_same(all[at], index)) {
            // A driver call may repeat the number of the runtime call around it: the outer one is the launch.
            if self.outer(index) < self.outer(all[at]) {
                let numbers = &mut self.numbers[recording as usize];
                match numbers.repeated.get_mut(&correlation) {
                    Some(all) => all[at] = index,
                    None => *numbers.entry(correlation) = index,
                }
            }
            return Ok(());
        }
        let repeated = &mut self.numbers[recording as usize].repeated;
        heap::fallible(|| repeated.try_reserve(1))?;
        heap::try_push(repeated.entry(correlation).or_insert_with(|| vec![known]), index)
    }

    /// Sorts what [`Calls::add`] gathered, and finds the processes.
    fn finish(&mut self) {
        let mut numbers = std::mem::take(&mut self.numbers);
        for all in numbers.iter_mut().flat_map(|numbers| numbers.repeated.values_mut()) {
            let lane = |call: u32| self.trace.lane_of(self.list[call as usize].id);
            all.sort_by_cached_key(|&call| (lane(call), self.outer(call)));
            all.dedup_by(|next, kept| self.is_same(*kept, *next));
            all.sort_by_key(|&call| (self.start(call), call));
        }
        let mut at = 0;
        for lane in &self.trace.lanes {
            let end = at + self.list[at..].partition_point(|call| call.id < lane.slices.end);
            let mut last = NONE;
            for index in at..end {
                let recording = self.list[index].recording;
                if recording != last && self.launches[index] != Launches::Nothing {
                    last = recording;
                    let processes = &mut numbers[recording as usize].processes;
                    if let Err(at) = processes.binary_search(&lane.group) {
                        processes.insert(at, lane.group);
                    }
                }
            }
            at = end;
        }
        self.numbers = numbers;
    }

    fn can_launch(&self, call: u32) -> bool {
        self.launches[call as usize] != Launches::Nothing
    }

    fn start(&self, call: u32) -> Ns {
        self.trace.slices.start[self.list[call as usize].id]
    }

    /// Orders calls of one thread such that the outer of two comes first.
    fn outer(&self, call: u32) -> (Ns, Reverse<Ns>) {
        let span = self.trace.slices.span(self.list[call as usize].id);
        (span.start, Reverse(span.end))
    }

    /// The group of a slice: a process or a device.
    pub(super) fn group(&self, id: SliceId) -> GroupId {
        self.trace.lanes[self.trace.lane_of(id)].group
    }

    /// The process of a call.
    pub(super) fn process(&self, call: u32) -> GroupId {
        self.group(self.list[call as usize].id)
    }

    /// True if two calls with one number are one launch: calls of one thread that overlap in time.
    fn is_same(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.list[a as usize].id, self.list[b as usize].id);
        let (in_a, in_b) = (self.trace.slices.span(a), self.trace.slices.span(b));
        let overlap = in_a.start < in_b.end && in_b.start < in_a.end || in_a.start == in_b.start;
        overlap && self.trace.lane_of(a) == self.trace.lane_of(b)
    }

    /// How many recordings have numbers.
    pub(super) fn recordings(&self) -> usize {
        self.numbers.len()
    }

    /// The processes of a recording that have launches, in order.
    pub(super) fn processes(&self, recording: u32) -> &[GroupId] {
        self.numbers.get(recording as usize).map_or(&[], |numbers| &numbers.processes)
    }

    /// How many correlation numbers the calls of all recordings have; a number that several launches of a
    /// recording have counts for each.
    pub(super) fn numbers(&self) -> usize {
        let of = |numbers: &Numbers| {
            let again: usize = numbers.repeated.values().map(|all| all.len() - 1).sum();
            again + numbers.map.len() + numbers.table.iter().filter(|&&call| call != NONE).count()
        };
        self.numbers.iter().map(of).sum()
    }

    /// The launches with the number of `work`, in order of start, as indices in the list.
    pub(super) fn candidates(&self, work: &Correlated) -> Candidates<'_> {
        let numbers = self.numbers.get(work.recording as usize).filter(|_| work.correlation != 0);
        let all = numbers.and_then(|numbers| numbers.repeated.get(&work.correlation));
        if let Some(all) = all {
            return Candidates::Several(all);
        }
        let found = numbers.and_then(|numbers| numbers.find(work.correlation));
        found.filter(|&call| self.can_launch(call)).map_or(Candidates::None, Candidates::One)
    }

    /// Of the `candidates` for which `is_wanted` is true, the last that starts by the start of `work`, if
    /// possible one that can launch work of its category; without an earlier one, the first later one.
    pub(super) fn nearest(
        &self,
        work: &Correlated,
        candidates: &[u32],
        is_wanted: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let (start, category) = (self.trace.slices.start[work.id], self.trace.slices.category(work.id));
        let begun = candidates.partition_point(|&call| self.start(call) <= start);
        let (before, after) = candidates.split_at(begun);
        let wanted = |&call: &u32| is_wanted(call);
        let earlier = || before.iter().rev().take(COMPARED).copied().filter(wanted);
        let fits = |&call: &u32| self.launches[call as usize].fits(category);
        let later = || after.iter().take(COMPARED).copied().find(wanted);
        earlier().find(fits).or_else(|| earlier().next()).or_else(later)
    }

    /// True if `call` could launch `work` by its start and its name.
    pub(super) fn is_possible(&self, call: u32, work: &Correlated) -> bool {
        let (start, category) = (self.trace.slices.start[work.id], self.trace.slices.category(work.id));
        self.start(call) <= start && self.launches[call as usize].fits(category)
    }
}

/// The launches that have the number of some device work.
pub(super) enum Candidates<'a> {
    None,
    One(u32),
    Several(&'a [u32]),
}

impl Candidates<'_> {
    pub(super) fn as_slice(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(call) => std::slice::from_ref(call),
            Self::Several(calls) => calls,
        }
    }

    /// The first [`COMPARED`] of them.
    pub(super) fn first_ones(&self) -> &[u32] {
        let all = self.as_slice();
        &all[..all.len().min(COMPARED)]
    }
}
