//! Queries over the tables in SQL, as DuckDB and Spark understand it.
//!
//! A query names tables as [`TABLES`](super::TABLES) does. Must not know how tables are written.

/// A query over the tables.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// The query's name, that of the view whose table it computes, if there is one.
    pub name: &'static str,
    /// What the query computes, for the help.
    pub about: &'static str,
    /// The text of the query, which begins with a comment on what it computes.
    pub sql: &'static str,
}

/// All queries.
pub const QUERIES: &[Query] = &[
    Query { name: "kernel", about: "Kernels by name", sql: include_str!("../../assets/sql/kernel.sql") },
    Query {
        name: "operator",
        about: "Operators by name",
        sql: include_str!("../../assets/sql/operator.sql"),
    },
    Query { name: "steps", about: "Steps by phase", sql: include_str!("../../assets/sql/steps.sql") },
    Query { name: "idle", about: "Idle time by cause", sql: include_str!("../../assets/sql/idle.sql") },
    Query {
        name: "collectives",
        about: "Communication of each device, and how much of it is hidden",
        sql: include_str!("../../assets/sql/collectives.sql"),
    },
    Query {
        name: "ranks",
        about: "Each step over all ranks: the slowest, and how late it is",
        sql: include_str!("../../assets/sql/ranks.sql"),
    },
];
