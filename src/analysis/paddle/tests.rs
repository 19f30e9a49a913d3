//! Trees made here, and what the tables say of them.
