//! The analyser on small invented trees.

use super::circles::{circles, describe};
use super::graph::Graph;
use super::layers::Layers;

/// A graph of files below `src` of one crate, `own`, and one more file of the crate `other`.
fn graph(files: &[(&'static str, &'static str)]) -> Graph {
    let own = files.iter().map(|&(inside, text)| ("own", inside, format!("src/{inside}"), text));
    let other = ("other", "lib.rs", "other/lib.rs".to_owned(), "pub struct Far; pub mod deep {}");
    Graph::new(own.chain([other]))
}

/// The edges as text: `from -> to: name`, for tests `from -> to: name (test)`.
fn edges(files: &[(&'static str, &'static str)]) -> Vec<String> {
    let graph = graph(files);
    let path = |at: usize| graph.files[at].path.trim_start_matches("src/").trim_end_matches(".rs").to_owned();
    let text = |edge: &super::graph::Use| {
        let test = if edge.is_test { " (test)" } else { "" };
        format!("{} -> {}: {}{test}", path(edge.from), path(edge.to), edge.name)
    };
    let mut all: Vec<String> = graph.uses.iter().map(text).collect();
    all.sort();
    all
}

#[test]
fn paths_of_all_kinds_resolve_to_the_defining_file() {
    let found = edges(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "mod x; mod y; pub struct A;"),
        ("a/x.rs", "pub struct X; pub fn make() {}"),
        (
            "a/y.rs",
            "use super::x::X; fn f(a: super::A, b: crate::b::B) { self::g(); super::super::b::h() } fn g() {}",
        ),
        (
            "b.rs",
            "use crate::a::{self, x::{X, make as build}}; pub struct B; pub fn h() { build(); other::Far; }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "a/y -> a/x: X",
            "a/y -> a: A",
            "a/y -> b: B",
            "a/y -> b: h",
            "b -> a/x: X",
            "b -> a/x: make",
            "b -> other/lib: Far"
        ]
    );
}

#[test]
fn re_exports_resolve_to_the_child() {
    let found = edges(&[
        ("lib.rs", "pub mod a; mod b;"),
        ("a.rs", "mod x; mod y; pub use x::X; pub use y::*; pub struct Own;"),
        ("a/x.rs", "pub struct X;"),
        ("a/y.rs", "pub enum Y { One }"),
        ("b.rs", "use crate::a::{Own, X}; use crate::a; fn f() { a::Y::One; a::Own; X::new(); }"),
    ]);
    assert_eq!(found, ["a -> a/x: X", "a -> a/y: *", "b -> a/x: X", "b -> a/y: Y", "b -> a: Own"]);
}

