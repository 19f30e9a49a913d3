//! Loads traces for the commands that print, and reports the expected cost and the progress of loading on
//! standard error.
//!
//! Must not know formats.

pub(super) mod graph_counts;
pub(super) mod pool;
pub(super) mod profile;

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use proftui_base::fmt;
use proftui_base::saturate::saturate;
use proftui_insight::ask;
use proftui_trace::import::{self, Loaded, Progress, Request, StepsFrom, TraceFiles};

use crate::cli::options::select::cost_of_loading;
use crate::cli::output::streams::{Failure, notify};

/// Loads the files of a request as one trace, and reports on standard error what concerns loading; its
/// expected cost and progress only on a terminal.
pub(super) fn load(request: &Request) -> Result<Loaded, Failure> {
    if std::io::stderr().is_terminal() {
        let flights = request.paths.iter().filter_map(|path| import::preflight(path, request));
        flights.for_each(|flight| notify(&cost_of_loading(&flight)));
    }
    let loaded = watched(|progress| ask::open(request, progress))?;
    if let Some(left_out) = loaded.trace.partial_title() {
        notify(&left_out);
    }
    if request.steps_from == StepsFrom::Launches && loaded.trace.meta.inferred.is_none() {
        notify(if loaded.trace.steps.is_empty() {
            "--steps-from launches changes nothing: no launches were found that repeat as steps do"
        } else {
            "--steps-from launches changes nothing: the trace marks steps"
        });
    }
    Ok(loaded)
}

/// Loads a trace like [`load()`], and also reports damage of the trace on standard error.
pub(super) fn load_for_tables(request: &Request) -> Result<Loaded, Failure> {
    let loaded = load(request)?;
    if let Some(damage) = loaded.trace.quality.damage_title() {
        let path = request.paths.first().map_or_else(String::new, |path| import::shown(path));
        let others = match request.paths.len() {
            0 | 1 => String::new(),
            paths => format!(" and {}", fmt::counted(paths as u64 - 1, "other path")),
        };
        notify(&format!("{path}{others}: {damage}; proftui info shows an example of each"));
    }
    Ok(loaded)
}

/// The traces that a request names. Reports the progress of reading like [`load`].
pub(super) fn traces(request: &Request) -> Result<Vec<TraceFiles>, Failure> {
    watched(|progress| import::traces(request, progress))
}

/// Has `read` read files, and meanwhile shows the progress if standard error is a terminal.
fn watched<T, E>(read: impl FnOnce(&Progress) -> Result<T, E>) -> Result<T, Failure>
where
    Failure: From<E>,
{
    let progress = Arc::new(Progress::default());
    let (done, is_done) = channel::<()>();
    let watched = Arc::clone(&progress);
    let watcher = std::io::stderr().is_terminal().then(|| {
        std::thread::Builder::new().spawn(move || {
            let mut has_line = false;
            while is_done.recv_timeout(Duration::from_millis(if has_line { 100 } else { 500 }))
                == Err(RecvTimeoutError::Timeout)
            {
                let line = format!(
                    "{} read, {}",
                    fmt::bytes(saturate::<i64>(watched.read())),
                    fmt::counted(watched.events(), "event")
                );
                let _ = write!(std::io::stderr(), "\r{line:<60}");
                has_line = true;
            }
            if has_line {
                let _ = write!(std::io::stderr(), "\r{:<60}\r", "");
            }
        })
    });
    let outcome = read(&progress);
    drop(done);
    if let Some(Ok(watcher)) = watcher {
        let _ = watcher.join();
    }
    Ok(outcome?)
}
