//! The hidden commands by which the Python module has the program record and compute.

pub(super) mod collect;
pub(super) mod events;
pub(super) mod nodes;
pub(super) mod states;
