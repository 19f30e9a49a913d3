//! Names whose values are secrets, and where the value of one begins.

/// Parts of names whose values are secrets: `key` is part of `api_key`, too.
const PARTS: [&str; 12] = [
    "auth",
    "bearer",
    "cookie",
    "credential",
    "key",
    "passphrase",
    "passw",
    "private",
    "pwd",
    "secret",
    "session",
    "token",
];

/// Last words of names whose values are secrets. As parts of names they would be in `design` and `compass`.
const WORDS: [&str; 9] = ["cred", "creds", "dsn", "jwt", "otp", "pass", "pw", "sig", "signature"];

/// Words of names that have a part of [`PARTS`] in them and are no secrets; `_` stands for `-` and `.`, too.
const HARMLESS: [&str; 22] = [
    "author",
    "authors",
    "batched_tokens",
    "key_dim",
    "key_padding",
    "key_value_heads",
    "keyboard",
    "keyframe",
    "keyframes",
    "keypoint",
    "keypoints",
    "max_tokens",
    "min_tokens",
    "monkey",
    "new_tokens",
    "num_tokens",
    "tokenization",
    "tokenize",
    "tokenized",
    "tokenizer",
    "tokenizers",
    "tokens_per",
];

/// Where the value of a secret's name is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The argument has no such name, or it has no value.
    None,
    /// In the argument, from this offset on.
    From(usize),
    /// The next argument.
    NextArgument,
}

/// Finds the value of the first name of a secret in an argument.
pub(super) fn value(argument: &str) -> Value {
    let lower = without_harmless(argument.to_ascii_lowercase());
    let of_part = PARTS.iter().filter_map(|part| lower.find(part)).min().map_or(Value::None, |from| {
        match separator(&lower[from..]) {
            None => next_argument(&lower, from),
            Some((at, _)) if &lower[from + at..] == ":" => Value::NextArgument,
            Some((at, len)) => Value::From(from + at + len),
        }
    });
    let of_word =
        WORDS.iter().filter_map(|word| value_of_word(&lower, word)).min_by_key(|value| match value {
            Value::From(at) => *at,
            _ => usize::MAX,
        });
    match (of_part, of_word) {
        (Value::From(one), Some(Value::From(other))) => Value::From(one.min(other)),
        (value @ Value::From(_), _) => value,
        (value, other) => other.unwrap_or(value),
    }
}

/// Where the separator of a name and its value begins, and its length: `=` or `:`, also as in URLs, or a
/// blank; `None` if there is none.
fn separator(lower: &str) -> Option<(usize, usize)> {
    let plain = lower.find(|c: char| c == '=' || c == ':' || c.is_whitespace());
    let plain = plain.map(|at| (at, lower[at..].chars().next().map_or(1, char::len_utf8)));
    let escaped = ["%3d", "%3a"].iter().filter_map(|mark| lower.find(mark)).map(|at| (at, 3));
    plain.into_iter().chain(escaped).min()
}

/// The value of a name without a separator after it: the next argument if it is an option's name, or
/// `bearer`.
fn next_argument(lower: &str, from: usize) -> Value {
    let is_name = lower.starts_with('-') && !lower[..from].contains('=');
    if is_name || lower == "bearer" { Value::NextArgument } else { Value::None }
}

/// The value of the first name that ends with this whole word; none if there is no such name, or it has no
/// value.
fn value_of_word(lower: &str, word: &str) -> Option<Value> {
    lower.match_indices(word).find_map(|(from, _)| {
        let (before, after) = (&lower[..from], &lower[from + word.len()..]);
        let closed = after.trim_start_matches(['"', '\'', '\\']);
        let blanks = closed.len() - closed.trim_start().len();
        let mark = closed[blanks..].chars().next();
        let is_named = mark.is_some_and(|mark| mark == '=' || mark == ':');
        let is_escaped = closed.starts_with("%3d") || closed.starts_with("%3a");
        let ends = is_named || is_escaped || blanks > 0 || closed.is_empty();
        if !ends || before.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return None;
        }
        let at = lower.len() - closed.len();
        if is_named && closed.len() == blanks + 1 && mark == Some(':') {
            return Some(Value::NextArgument);
        }
        if is_named || is_escaped {
            return Some(Value::From(at + if is_escaped { 3 } else { blanks + 1 }));
        }
        // In prose the word stands, too; before a blank only an option is a name.
        let name = before.rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_option = name.starts_with('-') && !name.contains('=');
        match blanks {
            0 => (is_option && lower.starts_with('-')).then_some(Value::NextArgument),
            _ => is_option.then_some(Value::From(at + blanks)),
        }
    })
}

/// Overwrites the words of [`HARMLESS`] by as many `_`, so that offsets stay.
fn without_harmless(mut lower: String) -> String {
    let joined = lower.replace(['-', '.'], "_");
    for word in HARMLESS {
        for (at, _) in joined.match_indices(word) {
            let (before, after) = (&joined[..at], &joined[at + word.len()..]);
            let is_whole = !before.ends_with(|c: char| c.is_ascii_alphanumeric())
                && !after.starts_with(|c: char| c.is_ascii_alphanumeric());
            if is_whole {
                lower.replace_range(at..at + word.len(), &"_".repeat(word.len()));
            }
        }
    }
    lower
}
