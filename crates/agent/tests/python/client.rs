//! Builds clients in C for tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Compiles a C source to a file of this name: a library where the name has an ending, else a program. None if there is no C compiler.
pub fn built(name: &str, source: &str) -> Option<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // A process that runs the old file keeps it.
    let part =
        made.with_extension(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    if made.extension().is_some() {
        command.args(["-shared", "-fPIC"]);
    }
    command.args(["-O1", "-I"]).arg(root.join("../../tests/fake-cuda")).arg("-o").arg(&part);
    let Ok(output) = command.arg(root.join(source)).args(["-lpthread", "-ldl"]).output() else {
        println!("no C compiler here: not tested with a client in C");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::rename(part, &made).expect("a file");
    Some(made)
}
