//! Snapshots of a trace while it is loaded: the events absorbed so far, finished on another thread and given
//! to a callback.
//!
//! The next snapshot is due when loading has taken a fixed multiple of the time at the last one; so all
//! snapshots together cost no more than loading the whole trace. A snapshot and the whole trace are in memory
//! together. So the trace gets less of the memory limit where there are snapshots, and none is taken once a
//! third of the files' bytes is read, or once the events take more than a sixth of the trace's memory. Must
//! not know what is done with snapshots.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

use super::build::{self, TraceBuilder};
use super::progress::Progress;
use super::request::Request;
use super::text::{Loaded, Text, Texts};

/// Time from the start of loading after which the first snapshot is due.
const FIRST_SNAPSHOT: Duration = Duration::from_millis(40);
/// The next snapshot is due when loading has taken this many times as long as at the last one.
const FACTOR: f64 = 2.2;

/// Takes snapshots of the builder when they are due, and has them finished on another thread. `None` where no
/// snapshots are taken.
#[derive(Debug, Default)]
pub(super) struct Snapshots(Option<Active>);

#[derive(Debug)]
struct Active {
    started: Instant,
    due: Duration,
    /// True while a snapshot is being finished: none is taken meanwhile.
    is_busy: Arc<AtomicBool>,
    send: Sender<(TraceBuilder, Texts)>,
    /// The text of the file that is being read; `None` before the first file.
    open: Option<Text>,
}

impl Snapshots {
    /// Starts a thread of `scope` that finishes snapshots and passes them to `show`. If the thread cannot be
    /// started, no snapshots are taken.
    pub(super) fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        request: &'env Request,
        show: &'env (dyn Fn(Loaded) + Sync),
    ) -> Self {
        let (send, received) = bounded::<(TraceBuilder, Texts)>(1);
        let is_busy = Arc::new(AtomicBool::new(false));
        let busy = Arc::clone(&is_busy);
        let work = move || {
            for (mut builder, texts) in received {
                builder.bound.range = builder.bound.range.detached();
                // Without the memory for it there is no snapshot.
                if builder.end_file().is_ok()
                    && let Ok(trace) = build::finish(builder, request.cycle, request.keeps_impossible)
                {
                    show(Loaded { trace, texts });
                }
                busy.store(false, Ordering::Relaxed);
            }
        };
        let active = Active { started: Instant::now(), due: FIRST_SNAPSHOT, is_busy, send, open: None };
        // If the thread cannot be started, loading continues without snapshots.
        Self(thread::Builder::new().spawn_scoped(scope, work).is_ok().then_some(active))
    }

    /// True where snapshots are taken when they are due.
    pub(super) fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Sets the text of the file that is being read, for the snapshots that follow.
    pub(super) fn set_open(&mut self, text: impl FnOnce() -> Text) {
        if let Some(active) = &mut self.0 {
            active.open = Some(text());
        }
    }

    /// Has a copy of `builder` finished as a snapshot, if one is due and can be taken. `texts` are of the
    /// files read before the open one.
    pub(super) fn take_if_due(&mut self, builder: &TraceBuilder, texts: &Texts, progress: &Progress) {
        let Some(active) = &mut self.0 else { return };
        let elapsed = active.started.elapsed();
        let is_late = progress.read() > progress.total() / 3 && progress.total() > 0;
        if elapsed < active.due
            || is_late
            || !builder.has_slices()
            || !builder.bound.has_room_for_snapshot(builder.footprint())
            || active.is_busy.swap(true, Ordering::Relaxed)
        {
            return;
        }
        active.due = elapsed.mul_f64(FACTOR);
        // Fails when the other thread has ended.
        let _ = active.send.try_send((builder.clone(), texts.with(active.open.clone())));
    }
}
