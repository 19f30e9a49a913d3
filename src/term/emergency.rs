//! Owns what restores the terminal when a signal, or want of memory, ends the program: the modes that are on,
//! the line settings from before the program, and the handler of every signal that ends a program. Must not
//! know what the program does.
//!
//! A signal can interrupt any instruction, also of a thread that holds a lock or allocates. So the handler
//! reads and sets atomics, waits for no lock, allocates nothing, and makes system calls only: crossterm,
//! which keeps the line settings behind a lock and makes texts, is not for it, so the settings are kept here,
//! too, and the bytes are in `last`. It restores the terminal and lets the signal end the program as it would
//! have without a handler, so that a shell sees the same status and the kernel writes the same core file.
//!
//! Two orders matter. What is on is stored before it is switched on, and cleared after it is switched off: a
//! signal in between restores once too often rather than not at all. And once the handler has begun, no other
//! thread writes ([`write`]): it would draw on the screen of the shell.

#![allow(
    unsafe_code,
    reason = "the standard library has no signal handlers; a handler runs where nothing may be locked or \
        allocated"
)]

use std::ffi::c_int;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use rustix::event::{PollFlags, Timespec, poll};
use rustix::termios::Termios;
use rustix::thread::gettid;
use rustix::time::{ClockId, clock_gettime};

use proftui_base::heap;
use proftui_base::leave::{leave, print};
use proftui_base::saturate::saturate;

use super::last;
use super::modes::{Mode, ModeSet};
use super::tty::Tty;

/// The program's exit code when its terminal is gone (a hang-up).
pub(super) const HANGUP_CODE: i32 = 129;
/// How long a thread that ends the program waits at most for another that writes to the terminal or restores
/// it.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long an answer of the terminal is waited for at most before the program leaves it, and the age of the
/// question above which the answer is not waited for. A later answer is typed into the shell.
const ANSWER: (Duration, Duration) = (Duration::from_millis(400), Duration::from_secs(3));
/// The pause between two checks in [`wait`] and [`await_answer`].
const STEP: Duration = Duration::from_millis(1);

/// The signals that end a program by default, except KILL, which cannot be handled, and the real-time
/// signals, which [`install`] adds.
const DEADLY: [c_int; 22] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGUSR1,
    libc::SIGSEGV,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGSTKFLT,
    libc::SIGXCPU,
    libc::SIGXFSZ,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPWR,
    libc::SIGSYS,
];

/// The terminal to restore, from [`open`] on.
static TTY: OnceLock<Tty> = OnceLock::new();
/// The line settings to restore; null before [`open`].
static FOUND: AtomicPtr<Termios> = AtomicPtr::new(ptr::null_mut());
/// The bits of the modes that are on, or are being switched on or off: a [`ModeSet`].
static ON: AtomicU8 = AtomicU8::new(0);
/// The id of the thread that changes the terminal or writes to it within [`write`]; 0 for none.
static WRITER: AtomicI32 = AtomicI32::new(0);
/// When the terminal was asked for its status, in ns since the system's start; 0 if no answer is due.
static ASKED: AtomicU64 = AtomicU64::new(0);
/// The id of the thread that restores, or has restored, the terminal for the last time; 0 before.
static ENDING: AtomicI32 = AtomicI32::new(0);
/// True once the terminal was restored for the last time.
static DONE: AtomicBool = AtomicBool::new(false);
/// The handlers that signals had before [`install`], by the signal's number, up to 31; null where there was
/// none.
static BEFORE: [AtomicPtr<libc::sigaction>; 32] = [const { AtomicPtr::new(ptr::null_mut()) }; 32];

/// Makes `tty` the terminal that is restored when a signal or want of memory ends the program, with its
/// present line settings `found`, and returns it. A second call replaces the line settings, but keeps the
/// first terminal and returns that.
pub(super) fn open(tty: Tty, found: Termios) -> &'static Tty {
    keep(found);
    heap::restore_by(restore);
    TTY.get_or_init(|| tty)
}

/// Replaces the line settings to restore by `found`. Those before stay in memory, since a handler may be
/// reading them: some bytes each time that the program was suspended and goes on.
pub(super) fn keep(found: Termios) {
    FOUND.store(Box::into_raw(Box::new(found)), SeqCst);
}

