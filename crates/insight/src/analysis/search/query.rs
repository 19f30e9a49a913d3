//! What is typed to search for events: words, terms with fields such as `dur>100us` or `cat:kernel`, all of
//! which an event must meet, and how what is found is ordered, cut and summed up.
//!
//! `docs/search.md` states the grammar. Must not know how words are matched to names, nor where arguments are
//! read.

use proftui_trace::model::Trace;

use super::error::QueryError;
use super::fields::{Meaning, field, meaning};
use super::parts::{Typed, parts};
use super::terms::{By, Field, Order, Term};

/// What was typed to search for events.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The words that a name has to match fuzzily, joined by blanks; empty if there are none.
    pub words: String,
    /// The conditions that an event must meet beside the words.
    pub terms: Vec<Term>,
    /// The order of what is found.
    pub order: Order,
    /// True if the order was typed.
    pub is_ordered: bool,
    /// How many of what is found are wanted; `None` for all.
    pub top: Option<usize>,
    /// By what the events found are summed up; `None` for the events themselves.
    pub by: Option<By>,
}

impl Query {
    /// Reads what was typed, by the grammar in `docs/search.md`.
    ///
    /// # Errors
    /// When no field has a name, the value of a field cannot be read, or two parts do not go together.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let mut query = Self::default();
        let mut is_not = false;
        for part in parts(text, |name| field(name).is_some()) {
            if part.text == "not" && !part.is_quoted {
                is_not = true;
                continue;
            }
            let meaning = Typed::of(&part.text).map(|typed| meaning(typed, part.is_quoted)).transpose()?;
            let refused = |name| if is_not { Err(QueryError::NotACondition(name)) } else { Ok(()) };
            match meaning.flatten() {
                Some(Meaning::Field(field)) => query.terms.push(Term { is_not, field }),
                Some(Meaning::Sort(order)) => {
                    refused("sort:")?;
                    (query.order, query.is_ordered) = (order, true);
                }
                Some(Meaning::Top(count)) => {
                    refused("top:")?;
                    query.top = Some(count);
                }
                Some(Meaning::By(by)) => {
                    refused("by:")?;
                    query.by = Some(by);
                }
                None if is_not => {
                    query.terms.push(Term { is_not, field: Field::Name(part.text.to_lowercase()) });
                }
                None => query.push_word(&part.text),
            }
            is_not = false;
        }
        // Nothing follows the last "not": it is a word.
        if is_not {
            query.push_word("not");
        }
        query.check()?;
        Ok(query)
    }

    fn push_word(&mut self, word: &str) {
        if !self.words.is_empty() {
            self.words.push(' ');
        }
        self.words += word;
    }

    /// Checks that the parts of the query go together.
    fn check(&self) -> Result<(), QueryError> {
        if self.order == Order::Count && self.by.is_none() {
            return Err(QueryError::NotTogether { one: "sort:count", other: "a query without by:" });
        }
        if !self.is_of_gaps() {
            return Ok(());
        }
        let refused = |other| Err(QueryError::NotTogether { one: "cause:, which finds gaps,", other });
        let is_of_gap = |field: &Field| {
            let is_of_events = matches!(field, Field::Causes(_) | Field::Duration(_) | Field::Steps(_));
            is_of_events || matches!(field, Field::Rank(_) | Field::Gpu(_))
        };
        match self.by {
            _ if !self.words.is_empty() => refused("a word"),
            _ if self.terms.iter().any(|term| !is_of_gap(&term.field)) => {
                refused("other fields than dur, step, rank and gpu")
            }
            Some(By::Line) => refused("by:line"),
            Some(By::Operator) => refused("by:op"),
            _ => Ok(()),
        }
    }

    /// True if the query finds gaps rather than events.
    pub fn is_of_gaps(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.field, Field::Causes(_)))
    }

    /// True if the answer is a table: of gaps, of groups, or of the first of what is found or all in order.
    pub fn is_table(&self) -> bool {
        self.by.is_some() || self.top.is_some() || self.is_ordered || self.is_of_gaps()
    }

    /// True if events of `trace` have to be read again to know which meet the terms.
    pub fn needs_files(&self, trace: &Trace) -> bool {
        self.terms.iter().any(|term| term.needs_files(trace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let query = Query::parse(text).expect(text);
        let of_term = |term: &Term| {
            let field = format!("{:?}", term.field);
            if term.is_not { format!("not {field}") } else { field }
        };
        std::iter::once(query.words.clone()).chain(query.terms.iter().map(of_term)).collect()
    }

    fn why(text: &str) -> String {
        Query::parse(text).expect_err(text).to_string()
    }

    #[test]
    fn words_stay_words_and_fields_become_terms() {
        assert_eq!(terms("aten mm"), ["aten mm"]);
        for words in [
            "aten::mm std::vector<a:b> foo<a>b a>b vector<int> Kernel<256> x> nn.Module: Linear_0",
            "autograd::engine::evaluate_function: AddBackward0 train.py(49): main ProfilerStep#7",
            "is not",
        ] {
            assert_eq!(terms(words), [words]);
        }
        assert_eq!(terms("\"nccl:all_reduce\" \"foo>3\" \"not\""), ["nccl:all_reduce foo>3 not"]);
        assert_eq!(
            terms(r#"gemm cat:Kernel not stream:7 dur>=1.5ms not "a b" name:"X y""#),
            [
                "gemm",
                r#"Category("kernel")"#,
                r#"not Stream("7")"#,
                "Duration(Bound { side: Greater, is_or_equal: true, than: 1500000 })",
                r#"not Name("a b")"#,
                r#"Name("x y")"#,
            ]
        );
        assert_eq!(terms("step:3 step:#3..5"), ["", "Steps(3..=3)", "Steps(3..=5)"]);
        assert_eq!(terms("stream=7 dur > 100us"), terms("stream:7 dur>100us"));
        assert_eq!(terms("Cat:Kernel"), terms("cat:kernel"));
        assert_eq!(terms("cat: kernel"), terms("cat:kernel"));
    }

    #[test]
    fn arguments_are_compared_as_texts_or_as_numbers() {
        assert_eq!(
            terms("\"arg:Input Dims=[[2, 3]]\" arg:stream arg:name~gr arg:grid>=1K"),
            [
                "",
                r#"Argument { key: "Input Dims", text: Some("[[2,3]]"), is_part: false, bound: None }"#,
                r#"Argument { key: "stream", text: None, is_part: false, bound: None }"#,
                r#"Argument { key: "name", text: Some("gr"), is_part: true, bound: None }"#,
                concat!(
                    r#"Argument { key: "grid", text: None, is_part: false, "#,
                    "bound: Some(Bound { side: Greater, is_or_equal: true, than: 1024.0 }) }"
                ),
            ]
        );
        assert_eq!(
            terms("grid.x=4 regs>128"),
            [
                "",
                concat!(
                    "Launch { value: Grid, axis: Some(X), ",
                    "bound: Bound { side: Equal, is_or_equal: true, than: 4.0 } }"
                ),
                concat!(
                    "Launch { value: Registers, axis: None, ",
                    "bound: Bound { side: Greater, is_or_equal: false, than: 128.0 } }"
                ),
            ]
        );
    }

    #[test]
    fn order_and_grouping_are_no_terms() {
        let query =
            Query::parse("top:3 phase:backward cat:kernel step:7 by:name sort:count").expect("a query");
        assert_eq!((query.top, query.by, query.order), (Some(3), Some(By::Name), Order::Count));
        assert_eq!(query.terms.len(), 3);
        assert!(query.is_table() && !query.is_of_gaps());
        assert!(Query::parse("cause:data").expect("a query").is_table());
        assert!(Query::parse("gemm sort:start").expect("a query").is_table());
        assert!(!Query::parse("gemm cat:kernel").expect("a query").is_table());
    }

    #[test]
    fn unknown_fields_are_refused_with_the_nearest() {
        assert_eq!(
            why("foo>3"),
            "no field \"foo\" (in quotes it is a word); fields: name re cat lane stream step phase rank gpu \
             dur size grid block regs corr op line cause arg:NAME sort top by"
        );
        assert_eq!(why("foo > 3"), why("foo>3"));
        assert_eq!(why("duration>100us"), "no field \"duration\": did you mean dur, as in dur>100us?");
        for (typed, near) in [
            ("duraton>5us", "dur"),
            ("steam:7", "stream"),
            ("streams=7", "stream"),
            ("category:kernel", "cat"),
            ("registers>5", "regs"),
            ("operator:conv", "op"),
            ("grod>5", "grid"),
            ("bytes>1M", "size"),
        ] {
            assert!(why(typed).contains(&format!("did you mean {near},")), "{typed}: {}", why(typed));
        }
        assert!(why("nccl:all_reduce").starts_with("no field \"nccl\" (in quotes it is a word)"));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, said) in [
            ("dur>5", "\"5\" is no time in ns, us, ms or s, as in dur>100us, or too large"),
            ("step:x", "\"x\" is no step, as in step:12 or step:12..15"),
            ("re:(", "re: unclosed group"),
            ("lane:", "lane: a value is missing, as in lane:autograd"),
            ("arg:", "arg: a value is missing, as in arg:stream=7"),
            ("arg:grid>", "arg: a value is missing, as in arg:stream=7"),
            ("arg:grid>x", "\"x\" is no number, as in arg:grid>1000, or too large"),
            ("cat>kernel", "cat has no >: type it as in cat:kernel"),
            ("dur.x>5us", "dur has no .x: type it as in dur>100us"),
            ("grid>many", "\"many\" is no number, as in grid>1000, or too large"),
            ("rank:a", "\"a\" is no rank, as in rank:3, or too large"),
            ("top:0", "\"0\" is no number from 1, as in top:10, or too large"),
            ("phase:x", "\"x\" is no phase; there are loading, forward, backward, optimizer, other"),
            ("by:x", "\"x\" is no grouping; there are name, step, line, stream, op"),
            ("sort:x", "\"x\" is no order; there are dur, start, count"),
            ("sort:count", "sort:count does not go with a query without by:"),
            ("not top:3", "not cannot stand before top:"),
            ("cause:data gemm", "cause:, which finds gaps, does not go with a word"),
            ("cause:data by:line", "cause:, which finds gaps, does not go with by:line"),
            (
                "cause:data cat:kernel",
                "cause:, which finds gaps, does not go with other fields than dur, step, rank and gpu",
            ),
        ] {
            assert_eq!(why(text), said, "{text}");
        }
        assert!(why("cause:rain").starts_with("\"rain\" is no cause; there are not_recorded, "));
    }

    #[test]
    fn some_fields_need_the_files() {
        let trace = Trace::default();
        let needs = |text| Query::parse(text).expect(text).needs_files(&trace);
        assert!(needs("arg:a=1") && needs("grid>5") && needs("line:a.py:3"));
        assert!(!needs("corr:5") && !needs("size>5") && !needs("phase:forward"));
    }
}
