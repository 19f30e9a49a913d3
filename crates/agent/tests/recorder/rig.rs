//! The test bench: makes run folders, runs programs under every Python, and reads the files that the recorder
//! left.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use proftui_wire::chunk::{Chunk, Range, STEP_NAME};
use proftui_wire::device::{self, Record};
use proftui_wire::kinds::{PROCESS, PROCESSOR};
use proftui_wire::live::{Live, Word};
use proftui_wire::log::{Entry, Event, NoteKind, entries};
use proftui_wire::names;
use proftui_wire::process_key::{LIVE, LOG, NAMES, ProcessKey};

use crate::{skip, tools};

/// The beginning of every program: loads the recorder's module as `agent`.
const PRELUDE: &str = r#"
import importlib.machinery, importlib.util, multiprocessing, os, sys
def load():
    loader = importlib.machinery.ExtensionFileLoader("_proftui", os.environ["PROFTUI_AGENT"])
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("_proftui", loader))
    loader.exec_module(module)
    return module
agent = load()
"#;
/// Opens the module, in programs that do not do it themselves.
const OPEN: &str = "assert agent.open(False)\n";

/// Minor versions of Python 3 that the recorder supports.
const MINORS: std::ops::RangeInclusive<u32> = 8..=13;
/// The name of the checks in the list of those that are skipped.
const WHAT: &str = "the recorder in Python";

/// An interpreter of each supported version that is installed.
pub fn pythons() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let installed = tools::pythons(WHAT);
        let of = |minor: u32| {
            let found = installed.iter().find(|python| python.version == (3, minor));
            if found.is_none() {
                let (why, remedy) = (format!("no Python 3.{minor}"), format!("install Python 3.{minor}"));
                skip::excused(WHAT, &why, &remedy);
            }
            Some(PathBuf::from(&found?.path))
        };
        let found: Vec<PathBuf> = MINORS.filter_map(of).collect();
        if found.is_empty() && !installed.is_empty() {
            skip::lacks_tool(WHAT, "no Python from 3.8 to 3.13", "install Python 3.13");
        }
        found
    })
}

/// The latest of [`pythons`], for tests that are the same under all versions.
pub fn latest() -> Option<&'static PathBuf> {
    pythons().last()
}

/// The path of the recorder's library, built for these tests: cargo itself builds no shared library for a
/// test.
pub fn agent() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agent");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--offline", "--locked", "--lib", "--manifest-path"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&target)
            .status()
            .expect("cargo runs");
        assert!(built.success());
        target.join("debug/libproftui_agent.so")
    })
}

/// A run with a folder of its own, which is removed at the end.
pub struct Run {
    /// Path of the run's folder.
    pub folder: PathBuf,
}

impl Run {
    /// Makes a run with these options, lines of `key=value`.
    pub fn new(options: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("run-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).expect("a folder");
        Self::at(folder, options)
    }

    /// Makes a run in an existing folder.
    pub fn at(folder: PathBuf, options: &str) -> Self {
        fs::write(folder.join("options"), options).expect("options");
        Self { folder }
    }

    /// The command that runs a program, after [`PRELUDE`] and [`OPEN`].
    pub fn program(&self, python: &Path, program: &str) -> Command {
        self.bare(python, &format!("{OPEN}{program}"))
    }

    /// The command that runs a program, after [`PRELUDE`].
    pub fn bare(&self, python: &Path, program: &str) -> Command {
        let file = self.folder.join("program.py");
        fs::write(&file, format!("{PRELUDE}{program}")).expect("a program");
        let mut command = Command::new(python);
        command.arg(file).env("PROFTUI_RUN", &self.folder).env("PROFTUI_AGENT", agent());
        command.env_remove("PYTHONPATH").env_remove("PROFTUI_DISABLE").env_remove("PROFTUI_LEADER");
        command
    }

    /// Runs a program that must succeed and print nothing on stderr; returns its output.
    pub fn runs(&self, python: &Path, program: &str) -> String {
        says(&mut self.program(python, program))
    }

    /// The processes that have a folder in the run, in the order of their starts. Process ids begin again at
    /// some number.
    pub fn processes(&self) -> Vec<Process> {
        let mut keys: Vec<(ProcessKey, PathBuf)> = fs::read_dir(&self.folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path)))
            .collect();
        keys.sort_by_key(|(key, _)| (key.start, key.pid, key.programs));
        keys.into_iter().map(|(key, path)| Process::read(key, &path)).collect()
    }

    /// The only process that has a folder in the run.
    pub fn process(&self) -> Process {
        let mut processes = self.processes();
        assert_eq!(
            processes.len(),
            1,
            "{:?}",
            processes.iter().map(|process| process.key).collect::<Vec<_>>()
        );
        processes.remove(0)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // A folder that stays does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Runs a command that must succeed and print nothing on stderr; returns its output.
pub fn says(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("python runs");
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success() && stderr.is_empty(), "{command:?}: {status}\n{stderr}");
    String::from_utf8_lossy(&stdout).into_owned()
}

