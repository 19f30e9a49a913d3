//! The explorer's controller: shows the loading screen first, and the state over the trace once a snapshot or
//! the whole of it is loaded.
//!
//! Pure: it takes messages and returns effects. Must not know threads, files, the terminal.

use std::sync::Arc;

use super::command;
use super::session::Session;
use super::state::State;
use super::update::{start_jobs, update};
use crate::app::input::bindings;
use crate::app::input::mouse::Pointer;
use crate::app::marking::keeping::Kept;
use crate::app::marking::settings::Settings;
use crate::app::session::loading::{self, Loading, LoadingScreen, Shown};
use crate::app::session::source::Source;
use crate::app::session::traces::Traces;
use crate::app::view::looks::Looks;
use crate::app::wires::message::Message;
use crate::app::wires::msg::{Effect, Msg};

/// What is on the screen.
#[derive(Debug)]
pub enum Content {
    /// The loading screen, until the trace or a snapshot of it is loaded.
    Loading(LoadingScreen),
    /// The explorer's state, once the trace or a snapshot of it is loaded.
    Ready(Box<State>),
}

/// The explorer: what is on the screen, and the facts that are needed before there is a [`State`].
#[derive(Debug)]
pub struct Explorer {
    content: Content,
    /// Width of the screen in columns, and its height in lines.
    size: (u16, u16),
    /// False if the trace cannot be loaded again, such as one from a pipe.
    can_reload: bool,
    /// The traces to choose from, kept here only while the loading screen is shown.
    traces: Traces,
    /// The index of the trace to return to if the one that the user chose cannot be loaded; none if there is
    /// none.
    previous: Option<usize>,
    /// Why the chosen trace could not be loaded; said once the trace shown before it is on the screen again.
    failure: Option<String>,
    /// The location, as text, to go to once the whole first trace is loaded; none if there is none, or a
    /// [`State`] has it.
    location: Option<String>,
    /// What an earlier session kept of the trace that is being loaded, until there is a [`State`].
    earlier: Option<Kept>,
    /// What the user chose before the explorer started.
    settings: Settings,
}

impl Explorer {
    /// An explorer that shows the loading screen for the trace `name`, on a screen of `size` (columns,
    /// lines). The caller must start the first load.
    pub fn new(name: String, can_reload: bool, size: (u16, u16)) -> Self {
        let screen = LoadingScreen { name, ..LoadingScreen::default() };
        Self {
            content: Content::Loading(screen),
            size,
            can_reload,
            traces: Traces::default(),
            previous: None,
            failure: None,
            location: None,
            earlier: None,
            settings: Settings::default(),
        }
    }

    /// The explorer with these settings.
    #[must_use]
    pub fn with(mut self, settings: Settings) -> Self {
        if let Content::Loading(screen) = &mut self.content {
            screen.keys = Arc::clone(&settings.keys);
        }
        Self { settings, ..self }
    }

    /// The explorer with a location to go to once the whole first trace is loaded; text as in
    /// `docs/locations.md`.
    #[must_use]
    pub fn at(self, location: Option<String>) -> Self {
        Self { location, ..self }
    }

    /// The content to draw: the loading screen, or the state.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The traces to choose from, and the one that is shown or loaded.
    pub fn traces(&self) -> &Traces {
        match &self.content {
            Content::Loading(_) => &self.traces,
            Content::Ready(state) => state.source.traces(),
        }
    }

