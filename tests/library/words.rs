//! One word for one thing: words that were replaced by the field's own do not come back.
//!
//! Everything in a source counts: names, comments, texts. A name is split as it is written, `snake_case` or
//! `CamelCase`. `cargo test --test library words:: -- --nocapture` prints what is still left of each word.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files and folders, and why a retired word may stand there.
type Except = (&'static [&'static str], &'static str);

/// Words that are not used, and the one that is.
struct Retired {
    /// The word in all its forms, in lower case.
    forms: &'static [&'static str],
    /// What to write instead.
    instead: &'static str,
    /// Folders in which it is retired; everywhere if empty.
    within: &'static [&'static str],
    /// Files and folders where it may stand, each group with the reason.
    except: &'static [Except],
}

impl Retired {
    const fn new(forms: &'static [&'static str], instead: &'static str) -> Self {
        Self { forms, instead, within: &[], except: &[] }
    }

    const fn within(self, within: &'static [&'static str]) -> Self {
        Self { within, ..self }
    }

    const fn except(self, except: &'static [Except]) -> Self {
        Self { except, ..self }
    }

    fn counts_in(&self, path: &str) -> bool {
        let is_inside = self.within.is_empty() || self.within.iter().any(|folder| path.starts_with(folder));
        let mut excepted = self.except.iter().flat_map(|(paths, _)| *paths);
        is_inside && !excepted.any(|excepted| path.starts_with(excepted))
    }
}

/// Files that are about memory by place.
const PLACES: &[&str] = &[
    "crates/trace/src/export/kineto/anonymous.rs",
    "crates/trace/src/export/kineto/arguments.rs",
    "tests/command/recordings.rs",
    "tests/library/kineto.rs",
    "crates/insight/src/analysis/views/answer/memory.rs",
    "benches/src/paddle.rs",
    "examples/paddle/old_api.py",
    "fuzz/src/mutate.rs",
    "fuzz/src/named.rs",
    "fuzz/src/protobuf.rs",
    "python/proftui/nodes.py",
    "crates/insight/src/analysis/views/allocation.rs",
    "crates/trace/src/import/memory_history/read.rs",
    "crates/insight/src/analysis/insights/rules/memory_growth.rs",
    "crates/insight/src/analysis/views/memory/holders.rs",
    "crates/insight/src/analysis/views/memory/in_use.rs",
    "crates/insight/src/analysis/views/memory.rs",
    "crates/insight/src/analysis/views/memory/peak.rs",
    "crates/insight/src/analysis/views/memory/sums.rs",
    "src/capture/cycle/device/enum_names.rs",
    "src/capture/cycle/device/finish.rs",
    "src/capture/cycle/device/seldom.rs",
    "src/capture/cycle/operators/memory.rs",
    "src/capture/cycle/operators/read.rs",
    "crates/insight/src/dataset/tables/allocations.rs",
    "crates/insight/src/compat/fluid/memory.rs",
    "crates/insight/src/compat/fluid/options.rs",
    "crates/insight/src/compat/fluid/print.rs",
    "crates/insight/src/compat/paddle/memory.rs",
    "crates/insight/src/compat/paddle/memory/tests.rs",
    "crates/insight/src/compat/paddle/print/rows.rs",
    "crates/insight/src/compat/torch/names.rs",
    "crates/insight/src/compat/torch/read.rs",
    "crates/insight/src/compat/visualdl/memory.rs",
    "crates/trace/src/export/paddle_json/document.rs",
    "crates/trace/src/export/paddle_json/messages.rs",
    "crates/trace/src/export/recording/device.rs",
    "crates/trace/src/export/recording/json/host.rs",
    "crates/trace/src/export/recording/protobuf/host.rs",
    "crates/trace/src/import/build/absorb.rs",
    "crates/trace/src/import/build/limit/costs.rs",
    "crates/trace/src/import/build/counters.rs",
    "crates/trace/src/import/build/input.rs",
    "crates/trace/src/import/build/points.rs",
    "crates/trace/src/import/build/renumber.rs",
    "crates/trace/src/import/build/tests.rs",
    "crates/trace/src/import/chrome/event.rs",
    "crates/trace/src/import/chrome/memory.rs",
    "crates/trace/src/import/dialect.rs",
    "crates/trace/src/import/paddle_pb/again.rs",
    "crates/trace/src/import/paddle_pb/events.rs",
    "crates/trace/src/import/paddle_pb/tests.rs",
    "crates/trace/src/model/counter.rs",
    "crates/trace/src/model/digest.rs",
    "crates/trace/src/model/nodetree/args.rs",
    "crates/trace/src/model/nodetree/generated.rs",
    "tests/capture/cuda/seldom.rs",
    "tests/command/cli.rs",
    "tests/command/devices/forms.rs",
    "tests/command/operators.rs",
    "tests/command/operators/files.rs",
    "tests/command/paddle_json.rs",
    "tests/library/fluid.rs",
    "tests/library/import/dialects.rs",
    "tests/library/layouts.rs",
    "tests/library/paddle_stats.rs",
    "tests/library/views.rs",
    "tests/library/visualdl.rs",
    "tests/support/paddle_writer.rs",
    "tests/shared/sums/chrome.py",
    "tests/growth/shapes.rs",
    "python/proftui/memory_timeline.py",
    "tests/module/test_averages.py",
];

