//! The explorer without a terminal: keys in, state and screen out.

mod case_studies;
mod cases;
mod charts;
mod coverage;
mod encoded;
mod first;
mod groups;
mod hosts;
mod idle;
mod keys;
mod mockups;
mod mouse;
mod panes;
mod real;
mod screens;
mod search;
mod shown;
mod stretches;

use std::path::PathBuf;

use proftui::app::command;
use proftui::app::{Effect, Key, Msg, Session, State, update};
use proftui::ui::theme::{Background, Depth};
use proftui::ui::{self, Theme};
use proftui_trace::import::{Progress, Request, load};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// An explorer of a demo trace on a screen of the given size.
fn explorer(trace: &str, size: (u16, u16)) -> State {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("demo-traces").join(trace);
    let loaded = load(&Request::new([path]), &Progress::default()).expect("a demo trace");
    let mut state = State::new(Session::new(loaded), size);
    // The pane that is shown first is made by a job.
    send(&mut state, Msg::Wake);
    state
}

const GPU: &str = "synthetic-gpu.json.gz";

/// Sends a message; jobs for other threads are done at once. Returns the other effects.
fn send(state: &mut State, msg: Msg) -> Vec<Effect> {
    let mut effects = Vec::new();
    for effect in update(state, msg) {
        match effect {
            Effect::Run(job) => effects.extend(send(state, Msg::Done(Box::new(job.run())))),
            effect => effects.push(effect),
        }
    }
    effects
}

/// The first key of a command, as [`press`] reads it.
fn key_of(id: &str) -> String {
    let command = command::all().find(|command| command.id == id).expect("a command of this id");
    command.keys[0].label(false)
}

fn has_quit(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Quit))
}

/// Presses keys: single characters, and names in `<>`, as in `jj<enter>/gemm<esc>`. Returns the effects of
/// the last.
fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for key in Key::script(keys).unwrap_or_else(|name| panic!("no key {name}")) {
        effects = send(state, Msg::Key(key));
    }
    effects
}

fn draw(state: &State, theme: &Theme) -> Buffer {
    let area = Rect::new(0, 0, state.size.0, state.size.1);
    let mut buffer = Buffer::empty(area);
    ui::draw(state, theme, area, &mut buffer);
    buffer
}

fn theme(depth: Depth) -> Theme {
    Theme::new(depth, Background::Dark, true)
}

/// The screen as text.
fn screen(state: &State) -> String {
    text(&draw(state, &theme(Depth::Indexed256)))
}

fn text(buffer: &Buffer) -> String {
    let width = buffer.area.width.max(1) as usize;
    let lines = buffer.content.chunks(width).map(|line| {
        let line: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned() + "\n"
    });
    lines.collect()
}

/// The selected slice's name.
fn selected(state: &State) -> String {
    state.selected.slice().map_or(String::new(), |id| state.session.trace.name(id).to_string())
}
