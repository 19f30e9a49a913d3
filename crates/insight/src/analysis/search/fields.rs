//! The fields of a query: their names, what each takes, and what is said where one is typed wrong.
//!
//! [`FIELDS`] is the one list of them: reading, errors and `docs/search.md` follow it. Must not know which
//! events meet a condition.

use std::cmp::Ordering;

use regex::RegexBuilder;

use super::error::QueryError;
use super::parts::Typed;
use super::terms::{By, Field, LaunchValue, Order};
use super::value::{Axis, Bound, Line, number, steps};
use crate::analysis::ledger::Cause;
use crate::analysis::part::location;
use crate::analysis::part::phase::PHASES;

/// What a part of a query with a field asks for.
pub(super) enum Meaning {
    /// A condition on events.
    Field(Field),
    /// The order of what is found.
    Sort(Order),
    /// How many of what is found are wanted.
    Top(usize),
    /// What is found is summed up by this.
    By(By),
}

/// A field of the query language.
pub struct Known {
    /// The name before the sign.
    pub name: &'static str,
    /// The field with a value, as one types it.
    pub example: &'static str,
    /// Other words by which the field is offered, separated by blanks.
    also: &'static str,
    read: fn(&Given<'_>) -> Result<Meaning, QueryError>,
}

/// A field with what was typed behind its name.
struct Given<'a> {
    known: &'static Known,
    typed: Typed<'a>,
}

/// All fields.
pub const FIELDS: &[Known] = &[
    Known {
        name: "name",
        example: "name:relu",
        also: "contains title",
        read: |given| Ok(Meaning::Field(Field::Name(given.plain()?.to_lowercase()))),
    },
    Known { name: "re", example: "re:^void", also: "regex regexp match", read: regex },
    Known {
        name: "cat",
        example: "cat:kernel",
        also: "category kind type",
        read: |given| Ok(Meaning::Field(Field::Category(given.plain()?.to_lowercase()))),
    },
    Known {
        name: "lane",
        example: "lane:autograd",
        also: "thread tid process pid track",
        read: |given| Ok(Meaning::Field(Field::Lane(given.plain()?.to_lowercase()))),
    },
    Known {
        name: "stream",
        example: "stream:7",
        also: "queue",
        read: |given| Ok(Meaning::Field(Field::Stream(given.plain()?.to_lowercase()))),
    },
    Known {
        name: "step",
        example: "step:12",
        also: "steps iteration iter",
        read: |given| {
            let text = given.plain()?;
            let steps = steps(text).ok_or_else(|| QueryError::NoStep(text.to_owned()))?;
            Ok(Meaning::Field(Field::Steps(steps)))
        },
    },
    Known { name: "phase", example: "phase:backward", also: "pass", read: phase },
    Known {
        name: "rank",
        example: "rank:3",
        also: "worker",
        read: |given| {
            let text = given.plain()?;
            let rank = text.parse().map_err(|_| given.no_number(text, "rank"))?;
            Ok(Meaning::Field(Field::Rank(rank)))
        },
    },
    Known {
        name: "gpu",
        example: "gpu:0",
        also: "device card npu",
        read: |given| Ok(Meaning::Field(Field::Gpu(given.plain()?.to_lowercase()))),
    },
    Known {
        name: "dur",
        example: "dur>100us",
        also: "duration time length took ms us ns",
        read: |given| {
            let parse = |text: &str| location::time(text);
            let bound = given.bound(parse, "time in ns, us, ms or s")?;
            Ok(Meaning::Field(Field::Duration(bound)))
        },
    },
    Known {
        name: "size",
        example: "size>1M",
        also: "bytes b",
        read: |given| Ok(Meaning::Field(Field::Size(given.bound(number, "number of bytes")?))),
    },
    Known {
        name: "grid",
        example: "grid>1000",
        also: "blocks griddim",
        read: |given| given.launch(LaunchValue::Grid),
    },
    Known {
        name: "block",
        example: "block>=256",
        also: "threads blockdim",
        read: |given| given.launch(LaunchValue::Block),
    },
    Known {
        name: "regs",
        example: "regs>128",
        also: "registers register reg",
        read: |given| given.launch(LaunchValue::Registers),
    },
    Known {
        name: "corr",
        example: "corr:123",
        also: "correlation correlation_id",
        read: |given| Ok(Meaning::Field(Field::Correlation(given.bound(number, "number")?))),
    },
    Known {
        name: "op",
        example: "op:conv2d",
        also: "operator",
        read: |given| Ok(Meaning::Field(Field::Operator(given.plain()?.to_lowercase()))),
    },
    Known {
        name: "line",
        example: "line:train.py:49",
        also: "file python code source",
        read: |given| Ok(Meaning::Field(Field::Line(Line::of(given.plain()?)))),
    },
    Known { name: "cause", example: "cause:data", also: "idle gap why", read: cause },
    Known { name: "arg", example: "arg:stream=7", also: "args argument", read: argument },
    Known {
        name: "sort",
        example: "sort:dur",
        also: "order",
        read: |given| {
            let orders = [("dur", Order::Duration), ("start", Order::Start), ("count", Order::Count)];
            Ok(Meaning::Sort(given.choice("order", &orders)?))
        },
    },
    Known {
        name: "top",
        example: "top:10",
        also: "limit first head",
        read: |given| {
            let text = given.plain()?;
            let count = text.parse().ok().filter(|&count: &usize| count > 0);
            Ok(Meaning::Top(count.ok_or_else(|| given.no_number(text, "number from 1"))?))
        },
    },
    Known {
        name: "by",
        example: "by:name",
        also: "group groupby group_by",
        read: |given| {
            let mut all = By::ALL.map(|by| (by.name(), by)).to_vec();
            // As the table's column is called.
            if given.plain()?.eq_ignore_ascii_case("operator") {
                all = vec![("operator", By::Operator)];
            }
            Ok(Meaning::By(given.choice("grouping", &all)?))
        },
    },
];

