//! Logins: the user and password before the host of a URL, and `user:password` after options such as curl's
//! `--user`.

use std::ops::Range;

use super::forms::HIDDEN;

/// Last words of the names of options that take `user:password`.
const USERS: [&str; 4] = ["account", "login", "user", "username"];

/// Hides at least the password of each login that it finds in an argument, which may be a whole shell
/// command. The second result is true if the next argument may be `user:password`.
pub(super) fn hide(argument: &str) -> (String, bool) {
    let (shown, is_next) = without_options(argument);
    (without_scp(&without_urls(&shown)), is_next)
}

/// Replaces what follows the first colon of `user:password` by `***`; `None` if there is no colon, or if the
/// text behind the colon is empty or begins with `//`, as in a URL.
pub(super) fn without_password(value: &str) -> Option<String> {
    let at = colon(value)?;
    Some(format!("{}{HIDDEN}", &value[..=at]))
}

/// Byte offset of the first colon of `user:password`; `None` if the text is not of this form.
fn colon(value: &str) -> Option<usize> {
    let at = value.find(':')?;
    let after = &value[at + 1..];
    (!after.is_empty() && !after.starts_with("//")).then_some(at)
}

/// Hides the first password that an option has in the argument, and all that follows it. The second result is
/// true if the next argument may be a login.
fn without_options(argument: &str) -> (String, bool) {
    let mut from = 0;
    let mut is_next = false;
    for word in argument.split_inclusive(char::is_whitespace) {
        let (start, name) = (from, word.trim_end());
        from += word.len();
        is_next = takes_login(name) && from == argument.len() && name.len() == word.len();
        let value = if takes_login(name) {
            let blanks = argument[from..].len() - argument[from..].trim_start().len();
            Some(from + blanks)
        } else {
            attached(name).map(|at| start + at)
        };
        let Some(begin) = value else { continue };
        let value = &argument[begin..];
        let quote = value.chars().next().filter(|first| "\"'".contains(*first));
        let end = match quote {
            Some(quote) => value[1..].find(quote).map_or(value.len(), |at| at + 1),
            None => value.find(char::is_whitespace).unwrap_or(value.len()),
        };
        if let Some(at) = colon(&value[..end]) {
            return (format!("{}{HIDDEN}", &argument[..=begin + at]), false);
        }
    }
    (argument.to_owned(), is_next)
}

/// True for an option whose value, the next word, may be a login, such as `-u` and `--proxy-user`.
fn takes_login(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(name) => names_user(name),
        None => word.strip_prefix('-').is_some_and(|letters| {
            letters.ends_with(['u', 'U']) && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
                || names_user(letters)
        }),
    }
}

/// Offset of what may be a login in a word such as `--user=bob:V` or `-ubob:V`; `None` for other words.
fn attached(word: &str) -> Option<usize> {
    if let Some((name, _)) = word.split_once('=')
        && names_user(name)
    {
        return Some(name.len() + 1);
    }
    let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let at = letters.find(['u', 'U']).filter(|&at| at <= 3)?;
    letters[..at].bytes().all(|letter| letter.is_ascii_alphabetic()).then_some(at + 2)
}

fn names_user(name: &str) -> bool {
    let last = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    USERS.iter().any(|user| last.eq_ignore_ascii_case(user))
}

/// Hides what may be the login in each URL of a text: usually all up to the last `@` of the word.
fn without_urls(text: &str) -> String {
    let last = text.rfind('@');
    let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
    let mut words = text.split_inclusive(char::is_whitespace);
    let mut word = 0..0;
    let mut end = None;
    while let Some(found) = text[at..].find("://") {
        let start = at + found + 3;
        while word.end < start {
            let Some(next) = words.next() else { break };
            word = word.end..word.end + next.len();
            end = next.rfind('@').map(|offset| word.start + offset);
        }
        shown.push_str(&text[at..start]);
        at = start;
        if let Some(end) = login(text, at..word.end, end.filter(|&end| end >= at), last) {
            shown.push_str(HIDDEN);
            at = end;
        }
    }
    shown + &text[at..]
}

/// Offset in `text` at which what may be the login of a URL ends; `None` if there is none. `end` and `last`
/// are offsets of the last `@` in the rest of the URL's word and in the text.
fn login(text: &str, url: Range<usize>, end: Option<usize>, last: Option<usize>) -> Option<usize> {
    let (start, url) = (url.start, &text[url]);
    let authority = url.split(['/', '?', '#']).next().unwrap_or_default().trim_end();
    let Some(end) = end else {
        // The colon of a password, not that of a port or of an address.
        let is_open = authority.split_once(':').is_some_and(|(host, port)| {
            !host.starts_with('[') && port.bytes().any(|byte| !byte.is_ascii_digit())
        });
        return last.filter(|&last| is_open && last > start);
    };
    let is_password =
        url.find(':').is_some_and(|colon| start + colon < end) && !text[end..].starts_with("@sha256:");
    (authority.contains('@') || is_password).then_some(end)
}

/// Hides the login in each word such as `bob:V@host:path`.
fn without_scp(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).map(without_scp_in_word).collect()
}

fn without_scp_in_word(word: &str) -> String {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c);
    let Some(end) =
        word.rfind('@').filter(|&end| !word.contains("://") && !word[end..].starts_with("@sha256:"))
    else {
        return word.to_owned();
    };
    let start = word[..end].match_indices(':').find_map(|(at, _)| {
        let user = word[..at].len() - word[..at].trim_end_matches(is_of_name).len();
        (user > 0 && at + 1 < end).then_some(at - user)
    });
    start.map_or_else(|| word.to_owned(), |start| format!("{}{HIDDEN}{}", &word[..start], &word[end..]))
}
