//! What the benches share: traces made by a recipe, times of repeated runs, measurements in a process of
//! their own, figures as lines.
//!
//! Must not know what a bench measures.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    unreachable_pub,
    reason = "a bench has no numbers that do not fit, and no users"
)]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a bench that cannot go on should stop")]

pub mod child;
pub mod compare;
pub mod files;
pub mod generate;
pub mod machine;
pub mod measure;
pub mod walk;
