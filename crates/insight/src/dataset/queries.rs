//! Queries over the tables in SQL, as DuckDB and Spark understand it.
//!
//! A query names tables as [`TABLES`](super::TABLES) does. Must not know how tables are written.

/// A query over the tables.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// The query's name, that of the view whose table it computes, if there is one.
    pub name: &'static str,
    /// The text of the query, which begins with a comment on what it computes.
    pub sql: &'static str,
}

/// All queries.
pub const QUERIES: &[Query] = &[
    Query { name: "kernel", sql: include_str!("../../assets/sql/kernel.sql") },
    Query { name: "operator", sql: include_str!("../../assets/sql/operator.sql") },
    Query { name: "steps", sql: include_str!("../../assets/sql/steps.sql") },
    Query { name: "idle", sql: include_str!("../../assets/sql/idle.sql") },
    Query { name: "collectives", sql: include_str!("../../assets/sql/collectives.sql") },
    Query { name: "ranks", sql: include_str!("../../assets/sql/ranks.sql") },
];
