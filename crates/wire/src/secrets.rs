//! Hides secrets in a command line: both sides write command lines into files, `proftui capture` that of the
//! program, the recorder Python's `sys.argv`.
//!
//! A secret is known by the name before it (`names`), as a part of a login (`logins`), or by its own form
//! (`forms`). What may be a secret is hidden, up to the end of its argument: a command line that shows too
//! little is the smaller harm. Allocates a few copies of the arguments; the time grows with their length
//! times the number of known names.

mod forms;
mod logins;
mod names;

use forms::HIDDEN;
use names::Value;

/// Names of authentication schemes, which are no secrets.
const SCHEMES: [&str; 6] = ["apikey", "basic", "bearer", "digest", "negotiate", "token"];

/// How an argument is treated because of the argument before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// By itself, whatever the argument before it.
    Any,
    /// As the value of a secret that the argument before it names: usually hidden as a whole.
    Secret,
    /// As `user:password`, if it has this form: the password is hidden.
    Login,
}

/// Returns the arguments with `***` instead of what may be a secret, such as the `V` in `--api-key=V`,
/// `--token V`, `?sig=V` and `--user bob:V`.
pub fn hide(arguments: &[String]) -> Vec<String> {
    let mut next = Next::Any;
    let shown = arguments.iter().map(|argument| {
        let (shown, after) = shown(argument, next);
        next = after;
        shown
    });
    shown.collect()
}

/// The argument without its secrets if it is treated as `due`, and how the next argument is treated.
fn shown(argument: &str, due: Next) -> (String, Next) {
    let (own, after) = by_itself(argument);
    match due {
        Next::Secret if SCHEMES.iter().any(|scheme| argument.eq_ignore_ascii_case(scheme)) => {
            (argument.to_owned(), Next::Secret)
        }
        // A value may begin with `-`. If it was an option after all, the argument after it may be a secret of
        // its own.
        Next::Secret if !is_option(argument) => {
            (HIDDEN.to_owned(), if argument.starts_with('-') { after } else { Next::Any })
        }
        Next::Login => logins::without_password(argument).map_or((own, after), |shown| (shown, Next::Any)),
        _ => (own, after),
    }
}

/// The argument without the secrets that are recognized in it alone, and how the next argument is treated.
fn by_itself(argument: &str) -> (String, Next) {
    let (mut text, is_login_next) = logins::hide(argument);
    let mut next = if is_login_next { Next::Login } else { Next::Any };
    match names::value(&text) {
        Value::None => {}
        Value::From(at) => {
            text.truncate(at);
            text = forms::hide(&text) + HIDDEN;
            return (text, next);
        }
        Value::NextArgument => next = Next::Secret,
    }
    (forms::hide(&text), next)
}

/// True for `--` and for what looks like a long option rather than a secret that begins with `--`.
fn is_option(argument: &str) -> bool {
    let Some(rest) = argument.strip_prefix("--") else { return false };
    let name = rest.split('=').next().unwrap_or_default();
    let count = |is: fn(&u8) -> bool| name.bytes().filter(is).count();
    let is_of_words = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let has_one_case = count(u8::is_ascii_uppercase) == 0 || count(u8::is_ascii_lowercase) == 0;
    rest.is_empty()
        || is_of_words
            && has_one_case
            && name.len() <= 48
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && count(u8::is_ascii_digit) <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_hidden() {
        let mut count = 0;
        for case in include_str!("secrets/cases.txt").lines().filter(|line| !line.starts_with('#')) {
            let (given, shown) = case.split_once(" -> ").unwrap_or((case, case));
            let arguments: Vec<String> = given.split('|').map(str::to_owned).collect();
            assert_eq!(hide(&arguments).join("|"), shown, "{given}");
            count += 1;
        }
        assert!(count > 60, "{count}");
    }

    /// Quadratic work would take minutes here.
    #[test]
    fn long_arguments_take_proportional_time() {
        for part in [
            "://",
            "a://b:",
            "x://a/@ ",
            "sk-",
            "eyJaaa-",
            "eyJaaa.eyJaaa.",
            "x_sig_",
            "sig ",
            "-u ",
            "-u '",
            "a:",
            "::@",
            "hf_",
            "max_tokens",
            "max_tokens ",
            "tokenizer-",
            "/api/webhooks/",
            "\u{e9}",
        ] {
            let long = part.repeat((60 << 10) / part.len());
            let shown = hide(&[long.clone(), "--token".to_owned(), long.clone() + "V"]);
            assert_eq!((shown.len(), shown[2].as_str()), (3, "***"));
            assert!(hide(&[format!("{long} --password=V")])[0].ends_with("***"), "{part}");
        }
    }

    /// In the list of cases each secret has a `V` of its own, or the letters `abc`.
    #[test]
    fn a_value_with_whatever_bytes_is_hidden() {
        let odd = [
            "-V", "--V9x", "V W", "V/W", "V@W", "V:W", "V=W", "V\"W", "V'W", "V\u{e9}", "\u{130}V", "V?W",
            "V#W", "V%",
        ];
        for value in odd {
            for (arguments, is_url) in [
                (vec!["--token".to_owned(), value.to_owned()], false),
                (vec![format!("--token={value}")], false),
                (vec![format!("sh -c 'x --token {value}'")], false),
                (vec![format!("https://host/x?a=1&sig={value}")], false),
                (vec!["-u".to_owned(), format!("bob:{value}")], false),
                (vec![format!("https://bob:{value}@host/x")], true),
                (vec![format!("--db=postgres://bob:{value}@host:5432/x")], true),
            ] {
                let shown = hide(&arguments).join("|");
                assert!(!shown.contains('V') && !shown.contains('W'), "{arguments:?}: {shown}");
                assert!(!is_url || shown.contains("***@host"), "{shown}");
            }
        }
    }
}
