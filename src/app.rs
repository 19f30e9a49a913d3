//! The explorer without a terminal: its state, its commands, and the function that changes it.
//!
//! Messages ([`Msg`]) go into [`Explorer::update`] and effects ([`Effect`]) come out; `ui` reads the state and draws it. Must not
//! know cells, colours, escape sequences, threads.
//!
//! The files in order, each using only those of the lines above and of its own:
//!
//! - `key`, `bindings`, `geometry`, `viewport`, `timefmt`, `overlay`, `loading`, `message`, `run`, `query`, `line`, `order`, `session`, `renumber`,
//!   `group_choice`, `traces`, `rows`, `kept`
//! - `busy`, `in_view`, `labels`, `lines`, `links`, `minimap`, `matching`, `search`, `table_pane`, `stretch`, `marks`, `history`, `details`, `group_list`, `jobs`, `msg`
//! - `state`
//! - `select`, `scroll`, `lanes`, `mark_stretch`, `set_marks`, `gaps`, `follow`, `find`, `navigate`, `panes`, `summaries`, `charts`, `prompt`, `migrate`, `choose_trace`, `choose_group`:
//!   changes to the state
//! - `command`: the table of the user's commands
//! - `candidates`, `update`, `explorer`

pub mod bindings;
pub mod busy;
mod candidates;
mod charts;
mod choose_group;
mod choose_trace;
pub mod color;
pub mod command;
mod copy;
pub mod details;
mod explorer;
mod find;
mod flames;
mod follow;
mod gaps;
pub mod geometry;
pub mod group_choice;
pub mod group_list;
pub mod history;
pub mod icicle;
mod in_view;
pub mod jobs;
mod kept;
pub mod key;
pub mod labels;
mod lanes;
mod line;
pub mod lines;
pub mod links;
pub mod loading;
mod mark_stretch;
pub mod marks;
mod matching;
pub mod message;
mod migrate;
pub mod minimap;
pub mod mouse;
mod msg;
mod navigate;
pub mod order;
pub mod overlay;
mod panes;
mod point;
mod prompt;
pub mod query;
pub mod renumber;
pub mod rows;
pub mod run;
mod scroll;
pub mod search;
pub mod select;
pub mod session;
mod set_marks;
pub mod settings;
pub mod state;
pub mod stretch;
mod summaries;
pub mod table_pane;
pub mod timefmt;
pub mod traces;
mod update;
pub mod viewport;

pub use explorer::{Content, Explorer};
pub use key::Key;
pub use msg::{Effect, Exported, Msg};
pub use session::{Selection, Session};
pub use state::{Pane, Region, State};
pub use traces::Traces;
pub use update::update;
