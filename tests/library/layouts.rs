//! Every view, layout and format with hostile names, stacks and sizes: no panic, nothing unsafe to show, text
//! in proportion to the trace.

use std::fmt::Write;

use proftui_base::fmt::TimeUnit;
use proftui_insight::analysis::{Arguments, Scope, Table, VIEWS};
use proftui_insight::compat::{fluid, paddle, torch, visualdl};
use proftui_insight::report;
use proftui_insight::report::csv::Formulas;
use proftui_trace::import::{Loaded, Progress, Request, load_bytes};
use proptest::prelude::*;

fn load(text: &str) -> Loaded {
    load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace")
}

/// The report of the layout fluid.
fn fluid(loaded: &Loaded, state: fluid::State) -> String {
    let options = fluid::Options { state, detail: fluid::Detail::OpDetail, ..fluid::Options::default() };
    fluid::print::render(&fluid::report(&loaded.trace, &Scope::default(), options))
}

fn torch(loaded: &Loaded, rules: torch::Rules) -> torch::Averages {
    let grouping = torch::Grouping { by_shape: true, by_stack: 5 };
    let averages = torch::averages(&loaded.trace, &loaded.texts, &Scope::default(), rules, grouping);
    averages.expect("a text in memory can be read again")
}

/// The tables of our own views, in each grouping.
fn own_tables(loaded: &Loaded) -> Vec<Table> {
    let (trace, scope) = (&loaded.trace, Scope::default());
    let mut tables: Vec<Table> = VIEWS.iter().map(|view| view.table(trace, &scope)).collect();
    for (view, grouping) in VIEWS.iter().flat_map(|view| view.groupings.iter().map(move |by| (view, by))) {
        let arguments = Arguments::read(trace, &loaded.texts, &scope, grouping.needs);
        tables.push(view.table_by(grouping, trace, &scope, &arguments.expect("a text can be read again")));
    }
    tables
}

/// The tables of other tools' layouts.
fn layout_tables(loaded: &Loaded) -> Vec<Table> {
    let (trace, scope) = (&loaded.trace, Scope::default());
    let mut tables = vec![torch(loaded, torch::Rules::default()).table()];
    tables.extend(paddle::summaries(trace, &scope, paddle::Options::default(), |_| true));
    tables.extend(visualdl::summaries(trace, &loaded.texts, &scope, |_| true));
    tables
}

/// The tables in all formats, with the name of the format.
fn formatted(tables: &[Table]) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    for table in tables {
        for width in [Some(40), Some(100), Some(1_000)] {
            let look = report::text::Look { width, ..report::text::Look::default() };
            out.push(("text", report::text::render(table, look)));
        }
        let scope = serde_json::Value::Null;
        let json = serde_json::to_string(&report::json::render(table, &scope));
        for formulas in [Formulas::Guarded, Formulas::Raw] {
            out.push(("csv", report::csv::render(table, formulas).replace("\r\n", "\n")));
        }
        out.push(("markdown", report::markdown::render(table, None)));
        out.push(("json", json.expect("numbers and texts")));
    }
    out
}

/// All that `summary` prints of a trace by the layouts of other tools, with the name of the layout or format.
fn layouts(loaded: &Loaded) -> Vec<(&'static str, String)> {
    let mut out = formatted(&layout_tables(loaded));
    for rules in [torch::Rules::default(), torch::Rules::DeepLink] {
        let averages = torch(loaded, rules);
        for name_width in [0, 1, 55, 1_000] {
            let options = torch::print::TableOptions { name_width, row_limit: -1, ..Default::default() };
            out.push(("torch", torch::print::render(&averages, &options)));
        }
    }
    for by_thread in [false, true] {
        let options = paddle::Options { by_thread, ..paddle::Options::default() };
        let tables = paddle::summaries(&loaded.trace, &Scope::default(), options, |_| true);
        out.push(("paddle", paddle::print::render(&tables, TimeUnit::Milli)));
    }
    let states = [fluid::State::All, fluid::State::Cpu, fluid::State::Gpu];
    out.extend(states.map(|state| ("fluid", fluid(loaded, state))));
    out
}

/// True for the characters that no output has: those that control a terminal, reorder the text around them,
/// or are not seen.
fn is_forbidden(ch: char) -> bool {
    let is_unseen = matches!(ch, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    ch.is_control() && ch != '\n' || is_unseen
}

/// Checks all outputs of a trace.
fn all_are_safe(loaded: &Loaded) {
    for (layout, text) in formatted(&own_tables(loaded)).into_iter().chain(layouts(loaded)) {
        let found = text.chars().find(|&ch| is_forbidden(ch));
        assert_eq!(found, None, "{layout} {}", text.chars().take(2_000).collect::<String>().escape_debug());
    }
}

/// A trace with the name wherever a table shows one.
fn named(name: &str) -> String {
    const CATS: [&str; 18] = [
        "cpu_op",
        "Operator",
        "OperatorInner",
        "ProfileStep",
        "user_annotation",
        "Forward",
        "Dataloader",
        "Communication",
        "PythonUserDefined",
        "UserDefined",
        "python_function",
        "PythonOp",
        "cuda_runtime",
        "kernel",
        "gpu_memcpy",
        "gpu_memset",
        "gpu_user_annotation",
        "overhead",
    ];
    let name = serde_json::to_string(name).expect("a text");
    let mut out =
        format!("{{\"deviceProperties\":[{{\"id\":0,\"name\":{name}}}],\"with_flops\":1,\"traceEvents\":[");
    for (at, cat) in CATS.iter().enumerate() {
        let is_device = matches!(*cat, "kernel" | "gpu_memcpy" | "gpu_memset" | "gpu_user_annotation");
        let (pid, tid) = if is_device { ("0", "7") } else { ("1", name.as_str()) };
        let number = at % 3 + 1;
        write!(
            out,
            r#"{{"ph":"X","cat":"{cat}","name":{name},"pid":{pid},"tid":{tid},"ts":{at},"dur":{},"args":{{"correlation":{number},
            "External id":{number},"Call stack":{name},"Input Dims":[[2,3],[]],"Input type":[{name}],"grid":[1,2,3]}}}},"#,
            50 - at
        )
        .expect("a text");
    }
    write!(
        out,
        r#"{{"ph":"X","cat":"ProfileStep","name":"ProfileStep#1","pid":1,"tid":3,"ts":0,"dur":90}},
        {{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":{name},"ts":9,"args":{{"Bytes":8,"Addr":1,"Device Type":1,"Device Id":0}}}},
        {{"ph":"X","cat":"Allocated","name":"[memory]","pid":1,"tid":{name},"ts":9,"dur":0,"args":{{"place":{name},"increase_bytes":8,"addr":1}}}},
        {{"ph":"C","name":{name},"pid":1,"ts":5,"args":{{{name}:5}}}},
        {{"ph":"M","name":"process_name","pid":1,"args":{{"name":{name}}}}}]}}"#
    )
    .expect("a text");
    out
}