/// The line settings to restore; `None` before [`open`].
pub(super) fn found() -> Option<&'static Termios> {
    // SAFETY: null, or from a box that is never freed nor changed.
    unsafe { FOUND.load(SeqCst).as_ref() }
}

/// The modes that the program has switched on in the terminal, or is switching on or off; empty before it
/// enters the terminal, after it has left it and while it is suspended.
pub(super) fn on() -> ModeSet {
    ModeSet::from_bits(ON.load(SeqCst))
}

/// Stores which modes are on. Must be called within [`write`], before modes are switched on, and after they
/// are switched off.
pub(super) fn set_on(modes: ModeSet) {
    ON.store(modes.bits(), SeqCst);
}

/// Notes that an answer of the terminal is due from now on (`is_due` is true), or that none is: it came or
/// will not come.
pub(super) fn expect_answer(is_due: bool) {
    ASKED.store(if is_due { now() } else { 0 }, SeqCst);
}

/// Waits, at most 400 ms, until the thread that reads the keyboard has taken an answer that is due: it would
/// else be typed into the shell. Returns at once if none is due, if it was asked for more than 3 s ago, or if
/// the terminal is gone. Discards what has come if nobody reads it for 5 ms, as where the calling thread is
/// the one that reads the keyboard.
pub(super) fn await_answer(tty: &Tty) {
    let (mut left, mut unread) = (ANSWER.0, 0);
    loop {
        let asked = ASKED.load(SeqCst);
        let state = tty.state();
        let is_late = now() - asked > saturate::<u64>(ANSWER.1.as_nanos());
        if asked == 0 || left.is_zero() || is_late || state.contains(PollFlags::HUP) {
            return;
        }
        unread = if state.contains(PollFlags::IN) { unread + 1 } else { 0 };
        if unread > 5 {
            tty.discard_input();
            return;
        }
        pause(STEP);
        left -= STEP;
    }
}

/// The time, in ns since the system's start; never 0.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    saturate::<u64>(now.tv_sec) * 1_000_000_000 + saturate::<u64>(now.tv_nsec) + 1
}

/// Runs `change`, which changes the terminal or writes to it, and returns its result. Once a thread restores
/// the terminal for the last time, does not run it, and never returns. Only the thread that holds the lock of
/// the modes may call this.
pub(super) fn write<T>(change: impl FnOnce() -> T) -> T {
    WRITER.store(gettid().as_raw_pid(), SeqCst);
    if ENDING.load(SeqCst) != 0 {
        WRITER.store(0, SeqCst);
        loop {
            pause(Duration::from_secs(1));
        }
    }
    let result = change();
    WRITER.store(0, SeqCst);
    result
}

/// Restores the terminal for the last time, if any mode is on: the program must end after that. Waits at most
/// half a second for a thread that is writing, or that restores the terminal already, and less than a second
/// for a terminal that takes no bytes or has not answered yet. Safe in a signal handler and where there is no
/// memory.
fn restore() {
    let me = gettid().as_raw_pid();
    match ENDING.compare_exchange(0, me, SeqCst, SeqCst) {
        Ok(_) => {}
        // This thread has restored the terminal already, and is now ended by another signal.
        Err(other) if other == me => return,
        Err(_) => return wait(|| DONE.load(SeqCst)),
    }
    wait(|| [0, me].contains(&WRITER.load(SeqCst)));
    let on = ModeSet::from_bits(ON.swap(0, SeqCst));
    if let Some(tty) = TTY.get().filter(|_| !on.is_empty()) {
        tty.say_last(last::sequence(on).bytes());
        await_answer(tty);
        // In the background the line settings are those of the shell.
        if let Some(found) = found().filter(|_| on.contains(Mode::Raw) && !tty.is_in_background()) {
            let _ = tty.set(found);
        }
    }
    DONE.store(true, SeqCst);
}

