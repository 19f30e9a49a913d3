//! Splits Rust source into tokens and comments, as far as the checks of this tree need it.
//!
//! No full parser: strings, characters and lifetimes are skipped, `::` is one token, every other sign is one
//! of its own.

/// A Rust source, split.
pub struct Source<'a> {
    /// Identifiers, numbers and signs, in the file's order.
    pub tokens: Vec<Token<'a>>,
    /// Comments of all kinds, one entry per line of the file.
    pub comments: Vec<Comment<'a>>,
    /// Modules that are declared for tests alone and stand in files of their own (`#[cfg(test)] mod tests;`).
    pub test_modules: Vec<&'a str>,
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    /// The token's text.
    pub text: &'a str,
    /// The token's line, from 1.
    pub line: usize,
    /// True within an item under `#[cfg(test)]`.
    pub is_test: bool,
}

impl Token<'_> {
    /// True for identifiers and keywords.
    pub fn is_name(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphabetic() || first == '_')
    }
}

/// One line of a comment.
#[derive(Clone, Copy, Debug)]
pub struct Comment<'a> {
    /// The comment's text, with the signs that make it a comment.
    pub text: &'a str,
    /// The comment's line, from 1.
    pub line: usize,
}

/// Splits `text`.
pub fn split(text: &str) -> Source<'_> {
    let mut splitter = Splitter { text, at: 0, line: 1, tokens: Vec::new(), comments: Vec::new() };
    while splitter.at < text.len() {
        splitter.next();
    }
    let mut tokens = splitter.tokens;
    let test_modules = mark_tests(&mut tokens);
    Source { tokens, comments: splitter.comments, test_modules }
}

struct Splitter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    tokens: Vec<Token<'a>>,
    comments: Vec<Comment<'a>>,
}

impl<'a> Splitter<'a> {
    fn next(&mut self) {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().unwrap_or(' ');
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.comments.push(Comment { text: &rest[..end], line: self.line });
            self.at += end;
        } else if rest.starts_with("/*") {
            self.block_comment(rest);
        } else if let Some(length) = string(rest) {
            self.skip(length);
        } else if first == '\'' {
            self.skip(quoted(rest));
        } else if first.is_alphanumeric() || first == '_' {
            let raw = if rest.starts_with("r#") { 2 } else { 0 };
            let end = rest[raw..].find(|c: char| !c.is_alphanumeric() && c != '_');
            self.at += raw;
            self.token(end.unwrap_or(rest.len() - raw));
        } else if rest.starts_with("::") {
            self.token(2);
        } else if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else {
            self.token(first.len_utf8());
        }
    }

    fn token(&mut self, length: usize) {
        let text = &self.text[self.at..self.at + length];
        self.tokens.push(Token { text, line: self.line, is_test: false });
        self.at += length;
    }

    fn skip(&mut self, length: usize) {
        self.line += self.text[self.at..self.at + length].matches('\n').count();
        self.at += length;
    }

    fn block_comment(&mut self, rest: &'a str) {
        let (mut depth, mut end) = (0, 0);
        while end < rest.len() {
            if rest[end..].starts_with("/*") {
                depth += 1;
                end += 2;
            } else if rest[end..].starts_with("*/") {
                depth -= 1;
                end += 2;
                if depth == 0 {
                    break;
                }
            } else {
                end += rest[end..].chars().next().map_or(1, char::len_utf8);
            }
        }
        for (number, text) in rest[..end].split('\n').enumerate() {
            self.comments.push(Comment { text, line: self.line + number });
        }
        self.skip(end);
    }
}

/// The length of the string literal that `rest` begins with, raw ones and those of bytes and C included.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let after = rest.strip_prefix(prefix).unwrap_or_default();
        let hashes = after.len() - after.trim_start_matches('#').len();
        after[hashes..].starts_with('"') && (hashes == 0 || prefix.ends_with('r'))
    })?;
    let after = &rest[prefix.len()..];
    let hashes = after.len() - after.trim_start_matches('#').len();
    let open = prefix.len() + hashes + 1;
    if prefix.ends_with('r') {
        let close = format!("\"{}", "#".repeat(hashes));
        return Some(rest[open..].find(&close).map_or(rest.len(), |at| open + at + close.len()));
    }
    let mut is_escaped = false;
    for (at, c) in rest[open..].char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(open + at + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

/// The length of the character literal or lifetime that `rest` begins with.
fn quoted(rest: &str) -> usize {
    let mut inside = rest.char_indices().skip(1);
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            let from = escaped + 1;
            rest.get(from..).and_then(|after| after.find('\'')).map_or(rest.len(), |at| from + at + 1)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => {
            let name = rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_');
            1 + name.unwrap_or(rest.len() - 1)
        }
    }
}

/// Marks the tokens of items under `#[cfg(test)]`; returns the names of modules among them that stand in
/// other files.
fn mark_tests<'a>(tokens: &mut [Token<'a>]) -> Vec<&'a str> {
    let mut modules = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(end) = attribute(tokens, at) else {
            at += 1;
            continue;
        };
        let has = |name| tokens[at..end].iter().any(|token| token.text == name);
        if !has("cfg") || !has("test") || has("not") {
            at = end;
            continue;
        }
        let mut item = end;
        while let Some(after) = attribute(tokens, item) {
            item = after;
        }
        let last = item_end(tokens, item);
        if let [.., keyword, name, Token { text: ";", .. }] = &tokens[item..last]
            && keyword.text == "mod"
        {
            modules.push(name.text);
        }
        tokens[at..last].iter_mut().for_each(|token| token.is_test = true);
        at = last;
    }
    modules
}

/// The end of the outer attribute that begins at `at`.
fn attribute(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let is_one = tokens.get(at)?.text == "#" && tokens.get(at + 1)?.text == "[";
    is_one.then(|| closing(tokens, at + 1))
}

/// The end of the item that begins at `at`: behind its semicolon or its block.
fn item_end(tokens: &[Token<'_>], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.text {
            ";" => return at + 1,
            "{" => return closing(tokens, at),
            "(" | "[" => at = closing(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// The position behind the bracket that closes the one at `at`.
pub fn closing(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    at
}
