//! `proftui open`: runs the explorer on the terminal.
//!
//! Converts terminal events and worker results to messages for the explorer, and carries out its effects.
//! What a message means is decided in [`crate::app`].

mod editor;
mod kept_sessions;
mod message;
mod session_file;
mod themes;
mod workers;

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossbeam_channel::bounded;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::marking::settings::Settings;
use crate::app::{Effect, Explorer, Exported, Msg};
use crate::picture::{self, Format};
use crate::term::caps::{self, Caps};
use crate::term::{self, App, Guard, Screen, hangup, input, panic, signals};
use crate::ui;
use crate::ui::theme::Detail;
use proftui_base::text::SafeText;
use proftui_trace::import;

use crate::cli::options::open_args::OpenArgs;
use crate::cli::options::settings::in_force;
use crate::cli::output::save::save;
use crate::cli::output::streams::Failure;
use kept_sessions::KeptSessions;
use themes::Themes;
use workers::Workers;

/// The trace that `--demo` opens: JSON, compressed by gzip.
const DEMO: &[u8] = include_bytes!("../../demo-traces/synthetic-gpu.json.gz");

/// The title of the trace that `--demo` opens.
const DEMO_NAME: &str = "demo";

pub(super) fn run(args: &OpenArgs) -> Result<(), Failure> {
    let mut request = args.select.request();
    let is_kept = !args.no_session && args.session.is_none() && !args.demo;
    if args.last {
        let kept = KeptSessions::new(kept_sessions::variable, Vec::new());
        request.paths = kept.map(|kept| kept.last()).unwrap_or_default();
        if request.paths.is_empty() {
            return Err(Failure("no trace is known that was opened before: give a file".into()));
        }
    }
    let kept = || KeptSessions::new(kept_sessions::variable, request.paths.clone()).map(Arc::new);
    let kept = is_kept.then(kept).flatten();
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
    let settings = in_force(&args.look)?;
    let marks = args.session.as_deref().map(session_file::read).transpose()?;
    let hint = "; proftui info, summary and render need no terminal";
    let caps = Caps::detect(settings.color.depth(), &caps::process_env())
        .map_err(|why| Failure(format!("{why}{hint}")))?;
    let theme = settings.theme_for(caps.depth, caps.background, caps.utf8);
    let guard = Guard::open().map_err(|why| Failure(format!("{why}{hint}")))?;

    let (messages, queue) = bounded::<Msg>(256);
    panic::install(Arc::clone(&guard), messages.clone());
    signals::watch(Arc::clone(&guard), messages.clone())?;
    hangup::watch(Arc::clone(&guard))?;
    let detail = args.thin.unwrap_or(settings.thin).detail();
    let mut screen = Screen::enter(&guard, &caps, detail, messages.clone())?;
    input::read(Arc::clone(&guard), messages.clone())?;
    let title = if args.demo { DEMO_NAME.to_owned() } else { name(&request.paths) };
    let explorer = Explorer::new(title, !is_piped && !args.demo, screen.size()).at(args.at.clone());
    let has_mouse = args.mouse || settings.mouse;
    guard.mouse(has_mouse);
    let explorer = explorer.with(Settings { has_mouse, marks, ..settings.explorer() });
    let demo = args.demo.then_some((DEMO_NAME, DEMO));
    let mut workers = Workers::new(request, demo, Arc::clone(&settings.renames), kept.clone(), messages);
    workers.load(None);
    let themes = Themes::new(&theme, caps.depth);
    let session = args.session.clone();
    let mut open =
        Open { explorer, workers, themes, session, kept, guard: Arc::clone(&guard), failure: None };
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

/// A title for `paths`: the first path, safe to show, or `standard input`; empty without paths.
pub(super) fn name(paths: &[PathBuf]) -> String {
    let first =
        paths.first().map(|path| SafeText::from_bytes(path.as_os_str().as_encoded_bytes()).to_string());
    first.map_or_else(String::new, |first| if first == "-" { "standard input".into() } else { first })
}

/// The explorer, with what carries out its effects.
struct Open {
    explorer: Explorer,
    workers: Workers,
    themes: Themes,
    /// The file that keeps the marks; `None` without `--session`.
    session: Option<PathBuf>,
    /// The files that keep sessions; `None` if nothing is kept.
    kept: Option<Arc<KeptSessions>>,
    guard: Arc<Guard>,
    /// The error with which the explorer ended, if any.
    failure: Option<String>,
}

/// The path that a user typed, with `~/` at the beginning replaced by the home folder, if that is known.
fn expanded(typed: &str) -> PathBuf {
    let home =
        typed.strip_prefix("~/").and_then(|rest| Some(PathBuf::from(std::env::var_os("HOME")?).join(rest)));
    home.unwrap_or_else(|| PathBuf::from(typed))
}

impl Open {
    /// The bytes to write to `path`: a text, or the screen as the kind of picture that the path's ending
    /// names. The error reports an unknown ending.
    fn exported(&self, path: &str, what: Exported, size: (u16, u16)) -> Result<Vec<u8>, Msg> {
        match what {
            Exported::Text(text) => Ok(text.into_bytes()),
            Exported::Screen => {
                let Some(format) = Format::of(Path::new(path)) else {
                    let why = "nothing is written: the name must end in .svg, .html, .ansi, .txt, .csv, .md \
                        or .json";
                    return Err(Msg::Exported(why.into()));
                };
                let mut buffer = Buffer::empty(Rect::new(0, 0, size.0, size.1));
                let theme = self.themes.get(Detail::Full);
                ui::draw_content(self.explorer.content(), theme, buffer.area, &mut buffer);
                Ok(picture::of(&mut buffer, format, theme.background(), "proftui"))
            }
        }
    }
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
                    Effect::Mouse(is_on) => self.guard.mouse(is_on),
                    Effect::NextTheme => messages.push(Msg::Exported(self.themes.take_next())),
                    Effect::Export(path, what) => {
                        let (path, bytes) = (expanded(&path), self.exported(&path, what, screen.size()));
                        messages.extend(bytes.map_or_else(Some, |bytes| self.workers.save(path, bytes)));
                    }
                    Effect::KeepMarks(text) => {
                        // At once, so that no earlier text replaces a later one and quitting loses none.
                        let saved = self.session.as_deref().map(|path| save(path, text.as_bytes(), true, ""));
                        messages.extend(saved.and_then(Result::err).map(|Failure(why)| Msg::Exported(why)));
                    }
                    Effect::KeepSession(text) => {
                        self.kept.iter().for_each(|kept| kept.keep(&text));
                    }
                    Effect::Copy(text) => screen.copy(&text),
                    Effect::Edit(file, line) => {
                        if let Err(why) = editor::open(&self.guard, &file, &line) {
                            screen.copy(&format!("{file}:{line}"));
                            let why = format!("{why}; sent to the terminal's clipboard: {file}:{line}");
                            messages.push(Msg::Exported(why));
                        }
                    }
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
        ui::draw_content(self.explorer.content(), self.themes.get(detail), buffer.area, buffer);
    }
}
