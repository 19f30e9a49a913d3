//! Runs the examples of the documentation: every line `$ command` of a block ```` ```console ````, with the
//! program, its Python module and the demo traces.
//!
//! A command must end with exit status 0 and print what stands below it. There a line `…` stands for any
//! number of lines, and a `…` at the end of a line for the rest of that line. In a block ```` ```console
//! varies ```` the printed numbers differ from run to run: only words without digits are compared.
//! `PROFTUI_DOCS=write` writes what is printed into the pages, but for blocks with a line `…` and those that
//! vary.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proftui_trace::model::Warning;
use proftui_wire::device::Reason;

use crate::binary::BINARY;
use crate::skip;

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// Files of the repository that the examples use by their relative paths.
const USED: [&str; 2] = ["demo-traces", "examples"];

/// Units that a number may have in one run and not in another.
const UNITS: [&str; 8] = ["ns", "µs", "ms", "s", "bytes", "KiB", "MiB", "GiB"];

/// A folder in which the commands of one page run, and what they need.
struct Shell(tempfile::TempDir);

impl Shell {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in USED {
            std::os::unix::fs::symlink(Path::new(REPOSITORY).join(name), folder.path().join(name))
                .expect("linked");
        }
        Self(folder)
    }

    /// Runs a command line, and returns what it printed, standard output and standard error as they came.
    ///
    /// # Panics
    /// When its exit status is not 0.
    fn run(&self, line: &str) -> String {
        let program = Path::new(BINARY);
        let mut path = program.parent().expect("a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("exec 2>&1\n{line}"))
            .current_dir(self.0.path())
            .env("PATH", path)
            .env("PROFTUI_BIN", program)
            .env("PYTHONPATH", Path::new(REPOSITORY).join("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("XDG_CACHE_HOME", self.0.path().join("cache"))
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{line}: {}\n{printed}", output.status);
        printed
    }
}

/// True if the shell's `python3` is one that can be captured.
fn has_python() -> bool {
    let ask = "import sys; sys.exit(sys.version_info < (3, 8))";
    Command::new("python3").args(["-c", ask]).status().is_ok_and(|status| status.success())
}

/// A line of the kind that is shown: without blanks at its end.
fn shown(printed: &str) -> Vec<&str> {
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |at| at + 1);
    lines[..last].to_vec()
}

/// The words of a line that are the same in every run: those without digits, units and bars of charts.
fn lasting(line: &str) -> Vec<&str> {
    let is_bar = |c: char| ('\u{2580}'..='\u{259f}').contains(&c);
    let is_lasting = |word: &&str| {
        !word.contains(|c: char| c.is_ascii_digit() || is_bar(c))
            && !word.starts_with("--")
            && !UNITS.contains(word)
    };
    line.split_whitespace().filter(is_lasting).collect()
}

/// Whether a printed line is the one that the page shows.
fn is_line(expected: &str, printed: &str, varies: bool) -> bool {
    if let Some(start) = expected.strip_suffix('…') {
        let start = start.trim_end();
        return if varies {
            lasting(printed).join(" ").starts_with(&lasting(start).join(" "))
        } else {
            printed.starts_with(start)
        };
    }
    if varies { lasting(expected) == lasting(printed) } else { expected == printed }
}

/// Whether the printed lines are those that the page shows.
fn is_text(expected: &[&str], printed: &[&str], varies: bool) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skipped| is_text(rest, &printed[skipped..], varies)),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| is_line(line, first, varies) && is_text(rest, others, varies)),
    }
}

/// One command of a block, and the lines below it.
struct Example<'a> {
    line: &'a str,
    expected: Vec<&'a str>,
}

/// The commands of a block's lines.
fn examples<'a>(block: &[&'a str]) -> Vec<Example<'a>> {
    let mut all: Vec<Example<'a>> = Vec::new();
    for text in block {
        match (text.strip_prefix("$ "), all.last_mut()) {
            (Some(line), _) => all.push(Example { line, expected: Vec::new() }),
            (None, Some(last)) => last.expected.push(text),
            (None, None) => panic!("output without a command: {text}"),
        }
    }
    all
}

/// Runs the examples of a page: returns what differs, and the page as it should be.
fn check(page: &str, has_python: bool) -> (String, String) {
    let shell = Shell::new();
    let (mut differences, mut mended) = (String::new(), String::new());
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        writeln!(mended, "{line}").unwrap();
        let Some(kind) = line.strip_prefix("```console") else { continue };
        let varies = kind == " varies";
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        for Example { line, expected } in examples(&block) {
            writeln!(mended, "$ {line}").unwrap();
            let is_mended = !varies && !expected.contains(&"…");
            let printed =
                if has_python || !line.contains("python3") { shell.run(line) } else { String::new() };
            let printed = shown(&printed);
            let is_right = is_text(&expected, &printed, varies) || (!has_python && varies);
            if !is_right {
                write!(differences, "$ {line}\n{}\n", printed.join("\n")).unwrap();
            }
            for line in if is_mended && !is_right { &printed } else { &expected } {
                writeln!(mended, "{line}").unwrap();
            }
        }
        mended.push_str("```\n");
    }
    (differences, mended)
}

fn pages() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(Path::new(REPOSITORY).join("docs")).expect("docs");
    let mut pages: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    pages.retain(|path| path.is_file());
    pages.extend(["README.md", "demo-traces/README.md"].map(|name| Path::new(REPOSITORY).join(name)));
    pages.sort();
    pages
}

