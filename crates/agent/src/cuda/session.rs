//! What CUPTI is asked for, and when: one session from the driver's first call to the process's end. Knows cycles, not records.
//!
//! Everything goes through one lock, held while CUPTI works; whoever holds it holds nothing else of the process. Once something
//! essential is refused, CUPTI is called no more.

#![allow(unsafe_code, reason = "CUPTI's functions are called, and call us")]

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use proftui_wire::device::reason::{CLOCK, LIBRARY};
use proftui_wire::device::search::OLDEST;
use proftui_wire::device::{Reason, Record};
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};
use proftui_wire::options::DeviceOption;

use super::functions::{Functions, OK};
use super::interval::CaptureInterval;
use super::library::{self, Library};
use super::records::kind;
use super::sink::{self, Reader};
use super::{buffers, driver, errors, handles, subscriber};
use crate::clock;
use crate::errno::keep;
use crate::guard::shield;
use crate::lock::{Held, Lock};
use crate::process;
use crate::process::device::{Recorder, Thing};

/// The oldest version that bears to be refused memory.
const REFUSABLE: u32 = 27;
/// Threads are numbered as the system does.
const SYSTEM_THREADS: u32 = 1;
/// Where that is refused.
const NO_THREADS: &str =
    "this CUPTI does not number threads as the system does: calls of CUDA stand on rows of their own";
/// The attribute that says that memory is zeroed.
const IS_ZEROED: u32 = 5;
/// Records come whether or not their buffer is full, and their work over.
const FORCED: u32 = 1;

/// What is told once for all: few, and told whatever is recorded.
const DESCRIPTIONS: [u32; 4] = [kind::DEVICE, kind::CONTEXT, kind::STREAM, kind::NAME];
/// What is recorded in any case.
const EVENTS: [u32; 7] = [
    kind::CONCURRENT_KERNEL,
    kind::RUNTIME,
    kind::DRIVER,
    kind::MEMCPY,
    kind::MEMCPY2,
    kind::MEMSET,
    kind::OVERHEAD,
];
/// What is recorded when it is asked for.
const MORE: [(DeviceOption, u32); 3] = [
    (DeviceOption::Memory, kind::MEMORY2),
    (DeviceOption::Waits, kind::SYNCHRONIZATION),
    (DeviceOption::Graphs, kind::GRAPH_TRACE),
];

static SESSION: OnceLock<Session> = OnceLock::new();
/// True in a forked process: nothing here is its own.
static IS_ABANDONED: AtomicBool = AtomicBool::new(false);

/// CUPTI, ours.
pub struct Session {
    cupti: Functions,
    version: u32,
    /// Records have the wall clock's time.
    is_wall_clock: bool,
    wants_driver: bool,
    waits: bool,
    state: Lock<State>,
}

/// What is on.
struct State {
    /// The kinds that are recorded in cycles; those that are refused go.
    kinds: Vec<u32>,
    is_on: bool,
}

/// Begins, where CUPTI is there and free; else says why not.
pub fn begin() -> Option<&'static Session> {
    match start() {
        Ok(session) => session,
        Err((reason, detail)) => {
            process::note(NoteKind::Fact, &reason.fact(&detail));
            None
        }
    }
}

fn start() -> Result<Option<&'static Session>, (Reason, String)> {
    let library = library::find().map_err(|tried| (Reason::NoCupti, format!("tried {tried}")))?;
    let session = Session::of(&library)?;
    if SESSION.set(session).is_err() {
        return Ok(None);
    }
    let session = SESSION.get();
    if let Some(session) = session {
        session.set_up();
        process::device::attach(session);
    }
    Ok(session)
}

impl Session {
    /// Takes the place that CUPTI has for a tool.
    fn of(Library { handle, path }: &Library) -> Result<Self, (Reason, String)> {
        // SAFETY: the library was found by CUPTI's name, and is never unloaded.
        let cupti = unsafe { Functions::of(*handle) };
        let mut version = 0;
        // SAFETY: a pointer of our own.
        let answer = unsafe { cupti.version(&raw mut version) };
        let of = |what: &str| format!("{what} ({}, API {version})", path.display());
        if answer != OK {
            return Err(errors::of(answer, &of("cuptiGetVersion"), None));
        }
        if version < OLDEST {
            return Err((Reason::Version, of(&format!("API {OLDEST} is the oldest that is read"))));
        }
        let place = subscriber::subscribe(&cupti, version, driver::called)
            .map_err(|(answer, other)| errors::of(answer, &of("cuptiSubscribe"), other.as_deref()))?;
        process::note(NoteKind::Fact, &format!("{LIBRARY}={} (API {version})", path.display()));
        let (mut is_zeroed, mut size) = (1_u8, 1);
        // SAFETY: pointers of our own, and functions of this file; no kind is enabled yet.
        let (has_threads, is_wall_clock, answer) = unsafe {
            let has_threads = cupti.set_thread_ids(SYSTEM_THREADS) == OK;
            cupti.set_attribute(IS_ZEROED, &raw mut size, (&raw mut is_zeroed).cast());
            (has_threads, cupti.register_clock(now) != OK, cupti.register(requested, completed))
        };
        if answer != OK {
            // SAFETY: our place, which others may want.
            unsafe { cupti.unsubscribe(place) };
            return Err(errors::of(answer, &of("cuptiActivityRegisterCallbacks"), None));
        }
        if !has_threads {
            process::note(NoteKind::Warning, NO_THREADS);
        }
        driver::watch_captures(&cupti, place);
        let name = if is_wall_clock { "realtime" } else { "monotonic" };
        process::note(NoteKind::Fact, &format!("{CLOCK}={name}"));
        let kinds = EVENTS
            .into_iter()
            .chain(MORE.into_iter().filter(|more| process::has_option(more.0)).map(|more| more.1));
        Ok(Self {
            version,
            is_wall_clock,
            wants_driver: process::has_option(DeviceOption::Driver),
            waits: !process::has_option(DeviceOption::NoSync),
            state: Lock::new(State { kinds: kinds.collect(), is_on: false }),
            cupti,
        })
    }

