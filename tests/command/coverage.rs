//! The page that compares the guides with proftui: its commands run and print what it says, its Python runs,
//! its files exist, its counts are those of its rows. The keys are pressed in
//! `tests/terminal/explorer/coverage.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::binary::BINARY;
use crate::coverage_page::{Code, page};
use crate::skip;

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// Runs a command line in a fresh folder with the demo traces and the examples. Returns whether it succeeded,
/// and what it printed.
fn run(line: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["demo-traces", "examples"] {
        std::os::unix::fs::symlink(Path::new(REPOSITORY).join(name), folder.path().join(name))
            .expect("linked");
    }
    let program = Path::new(BINARY);
    let mut path = program.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{line}")])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("PROFTUI_BIN", program)
        .env("PYTHONPATH", Path::new(REPOSITORY).join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn has_python() -> bool {
    let ask = "import sys; sys.exit(sys.version_info < (3, 8))";
    Command::new("python3").args(["-c", ask]).status().is_ok_and(|status| status.success())
}

/// What the page's Python runs in. `prof` is a stopped `Profiler` with a result, `p` a stopped `profile`,
/// both fresh for each code; the page describes the functions.
const PREAMBLE: &str = r"
import contextlib, io, json, os, sys, warnings
import proftui
import proftui as profiler
warnings.simplefilter('ignore')

def raised(function):
    try:
        return function()
    except Exception as error:
        return error

def loop(one, steps):
    for other in ('prof', 'p'):
        if other in globals():
            globals()[other].stop()
    one.start()
    for step in range(steps):
        with proftui.RecordEvent('iteration'):
            sum(range(1000))
        one.step()
    one.stop()
    return one

def names(node):
    return [node.name] + [name for child in node.children_node for name in names(child)]

def recorded(**options):
    results = []
    options.setdefault('on_trace_ready', results.append)
    one = loop(proftui.Profiler(**options), 20)
    result = one.profiler_result
    trees = result.get_data().values() if result else []
    return len(results), [name for tree in trees for name in names(tree) if name.startswith('ProfileStep')]

def active(**options):
    results = []
    one = loop(proftui.profile(on_trace_ready=results.append, **options), 20)
    return len(results), {row.key: row.count for row in one.key_averages()}

def files(callback):
    loop(proftui.Profiler(on_trace_ready=callback), 5)
    return sorted(os.listdir('folder'))
def run(code):
    global prof, p
    if 'prof.' in code or '(prof)' in code:
        prof = loop(proftui.Profiler(scheduler=(1, 3), on_trace_ready=lambda prof: None), 5)
    elif code.startswith('p.'):
        p = loop(proftui.profile(activities=[proftui.ProfilerActivity.CPU]), 5)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            compiled = compile(code, 'page', 'eval')
        except SyntaxError:
            exec(code, globals())
            return printed.getvalue()
        result = eval(compiled, globals())
    return printed.getvalue() + repr(result)

prof = loop(proftui.Profiler(on_trace_ready=lambda prof: None), 5)
prof.export('result.pb', format='pb')
";

/// Runs the page's Python, all of it in one process. Returns what each code printed and its value, or how it
/// failed.
fn run_python(codes: &[String]) -> BTreeMap<String, (bool, String)> {
    let mut script = PREAMBLE.to_owned();
    for code in codes {
        let quoted = serde_json::to_string(code).expect("a string");
        let _ = write!(
            script,
            "try:\n    done = (True, run({quoted}))\nexcept Exception as error:\n    done = (False, repr(error))\n\
             sys.__stdout__.write('\\x01' + json.dumps(done) + '\\n')\n"
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("page.py");
    std::fs::write(&path, script).expect("written");
    let (is_done, printed) = run(&format!("python3 {}", path.display()));
    let results: Vec<(bool, String)> = printed
        .lines()
        .filter_map(|line| line.split_once('\u{1}'))
        .map(|(_, json)| serde_json::from_str(json).expect("a result"))
        .collect();
    assert!(is_done && results.len() == codes.len(), "{printed}");
    codes.iter().cloned().zip(results).collect()
}

#[test]
fn what_the_page_says_is_printed() {
    let page = page();
    let has_python = has_python();
    if !has_python {
        skip::lacks_tool(
            "the Python of docs/coverage.md",
            "no python3 of 3.8 or later",
            "install Python 3.8 or newer",
        );
    }
    let codes = || page.rows.iter().flat_map(|row| &row.here);
    let python: Vec<String> = codes()
        .filter_map(|code| if let Code::Python(code) = code { Some(code.clone()) } else { None })
        .collect();
    let mut results = if has_python { run_python(&python) } else { BTreeMap::new() };
    let lines: BTreeSet<&String> = codes()
        .filter_map(|code| if let Code::Command(line) = code { Some(line) } else { None })
        .filter(|line| has_python || !line.contains("python3"))
        .collect();
    let lines: Vec<&String> = lines.into_iter().collect();
    let next = AtomicUsize::new(0);
    let share = || {
        let mut done = Vec::new();
        while let Some(&line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((line.clone(), run(line)));
        }
        done
    };
    std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(share));
        results.extend(threads.into_iter().flat_map(|thread| thread.join().expect("a thread")));
    });
    let mut wrong = String::new();
    for row in &page.rows {
        let mut printed = String::new();
        let mut is_run = true;
        for code in &row.here {
            match code {
                Code::Command(line) | Code::Python(line) => match results.get(line) {
                    Some((true, text)) => printed += text,
                    Some((false, text)) => {
                        let _ = writeln!(wrong, "{}: {line} fails: {text}", row.feature);
                    }
                    None => is_run = false,
                },
                Code::File(path) => {
                    assert!(Path::new(REPOSITORY).join(path).exists(), "{}: no file {path}", row.feature);
                }
                Code::Open(_) | Code::Keys(_) => is_run = false,
            }
        }
        for text in row.shows.iter().filter(|text| is_run && !printed.contains(text.as_str())) {
            let _ = writeln!(wrong, "{}: `{text}` is not printed by {:?}", row.feature, row.here);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_page_counts_its_rows() {
    let page = page();
    let guides: Vec<&str> = page.rows.iter().map(|row| row.guide.as_str()).collect();
    let count = |guide: &str, state: &str| {
        let is_one = |row: &&crate::coverage_page::Row| {
            (guide == "All" || row.guide == guide) && (state.is_empty() || row.state == state)
        };
        page.rows.iter().filter(is_one).count()
    };
    let mut names = guides.clone();
    names.dedup();
    assert_eq!(names.len(), 6, "the guides: {names:?}");
    for name in names.into_iter().chain(["All"]) {
        let row = format!(
            "| {name} | {} | {} | {} | {} |",
            count(name, ""),
            count(name, "works"),
            count(name, "partly"),
            count(name, "not")
        );
        assert!(page.text.contains(&row), "docs/coverage.md lacks the counts {row}");
    }
}

#[test]
fn keys_stand_apart_from_commands() {
    for row in page().rows {
        let has_keys = row.here.iter().any(|code| matches!(code, Code::Keys(_) | Code::Open(_)));
        let has_commands = row.here.iter().any(|code| matches!(code, Code::Command(_) | Code::Python(_)));
        assert!(!(has_keys && has_commands), "{}: {:?}: what shows the text?", row.feature, row.here);
    }
}
