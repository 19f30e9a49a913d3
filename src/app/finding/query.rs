//! What is typed to search for events: words, and terms with fields such as `dur>100us` or `cat:kernel`, all
//! of which an event must meet.
//!
//! `docs/search.md` states the grammar. Must not know how words are matched to names, nor where arguments are
//! read.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use regex::{Regex, RegexBuilder};

use proftui_base::time::Ns;
use proftui_insight::analysis::part::location;

/// What was typed to search for events, as words and terms.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The words that a name has to match fuzzily, joined by blanks; empty if there are none.
    pub words: String,
    /// The conditions that an event must meet beside the words.
    pub terms: Vec<Term>,
}

/// A condition on an event, or its opposite.
#[derive(Clone, Debug)]
pub struct Term {
    /// True if an event must not meet the condition.
    pub is_not: bool,
    /// The condition.
    pub field: Field,
}

/// A condition on an event.
#[derive(Clone, Debug)]
pub enum Field {
    /// The name, in lower case, contains this text, which is in lower case.
    Name(String),
    /// The name has a part that matches this regular expression.
    Regex(Regex),
    /// The duration is less or greater than a time, or equal to it.
    Duration {
        /// How the duration has to compare with `than`, unless `is_or_equal` lets it be equal.
        side: Ordering,
        /// True if the duration may also be `than` itself.
        is_or_equal: bool,
        /// The time that the duration is compared with, ns.
        than: Ns,
    },
    /// The category's name, in lower case, contains this text, which is in lower case.
    Category(String),
    /// The title of the lane or of its group, in lower case, contains this text, which is in lower case.
    Lane(String),
    /// The event is on the stream with this number, of whichever device.
    Stream(String),
    /// The event begins during one of these steps (by number, both ends included) of its worker.
    Steps(RangeInclusive<u64>),
    /// The event has an argument named `key`; if `value` is given, the argument's value equals or contains
    /// it.
    Argument {
        /// The argument's name.
        key: String,
        /// The text, without blanks, that the argument's value has to equal or contain when blanks are
        /// removed from the value; none if any value will do.
        value: Option<String>,
        /// True if the argument's value only has to contain `value`, in upper or lower case.
        is_part: bool,
    },
}

/// Why the value of a field, such as the time in `dur>5ms`, cannot be read; the error's text is one line for
/// the user.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum QueryError {
    /// The typed value of a term on durations, which is no time with a unit, or is too large.
    #[error("\"{0}\" is no time in ns, us, ms or s, as in dur>100us, or too large")]
    NoTime(String),
    /// Why a regular expression is refused, in one line.
    #[error("re: {0}")]
    NoRegex(String),
    /// The typed value of a term on steps, which cannot be read as numbers of steps.
    #[error("\"{0}\" is no step, as in step:12 or step:12..15")]
    NoStep(String),
}

impl Query {
    /// Reads the words and terms that were typed, by the grammar in `docs/search.md`.
    ///
    /// # Errors
    /// When the value of a field cannot be read.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let mut query = Self::default();
        let mut is_not = false;
        for part in split(text) {
            if part == "not" {
                is_not = true;
                continue;
            }
            let field = match field(&part)? {
                Some(field) => field,
                None if is_not => Field::Name(part.to_lowercase()),
                None => {
                    if !query.words.is_empty() {
                        query.words.push(' ');
                    }
                    query.words += &part;
                    continue;
                }
            };
            query.terms.push(Term { is_not, field });
            is_not = false;
        }
        // Nothing follows the last "not": it is a word.
        if is_not {
            query.words += if query.words.is_empty() { "not" } else { " not" };
        }
        Ok(query)
    }

    /// True if a term of the query is on arguments, so that events have to be read again.
    pub fn needs_arguments(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.field, Field::Argument { .. }))
    }
}

