//! What there is once a process: its folder and names, its steps, whom it follows.
//!
//! A process that leads has cycles of its own, on its own page. One that follows looks at another's page: a forked child at
//! the one it got from its parent, a spawned one at the file. It has no folder until it has something to put there, and leads
//! from the first step of its own on.
//!
//! The state is behind one lock, taken where something is seldom done; what each range needs are two pointers to pages. What
//! records devices ([`device`]) is called without it: it waits for them, and comes back for names and room.

mod counts;
pub mod device;
mod exit;
mod folder;
mod fork;
mod names;
pub mod steering;
mod steps;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use proftui_wire::chunk::Tag;
use proftui_wire::live::Word;
use proftui_wire::log::{DeviceCounts, Event, NoteKind};
use proftui_wire::options::{DISABLE, DeviceOption, FILE, LEADER, Options, PARENT, RUN, WINDOW};
use proftui_wire::process_key::{LIVE, ProcessKey};
use proftui_wire::schedule::State;

use crate::clock;
use crate::errno::keep;
use crate::files;
use crate::lock::Lock;
use crate::page::{Page, Slot};
use crate::ranges;
use crate::spool;

pub use counts::{begun, ended, forget_unfinished, kept, lose, waited};
pub use exit::close_at_exit;
use folder::Folder;
use names::Names;
use steps::{Halt, StepEnd, Steps};

/// Where nothing is recorded. What is counted there is never looked at, but for what is unfinished when a folder is made.
static NONE: Page = Page::none();
/// The page whose cycle is recorded.
static FOLLOWED: Slot = Slot::new(&NONE);
/// The page that this process's counts are on.
static OWN: Slot = Slot::new(&NONE);
/// True once nothing is to be done any more.
static IS_OFF: AtomicBool = AtomicBool::new(false);
static STATE: Lock<Option<Process>> = Lock::new(None);
/// Held by the thread that ends a step, or the process: one at a time.
static TURN: Lock<()> = Lock::new(());
/// True where windows are opened by time.
static IS_BY_TIME: AtomicBool = AtomicBool::new(false);

struct Process {
    pid: u32,
    run: PathBuf,
    options: Options,
    /// The process that it follows; none where it leads.
    leader: Option<ProcessKey>,
    folder: Option<Folder>,
    /// True where no folder can be made.
    is_homeless: bool,
    names: Names,
    steps: Steps,
    budget: Budget,
}

/// Bytes of chunks taken in a cycle.
#[derive(Default)]
struct Budget {
    cycle: u64,
    taken: u64,
    is_full: bool,
    /// Ranges lost without a chunk, as far as the log has them.
    lost: u64,
}

/// Room for a chunk.
pub struct Room {
    /// The folder that it goes into.
    pub folder: PathBuf,
    /// The process.
    pub pid: u32,
    /// How long it is to be.
    pub bytes: usize,
}

/// Begins, as the environment says; false where there is no run, or none is wanted. A child that was spawned follows its leader.
pub fn open(is_child: bool) -> bool {
    keep(|| {
        if IS_OFF.load(Ordering::Acquire) {
            return false;
        }
        let Some(mut state) = STATE.take() else { return false };
        if state.is_none() {
            *state = Process::new(is_child);
        }
        state.is_some()
    })
}

/// Ends: the cycle that is open, and everything else. Once.
pub fn close() {
    if let Some(_turn) = keep(|| TURN.take())
        && let Some(end) = with(Process::end_steps)
    {
        let counts = device::turn(&end).or_else(|| device::finish(end.now));
        with(|process| process.close(&end, counts));
    }
    IS_OFF.store(true, Ordering::Release);
    FOLLOWED.set(&NONE);
    // Libraries go next: nobody may be in them for us.
    keep(device::end);
}

/// The cycle that is recorded; 0 for none.
#[inline]
pub fn cycle() -> u64 {
    FOLLOWED.get().get(Word::Cycle)
}

/// The folder of this process, made if there is none yet; none where it cannot be made.
pub fn place() -> Option<PathBuf> {
    with(|process| process.folder().map(|folder| folder.path.clone())).flatten()
}

/// The state of the step under way.
pub fn state() -> u64 {
    FOLLOWED.get().get(Word::State)
}

/// The number of a name; 0 when it cannot be kept.
pub fn name(text: &str) -> u32 {
    with(|process| process.names.number(text)).unwrap_or_default()
}

/// What is asked for of devices.
pub fn has_option(option: DeviceOption) -> bool {
    with(|process| process.options.has(option)).unwrap_or_default()
}

/// True where somebody else says what is recorded: another process, or proftui by time.
pub fn is_led() -> bool {
    IS_BY_TIME.load(Ordering::Relaxed) || !std::ptr::eq(FOLLOWED.get(), OWN.get())
}

/// True once nothing is to be done any more.
pub fn is_off() -> bool {
    IS_OFF.load(Ordering::Acquire)
}

/// Something to be told.
pub fn note(kind: NoteKind, text: &str) {
    with(|process| process.note(kind, text));
}

