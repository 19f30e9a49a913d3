//! A trace that grows while it is loaded: the state moves over to the larger one and stays where the person was.
//!
//! Lanes, rows and slices get new numbers each time, so everything that names one is carried over by what it is: a lane by
//! its process and thread, a slice by where its event stands in the file. Must not know how loading works.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::{GroupKind, LaneId, LaneKind, RowId, SliceId, Trace};

use super::lines::{LineKind, Lines};
use super::overlay::Overlay;
use super::search::Search;
use super::state::{Selection, Session, State};
use super::view;

/// How far a load has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// Bytes read.
    pub read: u64,
    /// Bytes to read in all; 0 when not known.
    pub total: u64,
    /// True when the file is loaded again: what is shown is of the time before.
    pub is_again: bool,
}

impl Loading {
    /// Whole percents, where the end is known.
    pub fn percent(self) -> Option<u64> {
        (self.total > 0).then(|| (self.read.min(self.total) * 100) / self.total)
    }
}

/// What tells a group or lane from the others, whatever its number.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Identity {
    worker: u16,
    group: GroupKind,
    pid: Vec<u8>,
    lane: Option<(LaneKind, Vec<u8>)>,
}

fn group_identity(trace: &Trace, number: u32) -> Identity {
    let group = &trace.groups[number as usize];
    let pid = trace.strings.bytes(group.pid).to_vec();
    Identity { worker: group.worker, group: group.kind, pid, lane: None }
}

fn lane_identity(trace: &Trace, number: LaneId) -> Identity {
    let lane = &trace.lanes[number as usize];
    let of_lane = (lane.kind, trace.strings.bytes(lane.tid).to_vec());
    Identity { lane: Some(of_lane), ..group_identity(trace, lane.group) }
}

/// New numbers for old ones.
pub(super) struct Moves {
    groups: Vec<Option<u32>>,
    lanes: Vec<Option<LaneId>>,
    known: HashSet<LaneId>,
}

impl Moves {
    fn new(old: &Trace, new: &Trace) -> Self {
        let groups = (0..new.groups.len() as u32).map(|group| (group_identity(new, group), group));
        let lanes = (0..new.lanes.len() as u32).map(|lane| (lane_identity(new, lane), lane));
        let known: HashMap<Identity, u32> = groups.chain(lanes).collect();
        let find = |identity: Identity| known.get(&identity).copied();
        let groups = (0..old.groups.len() as u32).map(|group| find(group_identity(old, group))).collect();
        // A lane that held nothing worth a line, or one row, may look otherwise now: it counts as new.
        let settled = |lane: &LaneId| old.lanes[*lane as usize].rows.len() > 1;
        let lanes: Vec<_> = (0..old.lanes.len() as u32).map(|lane| find(lane_identity(old, lane))).collect();
        let known = (0..).zip(&lanes).filter(|(lane, _)| settled(lane)).filter_map(|(_, &new)| new).collect();
        Self { groups, lanes, known }
    }

    /// True for a lane that the person could have folded or unfolded before.
    pub(super) fn is_known(&self, new: LaneId) -> bool {
        self.known.contains(&new)
    }

    /// A group's new number.
    pub(super) fn group(&self, old: u32) -> Option<u32> {
        self.groups[old as usize]
    }

    /// A lane's new number.
    pub(super) fn lane(&self, old: LaneId) -> Option<LaneId> {
        self.lanes[old as usize]
    }

    /// A row's new number: the same depth of the same lane.
    fn row(&self, old_trace: &Trace, new_trace: &Trace, old: RowId) -> Option<RowId> {
        let lane = old_trace.rows[old as usize].lane;
        let depth = old - old_trace.lanes[lane as usize].rows.start;
        let rows = new_trace.lanes[self.lane(lane)? as usize].rows.clone();
        (rows.start + depth < rows.end).then_some(rows.start + depth)
    }

