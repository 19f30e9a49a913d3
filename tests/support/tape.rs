//! Owns the output side of a terminal: the thread that reads the bytes, the record of all of them,
//! the screen they make, and waiting for it. Must not know who writes them.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::MasterPty;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Time limit for every wait; generous, for busy machines.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);
/// How often a slow connection takes bytes.
const TICK: Duration = Duration::from_millis(20);
/// How the program closes a frame, and asks whether it has arrived.
const END_OF_FRAME: &[u8] = b"\x1b[?2026l";
const QUESTION: &[u8] = b"\x1b[5n";
const ANSWER: &[u8] = b"\x1b[0n";

struct Seen {
    parser: vt100::Parser,
    log: Vec<u8>,
    /// Bytes of the log that the parser has been given.
    parsed: usize,
    changed: Instant,
}

impl Seen {
    /// How many questions came with the last bytes, so many of the log.
    fn questions(&self, new: usize) -> usize {
        let from = (self.log.len() - new).saturating_sub(QUESTION.len() - 1);
        self.log[from..].windows(QUESTION.len()).filter(|window| *window == QUESTION).count()
    }

    /// True if the last frame has come to its end.
    fn is_whole(&self) -> bool {
        self.log.strip_suffix(QUESTION).unwrap_or(&self.log).ends_with(END_OF_FRAME)
    }

    /// Adds bytes. The parser gets whole characters only, since it mishandles split ones, and a box for
    /// U+FFFD, which it would drop though every terminal shows it.
    fn take(&mut self, bytes: &[u8]) {
        self.log.extend_from_slice(bytes);
        let rest = &self.log[self.parsed..];
        let whole = match std::str::from_utf8(rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => rest.len(),
        };
        self.parser.process(String::from_utf8_lossy(&rest[..whole]).replace('\u{fffd}', "□").as_bytes());
        self.parsed += whole;
    }
}

struct Shared {
    seen: Mutex<Seen>,
    news: Condvar,
    stop: AtomicBool,
    pause: AtomicBool,
    /// The most bytes that are read in [`TICK`]; 0 for any number.
    most: AtomicUsize,
    is_mute: AtomicBool,
    /// How long after a question its answer comes, ms.
    lag: AtomicU64,
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The master side of a pseudo-terminal, with all that has come out of it.
pub(crate) struct Tape {
    shared: Arc<Shared>,
    line: Option<OwnedFd>,
    reader: Option<JoinHandle<()>>,
}

impl Tape {
    /// Starts the reading thread; the size is columns, rows.
    pub(crate) fn start(master: &dyn MasterPty, (cols, rows): (u16, u16)) -> Self {
        // A terminal that says 0 is still shown somewhere.
        let cols = NonZeroU16::new(cols).unwrap_or(NonZeroU16::new(80).unwrap());
        let rows = NonZeroU16::new(rows).unwrap_or(NonZeroU16::new(24).unwrap());
        let parser = vt100::Parser::new(rows, cols, 0);
        let (log, parsed, changed) = (Vec::new(), 0, Instant::now());
        let shared = Arc::new(Shared {
            seen: Mutex::new(Seen { parser, log, parsed, changed }),
            news: Condvar::new(),
            stop: AtomicBool::new(false),
            pause: AtomicBool::new(false),
            most: AtomicUsize::new(0),
            is_mute: AtomicBool::new(false),
            lag: AtomicU64::new(0),
        });
        let line = tap(master);
        let (its, fd) = (Arc::clone(&shared), line.try_clone().unwrap());
        let reader = Some(thread::spawn(move || take(&its, fd)));
        Self { shared, line: Some(line), reader }
    }

    /// Types bytes.
    pub(crate) fn send(&self, bytes: &str) {
        let mut line = std::fs::File::from(self.line().try_clone().unwrap());
        line.write_all(bytes.as_bytes()).unwrap();
    }

    /// Stops reading, as a hung connection does. Returns when the writer has filled the line or writes no
    /// more.
    pub(crate) fn pause(&self) {
        self.shared.pause.store(true, Ordering::Release);
        let (mut waiting, mut since) = (0, Instant::now());
        while since.elapsed() < Duration::from_millis(200) {
            let now = rustix::io::ioctl_fionread(self.line()).unwrap();
            if now != waiting {
                (waiting, since) = (now, Instant::now());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Reads again after [`Self::pause`].
    pub(crate) fn go_on(&self) {
        self.shared.pause.store(false, Ordering::Release);
    }

    /// Reads no more than so many bytes a second from now on, as a slow connection does.
    pub(crate) fn throttle(&self, bytes_per_second: usize) {
        let ticks = Duration::from_secs(1).as_millis() / TICK.as_millis();
        self.shared.most.store(bytes_per_second / ticks as usize, Ordering::Release);
    }

    /// Answers no question from now on, as few terminals do.
    pub(crate) fn mute(&self) {
        self.shared.is_mute.store(true, Ordering::Release);
    }

    /// Answers each question only so much later from now on, as over a long way.
    pub(crate) fn lag(&self, lag: Duration) {
        self.shared.lag.store(lag.as_millis() as u64, Ordering::Release);
    }

    /// True while bytes are being read.
    pub(crate) fn is_live(&self) -> bool {
        self.line.is_some() && !self.shared.pause.load(Ordering::Acquire)
    }

    /// Ends the reading thread and closes the line.
    pub(crate) fn stop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        self.line = None;
    }

    /// Resizes the screen (columns, rows).
    pub(crate) fn resize(&self, size: (u16, u16)) {
        let cols = NonZeroU16::new(size.0.min(1000)).unwrap_or(NonZeroU16::MIN);
        let rows = NonZeroU16::new(size.1.min(400)).unwrap_or(NonZeroU16::MIN);
        self.shared.seen().parser.screen_mut().set_size(rows, cols);
    }

    /// The screen's text.
    pub(crate) fn contents(&self) -> String {
        self.look(vt100::Screen::contents)
    }

    /// Looks at the screen: its modes, its cells.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.shared.seen().parser.screen())
    }

    /// Every byte read so far.
    pub(crate) fn log(&self) -> Vec<u8> {
        self.shared.seen().log.clone()
    }

    /// Every byte so far, for searching.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.shared.seen().log).into_owned()
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?}"), |screen| screen.contents().contains(text));
    }