    /// Handles one message; returns the effects to carry out, in order.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        if let Msg::Resize(width, height) = msg {
            self.size = (width, height);
        }
        match &mut self.content {
            Content::Ready(state) => {
                let before = state.source.traces().shown;
                let mut effects = update(state, msg);
                let leaves = |effect: &Effect| {
                    matches!(effect, Effect::Quit | Effect::OpenTrace(_) | Effect::KeepMarks(_))
                };
                if let Some(at) = effects.iter().position(leaves)
                    && let Some(kept) = state.to_keep()
                {
                    effects.insert(at, Effect::KeepSession(kept));
                }
                if effects.iter().any(|effect| matches!(effect, Effect::OpenTrace(_))) {
                    self.traces = state.source.traces().clone();
                    self.previous = Some(before);
                    self.show_loading();
                }
                effects
            }
            Content::Loading(screen) => {
                match msg {
                    Msg::Key(key) => {
                        command::effect_while_loading(&self.settings.keys, key).into_iter().collect()
                    }
                    Msg::Resize(..) => vec![Effect::Draw],
                    Msg::Traces(traces) => {
                        screen.name =
                            traces.all.get(traces.shown).map_or_else(String::new, |files| files.name.clone());
                        self.traces = traces;
                        vec![Effect::Draw]
                    }
                    Msg::Progress(progress) => {
                        screen.progress = progress;
                        vec![Effect::Draw]
                    }
                    Msg::Preflight(line) => {
                        screen.preflight = line;
                        vec![Effect::Draw]
                    }
                    Msg::Earlier(kept) => {
                        self.earlier = Some(*kept);
                        Vec::new()
                    }
                    Msg::Snapshot(session) => {
                        let loading = Loading { progress: screen.progress, shown: Shown::Snapshot };
                        self.show(*session, Some(loading))
                    }
                    Msg::Loaded(loaded) => match *loaded {
                        Ok(session) => self.show(session, None),
                        Err(why) => self.fail(why.to_string()),
                    },
                    Msg::KeyboardLost(why) => vec![Effect::Fail(loading::keyboard_lost(&why))],
                    Msg::WorkerPanicked(what) => vec![Effect::Fail(loading::loading_failed(&what))],
                    // The loading screen has no prompt to paste into, and has asked for no job or watch.
                    Msg::Paste(_)
                    | Msg::Mouse(_)
                    | Msg::Exported(_)
                    | Msg::Wake
                    | Msg::FilesChanged(_)
                    | Msg::Done(_)
                    | Msg::IsSlow(_) => Vec::new(),
                }
            }
        }
    }

    /// Shows the loading screen for the trace `shown` in `traces`; results of jobs of the state shown until
    /// then are not wanted any more.
    fn show_loading(&mut self) {
        let name =
            self.traces.all.get(self.traces.shown).map_or_else(String::new, |files| files.name.clone());
        if let Content::Ready(state) = &mut self.content {
            state.jobs.forget();
        }
        let keys = Arc::clone(&self.settings.keys);
        self.content = Content::Loading(LoadingScreen { keys, name, ..LoadingScreen::default() });
    }

    /// Loads the trace again that was shown before the one that cannot be loaded, or ends the explorer if
    /// there was none. `why` is the reason, for the user.
    fn fail(&mut self, why: String) -> Vec<Effect> {
        let previous = self.previous.take();
        let files = previous.and_then(|at| self.traces.all.get(at).cloned());
        let (Some(at), Some(files)) = (previous, files) else { return vec![Effect::Fail(why)] };
        self.traces.shown = at;
        self.failure = Some(why);
        self.show_loading();
        vec![Effect::OpenTrace(Box::new(files)), Effect::Draw]
    }

    /// Replaces the loading screen by the state over a trace's first session: a snapshot if `loading` is
    /// given, otherwise the whole trace. Returns the effects to carry out.
    fn show(&mut self, session: Session, loading: Option<Loading>) -> Vec<Effect> {
        let part = session.trace.partial_title().filter(|_| loading.is_none());
        let traces = std::mem::take(&mut self.traces);
        let source = Source::new(loading).with(traces, self.can_reload, self.location.take());
        let mut state = State::with_source(session, self.size, source);
        state.keys = Arc::clone(&self.settings.keys);
        state.looks = Looks::with(self.settings.color_by);
        state.pointer = Pointer::new(self.settings.has_mouse);
        state.marks.keep(self.settings.marks.take());
        state.earlier = self.earlier.take();
        let is_first = self.previous.is_none() && self.failure.is_none();
        if state.source.traces().are_several() && is_first {
            let (count, key) = (state.source.traces().all.len(), state.keys.label(bindings::CHOOSE_TRACE));
            state.say(format!("{count} traces are in this directory; {key} chooses another"));
        }
        if loading.is_none() {
            self.previous = None;
        }
        if let Content::Loading(screen) = &mut self.content {
            let preflight = std::mem::take(&mut screen.preflight);
            if !preflight.is_empty() && loading.is_some() {
                state.message = Some(Message::passing(preflight));
            }
        }
        if let Some(part) = part {
            state.say(part);
        }
        if let Some(why) = self.failure.take() {
            state.say(why);
        }
        if loading.is_none() {
            state.watch_files();
            state.restore_session();
            state.restore_marks();
            state.go_to_opening_location();
        }
        start_jobs(&mut state);
        let mut effects = std::mem::take(&mut state.effects);
        effects.push(Effect::Draw);
        self.content = Content::Ready(Box::new(state));
        effects
    }
}

#[cfg(test)]
mod tests;
