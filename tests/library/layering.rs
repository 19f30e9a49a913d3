//! Rules of the tree that a compiler does not check: which layer may use which, that files do not use each
//! other in circles, that only `term` talks to the terminal, where text is written to cells, how long a file
//! may be.
//!
//! `cargo test --test library layering:: -- --nocapture` prints the circles that there are and the lines of
//! each module.

mod circles;
mod graph;
mod layers;
mod small_trees;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use graph::Graph;
use layers::Layers;

/// Crates, as paths in Rust name them, and where their sources lie.
const CRATES: [(&str, &str); 6] = [
    ("proftui", "src"),
    ("proftui_agent", "crates/agent/src"),
    ("proftui_base", "crates/base/src"),
    ("proftui_insight", "crates/insight/src"),
    ("proftui_trace", "crates/trace/src"),
    ("proftui_wire", "crates/wire/src"),
];

/// The crates whose code is in the program itself.
const PROGRAM: [&str; 4] = ["proftui", "proftui_base", "proftui_insight", "proftui_trace"];

/// Modules in layers, from the lowest up. A module may use those of the layers below its own, and itself;
/// modules of one layer do not know each other, but for those that stand together in one text. A module is a
/// file and the folder of its name. Which crate may use which, the manifests say, and the compiler holds.
const LAYERS: &[Layers] = &[
    Layers {
        krate: "proftui",
        module: "",
        rows: &[&["capture"], &["app"], &["ui"], &["term"], &["picture"], &["cli"], &["lib"]],
        with_tests: true,
    },
    Layers {
        krate: "proftui_insight",
        module: "",
        rows: &[&["analysis"], &["report"], &["compat"], &["dataset"], &["ask"], &["lib"]],
        with_tests: true,
    },
    // What names say, a part of a trace with who did what in it, what is summed up from both, and the views.
    Layers {
        krate: "proftui_insight",
        module: "analysis",
        rows: &[
            &["thresholds", "vocabulary"],
            &["part"],
            &["flame"],
            &["table"],
            &["arguments"],
            &["clocks", "ledger"],
            &["insights", "graph_names"],
            &["views"],
            &["search"],
            &["analysis"],
        ],
        with_tests: false,
    },
    Layers {
        krate: "proftui_trace",
        module: "",
        rows: &[&["model"], &["import", "index", "export"], &["lib"]],
        with_tests: true,
    },
    // Sources of bytes, then the producers' vocabulary, then the builder, which knows no format, then the
    // formats' readers.
    Layers {
        krate: "proftui_trace",
        module: "import",
        rows: &[
            &["argument error header progress request"],
            &["bytes", "division"],
            &["dialect"],
            &["build"],
            &["chrome", "memory_history", "paddle_pb"],
            &["text visit"],
            &["snapshot"],
            &["load"],
            &["captures", "preflight", "traces"],
            &["import"],
        ],
        with_tests: false,
    },
    // The machine and the files of a run, its processes, its GPUs, what is printed, the cycles, their traces,
    // and who calls all that.
    Layers {
        krate: "proftui",
        module: "capture",
        rows: &[
            &["system"],
            &["files"],
            &["process"],
            &["gpu", "messages"],
            &["signals", "cycle", "plan"],
            &["trace_writer"],
            &["supervisor"],
            &["doctor", "dump", "recover", "run", "self_profiling"],
            &["capture"],
        ],
        with_tests: false,
    },
    // What several subcommands share, then the subcommands.
    Layers {
        krate: "proftui",
        module: "cli",
        rows: &[
            &["output"],
            &["asked", "options"],
            &["load"],
            &[
                "answer completions config capture convert doctor dump export gpu info insights licenses man module open query recover render summary",
            ],
            &["cli"],
        ],
        with_tests: false,
    },
    // What the state is made of, the state, what is done to it, the commands that do it, and the way in.
    Layers {
        krate: "proftui",
        module: "app",
        rows: &[
            &["run", "input"],
            &["session"],
            &["view"],
            &["finding", "pane", "marking"],
            &["wires"],
            &["state"],
            &["actions"],
            &["command"],
            &["candidates explorer update"],
            &["app"],
        ],
        with_tests: false,
    },
    Layers {
        krate: "proftui_wire",
        module: "",
        rows: &[
            &["chunk", "kinds", "outside", "ownership", "process_key", "processor", "schedule", "timer"],
            &["device", "graph_nodes", "live", "log", "names", "options", "perf", "scheduler", "secrets"],
            &["lib"],
        ],
        with_tests: false,
    },
    // What is loaded into other programs: ranges know nothing of Python, and the lowest layers nothing of
    // ranges, chunks and forks.
    Layers {
        krate: "proftui_agent",
        module: "",
        rows: &[
            &["clock", "errno", "lock", "tid", "usage"],
            &["files"],
            &["page"],
            &["device", "live"],
            &["guard", "process"],
            &["spool"],
            &["ranges"],
            &["lifecycle"],
            &["cuda", "nvtx", "itt"],
            &["python"],
            &["lib"],
        ],
        with_tests: false,
    },
    // What the state is made of, the state, what is done with it, and the way in.
    Layers {
        krate: "proftui_agent",
        module: "process",
        rows: &[
            &["budget", "names", "outside", "pidfd", "recent"],
            &["folder", "steps"],
            &["state"],
            &["part", "space"],
            &["slices"],
            &["cycles"],
            &["begin", "recount"],
            &["process"],
        ],
        with_tests: false,
    },
];

