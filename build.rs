//! Makes what is compiled into the program: the agent's library and the list of the Python files.
//!
//! The agent (the recorder) is a library that other processes load, so it is built by a second cargo with a
//! profile of its own.

use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?);
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo did not set CARGO_MANIFEST_DIR")?);
    agent(&root, &out)?;
    python(&root.join("assets/python"), &out)
}

/// Builds the recorder's library with a cargo of its own, and passes the library's path to the compiler of
/// the program.
///
/// The recorder's sources are in crates/agent/src in the repository, and in "agent", which links to that
/// folder, in the published package; those of proftui-wire are in the package that the program itself depends
/// on. Cargo is given a workspace in `OUT_DIR` that links to both: a registry's folder must not be written
/// to, and a package from a registry has no workspace.
fn agent(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folders = ["crates/agent/src", "agent"].map(|folder| root.join(folder));
    let agent =
        folders.into_iter().find(|folder| folder.is_dir()).ok_or("the recorder's sources are missing")?;
    let wire = Path::new(proftui_wire::PACKAGE_FOLDER);
    let (manifest, lock) = (root.join("Cargo.toml"), root.join("Cargo.lock"));
    for source in [&agent, &wire.join("src"), &manifest, &lock] {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let version = env::var("CARGO_PKG_VERSION")?;
    let profile = section(&fs::read_to_string(manifest)?, "[profile.agent]")?;
    let folder = out.join("agent");
    package(
        &folder,
        &agent,
        &format!(
            "[workspace]\n\n{}[lib]\ncrate-type = [\"cdylib\"]\n\n[dependencies]\nlibc = \"0.2\"\n\
             proftui-wire = {{ path = \"wire\" }}\n\n{profile}",
            header("proftui-agent", &version)
        ),
    )?;
    package(&folder.join("wire"), &wire.join("src"), &header("proftui-wire", &version))?;

    // Everything that the recorder needs was fetched for the program, so nothing is fetched here. The
    // versions are those of the lock file, unless the program is built without it and other versions were
    // fetched. "fetch" leaves of the lock file what the recorder needs, and "build" takes exactly that.
    let target = env::var("TARGET")?;
    let copy = folder.join("Cargo.lock");
    let mut fetch = cargo(root, &folder, "fetch")?;
    fetch.args(["--target", &target]);
    let is_locked = lock.exists() && {
        fs::copy(&lock, &copy)?;
        fetch.stderr(Stdio::null()).status()?.success()
    };
    if !is_locked {
        fs::remove_file(&copy)
            .or_else(|why| if why.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(why) })?;
        if !fetch.stderr(Stdio::inherit()).status()?.success() {
            return Err("the crates of the recorder (proftui-agent) are not on this machine".into());
        }
    }
    let target_folder = out.join("agent-target");
    let mut build = cargo(root, &folder, "build")?;
    build.args(["--locked", "--profile", "agent", "--target", &target, "--target-dir"]).arg(&target_folder);
    if !build.status()?.success() {
        return Err("the recorder (proftui-agent) does not build".into());
    }
    let library = target_folder.join(target).join("agent/libproftui_agent.so");
    println!("cargo::rustc-env=PROFTUI_AGENT_SO={}", library.display());
    Ok(())
}

/// The beginning of a manifest.
fn header(name: &str, version: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n\n")
}

/// Returns a section of a manifest, with its title.
fn section(manifest: &str, title: &str) -> Result<String, String> {
    let mut lines = manifest.lines().skip_while(|line| line.trim() != title);
    let first = lines.next().ok_or_else(|| format!("Cargo.toml has no {title}"))?;
    let lines: Vec<&str> =
        [first].into_iter().chain(lines.take_while(|line| !line.starts_with('['))).collect();
    Ok(lines.join("\n"))
}

/// Makes the folder of a package: its manifest, and "src" as a link to where its sources are. Leaves alone a
/// file that is up to date, because cargo compares times.
fn package(folder: &Path, sources: &Path, manifest: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let (path, link) = (folder.join("Cargo.toml"), folder.join("src"));
    if fs::read_to_string(&path).ok().as_deref() != Some(manifest) {
        fs::write(path, manifest)?;
    }
    let sources = fs::canonicalize(sources)?;
    if fs::read_link(&link).ok().as_ref() != Some(&sources) {
        let _ = fs::remove_file(&link);
        symlink(sources, link)?;
    }
    Ok(())
}

/// A command of cargo for the package in `folder`, run in `root`, where cargo's configuration is the
/// program's. Fetches nothing.
fn cargo(root: &Path, folder: &Path, subcommand: &str) -> Result<Command, Box<dyn Error>> {
    let mut cargo = Command::new(env::var_os("CARGO").ok_or("cargo did not set CARGO")?);
    cargo.current_dir(root).args([subcommand, "--offline", "--quiet", "--manifest-path"]);
    cargo.arg(folder.join("Cargo.toml"));
    // These describe the build of the program, not that of the recorder.
    for (name, _) in env::vars_os() {
        let is_of_program = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_FEATURE_")
                || name.starts_with("CARGO_CFG_")
                || name == "CARGO_ENCODED_RUSTFLAGS"
        });
        if is_of_program
            || [OsStr::new("RUSTC_WORKSPACE_WRAPPER"), OsStr::new("CLIPPY_ARGS")].contains(&name.as_os_str())
        {
            cargo.env_remove(name);
        }
    }
    Ok(cargo)
}

/// Lists the Python files, each with its text.
fn python(root: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", root.display());
    let (mut files, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new("py")) {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut code =
        String::from("/// The Python files, by their paths below the folder that Python searches.\n");
    code.push_str("const PYTHON: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.strip_prefix(root)?.to_str().ok_or("a file name is not UTF-8")?;
        let file = file.to_str().ok_or("a path is not UTF-8")?;
        code.push_str(&format!("    ({name:?}, include_str!({file:?})),\n"));
    }
    code.push_str("];\n");
    Ok(fs::write(out.join("python_files.rs"), code)?)
}
