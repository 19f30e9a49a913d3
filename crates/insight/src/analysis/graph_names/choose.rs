//! Which capture a launch replays: of its rank, of the size of its step, and with the same work. The work
//! decides, never the annotation alone.
//!
//! Graphs of one model are often alike, as those of its layers are. Then the order of the launches of a step
//! decides, if it is that of the captures. Must not know what a capture gives.

use rustc_hash::FxHashMap;

use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_trace::model::{Trace, Unnamed};

use super::captures::{Captures, Graph};
use super::key::Key;
use super::pairing::Fit;
use super::replays::{Replay, Replays};

/// The captured graphs of which a launch may be a replay; all have the same keys in the same order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Choice {
    /// The indices of the graphs in `Captures::graphs`, ascending.
    pub graphs: Vec<usize>,
    /// True if names may have input shapes: none of the graphs was captured for a smaller size than the
    /// launch's step states.
    pub has_shapes: bool,
}

/// Finds, for each launch of a graph, the captured graphs of which it may be a replay.
pub(super) struct Chooser<'a> {
    trace: &'a Trace,
    captures: &'a Captures,
    replays: &'a Replays,
    /// For each graph, a number for its list of keys: graphs with equal lists have the same number.
    forms: Vec<u32>,
    /// The known agreements of launches with graphs, by the number of the launch's sequence and the graph's
    /// number in `forms`.
    fits: FxHashMap<(u32, u32), Fit>,
    /// The indices of all launches, one list for each [`Replay::row`], in order of time.
    launched: Vec<Vec<usize>>,
    /// The indices of all graphs, one list for each file, size and mode, in the order of `Captures::graphs`.
    captured: Vec<Vec<usize>>,
    /// For each launch, its position in its list of `launched`.
    launch_at: Vec<usize>,
    /// For each graph, the index of its list in `captured`, and its position in that list.
    graph_at: Vec<(usize, usize)>,
    /// By the indices of a list of `launched` and a list of `captured`: the position in the latter of the
    /// graph that the first launch replays, if known.
    offsets: FxHashMap<(u32, usize), Option<usize>>,
}

/// The graphs with the largest share ([`Fit::share`]) of keys that agree with a launch: one, several or none.
fn most_alike(fits: &[(usize, Fit)]) -> Vec<usize> {
    let mut best: Vec<(usize, (usize, usize))> = Vec::new();
    for (graph, share) in fits.iter().filter_map(|&(graph, fit)| Some((graph, fit.share()?))) {
        // Shares are compared exactly: agreeing keys by the length of the longer sequence.
        let (one, other) = best.first().map_or((1, 0), |best| (share.0 * best.1.1, best.1.0 * share.1));
        if one > other {
            best.clear();
        }
        if one >= other {
            best.push((graph, share));
        }
    }
    best.into_iter().map(|(graph, _)| graph).collect()
}

impl<'a> Chooser<'a> {
    pub(super) fn new(trace: &'a Trace, captures: &'a Captures, replays: &'a Replays) -> Self {
        let mut known: FxHashMap<&[Key], u32> = FxHashMap::default();
        let mut form = |graph: &'a Graph| {
            let next = saturate::<u32>(known.len());
            *known.entry(graph.keys.as_slice()).or_insert(next)
        };
        let forms = captures.graphs.iter().map(&mut form).collect();
        let mut rows: FxHashMap<(u32, Option<u64>, StrId), usize> = FxHashMap::default();
        let (mut captured, mut graph_at): (Vec<Vec<usize>>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
        for (at, graph) in captures.graphs.iter().enumerate() {
            let next = captured.len();
            let row = *rows.entry((graph.file, graph.size, graph.mode)).or_insert(next);
            if row == next {
                captured.push(Vec::new());
            }
            graph_at.push((row, captured[row].len()));
            captured[row].push(at);
        }
        let begin = |replay: &Replay| trace.slices.start[replay.launch.unwrap_or(replay.work[0])];
        let number = replays.all.iter().map(|replay| replay.row as usize + 1).max().unwrap_or_default();
        let mut launched: Vec<Vec<usize>> = vec![Vec::new(); number];
        let mut launch_at = vec![0; replays.all.len()];
        replays.all.iter().enumerate().for_each(|(at, replay)| launched[replay.row as usize].push(at));
        for row in &mut launched {
            row.sort_by_key(|&at| begin(&replays.all[at]));
            row.iter().enumerate().for_each(|(position, &at)| launch_at[at] = position);
        }
        let (fits, offsets) = (FxHashMap::default(), FxHashMap::default());
        Self { trace, captures, replays, forms, fits, launched, captured, launch_at, graph_at, offsets }
    }

