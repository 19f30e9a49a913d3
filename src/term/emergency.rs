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
/// The longest wait for an answer of the terminal before the program leaves it, and the greatest age of a
/// question whose answer is waited for.
const ANSWER: (Duration, Duration) = (Duration::from_millis(400), Duration::from_secs(3));
/// The pause between two checks in [`wait`] and [`await_answer`].
const STEP: Duration = Duration::from_millis(1);

/// The signals that end a program by default, without KILL and the real-time signals.
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
/// When the terminal was asked for its status, ns of the monotonic clock; 0 if no answer is due.
static ASKED: AtomicU64 = AtomicU64::new(0);
/// The id of the thread that restores, or has restored, the terminal for the last time; 0 before.
static ENDING: AtomicI32 = AtomicI32::new(0);
/// True while another program has the terminal.
static LENT: AtomicBool = AtomicBool::new(false);
/// True once [`restore`] has finished.
static DONE: AtomicBool = AtomicBool::new(false);
/// The handlers that signals below 32 had before [`install`], by the signal's number; null where there was
/// none.
static BEFORE: [AtomicPtr<libc::sigaction>; 32] = [const { AtomicPtr::new(ptr::null_mut()) }; 32];

/// Makes `tty` the terminal to restore when a signal or want of memory ends the program. A second call
/// replaces only the settings `found`. Returns the first call's terminal.
pub(super) fn open(tty: Tty, found: Termios) -> &'static Tty {
    keep(found);
    heap::restore_by(restore);
    TTY.get_or_init(|| tty)
}

/// Replaces the line settings to restore by `found`.
pub(super) fn keep(found: Termios) {
    FOUND.store(Box::into_raw(Box::new(found)), SeqCst);
}

/// The line settings to restore; `None` before [`open`].
pub(super) fn found() -> Option<&'static Termios> {
    // SAFETY: null, or from a box that is never freed nor changed.
    unsafe { FOUND.load(SeqCst).as_ref() }
}

/// The modes to switch off when the terminal is restored.
pub(super) fn on() -> ModeSet {
    ModeSet::from_bits(ON.load(SeqCst))
}

/// Stores which modes are on. Must be called within [`write`], before modes are switched on, and after they
/// are switched off.
pub(super) fn set_on(modes: ModeSet) {
    ON.store(modes.bits(), SeqCst);
}

/// Notes whether another program has the terminal: while it does, SIGINT and SIGQUIT end only that one.
pub(super) fn lend(is_lent: bool) {
    LENT.store(is_lent, SeqCst);
}

/// True while another program has the terminal.
pub(super) fn is_lent() -> bool {
    LENT.load(SeqCst)
}

/// Notes whether an answer of the terminal is due from now on.
pub(super) fn expect_answer(is_due: bool) {
    ASKED.store(if is_due { now() } else { 0 }, SeqCst);
}

/// If an answer of the terminal is due, waits up to 400 ms until it is read. Input that nobody reads
/// meanwhile ends the wait and is discarded, so that the shell usually does not get it.
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

/// The time of the monotonic clock, ns; never 0.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    saturate::<u64>(now.tv_sec) * 1_000_000_000 + saturate::<u64>(now.tv_nsec) + 1
}

/// Runs `change`, which writes to the terminal or changes it. Once [`restore`] has begun, does not run it and
/// never returns. The caller must hold the lock of the modes.
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

/// Restores the terminal for the last time; the program must end after that. Safe in a signal handler and
/// where there is no memory.
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

/// Installs the handler for signals that end a program by default, unless they are ignored.
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

/// True if this signal is ignored now.
pub(super) fn is_ignored(signal: c_int) -> bool {
    action(signal).sa_sigaction == libc::SIG_IGN
}

/// Restores the terminal and ends the program as this signal does by default; for SIGHUP, with exit status
/// 129.
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

/// Handles a signal that ends the program: restores the terminal, reports a fault of the program, and lets
/// the program end.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    if is_lent() && matches!(signal, libc::SIGINT | libc::SIGQUIT) {
        return;
    }
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