/// A range, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The range's kind: Paddle's number of the event type.
    pub kind: u8,
    /// The range's name.
    pub name: String,
    /// When it began, ns.
    pub start: u64,
    /// When it ended, ns; none for one that has not ended.
    pub end: Option<u64>,
}

/// The contents of a process's folder.
pub struct Process {
    /// The process's key.
    pub key: ProcessKey,
    /// The log's entries.
    pub log: Vec<Entry>,
    /// The live page.
    pub live: Live,
    /// The records of processor time and memory, in the order of the steps' ends.
    pub step_notes: Vec<Range>,
    names: Vec<Vec<u8>>,
    /// The chunks, by cycle, thread and index.
    chunks: BTreeMap<(u32, u32, u32), Chunk>,
    /// The bytes of the device chunks, by cycle and index.
    devices: BTreeMap<(u32, u32), Vec<u8>>,
}

impl Process {
    fn read(key: ProcessKey, folder: &Path) -> Self {
        let file = |name: &str| fs::read(folder.join(name)).expect("a file");
        let (mut chunks, mut devices, mut notes) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if !name.starts_with('c') {
                continue;
            }
            if name.contains(".g") {
                let bytes = fs::read(&path).expect("readable");
                if let Ok(device::Chunk { header, .. }) = device::Chunk::read(&bytes) {
                    assert_eq!((name, header.pid), (header.file(), key.pid));
                    devices.insert((header.cycle, header.index), bytes);
                }
                continue;
            }
            // A chunk that was being made when the process died cannot be read.
            let Ok(mut chunk) = Chunk::read(&fs::read(&path).expect("readable")) else { continue };
            chunk.ended.retain(|range| match range.tag.kind() {
                PROCESSOR | PROCESS => {
                    notes.push(*range);
                    false
                }
                _ => true,
            });
            let header = chunk.header;
            assert_eq!(name, format!("c{}.t{}.{}", header.cycle, header.tid, header.index));
            assert_eq!(header.pid, key.pid);
            chunks.insert((header.cycle, header.tid, header.index), chunk);
        }
        let (log, used) = entries(&file(LOG));
        assert_eq!(used, file(LOG).len(), "whole entries");
        let (live, names) = (Live::read(&file(LIVE)), names::read(&file(NAMES)).0);
        notes.sort_by_key(|note| (note.end, note.tag.kind()));
        Self { key, log, live, names, chunks, devices, step_notes: notes }
    }

    /// The name with this number.
    pub fn text(&self, number: u32) -> String {
        let name = (number as usize).checked_sub(1).and_then(|at| self.names.get(at));
        String::from_utf8_lossy(name.unwrap_or_else(|| panic!("no name {number}"))).into_owned()
    }

    /// The numbers of the threads that have chunks in a cycle.
    pub fn threads(&self, cycle: u32) -> Vec<u32> {
        let mut threads: Vec<u32> =
            self.chunks.keys().filter(|key| key.0 == cycle).map(|key| key.1).collect();
        threads.dedup();
        threads
    }

    /// The device records of a cycle.
    pub fn records(&self, cycle: u32) -> Vec<Record> {
        let chunks = self.devices.range((cycle, 0)..=(cycle, u32::MAX));
        let chunks = chunks.map(|(_, bytes)| device::Chunk::read(bytes).expect("read before"));
        chunks.flat_map(|chunk| chunk.records()).collect()
    }

    /// The numbers of the cycles that have chunks.
    pub fn cycles(&self) -> Vec<u32> {
        let mut cycles: Vec<u32> = self.chunks.keys().map(|key| key.0).collect();
        cycles.dedup();
        cycles
    }

    fn of(&self, cycle: u32, tid: u32) -> impl DoubleEndedIterator<Item = &Chunk> {
        self.chunks.range((cycle, tid, 0)..=(cycle, tid, u32::MAX)).map(|(_, chunk)| chunk)
    }

    fn named(&self, range: &Range) -> Named {
        let Range { start, end, tag, number } = *range;
        let mut name = self.text(tag.name());
        if name == STEP_NAME {
            name += &number.to_string();
        }
        Named { kind: tag.kind(), name, start, end }
    }

    /// The finished ranges of a thread in a cycle, in the order of their ends.
    pub fn ended(&self, cycle: u32, tid: u32) -> Vec<Named> {
        let chunks: Vec<&Chunk> = self.of(cycle, tid).collect();
        let first = chunks.first().map_or(0, |chunk| chunk.header.index as usize);
        let mut numbered = chunks.iter().enumerate();
        assert!(numbered.all(|(at, chunk)| chunk.header.index as usize == first + at), "one after the other");
        assert!(first == 0 || self.live.get(Word::Since) > 0, "all of them");
        chunks.iter().flat_map(|chunk| &chunk.ended).map(|range| self.named(range)).collect()
    }

    /// The open ranges of a thread in a cycle.
    pub fn open(&self, cycle: u32, tid: u32) -> Vec<Named> {
        self.of(cycle, tid)
            .last()
            .map_or(&[][..], |chunk| &chunk.open)
            .iter()
            .map(|range| self.named(range))
            .collect()
    }

    /// Names of the finished ranges of the main thread in a cycle.
    pub fn main(&self, cycle: u32) -> Vec<String> {
        self.ended(cycle, self.key.pid).into_iter().map(|range| range.name).collect()
    }

    /// How many ranges all threads recorded in all cycles, open ones included.
    pub fn kept(&self) -> u64 {
        let last =
            |&(cycle, tid): &(u32, u32)| self.of(cycle, tid).last().map_or(0, |chunk| chunk.open.len());
        let ended: usize = self.chunks.values().map(|chunk| chunk.ended.len()).sum();
        let mut lanes: Vec<(u32, u32)> = self.chunks.keys().map(|key| (key.0, key.1)).collect();
        lanes.dedup();
        ended as u64 + lanes.iter().map(last).sum::<usize>() as u64
    }

    /// How many ranges all threads lost in all cycles.
    pub fn lost(&self) -> u64 {
        let mut lanes: Vec<(u32, u32)> = self.chunks.keys().map(|key| (key.0, key.1)).collect();
        lanes.dedup();
        let counted =
            lanes.iter().map(|&(cycle, tid)| self.of(cycle, tid).last().map_or(0, |chunk| chunk.lost));
        counted.sum::<u64>() + self.live.get(Word::Lost)
    }

    /// The events of the log, without readings of the clock.
    pub fn events(&self) -> Vec<Event> {
        let events = self.log.iter().map(|entry| entry.event);
        events.filter(|event| !matches!(event, Event::Clock { .. })).collect()
    }

    /// The cycles that stopped for want of room: cycle, step and cause.
    pub fn stops(&self) -> Vec<(u64, u64, String)> {
        let stops = self.log.iter().filter_map(|entry| match entry.event {
            Event::Full { cycle, step, why } => Some((cycle, step, self.text(why))),
            _ => None,
        });
        stops.collect()
    }

    /// The notes of the log, with their texts.
    pub fn notes(&self) -> Vec<(NoteKind, String)> {
        let notes = self.log.iter().filter_map(|entry| match entry.event {
            Event::Note { kind, text } => Some((kind, self.text(text))),
            _ => None,
        });
        notes.collect()
    }
}
