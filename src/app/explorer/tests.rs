//! Tests of every message while the loading screen is shown and once there is a state; of reading events
//! again.

use std::sync::Arc;

use super::*;
use crate::app::Selection;
use crate::app::input::key::Key;
use crate::app::pane::details::DetailLine;
use crate::app::pane::read_job::ReadJob;
use crate::app::pane::rows::RowChoice;
use crate::app::pane::summary_job::SummaryJob;
use crate::app::session::loading::LoadProgress;
use crate::app::wires::jobs::{Job, Kind};
use proftui_insight::analysis::Scope;
use proftui_insight::ask::OpenError;
use proftui_trace::import::{ImportError, Progress, Request, TraceFiles, load_bytes};
use proftui_trace::model::SliceId;

/// A session of two events with an argument each.
fn session() -> Session {
    let event = |name: &str, ts: u32| {
        format!(
            r#"{{"ph":"X","cat":"cpu_op","name":"{name}","pid":1,"tid":1,"ts":{ts},"dur":5,"args":{{"of":"{name}"}}}}"#
        )
    };
    let text = format!("[{},{}]", event("first", 10), event("second", 20));
    Session::new(load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads"))
}

/// The message that the trace is not loaded.
fn not_loaded() -> Msg {
    Msg::Loaded(Box::new(Err(OpenError::from(ImportError::Cancelled).into())))
}

fn loading() -> Explorer {
    Explorer::new("trace.json".into(), true, (80, 24))
}

fn ready() -> Explorer {
    let mut explorer = loading();
    explorer.update(Msg::Loaded(Box::new(Ok(session()))));
    explorer
}

fn state(explorer: &Explorer) -> &State {
    match explorer.content() {
        Content::Ready(state) => state,
        Content::Loading(_) => panic!("still loading"),
    }
}

/// The names of effects, in order.
fn names(effects: &[Effect]) -> Vec<&'static str> {
    let name = |effect: &Effect| match effect {
        Effect::Draw => "draw",
        Effect::Redraw => "redraw",
        Effect::Load => "load",
        Effect::OpenTrace(_) => "open trace",
        Effect::WatchFiles(_) => "watch",
        Effect::Run(job) if job.kind() == Kind::Event => "read",
        Effect::Run(_) => "run",
        Effect::MarkPaste(true) => "mark paste",
        Effect::MarkPaste(false) => "mark no paste",
        Effect::Copy(_) => "copy",
        Effect::Mouse(_) => "mouse",
        Effect::NextTheme => "next theme",
        Effect::Export(..) => "export",
        Effect::KeepMarks(_) => "keep marks",
        Effect::KeepSession(_) => "keep session",
        Effect::Edit(..) => "edit",
        Effect::Suspend => "suspend",
        Effect::Quit => "quit",
        Effect::Fail(_) => "fail",
    };
    effects.iter().map(name).collect()
}

#[track_caller]
fn expect(explorer: &mut Explorer, msg: Msg, expected: &[&str]) {
    let what = format!("{msg:?}");
    assert_eq!(names(&explorer.update(msg)), expected, "{what}");
}

/// Presses a key that selects an event; returns the job of reading that event.
#[track_caller]
fn read_job(explorer: &mut Explorer, key: char) -> Job {
    let effects = explorer.update(Msg::Key(Key::Char(key)));
    let job = effects.into_iter().find_map(|effect| match effect {
        Effect::Run(job) if job.kind() == Kind::Event => Some(*job),
        _ => None,
    });
    job.expect("an event is to be read")
}

/// The value of the first line of the details that has this label.
fn detail<'a>(explorer: &'a Explorer, label: &str) -> Option<&'a str> {
    let is_it = |line: &&DetailLine| line.label.as_str() == label;
    state(explorer).selected.details().lines.iter().find(is_it).map(|line| line.value.as_str())
}

fn summary(session: &Arc<Session>) -> Msg {
    let job = SummaryJob {
        session: Arc::clone(session),
        view: 0,
        grouping: None,
        flame: proftui_insight::analysis::flame::Choice::default(),
        scope: Scope::default(),
        is_stretch: false,
        known: None,
        choice: RowChoice::default(),
        focused: None,
    };
    Msg::Done(Box::new(Job::new(job).run()))
}

fn event_read(session: &Arc<Session>) -> Msg {
    let job = ReadJob {
        session: Arc::clone(session),
        selection: Selection::Slice(SliceId::new(0)),
        origins: Vec::new(),
    };
    Msg::Done(Box::new(Job::new(job).run()))
}