/// The ids of phases, in the order of [`PHASES`], and last of the time of steps that is in no phase.
pub(super) const PHASE_IDS: [&str; PHASES.len() + 1] =
    ["loading", "forward", "backward", "optimizer", "other"];

/// The field with this name.
pub(super) fn field(name: &str) -> Option<&'static Known> {
    FIELDS.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}

/// What a part with a field asks for; `None` if the part is a word.
///
/// # Errors
/// When no field has the name, or the value cannot be read.
pub(super) fn meaning(typed: Typed<'_>, is_quoted: bool) -> Result<Option<Meaning>, QueryError> {
    let Some(known) = field(typed.name) else {
        let is_compared = matches!(typed.sign, ":" | "=") && !typed.value.is_empty() || typed.has_number();
        return if is_compared && !is_quoted { Err(unknown(typed.name)) } else { Ok(None) };
    };
    let given = Given { known, typed };
    if let Some(axis) = typed.axis.filter(|_| !["grid", "block"].contains(&known.name)) {
        return Err(given.no_sign(&format!(".{axis}")));
    }
    if typed.value.is_empty() {
        return Err(QueryError::NoValue { name: known.name, example: known.example });
    }
    (known.read)(&given).map(Some)
}

/// The error for a name that no field has: it offers the nearest field, or else lists all.
fn unknown(name: &str) -> QueryError {
    let advice = if let Some(near) = nearest(&name.to_lowercase()) {
        format!(": did you mean {}, as in {}?", near.name, near.example)
    } else {
        let names = FIELDS.iter().map(|known| if known.name == "arg" { "arg:NAME" } else { known.name });
        let names: Vec<&str> = names.collect();
        format!(" (in quotes it is a word); fields: {}", names.join(" "))
    };
    QueryError::NoField { name: name.to_owned(), advice }
}

/// The field that a name is another word for, or begins, or has but for one or two letters.
fn nearest(name: &str) -> Option<&'static Known> {
    let is_other = |known: &&Known| known.also.split(' ').any(|other| other == name);
    let is_begun = |known: &&Known| name.len() > 2 && name.starts_with(known.name) && known.name.len() > 2;
    let misspelt = |known: &'static Known| {
        let words = std::iter::once(known.name).chain(known.also.split(' '));
        let distance =
            words.filter(|word| word.len() > 2).map(|word| (distance(word, name), word.len())).min()?;
        let most = if distance.1 > 5 { 2 } else { 1 };
        (distance.0 <= most && name.len() > 2).then_some((distance.0, known))
    };
    FIELDS.iter().find(is_other).or_else(|| FIELDS.iter().find(is_begun)).or_else(|| {
        let near = FIELDS.iter().filter_map(misspelt).min_by_key(|near| near.0)?;
        Some(near.1)
    })
}

