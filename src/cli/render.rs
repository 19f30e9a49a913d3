//! `proftui render`: prints the explorer's screen without a terminal.
//!
//! Drives the explorer as `open` does, but has loading and jobs done before the next key, and ignores most
//! other effects. Must not know how a picture is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{Effect, Explorer, Key, Msg, Session, Traces};
use crate::picture::{self, Format};
use crate::ui;
use crate::ui::theme::{Background, Depth};
use proftui_insight::analysis::part::location::Location;
use proftui_trace::import::{self, Request};

use super::load;
use super::open::name;
use crate::cli::options::look::LookArgs;
use crate::cli::options::renames::Renames;
use crate::cli::options::select::SelectArgs;
use crate::cli::options::settings::{InForce, in_force};
use crate::cli::output::save::save;
use crate::cli::output::streams::{Failure, print_by};

#[derive(Debug, clap::Args)]
pub(super) struct RenderArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Location to go to, such as 12.5ms..14ms@gpu0; findings and tables state locations (default: the whole
    /// trace)
    #[arg(long, value_name = "LOCATION")]
    at: Option<String>,
    /// Columns and lines of the screen, at most 1000x400
    #[arg(long, value_name = "COLUMNSxLINES", default_value = "120x40", value_parser = size)]
    size: (u16, u16),
    /// Keys to type before the screen is printed, characters and names in <>, such as F or /gemm<enter>
    /// (default: none)
    ///
    /// proftui keys lists the keys. The arrows are named left, right, up and down, other keys as it prints
    /// them, such as enter, esc, tab, space, pgdn, ctrl-r, f1.
    #[arg(long, value_name = "KEYS", value_parser = script)]
    keys: Vec<Keys>,
    /// Format of the picture (default: by the ending of --output, or ansi without --output)
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormatChoice>,
    /// File to write; without --format, an ending .txt, .ansi, .svg or .html states the format (default:
    /// standard output)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the output file if it exists
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    look: LookArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatChoice {
    /// Characters with the escape sequences by which terminals colour them
    Ansi,
    /// An SVG image
    Svg,
    /// Characters only
    Text,
    /// An HTML page
    Html,
}

/// The keys that one option `--keys` names, in the order in which they are typed.
#[derive(Clone, Debug)]
struct Keys(Vec<Key>);

/// The largest size that `--size` accepts, in columns and lines.
const LARGEST_SCREEN: (u16, u16) = (1000, 400);

/// Why a text is no value of `--size` or `--keys`.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
enum ScreenError {
    /// The value of `--size` cannot be read as columns and lines, such as `160x45`.
    #[error("expected columns and lines, such as 160x45")]
    NoSize,
    /// The value of `--size` has 0 columns or lines, or more than [`LARGEST_SCREEN`].
    #[error("from 1x1 to {}x{}", LARGEST_SCREEN.0, LARGEST_SCREEN.1)]
    Size,
    /// The first part of the value of `--keys` that is no key, such as `<entr>`.
    #[error("{0} is no key; see proftui keys")]
    NoKey(String),
}

/// Parses the value of `--size`, such as `160x45`, into columns and lines, at most [`LARGEST_SCREEN`].
fn size(text: &str) -> Result<(u16, u16), ScreenError> {
    let parts =
        text.split_once('x').and_then(|(columns, lines)| Some((columns.parse().ok()?, lines.parse().ok()?)));
    match parts {
        Some((columns, lines))
            if (1..=LARGEST_SCREEN.0).contains(&columns) && (1..=LARGEST_SCREEN.1).contains(&lines) =>
        {
            Ok((columns, lines))
        }
        Some(_) => Err(ScreenError::Size),
        None => Err(ScreenError::NoSize),
    }
}

fn script(text: &str) -> Result<Keys, ScreenError> {
    Key::script(text).map(Keys).map_err(|wrong| ScreenError::NoKey(wrong.to_owned()))
}

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let format = args.format()?;
    let settings = in_force(&args.look)?;
    let depth =
        if format == Format::Text { Depth::Mono } else { settings.color.depth().unwrap_or(Depth::True) };
    let theme = settings.theme_for(depth, Background::Dark, true);
    let title = name(&args.select.paths);
    let mut screen = Offscreen::open(args, &settings, &title)?;
    for key in args.keys.iter().flat_map(|keys| &keys.0) {
        screen.send(Msg::Key(*key))?;
    }
    let mut buffer = Buffer::empty(Rect::new(0, 0, args.size.0, args.size.1));
    ui::draw_content(screen.explorer.content(), &theme, buffer.area, &mut buffer);
    let picture = picture::of(&mut buffer, format, theme.background(), &format!("proftui: {title}"));
    match &args.output {
        None => print_by(|out| std::io::Write::write_all(out, &picture)),
        Some(path) => save(path, &picture, args.force, "--force overwrites it"),
    }
}

