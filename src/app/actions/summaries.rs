//! Keeping the summary shown up to date, by jobs.
//!
//! Must not know how a table is made or drawn.

use std::sync::Arc;

use crate::app::pane::panes::Pane;
use crate::app::pane::summary_job::{Summary, SummaryJob};
use crate::app::pane::table_pane::TablePane;
use crate::app::state::State;

impl State {
    /// Brings the summary shown up to date with what the user chose, by jobs if that takes long.
    pub(crate) fn refresh_table(&mut self) {
        self.refresh_summary();
        self.arrange_rows();
    }

    fn refresh_summary(&mut self) {
        let make = |pane: Pane| match (pane, self.scope()) {
            (Pane::Table(view), Some(scope)) => self.summaries.to_make(&self.session, view, scope),
            _ => None,
        };
        // The answer stands above every pane: it is made once the pane shown is, and again once all is read.
        let is_whole = !self.source.is_snapshot();
        let is_missing = self.answer().is_none_or(|pane| pane.is_snapshot && is_whole);
        let answer = || make(Pane::first(&self.session)).filter(|_| is_missing);
        let job = make(self.panes.shown()).or_else(answer);
        let Some(job) = job else { return self.jobs.summary.forget() };
        if job.reads() && self.table().is_none() {
            // Rows by name are there first, until the arguments have been read.
            match self.jobs.summary.start(SummaryJob { grouping: None, ..job.clone() }) {
                Some(by_name) => self.keep_summary(by_name),
                None => return,
            }
        }
        if let Some(summary) = self.jobs.summary.start(job) {
            self.keep_summary(summary);
        }
    }

    /// Arranges the rows of the summary shown as the user chose, by a job if that takes long; the rows shown
    /// stay meanwhile.
    pub(crate) fn arrange_rows(&mut self) {
        let Some(job) = self.table().and_then(TablePane::to_arrange) else {
            return self.jobs.arrange.forget();
        };
        if let Some(arranged) = self.jobs.arrange.start(job) {
            self.summaries.take_rows(arranged);
        }
    }

    /// Stores a summary that a job made, unless it is of another session, and brings the summary shown up to
    /// date.
    pub(crate) fn take_summary(&mut self, summary: Summary) {
        // A summary names events by numbers, which differ in another session.
        if Arc::ptr_eq(&summary.job.session, &self.session) {
            self.keep_summary(summary);
        }
        self.refresh_table();
    }

    fn keep_summary(&mut self, summary: Summary) {
        if let Some((grouping, why)) = self.summaries.keep(summary, self.source.is_snapshot()) {
            self.say(format!("no rows {grouping}: {why}"));
        }
    }