    /// Waits until the screen fulfils a condition.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, fulfilled: impl Fn(&vt100::Screen) -> bool) {
        self.wait(what, |seen| fulfilled(seen.parser.screen()));
    }

    /// Waits until the screen fulfils a condition and the last frame has come to its end.
    #[track_caller]
    pub(crate) fn wait_frame(&self, what: &str, fulfilled: impl Fn(&vt100::Screen) -> bool) {
        self.wait(what, |seen| seen.is_whole() && fulfilled(seen.parser.screen()));
    }

    /// Waits until these bytes have come behind the first `before` bytes.
    #[track_caller]
    pub(crate) fn wait_bytes(&self, before: usize, bytes: &str) {
        let has_come = |log: &[u8]| log.windows(bytes.len()).any(|window| window == bytes.as_bytes());
        self.wait(&format!("{bytes:?}"), |seen| has_come(&seen.log[before..]));
    }

    #[track_caller]
    fn wait(&self, what: &str, fulfilled: impl Fn(&Seen) -> bool) {
        let deadline = Instant::now() + LIMIT;
        let mut seen = self.shared.seen();
        while !fulfilled(&seen) {
            let left = deadline.saturating_duration_since(Instant::now());
            let contents = seen.parser.screen().contents();
            assert!(!left.is_zero(), "waited in vain for {what}; screen:\n{contents}");
            seen = self.shared.news.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until nothing has come for 100 ms and nothing is left to read.
    #[track_caller]
    pub(crate) fn settle(&self) {
        let deadline = Instant::now() + LIMIT;
        while !self.quiet(Duration::from_millis(100)) || !self.is_drained() {
            assert!(Instant::now() < deadline, "never at rest");
        }
    }

    /// True if nothing is left to read.
    pub(crate) fn is_drained(&self) -> bool {
        rustix::io::ioctl_fionread(self.line()) == Ok(0)
    }

    /// True if no byte comes for that long.
    pub(crate) fn quiet(&self, span: Duration) -> bool {
        let start = Instant::now();
        let mut seen = self.shared.seen();
        while seen.changed <= start {
            let left = span.saturating_sub(start.elapsed());
            if left.is_zero() {
                return true;
            }
            seen = self.shared.news.wait_timeout(seen, left).unwrap().0;
        }
        false
    }

    fn line(&self) -> &OwnedFd {
        self.line.as_ref().expect("not hung up")
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The body of the reading thread; it looks up often so that it can be stopped.
fn take(shared: &Shared, fd: OwnedFd) {
    let mut buffer = [0; 4096];
    let mut line = std::fs::File::from(fd);
    let wait = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    // When answers are to be given.
    let mut due = VecDeque::new();
    while !shared.stop.load(Ordering::Acquire) {
        while due.pop_front_if(|at| *at <= Instant::now()).is_some() {
            if line.write_all(ANSWER).is_err() {
                return;
            }
        }
        let mut fds = [PollFd::new(&line, PollFlags::IN)];
        let paused = shared.pause.load(Ordering::Acquire);
        let watched = if paused { &mut [][..] } else { &mut fds[..] };
        if poll(watched, Some(&wait)).unwrap_or(0) == 0 {
            continue;
        }
        let most = match shared.most.load(Ordering::Acquire) {
            0 => buffer.len(),
            most => {
                thread::sleep(TICK);
                most
            }
        };
        let Ok(count @ 1..) = line.read(&mut buffer[..most]) else { return };
        let mut seen = shared.seen();
        seen.take(&buffer[..count]);
        seen.changed = Instant::now();
        let questions = seen.questions(count);
        drop(seen);
        shared.news.notify_all();
        if !shared.is_mute.load(Ordering::Acquire) {
            let at = Instant::now() + Duration::from_millis(shared.lag.load(Ordering::Acquire));
            due.extend(std::iter::repeat_n(at, questions));
        }
    }
}

/// A descriptor of the master that can be closed at will: the library's own reader cannot be
/// interrupted (so the terminal could never be hung up) and its writer types an end-of-file.
#[allow(unsafe_code)]
fn tap(master: &dyn MasterPty) -> OwnedFd {
    let raw = master.as_raw_fd().unwrap();
    // SAFETY: the number belongs to `master`, which is borrowed for longer than this line.
    unsafe { BorrowedFd::borrow_raw(raw) }.try_clone_to_owned().unwrap()
}
