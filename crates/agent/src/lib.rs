//! What is loaded into a captured process: it writes the process's ranges and steps into files that outlive it.
//!
//! A guest in other people's processes. It never changes what they compute, print or return, never waits for anybody, keeps
//! no file open (a number that the program closes and gets again would be a file of its own), and once something is wrong
//! with it, it is silent for good.
//!
//! ```text
//! python, nvtx, itt ──> ranges ──> spool (recorder, writer, mapping) ──┐
//!        │                             ▲                         ▼
//!        ├──────────> process (steps, names, folder, fork, exit) ──> files
//!        │                             ▲
//!        └──────────> cuda (session, sink, records, ...)
//! ```
//!
//! - `python`: the extension module `_proftui`; the only module that knows Python.
//! - `nvtx`: what libraries and programs in any language tell by NVTX; it opens the process where no Python does.
//! - `itt`: the operators that PyTorch tells by Intel's ITT.
//! - `ranges`: a range begins, a range ends. Where every source of ranges comes in.
//! - `spool`: the ranges of a thread, in chunks. Knows neither Python nor steps.
//! - `cuda`: what devices do; the only module that knows CUPTI. The driver calls it, and the process where cycles begin and end.
//! - `process`: what there is once a process: its folder, names, steps; whom it follows; what a fork does to it.
//! - `guard`: what stands between all of it and the program.
//! - `clock`, `errno`, `files`, `lock`, `page`: the ground.
//!
//! `unsafe` stands where the system or Python is called: each such module says why.

mod clock;
mod cuda;
mod errno;
mod files;
mod guard;
mod itt;
mod lock;
mod nvtx;
mod page;
mod process;
mod python;
mod ranges;
mod spool;

#[cfg(test)]
mod tests;
