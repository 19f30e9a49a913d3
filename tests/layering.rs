//! The house's rules that a compiler does not check: who may use whom, where a terminal may be named, how text reaches
//! a cell, how long a file may be.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the ground up; each may use those before it and itself. Those of one line do not know each other.
const FLOORS: &[&[&str]] = &[
    &["base"],
    &["model"],
    &["import", "index", "export"],
    &["analysis"],
    &["report"],
    &["compat"],
    &["capture"],
    &["app"],
    &["ui"],
    &["term"],
    &["cli"],
];

fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let inside = path.strip_prefix(&root).expect("inside src").to_owned();
                let first =
                    inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
                let text = fs::read_to_string(&path).expect("readable source");
                files.push((first.trim_end_matches(".rs").to_owned(), inside, text));
            }
        }
    }
    assert!(files.len() > 40, "the sources were found");
    files
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// The modules that a source names as `crate::module`, its tests included.
fn used(text: &str) -> Vec<&str> {
    assert!(!text.contains("crate::{"), "name modules one a line, so that this test sees them");
    let names = text.match_indices("crate::").map(|(at, found)| {
        let rest = &text[at + found.len()..];
        &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())]
    });
    names.filter(|name| floor(name).is_some()).collect()
}

#[test]
fn dependencies_run_one_way() {
    let mut wrong = Vec::new();
    for (module, path, text) in sources() {
        if module == "lib" || module == "main" {
            continue;
        }
        let own = floor(&module)
            .unwrap_or_else(|| panic!("{module} has no floor; give it one in tests/layering.rs"));
        for other in used(&text) {
            let is_below = floor(other).is_some_and(|floor| floor < own);
            if other != module && !is_below {
                wrong.push(format!("{} uses {other}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "against the direction:\n{}", wrong.join("\n"));
}

/// What is loaded into other programs: ranges know nothing of Python, and the ground nothing of what stands on it.
#[test]
fn the_recorder_keeps_its_own_floors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/agent/src");
    let ground = ["clock", "errno", "files", "lock", "page"];
    let rest = ["spool", "ranges", "process", "guard", "python"];
    let rules: [(&[&str], &[&str]); 3] = [
        (&ground, &rest),
        (&["spool", "ranges", "process", "guard"], &["python"]),
        (&["spool"], &["ranges"]),
    ];
    for (modules, forbidden) in rules {
        for module in modules {
            let folder =
                fs::read_dir(root.join(module)).into_iter().flatten().flatten().map(|file| file.path());
            for path in folder.chain([root.join(module).with_extension("rs")]) {
                let text = fs::read_to_string(&path).expect("readable source");
                assert!(text.starts_with("//!"), "{} does not begin with //!", path.display());
                assert!(!text.contains("crate::{"), "name modules one a line, so that this test sees them");
                assert!(text.lines().count() <= 450, "{} is long", path.display());
                let found = forbidden.iter().find(|other| text.contains(&format!("crate::{other}")));
                assert!(found.is_none(), "{} uses {found:?}", path.display());
            }
        }
    }
}

#[test]
fn foreign_code_is_called_in_one_file() {
    for (_, path, text) in sources() {
        let is_probe = path.ends_with("capture/gpu/probe.rs");
        assert_eq!(text.contains("unsafe_code"), is_probe, "{}", path.display());
    }
}

#[test]
fn only_term_names_the_terminal_library() {
    for (module, path, text) in sources() {
        assert!(module == "term" || !text.contains("crossterm::"), "{} names crossterm", path.display());
    }
}

#[test]
fn text_reaches_cells_through_one_file() {
    for (_, path, text) in sources() {
        let writes = [
            "set_symbol(",
            "set_string(",
            "set_stringn(",
            "set_char(",
            "set_line(",
            "Paragraph::",
            "Span::raw",
        ];
        let is_painter = path.ends_with("ui/paint.rs") || path.ends_with("term/screen.rs");
        let found = writes.iter().find(|call| text.contains(*call));
        assert!(is_painter || found.is_none(), "{} writes cells by {found:?}", path.display());
    }
}

#[test]
fn every_file_says_what_it_is_and_stays_small() {
    let mut lengths = Vec::new();
    for (_, path, text) in sources() {
        assert!(text.starts_with("//!"), "{} does not begin with //!", path.display());
        let lines = text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
        lengths.push(lines);
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= 150, "the median file has {median} lines");
    let long = lengths.iter().filter(|&&lines| lines > 450).count();
    assert!(long <= 3, "{long} files have more than 450 lines");
}

#[test]
fn the_check_sees_what_it_should() {
    assert_eq!(used("use crate::term::Guard; // crate::nothing"), ["term"]);
    assert!(floor("base") < floor("ui"));
}
