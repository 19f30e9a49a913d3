//! Moving the state over to another session of the same files: a larger snapshot, the whole trace, or the
//! files loaded again.
//!
//! Lanes and slices have other numbers in the other session, and each noun translates its own references to
//! them. Must not know how loading works, nor how lanes and slices are recognized.

use std::sync::Arc;

use crate::app::pane::group_choice::GroupChoice;
use crate::app::pane::panes::{Pane, Panes};
use crate::app::pane::selected::Selected;
use crate::app::session::Session;
use crate::app::session::loading::Loading;
use crate::app::session::renumber::{RenumberJob, Renumbered};
use crate::app::state::State;
use crate::app::view::minimap::Minimap;
use crate::app::view::timeline::Timeline;

impl State {
    /// Repeats the unfinished or else the last search after the session was replaced.
    fn search_again(&mut self) {
        // Whoever went on to another pane stays there.
        let is_listed = self.summaries.forget_found() && self.panes.shown() == Pane::Found;
        if let Some(asked) = self.finding.again(self.jobs.search.current()) {
            self.start_search(asked, is_listed, false);
        }
    }

    /// Replaces the session by another one of the same files, at once or by a job, and usually keeps
    /// selection, viewport, marks and search. `loading` is none if the new session is the whole trace.
    pub(crate) fn migrate(&mut self, session: Session, loading: Option<Loading>) {
        let (old, new) = (Arc::clone(&self.session), Arc::new(session));
        let job = RenumberJob { old, new, is_whole: loading.is_none() };
        if let Some(found) = self.jobs.renumber.start(job) {
            self.take_session(found);
        }
    }

    /// Replaces the present session by the new one in `found`, and translates or forgets what refers to its
    /// lanes and events. Drops the new one if the present one was replaced meanwhile.
    pub(crate) fn take_session(&mut self, found: Renumbered) {
        let Renumbered { job: RenumberJob { old, new, is_whole }, numbers } = found;
        if !Arc::ptr_eq(&old, &self.session) {
            return;
        }
        self.session = new;
        if !self.is_used {
            return self.open_anew(is_whole);
        }
        let (before, after) = (&old.trace, &self.session.trace);
        let selection = self.selected.selection().and_then(|old| numbers.selection(before, after, old));
        let group_choice = self.summaries.group_choice().renumbered(&numbers, after);
        self.timeline.renumber(before, &self.session, &numbers, selection.is_some());
        self.marks.renumber(|line| line.renumbered(&numbers, before, after));
        self.source.renew(is_whole);
        // What was selected has other numbers and links now, or is gone.
        self.selected = Selected::default();
        self.jobs.event.forget();
        self.select(selection);
        if selection.is_none() {
            self.panes.start_again(&self.session);
        }
        self.dialog.renew();
        self.search_again();
        self.renew_summaries(group_choice, before);
        self.show_session(is_whole);
    }

    /// Opens the present session as if it was the first: what an earlier snapshot has brought about is
    /// forgotten.
    fn open_anew(&mut self, is_whole: bool) {
        self.timeline = Timeline::new(&self.session, self.size.1);
        self.panes = Panes::new(&self.session);
        self.selected = Selected::default();
        self.source.renew(is_whole);
        self.summaries.renew(GroupChoice::default());
        self.show_session(is_whole);
    }

