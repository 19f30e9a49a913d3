//! Rules that give slices of streams, such as kernels, other names, for people who know their kernels by
//! other names than the compiler.
//!
//! Must not know where the rules are written.

use std::fmt;

use regex::Regex;
use serde::Deserialize;

use proftui_trace::model::Trace;

/// A rule of the file of settings (`[[rename]]`) that renames slices of streams, such as kernels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// The regular expression. The rule is for names of which it matches the whole or any part.
    #[serde(rename = "match")]
    pub(crate) pattern: String,
    /// The whole new name; `$1` in it stands for what the first group of the pattern matched.
    pub(crate) to: String,
}

/// The error for a rule whose pattern cannot be compiled.
#[derive(Debug)]
pub(crate) struct NoPattern {
    pattern: String,
    why: regex::Error,
}

impl fmt::Display for NoPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The last line says why; those before show where.
        let why = self.why.to_string();
        write!(f, "match = \"{}\": {}", self.pattern, why.lines().last().unwrap_or_default().trim())
    }
}

impl std::error::Error for NoPattern {}

/// Rules that rename slices of streams, such as kernels. The first rule that matches a name gives the new
/// one.
#[derive(Debug, Default)]
pub(crate) struct Renames(Vec<(Regex, String)>);

impl Renames {
    /// Compiles the patterns of `rules`; the rules keep their order.
    ///
    /// # Errors
    /// When a pattern cannot be compiled.
    pub(crate) fn new(rules: &[Rule]) -> Result<Self, NoPattern> {
        let rules = rules.iter().map(|rule| {
            let regex = Regex::new(&rule.pattern);
            let regex = regex.map_err(|why| NoPattern { pattern: rule.pattern.clone(), why })?;
            Ok((regex, rule.to.clone()))
        });
        rules.collect::<Result<_, _>>().map(Self)
    }

    /// The rules, in their order: the pattern and the new name of each.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(regex, to)| (regex.as_str(), to.as_str()))
    }

    /// The new name for the name `old`, by the first rule that matches it; `None` if no rule does.
    fn name(&self, old: &str) -> Option<String> {
        self.0.iter().find_map(|(regex, to)| {
            let captures = regex.captures(old)?;
            let mut new = String::new();
            captures.expand(to, &mut new);
            Some(new)
        })
    }

    /// Renames the slices of a trace's streams, each by the first rule that matches its name; names that no
    /// rule matches stay as they are.
    pub(crate) fn apply(&self, trace: &mut Trace) {
        if !self.0.is_empty() {
            trace.rename_work(|old| self.name(old));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(pattern: &str, to: &str) -> Rule {
        Rule { pattern: pattern.into(), to: to.into() }
    }

    #[test]
    fn the_first_rule_that_matches_gives_the_name() {
        let renames =
            Renames::new(&[rule(r"gemm_(\w+?)_tn", "GEMM $1"), rule("gemm", "other GEMM")]).expect("rules");
        assert_eq!(renames.name("sm90_xmma_gemm_bf16_tn_n").as_deref(), Some("GEMM bf16"));
        assert_eq!(renames.name("gemm").as_deref(), Some("other GEMM"));
        assert_eq!(renames.name("softmax"), None);
        let wrong = Renames::new(&[rule("(", "x")]).expect_err("no pattern").to_string();
        assert_eq!(wrong, "match = \"(\": error: unclosed group");
    }
}
