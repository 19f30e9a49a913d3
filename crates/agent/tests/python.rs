//! The recorder in real Python interpreters, and in programs with a simulated GPU: the tests compare what a program did with the files
//! on disk afterwards. Versions that are not installed are not tried, and a line says so; under `CI=true`
//! at least one must be installed.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "python/devices.rs"]
mod devices;
#[path = "python/fakes.rs"]
mod fakes;
#[path = "python/limits.rs"]
mod limits;
#[path = "python/processes.rs"]
mod processes;
#[path = "python/ranges.rs"]
mod ranges;
#[path = "python/rig.rs"]
mod rig;
#[path = "python/survival.rs"]
mod survival;