/// A circle of files that stays, and why.
struct Circle {
    files: &'static [&'static str],
    reason: &'static str,
}

/// All circles that there are. One that goes is to be taken off; a new one is to be dissolved, or its reason
/// stated.
const CIRCLES: &[Circle] = &[
    Circle {
        files: &[
            "src/app/command.rs",
            "src/app/command/events.rs",
            "src/app/command/general.rs",
            "src/app/command/given.rs",
            "src/app/command/go.rs",
            "src/app/command/help.rs",
            "src/app/command/panes.rs",
            "src/app/command/prompts.rs",
            "src/app/command/sorting.rs",
            "src/app/command/tables.rs",
            "src/app/command/time.rs",
        ],
        reason: "the one table of commands is joined from rows in its children, of the type that it defines",
    },
    Circle {
        files: &["src/term.rs", "src/term/screen.rs"],
        reason: "the screen reports its events in the loop's own type",
    },
];

/// The file that is generated, and as long as its schema.
const GENERATED: &str = "crates/trace/src/model/nodetree/generated.rs";

/// A source file.
struct SourceFile {
    krate: &'static str,
    /// The file's path below the crate's `src`.
    inside: String,
    /// The file's path in the repository.
    path: String,
    text: String,
}

/// All sources of the crates but `main.rs`, which is a crate of its own.
fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for (krate, src) in CRATES {
        let mut folders = vec![root.join(src)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a readable folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let below =
                        |folder: &Path| path.strip_prefix(folder).expect("below").display().to_string();
                    let text = fs::read_to_string(&path).expect("readable source");
                    files.push(SourceFile { krate, inside: below(&root.join(src)), path: below(root), text });
                }
            }
        }
    }
    files.retain(|file| file.inside != "main.rs");
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.len() > 400, "the sources were found");
    files
}

/// The sources of the program itself.
fn own_sources() -> Vec<SourceFile> {
    let mut files = sources();
    files.retain(|file| PROGRAM.contains(&file.krate));
    files
}

fn graph() -> Graph {
    let files = sources();
    let named =
        |file: &'_ SourceFile| (file.krate, file.inside.clone(), file.path.clone(), file.text.clone());
    let texts: Vec<_> = files.iter().map(named).collect();
    Graph::new(
        texts
            .iter()
            .map(|(krate, inside, path, text)| (*krate, inside.as_str(), path.clone(), text.as_str())),
    )
}

/// A folder whose names are seen at one glance.
#[test]
fn folders_have_at_most_25_entries() {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let files = sources();
    for file in &files {
        let (folder, name) = file.path.rsplit_once('/').expect("in a folder");
        folders.entry(folder).or_default().insert(name.trim_end_matches(".rs"));
        if let Some((above, folder)) = folder.rsplit_once('/') {
            folders.entry(above).or_default().insert(folder);
        }
    }
    for (folder, entries) in folders {
        println!("{:>3} {folder}", entries.len());
        assert!(entries.len() <= 25, "{folder} has {} entries: {entries:?}", entries.len());
    }
}

#[test]
fn layers_use_only_those_below() {
    let graph = graph();
    let wrong: Vec<String> = LAYERS.iter().flat_map(|layers| layers.violations(&graph)).collect();
    assert!(wrong.is_empty(), "against the layers:\n{}", wrong.join("\n"));
}

#[test]
fn files_form_no_circles_but_those_listed() {
    let graph = graph();
    let mut listed: Vec<(Vec<&str>, &str)> =
        CIRCLES.iter().map(|circle| (circle.files.to_vec(), circle.reason)).collect();
    let mut unlisted = Vec::new();
    for circle in circles::circles(&graph) {
        let files: Vec<&str> = circle.iter().map(|&at| graph.files[at].path.as_str()).collect();
        let text = circles::describe(&graph, &circle);
        if let Some(at) = listed.iter().position(|(known, _)| *known == files) {
            let (_, reason) = listed.swap_remove(at);
            println!("Listed, since {reason}:\n{text}");
        } else {
            unlisted.push(text);
        }
    }
    let gone: Vec<String> = listed.iter().map(|(files, _)| files.join(", ")).collect();
    assert!(gone.is_empty(), "no circles any more, to be taken off the list:\n{}", gone.join("\n"));
    assert!(unlisted.is_empty(), "new circles, to be dissolved or listed:\n{}", unlisted.join("\n"));
}

