//! What is measured: loading, the index, each view in each of its groupings, each layout, each format of
//! output, conversion.
//!
//! Must not know shapes, nor how work is counted.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::hint::black_box;
use std::path::PathBuf;

use proftui::app::pane::links;
use proftui::cli;
use proftui_base::fmt::TimeUnit;
use proftui_base::time::Span;
use proftui_insight::analysis::table::compare::{self, NamedTable};
use proftui_insight::analysis::{Arguments, Grouping, Scope, Table, VIEWS, View};
use proftui_insight::compat::{fluid, paddle, torch, visualdl};
use proftui_insight::report;
use proftui_trace::export;
use proftui_trace::import::{Loaded, Progress, Request, load};
use proftui_trace::index::{Hits, Index};
use proftui_trace::model::{Kept, SliceId};

/// A loaded input, with what works need that is no part of them.
pub struct Input {
    request: Request,
    text: Vec<u8>,
    loaded: Loaded,
    /// The middle half of the trace's time.
    middle: Scope,
    /// The tables of all views; made when they are first asked for.
    tables: OnceCell<Vec<Table>>,
}

impl Input {
    /// Loads a file.
    pub fn new(path: &str) -> Self {
        // One thread: what threads take of the allocator depends on chance.
        let request = Request { threads: Some(1), ..Request::new([PathBuf::from(path)]) };
        let loaded = load(&request, &Progress::default()).expect("a trace");
        let Span { start, end } = loaded.trace.main_span;
        let quarter = (end - start) / 4;
        let span = Some(Span { start: start + quarter, end: end - quarter });
        let text = std::fs::read(path).expect("a file");
        Self { request, text, loaded, middle: Scope { span, lanes: None }, tables: OnceCell::new() }
    }

    /// Drops what summaries keep for others, so that each work makes what it needs.
    pub fn forget(&mut self) {
        self.loaded.trace.kept = Kept::default();
    }

    /// The tables of all views, which works print.
    pub fn tables(&self) -> &[Table] {
        let table = |view: &View| view.table(&self.loaded.trace, &Scope::default());
        self.tables.get_or_init(|| VIEWS.iter().map(table).collect())
    }
}

/// One measured work.
pub struct Named {
    /// The name of the work in the table.
    pub name: String,
    /// Runs it once.
    pub run: Box<dyn Fn(&Input)>,
    /// True if only profiles of Paddle can be its input.
    pub of_paddle: bool,
    /// True if it prints tables, which are no part of its work.
    pub of_tables: bool,
}

fn named(name: impl Into<String>, run: impl Fn(&Input) + 'static) -> Named {
    Named { name: name.into(), run: Box::new(run), of_paddle: false, of_tables: false }
}

/// Work that grows with the square of the slices, which the test must find.
pub fn quadratic() -> Named {
    named("quadratic", |input: &Input| {
        let starts = &input.loaded.trace.slices.start;
        let pairs = starts.iter().flat_map(|one| starts.iter().map(move |other| one ^ other));
        black_box(pairs.fold(0_i64, i64::wrapping_add));
    })
}

/// All works.
pub fn all() -> Vec<Named> {
    let mut works = of_files();
    works.push(named("links of the longest events", |input: &Input| {
        let trace = &input.loaded.trace;
        let mut ids: Vec<SliceId> = trace.slices.ids().iter().collect();
        ids.sort_by_key(|&id| Reverse(trace.slices.dur[id]));
        ids.iter()
            .take(3)
            .for_each(|&id| drop(black_box((links::forward(trace, id), links::back(trace, id)))));
    }));
    for view in VIEWS {
        works.push(named(format!("view {}", view.name), |input: &Input| {
            drop(black_box(view.table(&input.loaded.trace, &Scope::default())));
        }));
        works.push(named(format!("view {} of the middle half", view.name), |input: &Input| {
            drop(black_box(view.table(&input.loaded.trace, &input.middle)));
        }));
        for grouping in view.groupings {
            works.push(named(format!("view {} {}", view.name, grouping.title), |input: &Input| {
                grouped(view, grouping, input);
            }));
        }
    }
    works.extend(of_tables());
    works.extend(of_layouts());
    works
}

fn grouped(view: &View, grouping: &Grouping, input: &Input) {
    let (Loaded { trace, texts }, scope) = (&input.loaded, Scope::default());
    let arguments = Arguments::read(trace, texts, &scope, grouping.needs).expect("arguments");
    drop(black_box(view.table_by(grouping, trace, &scope, &arguments)));
}

