//! The settings of the explorer: those of the user's file, and over them the options in [`LookArgs`].
//!
//! The file is TOML; `docs/config.md` states what may stand in it, and `proftui config` prints all of it. It
//! is read only. Must not know what a setting does.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use serde::Deserialize;

use crate::app::command;
use crate::app::input::bindings::Keys;
use crate::app::marking::settings::Settings;
use crate::app::view::color::ColorBy;
use crate::ui::Theme;
use crate::ui::theme::{Background, Depth, ThemeFile};
use proftui_base::regular;
use proftui_trace::import;

use super::look::{ColorChoice, LookArgs, color_by};
use super::open_args::ThinChoice;
use super::renames::{Renames, Rule};
use crate::cli::output::streams::Failure;

/// Most bytes of a file of settings or of a theme; a longer one is refused.
const LONGEST_FILE: u64 = 4 << 20;

/// The settings in force: those of the file of settings, and over them the options of [`LookArgs`].
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent settings, as the file has them")]
pub(crate) struct InForce {
    /// The path of the file of settings that was read, if any.
    pub(crate) file: Option<PathBuf>,
    /// The name of the theme, or the path of its file, as it was given; `auto` if none was given.
    pub(crate) theme: String,
    /// The theme that was chosen; `None` for `auto`, a theme by the terminal's background.
    theme_file: Option<ThemeFile>,
    pub(crate) color: ColorChoice,
    pub(crate) color_by: ColorBy,
    pub(crate) ascii: bool,
    pub(crate) thin: ThinChoice,
    pub(crate) mouse: bool,
    pub(crate) keys: Arc<Keys>,
    pub(crate) renames: Arc<Renames>,
}

/// The content of a file of settings, without the options of the command line.
#[derive(Debug, Default, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "independent settings, as the file has them")]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Written {
    theme: Option<String>,
    color: Option<String>,
    color_by: Option<String>,
    ascii: bool,
    thin: Option<String>,
    mouse: bool,
    keys: BTreeMap<String, Vec<String>>,
    rename: Vec<Rule>,
}

/// The error for a file of settings that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {what}")]
struct Malformed {
    /// The line of the mistake, from 1; 1 where the line is not known.
    line: usize,
    /// What the mistake is, in one line.
    what: String,
}

/// The path of the file of settings that is read unless `--config` names another. `None` if the environment
/// names no folder for it.
pub(crate) fn usual_path() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("proftui/config.toml"))
}

/// Reads the file of settings and the theme's file, if any, and puts the options of `look` over the settings.
///
/// # Errors
/// When a file cannot be read or parsed, or when a setting in force is wrong.
pub(crate) fn in_force(look: &LookArgs) -> Result<InForce, Failure> {
    let named = look.config.as_deref().map(|path| Ok((path.to_owned(), read(path)?)));
    let found = named.or_else(|| {
        let usual = usual_path()?;
        match text_of(&usual) {
            Err(why) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&why.kind()) => None,
            Err(why) => Some(Err(at(&usual, &why.to_string()))),
            Ok(text) => Some(Ok((usual, text))),
        }
    });
    let (file, text) = found.transpose()?.unzip();
    let written = match (&file, text) {
        (Some(path), Some(text)) => parse(&text).map_err(|why| at(path, &why.to_string()))?,
        _ => Written::default(),
    };
    let wrong = |why: String| match &file {
        Some(path) => at(path, &why),
        None => Failure(why),
    };
    let keys = command::keys(&written.keys).map_err(|why| wrong(format!("[keys]: {why}")))?;
    let renames = Renames::new(&written.rename).map_err(|why| wrong(format!("[[rename]]: {why}")))?;
    let color = match (look.color, &written.color) {
        (Some(color), _) => color,
        (None, Some(name)) => ColorChoice::from_str(name, false)
            .map_err(|_| wrong(format!("color = \"{name}\": it is auto, true, 256, 16 or never")))?,
        (None, None) => ColorChoice::Auto,
    };
    let color_by = match (look.color_by, &written.color_by) {
        (Some(meaning), _) => meaning,
        (None, Some(name)) => color_by(name).map_err(|why| wrong(format!("color-by = \"{name}\": {why}")))?,
        (None, None) => ColorBy::default(),
    };
    let thin = written.thin.map_or(Ok(ThinChoice::Auto), |name| {
        ThinChoice::from_str(&name, false)
            .map_err(|_| wrong(format!("thin = \"{name}\": it is auto, always or never")))
    })?;
    // A path in the file is one from its folder.
    let folder = file.as_deref().and_then(Path::parent).filter(|_| look.theme.is_none());
    let theme = look.theme.clone().or(written.theme).unwrap_or_else(|| "auto".into());
    let theme_file = theme_file(&theme, folder)?;
    Ok(InForce {
        theme,
        theme_file,
        color,
        color_by,
        ascii: look.ascii || written.ascii,
        thin,
        mouse: written.mouse,
        keys: Arc::new(keys),
        renames: Arc::new(renames),
        file,
    })
}

