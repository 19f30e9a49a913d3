//! The session with CUPTI, from the driver's initialization to the process's end: sets CUPTI up, enables and
//! disables kinds of records, opens and closes cycles. Knows cycles, not records.
//!
//! One lock is held while CUPTI is flushed or left, and while kinds of records are enabled or disabled; ids
//! and names are asked for without it. A thread that takes it does not hold the lock of the process's state.
//! If CUPTI refuses an essential call while the session is set up, there is no session, and CUPTI is not
//! called again.
//!
//! Flushes are made on a thread of our own (`flush`), since they may take any time; kinds of records are
//! disabled there, too. While a flush takes long, kinds of records are enabled or disabled when it is over.
//!
//! Once the script has a profiler of its own for the GPU, CUPTI is left to it (`leaving`).

#![allow(unsafe_code, reason = "calls CUPTI's functions, and has callbacks that CUPTI calls")]

use std::ffi::c_void;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use proftui_wire::device::reason::{ANSWERS, CLOCK, LIBRARY, REFUSED};
use proftui_wire::device::search::OLDEST;
use proftui_wire::device::{Reason, Record};
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};
use proftui_wire::options::DeviceOption;

use super::answers::{Answers, check};
use super::functions::{Functions, OK};
use super::interval::CaptureInterval;
use super::kinds::Kinds;
use super::library::{self, Library};
use super::sink::{self, Reader};
use super::waiting::{self, Wait};
use super::{aside, buffers, callbacks, errors, flush, handles};
use crate::cuda::buffers::lent;
use crate::device::{DeviceHandle, Recorder};
use crate::errno::keep;
use crate::guard::shield;
use crate::lifecycle;
use crate::live;
use crate::lock::{Held, Lock};
use crate::{clock, process};
use settings::Callbacks;

/// First API version of CUPTI that can handle a refused request for a buffer.
const REFUSABLE: u32 = 27;
/// `CUPTI_ACTIVITY_FLAG_FLUSH_FORCED`: a flush delivers records of unfinished work, too.
const FORCED: u32 = 1;

static SESSION: OnceLock<Session> = OnceLock::new();
/// True in the child of a fork whose parent had a session: CUPTI must not be called there.
static IS_ABANDONED: AtomicBool = AtomicBool::new(false);
/// Held by a thread while it ends or closes a cycle, and usually while it leaves CUPTI.
static CLOSING: Lock<()> = Lock::new(());
/// What is still to be done with the kinds of recorded cycles: [`ON`] to enable them, [`OFF`] to disable
/// them until the next cycle, [`OVER`] to disable them since no cycle is due, or [`NOTHING`].
static PENDING: AtomicU32 = AtomicU32::new(NOTHING);
const NOTHING: u32 = 0;
const ON: u32 = 1;
const OFF: u32 = 2;
const OVER: u32 = 3;
/// How long the program usually waits at most for a busy CUPTI to enable kinds of records.
const ENABLE: Duration = Duration::from_millis(200);
/// How long a thread waits at most for another thread that is in CUPTI at the process's end, or that leaves
/// CUPTI to the script's own profiler.
const SHUT_DOWN: Duration = Duration::from_secs(2);

/// The session with CUPTI.
pub(super) struct Session {
    cupti: Functions,
    /// Path, or plain file name, by which CUPTI was loaded.
    path: PathBuf,
    version: u32,
    /// True if CUPTI refused our clock: records have wall-clock times.
    is_wall_clock: bool,
    /// True if calls of all functions of the driver are kept.
    wants_driver: bool,
    /// True if the end of a cycle waits for device work (not with `--no-sync`).
    syncs: bool,
    /// The kinds of records of recorded cycles. Locked while CUPTI is flushed or left, and while kinds are
    /// enabled or disabled.
    state: Lock<Kinds>,
    /// CUPTI's handle of our subscription; null once we leave CUPTI.
    subscriber: AtomicPtr<c_void>,
}

