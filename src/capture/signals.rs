//! Signals that come to us while the captured program runs: they are meant for it.
//!
//! A signal that the terminal sends reaches the program by itself; any other is sent on. A second request to interrupt ends the program
//! politely, a third one for good; what was recorded is saved each time. Where the program is stopped, so are we.

use std::io::{self, Write};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2,
    SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::{Handle, SignalsInfo};
use signal_hook::low_level::emulate_default_handler;
use signal_hook::low_level::siginfo::Cause;

use super::status::Status;

/// What is sent on: all that would end us, but for those that tell of a fault of our own, and those whose default cannot be had again
/// for ending as the program did.
const SENT_ON: [i32; 11] =
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGCONT];

/// How often is looked whether the program has stopped, and how long at most.
const MOMENT: Duration = Duration::from_millis(10);
const MOMENTS: usize = 100;

/// Where the captured program is.
#[derive(Clone, Copy, Debug, Default)]
enum Program {
    /// It was not started yet.
    #[default]
    NotYet,
    /// It runs.
    Here(Pid),
    /// It has ended, and we have not; true once somebody wanted us to.
    Gone(bool),
}

/// Where signals go.
#[derive(Clone, Debug, Default)]
pub struct Target(Arc<Mutex<Program>>);

impl Target {
    /// The program is there from now on.
    pub fn set(&self, child: &Child) {
        *self.lock() = Program::Here(Pid::from_child(child));
    }

    /// Whether it has ended, and how. From then on its number may be another's: nothing is sent to it.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn try_wait(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        let mut target = self.lock();
        let status = child.try_wait()?;
        if status.is_some() {
            *target = Program::Gone(false);
        }
        Ok(status)
    }

    /// True once somebody wanted us to end, after the program had.
    pub fn is_asked(&self) -> bool {
        matches!(*self.lock(), Program::Gone(true))
    }

    /// There is nothing left to do: signals are as without us.
    pub fn release(&self) {
        *self.lock() = Program::NotYet;
    }

    /// Sends a signal to the program. Without one it is meant for us: where it asks us to end, we do the second time.
    fn send(&self, signal: Signal) {
        let mut program = self.lock();
        let is_end = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL].contains(&signal);
        match *program {
            Program::Here(pid) => {
                // It may be gone already.
                let _ = kill_process(pid, signal);
            }
            Program::Gone(false) if is_end => {
                *program = Program::Gone(true);
                let _ = writeln!(
                    io::stderr(),
                    "proftui: the program has ended, its traces are seen to; once more ends that"
                );
            }
            _ if is_end => {
                // What was recorded stays for `recover`.
                let _ = emulate_default_handler(signal.as_raw());
            }
            _ => {}
        }
    }

    /// True while it runs: then the terminal sends it signals, too.
    fn has_program(&self) -> bool {
        matches!(*self.lock(), Program::Here(_))
    }

    /// True while it is stopped, or there is none.
    fn is_stopped(&self) -> bool {
        let Program::Here(pid) = *self.lock() else { return true };
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        stat.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')))
    }

    /// Stops us as soon as the program has stopped. One that does not, since it has it ignored or nobody could wake it, does not stop us.
    fn stop(&self) {
        for _ in 0..MOMENTS {
            if self.is_stopped() {
                let _ = emulate_default_handler(SIGTSTP);
                return;
            }
            thread::sleep(MOMENT);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Program> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Signals that whoever started us has us ignore.
#[derive(Debug)]
pub struct Ignored {
    signals: Vec<i32>,
    handle: Handle,
}

impl Ignored {
    /// Sends them on from now on. The program was started, and has inherited that they are ignored; it may have changed its mind.
    ///
    /// # Errors
    /// When signals cannot be taken.
    pub fn pass_on(&self) -> io::Result<()> {
        self.signals.iter().try_for_each(|&signal| self.handle.add_signal(signal))
    }
}

/// Sends on what comes to `target`, from a thread of its own; `woken` hears of every signal. `status` has no row while we are stopped.
/// What is ignored is left for when the program was started.
///
/// # Errors
/// When signals cannot be taken.
pub fn pass_on(target: Target, woken: Sender<()>, status: Status) -> io::Result<Ignored> {
    let ignored = ignored();
    let is_ignored = move |signal: i32| ignored & (1 << (signal - 1)) != 0;
    let (later, now): (Vec<i32>, Vec<i32>) = SENT_ON.into_iter().partition(|&signal| is_ignored(signal));
    // Who may not be stopped by the terminal is not stopped. Where SIGCHLD is ignored the system does not tell how a program ended.
    let stop = Some(SIGTSTP).filter(|&signal| !is_ignored(signal));
    let mut signals = SignalsInfo::<WithOrigin>::new(now.into_iter().chain(stop).chain([SIGCHLD]))?;
    let handle = signals.handle();
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut interrupts = 0;
        for origin in signals.forever() {
            let is_terminal = matches!(origin.cause, Cause::Kernel);
            let is_kept = match origin.signal {
                SIGCHLD => true,
                SIGCONT => !target.is_stopped(),
                // The terminal tells the program itself; a limit of ours is none of its.
                SIGQUIT | SIGXCPU if is_terminal => true,
                SIGINT if is_terminal && is_ignored(SIGINT) => true,
                // Without the program it is as whoever started us wants it.
                signal => is_ignored(signal) && !target.has_program(),
            };
            match origin.signal {
                _ if is_kept => {}
                SIGTSTP => {
                    if !is_terminal {
                        target.send(Signal::TSTP);
                    }
                    status.without(|| target.stop());
                }
                SIGINT if !is_ignored(SIGINT) => {
                    interrupts += 1;
                    match interrupts {
                        1 if is_terminal && target.has_program() => {}
                        1 => target.send(Signal::INT),
                        2 => target.send(Signal::TERM),
                        _ => target.send(Signal::KILL),
                    }
                }
                signal => {
                    if let Some(signal) = Signal::from_named_raw(signal) {
                        target.send(signal);
                    }
                }
            }
            // A loop that is over hears nothing; a full channel has woken it already.
            let _ = woken.try_send(());
        }
    })?;
    Ok(Ignored { signals: later, handle })
}

/// From now on a file that may not grow further (`ulimit -f`) is an error of who writes it, and not our end.
///
/// # Errors
/// When the signal cannot be taken.
pub fn outlive_full_files() -> io::Result<()> {
    if ignored() & (1 << (SIGXFSZ - 1)) == 0 {
        // What the program is started with is the default again.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    }
    Ok(())
}

/// The signals that are ignored, a bit each, from the lowest.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