/// Reading, indexing, searching, describing and converting a file.
fn of_files() -> Vec<Named> {
    let of_paddle = |name: &str, run: fn(&Input)| Named { of_paddle: true, ..named(name, run) };
    vec![
        named("load", |input| drop(black_box(load(&input.request, &Progress::default()).expect("a trace")))),
        named("load a time range", |input| {
            let request = Request { from: Some(0), to: Some(1 << 40), ..input.request.clone() };
            drop(black_box(load(&request, &Progress::default()).expect("a trace")));
        }),
        named("index", |input| drop(black_box(Index::build(&input.loaded.trace)))),
        named("search by name", |input| {
            let trace = &input.loaded.trace;
            let found = Hits::of(trace, trace.slices.ids().iter().collect());
            assert!(found.len() <= trace.slices.len());
        }),
        named("info", |input| drop(black_box(cli::info_outputs(&input.loaded.trace)))),
        of_paddle("convert", |input| {
            let trees = export::read(&input.text).expect("a profile").trees;
            let mut json = Vec::new();
            export::write_json(&trees, &mut json).expect("JSON");
            drop(black_box(export::encode(export::read(&json).expect("its own JSON").trees)));
        }),
    ]
}

/// Comparing tables, and printing them in each format.
fn of_tables() -> Vec<Named> {
    let printed = |name: &str, run: fn(&Table)| {
        named(format!("print {name}"), move |input: &Input| input.tables().iter().for_each(run))
    };
    let works = vec![
        named("compare", |input| {
            for (view, table) in VIEWS.iter().zip(input.tables()) {
                let part = |title: &str| NamedTable { title: title.into(), table: table.clone() };
                let parts = [part("a"), part("b")];
                match compare::comparable_column(&parts, view.compared) {
                    Some(column) => drop(black_box(compare::side_by_side(&parts, column))),
                    None => drop(black_box(compare::stacked(&parts))),
                }
            }
        }),
        printed("text", |table| drop(black_box(report::text::render(table, report::text::Look::default())))),
        printed("text of 80 columns", |table| {
            let look = report::text::Look { width: Some(80), ..report::text::Look::default() };
            drop(black_box(report::text::render(table, look)));
        }),
        printed("CSV", |table| drop(black_box(report::csv::render(table, report::csv::Formulas::Guarded)))),
        printed("Markdown", |table| drop(black_box(report::markdown::render(table, None)))),
        printed("JSON", |table| {
            drop(black_box(report::json::render(table, &serde_json::Value::Null).to_string()));
        }),
    ];
    works.into_iter().map(|work| Named { of_tables: true, ..work }).collect()
}

/// The layouts of other tools, with their printing.
fn of_layouts() -> Vec<Named> {
    let mut works = vec![
        named("layout torch", |input| averages(input, torch::Rules::default(), false, 0)),
        named("layout torch by input shape", |input| averages(input, torch::Rules::default(), true, 0)),
        named("layout torch by stack", |input| averages(input, torch::Rules::default(), false, 5)),
        named("layout deeplink", |input| averages(input, torch::Rules::DeepLink, false, 0)),
        named("layout paddle timer", |input| {
            let timed = paddle::timer::timed(&input.loaded.trace, &Scope::default(), Some(8));
            drop(black_box(paddle::timer::print::render(&timed)));
        }),
        named("layout visualdl", |input| {
            let Loaded { trace, texts } = &input.loaded;
            for table in visualdl::summaries(trace, texts, &Scope::default(), |_| true) {
                drop(black_box(report::text::render(&table, report::text::Look::default())));
            }
        }),
    ];
    for (name, by_thread) in [("layout paddle", false), ("layout paddle by thread", true)] {
        works.push(named(name, move |input| {
            let options = paddle::Options { by_thread, ..paddle::Options::default() };
            let tables = paddle::summaries(&input.loaded.trace, &Scope::default(), options, |_| true);
            drop(black_box(paddle::print::render(&tables, TimeUnit::Milli)));
        }));
    }
    let details = [
        ("layout fluid", fluid::Detail::Default),
        ("layout fluid with inner parts", fluid::Detail::OpDetail),
        ("layout fluid with instances", fluid::Detail::AllOpDetail),
    ];
    for (name, detail) in details {
        works.push(named(name, move |input| {
            let options = fluid::Options { detail, ..fluid::Options::default() };
            let report = fluid::report(&input.loaded.trace, &Scope::default(), options);
            drop(black_box(fluid::print::render(&report)));
        }));
    }
    works
}

fn averages(input: &Input, rules: torch::Rules, by_shape: bool, by_stack: usize) {
    let Loaded { trace, texts } = &input.loaded;
    let grouping = torch::Grouping { by_shape, by_stack };
    let averages = torch::averages(trace, texts, &Scope::default(), rules, grouping).expect("averages");
    drop(black_box(torch::print::render(&averages, &torch::print::TableOptions::default())));
}
