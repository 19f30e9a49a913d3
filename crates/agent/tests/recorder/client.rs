//! Builds clients in C for tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Compiles a C source to a file of this name: a library where the name has an ending, else a program. `None`
/// if there is no C compiler.
pub fn built(name: &str, source: &str) -> Option<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // A process that runs the old file keeps it.
    let part =
        made.with_extension(format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let options: &[&str] = if made.extension().is_some() { &["-shared", "-fPIC"] } else { &[] };
    let mut arguments: Vec<OsString> = options.iter().chain(&["-O1", "-I"]).map(OsString::from).collect();
    arguments.push(root.join("../../tests/fake-cuda").into());
    arguments.extend(["-o".into(), part.clone().into(), root.join(source).into()]);
    arguments.extend(["-lpthread", "-ldl"].map(OsString::from));
    crate::tools::compile("clients of NVTX and ITT in C", arguments)?;
    std::fs::rename(part, &made).expect("a file");
    Some(made)
}