#[test]
fn every_message_before_there_is_a_trace() {
    let other = Arc::new(session());
    let mut explorer = loading();
    let progress = LoadProgress { read: 1, total: 2, events: 3, seconds_left: None };
    expect(&mut explorer, Msg::Key(Key::Char('w')), &[]);
    expect(&mut explorer, Msg::Key(Key::Char('q')), &["quit"]);
    expect(&mut explorer, Msg::Key(Key::Ctrl('c')), &["quit"]);
    expect(&mut explorer, Msg::Key(Key::Ctrl('z')), &["suspend"]);
    expect(&mut explorer, Msg::Key(Key::Ctrl('l')), &["redraw"]);
    expect(&mut explorer, Msg::Paste("q".into()), &[]);
    expect(&mut explorer, Msg::Resize(100, 30), &["draw"]);
    expect(&mut explorer, Msg::Wake, &[]);
    expect(&mut explorer, Msg::Progress(progress), &["draw"]);
    expect(&mut explorer, Msg::Preflight("much".into()), &["draw"]);
    expect(&mut explorer, Msg::Traces(Traces::default()), &["draw"]);
    expect(&mut explorer, Msg::FilesChanged(Arc::downgrade(&other)), &[]);
    expect(&mut explorer, summary(&other), &[]);
    expect(&mut explorer, event_read(&other), &[]);
    expect(&mut explorer, Msg::IsSlow(Kind::Event), &[]);
    let Content::Loading(screen) = explorer.content() else { panic!("nothing was loaded") };
    assert_eq!((screen.progress, screen.preflight.as_str()), (progress, "much"));

    expect(&mut loading(), Msg::KeyboardLost("gone".into()), &["fail"]);
    expect(&mut loading(), Msg::WorkerPanicked("boom".into()), &["fail"]);
    expect(&mut loading(), not_loaded(), &["fail"]);
    expect(&mut loading(), Msg::Loaded(Box::new(Ok(session()))), &["watch", "run", "draw"]);

    expect(&mut explorer, Msg::Snapshot(Box::new(session())), &["run", "draw"]);
    assert_eq!(
        (state(&explorer).size, state(&explorer).source.loading().map(|l| l.progress)),
        ((100, 30), Some(progress))
    );
    assert!(state(&explorer).message.as_ref().is_some_and(|message| message.full().as_str() == "much"));
    expect(&mut explorer, Msg::Loaded(Box::new(Ok(session()))), &["watch", "draw"]);
    assert_eq!(state(&explorer).source.loading(), None);
}

#[test]
fn every_message_when_there_is_a_trace() {
    let mut explorer = ready();
    expect(&mut explorer, Msg::Key(Key::Char('w')), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::F(9)), &[]);
    expect(&mut explorer, Msg::Key(Key::Ctrl('z')), &["suspend", "draw"]);
    expect(&mut explorer, Msg::Key(Key::Ctrl('l')), &["redraw", "draw"]);
    expect(&mut explorer, Msg::Paste("x".into()), &[]);
    expect(&mut explorer, Msg::Key(Key::Char('/')), &["mark paste", "draw"]);
    expect(&mut explorer, Msg::Paste("x".into()), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::Esc), &["mark no paste", "draw"]);
    expect(&mut explorer, Msg::Resize(100, 30), &["draw"]);
    expect(&mut explorer, Msg::Wake, &[]);
    expect(&mut explorer, Msg::Progress(LoadProgress::default()), &[]);
    expect(&mut explorer, Msg::Preflight("much".into()), &[]);
    expect(&mut explorer, Msg::Traces(Traces::default()), &["draw"]);
    expect(&mut explorer, Msg::Snapshot(Box::new(session())), &[]);
    expect(&mut explorer, Msg::IsSlow(Kind::Event), &[]);
    expect(&mut explorer, Msg::WorkerPanicked("boom".into()), &["draw"]);
    let (open, other) = (Arc::clone(&state(&explorer).session), Arc::new(session()));
    expect(&mut explorer, Msg::FilesChanged(Arc::downgrade(&other)), &[]);
    assert!(!state(&explorer).source.has_changed(), "that session is not open any more");
    expect(&mut explorer, Msg::FilesChanged(Arc::downgrade(&open)), &["draw"]);
    assert!(state(&explorer).source.has_changed());
    expect(&mut explorer, summary(&open), &[]);
    expect(&mut explorer, event_read(&open), &[]);
    expect(&mut explorer, Msg::Key(Key::Char('q')), &["quit", "draw"]);
    expect(&mut ready(), Msg::KeyboardLost("gone".into()), &["fail"]);
    expect(&mut ready(), not_loaded(), &["fail"]);
}

