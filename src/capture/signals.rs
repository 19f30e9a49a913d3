//! Passes signals on to the captured program while it runs.
//!
//! The terminal sends its signals to the program, too; any other of the signals in `SENT_ON` is forwarded.
//! The second interrupt is forwarded as SIGTERM, each further one as SIGKILL; the traces are written in any
//! case. When the program is stopped, this process stops, too.

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

use crate::capture::messages::status::Status;

/// Signals, besides SIGTSTP, that this process handles and may forward to the program.
// Not among them are signals that this process's own work causes (SIGSEGV, SIGPIPE, SIGXFSZ), and those whose
// default action cannot be restored, since this process must be able to end by the same signal as the
// program.
const SENT_ON: [i32; 11] =
    [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGCONT];

/// Interval at which [`Target::stop`] checks whether the program has stopped.
const STOP_INTERVAL: Duration = Duration::from_millis(10);
/// Most checks of [`Target::stop`] whether the program has stopped.
const STOP_CHECKS: usize = 100;

/// State of the captured program, as far as signals depend on it.
#[derive(Clone, Copy, Debug, Default)]
enum Program {
    /// The program was not started yet, or the capture is over: no program gets signals.
    #[default]
    NotYet,
    /// The program was started with this process id, and [`Target::try_wait`] has not returned its exit
    /// status.
    Here(Pid),
    /// [`Target::try_wait`] has returned the program's exit status; true once a signal has since asked
    /// proftui to end.
    Gone(bool),
}

/// The program to which signals are forwarded. Clones share the state of the program.
#[derive(Clone, Debug, Default)]
pub struct Target(Arc<Mutex<Program>>);

impl Target {
    /// Starts the program by `start`, and keeps its process id; signals that are to be forwarded wait
    /// meanwhile.
    ///
    /// # Errors
    /// The errors of `start`.
    pub fn start<E>(&self, start: impl FnOnce() -> Result<Child, E>) -> Result<Child, E> {
        let mut target = self.lock();
        let child = start()?;
        *target = Program::Here(Pid::from_child(&child));
        Ok(child)
    }

    /// Returns the exit status of the program, whose process is `child`, once it has ended; `None` while it
    /// runs. After the end, no signal is sent to the program any more.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn try_wait(&self, child: &mut Child) -> io::Result<Option<ExitStatus>> {
        let mut target = self.lock();
        let status = child.try_wait()?;
        if status.is_some() {
            *target = Program::Gone(false);
        }
        Ok(status)
    }

    /// True once a signal that came after the program's end has asked proftui to end, until
    /// [`Target::release`].
    pub fn is_asked(&self) -> bool {
        matches!(*self.lock(), Program::Gone(true))
    }

    /// Marks the capture as over: signals such as SIGINT then usually end this process at once.
    pub fn release(&self) {
        *self.lock() = Program::NotYet;
    }

    /// Sends a signal to the program while it runs. Otherwise SIGINT, SIGTERM, SIGHUP and SIGKILL are noted
    /// once after the program's end, and else end this process.
    fn send(&self, signal: Signal) {
        let mut program = self.lock();
        let is_end = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL].contains(&signal);
        match *program {
            Program::Here(pid) => {
                // Fails if the program has just ended.
                let _ = kill_process(pid, signal);
            }
            Program::Gone(false) if is_end => {
                *program = Program::Gone(true);
                let _ = writeln!(
                    io::stderr(),
                    "proftui: the program has ended, and proftui is finishing; a second such signal ends \
                     proftui"
                );
            }
            _ if is_end => {
                // Records that were not written yet stay for `proftui recover`.
                let _ = emulate_default_handler(signal.as_raw());
            }
            _ => {}
        }
    }

    /// True from the program's start until [`Target::try_wait`] has returned its exit status.
    fn has_program(&self) -> bool {
        matches!(*self.lock(), Program::Here(_))
    }

    /// True if the program is stopped, or there is none.
    fn is_stopped(&self) -> bool {
        let Program::Here(pid) = *self.lock() else { return true };
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        stat.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')))
    }

    /// Stops this process, until SIGCONT, once the program is stopped or there is none; gives up after about
    /// a second.
    fn stop(&self) {
        for _ in 0..STOP_CHECKS {
            if self.is_stopped() {
                let _ = emulate_default_handler(SIGTSTP);
                return;
            }
            thread::sleep(STOP_INTERVAL);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Program> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The signals in `SENT_ON` that were ignored when this process was started, as by `nohup`.
#[derive(Debug)]
pub struct Ignored {
    /// The numbers of the ignored signals.
    signals: Vec<i32>,
    /// Adds signals to those that the thread for signals handles.
    handle: Handle,
}

impl Ignored {
    /// Forwards the ignored signals, too, from now on. Must be called after the program was started, so that
    /// the program inherits them as ignored.
    ///
    /// # Errors
    /// When a signal cannot be handled.
    pub fn pass_on(&self) -> io::Result<()> {
        self.signals.iter().try_for_each(|&signal| self.handle.add_signal(signal))
    }
}

/// Starts the thread that forwards signals to `target` where needed, and wakes the receiver of `woken` after
/// each. Returns the signals that were ignored, which are not handled yet.
///
/// # Errors
/// When a signal cannot be handled, or the thread cannot be started.
pub fn pass_on(target: Target, woken: Sender<()>, status: Status) -> io::Result<Ignored> {
    let ignored = ignored();
    let is_ignored = move |signal: i32| ignored & (1 << (signal - 1)) != 0;
    let (later, now): (Vec<i32>, Vec<i32>) = SENT_ON.into_iter().partition(|&signal| is_ignored(signal));
    // A process that ignores SIGTSTP is not to be stopped. SIGCHLD is always handled: if it is ignored, the
    // system keeps no exit status.
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
                // The terminal sends SIGQUIT to the program itself; SIGXCPU concerns this process's own
                // limit.
                SIGQUIT | SIGXCPU if is_terminal => true,
                SIGINT if is_terminal && is_ignored(SIGINT) => true,
                // While there is no program, ignored signals stay ignored.
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
            // Fails if the receiver is gone, or has a message waiting already.
            let _ = woken.try_send(());
        }
    })?;
    Ok(Ignored { signals: later, handle })
}

/// Makes a write beyond the file size limit (`ulimit -f`) fail instead of ending this process by SIGXFSZ.
///
/// # Errors
/// When the signal cannot be handled.
pub fn outlive_full_files() -> io::Result<()> {
    if ignored() & (1 << (SIGXFSZ - 1)) == 0 {
        // Handled instead of ignored, since the program would inherit an ignored signal.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    }
    Ok(())
}

/// Bit set of the signals that this process ignores: bit n - 1 for signal n; 0 if unknown.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_signal_that_comes_while_the_program_starts_is_sent_on() {
        let target = Target::default();
        let (runs, is_known) = crossbeam_channel::bounded(1);
        let mut child = thread::scope(|scope| {
            let target = &target;
            scope.spawn(move || {
                is_known.recv().expect("it runs");
                target.send(Signal::USR1);
            });
            let start = || {
                let child = Command::new("sleep").arg("5").spawn();
                runs.send(()).expect("someone waits");
                // The signal comes now; were it not to wait, it would be lost.
                thread::sleep(Duration::from_millis(50));
                child
            };
            target.start(start).expect("it is started")
        });
        let end = child.wait().expect("it ends");
        assert_eq!(end.signal(), Some(Signal::USR1.as_raw()));
    }
}
