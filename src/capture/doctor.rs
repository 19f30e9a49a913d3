//! What can be captured here, found out before it matters: by a trial, not by guessing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proftui_wire::options::Options;

use crate::base::fmt;

use super::child::answer;
use super::family::Family;
use super::folder::{self, RunFolder};
use super::gpu;
use super::inside;

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It works.
    Good,
    /// Worth knowing.
    Note,
    /// It does not work.
    Bad,
}

/// Something found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it stands.
    pub mark: Mark,
    /// What was looked at.
    pub what: &'static str,
    /// What was found, and what to do about it.
    pub words: String,
}

/// Room that a run should have: what a process may fill in a cycle by default.
const ROOM: u64 = 1 << 30;

/// How long an interpreter may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Frameworks whose phases are known, by their packages' names.
const FRAMEWORKS: [&str; 4] = ["torch", "paddlepaddle", "paddlepaddle-gpu", "jax"];

/// Tries what `python` would be captured with, and where things would be put.
pub fn examine(python: &str, out: &Path, spool: Option<&Path>, cupti: Option<&Path>) -> Vec<Finding> {
    let place = spool.map_or_else(folder::default_place, Path::to_owned);
    let mut findings = vec![room(&place), output(out)];
    match RunFolder::make(&place, &Options::default(), false) {
        Ok(run) => {
            findings.push(agent(&run));
            findings.extend(interpreter(python, &run));
        }
        Err(why) => findings.push(Finding {
            mark: Mark::Bad,
            what: "run folder",
            words: format!("cannot be made in {}: {why}; --spool names another place", place.display()),
        }),
    }
    findings.extend(gpu::findings::of(python, cupti));
    findings
}

fn room(place: &Path) -> Finding {
    let what = "room";
    match rustix::fs::statvfs(place) {
        Ok(system) => {
            let free = system.f_bavail.saturating_mul(system.f_frsize);
            let words =
                format!("{} free in {}", fmt::bytes(free.min(i64::MAX as u64) as i64), place.display());
            if free < ROOM {
                let words = format!(
                    "{words}; a cycle may take {}: --spool names another place, --max-mb less",
                    fmt::bytes(ROOM as i64)
                );
                Finding { mark: Mark::Note, what, words }
            } else {
                Finding { mark: Mark::Good, what, words }
            }
        }
        Err(why) => Finding { mark: Mark::Bad, what, words: format!("{}: {why}", place.display()) },
    }
}

/// Whether traces can be put there; makes nothing that was not there.
fn output(out: &Path) -> Finding {
    let what = "traces";
    let there = out.ancestors().map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let Some(nearest) = there.into_iter().find(|path| path.exists()) else {
        return Finding { mark: Mark::Bad, what, words: format!("{}: is nowhere", out.display()) };
    };
    match rustix::fs::access(nearest, rustix::fs::Access::WRITE_OK) {
        Ok(()) => Finding { mark: Mark::Good, what, words: format!("can be written to {}", out.display()) },
        Err(why) => Finding {
            mark: Mark::Bad,
            what,
            words: format!("cannot be written to {}: {why}; --out names another folder", out.display()),
        },
    }
}

fn agent(run: &RunFolder) -> Finding {
    let place = run.inside.agent.parent().unwrap_or(Path::new("/")).display();
    let is_cached = !run.inside.agent.starts_with(run.path());
    let words = format!(
        "{} bytes, in {place}{}",
        fmt::count(inside::SIZE),
        if is_cached { "" } else { ": no cache can be had" }
    );
    Finding { mark: if is_cached { Mark::Good } else { Mark::Note }, what: "agent", words }
}

/// Asks the interpreter who it is and what it has, then records a range in it.
fn interpreter(python: &str, run: &RunFolder) -> Vec<Finding> {
    let bad = |words: String| vec![Finding { mark: Mark::Bad, what: "Python", words }];
    let ask = "import sys\nfrom importlib import metadata as m\nprint(sys.executable); print(sys.version.split()[0])\n\
               for n in sys.argv[1:]:\n  try: print(n, m.version(n))\n  except Exception: pass\n";
    let told = answer(Command::new(python).args(["-I", "-c", ask]).args(FRAMEWORKS), PATIENCE);
    let told = match told {
        Ok(told) if told.status.success() => String::from_utf8_lossy(&told.stdout).into_owned(),
        Ok(told) => return bad(format!("{python}: {}; --python names another one", told.status)),
        Err(why) => return bad(format!("{python}: {why}; --python names another one")),
    };
    let mut lines = told.lines();
    let (path, version) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let mut findings =
        vec![Finding { mark: Mark::Good, what: "Python", words: format!("{version}, {path}") }];
    let frameworks: Vec<&str> = lines.collect();
    findings.push(if frameworks.is_empty() {
        let words =
            "none that is known (PyTorch, Paddle, JAX): steps by --step-on module:function".to_owned();
        Finding { mark: Mark::Note, what: "framework", words }
    } else {
        Finding { mark: Mark::Good, what: "framework", words: frameworks.join(", ") }
    });
    findings.push(trial(python, run));
    findings
}

fn trial(python: &str, run: &RunFolder) -> Finding {
    let what = "trial";
    let script = "import _proftui\nt = _proftui.name(7, 'trial')\n_proftui.begin(t)\n_proftui.end()\n";
    let environment: Vec<(&str, OsString)> = run.environment();
    let ran = answer(Command::new(python).args(["-c", script]).envs(environment), PATIENCE);
    let mut family = Family::default();
    family.look(run);
    let recorded = family.all().map(|process| super::cycle::gather(&[process], 1, None).ranges).sum::<u64>();
    let complaint = match &ran {
        Ok(output) => String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned(),
        Err(why) => why.to_string(),
    };
    if recorded > 0 {
        return Finding { mark: Mark::Good, what, words: "a range was recorded in it".into() };
    }
    let words = format!(
        "nothing could be recorded in it: {complaint}; is there a sitecustomize that fails, or -I, -E, -S in use?"
    );
    Finding { mark: Mark::Bad, what, words }
}

/// The interpreter that a shell would run.
pub fn default_python() -> String {
    let found = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
    };
    if found("python3") { "python3".into() } else { "python".into() }
}
