//! What a start-up consists of: imports by package, compilations and collections of garbage, as far as they
//! are recorded on the thread that runs the steps.
//!
//! Each instant counts for the innermost of them. Must not know how a start-up is found.

use rustc_hash::FxHashMap;

use super::slowest::divide;
use crate::analysis::part::threads::Threads;
use proftui_base::intern::StrId;
use proftui_base::text::SafeText;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{Category, LaneId, OutsideKind, Trace};

/// The most packages that are named.
const PACKAGES: usize = 3;
/// What is before the name of a module in the name of its import.
const IMPORT: &str = "import ";

/// What a start-up consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartUp {
    /// Time of recorded imports, ns.
    pub imports: Ns,
    /// The packages whose imports took most time without the imports within them, each with that time, ns; at
    /// most three, the longest first.
    pub packages: Vec<(SafeText<'static>, Ns)>,
    /// Time of compilations, ns.
    pub compiling: Ns,
    /// Time of collections of Python's garbage, ns.
    pub collecting: Ns,
}

/// What a slice within a start-up is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// An import of a package, an index into a list of packages.
    Import(usize),
    Compile,
    Collection,
    Nothing,
}

/// Finds what the start-ups of a trace consist of.
pub(super) fn find(trace: &Trace) -> StartUp {
    let mut found = StartUp::default();
    let mut packages: Vec<(SafeText<'static>, Ns)> = Vec::new();
    let threads = Threads::of(trace);
    for start_up in trace.outside.iter().filter(|outside| outside.kind == OutsideKind::StartUp) {
        let lane = trace.lane_of(start_up.slice);
        let lanes = threads.index(lane).map_or_else(|| vec![lane], |at| threads.all()[at].clone());
        let inside = contents(trace, &lanes, start_up.span, &mut packages);
        for (key, time) in divide(start_up.span, Key::Nothing, None, inside) {
            let sum = match key {
                Key::Import(package) => {
                    let of_package = &mut packages[package].1;
                    *of_package = of_package.saturating_add(time);
                    &mut found.imports
                }
                Key::Compile => &mut found.compiling,
                Key::Collection => &mut found.collecting,
                Key::Nothing => continue,
            };
            *sum = sum.saturating_add(time);
        }
    }
    packages.retain(|(_, time)| *time > 0);
    packages.sort_by(|(a, one), (b, other)| other.cmp(one).then_with(|| a.as_str().cmp(b.as_str())));
    packages.truncate(PACKAGES);
    StartUp { packages, ..found }
}

/// What lies on these lanes within a span. Adds the packages of imports to `packages`.
fn contents(
    trace: &Trace,
    lanes: &[LaneId],
    span: Span,
    packages: &mut Vec<(SafeText<'static>, Ns)>,
) -> Vec<(Span, Key)> {
    let slices = &trace.slices;
    let mut of_name: FxHashMap<StrId, usize> = FxHashMap::default();
    let mut inside: Vec<(Span, Key)> = Vec::new();
    for id in lanes.iter().flat_map(|&lane| trace.lanes[lane].slices) {
        let key = match slices.category(id) {
            Category::Import => Key::Import(*of_name.entry(slices.name[id]).or_insert_with(|| {
                let text = trace.strings.text(slices.name[id]);
                let name = package(text.as_str());
                let known = packages.iter().position(|(package, _)| package.as_str() == name);
                known.unwrap_or_else(|| {
                    packages.push((SafeText::new(name).into_owned(), 0));
                    packages.len() - 1
                })
            })),
            Category::Compile => Key::Compile,
            Category::GarbageCollection => Key::Collection,
            _ => continue,
        };
        let whole = slices.span(id);
        let within = Span { start: whole.start.max(span.start), end: whole.end.min(span.end) };
        if within.start < within.end {
            inside.push((within, key));
        }
    }
    inside
}

/// The package of an import: `torch` of `import torch.nn`.
fn package(name: &str) -> &str {
    let module = name.strip_prefix(IMPORT).unwrap_or(name);
    module.split('.').next().unwrap_or(module)
}