/// The calling thread has a name.
pub fn thread(text: &str) {
    thread_of(spool::tid(), text);
}

/// This thread has a name.
pub fn thread_of(tid: u32, text: &str) {
    with(|process| {
        let name = process.names.number(text);
        process.log_at(clock::now(), Event::Thread { tid: u64::from(tid), name });
    });
}

/// A step ends on this thread; returns the state of the next.
pub fn step(samples: u64) -> u64 {
    step_to(samples, None)
}

/// The same; `to` is the state of the next, where it is not the schedule that says.
fn step_to(samples: u64, to: Option<State>) -> u64 {
    let now = clock::now();
    let Some(_turn) = keep(|| TURN.take()) else { return state() };
    let halt = with(Process::take_halt).flatten().unwrap_or_else(|| stop_clock(now));
    let Some(end) = with(|process| process.end_step(&halt, samples, to)) else { return 0 };
    let counts = device::turn(&end);
    with(|process| process.begin_step(&end, counts)).map_or(0, |state| state as u64)
}

/// The step under way ends here, and its cycle's window, as far as this process opens and closes it: what follows up to
/// [`step`] or [`close`] is neither's. Without a step's end (`is_step`) it is the program's. Waits for devices, where that is
/// asked for.
pub fn halt(is_step: bool) {
    let now = clock::now();
    let Some(_turn) = keep(|| TURN.take()) else { return };
    if !with(|process| process.may_halt()).unwrap_or_default() {
        return;
    }
    let cycle = cycle();
    let halt = if is_step { Halt { cycle, ..stop_clock(now) } } else { Halt { now, waited: 0, cycle } };
    if let Some(cycle) = with(|process| process.halt(halt)) {
        device::halt(cycle, now);
    }
}

/// The step under way begins here: what was done since the last one ended is no step's time.
pub fn resume() {
    let now = clock::now();
    with(|process| {
        if process.leads_by_steps() {
            ranges::take_waited(now);
            process.resume(now);
        }
    });
}

/// The step under way takes no longer. The state is free while its range is written: the chunk may be full.
fn stop_clock(now: u64) -> Halt {
    let waited = ranges::take_waited(now);
    if let Some(whole) = with(Process::whole_step).flatten() {
        spool::record(whole.cycle, whole.tag, whole.start, now);
    }
    Halt { now, waited, cycle: 0 }
}

/// Room for a chunk of so many bytes, or as many as there may be, but not fewer than `least`.
pub fn room(cycle: u64, wanted: usize, least: usize) -> Option<Room> {
    with(|process| process.room(cycle, wanted as u64, least as u64)).flatten()
}

/// The room was not there.
pub fn no_room(cycle: u64, bytes: usize, why: &str) {
    with(|process| {
        if process.budget.cycle == cycle {
            process.budget.taken = process.budget.taken.saturating_sub(bytes as u64);
            process.fill(cycle, why);
        }
    });
}

/// Something is wrong with the recorder: it is silent from here on.
pub fn give_up(why: &str) {
    FOLLOWED.set(&NONE);
    with(|process| process.note(NoteKind::Failure, &format!("the recorder failed and is off: {why}")));
    IS_OFF.store(true, Ordering::Release);
}

fn with<R>(body: impl FnOnce(&mut Process) -> R) -> Option<R> {
    if IS_OFF.load(Ordering::Acquire) {
        return None;
    }
    keep(|| STATE.take()?.as_mut().map(body))
}

impl Process {
    /// As the environment says.
    fn new(is_child: bool) -> Option<Self> {
        if env::var_os(DISABLE).is_some_and(|word| !word.is_empty() && word != "0") {
            return None;
        }
        let run = std::path::absolute(env::var_os(RUN).filter(|run| !run.is_empty())?).ok()?;
        // The run may be over long since, and its name another person's folder by now.
        files::check_own(&run).ok()?;
        let options = Options::read(&fs::read_to_string(run.join(FILE)).ok()?);
        let leader = if is_child { leader(&run) } else { None };
        Self::begin(run, options, leader)
    }

