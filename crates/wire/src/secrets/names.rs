//! Names whose values are secrets, and where the value of one begins.

/// A name that contains one of these anywhere is usually taken for the name of a secret.
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

/// A name whose last word is one of these is usually taken for the name of a secret.
const WORDS: [&str; 9] = ["cred", "creds", "dsn", "jwt", "otp", "pass", "pw", "sig", "signature"];

/// Words that contain a text of [`PARTS`] but name no secret; `_` stands for `-` and `.`, too.
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

/// Where the secret is that an argument names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nowhere, as far as known.
    None,
    /// In the argument itself, from this byte offset to its end.
    From(usize),
    /// In the next argument, which is the secret.
    NextArgument,
}

/// Finds where the value is of a secret that an argument names.
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

/// Byte offset and length of the first separator between a name and its value, such as `=` or `:`; `None` if
/// there is none.
fn separator(lower: &str) -> Option<(usize, usize)> {
    let plain = lower.find(|c: char| c == '=' || c == ':' || c.is_whitespace());
    let plain = plain.map(|at| (at, lower[at..].chars().next().map_or(1, char::len_utf8)));
    let escaped = ["%3d", "%3a"].iter().filter_map(|mark| lower.find(mark)).map(|at| (at, 3));
    plain.into_iter().chain(escaped).min()
}

/// Where the value is of a name that no separator follows; `from` is the byte offset at which a text of
/// [`PARTS`] was found.
fn next_argument(lower: &str, from: usize) -> Value {
    let is_name = lower.starts_with('-') && !lower[..from].contains('=');
    if is_name || lower == "bearer" { Value::NextArgument } else { Value::None }
}

/// Where the value is of a name that ends with the whole word `word`; `None` if no such name has a value.
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

/// Overwrites each word of [`HARMLESS`] by as many `_`, so that the offsets of other text stay.
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
