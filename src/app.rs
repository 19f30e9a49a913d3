//! The explorer without a terminal: its state, its commands, and the one function that changes it.
//!
//! `update` is the only way in; `ui` reads the state and draws it. Must not know cells, colours or escape sequences.

pub mod charts;
pub mod command;
pub mod details;
pub mod geometry;
pub mod growth;
pub mod history;
pub mod key;
pub mod lines;
pub mod links;
pub mod minimap;
pub mod overlay;
pub mod panes;
pub mod search;
pub mod select;
pub mod state;
pub mod summing;
pub mod timefmt;
pub mod update;
pub mod view;

pub use key::Key;
pub use state::{Pane, Region, Selection, Session, State};
pub use update::{Incident, Outcome, update, update_loading};
