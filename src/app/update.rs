//! `update`, the only way to change the state once it is shown: handles a message, changes the state, returns
//! effects.
//!
//! Must not know who sends a message or how an effect is carried out.

use std::sync::Arc;

use super::candidates;
use super::command::{self, Command};
use super::session::Session;
use super::state::State;
use crate::app::actions::point;
use crate::app::input::bindings;
use crate::app::input::key::Key;
use crate::app::session::loading::{self, LoadError, Loading, Shown};
use crate::app::wires::jobs::{Done, Ended, Kind};
use crate::app::wires::msg::{Effect, Msg};

/// Handles one message; returns the effects to carry out, in order.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    let is_changed = take_in(state, msg);
    state.settle_rows();
    candidates::refresh(state);
    state.effects.extend(state.dialog.marks_paste().map(Effect::MarkPaste));
    // The result of a job is nearly always here within milliseconds: the frame waits for it, so that it does
    // not come in a frame of its own. If the job takes longer, `Msg::IsSlow` brings the frame.
    let is_waiting = start_jobs(state);
    if is_changed && !is_waiting {
        state.effects.push(Effect::Draw);
    }
    std::mem::take(&mut state.effects)
}

/// Adds an effect for each job that is to start now; true if drawing the screen waits for the result of one
/// of them.
pub(super) fn start_jobs(state: &mut State) -> bool {
    let mut is_waiting = false;
    for (job, waits) in state.jobs.next() {
        is_waiting |= waits;
        state.effects.push(Effect::Run(Box::new(job)));
    }
    is_waiting
}

/// Changes the state as the message asks; true if the screen is to be drawn again.
fn take_in(state: &mut State, msg: Msg) -> bool {
    state.is_used |= matches!(msg, Msg::Key(_) | Msg::Mouse(_) | Msg::Paste(_));
    match msg {
        Msg::Key(key) => return press(state, key),
        Msg::Mouse(mouse) => {
            state.message = None;
            state.dialog.follow(Key::Esc);
            if state.dialog.help().is_some() {
                command::scroll_help(state, point::lines(mouse));
            } else {
                state.point(mouse);
                state.refresh_table();
            }
        }
        Msg::Exported(said) => state.say(said),
        Msg::Paste(text) => return state.dialog.paste(&text),
        Msg::Resize(width, height) => state.resize((width, height)),
        Msg::Wake | Msg::Preflight(_) => return false,
        Msg::KeyboardLost(why) => return fail(state, loading::keyboard_lost(&why)),
        Msg::WorkerPanicked(what) if state.source.loading().is_some() => {
            return fail(state, loading::loading_failed(&what));
        }
        Msg::WorkerPanicked(what) => {
            state
                .say(format!("a background task failed: {what}; this is a bug in proftui, please report it"));
        }
        Msg::Traces(traces) => state.source.offer(traces),
        Msg::Earlier(kept) => {
            // What is loaded again was restored before.
            if state.source.is_snapshot() {
                state.keep(*kept);
            }
            return false;
        }
        Msg::Progress(progress) => return state.source.advance(progress),
        Msg::Snapshot(session) => return take_snapshot(state, *session),
        Msg::Loaded(loaded) => return take_loaded(state, *loaded),
        Msg::FilesChanged(session) => {
            if session.as_ptr() != Arc::as_ptr(&state.session) {
                return false;
            }
            state.source.note_change();
            let key = state.keys.label(bindings::RELOAD);
            state.say(format!(
                "a file of the trace has changed on disk, or is gone; {key} tries to load the trace again"
            ));
        }
        Msg::Done(done) => return take_done(state, *done),
        Msg::IsSlow(kind) => {
            if !state.jobs.mark_slow(kind) {
                return false;
            }
            match kind {
                Kind::Search => state.say_search_progress(),
                _ => state.say_reading(),
            }
        }
    }
    true
}

/// Takes the result of an ended job that is still wanted, or says why it failed if the user is to know. True
/// if the screen is to be drawn again.
fn take_done(state: &mut State, ended: Ended) -> bool {
    if !state.jobs.end(&ended) {
        return false;
    }
    match ended.result {
        Ok(Done::Summary(summary)) => state.take_summary(*summary),
        Ok(Done::Arranged(arranged)) => {
            state.summaries.take_rows(arranged);
            state.arrange_rows();
        }
        Ok(Done::Renumbered(found)) => state.take_session(found),
        Ok(Done::List(listed)) => state.take_list(listed),
        Ok(Done::Event(read)) => return state.selected.take(&state.session, read),
        Ok(Done::Minimap(minimap)) => state.minimap = minimap,
        Ok(Done::Names(found)) => candidates::take_names(state, found),
        Ok(Done::Search(found)) => state.take_search(*found),
        Err(Some(why)) => state.say(why),
        Err(None) => return false,
    }
    true
}

fn press(state: &mut State, key: Key) -> bool {
    let had_message = state.message.take().is_some();
    // A list that is still being made is not wanted any more once another key is pressed.
    state.jobs.list.forget();
    let found = command::find(state, key);
    let was_pending = state.dialog.follow(key);
    match (found, key) {
        // Only the menu is left.
        (_, Key::Esc) if was_pending => {}
        (Some(command), _) => run(state, command),
        (None, Key::Char(typed)) if state.dialog.takes_text() => state.dialog.push(typed),
        _ => match command::in_pane(state, key) {
            Some(command) => say_pane(state, command, key),
            None => return had_message,
        },
    }
    true
}

/// Says that `key` runs `command` in the pane, and which key moves the focus there.
fn say_pane(state: &mut State, command: &Command, key: Key) {
    let (key, pane) = (key.label(true), state.keys.label(bindings::FOCUS_PANE));
    let title = command.title.to_lowercase();
    state.say(format!("{key} is a key of the pane ({title}): {pane} moves to the pane"));
}

/// Runs a command, and updates what follows from it, such as the history of viewports.
fn run(state: &mut State, command: &'static Command) {
    let mut next = Some(command);
    while let Some(command) = next {
        let (before, moves) = (state.timeline.here(state.selected.selection()), state.timeline.moves());
        (command.run)(state);
        let gradual = command.is_gradual.then_some(command.id);
        state.timeline.leave(before, state.selected.selection(), moves, gradual);
        next = state.dialog.take_command().and_then(|number| command::all().nth(number));
    }
    state.follow_stretch();
    state.refresh_table();
}

fn fail(state: &mut State, why: String) -> bool {
    state.effects.push(Effect::Fail(why));
    false
}

fn take_snapshot(state: &mut State, session: Session) -> bool {
    // While files are loaded again, the previous trace stays on the screen, since it is complete.
    let Some(loading) = state.source.loading().filter(|loading| loading.shown == Shown::Snapshot) else {
        return false;
    };
    state.migrate(session, Some(loading));
    true
}

fn take_loaded(state: &mut State, loaded: Result<Session, LoadError>) -> bool {
    match loaded {
        Ok(session) => {
            state.migrate(session, None);
        }
        // Loading again failed: the previous trace stays on the screen.
        Err(why) if matches!(state.source.loading(), Some(Loading { shown: Shown::Previous, .. })) => {
            state.source.end();
            state.say(why.to_string());
        }
        Err(why) => return fail(state, why.to_string()),
    }
    true
}

impl State {
    /// Adds the effect that has the session's files watched for changes.
    pub(super) fn watch_files(&mut self) {
        self.effects.push(Effect::WatchFiles(Arc::downgrade(&self.session)));
    }
}
