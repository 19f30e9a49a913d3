//! Hides secrets in a command line: the values after names that look like those of secrets, and logins in URLs.
//!
//! The agent's Python files hide the same (`assets/python/_proftui_shim/facts.py`), by the same list of names.

/// Python source with the list of parts of names whose values are secrets.
const LIST: &str = include_str!("../../assets/python/_proftui_shim/secret_names.py");

/// Authentication schemes, which may precede a secret and are shown.
const SCHEMES: [&str; 2] = ["basic", "bearer"];

/// Written instead of a secret.
const HIDDEN: &str = "***";

/// Returns the arguments with secrets replaced by `***`: `--api-key=x`, `--token x`, `PASSWORD=x`, `Authorization: Bearer x`, and the
/// login before the `@` of a URL.
pub fn hide(arguments: &[String]) -> Vec<String> {
    let mut hides_next = false;
    let shown = arguments.iter().map(|argument| {
        let is_due = std::mem::take(&mut hides_next);
        if is_due && SCHEMES.iter().any(|scheme| argument.eq_ignore_ascii_case(scheme)) {
            hides_next = true;
            return argument.clone();
        }
        if is_due && !argument.starts_with('-') {
            return HIDDEN.to_owned();
        }
        let (shown, is_before_value) = without_value(argument);
        hides_next = is_before_value;
        without_login(&shown)
    });
    shown.collect()
}

/// Parts of names whose values are secrets: the texts in quotes in the Python list.
fn name_parts() -> impl Iterator<Item = &'static str> {
    LIST.split_once("NAMES = (").map_or("", |(_, list)| list).split('"').skip(1).step_by(2)
}

/// Hides the part of an argument after the name of a secret. The second result is true if the next argument is the secret instead.
fn without_value(argument: &str) -> (String, bool) {
    let lower = argument.to_ascii_lowercase();
    let Some(from) = name_parts().filter_map(|part| lower.find(part)).min() else {
        return (argument.to_owned(), false);
    };
    match lower[from..].find(['=', ':', ' ']).map(|at| from + at) {
        None => (argument.to_owned(), argument.starts_with('-') || lower == "bearer"),
        Some(at) if &lower[at..] == ":" => (argument.to_owned(), true),
        Some(at) => (format!("{}{HIDDEN}", &argument[..=at]), false),
    }
}

/// Hides the login before the host of a URL.
fn without_login(argument: &str) -> String {
    let parts = argument.split_once("://").and_then(|(scheme, rest)| {
        let host = rest.split('/').next().unwrap_or_default();
        Some((scheme, &rest[host.rfind('@')?..]))
    });
    match parts {
        Some((scheme, rest)) => format!("{scheme}://{HIDDEN}{rest}"),
        None => argument.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        assert!(
            name_parts().count() > 10
                && name_parts().all(|part| part.chars().all(|letter| letter.is_ascii_lowercase()))
        );
    }

    /// The Python files are tested with the same cases.
    #[test]
    fn values_of_secrets_are_hidden() {
        for case in include_str!("../../tests/shim/secrets.txt").lines() {
            let (given, shown) = case.split_once(" -> ").unwrap();
            let arguments: Vec<String> = given.split('|').map(str::to_owned).collect();
            assert_eq!(hide(&arguments).join("|"), shown);
        }
    }
}
