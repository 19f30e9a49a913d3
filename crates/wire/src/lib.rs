//! What a captured process writes and `proftui capture` reads: which steps are recorded, how long they took, and the formats
//! of the files that carry it across.
//!
//! Knows neither how bytes get into a file nor who draws them. Depends on nothing, because it is loaded into processes of
//! other people. Times are ns of the monotonic clock.
//!
//! A run has a folder of its own, in it the [`options`] and the page of its `window` ([`live`]), and for each process a folder ([`process_key`]) with these files:
//!
//! | file | what |
//! | --- | --- |
//! | `log` | what happened, entry after entry ([`log`]) |
//! | `names` | the texts that everything else names by number ([`names`]) |
//! | `live` | what is true now, on one page ([`live`]) |
//! | `c<cycle>.t<thread>.<n>` | the ranges of a thread in a cycle ([`chunk`]) |
//! | `c<cycle>.g<n>` | what devices did in a cycle ([`device`]) |
//!
//! - [`schedule`]: the state of each step; [`scheduler`]: the actions that a change of state asks for.
//! - [`timer`]: how long steps take; [`perf`]: that in words.

#![forbid(unsafe_code)]

pub mod chunk;
pub mod device;
pub mod live;
pub mod log;
pub mod names;
pub mod options;
pub mod perf;
pub mod process_key;
pub mod schedule;
pub mod scheduler;
pub mod timer;
