//! Owns the rig that runs a program on a real pseudo-terminal: its start, its line settings,
//! signals, hang-up and end. Must not know the program under test.
//!
//! Waits are for a state, with a limit.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use super::tape::{LIMIT, Tape};

/// How a program ended.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    /// The exit code; meaningless when a signal ended it.
    pub(crate) code: u32,
    /// The system's name of the signal that ended it.
    pub(crate) signal: Option<String>,
    /// The time of the end.
    pub(crate) at: Instant,
}

/// A program on a terminal of its own; what it shows is found on the [`Tape`].
pub(crate) struct Pty {
    /// The process that was started.
    pub(crate) pid: Pid,
    /// The line settings before the start.
    pub(crate) found: String,
    found_settings: Termios,
    tape: Tape,
    master: Option<Box<dyn MasterPty + Send>>,
    slave: OwnedFd,
    ended: Receiver<Exit>,
    exit: Option<Exit>,
}

impl Deref for Pty {
    type Target = Tape;

    fn deref(&self) -> &Tape {
        &self.tape
    }
}

impl Pty {
    /// Starts a program with a small, fixed environment and `env` on a screen of `size` (columns,
    /// rows). It is the leader of a session of its own, with this as its terminal.
    pub(crate) fn spawn(command: &[&str], env: &[(&str, &str)], size: (u16, u16)) -> Self {
        let pair = native_pty_system().openpty(pty_size(size)).unwrap();
        // Held open, so that the line settings can be read after the program's end.
        let name = pair.master.tty_name().unwrap();
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(name, flags, Mode::empty()).unwrap();
        let found_settings = tcgetattr(&slave).unwrap();
        let mut child = pair.slave.spawn_command(builder(command, env)).unwrap();
        let pid = Pid::from_raw(child.process_id().unwrap().cast_signed()).unwrap();
        let (send, ended) = channel();
        thread::spawn(move || {
            let status = child.wait().unwrap();
            let (code, signal) = (status.exit_code(), status.signal().map(str::to_owned));
            let _ = send.send(Exit { code, signal, at: Instant::now() });
        });
        Self {
            pid,
            found: format!("{found_settings:?}"),
            found_settings,
            tape: Tape::start(&*pair.master, size),
            master: Some(pair.master),
            slave,
            ended,
            exit: None,
        }
    }

    /// Sends a signal to the program that was started.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Sends a signal to the program that was started, which a signal before may have ended by now.
    pub(crate) fn signal_again(&self, signal: Signal) {
        let sent = kill_process(self.pid, signal);
        assert!(matches!(sent, Ok(()) | Err(Errno::SRCH)), "{sent:?}");
    }

    /// Changes the size of the terminal (columns, rows), also to zero.
    pub(crate) fn resize(&self, size: (u16, u16)) {
        self.tape.resize(size);
        self.master.as_ref().expect("not hung up").resize(pty_size(size)).unwrap();
    }

    /// Takes the terminal away.
    pub(crate) fn hang_up(&mut self) {
        self.tape.stop();
        self.master = None;
    }

    /// The line settings now, comparable with `found`.
    pub(crate) fn settings(&self) -> String {
        settings(&self.slave)
    }

    /// Sets the line back to what was found, as a shell does that gets the terminal back.
    pub(crate) fn cook(&self) {
        tcsetattr(&self.slave, OptionalActions::Now, &self.found_settings).unwrap();
    }

    /// Waits until no thread of the program runs or is woken within 20 ms, so that all messages between
    /// threads have been taken. A thread that waits for a processor does not count as asleep. The last change
    /// may still be drawn: a pause follows a slow frame.
    #[track_caller]
    pub(crate) fn wait_idle(&self) {
        let deadline = Instant::now() + LIMIT;
        loop {
            let before = self.asleep();
            thread::sleep(Duration::from_millis(20));
            // A thread that waits for the terminal to take bytes is asleep, too.
            if before.is_some() && before == self.asleep() && self.is_drained() {
                return;
            }
            assert!(Instant::now() < deadline, "never idle; screen:\n{}", self.contents());
        }
    }

    /// How often each thread of the program has been switched, by its number; `None` if a thread is not
    /// asleep.
    fn asleep(&self) -> Option<BTreeMap<String, Vec<String>>> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid.as_raw_nonzero())).ok()?;
        let mut switches = BTreeMap::new();
        for task in tasks {
            let task = task.ok()?;
            let status = std::fs::read_to_string(task.path().join("status")).ok()?;
            let of = |key: &str| {
                let line = status.lines().find(|line| line.starts_with(key))?;
                Some(line[key.len()..].trim().to_owned())
            };
            if !of("State:")?.starts_with('S') {
                return None;
            }
            let counts = vec![of("voluntary_ctxt_switches:")?, of("nonvoluntary_ctxt_switches:")?];
            switches.insert(task.file_name().to_string_lossy().into_owned(), counts);
        }
        Some(switches)
    }

    /// Whether the program has ended.
    pub(crate) fn ended(&mut self) -> Option<Exit> {
        self.exit = self.exit.take().or_else(|| self.ended.try_recv().ok());
        self.exit.clone()
    }

    /// Waits for the end, and for the last bytes.
    #[track_caller]
    pub(crate) fn wait_exit(&mut self) -> Exit {
        let known = self.exit.take().or_else(|| self.ended.recv_timeout(LIMIT).ok());
        let Some(exit) = known else { panic!("still alive; screen:\n{}", self.contents()) };
        if self.tape.is_live() {
            self.settle();
        }
        self.exit = Some(exit.clone());
        exit
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if self.ended().is_none() {
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }
}

fn builder(command: &[&str], env: &[(&str, &str)]) -> CommandBuilder {
    let mut builder = CommandBuilder::new(command[0]);
    builder.args(&command[1..]);
    builder.cwd(std::env::current_dir().unwrap());
    builder.env_clear();
    builder.env("XDG_CONFIG_HOME", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/config"));
    let fixed = [("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("TERM", "xterm-256color")];
    for (name, value) in fixed.iter().chain(env) {
        builder.env(name, value);
    }
    builder
}

fn settings(slave: &OwnedFd) -> String {
    format!("{:?}", tcgetattr(slave).unwrap())
}

fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}
