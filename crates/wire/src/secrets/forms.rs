//! Tokens that are known by their own form, wherever they stand: the prefix that their issuer gives them, and
//! random letters after it.

/// What is written instead of a secret.
pub(super) const HIDDEN: &str = "***";

/// Prefixes of tokens that other texts hardly have, such as GitHub's `ghp_`.
const SURE: [&str; 26] = [
    "AIza",
    "dckr_pat_",
    "dop_v1_",
    "gho_",
    "ghp_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "gldt-",
    "glpat-",
    "glptt-",
    "glrt-",
    "glsoat-",
    "nvapi-",
    "pypi-",
    "rk_live_",
    "sk_live_",
    "sk_test_",
    "whsec_",
    "xapp-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxp-",
    "xoxs-",
];

/// Prefixes of tokens that other names have, too, such as `hf_` in `hf_cache`: a token only if what follows
/// looks random.
const LIKELY: [&str; 8] = ["SG.", "api_org_", "gsk_", "hf_", "hvs.", "npm_", "sk-", "ya29."];

/// Prefixes of AWS's access key ids, which upper-case letters and digits follow.
const AWS: [&str; 2] = ["AKIA", "ASIA"];

/// Parts of URLs after which a secret follows: incoming webhooks of Slack and Discord.
const HOOKS: [&str; 2] = ["hooks.slack.com/services/", "/api/webhooks/"];

/// The most bytes after a prefix of [`LIKELY`] in which random letters are looked for.
const LONGEST_PART: usize = 64;
/// The most bytes of the first part of a web token.
const HEADER: usize = 4096;
/// The most bytes of the second part of a web token.
const CLAIMS: usize = 65536;

/// Replaces each token of a known form in a text, and the secret behind each of [`HOOKS`], by [`HIDDEN`].
pub(super) fn hide(text: &str) -> String {
    let (mut shown, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(first) = text[at..].chars().next() {
        if let Some(len) = token(text, at) {
            shown.push_str(HIDDEN);
            at += len;
            continue;
        }
        if let Some(hook) = HOOKS.iter().find(|hook| text[at..].starts_with(**hook)) {
            let secret = run(&text[at + hook.len()..], b"-_/");
            shown.push_str(hook);
            shown.push_str(if secret > 0 { HIDDEN } else { "" });
            at += hook.len() + secret;
            continue;
        }
        shown.push(first);
        at += first.len_utf8();
    }
    shown
}

/// Length, in bytes, of the token that begins at byte `at` of the text; `None` if none begins there.
fn token(text: &str, at: usize) -> Option<usize> {
    // Not within a word, but for the letter of a short option: `-phf_…`.
    let is_within = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    if is_within && !(at == 2 && text.starts_with('-')) {
        return None;
    }
    let rest = &text[at..];
    let sure = SURE.iter().filter_map(|prefix| {
        let len = run(rest.strip_prefix(prefix)?, b"-_.");
        (len >= 4).then_some(prefix.len() + len)
    });
    let likely = LIKELY.iter().filter_map(|prefix| {
        let tail = rest.strip_prefix(prefix)?;
        let near = run(&tail[..tail.floor_char_boundary(LONGEST_PART)], b"-_.");
        is_random(&tail[..near]).then(|| prefix.len() + run(tail, b"-_."))
    });
    let aws = AWS.iter().filter_map(|prefix| {
        let tail = rest.strip_prefix(prefix)?;
        let len = tail.bytes().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count();
        (len >= 6).then_some(prefix.len() + len)
    });
    sure.chain(likely).chain(aws).chain(web_token(rest)).max()
}

/// Length, in bytes, of the JSON Web Token with which the text begins; `None` if it begins with none.
fn web_token(rest: &str) -> Option<usize> {
    rest.strip_prefix("eyJ")?;
    // The first part has the names of algorithms, and at most a chain of certificates.
    let first = run(&rest[..rest.floor_char_boundary(HEADER)], b"-_=");
    let second =
        rest[first..].strip_prefix('.').map(|rest| run(&rest[..rest.floor_char_boundary(CLAIMS)], b"-_="))?;
    let is_third = rest[first + 1 + second..].starts_with('.');
    (first >= 6 && is_third).then(|| run(rest, b"-_.="))
}

/// How many bytes at the beginning of a text are ASCII letters, digits or bytes of `more`.
fn run(text: &str, more: &[u8]) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || more.contains(byte)).count()
}

/// True if the text looks random rather than like a name made of words.
fn is_random(tail: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase();
    tail.split(['-', '_', '.'])
        .any(|part| part.len() >= 16 || part.len() >= 8 && !part.bytes().all(is_of_name))
}
