//! `proftui open`: the explorer, from the first frame to the last.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Sender, bounded};
use ratatui::Frame;

use crate::app::growth::Loading;
use crate::app::overlay::Overlay;
use crate::app::summing::Made;
use crate::app::{self, Incident, Outcome, Session, State};
use crate::base::text::SafeText;
use crate::import::{self, ImportError, Loaded, Progress, Request, Texts};
use crate::term::caps::{self, Background, Caps};
use crate::term::{self, App, Event, Guard, Input, Screen, Step, hangup, input, panic, signals};
use crate::ui::{self, Theme};

use super::open_args::{OpenArgs, ThemeChoice};
use super::select::cost_of_loading;
use super::streams::Failure;

/// How often the screen shows the progress of a load.
const PROGRESS: Duration = Duration::from_millis(100);

/// How often the files are looked at while they are open.
const WATCH: Duration = Duration::from_secs(1);

/// Everything that can happen to the explorer.
enum Message {
    Terminal(Event),
    /// Time to show how far the load has come.
    Progress,
    /// What loading will take, in a line.
    Preflight(String),
    /// What is there so far.
    Glimpse(Box<Session>),
    Loaded(Box<Result<Session, ImportError>>),
    /// The file is no longer what was loaded.
    Changed,
    /// A summary that was asked for.
    Summed(Box<Made>),
}

impl From<Event> for Message {
    fn from(event: Event) -> Self {
        Self::Terminal(event)
    }
}

pub(super) fn run(args: &OpenArgs) -> Result<(), Failure> {
    let request = args.select.request();
    // What fails at once should fail without a flash of another screen.
    for path in request.paths.iter().filter(|path| path.as_os_str() != "-") {
        import::check(path)?;
    }
    if request.paths.iter().any(|path| path.as_os_str() == "-") && std::io::stdin().is_terminal() {
        return Err(Failure("standard input is the keyboard; pipe a trace into it, or name a file".into()));
    }
    let hint = "; proftui info prints to a pipe or file";
    let mut caps = Caps::detect(args.color.depth(), &caps::process_env())
        .map_err(|why| Failure(format!("{why}{hint}")))?;
    match args.theme {
        ThemeChoice::Auto => {}
        ThemeChoice::Dark => caps.background = Background::Dark,
        ThemeChoice::Light => caps.background = Background::Light,
    }
    let theme = Theme::new(caps.depth, caps.background, caps.utf8 && !args.ascii);
    let guard = Guard::open().map_err(|why| Failure(format!("{why}{hint}")))?;

    let (messages, queue) = bounded::<Message>(256);
    panic::install(Arc::clone(&guard), messages.clone());
    signals::watch(Arc::clone(&guard), messages.clone())?;
    hangup::watch(Arc::clone(&guard))?;
    let mut screen = Screen::enter(&guard, caps.depth, messages.clone())?;
    input::read(Arc::clone(&guard), messages.clone())?;
    let progress = Arc::new(Progress::default());
    start_loading(request.clone(), &progress, messages.clone());
    let mut explorer = Explorer {
        request,
        messages,
        open: Arc::default(),
        phase: Phase::Loading(name(&args.select.paths)),
        theme,
        progress,
        size: screen.size(),
        guard: Arc::clone(&guard),
        is_summing: false,
        preflight: None,
        failure: None,
    };
    let ran = term::run(&mut explorer, &queue, &mut screen);
    explorer.progress.cancel();
    drop(screen);
    guard.restore();
    ran?;
    match explorer.failure {
        Some(why) => Err(Failure(why)),
        None => Ok(()),
    }
}

fn name(paths: &[PathBuf]) -> String {
    let first = paths.first().map_or_else(String::new, |path| {
        SafeText::from_bytes(path.as_os_str().as_encoded_bytes()).to_string()
    });
    if first == "-" { "standard input".into() } else { first }
}

