//! `proftui config`: prints the settings in force, as a file of settings.
//!
//! Must not know where settings are read from.

use std::fmt::Write;

use clap::ValueEnum;

use crate::app::command::{self, Group};
use proftui_trace::import;

use crate::cli::options::look::LookArgs;
use crate::cli::options::settings::{InForce, in_force, usual_path};
use crate::cli::output::streams::{Failure, print};

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    #[command(flatten)]
    look: LookArgs,
}

pub(super) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    print(&text(&in_force(&args.look)?))
}

/// The word on the command line for a choice; empty if it has none.
fn name_of(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The settings in force, in the form of a file of settings.
fn text(settings: &InForce) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let from = match (&settings.file, usual_path()) {
        (Some(file), _) => format!("from {}, options and defaults", import::shown(file)),
        (None, Some(usual)) => {
            format!("defaults or options; the file {} would be read if it existed", import::shown(&usual))
        }
        (None, None) => "defaults or options".into(),
    };
    let mut text = format!("# Settings of proftui in force: {from}. docs/config.md explains them.\n\n");
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "theme = {}\ncolor = {}\ncolor-by = {}\nascii = {}\nthin = {}\nmouse = {}\n\n[keys]\n",
        quoted(&settings.theme),
        quoted(&name_of(&settings.color)),
        quoted(settings.color_by.name()),
        settings.ascii,
        quoted(&name_of(&settings.thin)),
        settings.mouse,
    );
    for group in Group::ALL {
        let _ = writeln!(text, "# {}", group.title());
        for command in command::all().filter(|command| command.group == group) {
            let keys: Vec<String> =
                command.keys_in(&settings.keys).iter().map(|key| quoted(&key.label(false))).collect();
            let _ = writeln!(text, "{} = [{}] # {}", quoted(command.id), keys.join(", "), command.title);
        }
    }
    for (pattern, to) in settings.renames.rules() {
        let _ = write!(text, "\n[[rename]]\nmatch = {}\nto = {}\n", quoted(pattern), quoted(to));
    }
    text
}
