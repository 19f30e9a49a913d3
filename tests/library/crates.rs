//! Dependencies: a comment in a manifest says what each is for. The eight crates that the project was asked
//! to use are dependencies of what ships, and their code does work in the folders, in no others, that the
//! comment above them names.

use std::collections::BTreeSet;
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

/// A dependency, as a manifest lists it.
struct Dependency {
    name: String,
    /// The heading of the list: `dependencies`, `dev-dependencies`, `build-dependencies` or
    /// `workspace.dependencies`.
    list: String,
    is_optional: bool,
    /// The comment above it; empty if there is none.
    comment: String,
}

impl Dependency {
    /// The folders that the comment names, such as `src/ui`.
    fn folders(&self) -> Vec<&str> {
        self.comment.split('`').skip(1).step_by(2).collect()
    }
}

/// The dependencies in a manifest's text, each on one line.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let (mut found, mut list, mut comment) = (Vec::new(), "", String::new());
    for line in manifest.lines() {
        if let Some(heading) = line.strip_prefix('[') {
            list = heading.trim_end_matches(']');
        } else if let Some(text) = line.strip_prefix('#') {
            comment.push_str(text);
            continue;
        } else if list.ends_with("dependencies") && !line.is_empty() {
            let name = line.split([' ', '.']).next().unwrap_or_default().to_owned();
            let is_optional = line.contains("optional");
            found.push(Dependency { name, list: list.to_owned(), is_optional, comment: comment.clone() });
        }
        comment.clear();
    }
    found
}

/// The lines of a file that are compiled into the program: no comments, and no tests at the end of the file.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The sources below a folder, without files of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut waiting, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
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
    let mut used = BTreeSet::new();
    for (member, manifest) in manifests() {
        let all = dependencies(&manifest);
        let of_program = all.iter().filter(|dependency| dependency.list == "dependencies");
        for dependency in of_program.filter(|dependency| NAMED.contains(&dependency.name.as_str())) {
            let (name, folders) = (&dependency.name, dependency.folders());
            let at = member.join("Cargo.toml");
            assert!(!dependency.is_optional, "{}: {name} is optional", at.display());
            assert!(!folders.is_empty(), "{}: where is {name} used?", at.display());
            let mut not_seen: BTreeSet<&str> = folders.iter().copied().collect();
            for path in sources(&member.join("src")) {
                if !uses(&code(&fs::read_to_string(&path).expect("a source")), name) {
                    continue;
                }
                let is_in = |folder: &str| {
                    let folder = member.join(folder);
                    path.starts_with(&folder) || path == folder.with_extension("rs")
                };
                assert!(
                    folders.iter().any(|folder| is_in(folder)),
                    "{} uses {name}, which {} does not say",
                    path.display(),
                    at.display()
                );
                not_seen.retain(|folder| !is_in(folder));
            }
            assert!(not_seen.is_empty(), "{}: {name} is not used in {not_seen:?}", at.display());
            used.insert(name.clone());
        }
    }
    assert_eq!(used.len(), NAMED.len(), "only these are dependencies of what ships: {used:?}");
}

#[test]
fn a_comment_says_what_each_dependency_is_for() {
    let of_workspace = dependencies(&read("Cargo.toml"));
    let is_explained = |name: &str| {
        let shared = of_workspace.iter().filter(|dependency| dependency.list == "workspace.dependencies");
        shared.filter(|dependency| dependency.name == name).any(|dependency| !dependency.comment.is_empty())
    };
    let mut unexplained = Vec::new();
    let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let of_benches = (benches.clone(), read(benches.join("Cargo.toml")));
    for (member, manifest) in manifests().into_iter().chain([of_benches]) {
        let others = dependencies(&manifest).into_iter().filter(|found| !found.name.starts_with("proftui"));
        let bare = others.filter(|found| found.comment.is_empty() && !is_explained(&found.name));
        unexplained
            .extend(bare.map(|found| format!("{}: {}", member.join("Cargo.toml").display(), found.name)));
    }
    assert!(
        unexplained.is_empty(),
        "say in a comment above each what it is for:\n{}",
        unexplained.join("\n")
    );
}

#[test]
fn comments_of_manifests_are_found() {
    let text = "[package]\nname = \"x\"\n\n[dependencies]\n# One.\n# In `src/a`, `src/b`.\nx = \"1\"\ny.workspace = true\n\n# Of none.\n\n[dev-dependencies]\nz-z = { version = \"1\", optional = true }\n";
    let all = dependencies(text);
    let shown: Vec<_> =
        all.iter().map(|found| (&*found.name, &*found.list, found.is_optional, found.folders())).collect();
    let expected = [
        ("x", "dependencies", false, vec!["src/a", "src/b"]),
        ("y", "dependencies", false, vec![]),
        ("z-z", "dev-dependencies", true, vec![]),
    ];
    assert_eq!(shown, expected);
    assert!(all[1].comment.is_empty() && all[2].comment.is_empty());
}

#[test]
fn comments_and_tests_are_no_use() {
    let text = "//! clap::Args\nuse wordclap::Args;\nuse x::clap::Args;\n#[cfg(test)]\nmod tests { use clap::Args; }";
    assert!(!uses(&code(text), "clap"));
    assert!(uses(&code("    clap::Args::new()"), "clap") && uses("use fuzzy_matcher::x", "fuzzy-matcher"));
}
