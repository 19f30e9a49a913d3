//! Prints, as the last line of `cargo test --workspace`, the checks that this run skipped: cargo runs this
//! program last. Each check appended itself to a file named after the number of cargo's process
//! (`tests/support/skip.rs`).

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::parent_id;
use std::path::Path;

fn main() {
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("skipped-{}", parent_id()));
    let lines = fs::read_to_string(&list).unwrap_or_default();
    // A list that stays is read by nobody.
    let _ = fs::remove_file(&list);
    let checks: BTreeSet<&str> = lines.lines().filter_map(|line| line.strip_prefix("SKIPPED: ")).collect();
    match checks.len() {
        0 => println!("no check was skipped"),
        count => println!("{count} skipped: {}", Vec::from_iter(checks).join("; ")),
    }
}
