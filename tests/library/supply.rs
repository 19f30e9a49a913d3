//! What is compiled into the program from elsewhere: the versions of the recorder's crates, and the licences
//! of all crates.

use std::collections::BTreeSet;
use std::path::Path;

/// The crates of a registry in a lock file, each with its version and checksum.
fn crates(lock: &Path) -> BTreeSet<[String; 3]> {
    let text = std::fs::read_to_string(lock).expect("a lock file");
    let field = |entry: &str, name: &str| {
        let line = entry.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let entries = text.split("[[package]]").skip(1).filter(|entry| entry.contains("\nchecksum"));
    entries.map(|entry| ["name", "version", "checksum"].map(|name| field(entry, name))).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_recorder_is_built_with_the_versions_of_the_lock_file() {
    // OUT_DIR/agent-target/TARGET/agent/libproftui_agent.so; the second cargo's workspace is OUT_DIR/agent.
    let out = Path::new(env!("PROFTUI_AGENT_SO")).ancestors().nth(4).expect("build.rs made it there");
    let (recorder, program) = (crates(&out.join("agent/Cargo.lock")), crates(&root().join("Cargo.lock")));
    assert!(recorder.iter().any(|[name, ..]| name == "libc") && recorder.len() < program.len());
    let other: Vec<_> = recorder.difference(&program).collect();
    assert!(other.is_empty(), "not of the lock file: {other:?}");
}

#[test]
fn the_licenses_name_versions_of_the_lock_file() {
    let licenses = std::fs::read_to_string(root().join("assets/licenses.txt")).expect("the licences");
    let program = crates(&root().join("Cargo.lock"));
    let of = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let (version, license) = rest.split_once(" (")?;
        let is_one = license.ends_with(')') && version.starts_with(|c: char| c.is_ascii_digit());
        is_one.then(|| (name.to_owned(), version.to_owned()))
    };
    let named: BTreeSet<(String, String)> = licenses.lines().filter_map(of).collect();
    for (name, version) in &named {
        let is_known = program.iter().any(|[known, of, _]| known == name && of == version);
        assert!(is_known, "{name} {version} is not in Cargo.lock: run .ci/licenses");
    }
    for name in ["clap", "ratatui", "zstd-sys", "libc", "fuzzy-matcher"] {
        assert!(named.iter().any(|(known, _)| known == name), "no licence of {name}");
    }
    assert!(named.len() > 60 && licenses.contains("Rust's standard library"), "{}", named.len());
}
