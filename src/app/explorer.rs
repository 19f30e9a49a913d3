//! The explorer's controller: shows the loading screen first, and the state over the trace once a snapshot or the whole of it is
//! loaded.
//!
//! Pure: it takes messages and returns effects. Must not know threads, files, the terminal.

use crate::base::text::SafeText;

use super::command;
use super::loading::{self, Loading, LoadingScreen, Shown};
use super::msg::{Effect, Msg};
use super::session::Session;
use super::state::State;
use super::update::update;

/// What is on the screen.
#[derive(Debug)]
pub enum Content {
    /// The loading screen, while no part of the trace has been loaded.
    Loading(LoadingScreen),
    /// The state over the trace or over a snapshot.
    Ready(Box<State>),
}

/// The explorer: its content, and the facts that are needed before there is a [`State`].
#[derive(Debug)]
pub struct Explorer {
    content: Content,
    /// Width of the screen in columns, and its height in lines.
    size: (u16, u16),
    /// False where the trace comes through a pipe, which cannot be read again.
    can_reload: bool,
}

impl Explorer {
    /// An explorer that shows the loading screen for the file `name`, on a screen of `size` (columns, lines). The caller must
    /// start loading on its own, as [`Effect::Load`] asks later. `can_reload` is false if the trace comes through a pipe.
    pub fn new(name: String, can_reload: bool, size: (u16, u16)) -> Self {
        let screen = LoadingScreen { name, ..LoadingScreen::default() };
        Self { content: Content::Loading(screen), size, can_reload }
    }

    /// The content to draw: the loading screen, or the state.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Handles one message; returns the effects to carry out, in order.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        if let Msg::Resize(width, height) = msg {
            self.size = (width, height);
        }
        match &mut self.content {
            Content::Ready(state) => update(state, msg),
            Content::Loading(screen) => {
                match msg {
                    Msg::Key(key) => command::effect_while_loading(key).into_iter().collect(),
                    Msg::Resize(..) => vec![Effect::Draw],
                    Msg::Progress(progress) => {
                        screen.progress = progress;
                        vec![Effect::Draw]
                    }
                    Msg::Preflight(line) => {
                        screen.preflight = line;
                        vec![Effect::Draw]
                    }
                    Msg::Snapshot(session) => {
                        let loading = Loading { progress: screen.progress, shown: Shown::Snapshot };
                        self.show(*session, Some(loading))
                    }
                    Msg::Loaded(loaded) => match *loaded {
                        Ok(session) => self.show(session, None),
                        Err(why) => vec![Effect::Fail(why)],
                    },
                    Msg::KeyboardLost(why) => vec![Effect::Fail(loading::keyboard_lost(&why))],
                    Msg::WorkerPanicked(what) => vec![Effect::Fail(loading::loading_failed(&what))],
                    // The loading screen has no prompt to paste into, and has asked for no summary, event or watch.
                    Msg::Paste(_)
                    | Msg::Wake
                    | Msg::FilesChanged(_)
                    | Msg::Summarized(_)
                    | Msg::EventRead(_)
                    | Msg::ReadIsSlow => Vec::new(),
                }
            }
        }
    }

    /// Replaces the loading screen by the first session: a snapshot if `loading` is given, otherwise the whole trace. Returns the
    /// effects to carry out.
    fn show(&mut self, session: Session, loading: Option<Loading>) -> Vec<Effect> {
        let part = session.trace.partial_title().filter(|_| loading.is_none());
        let mut state = State::new(session, self.size);
        (state.loading, state.can_reload) = (loading, self.can_reload);
        if let Content::Loading(screen) = &mut self.content {
            let preflight = std::mem::take(&mut screen.preflight);
            state.message = (!preflight.is_empty()).then(|| SafeText::from(preflight));
        }
        if let Some(part) = part {
            state.say(part);
        }
        if loading.is_none() {
            state.watch_files();
        }
        let mut effects = std::mem::take(&mut state.effects);
        effects.push(Effect::Draw);
        self.content = Content::Ready(Box::new(state));
        effects
    }
}

#[cfg(test)]
mod tests;
