//! Rules for the help of all subcommands and options.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory};

use super::Cli;

/// The most characters of a help text, its default included.
const LONGEST_HELP: usize = 200;

/// Every subcommand with its path, such as `proftui capture`; the first is proftui itself.
fn commands() -> Vec<(String, Command)> {
    let mut root = Cli::command();
    root.build();
    let children =
        root.get_subcommands().map(|command| (format!("proftui {}", command.get_name()), command.clone()));
    let children: Vec<_> = children.filter(|(path, _)| path != "proftui help").collect();
    std::iter::once(("proftui".to_owned(), root)).chain(children).collect()
}

fn text(help: Option<&StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default()
}

/// The rules that the help text `help` of `what` breaks.
fn faults(what: &str, help: &str) -> Vec<String> {
    let rules = [
        (help.is_empty(), "has no help"),
        (!help.starts_with(char::is_uppercase), "does not start with a capital letter"),
        (help.ends_with(['.', ';', ':', ',']), "ends with a punctuation mark"),
        (help.contains('?'), "asks a question"),
        (help.contains('\n'), "has several lines"),
        (help.chars().count() > LONGEST_HELP, "is too long"),
        (help.contains("so that"), "says \"so that\""),
    ];
    let broken = rules.into_iter().filter(|(is_broken, _)| *is_broken);
    broken.map(|(_, fault)| format!("{what} {fault}: {help}")).collect()
}

/// The rules that the long help of `what` breaks. It begins with the short help; each further paragraph is of
/// sentences.
fn faults_of_more(what: &str, short: &str, long: &str) -> Vec<String> {
    let more = long.split("\n\n").skip(1);
    let rules = more.flat_map(|more| {
        [
            (!more.starts_with(char::is_alphabetic), "does not start with a word"),
            (!more.ends_with('.'), "does not end with a full stop"),
            (more.contains('?'), "asks a question"),
        ]
    });
    let broken = rules.filter(|(is_broken, _)| *is_broken).map(|(_, fault)| fault);
    let other =
        (!long.is_empty() && !long.starts_with(short)).then_some("does not begin with the short help");
    broken.chain(other).map(|fault| format!("the long help of {what} {fault}: {long}")).collect()
}

/// True for an option whose value may be left out of the command line, so that its help must name the
/// default.
fn needs_default(arg: &Arg) -> bool {
    let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    takes_value
        && !arg.is_positional()
        && !arg.is_required_set()
        && arg.get_default_values().is_empty()
        && !arg.is_hide_set()
}

#[test]
fn every_command_and_option_has_plain_help() {
    let mut found = Vec::new();
    for (path, command) in commands() {
        let (short, long) = (text(command.get_about()), text(command.get_long_about()));
        found.extend(faults(&path, &short));
        found.extend(faults_of_more(&path, &short, &long));
        for arg in command.get_arguments().filter(|arg| arg.get_id() != "help") {
            let what = format!("{path} {}", arg.get_id());
            let (short, long) = (text(arg.get_help()), text(arg.get_long_help()));
            found.extend(faults(&what, &short));
            found.extend(faults_of_more(&what, &short, &long));
            for value in arg.get_possible_values().iter().filter(|_| arg.get_action().takes_values()) {
                found.extend(faults(&format!("{what} {}", value.get_name()), &text(value.get_help())));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_option_names_its_default_once() {
    let mut found = Vec::new();
    for (path, command) in commands().iter().filter(|(_, command)| !command.is_hide_set()) {
        for arg in command.get_arguments() {
            let help = text(arg.get_help());
            if needs_default(arg) && help.matches("default: ").count() != 1 {
                found.push(format!("{path} {} names no default: {help}", arg.get_id()));
            } else if !needs_default(arg) && help.contains("default: ") {
                found.push(format!("{path} {} names a default that clap prints, too: {help}", arg.get_id()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
