//! The explorer without a terminal: its state, its commands, and the function that changes it.
//!
//! Messages ([`Msg`]) go into [`Explorer::update`] and effects ([`Effect`]) come out; `ui` reads the state
//! and draws it. Must not know cells of the screen, colours, escape sequences, worker threads.
//!
//! The rooms, each of which uses only those above it (a test holds this):
//!
//! - `run` is what jobs have in common, `input` the keys in force and the mouse
//! - `session` is a loaded trace with everything that is computed from it once, and where it comes from
//! - `view` is what the timeline shows: viewport, lines, labels
//! - `finding` searches events, `pane` is the lower part of the screen and what covers it, `marking` what a
//!   person marked
//! - `wires` has messages, effects and jobs
//! - `state` joins the nouns of these rooms, each of which changes itself; `actions` change several nouns at
//!   once, and say so in messages
//! - `command` is the table of the user's commands
//! - `candidates`, `update` and `explorer` are the way in

mod actions;
mod candidates;
pub mod command;
mod explorer;
pub mod finding;
pub mod input;
pub mod marking;
pub mod pane;
pub mod run;
pub mod session;
pub mod state;
mod update;
pub mod view;
pub mod wires;

pub use explorer::{Content, Explorer};
pub use input::key::Key;
pub use pane::panes::{Pane, Region};
pub use session::traces::Traces;
pub use session::{Selection, Session};
pub use state::State;
pub use update::update;
pub use wires::msg::{Effect, Exported, Msg};
