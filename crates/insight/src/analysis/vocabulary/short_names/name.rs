//! The short form of one name: what the kernel does, and in which type.
//!
//! Must not know the other names of a trace.

use super::rules::{RULES, Rules, has};
use super::scan::{Word, words};
use super::scheme::{by_scheme, fused};
use crate::analysis::vocabulary::demangle::demangled;

/// The name as C++ source has it: demangled, without what stands before the function's own name.
pub(super) fn source(name: &str) -> String {
    let name = demangled(name.as_bytes())
        .and_then(|name| String::from_utf8(name).ok())
        .unwrap_or_else(|| spelled_out(name));
    let own = match name.find(">::type ") {
        Some(end) if name.starts_with("std::enable_if<") => &name[end + ">::type ".len()..],
        _ => name.strip_prefix("void ").unwrap_or(&name),
    };
    if own.is_empty() { name } else { own.to_owned() }
}

/// A mangled name that cannot be demangled: the scopes and the function's name that it spells out, followed
/// by the rest. Any other name as it is.
fn spelled_out(name: &str) -> String {
    let Some(mut rest) = name.strip_prefix("_ZN") else { return name.to_owned() };
    let mut parts = Vec::new();
    loop {
        let after = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let length = rest[..rest.len() - after.len()].parse::<usize>().ok();
        let Some((part, next)) = length.and_then(|length| after.split_at_checked(length)) else { break };
        parts.push(part);
        rest = next;
    }
    if parts.is_empty() { name.to_owned() } else { format!("{}<{rest}>", parts.join("::")) }
}

/// The short form of a name that [`source`] returned; the name itself if no rule fits.
pub(super) fn short(name: &str) -> String {
    let found = fused(name).or_else(|| words(name).find_map(|word| by_scheme(word.text)));
    let found = found.or_else(|| applied(name)).or_else(|| function(name));
    found.filter(|short| !short.is_empty()).unwrap_or_else(|| name.to_owned())
}

/// What a wrapper applies: the function and its type.
fn applied(name: &str) -> Option<String> {
    let rules = &*RULES;
    let mut inside = words(name).skip_while(|word| wrapper(rules, word).is_none());
    let (before, after) = wrapper(rules, &inside.next()?)?;
    let is_function = |word: &Word<'_>| {
        let is_known = has(&rules.between, word.text) || has(&rules.wrappers, word.text);
        let is_type = rules.floats.contains_key(word.text) || rules.others.contains_key(word.text);
        let is_number = word.text.starts_with(|first: char| first.is_ascii_digit());
        !(word.is_scope() || is_known || is_type || is_number)
    };
    let rest: Vec<Word<'_>> = inside.collect();
    let is_functor = |word: &Word<'_>| word.text.ends_with("Functor");
    let at = rest.iter().position(is_function).or_else(|| rest.iter().position(is_functor))?;
    let kind = float(rules, rest.iter()).or_else(|| other(rules, rest[at..].iter()));
    Some(joined([
        library(rules, name),
        before,
        &spelled(rules, rest[at].text),
        kind.unwrap_or_default(),
        after,
    ]))
}

/// What is shown before and after the function that this word applies; `None` if it is no wrapper.
fn wrapper(rules: &Rules, word: &Word<'_>) -> Option<(&'static str, &'static str)> {
    let all = [(&rules.wrappers, "", ""), (&rules.reductions, "", "reduce"), (&rules.foreach, "foreach", "")];
    let known = all.into_iter().find(|(names, ..)| word.rest.starts_with('<') && has(names, word.text));
    known.map(|(_, before, after)| (before, after))
}

/// The function itself and its type; `None` for a name that is not C++.
fn function(name: &str) -> Option<String> {
    let rules = &*RULES;
    let (mut scope, mut has_scope) = (None, false);
    let mut all = words(name);
    let own = loop {
        let word = all.next()?;
        if !word.is_scope() {
            break word;
        }
        has_scope = true;
        scope = Some(word.text).filter(|text| !has(&rules.namespaces, text)).or(scope);
    };
    let is_source = own.rest.starts_with(['<', '(']) || has_scope && own.rest.is_empty();
    if !is_source {
        return None;
    }
    let text = scope.filter(|_| has(&rules.nameless, own.text)).unwrap_or(own.text);
    let rest: Vec<Word<'_>> = if own.rest.starts_with('<') { all.collect() } else { Vec::new() };
    let kind = float(rules, rest.iter()).or_else(|| other(rules, rest.iter()));
    Some(joined([library(rules, name), &spelled(rules, text), kind.unwrap_or_default()]))
}

/// The first type of floating point among words.
fn float<'a>(rules: &'a Rules, mut words: impl Iterator<Item = &'a Word<'a>>) -> Option<&'a str> {
    words.find_map(|word| rules.floats.get(word.text)).map(String::as_str)
}

/// The first other type among words: a lambda's whole number may be an index, so it does not count, and
/// neither does an unsigned one.
fn other<'a>(rules: &'a Rules, words: impl Iterator<Item = &'a Word<'a>>) -> Option<&'a str> {
    let mut is_unsigned = false;
    let mut types = words.filter_map(|word| {
        let is_index = word.in_lambda && word.text == "int" || is_unsigned;
        is_unsigned = word.text == "unsigned";
        rules.others.get(word.text).filter(|_| !is_index)
    });
    types.next().map(String::as_str)
}

/// The library that a name's namespaces state; empty if it is not known.
fn library<'a>(rules: &'a Rules, name: &str) -> &'a str {
    let scopes = words(name).take_while(Word::is_scope);
    let known = scopes.filter_map(|scope| {
        let is_it = |library: &&String| {
            scope.text == library.as_str() || scope.text.split('_').any(|part| part == library.as_str())
        };
        rules.libraries.iter().find(is_it)
    });
    known.last().map_or("", String::as_str)
}

/// A function's name without its noise; names like `softMaxForward` as words.
fn spelled(rules: &Rules, name: &str) -> String {
    let known = |name: &str| rules.shown.get(name).cloned();
    known(name).unwrap_or_else(|| {
        let cut = cut(name);
        known(cut).unwrap_or_else(|| apart(cut))
    })
}

/// A name without its noise at both ends; the name itself if it is nothing else.
fn cut(name: &str) -> &str {
    let rules = &*RULES;
    let mut rest = name;
    let is_left = |rest: &&str| rest.starts_with(|first: char| first.is_alphabetic());
    while let Some(cut) = rules.prefixes.iter().find_map(|begin| rest.strip_prefix(begin.as_str()))
        && !cut.is_empty()
    {
        rest = cut;
    }
    while let Some(cut) = rules.suffixes.iter().find_map(|end| rest.strip_suffix(end.as_str()))
        && is_left(&cut)
    {
        rest = cut;
    }
    if is_left(&rest) { rest } else { name }
}

/// The words of a name like `softMaxForward`, in lower case; any other name as it is.
fn apart(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let is_start = |at: usize| {
        let next_is_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        at > 0
            && letters[at].is_uppercase()
            && (letters[at - 1].is_lowercase() || next_is_small && letters[at - 1].is_uppercase())
    };
    if !(0..letters.len()).any(is_start) && !name.starts_with(char::is_uppercase) {
        return name.to_owned();
    }
    let mut shown = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        if is_start(at) {
            shown.push(' ');
        }
        shown.extend(letter.to_lowercase().map(|letter| if letter == '_' { ' ' } else { letter }));
    }
    shown
}

fn joined<const N: usize>(parts: [&str; N]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}