#[test]
fn what_was_loaded_stays_until_it_is_loaded_again() {
    let mut explorer = ready();
    expect(&mut explorer, Msg::Key(Key::Char('R')), &["load", "draw"]);
    expect(
        &mut explorer,
        Msg::Progress(LoadProgress { read: 1, total: 2, events: 0, seconds_left: None }),
        &["draw"],
    );
    let before = Arc::clone(&state(&explorer).session);
    expect(&mut explorer, Msg::Snapshot(Box::new(session())), &[]);
    expect(&mut explorer, not_loaded(), &["draw"]);
    assert!(Arc::ptr_eq(&before, &state(&explorer).session) && state(&explorer).source.loading().is_none());
    expect(&mut explorer, Msg::Key(Key::Char('R')), &["load", "draw"]);
    expect(&mut explorer, Msg::Loaded(Box::new(Ok(session()))), &["watch", "draw"]);
    assert!(!Arc::ptr_eq(&before, &state(&explorer).session));

    let mut piped = Explorer::new("standard input".into(), false, (80, 24));
    piped.update(Msg::Loaded(Box::new(Ok(session()))));
    expect(&mut piped, Msg::Key(Key::Char('R')), &["draw"]);
    assert!(state(&piped).message.is_some());
}

/// Two traces of a directory, the first of which is loaded.
fn two_traces() -> Msg {
    let files = |name: &str| TraceFiles { request: Request::new([name]), name: name.into(), span: None };
    Msg::Traces(Traces::with_file(vec![files("a.json"), files("b.json")], None))
}

fn loading_name(explorer: &Explorer) -> &str {
    let Content::Loading(screen) = explorer.content() else { panic!("not loading") };
    &screen.name
}

#[test]
fn another_trace_of_the_directory_is_chosen_from_a_list() {
    let mut explorer = loading();
    expect(&mut explorer, two_traces(), &["draw"]);
    assert_eq!(loading_name(&explorer), "a.json");
    expect(&mut explorer, Msg::Loaded(Box::new(Ok(session()))), &["watch", "run", "draw"]);
    let message = state(&explorer).message.as_ref().expect("a message").full().to_string();
    assert!(message.contains("2 traces") && message.contains("T "), "{message}");
    let first = Arc::downgrade(&state(&explorer).session);
    expect(&mut explorer, Msg::Key(Key::Char('T')), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::Down), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::Enter), &["open trace", "draw"]);
    assert_eq!(loading_name(&explorer), "b.json");
    assert!(first.upgrade().is_none(), "its memory is free for the other trace");
    expect(&mut explorer, Msg::Loaded(Box::new(Ok(session()))), &["watch", "run", "draw"]);
    assert_eq!(state(&explorer).source.traces().title().as_deref(), Some("2 of 2 traces"));
    assert!(state(&explorer).message.is_none(), "who chose knows");
    assert_eq!(explorer.traces().first_file(), Some(std::path::Path::new("b.json")), "which R loads again");
}

#[test]
fn a_trace_that_cannot_be_opened_leaves_the_one_before() {
    let mut explorer = loading();
    explorer.update(two_traces());
    explorer.update(Msg::Loaded(Box::new(Ok(session()))));
    explorer.update(Msg::Key(Key::Char('T')));
    explorer.update(Msg::Key(Key::Down));
    expect(&mut explorer, Msg::Key(Key::Enter), &["open trace", "draw"]);
    expect(&mut explorer, not_loaded(), &["open trace", "draw"]);
    assert_eq!(loading_name(&explorer), "a.json");
    expect(&mut explorer, Msg::Loaded(Box::new(Ok(session()))), &["watch", "run", "draw"]);
    assert_eq!(
        state(&explorer).message.as_ref().map(|why| why.full().to_string()),
        Some("loading was cancelled".to_owned())
    );
    assert_eq!(state(&explorer).source.traces().shown, 0);
}

