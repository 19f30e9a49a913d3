//! Captures of programs that use a GPU which is not there: what the fakes of `tests/fake-cuda` deliver is
//! what traces hold.

mod causes;
mod counts;
mod cycles;
mod exits;
mod graphs;
mod kinds;
mod late;
mod profiler_files;
mod profilers;
mod ranges;
mod reasons;
mod rig;
mod rings;
mod search;
mod seldom;
mod trouble;
mod waits;
