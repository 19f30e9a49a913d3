//! Requests about a trace ([`Ask`]), and how they are answered ([`Answer`]): with tables and findings.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use crate::ask::{Ask, open};
//! use proftui_trace::import::{Progress, Request};
//!
//! let loaded = open(&Request::new(["trace.json.gz"]), &Progress::default())?;
//! let answer = Ask::view("kernel")?.steps(10..13).sorted_by("calls").rows(5).of(&loaded)?;
//! println!("{}", crate::report::json::render(&answer.tables[0].table, &serde_json::Value::Null));
//! # Ok(())
//! # }
//! ```
//!
//! The command line, the explorer's jobs and tests all ask here: which table a view has for a part, a
//! grouping or a flame, which arguments of events are read for it, and what is said where they cannot be. Of
//! several traces, [`Several`] joins the tables. The maker of an answer may cancel it
//! (`proftui_base::cancel`); whoever opens a trace sees the progress, and may limit the memory by the
//! [`Request`](proftui_trace::import::Request). Must not know the command line and its options, the screen,
//! nor how a table is printed.

mod arrange;
mod error;
mod kineto;
mod known;
mod open;
mod request;
mod several;
mod within;

pub use crate::analysis::part::titles::{list, title};
pub use arrange::{Arrangement, Filter, cut};
pub use error::AskError;
pub use kineto::{excerpt, write_kineto};
pub use known::Known;
pub use open::{OpenError, name_graphs, open};
pub use request::{Answer, AnswerTable, Ask, Findings};
pub use several::{Several, TraceName};
pub use within::{Time, Within};