#[test]
fn without_another_trace_there_is_no_list() {
    let mut explorer = ready();
    expect(&mut explorer, Msg::Key(Key::Char('T')), &["draw"]);
    assert!(!state(&explorer).dialog.is_open() && state(&explorer).message.is_some());
    let mut explorer = loading();
    explorer.update(two_traces());
    explorer.update(Msg::Snapshot(Box::new(session())));
    explorer.update(Msg::Key(Key::Char('T')));
    explorer.update(Msg::Key(Key::Down));
    expect(&mut explorer, Msg::Key(Key::Enter), &["draw"]);
    assert_eq!(state(&explorer).source.traces().shown, 0, "not while the first is loading");
    assert!(state(&explorer).message.is_some());
}

#[test]
fn a_quick_read_is_drawn_with_its_event() {
    let mut explorer = ready();
    let job = read_job(&mut explorer, 'l');
    assert_eq!(detail(&explorer, "arguments"), None, "the frame waits for the answer");
    expect(&mut explorer, Msg::Done(Box::new(job.run())), &["draw"]);
    assert_eq!(detail(&explorer, "of"), Some("first"));
}

#[test]
fn a_slow_read_says_so_and_then_shows_the_arguments() {
    let mut explorer = ready();
    let job = read_job(&mut explorer, 'l');
    expect(&mut explorer, Msg::IsSlow(Kind::Event), &["draw"]);
    assert_eq!(detail(&explorer, "arguments"), Some("reading …"));
    // To the last line, which the arguments push down.
    expect(&mut explorer, Msg::Key(Key::Enter), &["draw"]);
    for _ in 0..20 {
        explorer.update(Msg::Key(Key::Down));
    }
    let focused = |explorer: &Explorer| {
        state(explorer).selected.details().lines[state(explorer).selected.line()].clone()
    };
    assert_eq!(focused(&explorer).value.as_str(), "reading …");
    expect(&mut explorer, Msg::Done(Box::new(job.run())), &["draw"]);
    assert_eq!((detail(&explorer, "arguments"), detail(&explorer, "of")), (None, Some("first")));
    assert_eq!(focused(&explorer).value.as_str(), "first", "the first argument stands there now");
}

#[test]
fn a_stale_answer_is_dropped_and_the_last_wanted_event_is_read() {
    let mut explorer = ready();
    let first = read_job(&mut explorer, 'l');
    expect(&mut explorer, Msg::IsSlow(Kind::Event), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::Char('l')), &["draw"]);
    assert_eq!(detail(&explorer, "arguments"), Some("reading …"), "the disk is slow for it, too");
    expect(&mut explorer, Msg::Key(Key::Char('h')), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::Char('l')), &["draw"]);
    let effects = explorer.update(Msg::Done(Box::new(first.run())));
    assert_eq!(detail(&explorer, "of"), None, "that is not selected any more");
    let [Effect::Run(second)] = effects.as_slice() else { panic!("{effects:?}") };
    expect(&mut explorer, Msg::Done(Box::new(second.clone().run())), &["draw"]);
    assert_eq!(detail(&explorer, "of"), Some("second"));
}

#[test]
fn who_comes_back_before_the_answer_gets_it() {
    let mut explorer = ready();
    let first = read_job(&mut explorer, 'l');
    expect(&mut explorer, Msg::Key(Key::Char('l')), &["draw"]);
    expect(&mut explorer, Msg::Key(Key::Char('h')), &["draw"]);
    expect(&mut explorer, Msg::Done(Box::new(first.run())), &["draw"]);
    assert_eq!(detail(&explorer, "of"), Some("first"));
}

#[test]
fn a_reader_that_panics_is_replaced() {
    let mut explorer = ready();
    let lost = read_job(&mut explorer, 'l');
    expect(&mut explorer, Msg::WorkerPanicked("boom".into()), &["draw"]);
    expect(&mut explorer, Msg::Done(Box::new(lost.failed(None))), &[]);
    let second = read_job(&mut explorer, 'l');
    expect(&mut explorer, Msg::Done(Box::new(second.run())), &["draw"]);
    assert_eq!(detail(&explorer, "of"), Some("second"));
}

#[test]
fn an_answer_of_another_session_is_dropped() {
    let mut explorer = ready();
    let job = read_job(&mut explorer, 'l');
    explorer.update(Msg::Key(Key::Char('R')));
    expect(&mut explorer, Msg::Loaded(Box::new(Ok(session()))), &["watch", "draw"]);
    expect(&mut explorer, Msg::Done(Box::new(job.run())), &["read"]);
    assert_eq!(detail(&explorer, "of"), None);
}
