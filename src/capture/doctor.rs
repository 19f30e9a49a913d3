//! Checks for `proftui doctor` whether a capture would work on this machine; a test run of the Python
//! interpreter records a range.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proftui_wire::options::Options;

use proftui_base::fmt;
use proftui_base::saturate::saturate;

use super::{cycle, gpu};
use crate::capture::files::agent_files::{self, AgentFiles};
use crate::capture::files::run_folder::{self, RunFolder};
use crate::capture::gpu::finding::{Finding, Mark};
use crate::capture::process::tree::ProcessTree;
use crate::capture::system::child;

/// Subject of the findings about the agent's files.
const RECORDER: &str = "recorder";

/// Free bytes that the spool should have.
const ROOM: u64 = 1 << 30;

/// Time limit for one run of the Python interpreter.
const LIMIT: Duration = Duration::from_mins(1);

/// Names of the Python packages of frameworks that the interpreter is asked for.
const FRAMEWORKS: [&str; 4] = ["torch", "paddlepaddle", "paddlepaddle-gpu", "jax"];

/// Checks whether captures would work on this machine, and returns the findings. `None` stands for what a
/// capture uses by default.
pub fn examine(
    python: &str,
    out: &Path,
    spool: Option<&Path>,
    cupti: Option<&Path>,
    cache: Option<&Path>,
) -> Vec<Finding> {
    let spool = spool.map_or_else(run_folder::default_spool, Path::to_owned);
    let mut findings = vec![room(&spool), output(out)];
    let files = match agent_files::unpack(cache) {
        Ok(files) => files,
        Err(why) => {
            let text = format!("no folder for the recorder's files: {why}; name another with --cache");
            findings.push(Finding { mark: Mark::Bad, what: RECORDER, text });
            findings.extend(gpu::findings::of(python, cupti));
            return findings;
        }
    };
    findings.push(agent(&files));
    match RunFolder::make(&spool, &Options::default(), false, files) {
        Ok(run) => findings.extend(interpreter(python, &run)),
        Err(why) => findings.push(Finding {
            mark: Mark::Bad,
            what: "temp folder",
            text: format!(
                "no temporary folder can be made in {}: {why}; set another with --spool",
                spool.display()
            ),
        }),
    }
    findings.extend(gpu::findings::of(python, cupti));
    findings
}

/// Checks how much space is free in the spool; less than [`ROOM`] is a note.
fn room(spool: &Path) -> Finding {
    let what = "disk space";
    match rustix::fs::statvfs(spool) {
        Ok(system) => {
            let free = system.f_bavail.saturating_mul(system.f_frsize);
            let text = format!("{} free in {}", fmt::bytes(saturate::<i64>(free)), spool.display());
            if free < ROOM {
                let text = format!(
                    "{text}; a capture may need more: set another folder with --spool, or lower --max-mb"
                );
                Finding { mark: Mark::Note, what, text }
            } else {
                Finding { mark: Mark::Good, what, text }
            }
        }
        Err(why) => {
            let text = format!("cannot read the free space of {}: {why}", spool.display());
            Finding { mark: Mark::Bad, what, text }
        }
    }
}

/// Checks whether `out`, or its nearest existing ancestor, can be written to; creates nothing.
fn output(out: &Path) -> Finding {
    let what = "traces";
    let there = out.ancestors().map(|path| if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let Some(nearest) = there.into_iter().find(|path| path.exists()) else {
        return Finding {
            mark: Mark::Bad,
            what,
            text: format!(
                "{} cannot be accessed from the working folder; set an absolute path with --out",
                out.display()
            ),
        };
    };
    match rustix::fs::access(nearest, rustix::fs::Access::WRITE_OK) {
        Ok(()) => Finding { mark: Mark::Good, what, text: format!("{} is writable", out.display()) },
        Err(why) => Finding {
            mark: Mark::Bad,
            what,
            text: format!(
                "traces cannot be written to {}: {why}; set another folder with --out",
                out.display()
            ),
        },
    }
}

/// The finding about the folder of the agent's files; a note if the user's cache folder could not be used.
fn agent(files: &AgentFiles) -> Finding {
    // Without the last part, which may be a secret.
    let folder = files.library.ancestors().nth(2).unwrap_or(Path::new("/")).display();
    let why = files.uncached.as_ref().map(|uncached| format!("; not in your cache: {}", uncached.why));
    let text = format!(
        "the recorder's library ({}) is unpacked in {folder}{}",
        fmt::counted(agent_files::LIBRARY_SIZE, "byte"),
        why.unwrap_or_default()
    );
    Finding { mark: if files.uncached.is_none() { Mark::Good } else { Mark::Note }, what: RECORDER, text }
}

/// Checks the interpreter: asks it for its path, version and frameworks, then makes a test run. If the
/// interpreter cannot be asked, that is the only finding.
fn interpreter(python: &str, run: &RunFolder) -> Vec<Finding> {
    let bad = |text: String| vec![Finding { mark: Mark::Bad, what: "Python", text }];
    let ask = "import sys\nfrom importlib import metadata as m\nprint(sys.executable); \
        print(sys.version.split()[0])\n\
        for n in sys.argv[1:]:\n  try: print(n, m.version(n))\n  except Exception: pass\n";
    let output = child::output(Command::new(python).args(["-I", "-c", ask]).args(FRAMEWORKS), LIMIT);
    let output = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => {
            return bad(format!(
                "{python} ended with {}; set another interpreter with --python",
                output.status
            ));
        }
        Err(why) => return bad(format!("{python}: {why}; set another interpreter with --python")),
    };
    let mut lines = output.lines();
    let (path, version) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let mut findings = vec![Finding { mark: Mark::Good, what: "Python", text: format!("{version}, {path}") }];
    let frameworks: Vec<&str> = lines.collect();
    findings.push(if frameworks.is_empty() {
        let text = format!(
            "{python} -I finds no package {}; without a framework, name the function that ends a step: \
             --step-on module:function",
            FRAMEWORKS.join(", ")
        );
        Finding { mark: Mark::Note, what: "framework", text }
    } else {
        Finding { mark: Mark::Good, what: "framework", text: frameworks.join(", ") }
    });
    findings.push(trial(python, run));
    findings
}

/// Has the interpreter run a script that records a range, and checks that the run folder then has a range.
fn trial(python: &str, run: &RunFolder) -> Finding {
    let what = "test run";
    let script = "import _proftui\nt = _proftui.name(7, 'trial')\n_proftui.begin(t)\n_proftui.end()\n";
    let environment: Vec<(&str, OsString)> = run.environment();
    let ran = child::output(Command::new(python).args(["-c", script]).envs(environment), LIMIT);
    let mut tree = ProcessTree::default();
    tree.look(run);
    let extent = cycle::Extent::whole(None);
    let recorded = tree.all().map(|process| cycle::collect(&[process], 1, extent).ranges).sum::<u64>();
    let complaint = match &ran {
        Ok(output) => String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned(),
        Err(why) => why.to_string(),
    };
    if recorded > 0 {
        return Finding { mark: Mark::Good, what, text: "a test script was recorded".into() };
    }
    let why = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
    let advice = "run Python without -I, -E and -S, or set another interpreter with --python";
    Finding { mark: Mark::Bad, what, text: format!("a test script could not be recorded{why}; {advice}") }
}
