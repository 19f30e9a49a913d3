//! Short forms that are different for different names.
//!
//! Must not know how a form is made of a name.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rules::{RULES, has};
use super::scan::is_part;

/// A name, as the file has it and as C++ source has it, and its short form.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) name: String,
    pub(super) source: String,
    pub(super) short: String,
}

/// Adds to equal short forms of different names the words in which the names differ. Where that does not
/// suffice, a form becomes the whole name.
pub(super) fn make_distinct(forms: &mut [Form]) {
    for group in equal(forms) {
        let differ = differing(&group.iter().map(|&at| forms[at].source.as_str()).collect::<Vec<_>>());
        let form = |(at, words): (&usize, Vec<&str>)| match words.as_slice() {
            [] => forms[*at].short.clone(),
            words => format!("{} ‹{}›", forms[*at].short, words.join(",")),
        };
        let added: Vec<String> = group.iter().zip(differ).map(form).collect();
        group.into_iter().zip(added).for_each(|(at, short)| forms[at].short = short);
    }
    // A name may look like another one's form: the whole names all differ.
    loop {
        let left: Vec<usize> = equal(forms).into_iter().flatten().collect();
        let mut is_changed = false;
        for at in left {
            is_changed |= forms[at].short != forms[at].name;
            forms[at].short.clone_from(&forms[at].name);
        }
        if !is_changed {
            return;
        }
    }
}

/// The groups of forms that are equal, by their numbers.
fn equal(forms: &[Form]) -> Vec<Vec<usize>> {
    let mut groups: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, form) in forms.iter().enumerate() {
        groups.entry(&form.short).or_default().push(at);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// For each name, its words at the fewest positions, from the front, by which the names differ.
fn differing<'a>(names: &[&'a str]) -> Vec<Vec<&'a str>> {
    let words: Vec<Vec<&str>> = names.iter().map(|name| parts(name)).collect();
    let longest = words.iter().map(Vec::len).max().unwrap_or_default();
    let word = |name: usize, at: usize| words[name].get(at).copied().unwrap_or_default();
    // Names that are not distinguished so far have the same number.
    let mut class = vec![0_usize; names.len()];
    let (mut classes, mut chosen) = (1, Vec::new());
    let mut open: Vec<usize> = (0..names.len()).collect();
    for at in 0..longest {
        let mut known: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut first: FxHashSet<usize> = FxHashSet::default();
        let mut next = classes;
        let mut sizes: FxHashMap<usize, usize> = FxHashMap::default();
        for &name in &open {
            let number = *known.entry((class[name], word(name, at))).or_insert_with(|| {
                if first.insert(class[name]) {
                    return class[name];
                }
                next += 1;
                next - 1
            });
            class[name] = number;
            *sizes.entry(number).or_default() += 1;
        }
        if next > classes {
            chosen.push(at);
            classes = next;
        }
        // A name alone in its class, or without further words, is not looked at again.
        open.retain(|&name| sizes[&class[name]] > 1 && at < words[name].len());
        if open.is_empty() {
            break;
        }
    }
    let shown =
        |name: usize| chosen.iter().map(|&at| word(name, at)).filter(|word| !word.is_empty()).collect();
    (0..names.len()).map(shown).collect()
}

/// The words of a name, between all other characters and `_`, without namespaces that say nothing; types by
/// their short names.
fn parts<'a>(name: &'a str) -> Vec<&'a str> {
    let separated = name.split(|letter: char| letter.is_ascii() && !is_part(letter as u8));
    let typed = |word: &'a str| match RULES.floats.get(word).or_else(|| RULES.others.get(word)) {
        Some(known) => vec![known.as_str()],
        None => word.split('_').filter(|part| !part.is_empty()).collect(),
    };
    let is_said = |word: &&str| !word.is_empty() && !has(&RULES.namespaces, word);
    separated.filter(is_said).flat_map(typed).collect()
}
