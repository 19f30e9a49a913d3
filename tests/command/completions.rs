//! The completion scripts, tried in Bash, and the manual pages.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::binary::BINARY;

/// The commands that `--help` lists.
const COMMANDS: &[&str] = &[
    "capture",
    "open",
    "render",
    "info",
    "summary",
    "insights",
    "query",
    "convert",
    "export",
    "doctor",
    "dump",
    "recover",
    "config",
    "keys",
    "completions",
    "man",
    "licenses",
];

/// Runs a command; returns what it prints. It must succeed, and print nothing to standard error.
fn output(command: &mut Command) -> String {
    let out = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(out.status.success() && out.stderr.is_empty(), "{command:?}: {out:?}");
    String::from_utf8(out.stdout).expect("UTF-8")
}

/// What Bash offers for the last of the words, after the script was sourced as the help says; nothing where
/// it offers files.
fn offered(words: &[&str]) -> Vec<String> {
    let script = r#"
        source <(proftui completions bash)
        [[ $(complete -p proftui) == *"-o default "* ]] || exit 1
        # Bash has no such command outside of a completion.
        compopt() { :; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _proftui "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let folder = Path::new(BINARY).parent().expect("a folder").to_str().expect("UTF-8");
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash", "proftui"]).args(words).env("PATH", path);
    output(&mut bash).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_values_and_files() {
    if Command::new("bash").arg("--version").output().is_err() {
        crate::skip::lacks_tool("completions in Bash", "no bash", "install bash");
        return;
    }
    assert_eq!(offered(&["su"]), ["summary"]);
    let mut words = offered(&[""]);
    words.retain(|word| !word.starts_with('-'));
    assert_eq!(words, COMMANDS);
    assert_eq!(
        offered(&["summary", "--layout", ""]),
        ["proftui", "torch", "deeplink", "fluid", "paddle", "visualdl"]
    );
    assert_eq!(offered(&["summary", "--layout", "t"]), ["torch"]);
    assert_eq!(offered(&["summary", "trace.json", "--format", "m"]), ["markdown"]);
    let views = offered(&["summary", "--view", ""]);
    assert!(
        ["kernel", "operator", "memcpy", "copies"].iter().all(|view| views.iter().any(|word| word == view))
    );
    assert_eq!(offered(&["open", "--the"]), ["--theme"]);
    assert_eq!(offered(&["completions", "z"]), ["zsh"]);
    // Bash completes to files where nothing is offered.
    for words in [["open", ""], ["open", "demo"], ["summary", ""], ["info", ""], ["capture", ""], ["man", ""]]
    {
        assert_eq!(offered(&words), [""; 0], "{words:?}");
    }
    assert_eq!(offered(&["capture", "--out", ""]), [""; 0]);
}

#[test]
fn scripts_have_all_commands_and_nothing_hidden() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = output(Command::new(BINARY).args(["completions", shell]));
        for command in COMMANDS {
            assert!(script.contains(command), "{shell}: {command}");
        }
        assert!(script.contains("visualdl") || shell != "zsh" && shell != "fish", "{shell}: values");
        for hidden in ["keep-spool", "probe-gpu", "collect"] {
            let mut words = script.split(|c: char| !c.is_alphanumeric() && c != '-');
            let is_there = words.any(|word| word.trim_matches('-') == hidden);
            assert!(!is_there, "{shell}: {hidden}");
        }
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("share/man/man1");
    output(Command::new(BINARY).arg("man").arg(&pages));
    let mut names: Vec<String> = fs::read_dir(&pages)
        .expect("the pages")
        .map(|page| page.expect("a page").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let mut expected: Vec<String> = COMMANDS.iter().map(|command| format!("proftui-{command}.1")).collect();
    expected.push("proftui.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    for name in names {
        let page = fs::read_to_string(pages.join(&name)).expect("UTF-8");
        let title =
            format!(".TH {} 1 \"\" \"proftui {}\" ", name.trim_end_matches(".1"), env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{name}: {page:.200}");
        assert_eq!(page.matches("\n.SH NAME\n").count(), 1, "{name}");
        assert_eq!(page.matches("\\fB\\-\\-help\\fR\n").count(), 1, "{name}: --help is described once");
        assert!(!page.contains("keep\\-spool"), "{name}");
    }
    let page = fs::read_to_string(pages.join("proftui.1")).expect("UTF-8");
    assert!(page.contains("EXIT STATUS") && page.contains("proftui\\-summary(1)"), "{page}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let out = Command::new(BINARY).args(["man", "/dev/null/man"]).output().expect("the command starts");
    assert_eq!(out.status.code(), Some(1));
    let message = String::from_utf8(out.stderr).expect("UTF-8");
    assert!(message.starts_with("proftui: cannot write /dev/null/man: "), "{message}");
}