fn at(path: &Path, why: &str) -> Failure {
    Failure(format!("{}: {why}", import::shown(path)))
}

fn read(path: &Path) -> Result<String, Failure> {
    text_of(path).map_err(|why| at(path, &why.to_string()))
}

/// Reads a file of settings or of a theme, which is UTF-8 of at most [`LONGEST_FILE`] bytes.
fn text_of(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(regular::read(path, LONGEST_FILE)?);
    text.map_err(|_| io::Error::new(ErrorKind::InvalidData, "the file is no text in UTF-8"))
}

fn parse(text: &str) -> Result<Written, Malformed> {
    toml::from_str(text).map_err(|why| {
        let line = why.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        Malformed { line, what: why.message().replace('\n', " ") }
    })
}

/// The built-in theme that `theme` names, or the theme in the file at this path, relative to `folder` if
/// given. `None` for `auto`.
fn theme_file(theme: &str, folder: Option<&Path>) -> Result<Option<ThemeFile>, Failure> {
    if theme == "auto" {
        return Ok(None);
    }
    if let Some(built_in) = ThemeFile::built_in(theme) {
        return Ok(Some(built_in));
    }
    if !theme.contains(['/', '.']) {
        let names: Vec<&str> = ThemeFile::names().collect();
        let why = format!(
            "no theme is named {theme}: there are auto, {}, and paths of theme files, with a slash or a dot",
            names.join(", ")
        );
        return Err(Failure(why));
    }
    let path = folder.map_or_else(|| PathBuf::from(theme), |folder| folder.join(theme));
    let text = read(&path)?;
    ThemeFile::parse(&text).map(Some).map_err(|why| at(&path, &why.to_string()))
}

impl InForce {
    /// The theme in force for a terminal with these colours and this background. It uses characters beyond
    /// ASCII if `utf8` is true and the settings do not ask for ASCII alone.
    pub(crate) fn theme_for(&self, depth: Depth, background: Background, utf8: bool) -> Theme {
        match &self.theme_file {
            Some(file) => Theme::of(file, depth, utf8 && !self.ascii),
            None => Theme::new(depth, background, utf8 && !self.ascii),
        }
    }

    /// The settings that the explorer takes, without marks.
    pub(crate) fn explorer(&self) -> Settings {
        Settings { keys: Arc::clone(&self.keys), color_by: self.color_by, has_mouse: self.mouse, marks: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        assert!(
            parse("mouse = true\nmouses = 1\n")
                .expect_err("wrong")
                .to_string()
                .starts_with("line 2: unknown field `mouses`")
        );
        assert!(parse("mouse = 1").expect_err("wrong").to_string().starts_with("line 1: "));
        assert!(parse("[keys]\n\"time.fit\" = [\"f5\"]\n[[rename]]\nmatch = \"a\"\nto = \"b\"\n").is_ok());
    }

    #[test]
    fn themes_are_names_or_paths() {
        assert!(theme_file("auto", None).expect("a theme").is_none());
        assert!(theme_file("color-blind", None).expect("a theme").is_some());
        let why = |theme| theme_file(theme, None).expect_err("no theme").0;
        assert!(why("drak").starts_with("no theme is named drak: there are auto, dark, light"));
        assert!(why("./no-such.toml").starts_with("./no-such.toml: "));
    }
}