/// Begins the session with CUPTI and returns it; `None` if there is one already or none can begin.
pub(super) fn begin() -> Option<&'static Session> {
    if aside::is_asked() {
        return None;
    }
    match start() {
        Ok(session) => session,
        Err((reason, detail)) => {
            process::note(NoteKind::Fact, &reason.fact(&detail));
            None
        }
    }
}

/// Finds a CUPTI that works, and begins the session with it; `None` if there is a session already. The error
/// is a reason and its details.
fn start() -> Result<Option<&'static Session>, (Reason, String)> {
    waiting::set_limit(process::gpu_wait());
    let (session, refused) = library::find(Session::of)?;
    if !refused.is_empty() {
        process::note(NoteKind::Fact, &format!("{REFUSED}={}", refused.join("; ")));
    }
    if SESSION.set(session).is_err() {
        return Ok(None);
    }
    let session = SESSION.get();
    if let Some(session) = session {
        callbacks::serve(session);
        lifecycle::attach(session);
        session.catch_up();
    }
    Ok(session)
}

impl Session {
    /// Subscribes to a copy of CUPTI and sets it up, without recording events yet. The error is a reason and
    /// its details.
    fn of(Library { handle, path }: &Library) -> Result<Self, (Reason, String)> {
        // SAFETY: the library was found by CUPTI's name, and is never unloaded.
        let cupti = unsafe { Functions::of(*handle) };
        let mut version = 0;
        // SAFETY: a pointer of our own.
        let answer = unsafe { cupti.version(&raw mut version) };
        let of = |what: &str| format!("{what} ({}, API {version})", path.display());
        if answer != OK {
            return Err(errors::reason(answer, &of("cuptiGetVersion"), None));
        }
        if version < OLDEST {
            return Err((Reason::Version, of(&format!("proftui needs API version {OLDEST} or later"))));
        }
        let mut answers = Answers::default();
        let subscriber = subscriber::subscribe(&cupti, version, callbacks::called)
            .map_err(|(answer, other)| errors::reason(answer, &of("cuptiSubscribe"), other.as_deref()))?;
        answers.add("cuptiSubscribe", OK);
        let callbacks = Callbacks { request: requested, complete: completed, clock: now };
        let is_wall_clock = match settings::apply(&cupti, &mut answers, process::gpu_memory(), &callbacks) {
            Ok(is_wall_clock) => is_wall_clock,
            Err(answer) => {
                // SAFETY: our subscription, which is ended to let other tools subscribe.
                unsafe { cupti.unsubscribe(subscriber) };
                return Err(errors::reason(answer, &of("cuptiActivityRegisterCallbacks"), None));
            }
        };
        process::note(NoteKind::Fact, &format!("{LIBRARY}={} (API {version})", path.display()));
        callbacks::enable(&cupti, subscriber, !process::has_option(DeviceOption::Graphs));
        let name = if is_wall_clock { "realtime" } else { "monotonic" };
        process::note(NoteKind::Fact, &format!("{CLOCK}={name}"));
        buffers::set_refusing(version >= REFUSABLE);
        Kinds::describe(&cupti, &mut answers);
        answers.log(ANSWERS);
        let wants_driver = process::has_option(DeviceOption::Driver);
        Ok(Self {
            path: path.clone(),
            version,
            is_wall_clock,
            wants_driver,
            syncs: !process::has_option(DeviceOption::NoSync),
            state: Lock::new(Kinds::new(&cupti, version, wants_driver)),
            subscriber: AtomicPtr::new(subscriber),
            cupti,
        })
    }