impl RenderArgs {
    fn format(&self) -> Result<Format, Failure> {
        match (self.format, &self.output) {
            (Some(FormatChoice::Svg), _) => Ok(Format::Svg),
            (Some(FormatChoice::Text), _) => Ok(Format::Text),
            (Some(FormatChoice::Html), _) => Ok(Format::Html),
            (Some(FormatChoice::Ansi), _) | (None, None) => Ok(Format::Ansi),
            (None, Some(path)) => Format::of(path).ok_or_else(|| {
                let path = import::shown(path);
                Failure(format!(
                    "{path}: the ending states no format: use .txt, .ansi, .svg or .html, or --format"
                ))
            }),
        }
    }
}

/// An explorer without a terminal, for which loading and jobs are done at once.
struct Offscreen {
    explorer: Explorer,
    request: Request,
    /// The value of `--at` until the first trace is loaded; later `None`.
    at: Option<String>,
    renames: Arc<Renames>,
}

impl Offscreen {
    /// Creates an explorer and loads the first trace that the options name, at the location of `--at`, if
    /// given.
    fn open(args: &RenderArgs, settings: &InForce, title: &str) -> Result<Self, Failure> {
        let request = args.select.request();
        let explorer = Explorer::new(title.to_owned(), false, args.size).at(args.at.clone());
        let explorer = explorer.with(settings.explorer());
        let mut screen =
            Self { explorer, request, at: args.at.clone(), renames: Arc::clone(&settings.renames) };
        screen.load()?;
        Ok(screen)
    }

    /// Loads the shown trace, or else the first that the request names, into the explorer. If there are
    /// several traces, also sends the explorer the list of them.
    fn load(&mut self) -> Result<(), Failure> {
        let shown = self.explorer.traces().first_file().map(Path::to_owned);
        let traces = Traces::with_file(load::traces(&self.request)?, shown.as_deref());
        let request =
            traces.all.get(traces.shown).map_or_else(|| self.request.clone(), |files| files.request.clone());
        if traces.are_several() {
            self.send(Msg::Traces(traces))?;
        }
        self.open_request(&request)
    }

    fn open_request(&mut self, request: &Request) -> Result<(), Failure> {
        let mut loaded = load::load(request)?;
        self.renames.apply(&mut loaded.trace);
        let session = Session::new(loaded);
        if let Some(at) = self.at.take() {
            Location::parse(&at, &session.trace).map_err(|why| Failure(format!("--at {at}: {why}")))?;
        }
        self.send(Msg::Loaded(Box::new(Ok(session))))
    }

    /// Gives the explorer a message and carries out the effects that load traces or run jobs; ignores most
    /// others. Fails if loading or the explorer fails, and if the explorer quits or would write a file.
    fn send(&mut self, message: Msg) -> Result<(), Failure> {
        for effect in self.explorer.update(message) {
            match effect {
                Effect::Run(job) => self.send(Msg::Done(Box::new(job.run())))?,
                Effect::Load => self.load()?,
                Effect::OpenTrace(files) => self.open_request(&files.request)?,
                Effect::Fail(why) => return Err(Failure(why)),
                Effect::Quit => {
                    return Err(Failure("the keys end the explorer: there is no screen to print".into()));
                }
                Effect::Export(..) | Effect::Copy(_) | Effect::Edit(..) => {
                    let why = "the keys write a file, copy, or open an editor; render only prints the screen \
                               (tables: proftui summary --format csv > FILE)";
                    return Err(Failure(why.into()));
                }
                Effect::Draw
                | Effect::Redraw
                | Effect::WatchFiles(_)
                | Effect::MarkPaste(_)
                | Effect::Mouse(_)
                | Effect::NextTheme
                | Effect::KeepMarks(_)
                | Effect::KeepSession(_)
                | Effect::Suspend => (),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("160x45"), Ok((160, 45)));
        for wrong in ["", "160", "x45", "0x5", "5x0", "1001x5", "5x401", "70000x5", "-1x5"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