/// How many letters have to be added, left out or replaced to make one text of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, a) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = at + 1;
        for (to, b) in other.chars().enumerate() {
            let replaced = before + usize::from(a != b);
            before = row[to + 1];
            row[to + 1] = replaced.min(row[to] + 1).min(before + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

impl<'a> Given<'a> {
    /// The value behind `:` or `=`.
    fn plain(&self) -> Result<&'a str, QueryError> {
        match self.typed.sign {
            ":" | "=" => Ok(self.typed.value),
            sign => Err(self.no_sign(sign)),
        }
    }

    /// The comparison with a value that `parse` reads.
    fn bound<T>(
        &self,
        parse: impl Fn(&str) -> Option<T>,
        what: &'static str,
    ) -> Result<Bound<T>, QueryError> {
        bound(self.typed.sign, self.typed.value, parse).ok_or_else(|| self.no_number(self.typed.value, what))
    }

    fn launch(&self, value: LaunchValue) -> Result<Meaning, QueryError> {
        let bound = self.bound(number, "number")?;
        Ok(Meaning::Field(Field::Launch { value, axis: self.typed.axis.and_then(Axis::named), bound }))
    }

    fn choice<T: Copy>(&self, what: &'static str, all: &[(&str, T)]) -> Result<T, QueryError> {
        let text = self.plain()?;
        let found = all.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|&(_, value)| value);
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|&(name, _)| name).collect();
            QueryError::NoChoice { text: text.to_owned(), what, known: names.join(", ") }
        })
    }

    fn no_sign(&self, sign: &str) -> QueryError {
        QueryError::NoSign { name: self.known.name, sign: sign.to_owned(), example: self.known.example }
    }

    fn no_number(&self, text: &str, what: &'static str) -> QueryError {
        QueryError::NoNumber { text: text.to_owned(), what, example: self.known.example }
    }
}

/// The comparison that a sign and a value state; `None` if `parse` cannot read the value.
fn bound<T>(sign: &str, value: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Bound<T>> {
    let (side, is_or_equal) = match sign {
        ">" => (Ordering::Greater, false),
        ">=" => (Ordering::Greater, true),
        "<" => (Ordering::Less, false),
        "<=" => (Ordering::Less, true),
        _ => (Ordering::Equal, true),
    };
    Some(Bound { side, is_or_equal, than: parse(value)? })
}

/// The size limit of a compiled regular expression, bytes.
const REGEX: usize = 1 << 20;

fn regex(given: &Given<'_>) -> Result<Meaning, QueryError> {
    let regex = RegexBuilder::new(given.plain()?).size_limit(REGEX).build();
    // The reason is the last line of the error's text.
    let reason = |error: regex::Error| {
        let text = error.to_string();
        text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    };
    Ok(Meaning::Field(Field::Regex(regex.map_err(|error| QueryError::NoRegex(reason(error)))?)))
}

fn phase(given: &Given<'_>) -> Result<Meaning, QueryError> {
    let text = given.plain()?.to_lowercase();
    let found = PHASE_IDS.iter().position(|id| id.starts_with(&text));
    let phase =
        found.or_else(|| PHASES.iter().position(|(_, title)| title.to_lowercase().starts_with(&text)));
    let known = || QueryError::NoChoice { text: text.clone(), what: "phase", known: PHASE_IDS.join(", ") };
    Ok(Meaning::Field(Field::Phase(phase.ok_or_else(known)?)))
}

fn cause(given: &Given<'_>) -> Result<Meaning, QueryError> {
    let text = given.plain()?.to_lowercase();
    let has = |cause: &&Cause| cause.id().contains(&text) || cause.title().to_lowercase().contains(&text);
    let found: Vec<Cause> = Cause::ALL.iter().filter(has).copied().collect();
    if found.is_empty() {
        let known: Vec<&str> = Cause::ALL.iter().map(|cause| cause.id()).collect();
        return Err(QueryError::NoChoice { text, what: "cause", known: known.join(", ") });
    }
    Ok(Meaning::Field(Field::Causes(found)))
}

fn argument(given: &Given<'_>) -> Result<Meaning, QueryError> {
    let text = given.plain()?;
    let at = text.find(['=', '~', '<', '>']).unwrap_or(text.len());
    let (key, rest) = text.split_at(at);
    let missing = || QueryError::NoValue { name: given.known.name, example: given.known.example };
    let without_blanks = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let sign = [">=", "<=", ">", "<", "=", "~"].into_iter().find(|sign| rest.starts_with(sign));
    let value = without_blanks(rest.get(sign.unwrap_or_default().len()..).unwrap_or_default());
    if key.is_empty() || sign.is_some() && value.is_empty() {
        return Err(missing());
    }
    let (is, bound) = match sign {
        None => (None, None),
        Some("~") => (Some((value, true)), None),
        Some("=") => (Some((value.clone(), false)), bound("=", &value, number)),
        Some(sign) => {
            let bound = bound(sign, &value, number);
            let wrong = || QueryError::NoNumber { text: value, what: "number", example: "arg:grid>1000" };
            (None, Some(bound.ok_or_else(wrong)?))
        }
    };
    let (is_part, text) = is.map_or((false, None), |(text, is_part)| (is_part, Some(text)));
    Ok(Meaning::Field(Field::Argument { key: key.to_owned(), text, is_part, bound }))
}