    /// CUPTI's functions and the settings with which [`sink::take`] reads a buffer.
    fn reader(&self) -> Reader<'_> {
        Reader { cupti: &self.cupti, version: self.version, wants_driver: self.wants_driver }
    }

    /// Takes the lock for flushes and for kinds of records; `None` if CUPTI must not be called or the lock is
    /// not free in time.
    fn state(&self) -> Option<Held<'_, Kinds>> {
        if is_closed() {
            return None;
        }
        // Checked again: nothing may be done under the lock after `shut_down` has had it.
        self.state.take().filter(|_| !is_closed())
    }

    /// Writes the graphs' nodes to their file. Then, if CUPTI can be called, switches kinds of records as
    /// [`PENDING`] asks and, while they are enabled, has CUPTI deliver the records of finished work.
    pub(super) fn save(&self) {
        process::save_graph_nodes();
        let Some(mut state) = self.state() else { return };
        self.settle(&mut state);
        if state.is_on {
            // SAFETY: a number; this thread is not delivering a buffer.
            check("cuptiActivityFlushAll", unsafe { self.cupti.flush_all(0) });
            self.settle(&mut state);
        }
    }

    /// Has [`Self::save`] called on the recorder's thread for flushes if that is free, without waiting for
    /// it.
    pub(super) fn save_soon() {
        flush::begin(|| {
            if let Some(session) = SESSION.get() {
                session.save();
            }
        });
    }

    /// Has CUPTI deliver its records; returns its answer and how many records it has dropped since it was
    /// asked last. `None` if CUPTI could not be called by `deadline`.
    fn flush(&self, deadline: Instant) -> Option<(u32, u64)> {
        let mut state = self.state.take_until(deadline).filter(|_| !is_closed())?;
        let mut dropped = 0;
        // SAFETY: a pointer of our own; this thread is not delivering a buffer.
        let answer = unsafe {
            let answer = self.cupti.flush_all(if self.syncs { FORCED } else { 0 });
            self.cupti.dropped(ptr::null_mut(), 0, &raw mut dropped);
            check("cuptiActivityFlushAll", answer)
        };
        self.settle(&mut state);
        Some((answer, dropped as u64))
    }

    /// Has kinds of records enabled or disabled soon, as [`PENDING`] asks, without waiting for it.
    fn switch_soon() {
        flush::begin(Self::settle_there);
    }

    /// Enables or disables kinds of records as [`PENDING`] asks, if CUPTI can be called. Usually called on
    /// the recorder's thread for flushes.
    fn settle_there() {
        if let Some(session) = SESSION.get()
            && let Some(mut state) = session.state()
        {
            session.settle(&mut state);
        }
    }

    /// Enables or disables kinds of records as [`PENDING`] asks.
    fn settle(&self, state: &mut Kinds) {
        loop {
            match PENDING.swap(NOTHING, Ordering::AcqRel) {
                ON => state.switch(&self.cupti, true),
                OFF => state.switch(&self.cupti, false),
                OVER => state.end(&self.cupti),
                _ => return,
            }
        }
    }

    /// Ends the capture interval of a cycle at `end`, ns, for device work usually later, after a wait for it.
    /// False if the cycle is not the current one.
    fn end_capture(&self, cycle: u64, end: u64, deadline: Instant) -> bool {
        match sink::end(cycle, end) {
            Some(true) => {}
            Some(false) => return true,
            None => return false,
        }
        if self.syncs {
            waiting::for_devices(cycle, deadline);
        }
        sink::end_devices(cycle, if self.syncs { clock::now() } else { end });
        true
    }
}

impl callbacks::Session for Session {
    fn functions(&self) -> Option<&Functions> {
        (!is_closed()).then_some(&self.cupti)
    }

    fn initialized(&self) {
        // The driver waits for this, so another thread that is in CUPTI is not waited for: then it is done
        // with the next cycle.
        let state = self.state.take_until(Instant::now() + ENABLE).filter(|_| !is_closed());
        if let Some(mut state) = state {
            state.add_unified_memory(&self.cupti);
        }
    }

    /// In an open cycle, usually waits for the devices and has CUPTI deliver its records, which the reset
    /// would lose.
    fn before_reset(&self) {
        let cycle = sink::open_cycle();
        if is_closed() || cycle == 0 {
            return;
        }
        let wait = Wait::begin();
        let deadline = wait.deadline;
        if self.syncs {
            waiting::for_devices(cycle, deadline);
        }
        if !waiting::is_late() {
            flush::run(cycle, deadline, move || SESSION.get()?.flush(deadline));
        }
    }
}

