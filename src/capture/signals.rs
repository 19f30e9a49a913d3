//! Signals that come to us while the captured program runs: they are meant for it.
//!
//! A signal that the terminal sends reaches the program by itself; any other is sent on. A second request to interrupt ends the program
//! politely, a third one for good; what was recorded is saved each time.

use std::io::{self, Write};
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::Sender;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::Cause;

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
                let _ = signal_hook::low_level::emulate_default_handler(signal.as_raw());
            }
            _ => {}
        }
    }

    /// True while it runs: then the terminal sends it signals, too.
    fn has_program(&self) -> bool {
        matches!(*self.lock(), Program::Here(_))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Program> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends on what comes to `target`, from a thread of its own; `woken` hears of every signal.
///
/// # Errors
/// When signals cannot be taken.
pub fn pass_on(target: Target, woken: Sender<()>) -> io::Result<()> {
    let ignored = ignored();
    // What whoever started us has us ignore, the program is to ignore too: it inherits that only as long as it is left alone.
    let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];
    let wanted = wanted.into_iter().filter(|signal| ignored & (1 << (signal - 1)) == 0);
    // Where that is ignored the system does not tell how a program ended.
    let wanted = wanted.chain([SIGCHLD]);
    let mut signals = SignalsInfo::<WithOrigin>::new(wanted)?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut interrupts = 0;
        for origin in signals.forever() {
            let is_terminal = matches!(origin.cause, Cause::Kernel);
            match origin.signal {
                SIGCHLD => {}
                SIGINT => {
                    interrupts += 1;
                    match interrupts {
                        1 if is_terminal && target.has_program() => {}
                        1 => target.send(Signal::INT),
                        2 => target.send(Signal::TERM),
                        _ => target.send(Signal::KILL),
                    }
                }
                SIGQUIT if is_terminal => {}
                other => {
                    if let Some(signal) = Signal::from_named_raw(other) {
                        target.send(signal);
                    }
                }
            }
            // A loop that is over hears nothing; a full channel has woken it already.
            let _ = woken.try_send(());
        }
    })?;
    Ok(())
}

/// The signals that are ignored, a bit each, from the lowest.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
