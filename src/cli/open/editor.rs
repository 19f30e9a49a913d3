//! Opens a file in the user's editor, which has the terminal until it ends.
//!
//! Must not know which file it is for, nor what becomes of the screen.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::term::Guard;

/// The variables that name the user's editor; the first that is set counts.
const VARIABLES: [&str; 2] = ["VISUAL", "EDITOR"];

/// Opens the line of the file in the user's editor, and waits for its end. The error says in a few words why
/// that is not possible.
pub(super) fn open(guard: &Guard, file: &str, line: &str) -> Result<(), String> {
    let set = |name: &&str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = VARIABLES.iter().find_map(set).ok_or("neither $VISUAL nor $EDITOR names an editor")?;
    if !Path::new(file).is_file() {
        return Err("the file is not on this machine".to_owned());
    }
    let words = command(&editor, file, line);
    let (program, arguments) = words.split_first().ok_or("no editor is named")?;
    let ended = guard.lend(|| Command::new(program).args(arguments).stdin(keyboard()?).status());
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(why) => Err(format!("cannot start {program}: {why}")),
    }
}

/// The terminal, also where standard input is something else, such as a trace.
fn keyboard() -> io::Result<Stdio> {
    if io::stdin().is_terminal() { Ok(Stdio::inherit()) } else { Ok(File::open("/dev/tty")?.into()) }
}

/// The words that start the editor, in the way in which it takes a line.
fn command(editor: &str, file: &str, line: &str) -> Vec<String> {
    // A name that begins like an option, or like a command of vi, is no option.
    let file = if file.starts_with(['-', '+']) { format!("./{file}") } else { file.to_owned() };
    let mut words: Vec<String> = editor.split_whitespace().map(str::to_owned).collect();
    let name = words.first().and_then(|program| Path::new(program).file_name()).unwrap_or_default();
    match name.to_str().unwrap_or_default() {
        "hx" | "helix" => words.push(format!("{file}:{line}")),
        "code" | "codium" => words.extend(["-g".to_owned(), format!("{file}:{line}")]),
        _ => words.extend([format!("+{line}"), file]),
    }
    words
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn each_editor_gets_the_line_in_its_way() {
        for (editor, words) in [
            ("vi", &["vi", "+7", "a.py"][..]),
            ("/usr/bin/nano -w", &["/usr/bin/nano", "-w", "+7", "a.py"]),
            ("emacs -nw", &["emacs", "-nw", "+7", "a.py"]),
            ("hx", &["hx", "a.py:7"]),
            ("code --wait", &["code", "--wait", "-g", "a.py:7"]),
        ] {
            assert_eq!(command(editor, "a.py", "7"), words, "{editor}");
        }
        assert_eq!(command("vi", "+!ls.py", "7"), ["vi", "+7", "./+!ls.py"]);
    }
}