    /// What there is is told from here on.
    fn set_up(&self) {
        buffers::set_refusing(self.version >= REFUSABLE);
        for kind in DESCRIPTIONS {
            // SAFETY: a number. Without these, records say less.
            unsafe { self.cupti.enable(kind) };
        }
    }

    fn reader(&self) -> Reader<'_> {
        Reader { cupti: &self.cupti, version: self.version, wants_driver: self.wants_driver }
    }

    /// What is on, for who is about to call CUPTI. None once that must not be: looked at with the lock in hand, so that nobody is
    /// in CUPTI when [`Recorder::end`] has had it.
    fn state(&self) -> Option<Held<'_, State>> {
        if is_over() {
            return None;
        }
        self.state.take().filter(|_| !is_over())
    }

    /// Brings in what has ended, so that it is on disk, whatever becomes of the process.
    pub fn save(&self) {
        if let Some(_state) = self.state().filter(|state| state.is_on) {
            // SAFETY: a number; no buffer is being taken by this thread.
            unsafe { self.cupti.flush_all(0) };
        }
    }

    /// The cycle ends then, and for devices once they have done what they had got; false where another one is recorded, or none.
    /// Once for a cycle.
    fn end_interval(&self, cycle: u64, end: u64) -> bool {
        match sink::end(cycle, end) {
            Some(true) => {}
            Some(false) => return true,
            None => return false,
        }
        if self.waits && !driver::synchronise() {
            let text =
                format!("cycle {cycle} ended while a CUDA graph was captured: work under way is not in it");
            process::note(NoteKind::Warning, &text);
        }
        sink::end_devices(cycle, if self.waits { clock::now() } else { end });
        true
    }

    /// Brings in what CUPTI has, and tells how many records it dropped.
    fn flush(&self) -> u64 {
        let mut dropped = 0;
        // SAFETY: a pointer of our own; no buffer is being taken by this thread.
        unsafe {
            self.cupti.flush_all(if self.waits { FORCED } else { 0 });
            self.cupti.dropped(ptr::null_mut(), 0, &raw mut dropped);
        }
        dropped as u64
    }
}

impl Recorder for Session {
    fn prepare(&self) {
        let Some(mut state) = self.state() else { return };
        if std::mem::replace(&mut state.is_on, true) {
            return;
        }
        // SAFETY: a number.
        let refused =
            |kind: &u32| Some((*kind, unsafe { self.cupti.enable(*kind) })).filter(|told| told.1 != OK);
        let refused: Vec<(u32, u32)> = state.kinds.iter().filter_map(refused).collect();
        state.kinds.retain(|kind| refused.iter().all(|told| told.0 != *kind));
        errors::tell(&refused);
    }

    fn open(&self, cycle: u64, start: u64) {
        sink::open(CaptureInterval::new(cycle, start, self.is_wall_clock));
    }

    fn pause(&self, cycle: u64, end: u64) {
        if let Some(_state) = self.state() {
            self.end_interval(cycle, end);
        }
    }

    fn close(&self, cycle: u64, end: u64) -> Option<Counts> {
        let _state = self.state()?;
        if !self.end_interval(cycle, end) {
            return None;
        }
        let dropped = self.flush();
        let mut taken = sink::close(cycle);
        taken.counts.dropped = dropped;
        errors::tell_losses(&taken);
        Some(taken.counts)
    }

    fn rest(&self) {
        let Some(mut state) = self.state() else { return };
        if !std::mem::replace(&mut state.is_on, false) {
            return;
        }
        for kind in &state.kinds {
            // SAFETY: a number.
            unsafe { self.cupti.disable(*kind) };
        }
    }

    fn name(&self, thing: Thing, text: &str) {
        if !is_over()
            && let Some(named) = handles::named(&self.cupti, thing, process::name(text))
        {
            sink::learn(&Record::Name(named));
        }
    }

    fn end(&self) {
        if !IS_ABANDONED.load(Ordering::Acquire) {
            drop(self.state.take());
        }
    }

    fn abandon(&self) {
        IS_ABANDONED.store(true, Ordering::Release);
    }
}

/// True once CUPTI is not to be called any more, or what it says not to be kept.
pub fn is_over() -> bool {
    IS_ABANDONED.load(Ordering::Acquire) || process::is_off()
}

extern "C" fn now() -> u64 {
    clock::now()
}

/// CUPTI asks for memory, from any thread, at any time.
extern "C" fn requested(buffer: *mut *mut u8, bytes: *mut usize, records: *mut usize) {
    shield((), || {
        let (got, size) = keep(buffers::get);
        // SAFETY: CUPTI's own numbers.
        unsafe {
            *buffer = got;
            *bytes = size;
            *records = 0;
        }
    });
}

/// CUPTI gives memory back, from any thread, at any time: also once everything is over.
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
                // SAFETY: CUPTI's buffer, with so many bytes written.
                unsafe { sink::take(session.reader(), buffer, valid.min(bytes)) };
            }
            // SAFETY: from `requested`; CUPTI is done with it.
            unsafe { buffers::put(buffer, bytes, valid) };
        });
    });
}

#[cfg(test)]
pub mod tests;
