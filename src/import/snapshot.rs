//! Snapshots of a trace while it is loaded: what is there so far, finished on the side and handed to whoever watches.
//!
//! Each comes when some times as long has passed as at the last, so that all of them together cost no more than the
//! whole; none comes after a third of the file, since the last one and the whole would not stay within the memory that
//! loading may take.
//! Must not know what is done with them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, bounded};

use super::build::{self, TraceBuilder};
use super::text::Texts;
use super::{Loaded, Progress, Request};

/// When the first one is due.
const FIRST: Duration = Duration::from_millis(40);
/// How many times as long passes until the next.
const FACTOR: f64 = 2.2;

/// Decides when a snapshot is due, and sends what is staged to be finished.
#[derive(Debug, Default)]
pub(super) struct Snapshots(Option<Active>);

#[derive(Debug)]
struct Active {
    started: Instant,
    due: Duration,
    /// True while the last one is being finished: then the next one waits.
    is_busy: Arc<AtomicBool>,
    send: Sender<(TraceBuilder, Texts)>,
    /// Where the files read so far are read again.
    texts: Texts,
}

impl Snapshots {
    /// Snapshots that are finished on a thread of `scope` and given to `show`.
    pub(super) fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        request: &'env Request,
        show: &'env (dyn Fn(Loaded) + Sync),
    ) -> Self {
        let (send, staged) = bounded::<(TraceBuilder, Texts)>(1);
        let is_busy = Arc::new(AtomicBool::new(false));
        let busy = Arc::clone(&is_busy);
        let work = move || {
            for (mut builder, texts) in staged {
                builder.end_file();
                show(Loaded { trace: build::finish(builder, request.cycle), texts });
                busy.store(false, Ordering::Relaxed);
            }
        };
        let active = Active { started: Instant::now(), due: FIRST, is_busy, send, texts: Texts::default() };
        // Without them loading goes on as well.
        Self(thread::Builder::new().spawn_scoped(scope, work).is_ok().then_some(active))
    }

    /// How texts are read again, for the files up to the one that is open.
    pub(super) fn set_texts(&mut self, texts: Texts) {
        if let Some(active) = &mut self.0 {
            active.texts = texts;
        }
    }

    /// Takes a snapshot if one is due.
    pub(super) fn take_if_due(&mut self, builder: &TraceBuilder, progress: &Progress) {
        let Some(active) = &mut self.0 else { return };
        let elapsed = active.started.elapsed();
        let is_late = progress.read() > progress.total() / 3 && progress.total() > 0;
        if elapsed < active.due
            || is_late
            || !builder.has_slices()
            || active.is_busy.swap(true, Ordering::Relaxed)
        {
            return;
        }
        active.due = elapsed.mul_f64(FACTOR);
        // Nobody takes it when the other thread is gone.
        let _ = active.send.try_send((builder.clone(), active.texts.clone()));
    }
}