#[test]
fn examples_print_what_the_pages_show() {
    let has_python = has_python();
    if !has_python {
        skip::lacks_tool(
            "the examples of docs/ with Python",
            "no python3 of 3.8 or later",
            "install Python 3.8 or newer",
        );
    }
    let writes = std::env::var_os("PROFTUI_DOCS").is_some_and(|value| value == "write");
    let mut all = String::new();
    let mut count = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        count += page.lines().filter(|line| line.starts_with("```console")).count();
        let (differences, mended) = check(&page, has_python);
        if writes && mended != page {
            std::fs::write(&path, mended).expect("written");
        }
        if !differences.is_empty() {
            write!(all, "{}:\n{differences}", path.display()).unwrap();
        }
    }
    assert!(count > 5, "{count} blocks of examples");
    assert!(
        all.is_empty(),
        "this is printed now; PROFTUI_DOCS=write writes it, but for blocks with … or with numbers that vary\n{all}"
    );
}

#[test]
fn differences_are_found() {
    let page = |expected: &str| {
        format!("a page\n\n```console\n$ printf 'one\\ntwo words\\nthree\\n'\n{expected}\n```\n")
    };
    for right in ["one\ntwo words\nthree", "one\n…", "…\nthree", "one\ntwo …\nthree", "…"] {
        assert_eq!(check(&page(right), true).0, "", "{right}");
    }
    for wrong in
        ["one\ntwo words", "one\ntwo words\nthree\nfour", "two …", "one\n…\ntwo words", "one\ntwo\nthree"]
    {
        assert_ne!(check(&page(wrong), true).0, "", "{wrong}");
    }
    assert_eq!(check(&page("one"), true).1, page("one\ntwo words\nthree"), "the page is mended");
    assert_eq!(check(&page("…\nno"), true).1, page("…\nno"), "but not where lines are left out");

    let varies =
        |expected: &str| format!("```console varies\n$ echo '3 steps, 1.5 ms each: fast'\n{expected}\n```\n");
    for right in ["4 steps, 20 µs each: fast", "1 steps, …"] {
        assert_eq!(check(&varies(right), true).0, "", "{right}");
    }
    assert_ne!(check(&varies("3 steps, 1.5 ms each: slow"), true).0, "");
}

/// The text of a file of the repository.
fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(REPOSITORY).join(name)).expect("a file")
}

/// The anchor of a heading, as hosts of Markdown make it: lower case, blanks as `-`, without other marks.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_point_to_files_and_headings() {
    let folder = |path: &Path| path.parent().expect("a folder").to_owned();
    let mut count = 0;
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        let links = page.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        for link in links.filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { folder(&path).join(file) };
            assert!(target.exists(), "{}: {link} points to no file", path.display());
            if !heading.is_empty() {
                let text = std::fs::read_to_string(&target).expect("a page");
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let is_found = headings
                    .map(|line| line.trim_start_matches('#').trim())
                    .any(|line| anchor(line) == heading);
                assert!(is_found, "{}: {link} points to no heading", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 10, "{count} links");
}

/// The long options in a text.
fn options(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    let starts = text.match_indices("--").map(|(at, _)| at);
    let is_first = |at: &usize| !text[..*at].ends_with(|c: char| is_name(c) || c == '/');
    let names =
        starts.filter(is_first).map(|at| &text[at..at + text[at..].find(|c| !is_name(c)).unwrap_or(0)]);
    names.filter(|name| name.len() > 2 && !name.starts_with("---") && !name.ends_with('-')).collect()
}

/// The help of a subcommand.
fn help(command: &str) -> String {
    Shell::new().run(&format!("proftui {command} --help"))
}

/// Options in the pages that are those of other programs.
const FOREIGN: [&str; 7] =
    ["--api-key", "--filename", "--gpus", "--import", "--output-format", "--page", "--type"];

#[test]
fn options_are_found() {
    let text = "`--a-b N` (`--c`), --d=1 | --- | -e --\n/--f, x--g --a-b";
    assert_eq!(options(text).into_iter().collect::<Vec<_>>(), ["--a-b", "--c", "--d"]);
}

#[test]
fn pages_have_all_options_of_their_command_and_no_others() {
    let commands = ["capture", "summary", "info", "open", "recover", "doctor", "convert"].map(help);
    let known: BTreeSet<&str> = commands.iter().flat_map(|help| options(help)).chain(FOREIGN).collect();
    for (command, help) in ["capture", "summary", "info"].iter().zip(&commands) {
        let page = read(&format!("docs/{command}.md"));
        let missing: Vec<&str> = options(help).difference(&options(&page)).copied().collect();
        assert!(missing == ["--help"] || missing.is_empty(), "docs/{command}.md lacks {missing:?}");
    }
    for name in ["capture", "summary", "info", "python", "differences", "formats"] {
        let page = read(&format!("docs/{name}.md"));
        let unknown: Vec<&str> = options(&page).difference(&known).copied().collect();
        assert!(unknown.is_empty(), "docs/{name}.md has {unknown:?}, which no command has");
    }
}

#[test]
fn pages_list_all_warnings_and_reasons() {
    let page = read("docs/info.md");
    for warning in Warning::ALL {
        let kind = if warning.is_damage() { "damage" } else { "note" };
        let row = format!("| `{}` | {kind} |", warning.code());
        assert!(page.contains(&row), "docs/info.md lacks {row}");
    }
    let page = read("docs/capture.md");
    for reason in Reason::ALL {
        let row = format!("| `{}` |", reason.code());
        assert!(page.contains(&row), "docs/capture.md lacks {row}");
    }
}

#[test]
fn the_page_of_the_module_shows_its_example() {
    let example = read("examples/train_profiled.py");
    let (_, code) = example.split_once("\n\n").expect("a docstring, then code");
    assert!(read("docs/python.md").contains(&format!("```python\n{code}```\n")));
}