    /// Makes the minimap and the summary of the pane of a session that is new on the screen; does what
    /// follows from its being the whole trace.
    fn show_session(&mut self, is_whole: bool) {
        self.minimap = Minimap::default();
        self.resize(self.size);
        if is_whole {
            self.message.take_if(|message| message.is_passing());
            self.restore_session();
            self.restore_marks();
            self.go_to_opening_location();
        }
        self.refresh_table();
        if is_whole {
            self.watch_files();
            if let Some(part) = self.session.trace.partial_title() {
                self.say(part);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::finding::search::{Asked, Wanted};
    use crate::app::pane::details::Details;
    use crate::app::pane::overlay::Overlay;
    use crate::app::session::loading::{LoadProgress, Shown};
    use crate::app::view::lines::Track;
    use crate::app::view::viewport;
    use crate::app::wires::jobs::{Job, Kind};
    use crate::app::{Effect, Key, Msg, update};
    use proftui_insight::analysis::search::Query;
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::index::Cell;
    use proftui_trace::model::SliceId;

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

    fn progress(read: u64) -> LoadProgress {
        LoadProgress { read, total: 400, events: 0, seconds_left: None }
    }

    /// A state over a snapshot, as [`young`] makes it, of which the user has made use.
    fn used(len: usize) -> State {
        let mut state = young(len);
        state.is_used = true;
        state
    }

    /// A state over a snapshot: the first `len` of all events, with loading still in progress.
    fn young(len: usize) -> State {
        let mut state = State::new(session(&events()[..len]), (80, 24));
        state.source.begin(Shown::Snapshot);
        state.source.advance(progress(1));
        state
    }

    fn named(state: &State, name: &str) -> SliceId {
        let trace = &state.session.trace;
        let ids = trace.slices.ids();
        ids.iter().find(|&id| trace.name(id).as_str() == name).expect("a slice of this name")
    }

    #[test]
    fn who_has_pressed_no_key_sees_what_opening_the_whole_shows() {
        let shown = |state: &State| {
            let timeline = &state.timeline;
            let lines = timeline.lines().list().to_vec();
            let visible: Vec<usize> = state.visible_lines().collect();
            (timeline.viewport(), timeline.cursor(), timeline.focus(), visible, lines, state.panes.shown())
        };
        let direct = State::new(session(&events()), (80, 24));
        for len in 1..events().len() {
            let mut state = young(len);
            state.migrate(
                session(&events()[..=len]),
                Some(Loading { progress: progress(2), shown: Shown::Snapshot }),
            );
            state.migrate(session(&events()), None);
            assert_eq!(state.source.loading(), None);
            assert_eq!(shown(&state), shown(&direct), "first {len} events");
        }
    }

    #[test]
    fn who_has_not_moved_sees_the_steps() {
        let step = |number: u32, ts: u32| {
            let name = format!("ProfilerStep#{number}");
            format!(
                r#"{{"ph":"X","cat":"user_annotation","name":"{name}","pid":1,"tid":20,"ts":{ts},"dur":100}}"#
            )
        };
        let events =
            [slice(20, "import", 0, 900), step(0, 1000), step(1, 1100), slice(20, "exit", 1300, 700)];
        let fit = |state: &State, start: i64, end: i64| {
            viewport::fit(
                proftui_base::time::Span { start: start * 1000, end: end * 1000 },
                state.session.trace.span,
            )
        };
        let mut state = State::new(session(&events[..2]), (80, 24));
        assert_eq!(state.timeline.viewport(), fit(&state, 1000, 1100));
        state.migrate(session(&events), None);
        assert_eq!(state.timeline.viewport(), fit(&state, 1000, 1200));
        update(&mut state, Msg::Key(Key::Char('0')));
        assert_eq!(state.timeline.viewport(), fit(&state, 0, 2000), "all that there is, at a key");
        state.migrate(session(&events), None);
        assert_eq!(state.timeline.viewport(), fit(&state, 0, 2000), "and there it stays");
    }

    #[test]
    fn the_selected_event_stays_selected_whatever_its_number() {
        let mut state = used(3);
        state.go_to_slice(named(&state, "inner"));
        let (before, old) = (state.timeline.viewport(), state.selected.slice());
        update(&mut state, Msg::Key(Key::Char('w')));
        let zoomed = state.timeline.viewport();
        assert_ne!(before, zoomed);
        state.migrate(session(&events()), None);
        let selected = state.selected.slice().expect("still selected");
        assert_eq!(state.session.trace.name(selected).as_str(), "inner");
        assert_ne!(Some(selected), old, "a lane before it was new");
        assert_eq!(state.timeline.viewport(), zoomed, "who has moved stays where he is");
        let line = state.timeline.focused().and_then(crate::app::view::lines::Line::row);
        assert_eq!(line, Some(state.session.trace.row_of(selected)));
        assert!(state.selected.details().lines.iter().any(|line| line.value.as_str().contains("inner")));
    }

    #[test]
    fn an_event_that_is_gone_leaves_no_details() {
        let mut state = young(3);
        state.go_to_slice(named(&state, "inner"));
        update(&mut state, Msg::Key(Key::Tab));
        update(&mut state, Msg::Key(Key::Down));
        assert!(!state.selected.details().lines.is_empty() && state.selected.line() == 1);
        state.migrate(session(&events()[3..]), None);
        assert_eq!(state.selected.selection(), None);
        assert_eq!((state.selected.details(), state.selected.line()), (&Details::default(), 0));
    }

    #[test]
    fn a_search_finds_the_same_names_whatever_their_numbers() {
        let found = |state: &State| {
            let (trace, search) = (&state.session.trace, state.finding.search().expect("a search"));
            (0..search.hits.len())
                .filter_map(|at| search.hits.get(at))
                .map(|id| trace.name(id).to_string())
                .collect::<Vec<_>>()
        };
        let all = events();
        let renamed: Vec<String> = all[1..].iter().rev().cloned().collect();
        let query = |text: &str| Query::parse(text).expect("a query");
        for (wanted, terms) in [
            (Wanted::Name(b"inner"[..].into()), Vec::new()),
            (Wanted::Like("inner".into()), Vec::new()),
            (Wanted::Like(String::new()), query("name:inner").terms),
        ] {
            let mut state = State::new(session(&all), (80, 24));
            state.is_used = true;
            let query = Query { terms, ..Query::default() };
            state.start_search(Asked { pattern: "inner".into(), wanted, query }, false, false);
            assert_eq!(found(&state), ["inner"]);
            state.migrate(session(&renamed), None);
            assert_eq!(found(&state), ["inner"], "names have other numbers");
            state.migrate(session(&all[1..2]), None);
            assert_eq!(found(&state), ["inner"], "there are fewer names");
        }
    }

    #[test]
    fn what_was_drawn_of_the_old_trace_is_made_anew() {
        let mut state = young(3);
        update(&mut state, Msg::Key(Key::Char('w')));
        let view = state.timeline.viewport();
        let rows = |state: &State| state.session.trace.rows.ids().iter();
        let drawn = |state: &State| {
            rows(state).map(|row| state.timeline.cells(&state.session, row, 20).to_vec()).collect::<Vec<_>>()
        };
        let before = drawn(&state);
        state.migrate(session(&events()), None);
        let fresh = |row| {
            let mut cells = vec![Cell::EMPTY; 20];
            state.session.index.cells(&state.session.trace, row, view, &mut cells);
            cells
        };
        let fresh: Vec<_> = rows(&state).map(fresh).collect();
        assert_eq!((state.timeline.viewport(), drawn(&state)), (view, fresh.clone()));
        assert_ne!(before[..], fresh[..before.len()], "rows have other numbers");
    }

    #[test]
    fn folds_and_pins_follow_their_lanes() {
        let mut state = used(3);
        let lane = |state: &State, name| state.session.trace.lane_of(named(state, name));
        let outer = lane(&state, "outer");
        let line = state.timeline.lines().head_of(outer).expect("a line");
        state.timeline.focus_on(line);
        assert!(state.timeline.toggle_fold(&state.session.trace));
        let other = Track::Lane(lane(&state, "other"));
        state.timeline.toggle_pin(&state.session.trace, other);
        state.migrate(session(&events()), None);
        let outer = lane(&state, "outer");
        let rows = state.timeline.lines().list().iter().filter(|line| line.lane() == Some(outer)).count();
        assert_eq!((rows, state.session.trace.lanes[outer].rows.len()), (1, 3), "folded still");
        assert_eq!(
            state.timeline.lines().get(0).and_then(crate::app::view::lines::Line::lane),
            Some(lane(&state, "other"))
        );
    }

    #[test]
    fn keys_are_answered_and_progress_is_drawn_once_per_percent() {
        let is_drawn = |effects: Vec<Effect>| effects.iter().any(|effect| matches!(effect, Effect::Draw));
        let mut state = young(3);
        state.panes.show(crate::app::pane::panes::Pane::Details);
        let answer = jobs(update(&mut state, Msg::Key(Key::Char('a'))), Kind::Summary).expect("the answer");
        update(&mut state, Msg::Done(Box::new(answer.run())));
        assert!(is_drawn(update(&mut state, Msg::Key(Key::Char('d')))));
        assert!(is_drawn(update(&mut state, Msg::Progress(progress(200)))));
        assert!(!is_drawn(update(&mut state, Msg::Progress(progress(201)))));
        assert_eq!(state.source.loading().and_then(|loading| loading.progress.percent()), Some(50));
        let effects = update(&mut state, Msg::Key(Key::Char('R')));
        let is_load = effects.iter().any(|effect| matches!(effect, Effect::Load));
        assert!(state.message.is_some() && !is_load, "not while it is being loaded");
    }

    /// A session of threads with an event each.
    fn threads(count: usize) -> Session {
        session(
            &(0..count).map(|tid| slice(tid as u32 + 100, &format!("op{tid}"), 10, 5)).collect::<Vec<_>>(),
        )
    }

    fn jobs(effects: Vec<Effect>, kind: Kind) -> Option<Job> {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Run(job) if job.kind() == kind => Some(*job),
            _ => None,
        })
    }

    #[test]
    fn many_lanes_are_found_again_beside_the_loop() {
        let mut state = State::new(threads(10_000), (80, 24));
        state.is_used = true;
        state.source.begin(Shown::Snapshot);
        state.source.advance(progress(1));
        state.go_to_slice(named(&state, "op3000"));
        let snapshot = jobs(update(&mut state, Msg::Snapshot(Box::new(threads(12_000)))), Kind::Renumber)
            .expect("a job");
        assert_eq!(state.session.trace.lanes.len(), 10_000, "the old one stays");
        // The whole comes before the lanes of the snapshot are found: that is dropped.
        let loaded = Msg::Loaded(Box::new(Ok(threads(21_000))));
        assert!(jobs(update(&mut state, loaded), Kind::Renumber).is_none(), "one at a time");
        let done = Msg::Done(Box::new(snapshot.run()));
        let whole = jobs(update(&mut state, done), Kind::Renumber).expect("the whole");
        assert!(state.session.trace.lanes.len() == 10_000 && state.source.loading().is_some());
        let effects = update(&mut state, Msg::Done(Box::new(whole.run())));
        assert!(effects.iter().any(|effect| matches!(effect, Effect::WatchFiles(_))));
        assert_eq!((state.session.trace.lanes.len(), state.source.loading()), (21_000, None));
        let selected = state.selected.slice().map(|id| state.session.trace.name(id).to_string());
        assert_eq!(selected.as_deref(), Some("op3000"));

        // A list of so many is made beside the loop, too, and does not open once another key is pressed.
        let list = jobs(update(&mut state, Msg::Key(Key::Char('B'))), Kind::List).expect("a job");
        assert!(!state.dialog.is_open());
        update(&mut state, Msg::Key(Key::Char('j')));
        update(&mut state, Msg::Done(Box::new(list.run())));
        assert!(!state.dialog.is_open(), "not wanted any more");
        let list = jobs(update(&mut state, Msg::Key(Key::Char('B'))), Kind::List).expect("a job");
        update(&mut state, Msg::Done(Box::new(list.run())));
        assert!(matches!(state.dialog.overlay(), Some(Overlay::List(list)) if list.items.len() == 3));
    }
}
