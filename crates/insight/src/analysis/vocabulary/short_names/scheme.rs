//! Kernels whose names follow a scheme of words between `_`: products of matrices, convolutions, collectives;
//! and those that Triton generates.
//!
//! Must not know C++.

use super::rules::{RULES, Rules, Scheme, Show, has};
use crate::analysis::vocabulary::kernel_names;

/// The short form of a word of a kernel's name that follows a scheme; `None` for other words.
pub(super) fn by_scheme(word: &str) -> Option<String> {
    let rules = &*RULES;
    let scheme = rules.scheme.iter().find(|scheme| kernel_names::has(&scheme.names, word.as_bytes()))?;
    let parts: Vec<&str> =
        word.split('_').filter(|part| !part.is_empty() && !has(&scheme.drop, part)).collect();
    let read = Read { rules, scheme, parts: &parts };
    let shown: Vec<String> = scheme.show.iter().flat_map(|&show| read.part(show)).collect();
    let around = |own: &str| (!own.is_empty()).then(|| own.to_owned());
    let all = around(&scheme.before).into_iter().chain(shown).chain(around(&scheme.after));
    Some(all.collect::<Vec<_>>().join(" "))
}

/// The parts of a name, as its scheme reads them.
struct Read<'a> {
    rules: &'a Rules,
    scheme: &'a Scheme,
    parts: &'a [&'a str],
}

impl Read<'_> {
    /// What is shown for a part of the name; nothing if the name lacks it.
    fn part(&self, show: Show) -> Vec<String> {
        let words = &self.rules.words;
        let one = |found: Option<String>| found.into_iter().collect();
        match show {
            Show::Kind => one(self.kind()),
            Show::Type => one(self.number_type()),
            Show::Tile => one(self.find(|part| self.tile(part)).map(str::to_owned)),
            Show::Layout => {
                one(self.find(|part| has(&words.layouts, part).then_some(part)).map(str::to_owned))
            }
            Show::Chip => one(self.find(|part| has(&words.chips, part).then_some(part)).map(str::to_owned)),
            Show::Align => one(self.find(align).map(str::to_owned)),
            Show::Algorithm => {
                one(self.find(|part| has(&words.algorithms, part).then_some(part)).map(str::to_lowercase))
            }
            Show::Rest => self.rest(),
        }
    }

    fn find<'a, T>(&'a self, of: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        self.parts.iter().find_map(|part| of(part))
    }

    fn kind(&self) -> Option<String> {
        if let Some(part) = self.scheme.kind_word.and_then(|at| self.parts.get(at)) {
            return Some((*part).to_owned());
        }
        if !self.scheme.kind.is_empty() {
            return Some(self.scheme.kind.clone());
        }
        self.find(|part| self.kind_of(part)).map(|(_, shown)| shown.to_owned())
    }

    /// The end of a part that states the kind, and what is shown for it.
    fn kind_of(&self, part: &str) -> Option<(&str, &str)> {
        let kinds = &self.rules.kinds;
        kinds.iter().find(|(end, _)| part.ends_with(end.as_str())).map(|(end, shown)| (&**end, &**shown))
    }

    /// The type that a part states or begins with, or else a letter of the part with the kind.
    fn number_type(&self) -> Option<String> {
        let letter = |part: &str| self.rules.letters.get(part.get(..1)?).cloned();
        if let Some(at) = self.scheme.type_word {
            return letter(self.parts.get(at)?);
        }
        if let Some(known) = self.find(|part| self.stated_type(part)) {
            return Some(known.to_owned());
        }
        let part = self.find(|part| self.kind_of(part).map(|_| part))?;
        // The letter is of the sum; what is multiplied on tensor cores is rounded if nothing else is stated.
        let is_rounded = part.starts_with('s') && part.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if is_rounded { Some("tf32".to_owned()) } else { letter(part) }
    }

    /// The type of a part that is one, or that is several after each other.
    fn stated_type(&self, part: &str) -> Option<&str> {
        let first = self.type_at_start(part)?;
        let rest = &part[first.len()..];
        let is_type = rest.is_empty() || self.type_at_start(rest).is_some();
        is_type.then(|| self.rules.floats[first].as_str())
    }

    /// The longest name of a type with which a text begins.
    fn type_at_start(&self, text: &str) -> Option<&str> {
        let names = self.rules.floats.keys().map(String::as_str);
        names.filter(|name| text.starts_with(name)).max_by_key(|name| name.len())
    }

    /// The sizes of a tile, such as `128x64`, at the beginning of a part or after a known beginning.
    fn tile<'a>(&self, part: &'a str) -> Option<&'a str> {
        self.rules.words.tiles.iter().find_map(|begin| {
            let sizes = part.strip_prefix(begin.as_str())?;
            let is_size = |size: &str| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
            (sizes.contains('x') && sizes.split('x').all(is_size)).then_some(sizes)
        })
    }

    /// The parts that no other rule shows.
    fn rest(&self) -> Vec<String> {
        let chips = &self.rules.words.chips;
        let mut has_tile = false;
        let is_rest = |part: &&&str| {
            let is_first_tile = !has_tile && self.tile(part).is_some();
            has_tile |= is_first_tile;
            let is_known =
                self.kind_of(part).is_some() || self.stated_type(part).is_some() || has(chips, part);
            !is_first_tile && !is_known
        };
        self.parts.iter().filter(is_rest).map(|part| (*part).to_owned()).collect()
    }
}

/// A part that states the alignment of a matrix, such as `align8`.
fn align(part: &str) -> Option<&str> {
    let number = part.strip_prefix("align")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(part)
}

/// The short form of the name of a kernel that Triton's compiler fused: the operators and its number.
pub(super) fn fused(name: &str) -> Option<String> {
    let rest = name.strip_prefix("triton_")?;
    let (_, rest) = rest.split_once("_fused_")?;
    let (operators, number) = rest.rsplit_once('_').unwrap_or(("", rest));
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut shown = String::from("fused ");
    let mut rest = operators;
    while !rest.is_empty() {
        let (operator, after) = operator(rest);
        if !operator.is_empty() {
            shown.push_str(operator);
            shown.push(' ');
        }
        rest = after;
    }
    Some(shown + "#" + number)
}

/// The first operator of operators joined by `_`, and the others.
fn operator(operators: &str) -> (&str, &str) {
    let known = &RULES.operators;
    let is_first = |name: &&String| {
        operators.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let (shown, len) = if let Some(name) = known.keys().filter(is_first).max_by_key(|name| name.len()) {
        (known[name].as_str(), name.len())
    } else {
        let from = operators.len() - operators.trim_start_matches('_').len();
        let len = operators[from..].find('_').map_or(operators.len(), |at| from + at);
        (&operators[from..len], len)
    };
    let rest = &operators[len..];
    (shown, rest.strip_prefix('_').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_of_several_words_stay_together() {
        let shown = |name: &str| fused(name).unwrap_or_default();
        assert_eq!(
            shown("triton_poi_fused__to_copy_mul_native_layer_norm_7"),
            "fused to_copy mul layer_norm #7"
        );
        assert_eq!(shown("triton_per_fused_add__softmax_12"), "fused add softmax #12");
        assert_eq!(shown("triton_poi_fused_0"), "fused #0");
        assert_eq!(shown("triton_poi_fused____3"), "fused #3");
        assert_eq!(fused("triton_poi_fused_add_x"), None);
        assert_eq!(fused("triton_mm"), None);
    }
}
