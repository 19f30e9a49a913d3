//! Searching events: what is typed, which events and gaps meet it, and the table of them.
//!
//! [`query`] reads what is typed; [`find`] has the events that meet it, [`table`] the answer as a table. The
//! explorer's search and `proftui query` have the same language. Must not know the screen.

mod answer;
mod arguments;
mod error;
pub mod fields;
mod filter;
mod found;
mod gaps;
mod groups;
mod lines;
mod names;
mod parts;
pub mod query;
pub mod terms;
mod value;
mod when;

pub use answer::{arrange, find, table, table_of};
pub use arguments::ReadSoFar;
pub use error::{QueryError, SearchError};
pub use fields::FIELDS;
pub use filter::Filter;
pub use found::{Found, Rows};
pub use gaps::found_gaps;
pub use names::{NameMatch, mask, match_names, name_counts, names_like};
pub use query::Query;
pub use terms::{By, Term};
pub use value::{Axis, Bound, Line};
