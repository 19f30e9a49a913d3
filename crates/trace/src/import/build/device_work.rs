//! What is found about device work once all slices are known: the bytes of copies, and work that cannot be as
//! it is recorded.

pub(super) mod copied;
pub(super) mod physics;