    fn line(&self, old_trace: &Trace, new_trace: &Trace, old: LineKind) -> Option<LineKind> {
        Some(match old {
            LineKind::Group(group) => LineKind::Group(self.group(group)?),
            LineKind::Row(lane, row) => LineKind::Row(self.lane(lane)?, self.row(old_trace, new_trace, row)?),
            LineKind::Counter(lane, _) => {
                let lane = self.lane(lane)?;
                LineKind::Counter(lane, new_trace.lanes[lane as usize].counter?)
            }
            LineKind::Marks(lane) => LineKind::Marks(self.lane(lane)?),
        })
    }

    /// The same event in the new trace.
    fn slice(&self, old_trace: &Trace, new_trace: &Trace, old: SliceId) -> Option<SliceId> {
        let (start, origin) = (old_trace.slices.start[old as usize], old_trace.slices.origin[old as usize]);
        let lane = &new_trace.lanes[self.lane(old_trace.lane_of(old))? as usize];
        let rows = &new_trace.rows[lane.rows.start as usize..lane.rows.end as usize];
        let slices = &new_trace.slices;
        rows.iter().find_map(|row| {
            let ids = row.slices();
            let starts = &slices.start[ids.start as usize..ids.end as usize];
            let from = ids.start + starts.partition_point(|&other| other < start) as u32;
            let mut same = (from..ids.end).take_while(|&id| slices.start[id as usize] == start);
            same.find(|&id| slices.origin[id as usize] == origin)
        })
    }

    fn selection(&self, old_trace: &Trace, new_trace: &Trace, old: Selection) -> Option<Selection> {
        match old {
            Selection::Slice(id) => self.slice(old_trace, new_trace, id).map(Selection::Slice),
            // A stretch without a slice may not be one any more.
            Selection::Gap(..) => None,
            Selection::Instant(at) => {
                let origin = old_trace.instants[at as usize].origin;
                let found = new_trace.instants.iter().position(|instant| instant.origin == origin);
                found.map(|at| Selection::Instant(at as u32))
            }
        }
    }
}

impl State {
    /// Moves over to a session that holds everything of this one, and more. `loading` is none when it is whole.
    pub fn grow(&mut self, session: Session, loading: Option<Loading>) {
        let old = std::mem::replace(&mut self.session, Arc::new(session));
        let (before, after) = (&old.trace, &self.session.trace);
        let moves = Moves::new(before, after);
        let focus = self.lines.get(self.focus).map(|line| line.kind);
        let is_first_focus = self.focus == self.lines.first_focus(before);
        let selection = self.selection.and_then(|old| moves.selection(before, after, old));
        self.lines = Lines::grown(&self.lines, after, &moves);
        let focus = focus.and_then(|line| moves.line(before, after, line));
        let focus = focus.filter(|_| !is_first_focus || selection.is_some());
        self.focus =
            focus.and_then(|line| self.lines.find(line)).unwrap_or_else(|| self.lines.first_focus(after));
        // Who has not moved yet sees the whole of what there is.
        let is_whole = |trace: &Trace| view::fit(trace.main_span, trace.span);
        if self.view == is_whole(before) {
            self.view = is_whole(after);
        }
        self.history.forget_numbers();
        self.loading = loading;
        self.has_changed = false;
        self.selection = None;
        self.select(selection);
        if matches!(self.overlay, Some(Overlay::List(_))) {
            self.overlay = None;
        }
        self.refresh_candidates();
        self.search = self.search.take().map(|search| Search::again(&self.session.trace, search));
        self.minimap = super::minimap::Minimap::default();
        self.forget_tables();
        self.keep_cursor();
        self.resize(self.size);
        self.refresh_table();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Incident, Key, Outcome, update};
    use crate::import::{Progress, Request, load_bytes};