    /// Follows the leader, or leads.
    fn begin(run: PathBuf, options: Options, leader: Option<(ProcessKey, &'static Page)>) -> Option<Self> {
        let now = clock::now();
        let mut process = Self {
            pid: std::process::id(),
            run,
            options,
            leader: None,
            folder: None,
            is_homeless: false,
            names: Names::default(),
            steps: Steps::begun(now),
            budget: Budget::default(),
        };
        IS_BY_TIME.store(process.options.by_time, Ordering::Relaxed);
        if let Some((key, page)) = leader {
            process.leader = Some(key);
            FOLLOWED.set(page);
            process.steps = Steps::begun(now);
        } else {
            FOLLOWED.set(process.folder()?.page);
            process.begin_steps();
        }
        // A window is open or not for all at once, be they there or yet to come.
        if process.options.by_time
            && let Ok(page) = Page::of(&process.run.join(WINDOW))
        {
            FOLLOWED.set(page);
            process.steps = Steps::begun(now);
        }
        ranges::take_waited(now);
        fork::watch();
        Some(process)
    }

    fn close(&mut self, end: &StepEnd, counts: Option<DeviceCounts>) {
        if self.leads_by_steps() {
            self.act(end, counts);
            self.tell();
        } else if let Some(counts) = counts {
            self.log_device(counts);
        }
        self.log_lost();
        if let Some(folder) = &mut self.folder {
            folder.log_clock();
            folder.log(Event::Bye);
        }
    }

    /// This process is a copy of what it was.
    fn forked(&mut self, now: u64) {
        self.pid = std::process::id();
        let parent = self.folder.take();
        // Its parent may come to lead, and it with that.
        self.leader = parent.map(|folder| folder.key).or(self.leader);
        self.is_homeless = false;
        self.names.forked();
        self.budget = Budget::default();
        self.steps = Steps::begun(now);
    }

    /// The process's folder, made if there is none yet.
    fn folder(&mut self) -> Option<&mut Folder> {
        if self.folder.is_none() && !self.is_homeless {
            match Folder::create(&self.run, &mut self.names) {
                Ok(mut folder) => {
                    let ppid = u64::from(std::os::unix::process::parent_id());
                    folder.log(Event::Hello { ppid, leader: self.leader, namespace: folder::namespace() });
                    folder.log_clock();
                    folder.page.set(Word::Unfinished, NONE.get(Word::Unfinished));
                    OWN.set(folder.page);
                    self.folder = Some(folder);
                }
                // The run is over, or its disk is full: there is nobody to tell.
                Err(_) => self.is_homeless = true,
            }
        }
        self.folder.as_mut()
    }

    fn log_at(&mut self, time: u64, event: Event) {
        if let Some(folder) = self.folder() {
            folder.log_at(time, event);
        }
    }

    /// True while proftui is there: it keeps a file locked. Where there is no such file nobody said that it would.
    fn has_parent(&self) -> bool {
        files::open(&self.run.join(PARENT)).map_or(true, |file| file.try_lock_shared().is_err())
    }

    fn note(&mut self, kind: NoteKind, text: &str) {
        let text = self.names.number(text);
        self.log_at(clock::now(), Event::Note { kind, text });
    }

    fn room(&mut self, cycle: u64, wanted: u64, least: u64) -> Option<Room> {
        let page = self.folder()?.page;
        if self.budget.cycle != cycle {
            self.log_lost();
            self.budget = Budget { cycle, lost: self.budget.lost, ..Budget::default() };
            page.set(Word::Full, 0);
        }
        if self.budget.is_full {
            return None;
        }
        // Whole pages.
        let bytes = wanted.min(self.options.max_bytes.saturating_sub(self.budget.taken)) & !0xfff;
        if bytes < least {
            self.fill(cycle, &format!("the limit of {} bytes is reached", self.options.max_bytes));
            return None;
        }
        self.budget.taken += bytes;
        page.set(Word::Taken, self.budget.taken);
        let folder = self.folder()?.path.clone();
        Some(Room { folder, pid: self.pid, bytes: bytes as usize })
    }

    /// Says what the last cycle lost without a chunk.
    fn log_lost(&mut self) {
        let Some(folder) = &mut self.folder else { return };
        ranges::unfinished(cycle(), |cycle| {
            folder.log(Event::Lost { cycle, ranges: 1 });
            folder.page.add(Word::Lost, 1);
            ended(cycle);
            self.budget.lost += 1;
        });
        let Budget { cycle, lost, .. } = self.budget;
        let all = folder.page.get(Word::Lost);
        if all > lost {
            folder.log(Event::Lost { cycle, ranges: all - lost });
            self.budget.lost = all;
        }
    }

    /// There is no more room in this cycle.
    fn fill(&mut self, cycle: u64, why: &str) {
        let Some(page) = self.folder().map(|folder| folder.page) else { return };
        page.set(Word::Taken, self.budget.taken);
        page.set(Word::Full, 1);
        if !std::mem::replace(&mut self.budget.is_full, true) {
            let text = format!("cycle {cycle}: {why}; further ranges of the cycle are counted, not kept");
            self.note(NoteKind::Warning, &text);
        }
    }
}

/// The process of this run to follow, and its page.
fn leader(run: &Path) -> Option<(ProcessKey, &'static Page)> {
    let folder = PathBuf::from(env::var_os(LEADER)?);
    let key: ProcessKey = folder.file_name()?.to_str()?.parse().ok()?;
    let page = Page::of(&run.join(key.to_string()).join(LIVE)).ok()?;
    Some((key, page))
}

/// The tag of a kind and a name.
pub fn tag(kind: u8, text: &str) -> Tag {
    Tag::new(kind, name(text))
}

/// Leads, in a run's folder that a test made.
#[cfg(test)]
pub fn open_in(run: PathBuf, options: Options) -> bool {
    let mut state = STATE.take().expect("free");
    *state = Process::begin(run, options, None);
    state.is_some()
}