/// The retired words.
const RETIRED: &[Retired] = &[
    Retired::new(&["clerk", "clerks"], "event builder"),
    Retired::new(&["crew", "crews"], "parallel reader, workers"),
    Retired::new(&["runner", "runners"], "chunk parser").except(&[
        (&["crates/agent/src/tests.rs", "tests/gpu/selftest.py"], "a test framework's name"),
        (&["examples/torch/mmengine_hook.py"], "mmengine's class"),
    ]),
    Retired::new(&["seat", "seats"], "parameters of a reader"),
    Retired::new(&["glimpse", "glimpses"], "snapshot"),
    Retired::new(&["gate", "gates"], "time range"),
    Retired::new(&["tie", "ties", "tied"], "correlation, links").except(&[(
        &[
            "crates/insight/src/compat/torch/sort.rs",
            "crates/insight/src/compat/torch/sums.rs",
            "tests/library/hta.rs",
        ],
        "equal values",
    )]),
    Retired::new(&["piece", "pieces"], "parsed chunk").within(&["crates/trace/src/import"]),
    Retired::new(&["stage", "stages", "staged", "staging"], "trace builder")
        .within(&["crates/trace/src/import"])
        .except(&[(&["crates/trace/src/import/dialect.rs"], "a kernel's name")]),
    Retired::new(&["stage", "stages"], "phase")
        .within(&["crates/insight/src/analysis", "src/app", "src/ui"])
        .except(&[
            (&["crates/insight/src/analysis/views/model.rs"], "a column's id in JSON"),
            (
                &[
                    "crates/insight/src/analysis/vocabulary/jax.rs",
                    "crates/insight/src/analysis/views/phase_matrix.rs",
                    "crates/insight/src/analysis/views.rs",
                    "src/app/command/tables.rs",
                    "src/app/pane/topics.rs",
                ],
                "the name of a view",
            ),
        ]),
    Retired::new(&["track", "tracks", "spot", "spots"], "lane")
        .within(&["crates/trace/src/import", "crates/trace/src/model"]),
    Retired::new(&["shape", "shapes"], "template")
        .within(&["crates/trace/src/import/chrome", "crates/trace/src/import/build"]),
    Retired::new(&["window", "windows"], "lookahead buffer")
        .within(&["crates/trace/src/import/chrome", "crates/trace/src/import/build"]),
    Retired::new(&["grain"], "ns_per_column"),
    Retired::new(&["forth"], "forward, next"),
    Retired::new(&["incident", "incidents"], "message (`Msg`)"),
    Retired::new(&["course", "courses"], "scheduler"),
    Retired::new(&["turn", "turns", "turned", "turning"], "transition, or what is done"),
    Retired::new(&["halt", "halts", "halted"], "pause"),
    Retired::new(&["lead", "leads"], "leader, or clock offset"),
    Retired::new(&["told", "tell", "tells", "telling"], "states, reports, records").except(&[(
        &["crates/trace/src/export/recording/json/device.rs"],
        "a value in the traces that are written",
    )]),
    Retired::new(&["place", "places", "placed"], "offset, location, subscriber, process key, history entry")
        .except(&[
            (PLACES, "Paddle's place of memory: a device or the host, `Place(gpu:0)`"),
            (&["crates/trace/src/model/graph_names.rs"], "the name of a level in tables and JSON"),
        ]),
    Retired::new(&["reach", "reaches", "reached", "reaching"], "extent, scope").except(&[(
        &["crates/agent/src/cuda/sink.rs", "crates/wire/src/device/answer.rs"],
        "CUPTI's name of a result",
    )]),
    Retired::new(&["family", "families"], "process tree").except(&[
        (&["tests/generate/hostile_names.py"], "an emoji of a family"),
        (
            &["crates/agent/src/process/pidfd.rs", "src/capture/process/ends.rs"],
            "the system's name for a kind of addresses",
        ),
    ]),
    Retired::new(&["saver"], "trace writer").except(&[(
        &["assets/python/_proftui_shim/rare_calls.py", "tests/shim/test_causes.py"],
        "the name of a module of PyTorch",
    )]),
    Retired::new(&["stall", "stalls"], "sync, overhead"),
    Retired::new(&["yardstick", "yardsticks"], "baseline"),
    Retired::new(&["house", "houses", "kin"], "crate, layer"),
];

