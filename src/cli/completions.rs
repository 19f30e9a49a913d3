//! `proftui completions`: prints the completion script of a shell.
//!
//! clap writes the scripts from the options; this file prepares what clap is given: no hidden command or
//! option, and what kind of file an argument names. Must not know any one command.

use clap::builder::ValueHint;
use clap::{Arg, Command, ValueEnum};
use clap_complete::Shell;

use crate::cli::output::streams::{Failure, print};

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Shell whose completion script is printed
    shell: ShellName,
}

/// A shell for which a completion script can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ShellName {
    /// GNU Bash 4.4 or later
    Bash,
    /// Z shell
    Zsh,
    /// Fish
    Fish,
    /// Elvish
    Elvish,
    /// PowerShell
    Powershell,
}

/// Prints the completion script of the shell that `args` names. `command` is the definition of the whole
/// command line of the program.
pub(super) fn run(args: &CompletionsArgs, command: &Command) -> Result<(), Failure> {
    print(&script(args.shell, command))
}

fn script(shell: ShellName, command: &Command) -> String {
    let shell = match shell {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
        ShellName::Elvish => Shell::Elvish,
        ShellName::Powershell => Shell::PowerShell,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut completed(command), command.get_name(), &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash { files_for_bash(&script, command) } else { script }
}

/// A copy of what completions need of `command`, without hidden arguments and subcommands.
fn completed(command: &Command) -> Command {
    let args = command.get_arguments().filter(|arg| !arg.is_hide_set()).map(|arg| hinted(arg.clone()));
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set()).map(completed);
    let copy = Command::new(command.get_name().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .disable_help_subcommand(true)
        .args(args)
        .subcommands(commands);
    match command.get_version() {
        Some(version) => copy.version(version.to_owned()),
        None => copy,
    }
}

/// The argument, with a hint on what to complete if it is known to take a folder or a program.
fn hinted(arg: Arg) -> Arg {
    let is_called =
        |name: &str| arg.get_value_names().is_some_and(|names| names.iter().any(|own| own == name));
    if is_called("DIR") {
        arg.value_hint(ValueHint::DirPath)
    } else if is_called("CMD") && arg.is_trailing_var_arg_set() {
        arg.value_hint(ValueHint::CommandWithArguments)
    } else {
        arg
    }
}

/// Returns clap's script for Bash, changed so that positional arguments without a list of values usually
/// complete to files.
fn files_for_bash(script: &str, command: &Command) -> String {
    // clap's own script offers options for such an argument, and files only once a letter of a file is typed.
    let name = command.get_name();
    let mut changed = script.to_owned();
    let takes_files = |command: &&Command| {
        let mut arguments = command.get_positionals();
        arguments.any(|arg| arg.get_possible_values().is_empty())
    };
    for command in command.get_subcommands().filter(takes_files) {
        let title = format!("\n        {name}__subcmd__{})\n", command.get_name().replace('-', "__subcmd__"));
        let Some(start) = changed.find(&title) else { continue };
        let Some(length) = changed[start..].find("\n            ;;\n") else { continue };
        let block = &changed[start..start + length];
        let block = block.replacen("[[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]]", "[[ ${cur} == -* ]]", 1);
        let options = "COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )\n            return 0";
        let block = match block.rfind(options) {
            // No reply: Bash then completes to files ("complete -o default").
            Some(at) => block[..at].to_owned() + "COMPREPLY=()\n            return 0",
            None => block,
        };
        changed.replace_range(start..start + length, &block);
    }
    changed
}
