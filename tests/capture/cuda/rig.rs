//! A program on fakes, captured: how it ended, what the fake CUPTI says that it delivered, what the trace
//! has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proftui_trace::import::Loaded;
use proftui_trace::model::Category;

pub(crate) use crate::fakes::{GENERATIONS, cupti, fakes};
use crate::run::{Sandbox, read};

/// What the fake CUPTI of a process says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// Records delivered, by CUPTI's number of their kind.
    pub(crate) delivered: BTreeMap<u32, u64>,
    /// Calls of its functions.
    pub(crate) calls: BTreeMap<String, u64>,
}

/// A capture that is over.
pub(crate) struct Captured {
    pub(crate) sandbox: Sandbox,
    pub(crate) output: Output,
    /// By process.
    pub(crate) ledgers: Vec<Ledger>,
    pub(crate) traces: Vec<Loaded>,
}

impl Captured {
    /// Runs the capture of a program.
    pub(crate) fn of(sandbox: Sandbox, mut command: Command) -> Self {
        let output = command.output().unwrap();
        let traces = sandbox.traces().iter().map(|path| read(path)).collect();
        let ledgers = ledgers(&sandbox);
        Self { sandbox, output, ledgers, traces }
    }

    /// Events of a category in all traces.
    pub(crate) fn count(&self, category: Category) -> u64 {
        let of_trace = |loaded: &Loaded| {
            let slices = &loaded.trace.slices;
            slices.ids().iter().filter(|&id| slices.category(id) == category).count() as u64
        };
        self.traces.iter().map(of_trace).sum()
    }

    /// Links from launches to work, in all traces.
    pub(crate) fn links(&self) -> u64 {
        let of_trace = |loaded: &Loaded| loaded.trace.links.len() as u64;
        self.traces.iter().map(of_trace).sum()
    }

    /// Records of a kind that the fakes delivered, in all processes.
    pub(crate) fn delivered(&self, kind: u32) -> u64 {
        self.ledgers.iter().filter_map(|ledger| ledger.delivered.get(&kind)).sum()
    }

    /// A fact of the first trace.
    pub(crate) fn fact(&self, key: &str) -> Option<String> {
        self.fact_of(0, key)
    }

    /// A fact of the trace with this index, by time.
    pub(crate) fn fact_of(&self, at: usize, key: &str) -> Option<String> {
        let file = self.sandbox.traces().into_iter().nth(at)?;
        let trace: serde_json::Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
        Some(trace["ExtraInfo"][key].as_str()?.to_owned())
    }

    /// The events of all traces, as they are in the files.
    pub(crate) fn events(&self) -> Vec<serde_json::Value> {
        let mut events = Vec::new();
        for file in self.sandbox.traces() {
            let mut trace: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
            events.append(trace["traceEvents"].as_array_mut().unwrap());
        }
        events
    }

    /// What was said on stderr.
    pub(crate) fn said(&self) -> String {
        crate::run::said(&self.output)
    }
}

/// How a program is captured.
#[derive(Clone, Copy, Default)]
pub(crate) struct Setting<'a> {
    /// The generation of CUPTI; the newest by default, `none` for no CUPTI at all.
    pub(crate) generation: Option<&'a str>,
    /// What goes otherwise than usual.
    pub(crate) script: &'a str,
    /// Options of the capture.
    pub(crate) options: &'a [&'a str],
}

impl Setting<'_> {
    /// Captures a program of the fakes.
    pub(crate) fn capture(&self, fakes: &Path, program: &str, arguments: &[&str]) -> Captured {
        let sandbox = Sandbox::new();
        let command = self.command(&sandbox, fakes, program, arguments);
        Captured::of(sandbox, command)
    }

    /// The capture of a program of the fakes, to be started.
    pub(crate) fn command(
        &self,
        sandbox: &Sandbox,
        fakes: &Path,
        program: &str,
        arguments: &[&str],
    ) -> Command {
        let script = sandbox.file("script", self.script);
        let mut command = sandbox.proftui();
        command
            .env("LD_LIBRARY_PATH", fakes)
            .env("FAKE_CUDA_SCRIPT", script)
            .env("FAKE_CUDA_LEDGER", sandbox.path("ledger"))
            .env_remove("CUDA_INJECTION64_PATH")
            .env_remove("NVTX_INJECTION64_PATH")
            .arg("capture");
        match self.generation.unwrap_or("13.5") {
            "none" => {}
            generation => {
                command.arg("--cupti").arg(cupti(fakes, generation));
            }
        }
        // A name that is none of the fakes' programs is looked up on the path.
        let fake = Some(fakes.join(program)).filter(|path| path.exists());
        command.args(self.options).arg("--").arg(fake.unwrap_or_else(|| program.into())).args(arguments);
        command
    }
}

/// What processes wrote down: files `ledger.<process>`.
fn ledgers(sandbox: &Sandbox) -> Vec<Ledger> {
    let entries = std::fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.file_stem().is_some_and(|stem| stem == "ledger"));
    let of_file = |path: PathBuf| {
        let mut ledger = Ledger::default();
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["delivered", kind, count] => {
                    ledger.delivered.insert(kind.parse().unwrap(), count.parse().unwrap());
                }
                ["calls", function, count] => {
                    ledger.calls.insert(function.to_owned(), count.parse().unwrap());
                }
                _ => {}
            }
        }
        ledger
    };
    files.map(of_file).collect()
}
