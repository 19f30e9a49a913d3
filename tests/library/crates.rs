//! The eight crates that the project was asked to use: each is a dependency of the program, and its code does work in the folders that the
//! table of ARCHITECTURE.md names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const NAMED: [&str; 8] =
    ["ratatui", "crossterm", "prost", "serde_json", "rayon", "fuzzy-matcher", "cudarc", "clap"];

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the repository")
}

/// The rows of the table of the eight crates: the folders by crate.
fn table() -> BTreeMap<String, Vec<String>> {
    let page = read("ARCHITECTURE.md");
    let rows = page.lines().skip_while(|line| *line != "| crate | does | in |").skip(2);
    let cells = |line: &str| -> Option<[String; 3]> {
        let cells: Vec<String> = line
            .strip_prefix('|')?
            .strip_suffix('|')?
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect();
        cells.try_into().ok()
    };
    rows.map_while(cells)
        .map(|[name, does, folders]| {
            assert!(!does.is_empty(), "{name}: what does it do?");
            (name, folders.split('`').skip(1).step_by(2).map(str::to_owned).collect())
        })
        .collect()
}

/// The lines of a file that are compiled into the program: no comments, and no tests at the end of the file.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The sources below a folder, and the file of its name beside it, without files of tests.
fn sources(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting = vec![root.join(folder)];
    let mut files = vec![root.join(format!("{folder}.rs"))];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the table") {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("named").to_string_lossy().into_owned();
            if name.starts_with("tests") {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// True if the text names an item of the crate: `clap::`, but not `wordclap::`.
fn uses(text: &str, name: &str) -> bool {
    let path = format!("{}::", name.replace('-', "_"));
    let is_start = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
    text.match_indices(&path).any(|(at, _)| is_start(at))
}

#[test]
fn the_eight_crates_are_used_where_the_table_says() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let dependencies = manifest["dependencies"].as_table().expect("dependencies");
    let table = table();
    assert_eq!(table.len(), NAMED.len(), "{table:?}");
    for name in NAMED {
        let dependency = dependencies.get(name).unwrap_or_else(|| panic!("{name} is no dependency"));
        assert!(dependency.get("optional").is_none(), "{name} is optional");
        let folders = table.get(name).unwrap_or_else(|| panic!("{name} has no row in ARCHITECTURE.md"));
        assert!(!folders.is_empty(), "{name} has no folder");
        for folder in folders {
            let texts = sources(folder).into_iter().filter_map(|path| fs::read_to_string(path).ok());
            let is_used = texts.map(|text| code(&text)).any(|text| uses(&text, name));
            assert!(is_used, "{folder} has no use of {name}");
        }
    }
}

#[test]
fn comments_and_tests_are_no_use() {
    let text = "//! clap::Args\nuse wordclap::Args;\nuse x::clap::Args;\n#[cfg(test)]\nmod tests { use clap::Args; }";
    assert!(!uses(&code(text), "clap"));
    assert!(uses(&code("    clap::Args::new()"), "clap") && uses("use fuzzy_matcher::x", "fuzzy-matcher"));
}