    /// The graphs of which the launch with index `launch` may be a replay, and how they agree with it.
    ///
    /// # Errors
    /// When no graph can be chosen, with the reason.
    pub(super) fn choose(&mut self, launch: usize) -> Result<(Choice, Fit), Unnamed> {
        let replay = &self.replays.all[launch];
        let graphs = self.candidates(replay);
        if graphs.is_empty() {
            return Err(Unnamed::NoCapture);
        }
        let fits: Vec<(usize, Fit)> =
            graphs.into_iter().map(|graph| (graph, self.fit(launch, graph))).collect();
        let mut chosen: Vec<usize> =
            fits.iter().filter(|(_, fit)| *fit == Fit::Equal).map(|&(graph, _)| graph).collect();
        if chosen.is_empty() {
            chosen = most_alike(&fits);
        }
        if chosen.is_empty() {
            let in_order = fits.iter().filter(|(_, fit)| *fit == Fit::InOrder).map(|&(graph, _)| graph);
            chosen.extend(in_order.filter(|&graph| self.triton_agrees(replay, graph)));
        }
        if chosen.len() > 1 {
            self.narrow(launch, &mut chosen);
        }
        let &first = chosen.first().ok_or(Unnamed::Unlike)?;
        if chosen.iter().any(|&graph| self.forms[graph] != self.forms[first]) {
            return Err(Unnamed::Ambiguous);
        }
        let size = |graph: &usize| self.captures.graphs[*graph].size;
        let is_small = |graph: &usize| replay.size.zip(size(graph)).is_some_and(|(step, size)| size < step);
        let has_shapes = !chosen.iter().any(is_small);
        let fit = self.fit(launch, first);
        Ok((Choice { graphs: chosen, has_shapes }, fit))
    }

    /// The indices of the graphs that a launch may replay by its rank and usually by its size, as far as
    /// these are known.
    fn candidates(&self, replay: &Replay) -> Vec<usize> {
        let graphs = &self.captures.graphs;
        let is_of_rank = |graph: &&usize| {
            let rank = self.captures.files[graphs[**graph].file as usize].rank;
            rank.zip(replay.rank).is_none_or(|(one, other)| one == other)
        };
        let numbers: Vec<usize> = (0..graphs.len()).collect();
        let mut found: Vec<usize> = numbers.iter().filter(is_of_rank).copied().collect();
        let smallest = replay.size.and_then(|step| {
            let sizes = found.iter().filter_map(|&graph| graphs[graph].size);
            sizes.filter(|&size| size >= step).min()
        });
        if let Some(smallest) = smallest {
            found.retain(|&graph| graphs[graph].size.is_none_or(|size| size == smallest));
        }
        found
    }

    fn fit(&mut self, launch: usize, graph: usize) -> Fit {
        let sequence = self.replays.all[launch].sequence;
        let (sequences, graphs) = (&self.replays.sequences, &self.captures.graphs);
        let find = || Fit::of(&sequences[sequence as usize], &graphs[graph].keys);
        *self.fits.entry((sequence, self.forms[graph])).or_insert_with(find)
    }

    /// False if the launch has work of another name at the position of an operator `triton_…` of the graph.
    fn triton_agrees(&self, replay: &Replay, graph: usize) -> bool {
        let names = &self.replays.sequences[replay.sequence as usize].names;
        let records = &self.captures.graphs[graph].records;
        records.iter().zip(names).all(|(record, &name)| {
            let operator = self.captures.strings.bytes(record.operator);
            !operator.starts_with(b"triton_") || operator == self.trace.strings.bytes(name)
        })
    }

    /// Of several graphs, keeps those whose position among the captures agrees with that of the launch in its
    /// row ([`Replay::row`]); keeps all if there are none.
    fn narrow(&mut self, launch: usize, chosen: &mut Vec<usize>) {
        let mut at_position: Vec<usize> = Vec::new();
        for &graph in chosen.iter() {
            let (row, position) = self.graph_at[graph];
            let offset = self.offset(self.replays.all[launch].row, row);
            if offset.is_some_and(|offset| offset + self.launch_at[launch] == position) {
                at_position.push(graph);
            }
        }
        if !at_position.is_empty() {
            *chosen = at_position;
        }
    }

    /// The position in list `captured` of the graph that the first launch of list `launched` replays; `None`
    /// if it is not known.
    fn offset(&mut self, launched: u32, captured: usize) -> Option<usize> {
        if let Some(&known) = self.offsets.get(&(launched, captured)) {
            return known;
        }
        let launches = self.launched[launched as usize].clone();
        let captures = self.captured[captured].clone();
        let found = self.find_offset(&launches, &captures);
        self.offsets.insert((launched, captured), found);
        found
    }

    fn find_offset(&mut self, launches: &[usize], captures: &[usize]) -> Option<usize> {
        let spare = captures.len().checked_sub(launches.len())?;
        let is_whole = |fit: Fit| fit == Fit::InOrder || fit.share().is_some_and(|(some, all)| some == all);
        let mut pairs = launches.iter().zip(captures);
        if spare == 0 && pairs.all(|(&launch, &graph)| is_whole(self.fit(launch, graph))) {
            return Some(0);
        }
        let sequence = |launch: usize| self.replays.all[launch].sequence;
        let mut sequences: FxHashMap<u32, usize> = FxHashMap::default();
        launches.iter().for_each(|&launch| *sequences.entry(sequence(launch)).or_default() += 1);
        let mut forms: FxHashMap<u32, usize> = FxHashMap::default();
        captures.iter().for_each(|&graph| *forms.entry(self.forms[graph]).or_default() += 1);
        (0..=spare).find(|&offset| {
            let mut is_anchored = false;
            let agrees = launches.iter().zip(&captures[offset..]).all(|(&launch, &graph)| {
                let fit = self.fit(launch, graph);
                let is_single = sequences[&sequence(launch)] == 1 && forms[&self.forms[graph]] == 1;
                is_anchored |= is_single && fit == Fit::Equal;
                fit.share().is_some()
            });
            agrees && is_anchored
        })
    }
}