    fn slice(tid: u32, name: &str, ts: u32, dur: u32) -> String {
        let cat = if tid == 7 { "kernel" } else { "cpu_op" };
        format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{ts},"dur":{dur}}}"#)
    }

    fn session(events: &[String]) -> Session {
        let text = format!("[{}]", events.join(","));
        Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads"))
    }

    fn events() -> Vec<String> {
        vec![
            slice(20, "outer", 10, 50),
            slice(20, "inner", 20, 10),
            slice(30, "other", 15, 5),
            slice(10, "first", 5, 100),
            slice(20, "deep", 22, 2),
            slice(7, "kernel", 200, 30),
            slice(20, "later", 300, 10),
        ]
    }

    /// A state over the first events, on its way to all of them.
    fn young(len: usize) -> State {
        let mut state = State::new(session(&events()[..len]), (80, 24));
        state.loading = Some(Loading { read: 1, total: 4, is_again: false });
        state
    }

    fn named(state: &State, name: &str) -> SliceId {
        let trace = &state.session.trace;
        let mut ids = 0..trace.slices.len() as SliceId;
        ids.find(|&id| trace.name(id).as_str() == name).expect("a slice of this name")
    }

    #[test]
    fn who_has_not_moved_sees_the_whole() {
        let mut state = young(3);
        state.grow(session(&events()), None);
        let trace = &state.session.trace;
        assert_eq!(state.view, view::fit(trace.main_span, trace.span));
        assert_eq!((state.loading, trace.lanes.len()), (None, 4));
        assert_eq!(state.focus, state.lines.first_focus(trace));
    }

    #[test]
    fn the_selected_event_stays_selected_whatever_its_number() {
        let mut state = young(3);
        state.go_to_slice(named(&state, "inner"));
        let (view, old) = (state.view, state.selected_slice());
        update(&mut state, Incident::Key(Key::Char('w')));
        let zoomed = state.view;
        assert_ne!(view, zoomed);
        state.grow(session(&events()), None);
        let selected = state.selected_slice().expect("still selected");
        assert_eq!(state.session.trace.name(selected).as_str(), "inner");
        assert_ne!(Some(selected), old, "a lane before it was new");
        assert_eq!(state.view, zoomed, "who has moved stays where he is");
        let line = state.lines.get(state.focus).and_then(super::super::lines::Line::row);
        assert_eq!(line, Some(state.session.trace.row_of(selected)));
        assert!(state.details.lines.iter().any(|line| line.value.as_str().contains("inner")));
    }

    #[test]
    fn folds_and_pins_follow_their_lanes() {
        let mut state = young(3);
        let lane = |state: &State, name| state.session.trace.lane_of(named(state, name));
        let outer = lane(&state, "outer");
        let line = *state.lines.list().iter().find(|line| line.lane() == Some(outer)).expect("a line");
        state.lines.toggle_fold(&state.session.trace, &line);
        state.lines.toggle_pin(&state.session.trace, lane(&state, "other"));
        state.grow(session(&events()), None);
        let outer = lane(&state, "outer");
        let rows = state.lines.list().iter().filter(|line| line.lane() == Some(outer)).count();
        assert_eq!((rows, state.session.trace.lanes[outer as usize].rows.len()), (1, 3), "folded still");
        assert_eq!(state.lines.get(0).and_then(super::super::lines::Line::lane), Some(lane(&state, "other")));
    }

    #[test]
    fn keys_are_answered_and_the_share_is_told_once_a_percent() {
        let mut state = young(3);
        assert_eq!(update(&mut state, Incident::Key(Key::Char('d'))), Outcome::Changed);
        let loading = |read| Incident::Loading(Loading { read, total: 400, is_again: false });
        assert_eq!(update(&mut state, loading(200)), Outcome::Changed);
        assert_eq!(update(&mut state, loading(201)), Outcome::Same);
        assert_eq!(state.loading.and_then(Loading::percent), Some(50));
        update(&mut state, Incident::Key(Key::Char('R')));
        assert!(state.message.is_some() && state.wants.is_none(), "not while it is being loaded");
    }
}