#[test]
fn hostile_names_in_every_layout() {
    let names = [
        "",
        " ",
        "\u{6b65}\u{9aa4}1",
        "\u{7b2c}1",
        "1\u{7b2c}",
        "\u{661}\u{662}\u{663}",
        "\u{ff11}\u{ff12}",
        "\u{96e}7 \u{2460}",
        "e\u{301}\u{302}\u{303}\u{304}\u{305}5",
        "\u{301}1",
        "\u{1f469}\u{200d}\u{1f4bb}7",
        "\u{1f1e9}\u{1f1ea}",
        "\u{202e}abc\u{2066}1",
        "x\u{1b}[2J\u{9b}31m",
        "a\nb\tc\rd\0e",
        "=1+1",
        "a|b`c<d>e&f@g",
        "\u{130}nccl",
        "\u{1e9e}MEMCPY\u{df}",
        "ProfileStep#99999999999999999999",
        "\u{6838}<a>(b)",
        "<\u{6838}>(\u{6838})",
        "\u{e9}::compute",
        "GpuMemcpy\u{e9}",
        "stream \u{6b65}",
        "\u{10ffff}\u{fdd0}",
    ];
    for name in names {
        all_are_safe(&load(&named(name)));
    }
    for long in
        ["a".repeat(65_528), "\u{6b65}".repeat(21_000) + "1", "e\u{301}".repeat(20_000), "1".repeat(65_536)]
    {
        all_are_safe(&load(&named(&long)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_name_in_every_layout(name in "\\PC{0,12}|[0-9\u{6b65}\u{661}\u{e9}\u{301}#:_ ]{0,12}|.{0,12}") {
        all_are_safe(&load(&named(&name)));
    }
}

/// Events each nested in the one before: whole, or begun and never ended.
fn nested(n: usize, is_open: bool) -> Loaded {
    let event = |at: usize| {
        if is_open {
            format!(r#"{{"ph":"B","name":"op","pid":1,"tid":1,"ts":{at}}}"#)
        } else {
            let dur = 2 * (n - at);
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"op{at}","pid":1,"tid":1,"ts":{at},"dur":{dur}}}"#)
        }
    };
    load(&format!("[{}]", (0..n).map(event).collect::<Vec<_>>().join(",")))
}

#[test]
fn the_text_of_deep_stacks_grows_with_the_trace() {
    for is_open in [false, true] {
        let [few, many] = [1_000, 10_000].map(|n| nested(n, is_open));
        let (few, many) = (layouts(&few), layouts(&many));
        assert_eq!(few.len(), many.len());
        for ((layout, few), (_, many)) in few.iter().zip(&many) {
            assert!(
                many.len() <= 15 * few.len().max(2_000),
                "{layout}: {} and {} bytes",
                few.len(),
                many.len()
            );
        }
        let rows = many.iter().filter(|(layout, _)| *layout == "fluid").map(|(_, text)| text.lines().count());
        assert!(rows.min() >= Some(10_000), "each path has its row");
    }
}

#[test]
fn long_names_widen_no_other_rows() {
    let op = |name: &str| {
        format!(r#"{{"ph":"X","cat":"PythonUserDefined","name":"{name}","pid":1,"tid":1,"ts":1,"dur":1}}"#)
    };
    let short: Vec<String> = (0..500).map(|at| op(&format!("op{at}"))).collect();
    let text = format!("[{},{}]", op(&"a".repeat(60_000)), short.join(","));
    for (layout, text) in layouts(&load(&text)) {
        assert!(text.len() < 2_000_000, "{layout}: {} bytes", text.len());
    }
}

#[test]
fn what_is_not_as_in_the_original_is_said_once() {
    let report = |loaded: &Loaded| fluid::report(&loaded.trace, &Scope::default(), fluid::Options::default());
    let deep = report(&nested(300, false)).notes();
    assert_eq!(
        deep.iter().filter(|note| note.contains("99 rows deeper than 200 levels")).count(),
        1,
        "{deep:?}"
    );
    assert!(!report(&nested(201, false)).notes().iter().any(|note| note.contains("rows deeper")));
    let long = load(&named(&"a".repeat(1_001)));
    assert!(report(&long).notes().iter().any(|note| note.contains("longer than 1000 characters")));
    let tables = |loaded: &Loaded| {
        paddle::summaries(&loaded.trace, &Scope::default(), paddle::Options::default(), |_| true)
    };
    assert!(paddle::print::note(&tables(&long)).is_some());
    assert_eq!(paddle::print::note(&tables(&load(&named("a")))), None);
}