#[test]
fn a_module_line_or_an_import_of_a_module_is_no_use() {
    assert_eq!(edges(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b;"), ("b.rs", "")]), [""; 0]);
    let named = edges(&[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b; type T = b::B;"), ("b.rs", "")]);
    assert_eq!(named, ["a -> b: B"]);
}

#[test]
fn comments_texts_and_lifetimes_are_no_code() {
    let text = r##"
        //! crate::b::A
        /* crate::b::B /* nested */ crate::b::C */
        /// [`crate::b::D`]
        fn f<'a>(x: &'a str) { "crate::b::E"; r#"crate::b::F" "#; '"'; b'\''; '\u{41}'; crate::b::G; }
    "##;
    assert_eq!(edges(&[("lib.rs", "mod a; mod b;"), ("a.rs", text), ("b.rs", "")]), ["a -> b: G"]);
}

#[test]
fn tests_are_known_as_such() {
    let found = edges(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "#[cfg(test)] mod tests; #[cfg(not(test))] use crate::c::C;"),
        ("a/tests.rs", "use super::*; use crate::b::B;"),
        (
            "b.rs",
            "#[cfg(test)] #[allow(x)] mod tests { use super::*; use crate::a::A; } use crate::c::D; pub struct B;",
        ),
        (
            "c.rs",
            "#[cfg(test)] use crate::b::B; fn f() { inline::g() } mod inline { use super::super::b::E; }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "a -> c: C",
            "a/tests -> a: * (test)",
            "a/tests -> b: B (test)",
            "b -> a: A (test)",
            "b -> c: D",
            "c -> b: B (test)",
            "c -> b: E"
        ]
    );
}

#[test]
fn circles_are_found_and_a_re_export_alone_is_none() {
    let graph_of = |child| {
        graph(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod x; mod y; pub use x::X; fn f() { y::g() } struct Own;"),
            ("a/x.rs", "pub struct X;"),
            ("a/y.rs", child),
            ("b.rs", "use crate::a::X;"),
        ])
    };
    assert!(circles(&graph_of("use super::X; pub fn g() {}")).is_empty());
    assert!(circles(&graph_of("#[cfg(test)] mod tests { use super::super::Own; }")).is_empty());
    let graph = graph_of("use super::Own; pub fn g() {}");
    let [circle] = circles(&graph).try_into().expect("one circle");
    let text = "2 files:\n  src/a.rs\n      uses src/a/y.rs: g\n  src/a/y.rs\n      uses src/a.rs, its parent: Own\n";
    assert_eq!(describe(&graph, &circle), text);
}

#[test]
fn layers_are_held_to() {
    const LAYERS: &[&[&str]] = &[&["base"], &["left", "right"], &["top", "lost"], &["lib"]];
    let table = |with_tests| Layers { krate: "own", module: "", rows: LAYERS, with_tests };
    let graph = graph(&[
        ("lib.rs", "mod base; mod left; mod right; mod top; mod new;"),
        ("base.rs", "#[cfg(test)] use crate::top::T;\nuse crate::left::inner::L;"),
        ("left.rs", "mod inner;"),
        ("left/inner.rs", "use crate::right::R; use crate::base::B; use super::S;"),
        ("right.rs", ""),
        ("top.rs", "use crate::{base::B, left::inner::L, right::R};"),
        ("new.rs", ""),
    ]);
    let without = [
        "src/new.rs has no layer: `new` is not in the table of own",
        "there is no `lost` in own",
        "src/base.rs:2 uses `L` of left (src/left/inner.rs)",
        "src/left/inner.rs:1 uses `R` of right (src/right.rs)",
    ];
    assert_eq!(table(false).violations(&graph), without);
    let with = table(true).violations(&graph);
    assert!(with.contains(&"src/base.rs:1 uses `T` of top (src/top.rs)".to_owned()), "{with:?}");
}

#[test]
fn a_group_may_know_itself_and_nothing_beside_it() {
    const LAYERS: &[&[&str]] = &[&["a b", "c"], &["lib"]];
    let table = Layers { krate: "own", module: "", rows: LAYERS, with_tests: false };
    let graph = graph(&[
        ("lib.rs", ""),
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::a::A; use crate::c::C;"),
        ("c.rs", ""),
    ]);
    assert_eq!(table.violations(&graph), ["src/b.rs:1 uses `C` of c (src/c.rs)"]);
}

#[test]
fn layers_inside_a_module_take_only_its_files() {
    const LAYERS: &[&[&str]] = &[&["low"], &["high"], &["inside"]];
    let table = Layers { krate: "own", module: "inside", rows: LAYERS, with_tests: false };
    let graph = graph(&[
        ("lib.rs", "mod inside; mod beside;"),
        ("beside.rs", "use crate::inside::R;"),
        ("inside.rs", "mod low; mod high; pub struct R; fn f() { low::l() }"),
        ("inside/low.rs", "use super::R; use crate::beside::B; pub fn l() {}"),
        ("inside/high.rs", "use super::low::l;"),
    ]);
    assert_eq!(table.violations(&graph), ["src/inside/low.rs:1 uses `R` of inside (src/inside.rs)"]);
}