#[test]
fn unsafe_code_is_in_named_files() {
    for file in own_sources() {
        let named = [
            "crates/base/src/closed.rs",
            "crates/base/src/heap.rs",
            "src/capture/gpu/probe.rs",
            "src/capture/system/pidfd.rs",
            "src/term/emergency.rs",
        ];
        let is_named = named.contains(&file.path.as_str());
        assert_eq!(file.text.contains("unsafe_code"), is_named, "{}", file.path);
    }
}

/// The terminal is the business of `term`, with one library: its commands and types, not its writing nor its
/// reading, which `term` has reasons to do itself.
#[test]
fn only_term_talks_to_the_terminal() {
    let others = ["termion::", "termwiz::", "ratatui::backend", "ratatui::Terminal"];
    let of_crossterm = ["execute!", "queue!", "event::read", "event::poll", "cursor::position"];
    for file in own_sources() {
        let is_term = file.path == "src/term.rs" || file.path.starts_with("src/term/");
        assert!(is_term || !file.text.contains("crossterm::"), "{} names crossterm", file.path);
        for name in others.iter().chain(&of_crossterm) {
            assert!(!code(&file.text).contains(name), "{} names {name}", file.path);
        }
    }
}

/// The lines that are no comment.
fn code(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[test]
fn text_is_written_to_cells_in_one_file() {
    let writes =
        ["set_symbol(", "set_string(", "set_stringn(", "set_char(", "set_line(", "Paragraph::", "Span::raw"];
    for file in own_sources() {
        let may_write = ["src/ui/paint.rs", "src/term/encode/tidy.rs", "src/term/encode/tests.rs"]
            .contains(&file.path.as_str());
        let found = writes.iter().find(|call| file.text.contains(*call));
        assert!(may_write || found.is_none(), "{} writes cells by {found:?}", file.path);
    }
}

/// The part of a file that is at most 110 columns wide: not the tests, which have traces as texts.
fn narrow_code(file: &SourceFile) -> &str {
    let is_test = file.path.ends_with("tests.rs") || file.path.contains("/tests/");
    file.text.split("\nmod tests {").next().filter(|_| !is_test).unwrap_or_default()
}

#[test]
fn every_file_says_what_it_is_and_stays_short() {
    let mut lengths = Vec::new();
    for file in sources().into_iter().filter(|file| file.path != GENERATED) {
        // Rows of a table cannot be broken. rustfmt breaks code, but no texts and no rows of macros.
        let is_comment = |line: &&str| line.trim_start().starts_with("//");
        let mut held = narrow_code(&file).lines().chain(file.text.lines().filter(is_comment));
        let is_row = |line: &str| is_comment(&line) && line.contains(" | ");
        let wide = held.find(|line| line.chars().count() > 110 && !is_row(line));
        assert!(wide.is_none(), "{}: wider than 110 columns: {wide:?}", file.path);
        assert!(file.text.starts_with("//!"), "{} does not begin with //!", file.path);
        let lines = file.text.lines().count();
        let most = if PROGRAM.contains(&file.krate) { 600 } else { 450 };
        assert!(lines <= most, "{} has {lines} lines", file.path);
        lengths.push(lines);
    }
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= 150, "the median file has {median} lines");
    let long = lengths.iter().filter(|&&lines| lines > 450).count();
    assert!(long <= 3, "{long} files have more than 450 lines");
}

/// Prints how many files and lines each module has, tests included; checks nothing but that it adds up.
#[test]
fn lines_by_module() {
    let graph = graph();
    let mut modules: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for file in &graph.files {
        let module = file.module.first().map_or("lib", String::as_str);
        let (files, lines) = modules.entry((&file.krate, module)).or_default();
        *files += 1;
        *lines += file.lines;
    }
    println!("{:<24} {:>6} {:>8}", "module", "files", "lines");
    for ((krate, module), (files, lines)) in &modules {
        println!("{:<24} {files:>6} {lines:>8}", format!("{krate}::{module}"));
    }
    let total: usize = modules.values().map(|(_, lines)| lines).sum();
    println!("{:<24} {:>6} {total:>8}", "all", graph.files.len());
    assert_eq!(total, sources().iter().map(|file| file.text.lines().count()).sum::<usize>());
}
