//! `proftui open`: runs the explorer on the terminal.
//!
//! Converts terminal events and worker results to messages for the explorer, and carries out its effects. What a message means is
//! decided in [`crate::app`].

mod message;
mod workers;

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::bounded;
use ratatui::buffer::Buffer;

use crate::app::{Content, Effect, Explorer, Msg};
use crate::base::text::SafeText;
use crate::import;
use crate::term::caps::{self, Background, Caps};
use crate::term::{self, App, Guard, Screen, hangup, input, panic, signals};
use crate::ui::theme::Detail;
use crate::ui::{self, Theme};

use super::open_args::{OpenArgs, ThemeChoice};
use super::streams::Failure;
use workers::Workers;

pub(super) fn run(args: &OpenArgs) -> Result<(), Failure> {
    let request = args.select.request();
    // A file that cannot be opened is reported before the screen changes.
    let paths = request.paths.iter().filter(|path| path.as_os_str() != "-");
    for path in paths.chain(&request.capture_traces) {
        import::check(path)?;
    }
    let is_piped = request.paths.iter().any(|path| path.as_os_str() == "-");
    if is_piped && std::io::stdin().is_terminal() {
        return Err(Failure(
            "standard input is a terminal, not a trace: pipe a trace into proftui, or give a file".into(),
        ));
    }
    let hint = "; proftui info and proftui summary need no terminal";
    let mut caps = Caps::detect(args.color.depth(), &caps::process_env())
        .map_err(|why| Failure(format!("{why}{hint}")))?;
    caps.background = match args.theme {
        ThemeChoice::Auto => caps.background,
        ThemeChoice::Dark => Background::Dark,
        ThemeChoice::Light => Background::Light,
    };
    let theme = Theme::new(caps.depth, caps.background, caps.utf8 && !args.ascii);
    let guard = Guard::open().map_err(|why| Failure(format!("{why}{hint}")))?;

    let (messages, queue) = bounded::<Msg>(256);
    panic::install(Arc::clone(&guard), messages.clone());
    signals::watch(Arc::clone(&guard), messages.clone())?;
    hangup::watch(Arc::clone(&guard))?;
    let mut screen = Screen::enter(&guard, &caps, args.thin, messages.clone())?;
    input::read(Arc::clone(&guard), messages.clone())?;
    let explorer = Explorer::new(name(&args.select.paths), !is_piped, screen.size()).at(args.at.clone());
    let mut workers = Workers::new(request, messages);
    workers.load(None);
    let themes = [theme.clone(), theme.thin()];
    let mut open = Open { explorer, workers, themes, guard: Arc::clone(&guard), failure: None };
    let ran = term::run(&mut open, &queue, &mut screen);
    open.workers.cancel();
    drop(screen);
    guard.restore();
    let failure = open.failure.take();
    // The end of the process frees the trace's memory faster than the program would.
    std::mem::forget(open);
    ran?;
    failure.map_or(Ok(()), |why| Err(Failure(why)))
}

/// The title while loading: the first path, safe to show, or `standard input` for `-`.
fn name(paths: &[PathBuf]) -> String {
    let first =
        paths.first().map(|path| SafeText::from_bytes(path.as_os_str().as_encoded_bytes()).to_string());
    first.map_or_else(String::new, |first| if first == "-" { "standard input".into() } else { first })
}

/// The explorer, and what its effects need: the worker threads, the themes, the terminal's guard.
struct Open {
    explorer: Explorer,
    workers: Workers,
    /// One for each detail, in their order.
    themes: [Theme; 2],
    guard: Arc<Guard>,
    /// The error with which the explorer ended; `None` while it runs, and when the user quits.
    failure: Option<String>,
}

impl App for Open {
    type Message = Msg;

    fn update(&mut self, message: Msg, screen: &mut Screen) -> ControlFlow<()> {
        let mut messages = vec![message];
        while let Some(message) = messages.pop() {
            for effect in self.explorer.update(message) {
                match effect {
                    Effect::Draw => screen.request_draw(),
                    Effect::Redraw => screen.mark_stale(),
                    Effect::Load => {
                        self.workers.load(self.explorer.traces().first_file().map(Path::to_owned));
                    }
                    Effect::OpenTrace(files) => self.workers.open(*files),
                    Effect::WatchFiles(session) => self.workers.watch(session),
                    Effect::Run(job) => messages.extend(self.workers.run(*job)),
                    Effect::MarkPaste(is_on) => self.guard.paste(is_on),
                    Effect::Copy(text) => screen.copy(&text),
                    Effect::Suspend => signals::suspend_self(),
                    Effect::Quit => return ControlFlow::Break(()),
                    Effect::Fail(why) => {
                        self.failure = Some(why);
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn draw(&self, buffer: &mut Buffer, detail: Detail) {
        let (area, theme) = (buffer.area, &self.themes[detail as usize]);
        match self.explorer.content() {
            Content::Loading(screen) => ui::draw_loading(screen, theme, area, buffer),
            Content::Ready(state) => ui::draw(state, theme, area, buffer),
        }
    }
}
