//! `proftui man`: writes the manual pages, one per command.
//!
//! Their texts are those of `--help`. Must not know any one command.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

use proftui_base::new_file::{Destination, Existing, PUBLIC};

use crate::cli::output::streams::Failure;

/// The section on exit status in the manual page of the program, in roff.
const EXIT_STATUS: &str = "\
.SH \"EXIT STATUS\"
.TP
0
Success.
.TP
1
The command could not do its work, or a check of proftui doctor failed; a line on standard error says why.
.TP
2
The command line was wrong.
.TP
3
A limit of proftui insights --fail-on does not hold, or it is not known whether it holds.
.TP
129
The terminal was closed, or SIGHUP came.
.PP
proftui capture ends with the status of the captured program once it was started; 126 or 127 if it cannot run.
";

#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Folder for the manual pages, such as ~/.local/share/man/man1; it is created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes the manual pages to the folder that `args` names. `command` is the definition of the whole command
/// line of the program.
pub(super) fn run(args: &ManArgs, command: &Command) -> Result<(), Failure> {
    let failed =
        |path: &Path, why: std::io::Error| Failure(format!("cannot write {}: {why}", path.display()));
    fs::create_dir_all(&args.folder).map_err(|why| failed(&args.folder, why))?;
    for (name, page) in pages(command)? {
        let path = args.folder.join(name);
        let written = Destination::open(&path).and_then(|destination| {
            destination.write(PUBLIC, Existing::IsReplaced, |mut file| file.write_all(page.as_bytes()))
        });
        written.map_err(|why| failed(&path, why))?;
    }
    Ok(())
}

/// The file name and the text of each manual page: of the program, then of its commands that are not hidden.
fn pages(command: &Command) -> Result<Vec<(String, String)>, Failure> {
    let mut command = command.clone().disable_help_subcommand(true);
    command.build();
    let version = command.get_version().unwrap_or_default();
    let source = format!("{} {version}", command.get_name());
    let commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    let all = std::iter::once(&command).chain(commands);
    let page = |one: &Command| {
        let man = Man::new(one.clone()).source(&source).manual("proftui manual");
        let mut text = Vec::new();
        man.render(&mut text)?;
        // The pages have no date. clap leaves its argument out instead of giving an empty one, so that the
        // next would be the date.
        let text = String::from_utf8_lossy(&text).replacen(" 1  \"", " 1 \"\" \"", 1);
        // Line breaks about an empty line, of which mandoc warns.
        let mut text = text.replace("\n.br\n\n.br\n", "\n\n");
        if one.get_name() == command.get_name() {
            text.push_str(EXIT_STATUS);
        }
        Ok((man.get_filename(), text))
    };
    all.map(page).collect()
}