/// Splits a typed line at blanks outside double quotes, and leaves the quotes out.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut is_quoted, mut has_part) = (Vec::new(), String::new(), false, false);
    for c in text.chars() {
        match c {
            '"' => (is_quoted, has_part) = (!is_quoted, true),
            c if c.is_whitespace() && !is_quoted => {
                if has_part {
                    parts.push(std::mem::take(&mut part));
                }
                has_part = false;
            }
            c => {
                part.push(c);
                has_part = true;
            }
        }
    }
    if has_part {
        parts.push(part);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The condition that a part of the typed line states; none if the part is a word.
fn field(part: &str) -> Result<Option<Field>, QueryError> {
    if let Some(rest) = part.strip_prefix("dur") {
        for (sign, side, is_or_equal) in [
            (">=", Ordering::Greater, true),
            ("<=", Ordering::Less, true),
            (">", Ordering::Greater, false),
            ("<", Ordering::Less, false),
            ("=", Ordering::Equal, true),
        ] {
            if let Some(time) = rest.strip_prefix(sign) {
                let than = location::time(time).ok_or_else(|| QueryError::NoTime(time.to_owned()))?;
                return Ok(Some(Field::Duration { side, is_or_equal, than }));
            }
        }
    }
    let Some((name, value)) = part.split_once(':').filter(|(_, value)| !value.is_empty()) else {
        return Ok(None);
    };
    let lower = value.to_lowercase();
    Ok(Some(match name {
        "name" => Field::Name(lower),
        "re" => {
            let regex = RegexBuilder::new(value).size_limit(REGEX).build();
            Field::Regex(regex.map_err(|error| QueryError::NoRegex(first_line(&error)))?)
        }
        "cat" => Field::Category(lower),
        "lane" => Field::Lane(lower),
        "stream" => Field::Stream(lower),
        "step" => Field::Steps(steps(value)?),
        "arg" => argument(value),
        _ => return Ok(None),
    }))
}

/// The size limit of a compiled regular expression, bytes.
const REGEX: usize = 1 << 20;

/// The reason that the error of a regular expression gives: its last line, without `error: `.
fn first_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Parses the number of a step, or a range of such numbers: `12`, `#12` or `12..15`.
fn steps(text: &str) -> Result<RangeInclusive<u64>, QueryError> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('#').parse().ok();
    match (number(first), number(last)) {
        (Some(first), Some(last)) => Ok(first..=last),
        _ => Err(QueryError::NoStep(text.to_owned())),
    }
}

fn argument(text: &str) -> Field {
    let at = text.find(['=', '~']);
    let (key, rest) = text.split_at(at.unwrap_or(text.len()));
    let value = rest.get(1..).map(|value| value.chars().filter(|c| !c.is_whitespace()).collect());
    Field::Argument { key: key.to_owned(), value, is_part: rest.starts_with('~') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let query = Query::parse(text).expect("a query");
        let of_term = |term: &Term| {
            let field = format!("{:?}", term.field);
            if term.is_not { format!("not {field}") } else { field }
        };
        std::iter::once(query.words.clone()).chain(query.terms.iter().map(of_term)).collect()
    }

    #[test]
    fn words_stay_words_and_fields_become_terms() {
        assert_eq!(terms("aten mm"), ["aten mm"]);
        assert_eq!(terms("aten::mm std::vector<a:b>"), ["aten::mm std::vector<a:b>"]);
        assert_eq!(
            terms(r#"gemm cat:Kernel not stream:7 dur>=1.5ms not "a b" name:"X y""#),
            [
                "gemm",
                r#"Category("kernel")"#,
                r#"not Stream("7")"#,
                "Duration { side: Greater, is_or_equal: true, than: 1500000 }",
                r#"not Name("a b")"#,
                r#"Name("x y")"#,
            ]
        );
        assert_eq!(terms("step:3 step:#3..5"), ["", "Steps(3..=3)", "Steps(3..=5)"]);
        assert_eq!(
            terms("\"arg:Input Dims=[[2, 3]]\" arg:stream arg:name~gr"),
            [
                "",
                r#"Argument { key: "Input Dims", value: Some("[[2,3]]"), is_part: false }"#,
                r#"Argument { key: "stream", value: None, is_part: false }"#,
                r#"Argument { key: "name", value: Some("gr"), is_part: true }"#,
            ]
        );
        assert_eq!(terms("is not"), ["is not"]);
        assert_eq!(terms("cat: dur"), ["cat: dur"], "a field without a value is a word");
        assert!(Query::parse("arg:a=1").expect("a query").needs_arguments());
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, why) in [
            ("dur>5", "\"5\" is no time in ns, us, ms or s, as in dur>100us, or too large"),
            ("step:x", "\"x\" is no step, as in step:12 or step:12..15"),
            ("re:(", "re: unclosed group"),
        ] {
            let error = Query::parse(text).expect_err(text);
            assert_eq!(error.to_string(), why, "{text}");
        }
    }
}
