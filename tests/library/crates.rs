//! The eight crates that the project was asked to use: each is a dependency of what ships, and its code does work in the folders that the
//! comment above it in a manifest names.

use std::fs;
use std::path::{Path, PathBuf};

const NAMED: [&str; 8] =
    ["ratatui", "crossterm", "prost", "serde_json", "rayon", "fuzzy-matcher", "cudarc", "clap"];

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the repository")
}

/// The manifests of the workspace that ship, each by its folder.
fn manifests() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let members =
        fs::read_dir(root.join("crates")).expect("the crates").map(|entry| entry.expect("readable").path());
    let folders = std::iter::once(root.to_owned()).chain(members);
    folders.map(|folder| (folder.clone(), read(folder.join("Cargo.toml")))).collect()
}

/// What the comment above a dependency says of it: the folders of the member that use it. `None` where the member has no such dependency.
fn folders(manifest: &str, name: &str) -> Option<Vec<String>> {
    let dependencies = manifest.split("\n[dependencies]\n").nth(1)?.split("\n[").next()?;
    let mut comment = String::new();
    for line in dependencies.lines() {
        match line.strip_prefix('#') {
            Some(text) => comment.push_str(text),
            None if line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '.'])) => {
                assert!(!line.contains("optional"), "{name} is optional");
                return Some(comment.split('`').skip(1).step_by(2).map(str::to_owned).collect());
            }
            None => comment.clear(),
        }
    }
    None
}

/// The lines of a file that are compiled into the program: no comments, and no tests at the end of the file.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The sources below a folder, and the file of its name beside it, without files of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut waiting = vec![folder.to_owned()];
    let mut files = vec![folder.with_extension("rs")];
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
fn the_eight_crates_are_used_where_their_manifests_say() {
    let manifests = manifests();
    for name in NAMED {
        let mut used = 0;
        for (member, manifest) in &manifests {
            for folder in folders(manifest, name).into_iter().flatten() {
                let texts = sources(&member.join(&folder))
                    .into_iter()
                    .filter_map(|path| fs::read_to_string(path).ok());
                let is_used = texts.map(|text| code(&text)).any(|text| uses(&text, name));
                assert!(is_used, "{}: {folder} has no use of {name}", member.display());
                used += 1;
            }
        }
        assert!(used > 0, "no manifest says where {name} is used");
    }
}

#[test]
fn comments_and_tests_are_no_use() {
    let text = "//! clap::Args\nuse wordclap::Args;\nuse x::clap::Args;\n#[cfg(test)]\nmod tests { use clap::Args; }";
    assert!(!uses(&code(text), "clap"));
    assert!(uses(&code("    clap::Args::new()"), "clap") && uses("use fuzzy_matcher::x", "fuzzy-matcher"));
}