/// Installs the handler for every signal that ends a program by default, except KILL. A signal that is
/// ignored, as SIGHUP is under `nohup`, stays ignored.
pub(super) fn install() {
    for signal in DEADLY.into_iter().chain(libc::SIGRTMIN()..=libc::SIGRTMAX()) {
        let before = action(signal);
        if before.sa_sigaction == libc::SIG_IGN {
            continue;
        }
        if before.sa_sigaction != libc::SIG_DFL
            && let Some(kept) = BEFORE.get(saturate::<usize>(signal))
        {
            kept.store(Box::into_raw(Box::new(before)), SeqCst);
        }
        let mut new = default();
        new.sa_sigaction = handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        // On the stack that the standard library has for handlers: the other may have overflowed.
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both are valid; `handle` does only what a handler may do.
        unsafe {
            // No second signal interrupts the handler.
            libc::sigfillset(&raw mut new.sa_mask);
            libc::sigaction(signal, &raw const new, ptr::null_mut());
        }
    }
}

/// True if this signal is ignored now, as it is if it was ignored when the program was started.
pub(super) fn is_ignored(signal: c_int) -> bool {
    action(signal).sa_sigaction == libc::SIG_IGN
}

/// Restores the terminal and ends the program as this signal does by default; for SIGHUP, with status 129
/// instead; where the signal does not end the program, with 128 plus the signal's number.
fn end_by(signal: c_int) -> ! {
    restore();
    if signal == libc::SIGHUP {
        leave(HANGUP_CODE);
    }
    set(signal, &default());
    // SAFETY: the set is valid; none of the calls touches memory of ours.
    unsafe {
        libc::raise(signal);
        let mut this = default().sa_mask;
        libc::sigaddset(&raw mut this, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const this, ptr::null_mut());
    }
    // Process 1 of a container survives its own signals.
    leave(128 + signal)
}

/// Handles a signal that ends the program: restores the terminal, prints the signal's name if a fault of the
/// program raised it, and ends the program by it. After an instruction that failed (SIGSEGV, SIGBUS, SIGILL,
/// SIGFPE) leaves that to the handler before this one, or to the default.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let is_first = ENDING.load(SeqCst) == 0;
    restore();
    // SAFETY: the kernel passes a valid pointer.
    let (code, sender) = unsafe { ((*info).si_code, (*info).si_pid()) };
    let is_own = code > 0 || sender == std::process::id().cast_signed();
    if let Some(name) = crash(signal).filter(|_| is_own && is_first) {
        print("proftui: crashed by ");
        print(name);
        print("; this is a bug in proftui, please report it\n");
    }
    if code > 0 && matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE) {
        // The instruction runs again and fails again, now for the handler before: the standard library's says
        // which thread overflowed its stack. A core file shows where.
        let before = BEFORE[saturate::<usize>(signal)].load(SeqCst);
        // SAFETY: null, or from a box that is never freed nor changed.
        set(signal, unsafe { before.as_ref() }.unwrap_or(&default()));
        return;
    }
    end_by(signal);
}

/// The name of a signal by which a fault of the program ends it; `None` for other signals.
fn crash(signal: c_int) -> Option<&'static str> {
    Some(match signal {
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}

/// The default action of every signal.
fn default() -> libc::sigaction {
    // SAFETY: all zero is valid: no handler, no flags, an empty set.
    unsafe { std::mem::zeroed() }
}

/// The action that is set for this signal now.
fn action(signal: c_int) -> libc::sigaction {
    let mut now = default();
    // SAFETY: writes to the valid structure.
    unsafe { libc::sigaction(signal, ptr::null(), &raw mut now) };
    now
}

fn set(signal: c_int, action: &libc::sigaction) {
    // SAFETY: the action is valid: the default, or one that was installed before.
    unsafe { libc::sigaction(signal, action, ptr::null_mut()) };
}

/// Waits until `is_so` is true, for at most [`PATIENCE`].
fn wait(is_so: impl Fn() -> bool) {
    let mut left = PATIENCE;
    while !is_so() && !left.is_zero() {
        pause(STEP);
        left -= STEP;
    }
}

fn pause(time: Duration) {
    let wait = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: i64::from(time.subsec_nanos()) };
    let _ = poll(&mut [], Some(&wait));
}