impl Recorder for Session {
    fn enable(&self) {
        if is_closed() {
            return;
        }
        PENDING.store(ON, Ordering::Release);
        // While a device or a flush is waited for in vain, CUPTI may not return from this either.
        if flush::is_late() || waiting::is_late() {
            if !flush::make(Instant::now() + ENABLE, Self::settle_there) {
                Self::switch_soon();
            }
        } else if let Some(mut state) = self.state() {
            if state.stays_on() && state.is_on {
                sink::forget_counts();
            }
            self.settle(&mut state);
        }
    }

    fn drain(&self) {
        if !is_closed() && self.syncs {
            waiting::for_earlier_work(aside::next_cycle());
        }
    }

    fn open(&self, cycle: u64, start: u64) {
        if is_closed() {
            return;
        }
        waiting::cycle_opened();
        aside::opened(cycle);
        sink::open(CaptureInterval::new(cycle, start, self.is_wall_clock));
    }

    fn pause(&self, cycle: u64, end: u64) {
        if is_closed() {
            return;
        }
        let wait = Wait::begin();
        if let Some(_held) = CLOSING.take_until(wait.deadline) {
            self.end_capture(cycle, end, wait.deadline);
        }
    }

    fn close(&self, cycle: u64, end: u64) -> Option<Counts> {
        if is_over() {
            return None;
        }
        let wait = Wait::begin();
        let deadline = wait.deadline;
        let _held = CLOSING.take_until(deadline)?;
        aside::take_counts(cycle).or_else(|| self.close_until(cycle, end, deadline))
    }

    fn disable(&self, is_over: bool) {
        if !is_closed() {
            PENDING.store(if is_over { OVER } else { OFF }, Ordering::Release);
            Self::switch_soon();
        }
    }

    fn name(&self, handle: DeviceHandle, text: &str) {
        if !is_closed()
            && let Some(named) = handles::name_record(&self.cupti, handle, process::name(text))
        {
            sink::describe(&Record::Name(named));
        }
    }

    fn shut_down(&self) {
        // A flush that takes too long is not waited for again.
        if !IS_ABANDONED.load(Ordering::Acquire) && !flush::is_late() {
            let until = Wait::begin().deadline.min(Instant::now() + SHUT_DOWN);
            drop(self.state.take_until(until));
        }
    }

    fn abandon(&self) {
        IS_ABANDONED.store(true, Ordering::Release);
    }
}

/// True once CUPTI must not be called any more and its records are not kept.
pub(super) fn is_over() -> bool {
    IS_ABANDONED.load(Ordering::Acquire) || live::is_off()
}

/// True once this session must not call CUPTI any more, except to leave it.
fn is_closed() -> bool {
    is_over() || aside::is_aside()
}

/// The clock for CUPTI's records: the monotonic clock, ns.
extern "C" fn now() -> u64 {
    clock::now()
}

/// Hands a buffer to CUPTI, which calls this on any thread, at any time. A null address refuses the request.
extern "C" fn requested(buffer: *mut *mut u8, bytes: *mut usize, records: *mut usize) {
    shield((), || {
        let (got, size) = keep(|| {
            let (got, size) = buffers::get();
            lent::lend(got, size);
            (got, size)
        });
        // SAFETY: CUPTI's own variables, for the answer.
        unsafe {
            *buffer = got;
            *bytes = size;
            // No limit but the buffer's size.
            *records = 0;
        }
    });
}

/// Takes a buffer back from CUPTI, usually after reading its records into the sink. CUPTI calls this on any
/// thread, at any time.
extern "C" fn completed(_context: *mut c_void, _stream: u32, buffer: *mut u8, bytes: usize, valid: usize) {
    if buffer.is_null() {
        return;
    }
    shield((), || {
        keep(|| {
            if !is_over()
                && let Some(session) = SESSION.get()
                && valid > 0
            {
                // SAFETY: CUPTI's buffer, of which CUPTI has written `valid` bytes.
                unsafe { sink::take(session.reader(), buffer, valid.min(bytes)) };
            }
            lent::take_back(buffer);
            // SAFETY: from `requested`; CUPTI is done with it.
            unsafe { buffers::put(buffer, bytes, valid) };
        });
    });
}

mod closing;
pub(super) mod leaving;
mod settings;
mod subscriber;

#[cfg(test)]
pub(super) mod tests;