    /// What is still being done for the summary shown, in words for the user; none if nothing is.
    pub fn pending_work(&self) -> Option<&'static str> {
        match self.panes.shown() {
            Pane::Details => return None,
            Pane::Found => {
                if self.jobs.search.current().is_some() {
                    return Some("searching");
                }
            }
            Pane::Table(view) => {
                let scope = self.scope()?;
                if !self.summaries.is_made(view, &scope) {
                    let is_read = self.summaries.awaits_arguments(view, &scope);
                    return Some(if is_read {
                        "reading the events' arguments"
                    } else {
                        "computing the summary"
                    });
                }
            }
        }
        let pane = self.table().filter(|pane| pane.is_outdated())?;
        let is_filtered = pane.rows.choice.filter != pane.wanted.filter;
        Some(if is_filtered { "filtering the rows" } else { "sorting the rows" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::session::Session;
    use crate::app::wires::jobs::{Ended, Job, Kind, Work};
    use crate::app::{Effect, Key, Msg, update};
    use proftui_insight::analysis::{Table, VIEWS, Value};
    use proftui_trace::import::{Progress, Request, load, load_bytes};

    /// A number of slices whose summaries are not made at once.
    const SLOW_SLICES: usize = 20_000;

    /// The summary that a job is to make.
    fn summary(job: &Job) -> &SummaryJob {
        let Work::Summary(summary) = &job.work else { panic!("{job:?}") };
        summary
    }

    /// A session of `count` events, one after the other.
    fn session(count: usize) -> Session {
        let event = |n: usize| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"add","pid":1,"tid":1,"ts":{n},"dur":1}}"#)
        };
        let text = format!("[{}]", (0..count).map(event).collect::<Vec<_>>().join(","));
        Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads"))
    }

    /// Presses each character of `keys` as a key; returns the last job that was requested.
    fn press(state: &mut State, keys: &str) -> Option<Job> {
        keys.chars().filter_map(|key| job(update(state, Msg::Key(Key::Char(key))))).last()
    }

    fn job(effects: Vec<Effect>) -> Option<Job> {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Run(job) if job.kind() == Kind::Summary => Some(*job),
            _ => None,
        })
    }

    /// A state over a session whose answer is there.
    fn opened(session: Session) -> State {
        let mut state = State::new(session, (80, 24));
        let mut next = job(update(&mut state, Msg::Wake));
        while let Some(job) = next {
            next = answer(&mut state, job.run());
        }
        assert!(state.answer().is_some());
        state
    }

    /// Sends the summary of a job to the state; returns the next job that the state requests.
    fn answer(state: &mut State, ended: Ended) -> Option<Job> {
        job(update(state, Msg::Done(Box::new(ended))))
    }

    fn calls(state: &State) -> Option<u64> {
        let pane = state.table()?;
        let Value::Count(calls) = pane.row(0)?.cells[pane.table.column("calls")?] else { return None };
        Some(calls)
    }

    #[test]
    fn a_large_trace_is_summarized_by_jobs() {
        let mut state = opened(session(SLOW_SLICES));
        let made = press(&mut state, "5").expect("a job").run();
        assert!(state.table().is_none() && state.pending_work() == Some("computing the summary"));
        assert!(answer(&mut state, made).is_none(), "nothing is left to do");
        assert_eq!((calls(&state), state.pending_work()), (Some(SLOW_SLICES as u64), None));

        // The user moves on while a summary is made: that job is cancelled, and the next one starts once it
        // has ended.
        let made = press(&mut state, "bw").expect("one of the screen").run();
        assert!(press(&mut state, "www").is_none(), "one at a time");
        let next = answer(&mut state, made).expect("one of the new screen");
        assert_eq!(calls(&state), Some(SLOW_SLICES as u64), "what nobody wants any more is dropped");
        assert!(state.pending_work().is_some());
        assert!(answer(&mut state, next.run()).is_none());
        assert!(calls(&state).is_some_and(|now| now < SLOW_SLICES as u64) && state.pending_work().is_none());

        // Who comes back to the scope of the summary shown needs no other one.
        let job = press(&mut state, "D").expect("one of the screen");
        assert!(press(&mut state, "u").is_none());
        assert!(answer(&mut state, job.run()).is_none() && state.pending_work().is_none());

        // A summary of another trace is dropped, since it names events by the numbers of that trace.
        let made = press(&mut state, "6").expect("one of kernels").run();
        let pane = state.panes.shown();
        state.migrate(session(SLOW_SLICES + 1), None);
        assert!(answer(&mut state, made).is_some());
        assert!(state.panes.shown() == pane && state.table().is_none());
    }

    #[test]
    fn a_key_pressed_before_the_answer_is_there_does_not_lose_it() {
        let mut state = State::new(session(SLOW_SLICES), (80, 24));
        let made = press(&mut state, "5").expect("a job of the pane");
        let next = answer(&mut state, made.run()).expect("a job of the answer");
        assert!(state.answer().is_none() && calls(&state).is_some());
        let mut next = Some(next);
        while let Some(job) = next {
            next = answer(&mut state, job.run());
        }
        assert!(state.answer().is_some());
    }

    #[test]
    fn a_frame_waits_for_jobs_until_one_was_slow() {
        let draws = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Draw));
        let mut state = opened(session(SLOW_SLICES));
        let effects = update(&mut state, Msg::Key(Key::Char('5')));
        assert!(!draws(&effects), "the summary is there soon");
        assert!(draws(&update(&mut state, Msg::IsSlow(Kind::Summary))), "it is not");
        assert!(answer(&mut state, job(effects).expect("a job").run()).is_none());
        let effects = update(&mut state, Msg::Key(Key::Char('6')));
        assert!(draws(&effects), "the one before was slow");
        assert!(draws(&update(&mut state, Msg::Done(Box::new(job(effects).expect("a job").run())))));
        assert!(!draws(&update(&mut state, Msg::Key(Key::Char('7')))));
    }

    #[test]
    fn a_small_one_is_there_at_once() {
        let mut state = opened(session(10));
        press(&mut state, "5");
        assert_eq!((calls(&state), state.pending_work()), (Some(10), None));
    }

    /// Two calls of an operator, with inputs of different shapes.
    fn shaped() -> Session {
        let event = |ts: u32, shape: &str| {
            format!(
                r#"{{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":{ts},"dur":5,"args":{{"Input Dims":{shape}}}}}"#
            )
        };
        let text = format!("[{},{}]", event(0, "[[2, 3]]"), event(10, "[[4, 5]]"));
        Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads"))
    }

    fn shapes(state: &State) -> Vec<String> {
        let rows = state.table().map_or(&[][..], |pane| &pane.table.rows);
        let name = |row: &proftui_insight::analysis::TableRow| match &row.cells[0] {
            Value::Text(text) => text.to_string(),
            _ => String::new(),
        };
        rows.iter().flat_map(|row| &row.children).map(name).collect()
    }

    #[test]
    fn groupings_are_read_by_a_job_and_stay() {
        let mut state = opened(shaped());
        let made = press(&mut state, "5G").expect("a job");
        assert_eq!((calls(&state), state.pending_work()), (Some(2), Some("reading the events' arguments")));
        assert_eq!(shapes(&state), [""; 0], "by name meanwhile");
        assert!(answer(&mut state, made.run()).is_none() && state.pending_work().is_none());
        assert_eq!(shapes(&state), ["[[2, 3]]", "[[4, 5]]"]);

        // What was read for the whole trace is enough for a part of it, and for the next visit.
        assert!(press(&mut state, "b").is_none());
        assert_eq!((shapes(&state).len(), state.pending_work()), (2, None));
        assert!(press(&mut state, "65").is_none());
        assert_eq!(shapes(&state).len(), 2);

        // The files loaded again are read again.
        let made = job(update(&mut state, Msg::Loaded(Box::new(Ok(shaped())))));
        let pane = VIEWS.iter().position(|view| view.name == "operator").expect("a view");
        assert_eq!((state.panes.shown(), state.summaries.grouping(pane)), (Pane::Table(pane), Some(0)));
        let made = made.expect("a job");
        answer(&mut state, made.run());
        assert_eq!(shapes(&state).len(), 2);
    }

    fn view(name: &str) -> usize {
        VIEWS.iter().position(|view| view.name == name).expect("a view")
    }

    fn message(state: &State) -> String {
        state.message.as_ref().map(|message| message.full().to_string()).unwrap_or_default()
    }

    #[test]
    fn each_kind_of_argument_is_read_once() {
        let mut state = State::new(shaped(), (80, 24));
        // The first reading is about a part of the trace alone.
        state.panes.show(Pane::Details);
        let made = press(&mut state, "wb").expect("the answer");
        answer(&mut state, made.run());
        for (key, name) in [("3", "device"), ("E", "calls")] {
            let made = press(&mut state, key).expect("a job");
            assert_eq!(summary(&made).view, view(name));
            assert!(answer(&mut state, made.run()).is_none() && state.pending_work().is_none());
        }
        let made = press(&mut state, "5G").expect("the shapes");
        answer(&mut state, made.run());
        for key in "d3EdEd35ab3E5b".chars() {
            assert!(press(&mut state, &key.to_string()).is_none(), "{key}");
            assert_eq!(state.pending_work(), None, "{key}");
        }
        let mut shapes = shapes(&state);
        shapes.sort();
        assert_eq!(shapes, ["[[2, 3]]", "[[4, 5]]"]);
    }

    #[test]
    fn a_large_trace_has_rows_before_its_arguments_are_read() {
        let mut state = opened(session(SLOW_SLICES));
        let by_name = press(&mut state, "3").expect("a job");
        assert_eq!((summary(&by_name).grouping, state.pending_work()), (None, Some("computing the summary")));
        let with_more = answer(&mut state, by_name.run()).expect("the columns from arguments");
        assert!(state.table().is_some_and(|pane| pane.grouping.is_none()));
        assert_eq!(
            (summary(&with_more).grouping, state.pending_work()),
            (Some(0), Some("reading the events' arguments"))
        );
        assert!(answer(&mut state, with_more.run()).is_none());
        assert!(state.table().is_some_and(|pane| pane.grouping == Some(0)));
        // What is known already needs no table by name first.
        state.summaries.forget();
        let again = press(&mut state, "t").expect("a job");
        assert_eq!(summary(&again).grouping, Some(0));
    }

    #[test]
    fn columns_from_arguments_are_no_grouping_to_choose() {
        let mut state = opened(shaped());
        for (keys, name, tab) in [("3", "device", "Device"), ("E", "calls", "Calls")] {
            let made = press(&mut state, keys).expect("a job");
            answer(&mut state, made.run());
            assert!(press(&mut state, "G").is_none());
            assert_eq!(message(&state), format!("the rows of {tab} have no other grouping"));
            assert!(state.table().is_some_and(|pane| pane.grouping == Some(0)), "{name}");
        }
        // Where the arguments could not be read, the key is another attempt.
        state.summaries.group_by(view("device"), None);
        press(&mut state, "3");
        assert!(state.table().is_some_and(|pane| pane.grouping.is_none()));
        press(&mut state, "G");
        assert!(state.table().is_some_and(|pane| pane.grouping == Some(0)));
    }

    #[test]
    fn rows_stay_by_name_where_the_files_cannot_be_read() {
        let path = std::env::temp_dir().join(format!("proftui-regrouped-{}.json", std::process::id()));
        let event = r#"[{"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":0,"dur":5}]"#;
        std::fs::write(&path, event).expect("a file");
        let loaded = load(&Request::new([path.clone()]), &Progress::default()).expect("loads");
        let mut state = opened(Session::new(loaded));
        let made = press(&mut state, "5G").expect("a job");
        std::fs::write(&path, "[]").expect("another file");
        assert!(answer(&mut state, made.run()).is_none(), "no second attempt by itself");
        std::fs::remove_file(&path).expect("removed");
        let message = state.message.as_ref().map(|message| message.full().to_string());
        let message = message.expect("a message");
        assert!(
            message.starts_with("no rows by input shape: ") && message.contains("has changed"),
            "{message}"
        );
        assert_eq!((calls(&state), state.pending_work()), (Some(1), None));
        assert!(press(&mut state, "G").is_some(), "the next attempt");
    }

    /// The first job of arranging rows among effects; none if there is none.
    fn arranging(effects: Vec<Effect>) -> Option<Job> {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Run(job) if job.kind() == Kind::Arrange => Some(*job),
            _ => None,
        })
    }

    fn arrange(state: &mut State, key: Key) -> Option<Job> {
        arranging(update(state, Msg::Key(key)))
    }

    /// The names of the first rows shown, and how many there are.
    fn first_rows(state: &State) -> (Vec<String>, usize) {
        let pane = state.table().expect("a table");
        let name = |line: usize| crate::app::pane::rows::name(pane.row(line).expect("a row")).to_string();
        ((0..3).map(name).collect(), pane.rows.len())
    }

    #[test]
    fn many_rows_are_arranged_beside_the_loop() {
        let event = |n: usize| {
            let dur = 1 + n * 7919 % SLOW_SLICES;
            format!(
                r#"{{"ph":"X","cat":"cpu_op","name":"op{n:05}","pid":1,"tid":1,"ts":{},"dur":{dur}}}"#,
                n * SLOW_SLICES
            )
        };
        let text = format!("[{}]", (0..SLOW_SLICES).map(event).collect::<Vec<_>>().join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let mut state = opened(Session::new(loaded));
        let made = press(&mut state, "5").expect("a job").run();
        assert!(answer(&mut state, made).is_none());
        let own = first_rows(&state);
        assert_eq!(own.1, SLOW_SLICES);

        // The old rows stay while they are sorted.
        assert!(arrange(&mut state, Key::Tab).is_none());
        assert!(arrange(&mut state, Key::Char('>')).is_none(), "the menu");
        let by_name = arrange(&mut state, Key::Char('>')).expect("a job");
        assert_eq!((first_rows(&state), state.pending_work()), (own.clone(), Some("sorting the rows")));
        assert!(arrange(&mut state, Key::Char('j')).is_none(), "the same is wanted");
        assert_eq!(state.table().map(|pane| pane.line), Some(1), "keys are answered");
        // Another order is wanted meanwhile: the result of the first one is dropped, and the next job starts.
        assert!(arrange(&mut state, Key::Char('r')).is_none(), "one at a time");
        let reversed = arranging(update(&mut state, Msg::Done(Box::new(by_name.run())))).expect("the next");
        assert_eq!(first_rows(&state), own, "a stale result is dropped");
        assert!(arranging(update(&mut state, Msg::Done(Box::new(reversed.run())))).is_none());
        assert_eq!(state.pending_work(), None);
        let shown = first_rows(&state);
        assert_eq!(shown.0, ["op19999", "op19998", "op19997"]);
        let pane = state.table().expect("a table");
        assert_eq!(
            pane.rows,
            crate::app::pane::rows::Rows::of(&pane.table, &pane.wanted, &pane.short),
            "as at once"
        );

        // Each typed character filters; what was typed before is not waited for.
        let _ = arrange(&mut state, Key::Char('/'));
        let one = arrange(&mut state, Key::Char('0')).expect("a job");
        assert_eq!(state.pending_work(), Some("filtering the rows"));
        assert!(arrange(&mut state, Key::Char('7')).is_none());
        assert_eq!(first_rows(&state), shown);
        let both = arranging(update(&mut state, Msg::Done(Box::new(one.run())))).expect("the next");
        assert!(arranging(update(&mut state, Msg::Done(Box::new(both.run())))).is_none());
        assert!(
            first_rows(&state).0.iter().all(|name| name.contains("07")) && first_rows(&state).1 < SLOW_SLICES
        );

        // Rows of a table that was replaced are dropped.
        let all = arrange(&mut state, Key::Esc).expect("a job");
        let (lines, table) = (first_rows(&state), Arc::clone(&state.table().expect("a table").table));
        let ended = all.run();
        let copy = crate::app::pane::table_pane::shared(Table::clone(&table));
        state.table_mut().expect("a table").table = Arc::clone(&copy);
        let again = arranging(update(&mut state, Msg::Done(Box::new(ended)))).expect("for the new table");
        assert_eq!(first_rows(&state), lines);
        assert!(arranging(update(&mut state, Msg::Done(Box::new(again.run())))).is_none());
        assert_eq!(first_rows(&state), shown);
    }
}