/// Loads and indexes on a thread of its own, another one telling how far it has come.
fn start_loading(request: Request, progress: &Arc<Progress>, messages: Sender<Message>) {
    let watched = messages.clone();
    let shared = Arc::clone(progress);
    let (done, is_done) = bounded::<()>(0);
    thread::spawn(move || {
        // Ends when the loader drops its end of the channel.
        while let Err(crossbeam_channel::RecvTimeoutError::Timeout) = is_done.recv_timeout(PROGRESS) {
            if watched.send(Message::Progress).is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        let _done = done;
        for flight in request.paths.iter().filter_map(|path| import::preflight(path, &request)) {
            let _ = messages.send(Message::Preflight(cost_of_loading(&flight)));
        }
        let show = |loaded: Loaded| {
            let _ = messages.send(Message::Glimpse(Box::new(Session::new(loaded))));
        };
        let loaded: Result<Loaded, ImportError> = import::load_with_snapshots(&request, &shared, &show);
        let session = loaded.map(Session::new);
        // The loop may have ended: then nobody waits for it.
        let _ = messages.send(Message::Loaded(Box::new(session)));
    });
}

/// Tells once when a file is no longer what was loaded.
fn watch_files(texts: Texts, messages: Sender<Message>, open: Weak<()>) {
    thread::spawn(move || {
        // Ends when something else is open.
        while open.strong_count() > 0 {
            if texts.have_changed() {
                let _ = messages.send(Message::Changed);
                return;
            }
            thread::sleep(WATCH);
        }
    });
}

/// What the screen shows.
enum Phase {
    /// The name of what is being loaded.
    Loading(String),
    Ready(Box<State>),
}

struct Explorer {
    /// To load again.
    request: Request,
    messages: Sender<Message>,
    /// Lives as long as what was loaded last is open.
    open: Arc<()>,
    phase: Phase,
    theme: Theme,
    progress: Arc<Progress>,
    size: (u16, u16),
    guard: Arc<Guard>,
    /// True while a summary is being made.
    is_summing: bool,
    /// What loading will take, in a line.
    preflight: Option<String>,
    /// Why there is nothing to explore.
    failure: Option<String>,
}

impl App for Explorer {
    type Message = Message;

    fn update(&mut self, message: Message) -> Step {
        let step = self.take_in(message);
        self.sum_up();
        step
    }

    fn take_clip(&mut self) -> Option<String> {
        match &mut self.phase {
            Phase::Ready(state) => state.clip.take(),
            Phase::Loading(_) => None,
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        match &self.phase {
            Phase::Loading(name) => {
                let preflight = self.preflight.as_deref().unwrap_or_default();
                ui::draw_loading(name, preflight, &self.progress, &self.theme, area, frame.buffer_mut());
            }
            Phase::Ready(state) => ui::draw(state, &self.theme, area, frame.buffer_mut()),
        }
    }
}

impl Explorer {
    fn take_in(&mut self, message: Message) -> Step {
        match message {
            Message::Progress => match self.phase {
                Phase::Loading(_) => Step::Draw,
                Phase::Ready(ref state) if state.loading.is_none() => Step::Idle,
                Phase::Ready(_) => self.take(Incident::Loading(self.loading())),
            },
            Message::Preflight(line) => {
                self.preflight = Some(line);
                Step::Draw
            }
            Message::Glimpse(session) => {
                let loading = self.loading();
                // Loading again, the whole of the time before tells more than a part of the new.
                if loading.is_again {
                    return Step::Idle;
                }
                self.show(*session, Some(loading));
                Step::Draw
            }
            Message::Loaded(session) => match (*session, &mut self.phase) {
                (Ok(session), _) => {
                    self.open = Arc::new(());
                    watch_files(session.texts.clone(), self.messages.clone(), Arc::downgrade(&self.open));
                    self.show(session, None);
                    Step::Draw
                }
                // What was loaded before stays.
                (Err(error), Phase::Ready(state)) if state.loading.is_some_and(|l| l.is_again) => {
                    state.loading = None;
                    self.take(Incident::Notice(error.to_string()))
                }
                (Err(error), _) => self.fail(error.to_string()),
            },
            Message::Changed => self.take(Incident::Changed),
            Message::Summed(made) => {
                self.is_summing = false;
                if let Phase::Ready(state) = &mut self.phase {
                    state.summed(*made);
                }
                Step::Draw
            }
            Message::Terminal(Event::Wake) => Step::Idle,
            Message::Terminal(Event::InputLost(why)) => {
                self.fail(format!("the keyboard can no longer be read: {why}"))
            }
            Message::Terminal(Event::WorkerPanicked(what)) if self.is_loading() => {
                self.fail(format!("loading failed: {what}; this is a bug in proftui, please report it"))
            }
            Message::Terminal(Event::WorkerPanicked(what)) => {
                self.is_summing = false;
                self.take(Incident::Notice(format!("a job failed: {what}")))
            }
            Message::Terminal(Event::Input(input)) => self.input(input),
        }
    }

    /// Makes the summary that the state asks for on a thread of its own, one at a time: what is asked for meanwhile waits, and
    /// only the last of it counts.
    fn sum_up(&mut self) {
        let Phase::Ready(state) = &mut self.phase else { return };
        if self.is_summing {
            return;
        }
        if let Some(job) = state.job.take() {
            self.is_summing = true;
            let messages = self.messages.clone();
            thread::spawn(move || {
                // The loop may have ended: then nobody waits for it.
                let _ = messages.send(Message::Summed(Box::new(job.run())));
            });
        }
    }

    fn is_loading(&self) -> bool {
        match &self.phase {
            Phase::Loading(_) => true,
            Phase::Ready(state) => state.loading.is_some(),
        }
    }

    fn loading(&self) -> Loading {
        let is_again =
            matches!(&self.phase, Phase::Ready(state) if state.loading.is_some_and(|l| l.is_again));
        Loading { read: self.progress.read(), total: self.progress.total(), is_again }
    }

    /// Loads again what is open; it stays on the screen until all of it is there.
    fn reload(&mut self) -> Step {
        if self.request.paths.iter().any(|path| path.as_os_str() == "-") {
            return self.take(Incident::Notice("standard input cannot be read again".into()));
        }
        self.progress = Arc::new(Progress::default());
        start_loading(self.request.clone(), &self.progress, self.messages.clone());
        self.take(Incident::Loading(Loading { is_again: true, ..Loading::default() }))
    }

    /// Shows a session: the first one, or one that holds more than the one before.
    fn show(&mut self, session: Session, loading: Option<Loading>) {
        let part = session.trace.partial_title().filter(|_| loading.is_none());
        match &mut self.phase {
            Phase::Ready(state) => state.grow(session, loading),
            Phase::Loading(_) => {
                let mut state = State::new(session, self.size);
                state.loading = loading;
                state.message = self.preflight.take().map(SafeText::from);
                self.phase = Phase::Ready(Box::new(state));
            }
        }
        if let (Phase::Ready(state), Some(part)) = (&mut self.phase, part) {
            state.say(part);
        }
    }

    fn fail(&mut self, why: String) -> Step {
        self.failure = Some(why);
        Step::Quit
    }

    fn input(&mut self, input: Input) -> Step {
        match input {
            Input::Resize(width, height) => {
                self.size = (width, height);
                self.take(Incident::Resize(width, height))
            }
            Input::Paste(text) => self.take(Incident::Paste(text)),
            Input::Key(key) => self.take(Incident::Key(key)),
        }
    }

    fn take(&mut self, incident: Incident) -> Step {
        let outcome = match &mut self.phase {
            Phase::Ready(state) => app::update(state, incident),
            Phase::Loading(_) => app::update_loading(&incident),
        };
        // A paste is text only where text is typed; elsewhere the terminal need not mark it.
        if let Phase::Ready(state) = &self.phase {
            self.guard.paste(matches!(state.overlay, Some(Overlay::Prompt(_))));
        }
        match outcome {
            Outcome::Same => Step::Idle,
            Outcome::Changed => Step::Draw,
            Outcome::Redraw => Step::Redraw,
            Outcome::Reload => self.reload(),
            Outcome::Suspend => {
                signals::suspend_self();
                Step::Draw
            }
            Outcome::Done => Step::Quit,
        }
    }
}
