//! The parts of a typed query: words and `field sign value`, with quotes and blanks around signs resolved.
//!
//! Must not know what a field means.

/// The signs between a field and its value, longer ones first.
const SIGNS: [&str; 6] = [">=", "<=", ">", "<", "=", ":"];

/// A part of a typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The part without its quotes.
    pub text: String,
    /// True if the part begins with a double quote.
    pub is_quoted: bool,
}

/// A part of the form `field sign value`, such as `grid.x>=4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Typed<'a> {
    /// The name before the sign, without a component.
    pub name: &'a str,
    /// The letter behind a point in the name: `x`, `y` or `z`.
    pub axis: Option<&'a str>,
    /// The sign.
    pub sign: &'a str,
    /// What stands behind the sign; it may be empty.
    pub value: &'a str,
}

impl<'a> Typed<'a> {
    /// Reads a part; `None` if it has no such form. A name is letters, digits and `_`, with a letter first;
    /// `::` is no sign.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let is_named = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, rest) = text.split_at(text.find(|c| !is_named(c)).unwrap_or(text.len()));
        let axis = rest.strip_prefix('.').and_then(|rest| rest.get(..1));
        let axis = axis.filter(|axis| ["x", "y", "z"].contains(axis));
        let rest = if axis.is_some() { &rest[2..] } else { rest };
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign))?;
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || rest.starts_with("::") {
            return None;
        }
        let value = &rest[sign.len()..];
        // Equality is also written as in programs.
        let value = if sign == "=" { value.strip_prefix('=').unwrap_or(value) } else { value };
        Some(Self { name, axis, sign, value })
    }

    /// True if the value is a number, perhaps with a unit.
    pub(super) fn has_number(&self) -> bool {
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        let unit = self.value.trim_start_matches(is_digit);
        self.value.starts_with(|c: char| c.is_ascii_digit())
            && unit.chars().all(|c| c.is_alphabetic() || c == '%')
    }
}

/// Splits a typed line at blanks outside double quotes, leaves the quotes out, and joins a sign that has
/// blanks around it to the field before and the value behind it. `is_field` is true for the names of fields;
/// behind other names only a number is joined.
pub(super) fn parts(line: &str, is_field: impl Fn(&str) -> bool) -> Vec<Part> {
    let mut found: Vec<Part> = Vec::new();
    let mut waiting = split(line).into_iter().peekable();
    while let Some(mut part) = waiting.next() {
        if !part.is_quoted
            && let Some(count) = joined(&part.text, waiting.clone().take(2), &is_field)
        {
            waiting.by_ref().take(count).for_each(|next| part.text += &next.text);
        }
        found.push(part);
    }
    found
}

/// How many of the parts `next` belong to the part `text` before them; `None` if none does.
fn joined(text: &str, next: impl Iterator<Item = Part>, is_field: &impl Fn(&str) -> bool) -> Option<usize> {
    let mut whole = text.to_owned();
    for (count, part) in (1..).zip(next) {
        let is_term = !part.is_quoted && Typed::of(&part.text).is_some_and(|typed| is_field(typed.name));
        let has_sign = Typed::of(&whole).is_some();
        if has_sign && (is_term || part.text == "not") {
            return None;
        }
        if !has_sign && !SIGNS.iter().any(|sign| part.text.starts_with(sign)) {
            return None;
        }
        whole += &part.text;
        let typed = Typed::of(&whole)?;
        if !typed.value.is_empty() {
            let is_open = Typed::of(text).is_none_or(|before| before.value.is_empty());
            let is_wanted = is_open && (is_field(typed.name) || typed.has_number());
            return is_wanted.then_some(count);
        }
    }
    None
}

fn split(text: &str) -> Vec<Part> {
    let (mut parts, mut part, mut is_quoted): (Vec<Part>, Option<Part>, bool) = (Vec::new(), None, false);
    for c in text.chars() {
        match c {
            '"' => {
                is_quoted = !is_quoted;
                part.get_or_insert_with(|| Part { text: String::new(), is_quoted: true });
            }
            c if c.is_whitespace() && !is_quoted => parts.extend(part.take()),
            c => part.get_or_insert_with(|| Part { text: String::new(), is_quoted: false }).text.push(c),
        }
    }
    parts.extend(part);
    parts.retain(|part| !part.text.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        let is_field = |name: &str| ["dur", "cat", "lane", "arg"].contains(&name);
        parts(line, is_field).into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn blanks_around_signs_do_not_count() {
        assert_eq!(texts("dur > 100us gemm"), ["dur>100us", "gemm"]);
        assert_eq!(texts("dur> 100us"), ["dur>100us"]);
        assert_eq!(texts("dur >=100us"), ["dur>=100us"]);
        assert_eq!(texts("cat : kernel dur < 5us"), ["cat:kernel", "dur<5us"]);
        assert_eq!(texts("foo > 3"), ["foo>3"], "a number is compared");
    }

    #[test]
    fn words_keep_their_blanks() {
        assert_eq!(texts("a > b"), ["a", ">", "b"]);
        assert_eq!(texts("lane: dur>5us"), ["lane:", "dur>5us"], "the next term is no value");
        assert_eq!(texts("lane: not gemm"), ["lane:", "not", "gemm"]);
        assert_eq!(texts("dur >"), ["dur", ">"]);
        assert_eq!(texts("cat:kernel gemm"), ["cat:kernel", "gemm"]);
        assert_eq!(texts("cat:kernel > 5"), ["cat:kernel", ">", "5"]);
        assert_eq!(texts(r#"name:"X y" "a  b" """#), ["name:X y", "a  b"]);
    }

    #[test]
    fn fields_begin_with_a_name_and_a_sign() {
        let typed = |text| Typed::of(text).map(|typed| (typed.name, typed.axis, typed.sign, typed.value));
        assert_eq!(typed("dur>=5us"), Some(("dur", None, ">=", "5us")));
        assert_eq!(typed("grid.x=4"), Some(("grid", Some("x"), "=", "4")));
        assert_eq!(typed("grid==4"), Some(("grid", None, "=", "4")));
        assert_eq!(typed("lane:"), Some(("lane", None, ":", "")));
        assert_eq!(typed("p50>3"), Some(("p50", None, ">", "3")));
        for word in
            ["aten::mm", "std::vector<a:b>", "train.py:49", "7:5", "<built-in>", "", "relu", ":x", "é:1"]
        {
            assert_eq!(Typed::of(word), None, "{word}");
        }
    }
}