/// Where sources lie.
const ROOTS: [&str; 8] = ["src", "crates", "tests", "benches", "fuzz", "examples", "python", "assets/python"];

/// Lower-case words of a line, names split.
fn words(line: &str) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    let mut words = vec![String::new()];
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let is_hump = letter.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase)
                    && letters.get(at + 1).is_some_and(|c| c.is_lowercase()));
        if is_hump || !letter.is_alphabetic() {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().expect("one at least").extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Paths in the repository of all sources but this one, and their texts.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = ROOTS.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            if path.is_symlink() {
                continue; // such as a crate's link to the assets of the repository
            }
            if path.is_dir() {
                folders.extend((!name.ends_with("target")).then_some(path));
            } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "py")
                && name != "tests/library/words.rs"
            {
                files.push((name, fs::read_to_string(&path).expect("readable source")));
            }
        }
    }
    assert!(files.len() > 400, "the sources were found");
    files.sort();
    files
}

#[test]
fn retired_words_do_not_come_back() {
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let forms: Vec<&str> = RETIRED.iter().flat_map(|retired| retired.forms).copied().collect();
    for (path, text) in sources() {
        for (number, line) in (1..).zip(text.lines()) {
            for word in words(line).into_iter().filter(|word| forms.contains(&word.as_str())) {
                found
                    .entry(word)
                    .or_default()
                    .push((path.clone(), format!("{path}:{number}: {}", line.trim())));
            }
        }
    }
    let mut wrong = Vec::new();
    for retired in RETIRED {
        let hits = retired.forms.iter().filter_map(|form| found.get(*form)).flatten();
        let hits: Vec<&str> =
            hits.filter(|(path, _)| retired.counts_in(path)).map(|(_, hit)| hit.as_str()).collect();
        let within =
            if retired.within.is_empty() { "everywhere".to_owned() } else { retired.within.join(", ") };
        let name = format!("{} ({within})", retired.forms[0]);
        println!("{name:<56} {:>5}", hits.len());
        if !hits.is_empty() {
            let some = hits.iter().take(20).copied().collect::<Vec<_>>().join("\n  ");
            wrong.push(format!("{name}: {} hits; write: {}\n  {some}", hits.len(), retired.instead));
        }
        for excepted in retired.except.iter().flat_map(|(paths, _)| *paths) {
            let mut all = retired.forms.iter().filter_map(|form| found.get(*form)).flatten();
            let is_used = all.any(|(path, _)| path.starts_with(excepted));
            assert!(is_used, "{excepted} need not be excepted for {name}");
        }
    }
    assert!(wrong.is_empty(), "retired words:\n{}", wrong.join("\n"));
}

#[test]
fn names_are_split_into_words() {
    assert_eq!(
        words("fn take_place(HTTPServer, PLACE2) // TheirPlaces"),
        ["fn", "take", "place", "http", "server", "place", "their", "places"]
    );
    assert_eq!(words("replace, MisPlaced-x"), ["replace", "mis", "placed", "x"]);
}

/// The words that a page's table explains, in its order: `run` and `run folder` of a row `| run, run folder |
/// … |`.
fn explained(page: &str) -> Vec<&str> {
    let rows = page.lines().skip_while(|line| !line.starts_with("| ---")).skip(1);
    let words = rows.map_while(|row| row.strip_prefix("| ")?.split(" |").next());
    words.flat_map(|words| words.split(", ")).collect()
}

#[test]
fn the_glossary_explains_each_word_once() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/glossary.md");
    let page = fs::read_to_string(path).expect("the glossary");
    let mut seen = BTreeSet::new();
    let twice: Vec<&str> = explained(&page).into_iter().filter(|word| !seen.insert(*word)).collect();
    assert!(twice.is_empty(), "explained more than once: {twice:?}");
    assert!(seen.len() > 40, "the words were found: {seen:?}");
    for retired in RETIRED.iter().filter(|retired| retired.within.is_empty() && retired.except.is_empty()) {
        let back: Vec<&&str> = retired.forms.iter().filter(|form| seen.contains(*form)).collect();
        assert!(back.is_empty(), "{back:?} is retired; write: {}", retired.instead);
    }
}

#[test]
fn words_of_a_table_are_found() {
    let page = "# Words\n\n| word | meaning |\n| --- | --- |\n| a, b c | one, two |\n| d | three |\n\n| e | four |\n";
    assert_eq!(explained(page), ["a", "b c", "d"]);
}
